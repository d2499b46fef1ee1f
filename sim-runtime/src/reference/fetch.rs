//! Fetching and decoding an instruction.

use isac_ir::behavior::{Body, Stmt};
use isac_ir::bits::Bits;
use isac_ir::decode::{Element, decode_instruction};
use sim_profile::{AccessEvent, Event, Word};

use super::step::{Frame, Leaving, Step};
use crate::fault::{AccessKind, FaultKind};
use crate::memory::check_range;

impl<'m> Step<'m, '_> {
    /// Decodes the elements of a CODINGROOT; a word that nothing matches is illegal.
    pub(super) fn decode(&mut self, operation: u32, body: &'m Body) -> Result<(), Leaving> {
        let model = self.state.model;
        let mut frame = Frame { body, node: Some(0), locals: vec![0; body.locals.len()] };
        let mut elements = Vec::new();
        self.address = self.state.pc();
        for statement in &body.statements {
            if let Stmt::Decode { instance, map, address, access } = statement {
                let target = model.operation(operation).instances[*instance as usize].target;
                let Some(decoder) = model.decoder_of(target) else { continue };
                let address = self.evaluate(&mut frame, address)? as u64;
                if elements.is_empty() {
                    self.address = address;
                }
                let cells = model.decoders[decoder as usize].width_bits / model.maps[*map as usize].cell_bits;
                self.size_cells += cells;
                let resource = model.registers.len() as u32 + map;
                let landing = check_range(model, *map, address, u64::from(cells), AccessKind::Fetch)
                    .map_err(|fault| self.undecoded(fault))?;
                self.access(&frame, *access, resource, AccessEvent::Execute);
                let word = Bits::from_u128(self.state.memory.load(model, *map, landing, cells));
                elements.push(Element { instance: *instance, decoder, word });
            } else {
                self.run_statement(&mut frame, statement, 0)?;
            }
        }
        let decoded = decode_instruction(model, operation, &elements)
            .ok_or_else(|| self.undecoded(FaultKind::IllegalInstruction))?;
        self.sink.event(Event::NamePart { text: &decoded.name(model) });
        let word = joined_word(model, &elements);
        self.sink.event(Event::Decoded { address: self.address, word: &word, size_cells: self.size_cells });
        self.decoded = Some(decoded);
        Ok(())
    }

    fn undecoded(&mut self, fault: FaultKind) -> Leaving {
        self.is_undecoded = true;
        self.sink.event(Event::Undecoded { address: self.address });
        Leaving::Fault(fault)
    }
}

/// All words of an instruction as one, in the order of the elements.
fn joined_word(model: &isac_ir::Model, elements: &[Element]) -> Word {
    let mut bytes = Vec::new();
    for element in elements {
        let width = model.decoders[element.decoder as usize].width_bits;
        bytes.extend(element.word.to_be_bytes(width));
    }
    Word::new(&bytes).unwrap_or_default()
}
