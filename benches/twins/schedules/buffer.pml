/* N producers put ITEMS each into a buffer with room for one item; one consumer takes them all.
 * Promela has no condition variables: a flag of each process tells whether it waits. */
#ifndef N
#define N 2
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

bool locked;
bool waits[N + 1];
byte item;
byte order[N * ITEMS];

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }
inline wait(me) {
    atomic { waits[me] = true; locked = false };
    !waits[me];
    lock()
}
inline wake(k) {
    atomic {
        for (k : 0 .. N) { waits[k] = false }
        k = 0
    }
}

proctype Producer(byte me) {
    byte i, k;
    for (i : 1 .. ITEMS) {
        lock();
        do
        :: item != 0 -> wait(me)
        :: else -> break
        od;
        item = me * 10 + i;
        wake(k);
        unlock()
    }
}

proctype Consumer() {
    byte i, k;
    for (i : 1 .. N * ITEMS) {
        lock();
        do
        :: item == 0 -> wait(0)
        :: else -> break
        od;
        atomic { order[i - 1] = item; item = 0 };
        wake(k);
        unlock()
    }
}

init {
    byte i;
    atomic {
        run Consumer();
        for (i : 1 .. N) { run Producer(i) }
    }
    _nr_pr == 1;
#ifdef RESULTS
    c_code {
        int k;
        printf("result:");
        for (k = 0; k < N * ITEMS; k++) printf(" %d", now.order[k]);
        printf("\n");
    }
#endif
}
