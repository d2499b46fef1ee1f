# Must run until it is stopped from outside. After n rounds t0 holds n.

    .text
    .globl  _start
_start:
    li      t0, 0
again:
    addi    t0, t0, 1
    j       again
