//! Functions by the names that they have in their sources.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use sim_profile::CodeCells;
use sim_profile::program::{ImageFile, Program};

use super::bench::{Bench, FLAGS, RV32IM, has, run};

#[test]
fn names_of_other_languages_are_those_of_their_sources() {
    if !has(&["riscv64-unknown-elf-g++"]) {
        return;
    }
    let bench = Bench::of("shapes", "cpp");
    bench.command(
        "riscv64-unknown-elf-g++",
        &format!(
            "{FLAGS} {} -O2 -fno-exceptions -fno-rtti start.S shapes.cpp -lgcc -o guest.elf",
            RV32IM.flags
        ),
    );
    bench.run_guest(RV32IM);
    let report = bench.report("gprof");
    for name in ["shapes::both(int, int)", "int shapes::doubled<shapes::Square>(shapes::Square const&)"] {
        assert!(report.contains(name), "{name}: {report}");
    }
    let bytes = fs::read(bench.folder.path().join("guest.elf")).expect("the guest");
    let file = ImageFile { name: "guest.elf", bytes: &bytes, base: None };
    let program = Program::read(&[file], CodeCells::default());
    let inlined = |names: [&str; 2]| {
        program.rows().iter().any(|row| {
            let frames = program.frames(row.start);
            frames.len() == 2 && frames.iter().zip(names).all(|(frame, name)| frame.function.contains(name))
        })
    };
    assert!(inlined(["shapes::Square::area() const", "shapes::doubled<shapes::Square>"]));
    assert!(inlined(["shapes::halved(int)", "shapes::both(int, int)"]));
}

#[test]
fn names_of_rust_are_those_of_its_source() {
    if !has(&["rustc"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let source = "mod shapes { #[inline(always)] pub fn area(side: u32) -> u32 { side.wrapping_mul(side) }\n\
                  #[inline(never)] pub fn doubled(side: u32) -> u32 { area(side).rotate_left(1) } }\n\
                  fn main() { std::process::exit(shapes::doubled(std::env::args().count() as u32) as i32) }\n";
    fs::write(folder.path().join("shapes.rs"), source).expect("written");
    let mut command = Command::new("rustc");
    run(command.args(["-g", "-Copt-level=2", "shapes.rs", "-o", "image.elf"]).current_dir(folder.path()));
    let bytes = fs::read(folder.path().join("image.elf")).expect("the image");
    let program =
        Program::read(&[ImageFile { name: "image.elf", bytes: &bytes, base: None }], CodeCells::default());
    let function = program.functions().iter().find(|function| function.name == "shapes::shapes::doubled");
    let start = function.expect("a function by its name in the source").start;
    let rows = program.rows().iter().filter(|row| (start..start + 16).contains(&row.start));
    let deepest = rows.map(|row| program.frames(row.start)).max_by_key(Vec::len).expect("lines");
    assert!(deepest.len() >= 2, "{deepest:?}");
    assert_eq!(deepest.last().map(|frame| frame.function.as_str()), Some("shapes::shapes::doubled"));
}

/// The lines of functions that a linker drops are left in the file, where the code at 0 is.
#[test]
fn lines_of_dropped_functions_are_not_those_of_the_code_at_0() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("tree");
    let unused = "volatile int seen;\nint unused(int n) {\n seen = n;\n seen = n + 1;\n seen = n + 2;\n return seen; }\n\
                  void short_one(void) { }\n";
    fs::write(bench.folder.path().join("unused.c"), unused).expect("written");
    let flags = RV32IM.flags.replace("0x11000", "0");
    bench.command(
        "riscv64-unknown-elf-gcc",
        &format!(
            "{FLAGS} {flags} -ffunction-sections -Wl,--gc-sections start.S unused.c tree.c -lgcc -o guest.elf"
        ),
    );
    let bytes = fs::read(bench.folder.path().join("guest.elf")).expect("the guest");
    let file = ImageFile { name: "guest.elf", bytes: &bytes, base: None };
    let program = Program::read(&[file], CodeCells::default());
    assert!(program.functions().iter().all(|function| function.name != "unused"), "it was dropped");
    let sources = program.rows().iter().map(|row| program.source(row.source));
    let sources: BTreeSet<&str> = sources.filter_map(|source| source.rsplit('/').next()).collect();
    assert_eq!(Vec::from_iter(sources), ["start.S", "tree.c"]);
    for address in (0..0x40).step_by(2) {
        let frames = program.frames(address);
        assert!(
            frames.iter().all(|frame| !["unused", "short_one"].contains(&&*frame.function)),
            "{frames:?}"
        );
        let sources = frames.iter().filter_map(|frame| frame.source.as_deref());
        assert!(sources.clone().all(|source| !source.ends_with("unused.c")), "{frames:?}");
    }
    let start = program.row_at(0).map(|row| program.source(row.source));
    assert!(start.is_some_and(|source| source.ends_with("start.S")), "{start:?}");
}
