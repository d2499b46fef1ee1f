/* Linux system calls on 32-bit RISC-V, for the assembly programs of this
 * folder: number in a7, arguments from a0 on, result or -errno in a0.
 */

#define SYS_READ 63
#define SYS_WRITE 64
#define SYS_EXIT_GROUP 94
#define STDIN 0
#define STDOUT 1

/* These programs do not set gp, so the linker must not address through it. */
    .option norelax

/* An address that no guest maps. */
#define NOWHERE 0x40000000

/* Ends the program with the status in a0. */
    .macro exit
    li      a7, SYS_EXIT_GROUP
    ecall
    .endm

/* Ends the program with a constant status. */
    .macro exit_with status
    li      a0, \status
    exit
    .endm

/* Writes a literal text to standard output; a0 to a2 and a7 are lost. */
    .macro write_text text
    .pushsection .rodata
.Ltext\@:
    .ascii  "\text"
    .equ    .Llength\@, . - .Ltext\@
    .popsection
    li      a0, STDOUT
    la      a1, .Ltext\@
    li      a2, .Llength\@
    li      a7, SYS_WRITE
    ecall
    .endm
