# Interrupts of the timer strike at any instruction: at calls, direct and computed, returns, jumps to other
# functions and branches. The time to the next one changes with each.

        .text
        .globl _start
_start:
        la      t0, trap
        csrw    mtvec, t0
        li      t0, 128
        csrw    mie, t0
        li      s0, 600
        la      s2, second
        li      s3, 0x0200c000
        li      s4, 0
        li      s5, 0
        call    rearm
        csrsi   mstatus, 8
turn:
        call    first
computed:
        jalr    s2
behind_second:
        call    third
behind_third:
        addi    s0, s0, -1
        bnez    s0, turn
        csrci   mstatus, 8
        li      a7, 93
        csrw    mtvec, zero
        li      a0, 0
        ecall

first:
        addi    a0, a0, 1
        ret

second:
        mv      s1, ra
        call    first
behind_first:
        jr      s1

third:
        j       first

# The next interrupt comes in 16 to 31 cycles.
rearm:
        addi    s5, s5, 7
        andi    s7, s5, 15
        lw      s6, -8(s3)
        add     s6, s6, s7
        addi    s6, s6, 16
        lui     s8, 0x2004
        sw      s6, 0(s8)
        sw      zero, 4(s8)
        ret

trap:
        mv      s9, ra
        addi    s4, s4, 1
        call    rearm
        mv      ra, s9
        mret
