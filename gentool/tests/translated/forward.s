# Calls that lead to ever higher addresses and do not come back: where only jumps back are checks, all of them lie
# between two of these. They are rare at first, so that what is known of the program settles, and frequent later.
        .equ    RARE, 9000
start:  li      s0, 16000
        li      s4, RARE
turn:   blt     s0, s4, often
        andi    t0, s0, 15
        bnez    t0, rest
often:  call    first
rest:   addi    s0, s0, -1
        bnez    s0, turn
        li      a0, 3
        li      a7, 93
        ecall

first:
        xor     a1, a1, s0
        addi    a1, a1, 1
        xor     a1, a1, s0
        addi    a1, a1, 2
        xor     a1, a1, s0
        addi    a1, a1, 3
        xor     a1, a1, s0
        addi    a1, a1, 4
        xor     a1, a1, s0
        addi    a1, a1, 5
        xor     a1, a1, s0
        addi    a1, a1, 6
        call    second
second:
        xor     a2, a2, a1
        addi    a2, a2, 1
        xor     a2, a2, a1
        addi    a2, a2, 2
        xor     a2, a2, a1
        addi    a2, a2, 3
        xor     a2, a2, a1
        addi    a2, a2, 4
        xor     a2, a2, a1
        addi    a2, a2, 5
        xor     a2, a2, a1
        addi    a2, a2, 6
        call    third
third:
        xor     a3, a3, a2
        addi    a3, a3, 1
        xor     a3, a3, a2
        addi    a3, a3, 2
        xor     a3, a3, a2
        addi    a3, a3, 3
        xor     a3, a3, a2
        addi    a3, a3, 4
        xor     a3, a3, a2
        addi    a3, a3, 5
        xor     a3, a3, a2
        addi    a3, a3, 6
        call    fourth
fourth:
        xor     a4, a4, a3
        addi    a4, a4, 1
        xor     a4, a4, a3
        addi    a4, a4, 2
        xor     a4, a4, a3
        addi    a4, a4, 3
        xor     a4, a4, a3
        addi    a4, a4, 4
        xor     a4, a4, a3
        addi    a4, a4, 5
        xor     a4, a4, a3
        addi    a4, a4, 6
        j       rest
