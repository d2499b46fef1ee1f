//! A static ELF32 executable for RISC-V, as small as it can be.

use super::program::Program;

const PAGE: u32 = 0x1000;
const HEADER_BYTES: u16 = 52;
const SEGMENT_BYTES: u16 = 32;
const EXECUTABLE: u16 = 2;
const RISCV: u16 = 243;
const READ_EXECUTE: u32 = 5;
const READ_WRITE: u32 = 6;

/// The file: a page with the headers, the code, the data; each begins a page.
pub(crate) fn write_elf(program: &Program) -> Vec<u8> {
    let code: Vec<u8> = program.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let data_offset = PAGE + (code.len() as u32).next_multiple_of(PAGE);
    let mut file = Vec::new();
    file.extend(b"\x7fELF\x01\x01\x01");
    file.resize(16, 0);
    push16(&mut file, &[EXECUTABLE, RISCV]);
    // Version, entry, program headers, no section headers, no flags.
    push32(&mut file, &[1, Program::CODE, HEADER_BYTES.into(), 0, 0]);
    push16(&mut file, &[HEADER_BYTES, SEGMENT_BYTES, 2, 0, 0, 0]);
    for (offset, address, size, flags) in [
        (PAGE, Program::CODE, code.len() as u32, READ_EXECUTE),
        (data_offset, Program::DATA, program.data.len() as u32, READ_WRITE),
    ] {
        push32(&mut file, &[1, offset, address, address, size, size, flags, PAGE]);
    }
    file.resize(PAGE as usize, 0);
    file.extend(code);
    file.resize(data_offset as usize, 0);
    file.extend(&program.data);
    file
}

fn push16(file: &mut Vec<u8>, halves: &[u16]) {
    file.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
}

fn push32(file: &mut Vec<u8>, words: &[u32]) {
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}
