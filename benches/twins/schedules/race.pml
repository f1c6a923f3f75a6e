/* N processes read a number and write the number plus 1, in two steps.
 * With RESULTS, the searcher prints each final result. */
#ifndef N
#define N 2
#endif

byte x;

proctype Adder() {
    byte t;
    t = x;
    x = t + 1
}

init {
    byte i;
    atomic { for (i : 1 .. N) { run Adder() } }
    _nr_pr == 1;
#ifdef RESULTS
    c_code { printf("result: %d\n", now.x); }
#endif
    assert(x == N)
}
