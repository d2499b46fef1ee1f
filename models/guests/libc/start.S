# The start of a program with a C library, under Linux system calls on RISC-V. The image comes with
# its variables, and those without a value are zero; the stack pointer enters at argc.

    .section .text.start, "ax", @progbits
    .globl  _start
    .type   _start, @function
_start:
    .option push
    .option norelax             # relaxed, this would load gp relative to gp
    la      gp, __global_pointer$
    .option pop
    la      tp, __tls_base      # errno is a variable of the thread
#if __riscv_xlen == 64
    ld      a0, 0(sp)           # argc
#else
    lw      a0, 0(sp)
#endif
    addi    a1, sp, __riscv_xlen / 8    # argv
    andi    sp, sp, -16
    call    main
    tail    exit
    .size   _start, . - _start
