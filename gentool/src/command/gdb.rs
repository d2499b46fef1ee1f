//! `gentool run --gdb`: a run that waits for gdb.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::rc::Rc;

use isac_ir::Model;
use sim_debug::gdb::GdbServer;
use sim_debug::{DebuggedEngine, Debugger, Statements};
use sim_runtime::Engine;
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, launch_with};

use super::Failure;
use super::debug::DescriptionGuide;
use super::html_report::RunPage;

/// Where gdb connects: a port of this computer, or of an address.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "expected a port, as 1234, or an address with one, as 0.0.0.0:1234".to_owned())
}

/// Runs a program on an engine as gdb says.
pub(super) fn run_debugged<'m>(
    model: &'m Model,
    engine: Box<dyn Engine + 'm>,
    info: &LaunchInfo,
    (address, options): (SocketAddr, &RunOptions),
    statements: Rc<Statements>,
    page: Option<&RunPage>,
) -> Result<i32, Failure> {
    let unheard = |error: std::io::Error| {
        Failure::other(format!("cannot listen for gdb at {address}: {error}; name a port that is free"))
    };
    let listener = TcpListener::bind(address).map_err(unheard)?;
    let heard = listener.local_addr().map_err(unheard)?;
    let server = GdbServer::new(listener, model).map_err(unheard)?;
    let server = server.with_guide(Box::new(DescriptionGuide));
    let Some(debugger) = Debugger::new(engine, info) else {
        return Err(Failure::other("this engine tells no model; take --engine reference"));
    };
    let debugger = debugger.with_statements(statements);
    let stdio = Stdio::of_process();
    let interrupt = stdio.interrupt.clone();
    let mut debugged = DebuggedEngine::new(debugger, Box::new(server), move || interrupt.raise());
    say!("note: waiting for gdb at {heard}; say `target remote {heard}` there");
    let further = page.into_iter().map(RunPage::output).collect();
    Ok(launch_with(&mut debugged, info, options, stdio, further))
}
