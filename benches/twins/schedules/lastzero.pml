/* lastzero of Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014.
 * A process looks for the last zero from the end. N others each write a cell: the cell before it, plus 1. */
#ifndef N
#define N 5
#endif

byte cell[N + 1];
byte place;

proctype Search() {
    byte i = N;
    do
    :: cell[i] != 0 -> i--
    :: else -> break
    od;
    place = i
}

proctype Writer(byte i) {
    byte t;
    t = cell[i - 1];
    cell[i] = t + 1
}

init {
    byte i;
    atomic {
        run Search();
        for (i : 1 .. N) { run Writer(i) }
    }
    _nr_pr == 1;
#ifdef RESULTS
    c_code {
        int k;
        printf("result: %d:", now.place);
        for (k = 0; k <= N; k++) printf(" %d", now.cell[k]);
        printf("\n");
    }
#endif
}
