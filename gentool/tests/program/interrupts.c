/* A timer that interrupts, and calls of the environment that a handler of this program answers. */

#define TIME (*(volatile unsigned *)0x0200bff8)
#define COMPARE ((volatile unsigned *)0x02004000)

volatile unsigned ticks, calls, work;

static void next_tick(void) {
    COMPARE[1] = 0;
    COMPARE[0] = TIME + 1000;
}

void handle(unsigned cause) {
    if (cause >> 31) {
        ticks++;
        next_tick();
    } else
        calls++;
}

asm(".text\n"
    ".option norvc\n"
    ".align 2\n"
    ".type trap, @function\n"
    "trap:\n"
    "    addi sp, sp, -64\n"
    "    sw ra, 0(sp)\n    sw a0, 4(sp)\n    sw a1, 8(sp)\n    sw a2, 12(sp)\n    sw a3, 16(sp)\n"
    "    sw a4, 20(sp)\n    sw a5, 24(sp)\n    sw a6, 28(sp)\n    sw a7, 32(sp)\n    sw t0, 36(sp)\n"
    "    sw t1, 40(sp)\n    sw t2, 44(sp)\n    sw t3, 48(sp)\n"
    "    csrr a0, mcause\n"
    "    bltz a0, 1f\n"
    "    csrr t0, mepc\n"
    "    addi t0, t0, 4\n"
    "    csrw mepc, t0\n"
    "1:  call handle\n"
    "    lw ra, 0(sp)\n    lw a0, 4(sp)\n    lw a1, 8(sp)\n    lw a2, 12(sp)\n    lw a3, 16(sp)\n"
    "    lw a4, 20(sp)\n    lw a5, 24(sp)\n    lw a6, 28(sp)\n    lw a7, 32(sp)\n    lw t0, 36(sp)\n"
    "    lw t1, 40(sp)\n    lw t2, 44(sp)\n    lw t3, 48(sp)\n"
    "    addi sp, sp, 64\n"
    "    mret\n"
    ".size trap, . - trap\n"
    ".option rvc\n");

void trap(void);

static unsigned mix(unsigned n) {
    return n * 2654435761u ^ n >> 7;
}

int main(void) {
    next_tick();
    asm volatile("csrw mtvec, %0\n    csrw mie, %1\n    csrsi mstatus, 8" ::"r"(trap), "r"(128));
    for (unsigned n = 0; n < 2000; n++) {
        work += mix(n);
        if (n % 100 == 0)
            asm volatile(".option push\n    .option norvc\n    ecall\n    .option pop");
    }
    asm volatile("csrci mstatus, 8\n    csrw mtvec, zero");
    return calls == 20 && ticks > 5 ? ticks : 100;
}
