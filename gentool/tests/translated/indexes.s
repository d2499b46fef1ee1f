# Indexes that are masked: into a table, to both ends of memory, where the mask allows more than memory
# has, and into data right behind code, which becomes code; and quotients by what is 0 at times.
        .equ    EXIT, 93
        .equ    FIRST, 0x00010000
        .equ    LAST, 0x0100ffff
        .text
        .global _start
_start: li      s2, 0
        li      s1, 3000
        la      s3, table
table_loop:
        andi    t0, s1, 15
        slli    t0, t0, 2
        add     t0, t0, s3
        lw      t1, 0(t0)
        add     s2, s2, t1
        xor     t1, t1, s2
        sw      t1, 0(t0)
        addi    s1, s1, -1
        bnez    s1, table_loop

        li      s1, 3000                # the last cells of memory, and fewer of them than masked
        li      s3, LAST - 63
        li      s4, LAST - 31
top:    andi    t0, s1, 15
        slli    t0, t0, 2
        add     t0, t0, s3
        sw      s1, 0(t0)
        lbu     t1, 3(t0)
        add     s2, s2, t1
        andi    t2, s1, 7
        sw      t2, -4(sp)
        lw      t2, -4(sp)
        andi    t2, t2, 15              # at most 7 after all
        slli    t2, t2, 2
        add     t2, t2, s4
        lw      t1, 0(t2)
        add     s2, s2, t1
        sw      s2, 0(t2)
        addi    s1, s1, -1
        bnez    s1, top

        li      s1, 3000                # the first cells
        li      s3, FIRST + 64
bottom: andi    t0, s1, 63
        add     t0, t0, s3
        lbu     t1, -64(t0)
        add     s2, s2, t1
        addi    s1, s1, -1
        bnez    s1, bottom

        li      s1, 3000                # a divisor that is 0 at times
divide: andi    t0, s1, 3
        remu    t1, s2, t0
        divu    t2, s2, t0
        rem     t3, s2, t0
        div     t4, s2, t0
        add     s2, s2, t1
        xor     s2, s2, t2
        add     s2, s2, t3
        xor     s2, s2, t4
        addi    s1, s1, -1
        bnez    s1, divide

        li      s6, 3                   # what was written all the time becomes code, and is written again
again:  li      s1, 2000
        la      s3, buffer
write:  andi    t0, s1, 31
        slli    t0, t0, 2
        add     t0, t0, s3
        sw      s1, 0(t0)
        lw      t1, 256(t0)
        add     s2, s2, t1
        addi    t1, t1, 1
        sw      t1, 256(t0)
        addi    s1, s1, -1
        bnez    s1, write
        la      t0, function
        lw      t1, 0(t0)
        sw      t1, 256(s3)
        lw      t1, 4(t0)
        sw      t1, 260(s3)
        li      s1, 1000
call:   jalr    ra, 256(s3)
        sw      s1, 252(s3)
        addi    s1, s1, -1
        bnez    s1, call
        addi    s6, s6, -1
        bnez    s6, again
        andi    a0, s2, 0x3f
        li      a7, EXIT
        ecall
function:
        addi    s2, s2, 5
        ret
table:  .word   1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47
buffer: .space  512
