/* The election of Chang and Roberts. The identities round the ring are MEMBERS, MEMBERS - 1, …, 1, which takes the most
 * messages. All starts are pending at first. Smaller identities are swallowed, and the announcement goes round once.
 * The same program for Tally is `election` in benches/src/explore.rs. A `d_step` is one turn. CAPACITY is the least one
 * that never blocks a sender: a blocked `d_step` is an error. There is one more state before `init` has sent the starts. */

#ifndef MEMBERS
#define MEMBERS 5
#endif
#ifndef CAPACITY
#define CAPACITY MEMBERS
#endif

mtype = { elect, elected };

chan start[MEMBERS] = [1] of { bit };
/* To each member from its left neighbour. */
chan link[MEMBERS] = [CAPACITY] of { mtype, byte };

/* No part of a state. */
hidden mtype kind;
hidden byte other;

proctype Member(byte me, place, next) {
    bit leads, knows, started;
end:
    do
    :: d_step {
        start[place]?_ ->
        started = 1;
        link[next]!elect(me)
    }
    :: d_step {
        link[place]?kind(other) ->
        if
        :: kind == elect && other > me -> link[next]!elect(other)
        :: kind == elect && other == me -> leads = 1; link[next]!elected(me)
        :: kind == elect && other < me
        :: kind == elected ->
            knows = 1;
            if
            :: other != me -> link[next]!elected(other)
            :: else
            fi
        fi
    }
    od
}

init {
    byte place;
    atomic {
        do
        :: place < MEMBERS ->
            start[place]!1;
            run Member(MEMBERS - place, place, (place + 1) % MEMBERS);
            place++
        :: else -> break
        od;
        place = 0
    }
}
