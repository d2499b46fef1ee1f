//! Functions and lines of program files, sound ones and others.

#![cfg(feature = "program")]

use std::collections::BTreeSet;

use sim_profile::CodeCells;
use sim_profile::program::{ImageFile, OUTSIDE, Program};

fn guest() -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rv32im/programs/crc32.elf");
    std::fs::read(path).expect("the guest is there")
}

fn read(bytes: &[u8]) -> Program {
    Program::read(&[ImageFile { name: "crc32.elf", bytes, base: None }], CodeCells::default())
}

fn notes(program: &Program) -> Vec<String> {
    program.notes().iter().map(ToString::to_string).collect()
}

fn start_of(program: &Program, name: &str) -> u64 {
    let function = program.functions().iter().find(|function| function.name == name);
    function.unwrap_or_else(|| panic!("{name} is a function")).start
}

#[test]
fn a_compiled_program_has_functions_lines_and_inlined_frames() {
    let program = read(&guest());
    assert_eq!(notes(&program), Vec::<String>::new());
    let main = start_of(&program, "main");
    let row = program.row_at(main).expect("main has a line");
    assert_eq!(program.source(row.source), "models/guests/crc32.c");
    assert_eq!(program.function(program.function_at(main)).name, "main");
    assert_eq!(program.function_at(0), OUTSIDE);
    let rows = program.rows().iter();
    let deepest = rows.map(|row| program.frames(row.start)).max_by_key(Vec::len).expect("rows");
    assert!(deepest.len() > 1, "something was inlined");
    assert!(deepest.iter().all(|frame| frame.source.is_some() && frame.line.is_some()));
    assert_eq!(program.frames(main).last().map(|frame| frame.function.as_str()), Some("main"));
}

#[test]
fn a_program_elsewhere_has_its_functions_there() {
    let bytes = guest();
    let file = ImageFile { name: "crc32.elf", bytes: &bytes, base: Some(0x1000) };
    let (here, there) = (read(&bytes), Program::read(&[file], CodeCells::default()));
    let (main, moved) = (start_of(&here, "main"), start_of(&there, "main"));
    assert_eq!(moved, main + 0x1000);
    assert_eq!(here.frames(main), there.frames(moved));
}

#[test]
fn cells_of_several_bytes_are_counted_in_cells() {
    let bytes = guest();
    let file = ImageFile { name: "crc32.elf", bytes: &bytes, base: None };
    let halves = Program::read(&[file], CodeCells { low: 0x1000, cell_bytes: 2 });
    let (bytes, halves) = (read(&bytes), halves);
    let main = start_of(&bytes, "main");
    assert_eq!(start_of(&halves, "main"), (main - 0x1000) / 2);
    assert_eq!(bytes.frames(main), halves.frames((main - 0x1000) / 2));
}

#[test]
fn a_stripped_program_has_regions_and_says_what_is_missing() {
    let mut bytes = guest();
    // Offset, number and names of the section headers of a 32-bit file.
    bytes[0x20..0x24].fill(0);
    bytes[0x30..0x34].fill(0);
    let program = read(&bytes);
    let whole = read(&guest());
    let main = start_of(&whole, "main");
    let region = program.function(program.function_at(main));
    assert!(!region.has_symbol && region.name.starts_with("[crc32.elf 0x"), "{}", region.name);
    assert_eq!(program.rows(), []);
    let expected = [
        "crc32.elf: no symbols of code: functions are regions named by their address",
        "crc32.elf: no debug information: no lines; compile with -g to get them",
    ];
    assert_eq!(notes(&program), expected);
}

#[test]
fn what_is_no_elf_file_is_one_region() {
    let file = ImageFile { name: "boot.bin", bytes: &[0; 16], base: Some(0x100) };
    let program = Program::read(&[file], CodeCells::default());
    assert_eq!(program.function(program.function_at(0x10f)).name, "[boot.bin 0x100]");
    assert_eq!(program.function_at(0x110), OUTSIDE);
    assert_eq!(notes(&program), ["boot.bin: not an ELF file: no functions and no lines"]);
}

#[test]
fn of_several_files_the_first_has_the_addresses_of_both() {
    let bytes = guest();
    let main = start_of(&read(&bytes), "main");
    let rom = ImageFile { name: "rom.bin", bytes: &[0; 4], base: Some(main) };
    let guest = ImageFile { name: "crc32.elf", bytes: &bytes, base: None };
    let program = Program::read(&[rom, guest], CodeCells::default());
    assert_eq!(program.images(), ["rom.bin", "crc32.elf"]);
    assert_eq!(program.function(program.function_at(main)).image, Some(0));
    assert_eq!(program.function(program.function_at(main + 4)).name, "main");
}

/// Numbers that are the same in every run.
fn scramble(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn a_damaged_program_is_read_as_far_as_it_goes() {
    let whole = guest();
    let mut state = 1;
    let mut told = BTreeSet::new();
    for round in 0..300 {
        let mut bytes = whole.clone();
        if round % 3 == 0 {
            bytes.truncate(scramble(&mut state) as usize % whole.len());
        }
        for _ in 0..1 + round % 40 {
            let place = scramble(&mut state) as usize % bytes.len().max(1);
            let value = scramble(&mut state) as u8;
            bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = value);
        }
        let program = read(&bytes);
        for row in program.rows().iter().step_by(97) {
            assert!(!program.frames(row.start).is_empty());
        }
        let pieces = program.boundaries();
        assert!(pieces.windows(2).all(|pair| pair[0] < pair[1]));
        told.extend(notes(&program));
    }
    assert!(told.iter().any(|note| note.contains("damaged debug information")), "{told:?}");
    assert!(told.iter().any(|note| note.contains("damaged ELF file")), "{told:?}");
}

/// The size of a symbol may be any number; so may the address at which a file stands.
#[test]
fn symbols_of_any_size_are_as_large_as_their_section() {
    use object::{Object, ObjectSection};

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rv64imac/programs/crc32.elf");
    let mut bytes = std::fs::read(path).expect("the guest is there");
    let parsed = object::File::parse(&*bytes).expect("an ELF file");
    let table = parsed.section_by_name(".symtab");
    let (start, size) = table.and_then(|table| table.file_range()).expect("it has symbols");
    // The last of an entry's 24 bytes are the size.
    for entry in bytes[start as usize..(start + size) as usize].chunks_mut(24) {
        entry[16..].fill(0xff);
    }
    let read =
        |base| Program::read(&[ImageFile { name: "crc32.elf", bytes: &bytes, base }], Default::default());
    let main = start_of(&read(None), "main");
    for base in [0x1000, u64::MAX, 1 << 63] {
        let program = read(Some(base));
        let moved = main.wrapping_add(base);
        assert_eq!(program.function(program.function_at(moved)).name, "main", "{base:#x}");
    }
}
