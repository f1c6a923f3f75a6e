/* One writer and N readers of a variable. The result is what each reader has read. */
#ifndef N
#define N 6
#endif

byte x;
byte seen[N];

proctype Writer() { x = 1 }

proctype Reader(byte i) { seen[i] = x }

init {
    byte i;
    atomic {
        run Writer();
        for (i : 1 .. N) { run Reader(i - 1) }
    }
    _nr_pr == 1;
#ifdef RESULTS
    c_code {
        int k;
        printf("result:");
        for (k = 0; k < N; k++) printf(" %d", now.seen[k]);
        printf("\n");
    }
#endif
}
