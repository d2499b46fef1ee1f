        .space 0x7fffffffffffffff
        .align 0x8000000000000000
        .org 0xffffffffffffffff
        .byte 1
        .space 2
