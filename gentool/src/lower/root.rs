//! CODINGROOT: statements that decode one element after the other.

use isac_ir::behavior::{AccessKind, Body, Stmt};
use isac_ir::root::WordSource;
use isac_parser::model::{Operation, RootElement};

use super::Lowering;
use super::body::BodyBuilder;

impl Lowering<'_> {
    pub(super) fn lower_root(&self, operation: &Operation) -> Option<Body> {
        let first = operation.coding_root.first()?;
        let RootElement::Decode(decode) = first;
        let mut builder = BodyBuilder::new(self, Some(operation), decode.span);
        for (element, RootElement::Decode(decode)) in (0..).zip(&operation.coding_root) {
            let address = builder.lower_value(&decode.address);
            let access = builder.map_access(decode.map, AccessKind::Execute);
            let source = WordSource::Map { map: decode.map.0, address, access };
            builder.push(Stmt::Decode { instance: decode.instance.0, element, source });
        }
        Some(builder.finish())
    }
}
