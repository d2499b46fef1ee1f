; What instructions have done before they find that an address is that of a register: the stack and pointers
; lead to memory as a rule, and every eighth time into the registers.
        .text
        .global _start
_start: ldi     r24, 0x00
        ldi     r25, 0x0a               ; 2560 turns
        ldi     r16, 0x3f               ; the stack of most turns: 0x3f80
        ldi     r17, 0x80
        clr     r2
        clr     r3
main:   out     0x3e, r16
        out     0x3d, r17
        ldi     r26, 0x40               ; X, in memory
        ldi     r27, 0x01
        mov     r18, r24
        andi    r18, 7
        brne    there
        ldi     r26, 14                 ; X: r14 is above what is written
        clr     r27
        ldi     r18, 0                  ; and the stack below r11
        out     0x3e, r18
        ldi     r18, 11
        out     0x3d, r18
there:  mov     r19, r24
        com     r19
        st      -X, r19                 ; the pointer is changed, then the memory found
        st      -X, r24
        push    r19
        push    r24
        pop     r20
        call    twice
        pop     r21
        ld      r22, X+
        ld      r23, X+
        add     r2, r22
        adc     r3, r23
        eor     r2, r20
        add     r3, r21
        sbiw    r24, 1
        brne    main
        ldi     r16, 0x01               ; the second byte of an address would lie below memory
        ldi     r17, 0x00
        out     0x3e, r16
        out     0x3d, r17
        call    twice
twice:  rcall   once
once:   add     r2, r26
        adc     r3, r19
        ret
