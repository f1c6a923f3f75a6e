/* N producers put ITEMS each into a buffer with ROOM places; one consumer takes them all.
 * Two semaphores count free places and items, a third one is the lock. */
#ifndef N
#define N 2
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef ROOM
#define ROOM 1
#endif

byte free = ROOM;
byte filled;
byte mutex = 1;
chan items = [ROOM] of { byte };
byte order[N * ITEMS];

inline take(semaphore) { atomic { semaphore > 0 -> semaphore-- } }
inline give(semaphore) { semaphore++ }

proctype Producer(byte me) {
    byte i;
    for (i : 1 .. ITEMS) {
        take(free);
        take(mutex);
        items!(me * 10 + i);
        give(mutex);
        give(filled)
    }
}

proctype Consumer() {
    byte i;
    for (i : 1 .. N * ITEMS) {
        take(filled);
        take(mutex);
        items?order[i - 1];
        give(mutex);
        give(free)
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
