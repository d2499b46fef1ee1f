# Must exit with 42: every store to code is seen by the next fetch, with no
# fence between them, ahead of the store and behind it, in one straight-line
# block.
#
# `behind` runs in its old form (+1) in the first pass and in its new form
# (+21) in the second: s1 = 22. `ahead` is replaced before it first runs and
# adds 10 in each pass, never 1: s0 = 20. Wrong statuses tell what was stale:
# 33 `ahead` in the first pass alone, 24 `ahead` in both, 22 `behind`.
#
# The architecture asks for FENCE.I between the stores and the fetches, so an
# emulator may execute stale code here (QEMU does, exiting with 33, unless run
# with -singlestep); a simulator of ours may not. `selfmodify_fence.S` is the
# same program with fences.

#include "linux.h"

#ifndef CODE_FENCE
#define CODE_FENCE              /* none */
#endif

    .section .writable_text, "awx", @progbits
    .balign 4
    .globl  _start
_start:
    li      s0, 0
    li      s1, 0
    li      s2, 2               # passes
    la      t0, ahead
    la      t1, behind
    lw      t2, new_ahead
    lw      t3, new_behind
pass:
behind:
    addi    s1, s1, 1
    sw      t2, 0(t0)
    CODE_FENCE
ahead:
    addi    s0, s0, 1
    sw      t3, 0(t1)
    CODE_FENCE
    addi    s2, s2, -1
    bnez    s2, pass

    add     a0, s0, s1
    exit

# Never executed in place.
new_ahead:
    addi    s0, s0, 10
new_behind:
    addi    s1, s1, 21
