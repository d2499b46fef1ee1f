//! Reading program files, above all wrong ones.

use sim_runtime::image::{Expected, Image, ImageError, ImageFormat, read_image};

use crate::elf_file::{ElfFile, ElfSegment, PT_INTERP};

const RISCV32: Expected =
    Expected { machine: Some(243), class: Some(32), big_endian: Some(false), physical_addresses: false };

fn read(file: &ElfFile) -> Result<Image, ImageError> {
    read_image(&file.bytes(), ImageFormat::Auto, &Expected::default())
}

fn message(file: &ElfFile, expected: &Expected) -> String {
    read_image(&file.bytes(), ImageFormat::Elf, expected).expect_err("the file is wrong").to_string()
}

#[test]
fn a_program_is_its_segments_its_entry_and_a_digest() {
    let image =
        read_image(&ElfFile::program().bytes(), ImageFormat::Auto, &RISCV32).expect("the file is right");
    let found: Vec<_> = image
        .segments
        .iter()
        .map(|segment| (segment.address, segment.bytes.as_slice(), segment.size))
        .collect();
    assert_eq!(found, [(0x1_0000, b"twelve bytes".as_slice(), 12), (0x1_1000, b"data", 0x20)]);
    assert_eq!(image.entry, Some(0x1_0004));
    assert_eq!(image.digest.len(), 32);
}

/// As programs in read-only memory are: the start code copies their variables and clears the rest.
#[test]
fn a_stored_program_is_the_bytes_of_its_segments_where_they_are_stored() {
    let mut file = ElfFile::program();
    file.segments[1].stored_at = Some(0x1_000c);
    file.segments.push(ElfSegment::load(0x1_1020, b"", 0x40));
    let stored = Expected { physical_addresses: true, ..RISCV32 };
    for class in [1, 2] {
        let file = ElfFile { class, ..file.clone() };
        let expected = Expected { class: Some(u32::from(class) * 32), ..stored };
        let image = read_image(&file.bytes(), ImageFormat::Elf, &expected).expect("the file is right");
        let found: Vec<_> = image.segments.iter().map(|part| (part.address, part.size)).collect();
        assert_eq!(found, [(0x1_0000, 12), (0x1_000c, 4)]);
        assert_eq!(image.segments[1].bytes, b"data");
        assert_eq!(image.found_at, [(0x1_0000, 0x1_000b), (0x1_1000, 0x1_101f), (0x1_1020, 0x1_105f)]);
        assert_eq!(image.entry, Some(0x1_0004));
    }
    file.segments[1].stored_at = Some(0x1_000b);
    assert_eq!(
        message(&file, &stored),
        "segments 0 and 1 both want the byte at 0x1000b; correct the addresses in the linker script"
    );
}

#[test]
fn both_classes_and_both_byte_orders_read_alike() {
    let usual = read(&ElfFile::program()).expect("the file is right");
    for (class, big_endian) in [(1, true), (2, false), (2, true)] {
        let image = read(&ElfFile { class, big_endian, ..ElfFile::program() });
        let image = image.expect("the file is right");
        assert_eq!((&image.segments, image.entry), (&usual.segments, usual.entry));
    }
}

#[test]
fn every_prefix_of_a_file_loads_identically_or_is_refused() {
    for class in [1, 2] {
        let file = ElfFile { class, ..ElfFile::program() };
        let mut bytes = file.bytes();
        let needed = bytes.len();
        let whole = read(&file).expect("the file is right");
        bytes.extend(b"section names and the like");
        for length in 0..=bytes.len() {
            match read_image(&bytes[..length], ImageFormat::Auto, &Expected::default()) {
                Ok(image) => {
                    assert!(length >= needed, "{length} bytes are too few");
                    assert_eq!((&image.segments, image.entry), (&whole.segments, whole.entry));
                }
                Err(ImageError::Empty) => assert_eq!(length, 0),
                Err(ImageError::Truncated { offset, size, file_size, .. }) => {
                    assert!(length < needed);
                    assert_eq!(file_size, length as u64);
                    assert!(offset + size > file_size);
                }
                Err(error) => panic!("{length} bytes: {error}"),
            }
        }
    }
}

#[test]
fn damaged_files_never_panic_and_never_take_more_memory_than_they_have() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for class in [1, 2] {
        let bytes = ElfFile { class, ..ElfFile::program() }.bytes();
        for _ in 0..20_000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + next() % 4 {
                let place = next() as usize % damaged.len();
                damaged[place] = match next() % 4 {
                    0 => damaged[place] ^ 1 << (next() % 8),
                    1 => 0xff,
                    2 => 0,
                    _ => next() as u8,
                };
            }
            if let Ok(image) = read_image(&damaged, ImageFormat::Auto, &Expected::default()) {
                let held: usize = image.segments.iter().map(|segment| segment.bytes.len()).sum();
                assert!(held <= damaged.len());
            }
        }
    }
}

#[test]
fn a_file_for_another_processor_names_both() {
    assert_eq!(
        message(&ElfFile { machine: 62, ..ElfFile::program() }, &RISCV32),
        "ELF is for machine 62 (x86-64), this model expects 243 (RISC-V); compile the program for \
         that processor or take another model"
    );
    assert_eq!(
        message(&ElfFile { class: 2, ..ElfFile::program() }, &RISCV32),
        "ELF is of class 64 bits, this model expects 32 bits; compile the program for 32 bits"
    );
    assert_eq!(
        message(&ElfFile { big_endian: true, ..ElfFile::program() }, &RISCV32),
        "ELF is big-endian, this model expects little-endian; compile the program for the other \
         byte order"
    );
}

#[test]
fn only_static_executables_are_programs() {
    let of_kind = |kind| message(&ElfFile { kind, ..ElfFile::program() }, &RISCV32);
    assert_eq!(of_kind(1), "ELF is a relocatable object file, expected an executable; link it first");
    assert_eq!(
        of_kind(3),
        "ELF is position-independent (ET_DYN), expected an executable for fixed addresses; link \
         with -static -no-pie"
    );
    let mut file = ElfFile::program();
    file.segments.push(ElfSegment { kind: PT_INTERP, ..ElfSegment::default() });
    assert_eq!(
        message(&file, &RISCV32),
        "ELF asks for a dynamic linker (PT_INTERP, segment 2), which no guest has; link with \
         -static"
    );
    let file = ElfFile { segments: Vec::new(), ..ElfFile::program() };
    assert!(message(&file, &RISCV32).starts_with("ELF has no segment to load (PT_LOAD)"));
}

/// A program whose second segment is changed.
fn with_segment(change: impl FnOnce(&mut ElfSegment)) -> ElfFile {
    let mut file = ElfFile::program();
    change(&mut file.segments[1]);
    file
}

#[test]
fn segments_must_lie_within_file_and_address_space() {
    assert_eq!(
        message(&with_segment(|segment| segment.memory_size = 3), &RISCV32),
        "segment 1 has 4 bytes in the file but only 3 in memory; the file is damaged, build it \
         again"
    );
    assert_eq!(
        message(&with_segment(|segment| segment.offset = Some(0x1000)), &RISCV32),
        "the file is cut off: the contents of segment 1 would take 4 bytes from offset 0x1000 on, but \
         the file has 132; copy or build it again"
    );
    assert_eq!(
        message(&with_segment(|segment| segment.address = 0xffff_fff0), &RISCV32),
        "segment 1 of 32 bytes at 0xfffffff0 reaches beyond the last 32-bit address; correct the \
         addresses in the linker script"
    );
    let highest = with_segment(|segment| segment.address = 0xffff_ffe0);
    assert!(read(&highest).is_ok(), "the last byte of the address space is a byte");
}

#[test]
fn segments_must_not_overlap_in_memory_nor_share_bytes_of_the_file() {
    assert_eq!(
        message(&with_segment(|segment| segment.address = 0x1_000b), &RISCV32),
        "segments 0 and 1 both want the byte at 0x1000b; correct the addresses in the linker script"
    );
    let touching = with_segment(|segment| segment.address = 0x1_000c);
    assert!(read(&touching).is_ok());

    // Many headers that each claim the whole file would need its square in memory.
    let mut file = ElfFile::program();
    for number in 0..50 {
        let mut segment = ElfSegment::load(0x10_0000 + number * 0x1000, b"", 0x1000);
        (segment.offset, segment.file_size) = (Some(0), Some(100));
        file.segments.push(segment);
    }
    assert!(message(&file, &RISCV32).starts_with("the segments have 5016 bytes in a file of 1732"));
}

#[test]
fn the_entry_is_in_a_segment() {
    let entry = 0x1_000c;
    assert_eq!(
        message(&ElfFile { entry, ..ElfFile::program() }, &RISCV32),
        "the entry address 0x1000c is in no segment; give the linker an entry symbol that the \
         program defines"
    );
}

#[test]
fn a_huge_segment_of_zeros_takes_no_memory_to_read() {
    let mut file = ElfFile { class: 2, ..ElfFile::program() };
    file.segments[1].memory_size = 1 << 62;
    let image = read(&file).expect("the sizes are consistent");
    assert_eq!(image.segments[1].size, 1 << 62);
    assert_eq!(image.segments[1].bytes.len(), 4);
}

#[test]
fn bad_header_fields_are_named() {
    let file = ElfFile { class: 7, ..ElfFile::program() };
    assert_eq!(
        message(&file, &RISCV32),
        "the class at offset 0x4 is 7, expected 1 or 2; the file is damaged, build it again"
    );
    let file = ElfFile { header_size: Some(31), ..ElfFile::program() };
    assert_eq!(
        message(&file, &RISCV32),
        "the size of a program header at offset 0x2a is 31, expected 32; the file is damaged, \
         build it again"
    );
}

#[test]
fn what_does_not_begin_like_elf_is_raw() {
    let raw = |bytes, format| read_image(bytes, format, &RISCV32);
    let image = raw(b"\x01\x02", ImageFormat::Auto).expect("raw is always right");
    assert_eq!((image.segments[0].address, image.segments[0].size, image.entry), (0, 2, None));
    let image = raw(b"\x7fELF", ImageFormat::Raw { address: 0x80 }).expect("raw is always right");
    assert_eq!(image.segments[0].address, 0x80);
    assert_eq!(raw(b"", ImageFormat::Raw { address: 0 }), Err(ImageError::Empty));
    assert_eq!(raw(b"\x01\x02", ImageFormat::Elf), Err(ImageError::NotElf));
    let address = u64::MAX;
    assert!(raw(b"\x01", ImageFormat::Raw { address }).is_ok());
    let too_high = raw(b"\x01\x02", ImageFormat::Raw { address });
    assert_eq!(too_high, Err(ImageError::RawTooHigh { address, size: 2 }));
}
