set r0, 3000
set r7, 0x800
set r1, 5
set r2, 77
memory: add r1, r2
add r2, r1
push r7, 0x3e
add r1, r3
pop r7, 0x7c
add r6, r5
push r7, 0x06
pop r7, 0x0a
loop r0, memory
set r0, 600
across: set r7, 0x1006
add r1, r2
push r7, 0x7e
add r2, r1
pop r7, 0x7c
set r7, 0x1002
push r7, 0x0e
pop r7, 0x0e
set r7, 0x1012
push r7, 0xbe
set r7, 0x1002
pop r7, 0xa6
loop r0, across
add r1, r2
set r7, 0x1003
push r7, 0x0e
stop
