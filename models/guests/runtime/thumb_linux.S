@ The target layer for Thumb under Linux system calls, EABI (number in r7,
@ arguments from r0 on, result in r0). The stack pointer enters at argc; argv
@ follows it, ends with a null word, and the environment comes after that.

#define SYS_WRITE 4
#define SYS_EXIT_GROUP 248
#define STDOUT 1

    .syntax unified
    .section .text.start, "ax", %progbits
    .globl  _start
    .type   _start, %function
    .thumb_func
_start:
    ldr     r0, =__bss_start    @ the script aligns both ends to words
    ldr     r1, =__bss_end
    movs    r2, #0
    b       2f
1:  stmia   r0!, {r2}
2:  cmp     r0, r1
    blo     1b

    ldr     r0, [sp]            @ argc
    add     r1, sp, #4          @ argv
    mov     r2, sp
    lsrs    r2, r2, #3
    lsls    r2, r2, #3
    mov     sp, r2
    bl      main
    movs    r4, r0
    bl      print_flush
    movs    r0, r4
    bl      guest_exit
    .size   _start, . - _start
    .ltorg

    .text

@ void guest_exit(int status)
    .globl  guest_exit
    .type   guest_exit, %function
    .thumb_func
guest_exit:
    movs    r7, #SYS_EXIT_GROUP
    svc     0
    b       guest_exit          @ not reached
    .size   guest_exit, . - guest_exit

@ void guest_write(const char *bytes, size_t length)
    .globl  guest_write
    .type   guest_write, %function
    .thumb_func
guest_write:
    push    {r4, r5, r7, lr}
    movs    r4, r0              @ rest of the bytes
    movs    r5, r1              @ and how many they are
1:  cmp     r5, #0
    beq     2f
    movs    r0, #STDOUT
    movs    r1, r4
    movs    r2, r5
    movs    r7, #SYS_WRITE
    svc     0
    cmp     r0, #0
    ble     2f                  @ nothing sensible is left to do
    adds    r4, r4, r0
    subs    r5, r5, r0
    b       1b
2:  pop     {r4, r5, r7, pc}
    .size   guest_write, . - guest_write
