# Prints the primes below 100, and ends with their number. Bytes 0 to 99 of data memory are the sieve:
# 1 for a multiple of a smaller number.

        .equ CONSOLE, 0x10000

start:
        { li r1, 2       ; li r10, 0      ; li r11, 100     ; li r12, 1 }       # number, primes, limit
        { li r20, CONSOLE ; li r21, 32    ; li r22, 10      ; li r5, 205 }
        { li r7, 10      ; nop            ; nop             ; nop }
next:
        { nop            ; nop            ; lbu r2, 0(r1)   ; nop }
        { nop            ; nop            ; nop             ; nop }             # the load is under way
        { ne p1, r2, 0   ; nop            ; nop             ; nop }
        { (p1) jump skip ; mul r4, r1, r5 ; nop             ; nop }             # number / 10 is number * 205 >> 11
        { nop            ; nop            ; nop             ; nop }             # behind a jump; executed
        { nop            ; nop            ; nop             ; nop }
        { shr r4, r4, 11 ; nop            ; nop             ; nop }
        { nop            ; mul r6, r4, r7 ; nop             ; nop }
        { add r8, r4, 48 ; ne p2, r4, 0   ; nop             ; nop }             # tens
        { nop            ; nop            ; nop             ; nop }
        { sub r9, r1, r6 ; add r3, r1, r1 ; nop             ; nop }
        { add r9, r9, 48 ; add r10, r10, 1 ; nop            ; nop }             # ones
        { nop            ; nop            ; (p2) sb r8, 0(r20) ; sb r9, 0(r20) }
        { nop            ; nop            ; sb r21, 0(r20)  ; nop }
mark:
        { ge p2, r3, r11 ; lt p3, r3, r11 ; nop             ; nop }
        { (p2) jump skip ; nop            ; (p3) sb r12, 0(r3) ; nop }
        { (p3) jump mark ; (p3) add r3, r3, r1 ; nop        ; nop }
        { nop            ; nop            ; nop             ; nop }
skip:
        { add r1, r1, 1  ; nop            ; nop             ; nop }
        { lt p1, r1, r11 ; nop            ; nop             ; nop }
        { (p1) jump next ; nop            ; nop             ; nop }
        { nop            ; nop            ; nop             ; nop }
        { nop            ; nop            ; sb r22, 0(r20)  ; nop }
        { nop            ; nop            ; nop             ; nop }             # the store happens here
        { halt r10       ; nop            ; nop             ; nop }
