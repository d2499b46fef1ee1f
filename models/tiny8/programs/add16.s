// Adds 0x12ff and 0x3401 byte by byte, result at 0x80 (low) and 0x81 (high); status 71, the high byte 0x47.

        .equ    result, 0x80

        nib     ax, 0xf                 // low bytes: 0xff + 0x01
        nib     ax, 0xf
        nib     bx, 0x0
        nib     bx, 0x1
        add     ax, bx                  // sets the carry, which only the ALU changes
        nib     bx, result >> 4
        nib     bx, result & 0xf
        point   bx
        store   ax
        carry   ax                      // high bytes: carry + 0x12 + 0x34
        nib     bx, 0x1
        nib     bx, 0x2
        add     ax, bx
        nib     bx, 0x3
        nib     bx, 0x4
        add     ax, bx
        nib     bx, result + 1 >> 4
        nib     bx, result + 1 & 0xf
        point   bx
        store   ax
        halt    ax
