# Must write "before" and then fault at `fault`, for the read of four bytes at
# 0x40000000. Exit status 1 means that it went unnoticed. Under Linux: SIGSEGV.

#include "linux.h"

    .text
    .globl  _start
_start:
    write_text "before\n"
    li      t0, NOWHERE
fault:
    lw      t1, 0(t0)
    exit_with 1
