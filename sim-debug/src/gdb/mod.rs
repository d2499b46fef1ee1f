//! gdb's remote protocol: a server for one debugger, on `gdbstub`.
//!
//! [`GdbServer`] waits for a connection and serves it whenever the run stands. Packets are taken
//! apart in `framer.rs` before `gdbstub` sees them, and whatever `gdbstub` cannot make sense of is
//! answered by an error: nothing that comes in over the connection ends the run.

mod arch;
mod command;
mod connection;
mod contents;
mod description;
mod framer;
mod inbox;
mod layout;
mod points;
mod resume;
mod server;
mod target;
mod value;

pub use description::render_description;
pub use framer::{Framer, Received};
pub use layout::Layout;
pub use server::GdbServer;
