# Must write "before" and then fault at `fault`: the word of zeros is illegal
# in every RISC-V, now and later. Exit status 1 means that it went unnoticed.
# Under Linux: SIGILL.

#include "linux.h"

    .text
    .globl  _start
_start:
    write_text "before\n"
fault:
    .word   0
    exit_with 1
