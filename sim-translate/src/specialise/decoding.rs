//! Decoding: the word at the program counter, and whether the cycle comes to it.

use isac_ir::account::{OperandCounters, Part, count_operations};
use isac_ir::decode::{DecodeError, decode_element};
use isac_ir::root::{RootDecoding, RootElement, WordSource, root_elements};
use sim_runtime::FaultKind;
use sim_runtime::memory::{CellStore, CellsFrom};

use super::body::Flow;
use super::{Decodes, Specialiser, Turn};
use crate::residual::{Item, Kind, Op, Value, walk_ops};

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// Decodes the word at the PC.
    pub(super) fn decode(&mut self, turn: Turn, ops: &mut Vec<Op>) -> Flow {
        let model = self.model;
        let elements = root_elements(model, turn.operation);
        let [RootElement { instance, element, source: WordSource::Map { map, .. } }] = elements[..] else {
            panic!("a CODINGROOT of another form has come to be translated");
        };
        let target = model.operation(turn.operation).instances[instance as usize].target;
        let Some(decoder) = model.decoder_of(target) else { return Flow::On };
        let mut cells = CellsFrom { model, store: self.store, map: *map, address: self.place.address };
        match decode_element(model, decoder, &mut cells) {
            Ok(decoded) => {
                let cell_bits = model.maps[*map as usize].cell_bits;
                self.word = Some((decoded.joined(model.target.big_endian), decoded.width_bits()));
                self.seen_cells = decoded.seen_bits.max(decoded.width_bits()).div_ceil(cell_bits);
                let mut decoding = RootDecoding::new(turn.operation);
                decoding.add(instance, element, decoded);
                let (counts, first) = count_operations(model, Some(&decoding.decoded));
                self.operands = OperandCounters::of(model, &decoding.decoded, first);
                (self.counts, self.counters) = (counts, self.operands.end());
                self.decoding = Some(decoding);
                self.decodes = Decodes::Always;
                if self.unsure > 0 || may_end(ops) {
                    self.decodes = Decodes::Sometimes;
                    ops.push(Op::Decoded);
                }
                if self.unsure > 0 {
                    let local = self.new_local(32);
                    self.assign(local, Value::constant(32, self.size_cells().into()), ops);
                    self.size = Some(local);
                }
                // The CODINGROOT's own statements beside the element.
                self.run_part(turn, Part::Root, ops)
            }
            Err(error) => {
                self.is_undecoded = true;
                ops.push(Op::Undecoded(match error {
                    DecodeError::Illegal => FaultKind::IllegalInstruction,
                    DecodeError::Fetch(fault) => fault,
                }));
                Flow::Gone
            }
        }
    }
}

/// True if the cycle may end in a list.
fn may_end(ops: &[Op]) -> bool {
    let mut found = false;
    walk_ops(ops, &mut |item| {
        found |= match item {
            Item::Op(op) => matches!(
                op,
                Op::Trap(_)
                    | Op::Halt(..)
                    | Op::Loop(..)
                    | Op::SetElement { .. }
                    | Op::SetMemory { .. }
                    | Op::SetCellPart { .. }
                    | Op::LinuxCall(..)
                    | Op::Semihost(..)
            ),
            Item::Value(value) => {
                matches!(value.kind, Kind::Memory { .. } | Kind::CellPart { .. } | Kind::Element { .. })
            }
        };
    });
    found
}
