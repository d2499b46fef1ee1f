        movs r0, r0
        add sp, sp, #8
        sub sp, sp, #8
        add r0, sp
        add r0, sp, r0
        add r0, r0, r8
        add r0, r8, r0
        add sp, r1
        add sp, sp, r1
        svc #0
        swi #0
        swi 7
        svc 5
        adr r0, target
        ldr r0, target
        ldr r0, [r1]
        ldr r0, [sp]
        str r0, [r3]
        str r0, [sp]
        strb r0, [r1]
        ldrb r0, [r1]
        strh r0, [r1]
        ldrh r0, [r1]
        stm r0!, {r1}
        ldm r0!, {r1}
        stmea r0!, {r1, r2}
        ldmfd r0!, {r1}
        ldm r0, {r0, r1}
        ldmfd r0, {r0, r1}
        ands r0, r0, r1
        ands r0, r1, r0
        eors r0, r0, r1
        eors r0, r1, r0
        orrs r0, r0, r1
        orrs r0, r1, r0
        adcs r0, r0, r1
        adcs r0, r1, r0
        bics r0, r0, r1
        sbcs r0, r0, r1
        rors r0, r0, r1
        lsls r0, r0, r1
        lsrs r0, r0, r1
        asrs r0, r0, r1
        lsls r0, #3
        lsrs r0, #32
        asrs r0, #3
        muls r0, r1, r0
        muls r0, r0, r1
        adds r0, r1
        subs r0, r1
        negs r0, r1
        rsbs r0, r1, #0
        dmb
        dsb
        isb
        dmb sy
        bkpt 3
        bkpt #3
        bkpt
        bkpt 171
        udf 3
        udf
        b.n target
        beq.n target
        bhs target
        bl.w target
        bl target
        bal target
        cpy r0, r1
        mov r8, r1
        msr apsr_nzcvq, r0
        msr APSR_nzcvq, r0
        mrs r0, APSR
        mrs r0, xpsr
        mrs r0, psr
        push {r0-r3, lr}
        pop {r4, pc}
        .2byte 0xba80
        .4byte 0x0010ee00
        movs r0, r0
        .balign 4
target: movs r0, r0
        movs r0, r0
