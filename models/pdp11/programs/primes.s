// primes: prints the primes up to 100, divides by subtraction; stops with their number in R0

start:   mov #start, sp
         mov #0x2, r2          // the candidate
try:     mov #0x2, r3          // the divisor
test:    mov r2, r4
rest:    sub r3, r4            // r4 = r2 mod r3
         bhi rest
         beq divides
         inc r3
         br test
divides: cmp r3, r2            // only a prime is divided by itself first
         bne next
         mov r2, r0
         jsr pc, decimal
         inc count
next:    inc r2
         cmp r2, #0x64
         blos try
         mov #0xa, r0
         jsr pc, print
         mov count, r0         // the lights show how many
         halt

// Prints r0 in decimal and a space behind it; keeps all but r0.
decimal: mov r1, -(sp)
         mov r2, -(sp)
         clr -(sp)             // a zero ends the digits on the stack
digit:   clr r1
ten:     cmp r0, #0xa
         bcs single
         sub #0xa, r0
         inc r1
         br ten
single:  add #0x30, r0
         mov r0, -(sp)
         mov r1, r0
         bne digit
show:    mov (sp)+, r0
         beq shown
         jsr pc, print
         br show
shown:   mov #0x20, r0
         jsr pc, print
         mov (sp)+, r2
         mov (sp)+, r1
         rts pc

print:   tstb @#0xff74
         bpl print
         movb r0, @#0xff76
         rts pc

count:   .half 0x0
