# Must write "before", execute the jump at `jump` and then fault at 0x40000000,
# where nothing can be fetched; ra holds the address after the jump. Exit
# status 1 means that the jump returned. Under Linux: SIGSEGV.

#include "linux.h"

    .text
    .globl  _start
_start:
    write_text "before\n"
    li      t0, NOWHERE
jump:
    jalr    ra, 0(t0)
    exit_with 1
