# Short ways around branches that nobody can guess: one way, two ways, back to the head of a loop,
# behind another condition, and with a register that both ways write.
        .equ    EXIT, 93
        .equ    ROUNDS, 5000
        .text
        .global _start
_start: li      s0, ROUNDS
        li      s1, 0x2545f491
        li      s2, 0
        li      s3, 0
        li      s4, -1
        li      s5, 0
head:   slli    t0, s1, 13              # a generator of random numbers
        xor     s1, s1, t0
        srli    t0, s1, 17
        xor     s1, s1, t0
        slli    t0, s1, 5
        xor     s1, s1, t0
        andi    t1, s1, 1               # around one way
        beqz    t1, 1f
        addi    s2, s2, 3
        xor     s2, s2, s1
1:      andi    t1, s1, 2               # two ways
        beqz    t1, 2f
        srli    s4, s4, 1
        xor     s4, s4, s2
        j       3f
2:      srli    s4, s4, 1
3:      andi    t1, s1, 12              # one condition behind another
        beqz    t1, 5f
        andi    t1, s1, 4
        bnez    t1, 4f
        add     s3, s3, s2
4:      addi    s3, s3, 1
5:      andi    t1, s1, 48              # rare, and with what cannot be done in advance
        bnez    t1, 6f
        lw      t2, 0(sp)
        add     s5, s5, t2
6:      andi    t1, s1, 64
        bnez    t1, 7f
        divu    s5, s1, s0
7:      addi    s0, s0, -1
        andi    t1, s1, 128             # the way around leads back
        beqz    t1, 8f
        bnez    s0, head
        j       9f
8:      sub     s5, s5, s1
        bnez    s0, head
9:      xor     a0, s2, s3
        xor     a0, a0, s4
        xor     a0, a0, s5
        andi    a0, a0, 0x3f
        li      a7, EXIT
        ecall
