# Writes: close to code, over code that is hot, to what was data and then is executed, far behind the
# program and far before it.
        .equ    EXIT, 93
        .equ    FAR, 0x00800000
        .text
        .global _start
_start: li      s2, 0
        li      s1, 2000
        la      s3, close
near:   lw      t0, 0(s3)               # data between functions
        add     t0, t0, s1
        sw      t0, 0(s3)
        sw      t0, -4(sp)
        add     s2, s2, t0
        addi    s1, s1, -1
        bnez    s1, near
        li      s1, 1500
        la      s3, patched
        la      s4, other
        lw      s4, 0(s4)
        lw      s5, 0(s3)
over:   call    patched                 # every hundredth time it is another instruction
        li      t0, 100
        remu    t0, s1, t0
        bnez    t0, 1f
        sw      s4, 0(s3)
        mv      t1, s4
        mv      s4, s5
        mv      s5, t1
1:      addi    s1, s1, -1
        bnez    s1, over
        li      s6, 3
far:    li      s1, 1000                # code is put where data were written all the time
        li      s3, FAR
fill:   sw      s1, 0(s3)
        sw      s1, 64(s3)
        addi    s1, s1, -1
        bnez    s1, fill
        la      t0, patched
        lw      t1, 0(t0)
        sw      t1, 0(s3)
        lw      t1, 4(t0)
        sw      t1, 4(s3)
        li      s1, 500
again:  jalr    ra, 0(s3)
        addi    s1, s1, -1
        bnez    s1, again
        addi    s6, s6, -1
        bnez    s6, far
        andi    a0, s2, 0x3f
        li      a7, EXIT
        ecall
close:  .word   7
patched:
        addi    s2, s2, 5
        ret
other:  xori    s2, s2, 0x55
