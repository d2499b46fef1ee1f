//! Programs in Intel HEX and S-records: images written and read back, and files that are wrong.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};
use sim_runtime::image::{
    Expected, Image, ImageError, ImageFormat, Load, Placement, RecordFormat, line_of_address, place_image,
    read_image, recognise_format,
};

use crate::fake::FakeMachine;
use crate::record_file::RecordFile;

const HEX: ImageFormat = ImageFormat::Records(RecordFormat::IntelHex);
const SREC: ImageFormat = ImageFormat::Records(RecordFormat::SRecord);

fn read(text: &str) -> Result<Image, ImageError> {
    read_image(text.as_bytes(), ImageFormat::Auto, &Expected::default())
}

fn message(text: &str) -> String {
    read(text).expect_err("the file is wrong").to_string()
}

fn file() -> RecordFile {
    RecordFile::default()
}

/// Byte by byte, as memory would hold it.
fn memory_of(image: &Image) -> BTreeMap<u64, u8> {
    let mut memory = BTreeMap::new();
    for segment in &image.segments {
        assert_eq!(segment.size, segment.bytes.len() as u64);
        for (address, byte) in (segment.address..).zip(&segment.bytes) {
            assert_eq!(memory.insert(address, *byte), None, "{address:#x} is there twice");
        }
    }
    memory
}

// What the formats' own documents show.

#[test]
fn published_examples_are_read() {
    // Intel's specification of the checksum, with the record that ends every file.
    let image = read(":10010000214601360121470136007EFE09D2190140\n:00000001FF\n").expect("it is right");
    assert_eq!((image.segments[0].address, image.segments[0].size, image.entry), (0x100, 16, None));
    assert_eq!(image.segments[0].bytes[..4], [0x21, 0x46, 0x01, 0x36]);

    // The S-record manual page of Unix.
    let image = read(
        "S00600004844521B\n\
         S1130000285F245F2212226A000424290008237C2A\n\
         S11300100002000800082629001853812341001813\n\
         S113002041E900084E42234300182342000824A952\n\
         S107003000144ED492\n\
         S9030000FC\n",
    )
    .expect("it is right");
    assert_eq!((image.segments.len(), image.segments[0].size, image.entry), (1, 0x34, Some(0)));
    assert_eq!(image.segments[0].bytes[..4], [0x28, 0x5f, 0x24, 0x5f]);
}

// Round trips.

/// Random data at random 32-bit addresses, cut into records in any order.
#[derive(Debug, Clone)]
struct Program {
    memory: BTreeMap<u64, u8>,
    /// Address and data of each record.
    pieces: Vec<(u32, Vec<u8>)>,
    start: Option<u32>,
}

fn programs() -> impl Strategy<Value = Program> {
    let address = prop::sample::select(vec![0_u32, 0xfff0, 0x1_0000, 0x7f_fff8, 0xffff_ff00, 0x1234_5678]);
    let blocks = btree_map(address, vec(any::<u8>(), 1..200), 1..4);
    (blocks, 1_usize..=250, any::<u64>(), any::<Option<prop::sample::Index>>()).prop_map(
        |(blocks, size, seed, start)| {
            let mut memory = BTreeMap::new();
            let mut pieces = Vec::new();
            for (address, bytes) in &blocks {
                for (offset, byte) in (0_u64..).zip(bytes) {
                    memory.entry(u64::from(*address) + offset).or_insert(*byte);
                }
            }
            let mut left = memory.iter().peekable();
            while let Some((&first, &byte)) = left.next() {
                let mut data = vec![byte];
                while data.len() < size
                    // No record crosses 64 KiB, so that every base can carry it.
                    && let Some((_, byte)) = left.next_if(|(next, _)| {
                        **next == first + data.len() as u64 && **next % 0x1_0000 != 0
                    })
                {
                    data.push(*byte);
                }
                pieces.push((u32::try_from(first).expect("32 bits"), data));
            }
            // A shuffle that the seed repeats.
            pieces
                .sort_by_key(|(address, _)| (u64::from(*address) ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let addresses: Vec<u64> = memory.keys().copied().collect();
            let start = start.map(|index| u32::try_from(*index.get(&addresses)).expect("32 bits"));
            Program { memory, pieces, start }
        },
    )
}

impl Program {
    fn intel_hex(&self) -> String {
        let mut out = file().line("; a program");
        let mut base = 0;
        for (address, data) in &self.pieces {
            let [high, low] = [(address >> 16) as u16, *address as u16];
            if high != base {
                // Where 20 bits suffice, one of the two kinds of base in turn.
                out = match high < 0x10 && data.len() % 2 == 0 {
                    true => out.hex(2, 0, &(high << 12).to_be_bytes()),
                    false => out.hex(4, 0, &high.to_be_bytes()),
                };
                base = high;
            }
            out = out.hex(0, low, data);
        }
        if let Some(start) = self.start {
            out = match start < 0x10_0000 && start % 2 == 0 {
                true => out.hex(3, 0, &(((start >> 4) & 0xf000) << 16 | start & 0xffff).to_be_bytes()),
                false => out.hex(5, 0, &start.to_be_bytes()),
            };
        }
        out.hex(1, 0, &[]).text()
    }

    fn s_records(&self) -> String {
        let mut out = file().s(0, 0, b"HDR");
        for (address, data) in &self.pieces {
            let kind = match address {
                0..=0xfeff => 1,
                0..=0xff_feff => 2,
                _ => 3,
            };
            out = out.s(kind, *address, data);
        }
        let count = u32::try_from(self.pieces.len()).expect("few");
        out = out.s(5 + (count % 2) as u8, count, &[]);
        out.s(7, self.start.unwrap_or(0), &[]).text()
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(program in programs()) {
        let start = program.start.map(u64::from);
        let zero = (start.is_none() && program.memory.contains_key(&0)).then_some(0);
        for (text, format, entry) in
            [(program.intel_hex(), HEX, start), (program.s_records(), SREC, start.or(zero))]
        {
            prop_assert_eq!(recognise_format(text.as_bytes()), Some(format));
            let image = read(&text).map_err(|error| error.to_string()).expect("it is right");
            prop_assert_eq!(memory_of(&image), program.memory.clone());
            prop_assert_eq!(image.entry, entry);
            let lower = text.to_lowercase().replace("s0", "S0").replace('\n', " \r\n\n");
            if format == HEX {
                prop_assert_eq!(memory_of(&read(&lower).expect("case and line ends mean nothing")), program.memory.clone());
            }
            // Contiguous bytes are one segment.
            for pair in image.segments.windows(2) {
                prop_assert!(pair[0].last() + 1 < pair[1].address);
            }
        }
    }

    #[test]
    fn every_beginning_of_a_file_is_refused_or_the_same(program in programs()) {
        for (text, format) in [(program.intel_hex(), HEX), (program.s_records(), SREC)] {
            let whole = read(&text).expect("it is right");
            for length in 1..text.len() {
                if let Ok(image) = read_image(&text.as_bytes()[..length], format, &Expected::default()) {
                    prop_assert_eq!(length, text.len() - 1, "all but the last line's end is needed");
                    prop_assert_eq!(&image.segments, &whole.segments);
                }
            }
        }
    }

    /// A changed digit changes a checksum: nothing but the file as it was is taken.
    #[test]
    fn a_changed_digit_is_noticed(program in programs(), place: prop::sample::Index, digit in 0_u8..16) {
        for text in [program.intel_hex(), program.s_records()] {
            let digits: Vec<usize> =
                (0..text.len()).filter(|at| text.as_bytes()[*at].is_ascii_hexdigit()).collect();
            let at = *place.get(&digits);
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let is_comment = text[line..].starts_with(';');
            // The type of an S-record is not covered by its checksum.
            let is_type = text[line..].starts_with('S') && at == line + 1;
            let mut changed = text.clone().into_bytes();
            changed[at] = b"0123456789ABCDEF"[usize::from(digit)];
            if !is_comment && !is_type && changed != text.as_bytes() {
                let format = recognise_format(text.as_bytes()).expect("it is known");
                let error = read_image(&changed, format, &Expected::default());
                prop_assert!(matches!(error, Err(ImageError::Record { .. })), "{:?}", error);
            }
        }
    }

    #[test]
    fn noise_never_panics(noise in vec(any::<u8>(), 0..300), mark in 0_usize..4) {
        for format in [HEX, SREC, ImageFormat::Auto] {
            let _ = read_image(&noise, format, &Expected::default());
            let mut begun = [":10", "S1", "; x\n:00", "S9"][mark].as_bytes().to_vec();
            begun.extend(&noise);
            if let Ok(image) = read_image(&begun, format, &Expected::default()) {
                let held: usize = image.segments.iter().map(|segment| segment.bytes.len()).sum();
                prop_assert!(held <= begun.len());
            }
        }
    }

    /// Noise of the formats' own characters, and right checksums, gets further into the reader.
    #[test]
    fn nonsense_of_records_never_panics(
        records in vec((0_u8..8, any::<u16>(), vec(any::<u8>(), 0..8)), 0..12),
        kinds in vec(prop::sample::select(vec![0_u8, 1, 2, 3, 5, 6, 7, 8, 9]), 12),
    ) {
        let mut hex = file();
        let mut s = file();
        for ((kind, address, data), s_kind) in records.iter().zip(kinds) {
            hex = hex.hex(*kind, *address, data);
            s = s.s(s_kind, u32::from(*address) << 12, data);
        }
        for (text, format) in [(hex.text(), HEX), (s.text(), SREC)] {
            if let Ok(image) = read_image(text.as_bytes(), format, &Expected::default()) {
                for (address, _) in memory_of(&image) {
                    prop_assert!(line_of_address(text.as_bytes(), format, address).is_some());
                }
            } else if text.is_empty() {
                prop_assert!(records.is_empty());
            }
        }
    }
}

// What is wrong, in full.

/// The file and what is said of it, one under the other.
fn refused(file: RecordFile) -> String {
    let text = file.text();
    format!("{text}=> {}\n", message(&text))
}

#[test]
fn wrong_intel_hex_is_refused_with_line_and_remedy() {
    let end = ":00000001FF";
    let lines = |lines: &[&str]| RecordFile { lines: lines.iter().map(|line| (*line).to_owned()).collect() };
    let data = |address| file().hex(0, address, b"data");
    let all = [
        lines(&[":0100000003FD", end]),
        lines(&[":02000000030", end]),
        lines(&[":0200000003FB", end]),
        lines(&[":010000000300FC", end]),
        lines(&[":010000000xFC", end]),
        lines(&["; comment", "", ":0100000003FC # set 3", "0100000103FB", end]),
        lines(&[":0100000003FC", "S9030000FC"]),
        lines(&[":0100000603F6", end]),
        lines(&[":020000040800F2", ":01000004FFFC", end]),
        lines(&[":0100000003FC"]),
        lines(&[":0100000003FC", end, ":0100010003FB"]),
        lines(&[end]),
        lines(&[&format!(":{}", "00".repeat(300)), end]),
        data(0x10).hex(0, 0x13, b"x").hex(1, 0, &[]),
        data(0xfffe).hex(2, 0, &[0x10, 0]).hex(0, 0xfffe, b"data").hex(1, 0, &[]),
        file().hex(4, 0, &[0xff, 0xff]).hex(0, 0xfffe, b"data").hex(1, 0, &[]),
        data(0).hex(5, 0, &[0, 0, 0, 0]).hex(3, 0, &[0, 0, 0, 1]).hex(1, 0, &[]),
        data(0).hex(5, 0, &[0, 0, 0, 4]).hex(1, 0, &[]),
    ];
    insta::assert_snapshot!("wrong_intel_hex", all.map(refused).join("\n"));
}

#[test]
fn wrong_s_records_are_refused_with_line_and_remedy() {
    let data = |address| file().s(1, address, b"data");
    let all = [
        data(0).s(9, 4, &[]),
        data(0).s(1, 2, b"y").s(9, 0, &[]),
        data(0),
        data(0).s(5, 2, &[]).s(9, 0, &[]),
        data(0).line("S4030000FC").s(9, 0, &[]),
        data(0).line("SA030000FC").s(9, 0, &[]),
        data(0).line("S10200FD").s(9, 0, &[]),
        data(0).s(9, 0, b"more"),
        data(0).line("S1").s(9, 0, &[]),
        data(0xfffe).s(9, 0, &[]),
        data(0).line("S9030000FB"),
        data(0).line("data"),
        file().s(9, 0, &[]),
    ];
    insta::assert_snapshot!("wrong_s_records", all.map(refused).join("\n"));
}

#[test]
fn a_start_of_zero_without_data_is_none() {
    let program = |text: RecordFile| read(&text.text()).expect("it is right").entry;
    assert_eq!(program(file().s(1, 0x100, b"data").s(9, 0, &[])), None);
    assert_eq!(program(file().s(1, 0, b"data").s(9, 0, &[])), Some(0));
    assert_eq!(program(file().s(2, 0x100, b"data").s(8, 0x102, &[])), Some(0x102));
    assert_eq!(program(file().hex(0, 0x100, b"data").hex(1, 0, &[])), None);
    assert_eq!(program(file().hex(0, 0x100, b"data").hex(1, 0x103, &[])), Some(0x103));
    assert_eq!(program(file().hex(0, 0x100, b"data").hex(5, 0, &[0; 4]).hex(1, 0, &[])), None);
}

#[test]
fn formats_are_known_by_their_first_record() {
    let format = |text: &[u8]| recognise_format(text);
    assert_eq!(format(b":10"), Some(HEX));
    assert_eq!(format(b"\xef\xbb\xbf  ; \xc3\xa9\r\n\r\n# more\n :0f"), Some(HEX));
    assert_eq!(format(b"S006"), Some(SREC));
    assert_eq!(format(b"\x7fELF"), Some(ImageFormat::Elf));
    for raw in
        [&b""[..], b":", b":x0", b"S1", b"Sx00", b"SA00", b"s006", b"# only", b"\xff;\n:10", b"; \xff\n:10"]
    {
        assert_eq!(format(raw), None, "{raw:?}");
    }
}

#[test]
fn pieces_are_divided_between_maps_where_loads_say_so() {
    let mut machine = FakeMachine {
        maps: vec![vec![(0, vec![0; 0x200])], vec![(0, vec![0; 0x100])]],
        ..FakeMachine::default()
    };
    let loads = [Load { low: 0x40, high: 0x4f, map: 1 }];
    let placement = Placement { default_map: 0, loads: &loads };
    let bytes: Vec<u8> = (0x38..0x58).collect();
    let image = read(&file().hex(0, 0x38, &bytes).hex(1, 0, &[]).text()).expect("it is right");
    place_image(&image, &mut machine, &placement).expect("all fits");
    assert_eq!(machine.bytes(0, 0x38, 8), bytes[..8]);
    assert_eq!(machine.bytes(0, 0x40, 16), [0; 16]);
    assert_eq!(machine.bytes(1, 0, 16), bytes[8..24]);
    assert_eq!(machine.bytes(0, 0x50, 8), bytes[24..]);
}

#[test]
fn a_byte_is_found_again_in_its_line() {
    let text = file().line("; first").hex(0, 0x20, b"ab").line("").hex(0, 0x22, b"cd").hex(1, 0, &[]).text();
    let line = |address| line_of_address(text.as_bytes(), HEX, address);
    assert_eq!(
        [line(0x20), line(0x21), line(0x22), line(0x23), line(0x24)],
        [Some(2), Some(2), Some(4), Some(4), None]
    );
    assert_eq!(line_of_address(b"raw", ImageFormat::Raw { address: 0 }, 0), None);
}
