# More registers than a host has, many of them written again before anybody reads them: in a loop around
# others, on ways that meet, on one way and not on the other, in short loops between them.
        .text
        .global _start
_start: li      s0, 1500                # often enough to be compiled
        li      s1, 1
outer:  addi    t0, s0, 1               # all of these have changed
        addi    t1, t0, 3
        xor     t2, t1, s1
        slli    t3, t2, 3
        add     t4, t3, t0
        srli    t5, t4, 1
        sub     t6, t5, s0
        addi    a0, t6, 9
        xor     a1, a0, t3
        add     a2, a1, t1
        addi    a3, a2, -5
        xor     a4, a3, t0
        add     a5, a4, a0
        addi    a6, a5, 7
        add     a7, a6, t4
        andi    s2, s0, 7
        beqz    s2, rare                # ways that meet again: one writes what the other leaves
        add     s3, a7, a6
        xor     s4, s3, a5
        addi    t0, zero, 11            # not read up to here
        j       meet
rare:   addi    t1, zero, 12
        add     s5, a7, a4
        xor     s6, s5, a3
meet:   li      t3, 13                  # nor these
        li      t4, 14
        li      s7, 3
short:  add     s1, s1, t5              # a short loop with registers of its own, and one that nobody reads
        xori    t6, s1, 21
        addi    s7, s7, -1
        bnez    s7, short
        andi    s8, s0, 3
        bnez    s8, often
        add     s9, s1, a2              # some are read here alone
        xor     s1, s9, t2
often:  li      t5, 15
        li      a0, 16
        li      a1, 17
        li      a2, 18
        addi    s0, s0, -1
        bnez    s0, outer

        xor     a0, s1, s3
        xor     a0, a0, s6
        andi    a0, a0, 63
        li      a7, 93
        ecall
