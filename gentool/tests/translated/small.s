// Walks through all of two small memories, whose addresses begin anew at 0 between them.
start:  set     r0, 0
        set     r6, 255
        set     r7, 20                  // rounds
round:  set     r1, 62                  // places
loop:   load    r2, 240(r1)
        add     r2, r1
        store   r2, 241(r1)
        shift   r2
        count   r2
        entry   r2
        pieces  r2
        store   r2, 240(r1)
        set     r3, 8
again:  load    r4, 0(r3)
        add     r4, r2
        store   r4, 2(r3)
        add     r3, r6
        bnz     r3, again
        add     r1, r6
        bnz     r1, loop
        add     r7, r6
        bnz     r7, round
        stop
