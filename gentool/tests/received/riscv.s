# Adds up what comes, as long as the line says that something has, and ends with the sum.
        .text
        lui a1, 0x10000
        li a0, 0
w:      lbu a2, 5(a1)
        andi a2, a2, 1
        beqz a2, e
        lbu a3, 0(a1)
        add a0, a0, a3
        j w
e:      lui a1, 0x10001
        sw a0, 0(a1)
