        set r0, 2000
        set r1, 7
        set r2, 0x1f3
        set r3, 0x2b
        set r4, 1
        set r5, 9
again:  spin r1
        add r1, 3
        gather r2
        add r2, -5
        fill r3
        add r3, 11
        copy r4
        add r4, 5
        nested r1
        nested r3
        divide r4
        gather r3
        spin r3
        told r4
        search r4
        add r6, 1
        add r5, 0
        loop r0, again
        set r4, 0x80e7
        search r4
        set r5, 1
        set r1, 3
        divide r1
        stop
