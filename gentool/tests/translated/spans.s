// Goes through a memory and a smaller one at the same addresses, at last beyond the smaller one.
start:  set     r0, 0
        set     r6, 255
        set     r7, 60                  // rounds
round:  set     r1, 31                  // places
loop:   distant r1
        close   r1
        add     r1, r6
        bnz     r1, loop
        add     r7, r6
        bnz     r7, round
        set     r1, 201
        bnz     r1, loop
        stop
