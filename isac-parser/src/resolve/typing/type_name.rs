//! Types as they are written.

use super::conversion::{MAX_COMPUTED_BITS, c_type};
use super::{Typer, code, error};
use crate::ast::{TypeName, TypeNameKind};
use crate::model::Type;
use crate::resolve::report::not_yet;

impl Typer<'_> {
    /// The type of its name.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Option<Type> {
        match &name.kind {
            TypeNameKind::Bit { signed, width } => {
                let value = self.number(width)?;
                match u32::try_from(value) {
                    Ok(width_bits @ 1..=MAX_COMPUTED_BITS) => Some(Type { width_bits, signed: *signed }),
                    Ok(129..=256) => {
                        let what = "a variable of more than 128 bits is";
                        self.diagnostics.push(not_yet(code::LATER_WIDTH, name.span, what));
                        None
                    }
                    _ => {
                        let message = format!("a type of {value} bits");
                        let label = "has to be from 1 to 256 bits";
                        self.diagnostics.push(error(code::BAD_TYPE, width.span, message, label));
                        None
                    }
                }
            }
            TypeNameKind::C(words) => {
                let found = c_type(words);
                if found.is_none() {
                    let message = format!("`{words}` is no type of this language");
                    let diagnostic = error(code::BAD_TYPE, name.span, message, "not a type")
                        .help("use C's integer types, those of <stdint.h>, or `bit[N]`");
                    self.diagnostics.push(diagnostic);
                }
                found
            }
        }
    }
}
