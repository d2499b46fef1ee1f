# Must exit with 7, the greatest common divisor of 91 and 119, having expected
# nothing of its surroundings: it is linked at 0x80000000, where RAM begins on
# many boards, and sets its own stack.

#include "linux.h"

#define STACK_BYTES 256

    .text
    .globl  _start
_start:
    la      sp, stack_end
    li      a0, 91
    li      a1, 119
    call    gcd
    exit

# Euclid's algorithm, recursive so that the stack is used:
# gcd(a, 0) = a, gcd(a, b) = gcd(b, a mod b).
gcd:
    beqz    a1, 1f
    addi    sp, sp, -16
    sw      ra, 12(sp)
    remu    t0, a0, a1
    mv      a0, a1
    mv      a1, t0
    call    gcd
    lw      ra, 12(sp)
    addi    sp, sp, 16
1:  ret

    .bss
    .balign 16
stack:
    .space  STACK_BYTES
stack_end:
