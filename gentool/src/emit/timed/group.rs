//! Turns whose counters are compared all at once.

use isac_ir::schedule::{PlaceKind, Schedule, Section, operand_offset};

use crate::emit::Emitter;

/// What the kernel compares where a cycle ends.
pub(super) struct Groups {
    /// The positions, a bit for each.
    pub positions: u64,
    /// By number of the usual position, what turns there may count; nothing for those that are compared at once.
    pub counters: Vec<u128>,
    /// Those of the positions where a counter tells of stalls.
    pub stalls: u64,
}

impl Emitter<'_> {
    /// Bits that counters of an instruction take: 64 or 128.
    pub(super) fn counter_bits(&self) -> u32 {
        if self.most_counters() > u64::BITS { u128::BITS } else { u64::BITS }
    }

    /// The usual positions, from the first on, at which nothing is counted that is counted at one before.
    pub(super) fn groups(&self) -> Groups {
        let usual = self.usual_positions();
        let (bits, lines) = (self.counter_bits(), self.lines());
        let spare = bits - self.most_counters();
        let mut groups = Groups { positions: 0, counters: Vec::new(), stalls: 0 };
        let mut taken: u128 = 0;
        for (position, place) in (0u32..).zip(&self.timing().order) {
            if usual >> position & 1 == 0 {
                continue;
            }
            let own_lines = (0u32..).zip(&lines).filter(|(_, (at, _))| *at == position);
            let own_lines = own_lines.fold(0u128, |all, (index, _)| all | 1 << (bits - 1 - index));
            let counters = self.counters_at(*place) | own_lines;
            if counters & taken != 0 {
                groups.counters.push(0);
                continue;
            }
            groups.positions |= 1 << position;
            taken |= counters;
            let stall = (self.counts_stalls_at(*place) && groups.stalls.count_ones() < spare)
                .then(|| bits - 1 - lines.len() as u32 - groups.stalls.count_ones());
            groups.stalls |= u64::from(stall.is_some()) << position;
            groups.counters.push(counters | stall.map_or(0, |counter| 1 << counter));
        }
        groups
    }

    /// The counters of turns at a place, those of lines not included.
    fn counters_at(&self, place: u32) -> u128 {
        let schedule = &self.timing().schedule;
        let mut counters = 0;
        if let PlaceKind::Before { sections, .. } = &schedule.places[place as usize].kind {
            counters |= sections.iter().fold(0, |all, section| all | self.counters_of(None, section));
        }
        for (variant, form) in (0u32..).zip(&schedule.forms) {
            let places = schedule.classes[form.class as usize].places.iter().zip(&form.turns);
            for section in places.filter(|(own, _)| **own == place).flat_map(|(_, sections)| sections) {
                counters |= self.counters_of(Some((schedule, variant)), section);
            }
        }
        counters
    }

    /// The counters of a section, and of the operands of a form that it mentions.
    fn counters_of(&self, form: Option<(&Schedule, u32)>, section: &Section) -> u128 {
        let Some(body) = self.model.operation(section.operation).body(section.part) else { return 0 };
        let mut counters = bits_from(section.counters, body.regions);
        let Some((schedule, variant)) = form else { return counters };
        let decoder = &self.model.decoders[schedule.decoding.decoder as usize];
        let nodes = &decoder.variants[variant as usize].nodes;
        for operand in &schedule.forms[variant as usize].operands {
            let node = &nodes[operand.node as usize];
            let is_mentioned = node.parent == section.node
                && body.mentions.iter().any(|mention| node.instance == Some(mention.instance));
            if is_mentioned {
                counters |= bits_from(operand.counters, operand_offset(self.model, node.target, None));
            }
        }
        counters
    }

    /// True if turns at a place may stall a stage, cannot flush, and are not called by their address.
    fn counts_stalls_at(&self, place: u32) -> bool {
        let schedule = &self.timing().schedule;
        let entry = &schedule.places[place as usize];
        let is_called = match &entry.kind {
            PlaceKind::Before { .. } => {
                place == schedule.decoding.place
                    && schedule.forms.iter().any(|form| !form.turns[0].is_empty())
            }
            PlaceKind::Decoded { class, turn } => {
                !self.is_shared(schedule.classes[*class as usize].forms[0], *turn as usize)
            }
            PlaceKind::Walk { .. } => true,
        };
        entry.effects.stalls && entry.effects.flushes.is_empty() && !is_called
    }
}

/// So many bits from one on.
fn bits_from(first: u32, count: u32) -> u128 {
    (first..first + count).fold(0, |bits, counter| bits | 1 << counter)
}
