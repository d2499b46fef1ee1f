//! A random program as bytes of program memory, with what writes down what it leaves.

use std::fmt::Write as _;
use std::ops::Range;

use isac::simulators::avr;

use crate::support::assembled::assemble;
use crate::support::random::Random;

/// Data memory that random instructions touch; the stack is in it.
pub(crate) const DATA: Range<u16> = 0x100..0x500;

/// Where registers and I/O registers are written down behind the random instructions.
pub(crate) const SAVED: u16 = 0x600;

/// What is compared: data memory from its first byte to the last that is written down.
pub(crate) const SHOWN: Range<u16> = DATA.start..0x640;

/// I/O registers that are written down: SREG, the stack pointer, RAMPZ, those of general purpose, and
/// the count of Timer/Counter1, its low byte first.
const SAVED_IO: [u16; 9] = [0x5f, 0x5d, 0x5e, 0x5b, 0x3e, 0x4a, 0x4b, 0x84, 0x85];

/// Bytes of program memory that are filled, with the program at their beginning: RAMPZ steps in them.
pub(crate) const FLASH: usize = 0x1_0100;

/// A program.
pub(crate) struct Program {
    /// Program memory from its first byte on.
    pub(crate) flash: Vec<u8>,
    /// Where everything is written down, in words.
    pub(crate) end: u64,
}

impl Program {
    /// `lines` are the random instructions, of so many steps.
    pub(crate) fn new(lines: Vec<String>, steps: usize, random: &mut Random) -> Program {
        let mut text = String::from(".text\n.org 0\n");
        for register in 0..32 {
            let value = random.value(8);
            let _ = writeln!(text, "ldi r16, {value}\nmov r{register}, r16");
        }
        text += "ldi r16, 1\nsts 0x81, r16\nbegin:\n";
        text += &lines.join("\n");
        let _ = write!(text, "\nstep{steps}:\nnop\n{}end:\n{SHOW}", save());
        let assembled = assemble(avr::model(), &text);
        let symbol = |name: &str| {
            let found = assembled.symbols.iter().find(|symbol| symbol.name == name);
            found.expect("the text defines it").value as u64
        };
        let code = &assembled.pieces[0].bytes;
        assert!(code.len() < FLASH, "{} bytes of program", code.len());
        // Beside the code the same for the beginnings of a program.
        let mut flash: Vec<u8> = (0..FLASH).map(|_| random.next() as u8).collect();
        flash[..code.len()].copy_from_slice(code);
        Program { flash, end: symbol("end") }
    }
}

/// Instructions that write down the registers and I/O registers.
fn save() -> String {
    let mut text = String::new();
    for register in 0..32 {
        let _ = writeln!(text, "sts {}, r{register}", SAVED + register);
    }
    for (place, register) in (SAVED + 32..).zip(SAVED_IO) {
        let _ = writeln!(text, "lds r16, {register}\nsts {place}, r16");
    }
    text
}

/// Sends SHOWN in hexadecimal, 32 bytes a line, and ends: a processor that sleeps without
/// interrupts never wakes.
const SHOW: &str = "
    cli
    ldi r16, 0x3f
    out 0x3e, r16
    ldi r16, 0x08
    sts 0xc1, r16
    ldi r26, 0x00
    ldi r27, 0x01
next:
    ld r18, X+
    mov r17, r18
    swap r17
    call digit
    mov r17, r18
    call digit
    mov r17, r26
    andi r17, 31
    brne more
    ldi r17, 10
    call send
more:
    cpi r26, 0x40
    brne next
    cpi r27, 0x06
    brne next
    ldi r16, 1
    sts 0x53, r16
    sleep
digit:
    andi r17, 15
    cpi r17, 10
    brlo decimal
    subi r17, 0xd9
decimal:
    subi r17, 0xd0
send:
    lds r16, 0xc0
    sbrs r16, 5
    rjmp send
    sts 0xc6, r17
    ret
";
