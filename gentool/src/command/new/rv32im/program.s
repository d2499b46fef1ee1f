# Fills 1024 bytes, has their CRC-32 computed by `crc32` in crc32.s, and prints it.

        .equ    WRITE, 64               # system calls of Linux
        .equ    EXIT, 93
        .equ    BYTES, 1024

        .text
        .global _start, fill, print_hex

_start: la      sp, stack_end
        la      a0, data
        li      a1, BYTES
        call    fill
        la      a0, data
        li      a1, BYTES
        call    crc32
        call    print_hex
        li      a0, 0
        li      a7, EXIT
        ecall

# Fills a1 bytes at a0: each is five times the one before, plus 17.
fill:   li      t0, 0
1:      sb      t0, 0(a0)
        slli    t1, t0, 2
        add     t0, t0, t1
        addi    t0, t0, 17
        addi    a0, a0, 1
        addi    a1, a1, -1
        bnez    a1, 1b
        ret

# Prints a0 as eight hexadecimal digits, in a line of their own.
print_hex:
        la      a1, text
        li      t0, 8
1:      srli    t1, a0, 28
        slli    a0, a0, 4
        addi    t1, t1, '0'
        li      t2, '9'
        ble     t1, t2, 2f
        addi    t1, t1, 'a' - '9' - 1
2:      sb      t1, 0(a1)
        addi    a1, a1, 1
        addi    t0, t0, -1
        bnez    t0, 1b
        li      t1, '\n'
        sb      t1, 0(a1)
        li      a0, 1
        la      a1, text
        li      a2, 9
        li      a7, WRITE
        ecall
        ret

        .bss
text:   .space  16
data:   .space  BYTES
        .align  16
        .space  1024
stack_end:
