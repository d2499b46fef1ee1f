        c.lui a0, 0xfffff
        c.lui a0, 1
        c.lui s1, 0x1f
        c.lui t0, 0xfffe0
        li a0, 0x12345
        lw a0, 4(a1)
        amoadd.w.aq a0, a1, (a2)
        sext.w a0, a1
        negw a0, a1
        lw a0, (a1)
        ld a0, (a1)
        sd a0, (a1)
        lwu a0, (a1)
        sb a0, (a1)
        c.lw a0, (a1)
        c.sw a0, (a1)
        c.ld a0, (a1)
        c.sd a0, (a1)
        c.lwsp a0, (sp)
        c.swsp a0, (sp)
        c.ldsp a0, (sp)
        c.sdsp a0, (sp)
        jalr a0, a1
        jalr a0, (a1)
        lr.w a0, 0(a1)
        lr.d.aq a0, 0(a1)
        sc.w a0, a1, 0(a2)
        amoadd.w a0, a1, 0(a2)
        amomaxu.d.aqrl a0, a1, 0(a2)
        sgt a0, a1, a2
        sgtu a0, a1, a2
        zext.b a0, a1
        sext.b a0, a1
        sext.h a0, a1
        zext.h a0, a1
        zext.w a0, a1
        unimp
        scall
        sbreak
