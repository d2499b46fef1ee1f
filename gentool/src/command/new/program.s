// Adds 10 + 9 + ... + 1, keeps the sum in memory, prints it and ends: program.hex as text.

        .equ COUNT, 10
        .equ SUM, 0x40                  // where the sum is kept

start:  mov r0, 0                       // the sum
        mov r1, COUNT                   // what is added next
repeat: add r0, r1
        sub r1, 1
        jnz r1, repeat
        mov r2, SUM
        store r0, 0(r2)
        load r3, 0(r2)
        print r3
        mov r4, 0
        halt r4                         // exit status 0
