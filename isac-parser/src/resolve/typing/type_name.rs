//! Types as they are written.

use super::conversion::{MAX_COMPUTED_BITS, c_type};
use super::{Typer, code, error};
use crate::ast::{TypeName, TypeNameKind};
use crate::model::Type;

impl Typer<'_> {
    /// The type of its name.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Option<Type> {
        match &name.kind {
            TypeNameKind::Bit { signed, width } => {
                let value = self.number(width)?;
                match u32::try_from(value) {
                    Ok(width_bits @ 1..=MAX_COMPUTED_BITS) => Some(Type { width_bits, signed: *signed }),
                    Ok(129..=256) => {
                        let message = format!("a type of {value} bits");
                        let diagnostic = error(code::BAD_TYPE, width.span, message, "more than 128")
                            .help("only registers and cells have up to 256 bits, to be sliced and copied");
                        self.diagnostics.push(diagnostic);
                        None
                    }
                    _ => {
                        let message = format!("a type of {value} bits");
                        let label = "has to be from 1 to 128 bits";
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
