# The target layer for RISC-V under Linux system calls (number in a7,
# arguments from a0 on, result in a0). The stack pointer enters at argc; argv
# follows it, ends with a null word, and the environment comes after that.

#define SYS_WRITE 64
#define SYS_EXIT_GROUP 94
#define STDOUT 1

    .section .text.start, "ax", @progbits
    .globl  _start
    .type   _start, @function
_start:
    .option push
    .option norelax             # relaxed, this would load gp relative to gp
    la      gp, __global_pointer$
    .option pop

    la      t0, __bss_start     # the script aligns both ends to words
    la      t1, __bss_end
    bgeu    t0, t1, 2f
1:  sw      zero, 0(t0)
    addi    t0, t0, 4
    bltu    t0, t1, 1b

2:  lw      a0, 0(sp)           # argc
    addi    a1, sp, __riscv_xlen / 8    # argv
    andi    sp, sp, -16
    call    main
    mv      s0, a0
    call    print_flush
    mv      a0, s0
    tail    guest_exit
    .size   _start, . - _start

    .text

# void guest_exit(int status)
    .globl  guest_exit
    .type   guest_exit, @function
guest_exit:
    li      a7, SYS_EXIT_GROUP
    ecall
    j       guest_exit          # not reached
    .size   guest_exit, . - guest_exit

# void guest_write(const char *bytes, size_t length)
    .globl  guest_write
    .type   guest_write, @function
guest_write:
    mv      a3, a0              # rest of the bytes
    mv      a4, a1              # and how many they are
1:  beqz    a4, 2f
    li      a0, STDOUT
    mv      a1, a3
    mv      a2, a4
    li      a7, SYS_WRITE
    ecall
    blez    a0, 2f              # nothing sensible is left to do
    add     a3, a3, a0
    sub     a4, a4, a0
    j       1b
2:  ret
    .size   guest_write, . - guest_write
