/* N processes add 1 to a number, TIMES each. An addition is one step. */
#ifndef N
#define N 2
#endif
#ifndef TIMES
#define TIMES 4
#endif

byte x;

proctype Adder() {
    byte i;
    for (i : 1 .. TIMES) { x++ }
}

init {
    byte i;
    atomic { for (i : 1 .. N) { run Adder() } }
    _nr_pr == 1;
#ifdef RESULTS
    c_code { printf("result: %d\n", now.x); }
#endif
    assert(x == N * TIMES)
}
