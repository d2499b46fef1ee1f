//! From images to memory.

use sim_runtime::image::{
    Expected, Image, ImageFormat, Load, Placement, load_image, place_image, read_image,
};

use crate::elf_file::{ElfFile, ElfSegment};
use crate::fake::FakeMachine;

fn image_of(segments: Vec<ElfSegment>) -> Image {
    let entry = segments[0].address;
    let file = ElfFile { class: 2, segments, entry, ..ElfFile::program() };
    read_image(&file.bytes(), ImageFormat::Elf, &Expected::default()).expect("the file is right")
}

#[test]
fn a_segment_ends_in_zeros_over_whatever_was_there() {
    let mut machine = FakeMachine::with_memory(0x1_0000, 0x40);
    machine.put(0, 0x1_0000, &[0xaa; 0x40]);
    let image = image_of(vec![ElfSegment::load(0x1_0010, b"data", 8)]);
    load_image(&image, &mut machine, 0).expect("there is memory");
    assert_eq!(machine.bytes(0, 0x1_000f, 10), b"\xaadata\0\0\0\0\xaa");
}

#[test]
fn long_segments_are_written_whole() {
    let contents: Vec<u8> = (0..200_001_u32).map(|number| (number % 251) as u8).collect();
    let mut machine = FakeMachine::with_memory(0, 400_000);
    machine.put(0, 0, &[0xff; 400_000]);
    let image = image_of(vec![ElfSegment::load(1, &contents, 350_000)]);
    load_image(&image, &mut machine, 0).expect("there is memory");
    assert_eq!(machine.bytes(0, 1, contents.len()), contents);
    assert!(machine.bytes(0, 200_002, 149_999).iter().all(|byte| *byte == 0));
    assert_eq!(machine.bytes(0, 350_001, 1), [0xff]);
}

#[test]
fn a_segment_outside_the_memory_is_told_with_its_addresses() {
    let fault = |address, contents: &[u8], size| {
        let mut machine = FakeMachine::with_memory(0x1_0000, 0x1000);
        let image = image_of(vec![ElfSegment::load(address, contents, size)]);
        load_image(&image, &mut machine, 0).expect_err("it does not fit").to_string()
    };
    let remedy = "link the program to where memory is or give the model a RANGE there";
    assert_eq!(
        fault(0x2_0000, b"data", 4),
        format!(
            "the segment 0x20000 to 0x20003 does not fit into the model's memory: no memory is at \
             0x20000; {remedy}"
        )
    );
    assert_eq!(
        fault(0x1_0ffe, b"data", 4),
        format!(
            "the segment 0x10ffe to 0x11001 does not fit into the model's memory: no memory is at \
             0x11000; {remedy}"
        )
    );
    assert_eq!(
        fault(0x1_0000, b"data", 1 << 62),
        format!(
            "the segment 0x10000 to 0x400000000000ffff does not fit into the model's memory: \
             no memory is at 0x11000 (there for zeros); {remedy}"
        )
    );
}

#[test]
fn a_hole_inside_a_segment_is_found() {
    let mut machine = FakeMachine {
        maps: vec![vec![(0, vec![0; 0x100]), (0x200, vec![0; 0x100])]],
        ..FakeMachine::default()
    };
    let image = image_of(vec![ElfSegment::load(0x80, b"data", 0x200)]);
    let error = load_image(&image, &mut machine, 0).expect_err("there is a hole");
    assert!(error.to_string().contains("no memory is at 0x100 (there for zeros)"), "{error}");
}

#[test]
fn loads_send_addresses_to_other_maps_from_byte_0_on() {
    let mut machine = FakeMachine {
        maps: vec![vec![(0, vec![0; 0x100])], vec![(0, vec![0; 0x100])]],
        ..FakeMachine::default()
    };
    let loads = [Load { low: 0x80_0000, high: 0x80_00ff, map: 1 }];
    let placement = Placement { default_map: 0, loads: &loads };
    let image = image_of(vec![ElfSegment::load(0x10, b"code", 4), ElfSegment::load(0x80_0060, b"data", 4)]);
    place_image(&image, &mut machine, &placement).expect("both fit");
    assert_eq!(machine.bytes(0, 0x10, 4), b"code");
    assert_eq!(machine.bytes(1, 0x60, 4), b"data");
    assert_eq!(placement.locate(0x80_0010), (1, 0x10));

    let image = image_of(vec![ElfSegment::load(0x80_00fe, b"data", 4)]);
    let error = place_image(&image, &mut machine, &placement).expect_err("it is divided");
    assert_eq!(
        error.to_string(),
        "the segment 0x8000fe to 0x800101 lies partly in the LOAD 0x800000 to 0x8000ff; link each \
         of its parts into a segment of its own"
    );
}

/// The file's own headers, then these bytes, as one segment whose last four lie at 0x10000.
fn with_headers(behind: &[u8]) -> Image {
    let headers = 64 + 56;
    let size = headers + behind.len() as u64;
    let segment = ElfSegment { offset: Some(0), file_size: Some(size), ..ElfSegment::load(0, behind, size) };
    image_of(vec![ElfSegment { address: 0x1_0004 - size, ..segment }])
}

#[test]
fn headers_of_the_file_need_no_memory() {
    let image = with_headers(b"\0\0\0\0\0\0\0\0code");
    let mut machine = FakeMachine::with_memory(0x1_0000, 0x10);
    load_image(&image, &mut machine, 0).expect("nothing of the program lies outside");
    assert_eq!(machine.bytes(0, 0x1_0000, 5), b"code\0");

    let mut larger = FakeMachine::with_memory(0xff00, 0x200);
    load_image(&image, &mut larger, 0).expect("there is memory");
    assert_eq!(larger.bytes(0, 0x1_0000 - 128, 4), b"\x7fELF");
}

#[test]
fn what_stands_behind_headers_needs_memory() {
    let image = with_headers(b"\0\0\0\0data\0\0\0\0code");
    let mut machine = FakeMachine::with_memory(0x1_0000, 0x10);
    let error = load_image(&image, &mut machine, 0).expect_err("`data` lies outside");
    assert!(error.to_string().contains("no memory is at 0xff7c"), "{error}");
}
