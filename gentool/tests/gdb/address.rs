//! Where a run listens for gdb: on this computer alone, unless the user says otherwise.

use std::io::{BufRead as _, BufReader};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Command, Stdio};

use super::bench::root;

fn run_with(address: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.current_dir(root()).args(["run", "models/tiny8/tiny8.isac", "models/tiny8/programs/sum.bin"]);
    command.args(["--gdb", address]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Where a run says that it listens, and whether it is heard at another address of this computer.
fn listens(address: &str) -> (IpAddr, bool) {
    let mut child = run_with(address).spawn().expect("gentool runs");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("it says something");
    let heard = line.split("waiting for gdb at ").nth(1).and_then(|rest| rest.split(';').next());
    let heard: SocketAddr = heard.and_then(|heard| heard.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
    let own = TcpStream::connect((Ipv4Addr::LOCALHOST, heard.port()));
    let other = TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), heard.port()));
    assert!(own.is_ok(), "{own:?}");
    child.kill().expect("it still waits");
    child.wait().expect("it ends");
    (heard.ip(), other.is_ok())
}

#[test]
#[cfg(target_os = "linux")]
fn a_port_is_one_of_this_computer_unless_an_address_stands_before_it() {
    assert_eq!(listens("0"), (IpAddr::V4(Ipv4Addr::LOCALHOST), false));
    assert_eq!(listens("127.0.0.1:0"), (IpAddr::V4(Ipv4Addr::LOCALHOST), false));
    assert_eq!(listens("0.0.0.0:0"), (IpAddr::V4(Ipv4Addr::UNSPECIFIED), true));
}

#[test]
fn what_is_neither_a_port_nor_an_address_is_refused() {
    for address in ["", "gdb", "70000", "1.2.3:4", "localhost:1234"] {
        let output = run_with(address).output().expect("gentool runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{address}: {said}");
        assert!(said.contains("expected a port, as 1234, or an address with one"), "{address}: {said}");
    }
}
