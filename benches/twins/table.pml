/* Philosophers at a table, who eat again and again. Forks are processes too. A philosopher requests its own fork, then
 * the next one, and waits for each grant. A fork that is held keeps the second request until it is put down. If each
 * philosopher holds its own fork, no message is pending: that is a final state.
 * The same program for Tally is `table` in benches/src/explore.rs. A `d_step` is one turn. A philosopher never has two
 * pending messages, so one channel of length 1 is enough. The first message of each philosopher has a name of its own,
 * because for Tally it has another sender. There is one more state before `init` has sent the first messages. */

#ifndef SEATS
#define SEATS 5
#endif

mtype = { begin, hungry, granted, done, take, put };
#define THINKS 0
#define WANTS_OWN 1
#define WANTS_NEXT 2
#define EATS 3

#define FREE 0
#define HELD 1
#define CONTESTED 2

chan seat[SEATS] = [1] of { mtype };
/* To the fork of each seat from the philosopher who sits there, and from the one before. */
chan own[SEATS] = [2] of { mtype };
chan before[SEATS] = [2] of { mtype };

/* No part of a state. */
hidden mtype kind;

proctype Philosopher(byte place, next) {
    byte at;
end:
    do
    :: d_step {
        seat[place]?kind ->
        if
        :: at == THINKS -> own[place]!take; at = WANTS_OWN
        :: at == WANTS_OWN -> before[next]!take; at = WANTS_NEXT
        :: at == WANTS_NEXT -> seat[place]!done; at = EATS
        :: at == EATS -> own[place]!put; before[next]!put; seat[place]!hungry; at = THINKS
        fi
    }
    od
}

proctype Fork(byte place, previous) {
    byte at;
    /* Who holds it: 0 for the philosopher of the seat, 1 for the one before. */
    bit holder;
end:
    do
    :: d_step {
        own[place]?kind ->
        if
        :: kind == take && at == FREE -> at = HELD; holder = 0; seat[place]!granted
        :: kind == take && at == HELD -> at = CONTESTED
        :: kind == put && at == HELD -> at = FREE; holder = 0
        :: kind == put && at == CONTESTED -> at = HELD; holder = 1; seat[previous]!granted
        fi
    }
    :: d_step {
        before[place]?kind ->
        if
        :: kind == take && at == FREE -> at = HELD; holder = 1; seat[previous]!granted
        :: kind == take && at == HELD -> at = CONTESTED
        :: kind == put && at == HELD -> at = FREE; holder = 0
        :: kind == put && at == CONTESTED -> at = HELD; holder = 0; seat[place]!granted
        fi
    }
    od
}

init {
    byte place;
    atomic {
        do
        :: place < SEATS ->
            seat[place]!begin;
            run Philosopher(place, (place + 1) % SEATS);
            run Fork(place, (place + SEATS - 1) % SEATS);
            place++
        :: else -> break
        od;
        place = 0
    }
}
