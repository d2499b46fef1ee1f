//! The sources of the runtime, collected when gentool was built.

include!(concat!(env!("OUT_DIR"), "/runtime_sources.rs"));
