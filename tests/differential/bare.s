@ A bare Cortex-M0 for one thing at a time: what a program does stands in the places of the lines that
@ are remarks below, vector 11 in that of SERVICE. Each handler adds its own number to r7, which is the
@ status in the end; the one of a fault ends the program.
        .text
        .org 0
        .word 0x20001000, _start + 1, nmi + 1, hard + 1, 0, 0, 0, 0, 0, 0, 0, SERVICE, 0, 0, pendsv + 1, 0
        .org 0x40
_start: movs r7, #0
        movs r6, #0xe0
        lsls r6, r6, #24
        movs r5, #0xed
        lsls r5, r5, #8
        adds r6, r6, r5
@ body
        b exit
nmi:    lsls r7, r7, #1
        adds r7, #1
        bx lr
service:
        adds r7, #8
@ service
        bx lr
pendsv: adds r7, #16
        bx lr
hard:   adds r7, #64
@ hard
        b exit
        .balign 4
exit:   movs r1, #0x20
        lsls r1, r1, #24
        movs r0, #2
        lsls r0, r0, #16
        adds r0, #0x26
        str r0, [r1]
        str r7, [r1, #4]
        movs r0, #0x20
        bkpt #171
        b exit
