// hello: prints a line on the console

start:   mov #start, sp        // the stack grows down from the program
         mov #text, r1
next:    movb (r1)+, r0        // the next byte sets Z
         beq done
         jsr pc, @#print
         br next
done:    halt                  // R0 is 0

print:   tstb @#0xff74         // the printer is ready when bit 7 is set
         bpl print
         movb r0, @#0xff76
         rts pc

text:    .ascii "Hello, PDP-11!\n"
