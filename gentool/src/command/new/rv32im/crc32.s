# The CRC-32 that zlib and Ethernet have, bit by bit: of a1 bytes at a0, in a0.

        .text
        .global crc32
crc32:  li      t0, -1                  # the checksum so far
        li      t1, 0xedb88320          # the polynomial, its lowest power first
1:      lbu     t2, 0(a0)
        xor     t0, t0, t2
        li      t3, 8
2:      andi    t4, t0, 1               # a bit: shift, and subtract where one fell out
        neg     t4, t4
        and     t4, t4, t1
        srli    t0, t0, 1
        xor     t0, t0, t4
        addi    t3, t3, -1
        bnez    t3, 2b
        addi    a0, a0, 1
        addi    a1, a1, -1
        bnez    a1, 1b
        not     a0, t0
        ret
