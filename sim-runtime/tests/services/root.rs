//! A guest stays below its root, whatever path it takes.

use std::fs;
use std::path::{Path, PathBuf};

use sim_runtime::host::RootDirectory;
use tempfile::TempDir;

use crate::fake::{Caller, LITTLE64, MEMORY};

const HERE: u64 = (-100_i64).cast_unsigned();
const WRONLY_CREAT: u64 = 0o101;

/// A folder with a secret, and in it the root of a guest.
struct Prison {
    folder: TempDir,
    guest: Caller,
}

impl Prison {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("secret"), "secret").expect("a file");
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("sub")).expect("a folder");
        fs::write(root.join("inside"), "inside").expect("a file");
        let mut guest = Caller::new(LITTLE64, b"");
        let directory = RootDirectory::open(&root).expect("it is there");
        guest.host = std::mem::take(&mut guest.host).with_root(directory);
        Self { folder, guest }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn open(&mut self, directory: u64, path: &str, flags: u64) -> i64 {
        self.guest.put(MEMORY, path.as_bytes());
        self.guest.put(MEMORY + path.len() as u64, &[0]);
        self.guest.call(56, &[directory, MEMORY, flags, 0o644])
    }

    fn assert_refused(&mut self, path: &str) {
        for flags in [0, 1, WRONLY_CREAT, 0o1101, 0o200_000] {
            let result = self.open(HERE, path, flags);
            assert!(result < 0, "{path} with flags {flags:o} gave {result}");
        }
    }
}

#[test]
fn dots_do_not_lead_out() {
    let mut prison = Prison::new();
    for path in ["..", "../secret", "sub/../../secret", "sub/../..", "./../root/../secret"] {
        prison.assert_refused(path);
    }
    assert_eq!(prison.open(HERE, "../secret", 0), -13);
    prison.assert_refused("../made");
    assert!(!prison.folder.path().join("made").exists());
    assert_eq!(prison.open(HERE, "sub/../inside", 0), 3);
}

#[test]
fn absolute_paths_do_not_lead_out() {
    let mut prison = Prison::new();
    let secret = prison.folder.path().join("secret");
    let inside = prison.root().join("inside");
    for path in [Path::new("/"), Path::new("/etc/passwd"), &secret, &inside] {
        let path = path.to_str().expect("a plain name");
        prison.assert_refused(path);
        assert_eq!(prison.open(HERE, path, 0), -13);
        // The descriptor does not matter where the path is absolute.
        assert_eq!(prison.open(99, path, 0), -13);
    }
}

#[test]
fn an_open_directory_is_a_root_of_its_own() {
    let mut prison = Prison::new();
    let sub = prison.open(HERE, "sub", 0).cast_unsigned();
    assert_eq!(prison.open(sub, "../inside", 0), -13);
    assert_eq!(prison.open(sub, "../../secret", 0), -13);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    use std::os::unix::fs::symlink;

    let mut prison = Prison::new();
    let (folder, root) = (prison.folder.path().to_owned(), prison.root());
    let links = [
        ("absolute", folder.join("secret")),
        ("relative", PathBuf::from("../secret")),
        ("folder", PathBuf::from("..")),
        ("sub/up", PathBuf::from("../../secret")),
        ("chain", PathBuf::from("relative")),
        ("dangling", PathBuf::from("../made")),
        ("loop", PathBuf::from("loop")),
        ("process", PathBuf::from("/proc/self/root")),
    ];
    for (name, target) in &links {
        symlink(target, root.join(name)).expect("a link");
        prison.assert_refused(name);
    }
    prison.assert_refused("folder/secret");
    prison.assert_refused("process/etc/passwd");
    assert!(!folder.join("made").exists());
    assert_eq!(fs::read_to_string(folder.join("secret")).expect("a file"), "secret");

    symlink("inside", root.join("friendly")).expect("a link");
    assert_eq!(prison.open(HERE, "friendly", 0), 3, "links that stay inside work");
    let no_follow = 0o400_000;
    assert_eq!(prison.open(HERE, "friendly", no_follow), -40);
}

#[cfg(unix)]
#[test]
fn only_files_and_directories_are_opened() {
    let mut prison = Prison::new();
    let socket = prison.root().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(socket).expect("a socket");
    prison.assert_refused("socket");
    assert_eq!(prison.open(HERE, "socket", 0), -13);
}

#[test]
fn without_a_root_there_is_nothing() {
    let mut prison = Prison::new();
    prison.guest = Caller::new(LITTLE64, b"");
    for path in ["inside", ".", "/etc/passwd", "../secret"] {
        assert_eq!(prison.open(HERE, path, 0), -2);
        assert_eq!(prison.open(HERE, path, WRONLY_CREAT), -13);
    }
    assert_eq!(prison.open(99, "inside", 0), -9);
}
