# Loops that hold the budget: of one block and of several, in each other, with ways of different lengths
# through them, left at several places, entered anew at once, and left by accesses that are out of reach;
# and addresses that move while they are used, at both ends of memory.
        .equ    FIRST, 0x00010000
        .equ    BEHIND, 0x01010000
        .text
        .global _start
_start: li      s0, 40                  # everything often enough to be compiled
        li      s2, 0
again:  li      t0, 100                 # one block
one:    addi    s2, s2, 3
        addi    t0, t0, -1
        bnez    t0, one

        li      t0, 60                  # two ways, one of them longer, one rarely gone
two:    andi    t1, t0, 15
        bnez    t1, often
        slli    s2, s2, 1
        xor     s2, s2, t0
        addi    s2, s2, 7
        add     s2, s2, s2
        addi    s2, s2, 1
often:  addi    t0, t0, -1
        bnez    t0, two

        li      t0, 50                  # both ways often, without a branch
both:   andi    t1, t0, 1
        beqz    t1, even
        addi    s2, s2, 5
        xori    s2, s2, 11
even:   addi    t0, t0, -1
        bnez    t0, both

        li      t0, 30                  # loops in each other; the inner one is often left at once
outer:  andi    t1, t0, 3
inner:  addi    s2, s2, 1
        addi    t1, t1, -1
        bgtz    t1, inner
        addi    t0, t0, -1
        bnez    t0, outer

        li      t0, 90                  # left in the middle as well
middle: addi    s2, s2, 1
        andi    t1, s2, 127
        beqz    t1, out
        addi    t0, t0, -1
        bnez    t0, middle
out:    xor     s2, s2, t0

        li      t0, 25                  # two ways back
twice:  addi    t0, t0, -1
        andi    t1, t0, 3
        beqz    t1, skip
        bgtz    t0, twice
skip:   addi    s2, s2, 9
        bgtz    t0, twice

        la      t0, words               # what an address reaches before and behind its move
        addi    t2, t0, 64
move:   lw      t1, 0(t0)
        addi    t0, t0, 4
        add     s2, s2, t1
        sw      s2, -4(t0)
        bne     t0, t2, move
        la      t0, words
move_back:
        addi    t2, t2, -4
        lw      t1, 0(t2)
        addi    t1, t1, 1
        sw      t1, 0(t2)
        bne     t0, t2, move_back

        li      t0, BEHIND - 64         # up to the last cell
        li      t2, BEHIND
top:    sb      s2, 0(t0)
        addi    t0, t0, 1
        lbu     t1, -1(t0)
        add     s2, s2, t1
        bne     t0, t2, top
        li      t0, BEHIND - 63         # the same, and as many as do not come in fours
below:  lbu     t1, 0(t0)
        addi    t0, t0, 1
        add     s2, s2, t1
        bne     t0, t2, below
        li      t0, FIRST + 8           # down to the first
        li      t2, FIRST
bottom: addi    t0, t0, -1
        lbu     t1, 0(t0)
        add     s2, s2, t1
        bne     t0, t2, bottom

        addi    s0, s0, -1
        bnez    s0, again

        li      t0, BEHIND - 256        # on into what is not there: the run ends with a fault
fault:  lw      t1, 0(t0)
        addi    t0, t0, 4
        addi    s2, s2, 1
        sw      s2, -4(t0)
        j       fault

        .data
words:  .space  64
