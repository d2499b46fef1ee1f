# Jumps by tables: the places that they lead to are met one after the other, two tables share one
# jump's code, and a function is called through a register in between.
        .equ    EXIT, 93
        .text
        .global _start
_start: li      s0, 0                   # places so far
        li      s2, 0
        li      s3, 0x1357
outer:  addi    s0, s0, 1
        li      s1, 300
inner:  slli    t0, s3, 7
        xor     s3, s3, t0
        srli    t0, s3, 9
        xor     s3, s3, t0
        slli    t0, s3, 8
        xor     s3, s3, t0
        remu    t1, s3, s0
        slli    t1, t1, 2
        la      t2, table
        add     t2, t2, t1
        lw      t2, 0(t2)
        jr      t2
place0: addi    s2, s2, 1
        j       next
place1: xor     s2, s2, s3
        j       next
place2: la      t3, twice
        jalr    ra, 0(t3)
        j       next
place3: add     s2, s2, s0
        j       next
place4: sub     s2, s2, s1
        j       next
place5: slli    s2, s2, 1
        j       next
place6: srli    s2, s2, 1
        j       next
place7: not     s2, s2
        j       next
place8: la      t3, thrice
        jalr    ra, 0(t3)
next:   addi    s1, s1, -1
        bnez    s1, inner
        li      t0, 9
        bne     s0, t0, outer
        andi    a0, s2, 0x3f
        li      a7, EXIT
        ecall
twice:  add     s2, s2, s2
        ret
thrice: add     t0, s2, s2
        add     s2, s2, t0
        ret
        .section .rodata
        .align  4
table:  .word   place0, place1, place2, place3, place4, place5, place6, place7, place8
