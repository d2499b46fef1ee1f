// Sums of elements that were written by index, before and behind branches.
start:  set     r0, 0
        set     r1, 2                   // the element
        set     r2, 5
        set     r3, 1
        set     r4, 3500                // turns
        set     r6, 0xffff
loop:   add     r5, r2
        poke    r1, r3
        bnz     r0, out
        add     r5, r2                  // what the block above has written
        part    r1
        bnz     r0, out
        add     r5, r2
        poke    r1, r0                  // nothing
        bnz     r0, out
        add     r5, r2
        add     r4, r6
        bnz     r4, loop
        set     r4, 3500
again:  set     r7, back
        bnz     r3, aside
back:   add     r4, r6
        bnz     r4, again
out:    stop

aside:  note    r2                      // what was put aside before the element is written
        poke    r1, r3
        take    r5
        go      r7
