//! Fetching and decoding an instruction.

use isac_ir::Model;
use isac_ir::behavior::{Body, Expr};
use isac_ir::bits::{Bits, mask};
use isac_ir::decode::{CellSource, DecodeError, Decoded, DecodedElement, WholeWord, decode_element};
use isac_ir::root::{RootDecoding, WordSource};
use sim_profile::{AccessEvent, Event, Word};

use super::step::{Frame, Leaving, Step};
use crate::fault::{AccessKind, FaultKind};
use crate::memory::{Memory, fetch_cells};

impl<'m> Step<'m, '_> {
    /// Decodes the elements of a CODINGROOT; a word that nothing matches is illegal.
    pub(super) fn decode(&mut self, operation: u32, body: &'m Body, execution: u32) -> Result<(), Leaving> {
        let model = self.state.model;
        let mut frame = Frame::new(body, Some(0), execution);
        self.instruction.address = self.state.pc();
        self.instruction.size_cells = 0;
        self.instruction.decoded = None;
        self.instruction.fetching = Some(RootDecoding::new(operation));
        if let Some(values) = &mut self.values {
            values.begin_decoding();
        }
        let outcome = self.run_body(&mut frame, &body.statements, 0);
        let fetching = self.instruction.fetching.take();
        outcome?;
        let Some(fetching) = fetching else { return Ok(()) };
        let name = fetching.decoded.name(model);
        self.sink.event(Event::NamePart { text: &name });
        let word = Word::new(&fetching.bytes(model)).unwrap_or_default();
        self.sink.event(Event::Decoded {
            address: self.instruction.address,
            word: &word,
            size_cells: self.instruction.size_cells,
        });
        self.flight.trace_decoded(model, &self.instruction, &fetching.decoded, word);
        if let Some(values) = &mut self.values {
            values.finish_decoding(self.instruction.address, word, &fetching.decoded);
        }
        self.instruction.decoded = Some(fetching.decoded);
        self.instruction.word = word;
        Ok(())
    }

    /// Decodes one element.
    pub(super) fn decode_element(
        &mut self,
        frame: &mut Frame<'m>,
        instance: u32,
        number: u32,
        source: &'m WordSource,
    ) -> Result<(), Leaving> {
        let model = self.state.model;
        let Some(fetching) = &self.instruction.fetching else { return Ok(()) };
        let (operation, is_first) = (fetching.operation(), fetching.is_empty());
        let target = model.operation(operation).instances[instance as usize].target;
        let Some(decoder) = model.decoder_of(target) else { return Ok(()) };
        let element = match source {
            WordSource::Map { map, address, access } => {
                let address = self.evaluate(frame, address)? as u64;
                if is_first {
                    self.instruction.address = address;
                }
                self.fetch(frame, decoder, (*map, address), *access)?
            }
            WordSource::Value { parts, address, .. } => {
                self.place_instruction(frame, address.as_ref().filter(|_| is_first))?;
                let (word, width_bits) = self.join(frame, parts)?;
                let big_endian = model.target.big_endian;
                let mut cells = WholeWord { word, width_bits, big_endian };
                decode_element(model, decoder, &mut cells)
                    .map_err(|_| self.undecoded(FaultKind::IllegalInstruction))?
            }
        };
        if let Some(fetching) = &mut self.instruction.fetching {
            fetching.add(instance, number, element);
            self.instruction.size_cells = fetching.size_cells(model);
        }
        Ok(())
    }

    fn place_instruction(&mut self, frame: &mut Frame<'m>, address: Option<&'m Expr>) -> Result<(), Leaving> {
        if let Some(address) = address {
            self.instruction.address = self.evaluate(frame, address)? as u64;
        }
        Ok(())
    }

    /// A word in parts, the most significant first, with its width.
    fn join(&mut self, frame: &mut Frame<'m>, parts: &'m [Expr]) -> Result<(Bits, u32), Leaving> {
        let (mut word, mut width_bits) = (Bits::ZERO, 0);
        for part in parts {
            word = word.shifted(part.width) | Bits::from_u128(self.evaluate(frame, part)?);
            width_bits += part.width;
        }
        Ok((word, width_bits))
    }

    /// Fetches and decodes a word.
    fn fetch(
        &mut self,
        frame: &Frame<'_>,
        decoder: u32,
        (map, address): (u32, u64),
        access: u32,
    ) -> Result<DecodedElement, Leaving> {
        let model = self.state.model;
        let resource = model.registers.len() as u32 + map;
        let mut cells = MapCells { model, memory: &self.state.memory, map, address, seen_bits: 0 };
        let outcome = decode_element(model, decoder, &mut cells);
        if let Err(DecodeError::Fetch(fault)) = outcome {
            return Err(self.undecoded(fault));
        }
        let seen = cells.seen();
        self.access(frame, access, resource, AccessEvent::Execute);
        self.pay_memory(map, &seen, false);
        outcome.map_err(|_| self.undecoded(FaultKind::IllegalInstruction))
    }

    /// Begins a part of a SWITCH, or ends the innermost.
    pub(super) fn open_node(&mut self, label: Option<u32>) {
        if let Some(fetching) = &mut self.instruction.fetching {
            match label {
                Some(label) => fetching.open(label),
                None => fetching.close(),
            }
        }
    }

    /// The decoding tree: of a CODINGROOT on its way what there is of it.
    pub(super) fn tree(&self) -> Option<&Decoded> {
        self.instruction.tree()
    }

    fn undecoded(&mut self, fault: FaultKind) -> Leaving {
        self.instruction.is_undecoded = true;
        self.sink.event(Event::Undecoded { address: self.instruction.address });
        self.doom(fault)
    }

    /// A fault of decoding or of fetching: where instructions overlap in a pipeline, it strikes in
    /// the last stage.
    fn doom(&self, fault: FaultKind) -> Leaving {
        let model = self.state.model;
        match model.overlaps() && !model.pipelines.is_empty() {
            true => Leaving::Doomed(fault),
            false => Leaving::Fault(fault),
        }
    }

    /// A fault of reading cells, as data or as an instruction.
    pub(super) fn read_fault(&self, fault: FaultKind) -> Leaving {
        match fault {
            FaultKind::Memory { access: AccessKind::Fetch, .. } => self.doom(fault),
            _ => Leaving::Fault(fault),
        }
    }
}

/// The cells of a map from an address on.
struct MapCells<'a> {
    model: &'a Model,
    memory: &'a Memory,
    map: u32,
    address: u64,
    /// The end of what was fetched so far.
    seen_bits: u32,
}

impl MapCells<'_> {
    /// What was fetched: address and number of cells, in two parts where the address wraps.
    fn seen(&self) -> Vec<(u64, u64)> {
        let table = &self.model.maps[self.map as usize];
        let last = mask(table.address_bits) as u64;
        let (first, cells) = (self.address & last, u64::from(self.seen_bits / table.cell_bits));
        let before_wrap = (last - first).saturating_add(1).min(cells);
        let parts = [(first, before_wrap), (0, cells - before_wrap)];
        parts.into_iter().filter(|(_, cells)| *cells > 0).collect()
    }
}

impl CellSource for MapCells<'_> {
    type Fault = FaultKind;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, FaultKind> {
        self.seen_bits = self.seen_bits.max(first_bit + width_bits);
        fetch_cells(self.model, self.memory, self.map, self.address, first_bit, width_bits)
    }
}
