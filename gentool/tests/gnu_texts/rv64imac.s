        c.lui a0, 0xfffff
        c.lui a0, 1
        c.lui s1, 0x1f
        c.lui t0, 0xfffe0
        li a0, 0x12345
        lw a0, 4(a1)
        amoadd.w.aq a0, a1, (a2)
        sext.w a0, a1
        negw a0, a1
