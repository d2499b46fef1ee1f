# The scalar product of two arrays of 64 words, at LEFT and 512 bytes behind: by a loop that works on
# four elements at a time, an element in two cycles, and by a plain one. Ends with 0 if they agree.

        .equ LEFT, 0x400
        .equ LAST, LEFT + 252

start:
        { li r1, LEFT       ; li r2, LAST      ; li r3, 1          ; li r4, -50 }
fill:                                                                           # 1, 4, 7, ... and -50, -43, -36, ...
        { ltu p1, r1, r2    ; nop              ; sw r3, 0(r1)      ; sw r4, 512(r1) }
        { (p1) jump fill    ; add r1, r1, 4    ; add r3, r3, 3     ; add r4, r4, 7 }
        { nop               ; nop              ; nop               ; nop }

        { li r1, LEFT       ; li r2, LAST - 4  ; li r3, 0          ; li r4, 0 }
        { li r5, 0          ; li r6, 0         ; eq p1, r0, r0     ; nop }
product:                                                                        # two elements are loaded, one before is multiplied,
        { (p1) jump product ; mul r5, r3, r4   ; lw r3, 0(r1)      ; lw r4, 512(r1) }
        { add r1, r1, 4     ; add r6, r6, r5   ; ltu p1, r1, r2    ; nop }      # one before that is added
        { nop               ; mul r5, r3, r4   ; nop               ; nop }
        { add r6, r6, r5    ; nop              ; nop               ; nop }
        { nop               ; nop              ; nop               ; nop }
        { add r6, r6, r5    ; nop              ; nop               ; nop }

        { li r1, LEFT       ; li r2, LAST      ; li r7, 0          ; nop }
plain:
        { nop               ; nop              ; lw r3, 0(r1)      ; lw r4, 512(r1) }
        { nop               ; nop              ; nop               ; nop }
        { nop               ; mul r5, r3, r4   ; nop               ; nop }
        { ltu p1, r1, r2    ; add r1, r1, 4    ; nop               ; nop }
        { (p1) jump plain   ; nop              ; nop               ; nop }
        { add r7, r7, r5    ; nop              ; nop               ; nop }

        { ne p1, r6, r7     ; li r8, 0         ; nop               ; nop }
        { (p1) li r8, 1     ; nop              ; nop               ; nop }
        { eq p2, r7, 0      ; nop              ; nop               ; nop }
        { (p2) li r8, 2     ; nop              ; nop               ; nop }
        { halt r8           ; nop              ; nop               ; nop }
