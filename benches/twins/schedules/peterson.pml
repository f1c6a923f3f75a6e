/* The entry of Peterson's lock, tried once by two processes. A process that has entered stays inside. */
bool wants[2];
bool inside[2];
byte turn;

proctype Visitor(byte me) {
    bool other;
    wants[me] = true;
    turn = 1 - me;
    other = wants[1 - me];
    if
    :: !other -> inside[me] = true
    :: else -> inside[me] = (turn == me)
    fi
}

init {
    atomic {
        run Visitor(0);
        run Visitor(1)
    }
    _nr_pr == 1;
#ifdef RESULTS
    c_code {
        printf("result: %s %s\n", now.inside[0] ? "true" : "false", now.inside[1] ? "true" : "false");
    }
#endif
    assert(!(inside[0] && inside[1]))
}
