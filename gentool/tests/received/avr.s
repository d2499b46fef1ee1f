; Adds up what comes, as long as the line says that something has, and ends with the sum.
        ldi r16, 0x10
        sts 0xc1, r16
        clr r24
next:   lds r17, 0xc0
        sbrs r17, 7
        rjmp end
        lds r25, 0xc6
        add r24, r25
        rjmp next
end:    ldi r16, 1
        out 0x33, r16
        sleep
