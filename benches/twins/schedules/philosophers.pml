/* N philosophers eat once and take the left fork first. With MENDED the last one takes the right fork first. */
#ifndef N
#define N 3
#endif

bool taken[N];

inline take(fork) { atomic { !taken[fork] -> taken[fork] = true } }

proctype Philosopher(byte one, other) {
    take(one);
    take(other);
    taken[other] = false;
    taken[one] = false
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 2) { run Philosopher(i, i + 1) }
#ifdef MENDED
        run Philosopher(0, N - 1)
#else
        run Philosopher(N - 1, 0)
#endif
    }
    _nr_pr == 1;
#ifdef RESULTS
    c_code { printf("result: all have eaten\n"); }
#endif
}
