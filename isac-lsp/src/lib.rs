//! A language server for ISAC.
//!
//! [`Server`] holds documents in memory and answers requests about them: it starts no thread, waits for
//! nobody and can be tested without a process. [`serve`] is the loop of messages around it; it lets the
//! checks that may take long run beside it.

mod analysis;
mod capability;
mod check;
mod completion;
mod document;
mod frame;
mod hover;
mod index;
mod layout;
mod lens;
mod mention;
mod navigation;
mod outline;
mod picture;
mod publish;
mod rename;
mod serve;
mod server;
mod service;
mod settings;
mod text;
mod tokens;
mod uri;
mod word;
mod workspace;

pub use check::{CheckJob, CheckResult};
pub use serve::{End, serve};
pub use server::Server;
pub use service::{NoServices, Services, Study};
