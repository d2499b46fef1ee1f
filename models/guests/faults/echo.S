# Must copy standard input to standard output until end of file and exit with
# 0; with 1 if a read or a write fails.

#include "linux.h"

#define BUFFER_BYTES 256

    .text
    .globl  _start
_start:
next_block:
    li      a0, STDIN
    la      a1, buffer
    li      a2, BUFFER_BYTES
    li      a7, SYS_READ
    ecall
    bltz    a0, failed
    beqz    a0, end_of_file

    la      s0, buffer          # rest of the block
    mv      s1, a0              # and how many bytes it has
next_write:
    li      a0, STDOUT
    mv      a1, s0
    mv      a2, s1
    li      a7, SYS_WRITE
    ecall
    blez    a0, failed
    add     s0, s0, a0
    sub     s1, s1, a0
    bnez    s1, next_write
    j       next_block

end_of_file:
    exit_with 0
failed:
    exit_with 1

    .bss
buffer:
    .space  BUFFER_BYTES
