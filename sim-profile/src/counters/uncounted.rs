//! What cannot be derived exactly, and why.

use std::fmt;

use super::CountedEvent;

/// Why a region's events are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// The program has no such function.
    Function(String),
    /// Several functions have this name: their addresses.
    Ambiguous(String, Vec<u64>),
    /// The model has no such cache: those that it has.
    Cache(String, Vec<String>),
    /// The model has no such memory map: those that it has.
    Map(String, Vec<String>),
    /// The model has caches, and no access to any was counted: a run simulates them if it is asked to.
    NoCaches,
    /// Calls were not followed, and the region is one with calls.
    NoCalls,
    /// Cycles without an instruction are among those that calls took, each as one instruction: the function.
    IdleCycles(String),
    /// The event has no address, so that it is known of the whole run alone.
    WithoutAddress(CountedEvent),
    /// Some of what the function calls is called by others, too: whose events they are is not known.
    Shared {
        /// The function.
        function: String,
        /// One that it calls, and that ran without it, if that is known.
        callee: Option<String>,
    },
    /// Calls were forgotten before they returned, and the function may have been on the stack then.
    Forgotten {
        /// The function.
        function: String,
        /// How many calls.
        calls: u64,
    },
    /// A function that is called has no symbol: the address.
    WithoutSymbols(u64),
}

impl fmt::Display for Uncounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uncounted::Function(name) => {
                write!(f, "no function is called `{name}`; name one of a file given by --image")
            }
            Uncounted::Ambiguous(name, starts) => {
                let starts: Vec<String> = starts.iter().map(|start| format!("{start:#x}")).collect();
                write!(
                    f,
                    "several functions are called `{name}`, at {}; write the address of one behind the name, \
                     as `{name} {}`",
                    starts.join(", "),
                    starts.first().map_or("", String::as_str)
                )
            }
            Uncounted::Cache(name, known) if known.is_empty() => {
                write!(f, "the model has no cache `{name}`, and no other; leave it out")
            }
            Uncounted::Cache(name, known) => {
                write!(f, "the model has no cache `{name}`; it has {}", known.join(", "))
            }
            Uncounted::Map(name, known) if known.is_empty() => {
                write!(f, "the model has no memory map `{name}`, and no other; leave it out")
            }
            Uncounted::Map(name, known) => {
                write!(f, "the model has no memory map `{name}`; it has {}", known.join(", "))
            }
            Uncounted::NoCaches => {
                f.write_str("no access to a cache was counted; measure the run with --caches")
            }
            Uncounted::NoCalls => f.write_str("calls were not followed; measure the run with --calls"),
            Uncounted::IdleCycles(function) => write!(
                f,
                "some cycles of the run had no instruction, and those of `{function}` with what it calls are not \
                 told from instructions; count cycles, or self:{function}"
            ),
            Uncounted::WithoutAddress(event) => {
                write!(f, "`{event}` has no address; count it in the whole run, by the region run")
            }
            Uncounted::Shared { function, callee } => {
                match callee {
                    Some(callee) => write!(f, "`{callee}`, which `{function}` calls, ran without it, too")?,
                    None => write!(f, "some of what `{function}` calls ran without it, too")?,
                }
                f.write_str("; of functions with what they call, instructions and cycles are known alone")
            }
            Uncounted::Forgotten { function, calls } => write!(
                f,
                "{calls} calls were forgotten before they returned, since the stack was full, and `{function}` \
                 leads to those that call each other in a circle: what it spent with what it calls is not \
                 known; count it by itself, as self:{function}"
            ),
            Uncounted::WithoutSymbols(address) => write!(
                f,
                "what is called at {address:#x} has no symbol; of functions with what they call, \
                 instructions and cycles are known alone"
            ),
        }
    }
}

impl std::error::Error for Uncounted {}
