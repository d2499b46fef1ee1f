// Prints "Hi" and a new line; status 0.

        nib     ax, text >> 4           // ax = address of the text
        nib     ax, text & 0xf
next:   point   ax                      // the next character
        load    bx
        and     bx, bx                  // zero ends the text
        jz      end
        out     bx
        nib     bx, 0x0                 // ax moves on by one
        nib     bx, 0x1
        add     ax, bx
        jmp     next
end:    halt    bx                      // bx is zero

text:   .asciz  "Hi\n"
