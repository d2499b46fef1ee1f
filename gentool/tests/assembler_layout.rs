//! Where instructions and data of assembled programs lie: instructions of two lengths, PSEUDOs,
//! programs and data in maps of their own, and the byte order of files.

mod program_text;

use std::path::PathBuf;

use gentool::assembler::output::{write_elf, write_intel_hex, write_listing};
use gentool::assembler::{Assembler, Bases};
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};
use program_text::{assemble, model_of, symbol, try_to_assemble};

/// The one error that a text has.
fn refused(model: &Model, text: &str) -> String {
    let (program, findings, sources) = try_to_assemble(model, text);
    let said = findings.render(&sources, Style::Plain);
    assert!(program.is_none() && findings.error_count() == 1, "{said}");
    said
}

/// Jumps of two and of four bytes, `put` of a number, and nothing.
fn two_lengths(endian: &str) -> Model {
    model_of(
        &format!(
            "TARGET {{ ENDIAN ({endian}); ELF_CLASS (32); HOST (defaultmap); }};
        RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[16] a; RAM bit[8] ram {{ SIZE (0x10000); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 0xffff) -> ram; }}; }};
        OPERATION main {{ INSTANCE instr ALIAS {{ instr }}; CODINGROOT {{ instr (defaultmap[pc]); }}; }};
        GROUP instr = near, far, put, nop;
        {}
        OPERATION put {{ ASSEMBLER {{ \"put\" n=#U }}; CODING {{ {} }}; BEHAVIOR {{ a = n; }}; }};
        OPERATION nop {{ ASSEMBLER {{ \"nop\" }}; CODING {{ 0x0000 }}; BEHAVIOR {{ a = a; }}; }};
        PSEUDO {{ \"twice\" v:#U }} WHEN (v < 0x80) -> {{ \"put\" v; \"put\" (v * 2) }};
        PSEUDO {{ \"twice\" v:#U }} -> {{ \"nop\"; \"thrice\" (v & 0xf) }};
        PSEUDO {{ \"thrice\" v:#U }} -> {{ \"put\" (v * 3) }};
        PSEUDO {{ \"since\" v:#U }} -> {{ \"nop\"; \"put . -\" v }};
        PSEUDO {{ \"four\" v:#U }} WHEN (v == 4) -> {{ \"put\" v }};",
            // The part that tells the two apart is fetched first.
            match endian {
                "LITTLE" =>
                    "OPERATION near { ASSEMBLER { \"jump\" to=#REL }; CODING { to=0bx[8] 0b00000001 };
                    BEHAVIOR { pc = instruction_address + to; }; };
                OPERATION far { ASSEMBLER { \"jump\" to=#REL }; CODING { to=0bx[16] 0b00000000 0b00000010 };
                    BEHAVIOR { pc = instruction_address + to; }; };",
                _ =>
                    "OPERATION near { ASSEMBLER { \"jump\" to=#REL }; CODING { 0b00000001 to=0bx[8] };
                    BEHAVIOR { pc = instruction_address + to; }; };
                OPERATION far { ASSEMBLER { \"jump\" to=#REL }; CODING { 0b00000010 0b00000000 to=0bx[16] };
                    BEHAVIOR { pc = instruction_address + to; }; };",
            },
            if endian == "LITTLE" { "n=0bx[8] 0b00000011" } else { "0b00000011 n=0bx[8]" },
        )
        .replace("0x0000 }", "0b0000000000000000 }"),
    )
}

#[test]
fn what_has_no_place_of_its_own_goes_behind_what_has_one() {
    let model = two_lengths("LITTLE");
    let text =
        " .org 0\nstart: nop\n nop\n .section .text.more\nmore: nop\n .section .text.late\n .org 6\n nop\n";
    let text = format!("{text} .data\ndata: .half 1\n .align 8\nlast: .half 2\n");
    let (program, _) = assemble(&model, &text);
    let places = ["start", "more", "data", "last"].map(|name| symbol(&program, name));
    assert_eq!(places, [0, 4, 8, 16]);
    // An address that the command line gives is taken as it is.
    let path = PathBuf::from("program.s");
    let loader = InMemory::new([(path.as_path(), " .org 4\n nop\n .data\n .half 1\n")]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let bases = Bases { code: None, data: Some(4) };
    let assembler = Assembler::new(&model).expect("it has texts");
    let program =
        assembler.assemble(&[path], bases, &loader, &mut sources, &mut findings).expect("it is read");
    let said = findings.render(&sources, Style::Plain);
    assert!(program.is_none() && said.contains("error[A0501]: .data at 0x4 lies on .text"), "{said}");
}

#[test]
fn an_instruction_is_as_short_as_its_label_lets_it() {
    let model = two_lengths("LITTLE");
    // 127 bytes are as far as the short one reaches.
    for (space, size) in [(124, 2), (125, 2), (126, 4), (300, 4)] {
        let (program, _) = assemble(&model, &format!("jump there\n.space {space}\nthere: nop\n"));
        assert_eq!(symbol(&program, "there"), size + space, "{space}");
        let bytes = &program.pieces[0].bytes;
        let expected: &[u8] = match size {
            2 => &[1, (2 + space) as u8],
            _ => &[2, 0, (4 + space) as u8, ((4 + space) >> 8) as u8],
        };
        assert_eq!(&bytes[..size as usize], expected, "{space}");
    }
    // Backwards it reaches a byte further.
    for (space, size) in [(128, 2), (129, 4)] {
        let (program, _) = assemble(&model, &format!("there: .space {space}\njump there\nbehind: nop\n"));
        assert_eq!(symbol(&program, "behind") - space, size, "{space}");
    }
}

#[test]
fn what_grows_pushes_others_until_all_fit() {
    let model = two_lengths("LITTLE");
    // The jumps to what lies behind l15 do not reach it; that they grow pushes all other labels out of
    // reach. The jump at the end still reaches back.
    let jumps: i128 = 30;
    let mut text = String::new();
    for jump in 0..jumps {
        text += &format!("jump l{jump}\n.space 2\n");
    }
    for jump in 0..jumps {
        text += &format!("l{jump}: .space {}\n", if jump == 15 { 12 } else { 4 });
    }
    let (program, _) = assemble(&model, &(text + "jump l0\nend: nop\n"));
    // All that is far has grown, and nothing else: the sizes are worked out here once more.
    let mut sizes = vec![2i128; jumps as usize + 1];
    loop {
        let mut at = Vec::new();
        let mut address = 0;
        for size in &sizes[..jumps as usize] {
            at.push(address);
            address += size + 2;
        }
        let label = |jump: i128| address + 4 * jump + if jump > 15 { 8 } else { 0 };
        let last = label(jumps);
        let distance = |jump: usize| match jump as i128 {
            jump if jump == jumps => label(0) - last,
            jump => label(jump) - at[jump as usize],
        };
        let next: Vec<i128> = (0..sizes.len())
            .map(|jump| if (-128..128).contains(&distance(jump)) { sizes[jump] } else { 4 })
            .collect();
        if next == sizes {
            assert_eq!(symbol(&program, "l0"), address);
            assert_eq!(symbol(&program, "end"), last + sizes[jumps as usize]);
            break;
        }
        sizes = next;
    }
    assert!(sizes.contains(&2) && sizes.contains(&4), "{sizes:?}");
}

#[test]
fn pseudos_become_what_they_say_and_keep_their_line() {
    let model = two_lengths("LITTLE");
    let (program, sources) =
        assemble(&model, ".equ SMALL, 5\ntwice SMALL + 1\ntwice 0x95\n twice late\n.equ late, 1\n");
    assert_eq!(
        program.pieces[0].bytes,
        // The last one stands before its number is known, so that WHEN is false.
        [3, 6, 3, 12, 0, 0, 3, 15, 0, 0, 3, 3]
    );
    let listing = write_listing(&model, &program, &sources);
    assert!(
        listing.contains("0000: 03 06                     twice SMALL + 1\n        0002: 03 0c\n"),
        "{listing}"
    );
}

#[test]
fn the_place_of_a_line_is_one_in_all_that_pseudos_make_of_it() {
    let model = two_lengths("LITTLE");
    let bytes = |text: &str| assemble(&model, text).0.pieces[0].bytes.clone();
    // `thrice` is a PSEUDO of a PSEUDO's result, two cells behind the line.
    assert_eq!(bytes("nop\ntwice .\n"), [0, 0, 0, 0, 3, 6]);
    assert_eq!(bytes(".L: nop\ntwice (.-.L)+'.'-'.'\n"), [0, 0, 0, 0, 3, 6]);
    // That of the result is its own.
    assert_eq!(bytes("nop\nsince .\nsince 3\n"), [0, 0, 0, 0, 3, 2, 0, 0, 3, 5]);
    // Nobody else can write what stands for it.
    assert!(refused(&model, "nop\nput .\u{1}0\u{1}\n").contains("error[A0302]"));
}

#[test]
fn a_pseudo_without_a_condition_that_holds_is_told_as_such() {
    let model = two_lengths("LITTLE");
    assert_eq!(assemble(&model, "four 2 + 2\n").0.pieces[0].bytes, [3, 4]);
    let said = refused(&model, "four 5\n");
    assert!(said.contains("this is written like a PSEUDO whose WHEN does not hold"), "{said}");
}

#[test]
fn numbers_count_by_their_value_and_wrap_in_expressions() {
    let model = two_lengths("LITTLE");
    let quads = |text: &str| {
        let bytes = assemble(&model, &format!(" .quad {text}\n")).0.pieces[0].bytes.clone();
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    };
    assert_eq!(quads("0x000000000000000000000000000000000000000005"), 5);
    assert_eq!(quads("-0xffffffffffffffff + 0"), 1);
    assert_eq!(quads("-(0xfffffffffffffffe) * 1"), 2);
    assert_eq!(quads("- -0xffffffffffffffff"), u64::MAX);
}

#[test]
fn files_of_a_big_endian_target_are_big_endian() {
    let model = two_lengths("BIG");
    let text = "_start: jump behind\n.half 0x1234\nbehind: put 7\n.data\nword: .word 0x12345678, behind\n";
    let (program, sources) = assemble(&model, text);
    let bytes = write_elf(&model, &program, &sources).expect("ELF holds it");
    let elf = object::File::parse(&*bytes).expect("ELF");
    assert_eq!(elf.endianness(), Endianness::Big);
    let section = |name: &str| elf.section_by_name(name).expect(name).data().expect("data").to_vec();
    assert_eq!(section(".text"), [1, 4, 0x12, 0x34, 3, 7]);
    assert_eq!(section(".data"), [0x12, 0x34, 0x56, 0x78, 0, 0, 0, 4]);
    let behind = elf.symbols().find(|symbol| symbol.name() == Ok("behind")).expect("the symbol");
    assert_eq!((behind.address(), elf.entry()), (4, 0));
}

#[test]
fn programs_in_cells_of_two_bytes_and_data_in_a_map_of_their_own() {
    let model = model_of(
        "TARGET { ENDIAN (LITTLE); HOST (program); LOAD (0x8000, 0x80ff) -> memory; };
        RESOURCE { PC REGISTER bit[12] pc; REGISTER bit[8] a; RAM bit[16] rom { SIZE (0x1000); FLAGS (R, X); };
            RAM bit[8] ram { SIZE (0x100); };
            MEMORY_MAP program { RANGE (0, 0xfff) -> rom; };
            MEMORY_MAP memory { ADDRESS (16); RANGE (0, 0xff) -> ram; }; };
        OPERATION main { INSTANCE instr ALIAS { instr }; CODINGROOT { instr (program[pc]); }; };
        GROUP instr = jump, load;
        OPERATION jump { ASSEMBLER { \"jump\" to=#ABS }; CODING { 0b0001 to=0bx[12] }; BEHAVIOR { pc = to; }; };
        OPERATION load { ASSEMBLER { \"load\" n=#X }; CODING { 0b0010 n=0bx[12] }; BEHAVIOR { a = memory[n[7..0]]; }; };",
    );
    let text = "jump over\n.cell 0xbeef\nover: load 2 * (value - 0x4000)\njump over\n.data\n.half 1\nvalue: .half 0x2211\n";
    let (program, sources) = assemble(&model, text);
    // Addresses count cells: `over` is the third one.
    assert_eq!(symbol(&program, "over"), 2);
    let code = &program.pieces[0];
    assert_eq!((code.address, code.size_cells), (0, 4));
    assert_eq!(code.bytes[..6], [2, 0x10, 0xef, 0xbe, 2, 0x20]);
    assert_eq!(code.bytes[6..], [2, 0x10]);
    // Files count bytes.
    let bytes = write_elf(&model, &program, &sources).expect("ELF holds it");
    let elf = object::File::parse(&*bytes).expect("ELF");
    let over = elf.symbols().find(|symbol| symbol.name() == Ok("over")).expect("the symbol");
    assert_eq!(over.address(), 4);
    let data = elf.section_by_name(".data").expect("data");
    assert_eq!(data.address(), 0x8000, "data begin where LOAD puts bytes into the other map");
    let records = String::from_utf8(write_intel_hex(&program).expect("records")).expect("text");
    assert!(records.starts_with(":08000000021"), "{records}");
    // A cell of the other map is no cell of this one.
    let said = refused(&model, "jump 0\n.data\n.cell 1\n");
    let message =
        "error[A0404]: `.cell` fills cells of 16 bits; LOAD takes .data to `memory`, whose cells have 8";
    assert!(said.contains(message) && said.contains("write its bytes by `.half`, 16 bits of them"), "{said}");
    let said = refused(&model, "jump 0\n.data\n.ascii \"ab\"\n");
    assert!(said.contains("error[A0404]: a text fills cells of 16 bits"), "{said}");
}

/// An `.org` may wait for what another says, many times, and sizes for a symbol that comes later.
#[test]
fn addresses_and_sizes_wait_for_what_they_name() {
    let model = two_lengths("LITTLE");
    let text: String = (1..300).rev().map(|n| format!(".org a{} + 16\na{n}: .byte 1\n", n - 1)).collect();
    let (program, _) = assemble(&model, &format!("{text}.org 0x10\na0: .byte 1\n"));
    assert_eq!(symbol(&program, "a299"), 0x10 + 299 * 16);
    let (program, _) = assemble(&model, ".space n\nbehind: .byte 1\n.equ n, 3\n");
    assert_eq!(symbol(&program, "behind"), 3);
}

#[test]
fn an_address_that_depends_on_itself_is_told_once() {
    let model = two_lengths("LITTLE");
    // What goes on, what finds an address that happens to fit, and two that wait for each other.
    for (line, text) in [
        (1, ".org x\n.byte 1\nx: .byte 2\n"),
        (1, ".org x - 1\n.byte 1\nx: .byte 2\n"),
        (2, "before: .byte 1\n.org . + 4\n.byte 1\n"),
        (1, ".org y\nx: .byte 1\n.data\n.org x + 16\ny: .byte 2\n.section .more\n.org y + 1\n.byte 1\n"),
    ] {
        let said = refused(&model, text);
        assert_eq!(said.matches("error[").count(), 1, "{said}");
        let place =
            format!("error[A0503]: the address of this `.org` depends on itself\n --> program.s:{line}:1\n");
        assert!(said.contains(&place), "{said}");
    }
    let (program, _) = assemble(&model, ".org 16 + (end - begin)\nbegin: .byte 1\nend: .byte 2\n");
    assert_eq!(symbol(&program, "begin"), 17);
}

/// Registers r8 to r15 have a short form; the operand of a PSEUDO is one of them or it is not meant.
fn short_and_long_registers(pseudos: &str) -> Model {
    model_of(&format!(
        "RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[16] r[16]; RAM bit[8] ram {{ SIZE (0x100); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 0xff) -> ram; }}; }};
        OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; }};
        GROUP instr = clear, set;
        OPERATION any {{ ASSEMBLER {{ n=#NAME(r) }}; CODING {{ n=0bx[4] }}; EXPRESSION {{ r[n] }}; }};
        OPERATION high {{ ASSEMBLER {{ n=#NAME(r, 8 + n) }}; CODING {{ n=0bx[3] }}; }};
        OPERATION clear {{ INSTANCE any ALIAS {{ d }}; ASSEMBLER {{ \"clear\" d }}; CODING {{ 0b0000 d }};
            BEHAVIOR {{ d = 0; }}; }};
        OPERATION set {{ INSTANCE any ALIAS {{ d }}; ASSEMBLER {{ \"set\" d }}; CODING {{ 0b0001 d }};
            BEHAVIOR {{ d = 1; }}; }};
        {pseudos}"
    ))
}

#[test]
fn a_pseudo_is_meant_only_where_its_operands_can_be_coded() {
    let model = short_and_long_registers(
        "PSEUDO { \"put\" d:high } -> { \"set\" d }; PSEUDO { \"put\" d:any } -> { \"clear\" d };",
    );
    let (program, _) = assemble(&model, "put r9\nput r7\nput r15\n");
    assert_eq!(program.pieces[0].bytes, [0x19, 0x07, 0x1f]);
}

#[test]
fn an_operand_that_no_pseudo_can_code_is_an_error_in_its_place() {
    let model = short_and_long_registers("PSEUDO { \"put\" d:high } -> { \"set\" d };");
    let said = refused(&model, "put r7\n");
    assert!(said.contains(" --> program.s:1:5\n"), "{said}");
}

#[test]
fn an_operand_that_is_missing_is_told_with_the_words_that_it_may_begin_with() {
    let model = model_of(
        "RESOURCE { PC REGISTER bit[16] pc; REGISTER bit[8] a; RAM bit[8] ram { SIZE (0x100); };
            MEMORY_MAP defaultmap { RANGE (0, 0xff) -> ram; }; };
        OPERATION main { CODINGROOT { load (defaultmap[pc]); }; };
        GROUP source = number, inside, absolute;
        OPERATION number { ASSEMBLER { \"#\" n=#U }; CODING { 0b00 n=0bx[5] }; EXPRESSION { n }; };
        OPERATION inside { ASSEMBLER { \"(\" n=#U \")\" }; CODING { 0b01 n=0bx[5] }; EXPRESSION { n }; };
        OPERATION absolute { ASSEMBLER { n=#U }; CODING { 0b1 n=0bx[6] }; EXPRESSION { n }; };
        OPERATION load { INSTANCE source ALIAS { s }; ASSEMBLER { \"load\" s }; CODING { 0b0 s };
            BEHAVIOR { a = s; }; };",
    );
    let said = refused(&model, "load\n");
    assert!(said.contains("expected `#`, `(` or a value, but the line ends"), "{said}");
}
