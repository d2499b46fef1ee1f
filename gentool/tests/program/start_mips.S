# Calls main and ends with what it returns.
    .section .text.start, "ax"
    .globl __start
    .type __start, @function
    .set noreorder
__start:
    jal main
    nop
    move $a0, $v0
    li $v0, 4001
    syscall
    .size __start, . - __start
