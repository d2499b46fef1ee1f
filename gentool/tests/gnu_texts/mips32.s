        neg $2, $3
        negu $2, $3
        not $2, $3
        move $2, $3
        li $2, -5
        li $2, 0x8000
        li $2, 0x12340000
        li $2, 0x12345678
        add $2, $3, 5
        addu $2, $3, -5
        sub $2, $3, 5
        subu $2, $3, 5
        and $2, $3, 0xffff
        or $2, $3, 0x8000
        xor $2, $3, 1
        slt $2, $3, -5
        sltu $2, $3, -5
        sll $2, $3, $4
        srl $2, $3, $4
        sra $2, $3, $4
        ror $2, $3, $4
        ror $2, $3, 5
        rol $2, $3, 5
        rol $2, $3, 0
        sgt $2, $3, $4
        sgtu $2, $3, $4
        b target
        nop
        bal target
        nop
        beqz $2, target
        nop
        bnez $2, target
        nop
        beqzl $2, target
        nop
        bnezl $2, target
        nop
        j $2
        nop
        jalr $2
        nop
        jalr.hb $2
        nop
        jr.hb $2
        nop
        div $0, $2, $3
        divu $0, $2, $3
        rdhwr $3, $0
        rdhwr $3, $1
        rdhwr $3, $2
        rdhwr $3, $3
        rdhwr $3, $29
        lw $2, ($3)
        sw $2, ($3)
        lb $2, ($3)
        lbu $2, ($3)
        lh $2, ($3)
        lhu $2, ($3)
        sb $2, ($3)
        sh $2, ($3)
        ll $2, ($3)
        sc $2, ($3)
        lwl $2, ($3)
        lwr $2, ($3)
        swl $2, ($3)
        swr $2, ($3)
        teq $2, $3
        break
        break 7
        syscall
        .word 1
target: nop
