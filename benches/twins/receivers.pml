/* Receivers that count their messages. All messages are pending at the start, so there are
 * (MESSAGES + 1) to the power of RECEIVERS states, and one more before `init` has sent them.
 * The same program for Tally is `receivers` in benches/src/explore.rs. A `d_step` is one turn. */

#ifndef RECEIVERS
#define RECEIVERS 13
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif

chan inbox[RECEIVERS] = [MESSAGES] of { byte };

proctype Receiver(byte place) {
    byte taken;
end:
    do
    :: d_step { inbox[place]?_ -> taken++ }
    od
}

init {
    byte place, n;
    atomic {
        do
        :: place < RECEIVERS ->
            n = 0;
            do
            :: n < MESSAGES -> inbox[place]!n; n++
            :: else -> break
            od;
            run Receiver(place);
            place++
        :: else -> break
        od;
        place = 0; n = 0
    }
}
