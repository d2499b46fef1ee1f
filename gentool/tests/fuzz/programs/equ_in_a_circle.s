        .equ a, b + 1
        .equ b, a + 1
        .word a
        li a0, b
