# A cycle that is entered at two places, between which a register is loaded where it is asked for first, and
# is stored with another value.
        .text
        .global _start
_start: li      s0, 1500                # often enough to be compiled
        la      s11, f
        li      s1, 0
main:   addi    s3, s0, 100
        andi    s7, s0, 7
        addi    s7, s7, 2
        jalr    ra, 0(s11)
        addi    s0, s0, -1
        bnez    s0, main
        andi    a0, s1, 63
        li      a7, 93
        ecall
f:      li      t1, 1
        li      t2, 2
        li      t3, 3
        li      t4, 4
        li      t5, 5
        li      t6, 6
        li      a0, 1
        li      a1, 1
        li      a2, 1
        li      a3, 1
        li      a4, 1
        li      a5, 1
        li      a6, 1
        li      a7, 1
        andi    t0, s0, 1
        mv      s2, s3                  # no more than another name
        beqz    t0, second              # the other way into the cycle
first:  add     s1, s1, s2
        li      s3, 13                  # read by nobody in the cycle
        beqz    s7, over
second: addi    s7, s7, -1
        j       first
over:   ret
