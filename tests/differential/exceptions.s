@ A bare Cortex-M0: exceptions that instructions cause and ask for. Random units stand in the place of
@ the line `@ units`. Each exception tells of itself in a log: its number, the value that lr has, where the
@ frame is, and the address and the status in it. In the end log and registers are written by semihosting.
@
@ 0x20000000: where the log goes on; 0x20000020: arguments of a call; 0x20000040: registers in the end;
@ from 0x20000100 on: the log; stacks: of threads below 0x20003000, the main one below 0x20004000, which
@ is vector 0 without its low bits.
        .text
        .org 0
        .word 0x20004003, _start + 1, asked + 1, fault + 1, 0, 0, 0, 0, 0, 0, 0, service + 1, 0, 0, asked + 1, asked + 1
        .org 0x400
_start:
        movs r0, #32
        lsls r0, r0, #24
        movs r1, #1
        lsls r1, r1, #8
        adds r1, r1, r0
        str r1, [r0, #0]
        movs r1, #0x30
        lsls r1, r1, #8
        adds r1, r1, r0
        msr psp, r1
        movs r0, #0
        movs r1, #0
        movs r2, #0
        movs r3, #0
        movs r4, #0
        movs r5, #0
        movs r6, #0
        movs r7, #0
        mov r8, r0
        mov r9, r0
        mov r10, r0
        mov r11, r0
        mov r12, r0
        mov lr, r0
@ units
        cpsie i
        isb sy
        movs r6, #0
        msr control, r6
        isb sy
        movs r6, #32
        lsls r6, r6, #24
        movs r7, #0x40
        adds r6, r6, r7
        stmia r6!, {r0, r1, r2, r3, r4, r5}
        mov r0, r8
        mov r1, lr
        mov r2, sp
        mrs r3, psp
        mrs r4, xpsr
        stmia r6!, {r0, r1, r2, r3, r4}
        b finish
        .balign 4
@ The instruction at fault has 16 bits: it goes on behind it, with Thumb instructions.
fault:  movs r3, #32
        lsls r3, r3, #24
        ldr r2, [r3, #0]
        mrs r0, ipsr
        str r0, [r2, #0]
        mov r0, lr
        str r0, [r2, #4]
        mrs r1, psp
        lsls r0, r0, #29
        bmi 1f
        mov r1, sp
1:      str r1, [r2, #8]
        ldr r0, [r1, #24]
        str r0, [r2, #12]
        ldr r0, [r1, #28]
        str r0, [r2, #16]
        adds r2, #20
        str r2, [r3, #0]
        ldr r0, [r1, #24]
        adds r0, #2
        str r0, [r1, #24]
        movs r0, #1
        lsls r0, r0, #24
        ldr r2, [r1, #28]
        orrs r2, r0
        str r2, [r1, #28]
        bx lr
@ The bits of its number: ask for PendSV, be at fault, ask for SysTick, ask for NMI.
service:
        movs r3, #32
        lsls r3, r3, #24
        ldr r2, [r3, #0]
        mrs r0, ipsr
        str r0, [r2, #0]
        mov r0, lr
        str r0, [r2, #4]
        mrs r1, psp
        lsls r0, r0, #29
        bmi 1f
        mov r1, sp
1:      str r1, [r2, #8]
        ldr r0, [r1, #24]
        str r0, [r2, #12]
        subs r0, #2
        ldrb r0, [r0, #0]
        mov r12, r0
        ldr r0, [r1, #28]
        str r0, [r2, #16]
        adds r2, #20
        str r2, [r3, #0]
        movs r3, #0xe0
        lsls r3, r3, #24
        movs r2, #0xed
        lsls r2, r2, #8
        adds r3, r3, r2
        movs r2, #1
        mov r0, r12
        lsrs r0, r0, #1
        bcc 1f
        .balign 64
        lsls r2, r2, #28
        str r2, [r3, #4]
        isb sy
        nop
1:      movs r2, #1
        lsrs r0, r0, #1
        bcc 1f
        udf #7
1:      lsrs r0, r0, #1
        bcc 1f
        .balign 64
        lsls r2, r2, #26
        str r2, [r3, #4]
        isb sy
        nop
1:      movs r2, #1
        lsrs r0, r0, #1
        bcc 1f
        .balign 64
        lsls r2, r2, #31
        str r2, [r3, #4]
        isb sy
        nop
1:      bx lr
@ NMI, PendSV, and SysTick, which is at fault.
asked:  movs r3, #32
        lsls r3, r3, #24
        ldr r2, [r3, #0]
        mrs r0, ipsr
        str r0, [r2, #0]
        mov r0, lr
        str r0, [r2, #4]
        mrs r1, psp
        lsls r0, r0, #29
        bmi 1f
        mov r1, sp
1:      str r1, [r2, #8]
        ldr r0, [r1, #24]
        str r0, [r2, #12]
        ldr r0, [r1, #28]
        str r0, [r2, #16]
        adds r2, #20
        str r2, [r3, #0]
        mrs r0, ipsr
        cmp r0, #15
        bne 1f
        udf #3
1:      bx lr
        .balign 4
finish: b 1f
        .balign 4
args:   .word name, 4, 3
name:   .ascii ":tt"
        .byte 0
        .balign 4
1:      movs r1, #args & 255
        movs r2, #args >> 8 & 255
        lsls r2, r2, #8
        movs r3, #args >> 16
        lsls r3, r3, #16
        orrs r1, r2
        orrs r1, r3
        movs r0, #1
        bkpt #171
        movs r4, #32
        lsls r4, r4, #24
        ldr r5, [r4, #0]
        subs r5, r5, r4
        movs r6, #0x20
        adds r6, r6, r4
        str r0, [r6, #0]
        str r4, [r6, #4]
        str r5, [r6, #8]
        movs r1, r6
        movs r0, #5
        bkpt #171
        movs r0, #0x18
        movs r1, #2
        lsls r1, r1, #16
        adds r1, #0x26
        bkpt #171
        b finish
