// Counts in r1 while the timer interrupts at odd distances; then it is waited for asleep.
        jmp     start
        .org    4
handler:
        add     r7, r6
        set     r5, 37
        add     r5, r3
        next    r5
        bnz     r3, 1f
        jmp     end
1:      add     r3, r0
        rti

start:  set     r0, 0xffff
        set     r2, 13
        set     r3, 400
        set     r4, 7
        set     r5, 61
        set     r6, 1
        next    r5
        ei
loop:   add     r1, r6
        mul     r2, r1
        set     r6, 0x4000
        st      r1, (r6)
        ld      r6, (r6)
        set     r6, 1
        bnz     r2, 2f
        set     r2, 13
        wait    r4
2:      add     r5, r6
        add     r5, r6
        bnz     r1, loop
        sleep
        jmp     loop

end:    set     r3, 50
        set     r5, 301
3:      next    r5
        sleep
        add     r1, r6
        add     r3, r0
        bnz     r3, 3b
        set     r0, 0xf010
        set     r1, 3
        st      r1, (r0)
