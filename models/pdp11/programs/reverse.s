// reverse: reads a line by interrupts of the keyboard, prints it backwards by those of the printer

// The vectors of keyboard and printer: a handler and its status.

         .org 0x30
         .half key, 0x80
         .half ready, 0x80

         .org 0x200
_start:  mov #_start, sp
         mov #buffer, r1
         mov #0x40, @#0xff70   // the keyboard may interrupt
         clr @#0xfffe          // and the processor listens
idle:    wait
         br idle

// A byte has come in.
key:     movb @#0xff72, (r1)
         cmpb (r1)+, #0xa
         bne more
         clr @#0xff70          // the end of the line: now the printer may
         mov #0x40, @#0xff74
         dec r1                // without the end of the line
more:    rti

// The printer has nothing to do.
ready:   cmp r1, #buffer
         beq first
         movb -(r1), @#0xff76
         rti
first:   mov #last, @#0x34     // all are printed: the end of the line, and then the end
         movb #0xa, @#0xff76
         rti
last:    clr r0
         halt

buffer:  .half 0x0
