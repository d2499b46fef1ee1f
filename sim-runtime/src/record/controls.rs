//! What the instructions that have ended may do to the flow of control.

use std::collections::BTreeMap;
use std::rc::Rc;

use isac_ir::Model;
use isac_ir::control::{Control, ControlCache, control_of};
use sim_profile::Word;

use super::Executed;

/// By address, as they were decoded last.
#[derive(Clone, Default)]
pub(super) struct Controls {
    known: BTreeMap<u64, (Word, Rc<Control>)>,
    cache: ControlCache,
}

impl Controls {
    /// That of an instruction, which is known from now on.
    pub(super) fn learn(&mut self, model: &Model, executed: &Executed<'_>) -> Rc<Control> {
        let Executed { address, size_cells, word, decoded } = *executed;
        if let Some((_, control)) = self.known.get(&address).filter(|(known, _)| *known == word) {
            return Rc::clone(control);
        }
        let control = Rc::new(control_of((model, &self.cache), decoded, address, size_cells));
        self.known.insert(address, (word, Rc::clone(&control)));
        control
    }

    /// That of the instruction at an address, if it is known.
    pub(super) fn at(&self, address: u64) -> Option<&Control> {
        self.known.get(&address).map(|(_, control)| &**control)
    }
}
