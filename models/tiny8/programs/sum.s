// Adds 10, 9, ... 1 and keeps the sum at 0x80; status 55.

        .equ    sum, 0x80

        nib     bx, 10 >> 4             // bx counts down from 10
        nib     bx, 10 & 0xf
        nib     ax, sum >> 4
        nib     ax, sum & 0xf
        point   ax
        xor     ax, ax                  // sum = 0
        store   ax
next:   load    ax                      // sum += bx
        add     ax, bx
        store   ax
        nib     ax, 0x0                 // bx -= 1
        nib     ax, 0x1
        sub     bx, ax
        jnz     next                    // until it is zero
        load    ax                      // the sum is the status
        halt    ax
