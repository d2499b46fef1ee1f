//! Functions by the names that they have in their sources.

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
