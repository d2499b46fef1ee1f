# What a bare processor runs first: the stack, the variables, a message, the end.
#
#   gentool asm models/rv32im/rv32im.isac models/rv32im/programs/boot.s -o boot.elf

        .equ    WRITE, 64               # system calls of Linux
        .equ    EXIT, 93
        .equ    STACK_BYTES, 4096

        .text
        .global _start
_start: la      sp, stack_end

        # Variables without a first value are zero, whatever the memory held.
        la      t0, bss
        la      t1, bss_end
1:      beq     t0, t1, 2f
        sw      zero, 0(t0)
        addi    t0, t0, 4
        j       1b

        # Those with a first value come with the program.
2:      la      a0, message
        call    print
        lui     t0, %hi(greetings)
        lw      a0, %lo(greetings)(t0)
        bnez    a0, finish              # none of them got lost
        li      a0, 1
finish: addi    a0, a0, -1
        li      a7, EXIT
        ecall

# Prints the text at a0 that ends with a zero, and counts.
print:  mv      a1, a0
1:      lbu     t0, 0(a0)
        addi    a0, a0, 1
        bnez    t0, 1b
        sub     a2, a0, a1
        addi    a2, a2, -1              # the zero is not printed
        li      a0, 1
        li      a7, WRITE
        ecall
        lui     t0, %hi(greetings)
        lw      t1, %lo(greetings)(t0)
        addi    t1, t1, 1
        sw      t1, %lo(greetings)(t0)
        ret

        .section .rodata
message:
        .asciz  "booted\n"

        .bss
        .align  16
bss:
greetings:
        .space  4
        .align  16
stack:  .space  STACK_BYTES
stack_end:
bss_end:
