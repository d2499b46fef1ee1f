# The target layer for MIPS under Linux system calls, o32 (number in v0,
# arguments from a0 on, result in v0, a3 set if the call has failed). The
# stack pointer enters at argc; argv follows it, ends with a null word, and
# the environment comes after that.

#define SYS_WRITE 4004
#define SYS_EXIT_GROUP 4246
#define STDOUT 1
#define ARGUMENT_AREA 16        /* on the stack, for what is called */

    .set    noreorder
    .section .text.start, "ax", @progbits
    .globl  _start
    .type   _start, @function
_start:
    lui     $t0, %hi(__bss_start)   # the script aligns both ends to words
    addiu   $t0, $t0, %lo(__bss_start)
    lui     $t1, %hi(__bss_end)
    addiu   $t1, $t1, %lo(__bss_end)
    beq     $t0, $t1, 2f
    lw      $a0, 0($sp)         # argc
1:  addiu   $t0, $t0, 4
    bne     $t0, $t1, 1b
    sw      $zero, -4($t0)

2:  addiu   $a1, $sp, 4         # argv
    li      $t0, -8
    and     $sp, $sp, $t0
    jal     main
    addiu   $sp, $sp, -ARGUMENT_AREA
    jal     print_flush
    move    $s0, $v0
    j       guest_exit
    move    $a0, $s0
    .size   _start, . - _start

    .text

# void guest_exit(int status)
    .globl  guest_exit
    .type   guest_exit, @function
guest_exit:
    li      $v0, SYS_EXIT_GROUP
    syscall
    b       guest_exit          # not reached
    nop
    .size   guest_exit, . - guest_exit

# void guest_write(const char *bytes, size_t length)
    .globl  guest_write
    .type   guest_write, @function
guest_write:
    move    $t0, $a0            # rest of the bytes
    move    $t1, $a1            # and how many they are
1:  beqz    $t1, 2f
    li      $a0, STDOUT
    move    $a1, $t0
    move    $a2, $t1
    li      $v0, SYS_WRITE
    syscall
    bnez    $a3, 2f             # nothing sensible is left to do
    nop
    blez    $v0, 2f
    nop
    addu    $t0, $t0, $v0
    b       1b
    subu    $t1, $t1, $v0
2:  jr      $ra
    nop
    .size   guest_write, . - guest_write
