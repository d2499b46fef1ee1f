//! System calls by the numbers of other processors' Linux, with their flags and errors.

use std::fs;

use isac_ir::resource::Syscalls;
use sim_runtime::host::{Abi, LinuxResult, RootDirectory};

use crate::fake::{BIG32, Caller, LITTLE32, MEMORY};

/// What a convention calls the calls and flags of the test.
struct Names {
    abi: Abi,
    openat: u64,
    close: u64,
    read: u64,
    write: u64,
    exit_group: u64,
    /// O_CREAT | O_EXCL.
    create: u64,
    directory: u64,
    no_follow: u64,
    nosys: i64,
    name_too_long: i64,
    too_many_links: i64,
}

const O32: Names = Names {
    abi: Abi { syscalls: Syscalls::O32, ..BIG32 },
    openat: 4288,
    close: 4006,
    read: 4003,
    write: 4004,
    exit_group: 4246,
    create: 0x100 | 0x400,
    directory: 0x1_0000,
    no_follow: 0x2_0000,
    nosys: -89,
    name_too_long: -78,
    too_many_links: -90,
};

const EABI: Names = Names {
    abi: Abi { syscalls: Syscalls::Eabi, ..LITTLE32 },
    openat: 322,
    close: 6,
    read: 3,
    write: 4,
    exit_group: 248,
    create: 0o100 | 0o200,
    directory: 0x4000,
    no_follow: 0x8000,
    nosys: -38,
    name_too_long: -36,
    too_many_links: -40,
};

const HERE: u64 = (-100_i64).cast_unsigned();
const WRONLY: u64 = 1;
const PATH: u64 = MEMORY + 0x1000;

fn open(guest: &mut Caller, names: &Names, path: &str, flags: u64) -> i64 {
    guest.put(PATH, path.as_bytes());
    guest.put(PATH + path.len() as u64, &[0]);
    guest.call(names.openat, &[HERE, PATH, flags, 0o644])
}

#[test]
fn calls_have_the_numbers_flags_and_errors_of_their_convention() {
    for names in [O32, EABI] {
        let root = tempfile::tempdir().expect("a temporary folder");
        let mut guest = Caller::new(names.abi, b"input");
        let directory = RootDirectory::open(root.path()).expect("it is there");
        guest.host = std::mem::take(&mut guest.host).with_root(directory);

        assert_eq!(guest.call(names.read, &[0, MEMORY, 5]), 5);
        let made = open(&mut guest, &names, "made", WRONLY | names.create);
        assert_eq!(made, 3);
        assert_eq!(guest.call(names.write, &[3, MEMORY, 5]), 5);
        assert_eq!(guest.call(names.close, &[3]), 0);
        assert_eq!(fs::read_to_string(root.path().join("made")).expect("it is there"), "input");
        assert_eq!(open(&mut guest, &names, "made", WRONLY | names.create), -17);
        assert_eq!(open(&mut guest, &names, "made", names.directory), -20);
        assert_eq!(open(&mut guest, &names, &"long".repeat(100), 0), names.name_too_long);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("made", root.path().join("link")).expect("a link");
            assert_eq!(open(&mut guest, &names, "link", names.no_follow), names.too_many_links);
        }
        // What other conventions call `write`, and nothing at all.
        for unknown in [64, 4004, 4, 999].into_iter().filter(|number| *number != names.write) {
            assert_eq!(guest.call(unknown, &[1, MEMORY, 5]), names.nosys, "{unknown}");
        }
        assert_eq!(guest.result(names.exit_group, &[7]), LinuxResult::Exit(7));
    }
}
