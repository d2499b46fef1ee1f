//! Fetching and decoding an instruction.

use isac_ir::Model;
use isac_ir::behavior::{Body, Stmt};
use isac_ir::bits::Bits;
use isac_ir::decode::{CellSource, DecodeError, DecodedElement, decode_element, join_elements};
use sim_profile::{AccessEvent, Event, Word};

use super::step::{Frame, Leaving, Step};
use crate::fault::FaultKind;
use crate::memory::{Memory, fetch_cells};

impl<'m> Step<'m, '_> {
    /// Decodes the elements of a CODINGROOT; a word that nothing matches is illegal.
    pub(super) fn decode(&mut self, operation: u32, body: &'m Body) -> Result<(), Leaving> {
        let model = self.state.model;
        let mut frame = Frame { body, node: Some(0), locals: vec![0; body.locals.len()] };
        let mut elements: Vec<(u32, DecodedElement)> = Vec::new();
        self.address = self.state.pc();
        for statement in &body.statements {
            if let Stmt::Decode { instance, map, address, access } = statement {
                let target = model.operation(operation).instances[*instance as usize].target;
                let Some(decoder) = model.decoder_of(target) else { continue };
                let address = self.evaluate(&mut frame, address)? as u64;
                if elements.is_empty() {
                    self.address = address;
                }
                let resource = model.registers.len() as u32 + map;
                let mut cells = MapCells { model, memory: &self.state.memory, map: *map, address };
                let element = match decode_element(model, decoder, &mut cells) {
                    Ok(element) => element,
                    Err(DecodeError::Fetch(fault)) => return Err(self.undecoded(fault)),
                    Err(DecodeError::Illegal) => {
                        self.access(&frame, *access, resource, AccessEvent::Execute);
                        return Err(self.undecoded(FaultKind::IllegalInstruction));
                    }
                };
                self.access(&frame, *access, resource, AccessEvent::Execute);
                self.size_cells += element.width_bits() / model.maps[*map as usize].cell_bits;
                elements.push((*instance, element));
            } else {
                self.run_statement(&mut frame, statement, 0)?;
            }
        }
        let decoded =
            join_elements(operation, elements.iter().map(|(instance, element)| (*instance, element)));
        self.sink.event(Event::NamePart { text: &decoded.name(model) });
        let bytes: Vec<u8> = elements.iter().flat_map(|(_, element)| element.bytes()).collect();
        let word = Word::new(&bytes).unwrap_or_default();
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

/// The cells of a map from an address on.
struct MapCells<'a> {
    model: &'a Model,
    memory: &'a Memory,
    map: u32,
    address: u64,
}

impl CellSource for MapCells<'_> {
    type Fault = FaultKind;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, FaultKind> {
        fetch_cells(self.model, self.memory, self.map, self.address, first_bit, width_bits)
    }
}
