# A function that returns from one place or the other, called from three places, by another function, too.

        .text
        .globl _start
_start:
        li      s0, 700
        li      s1, 0
turn:
        andi    a0, s0, 1
        call    either
        andi    a0, s0, 6
        call    either
        call    through
        addi    s0, s0, -1
        bnez    s0, turn
        li      a7, 93
        li      a0, 0
        ecall

either:
        bnez    a0, other
        addi    s1, s1, 1
        ret
other:
        addi    s1, s1, 2
        ret

through:
        mv      s2, ra
        andi    a0, s0, 3
        call    either
        jr      s2
