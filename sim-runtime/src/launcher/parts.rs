//! The parts of a run that are counted: from one address to another.

use std::collections::BTreeSet;

use sim_profile::{Profile, Provenance};

use crate::engine::Engine;
use crate::launcher::counts::Counts;
use crate::launcher::number::{is_number, parse_number};

/// Where a run begins to be counted, and where it ceases to be.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds {
    /// Counting begins before the instruction at one of these; with none of them, with the run.
    pub(super) from: BTreeSet<u64>,
    /// It ends before the instruction at one of these; with none of them, with the run.
    pub(super) until: BTreeSet<u64>,
}

/// Counts the parts of a run. What an engine has counted when a part begins is taken away from what it
/// has counted when the part ends.
pub(super) struct Parts {
    bounds: Bounds,
    /// What was counted when the part at hand began; `None` between two parts.
    begun: Option<Begun>,
    /// The parts that have ended, added up.
    ended: Option<Counts>,
    count: u64,
}

/// Where a part has begun.
enum Begun {
    /// With the run.
    WithRun,
    /// Later, when so much had been counted.
    At(Box<Counts>),
}

impl Begun {
    /// The part, up to where so much has been counted.
    fn up_to(&self, now: &Counts) -> Result<Counts, String> {
        match self {
            Begun::WithRun => Ok(now.clone()),
            Begun::At(before) => now.since(before),
        }
    }
}

impl Parts {
    /// A run that begins now.
    pub(super) fn new(bounds: Bounds) -> Self {
        let begun = bounds.from.is_empty().then_some(Begun::WithRun);
        Parts { bounds, begun, ended: None, count: 0 }
    }

    /// The run has come to an address. A part that ends there ends before another begins.
    ///
    /// # Errors
    /// The engine was made without profiling, or counts are lost.
    pub(super) fn arrive(&mut self, engine: &mut dyn Engine, pc: u64) -> Result<(), String> {
        let ends = self.begun.is_some() && self.bounds.until.contains(&pc);
        let begins = (ends || self.begun.is_none()) && self.bounds.from.contains(&pc);
        if !ends && !begins {
            return Ok(());
        }
        let now = Counts::take(engine)?;
        if ends && let Some(begun) = self.begun.take() {
            let part = begun.up_to(&now)?;
            match &mut self.ended {
                Some(ended) => ended.add(&part)?,
                None => self.ended = Some(part),
            }
            self.count += 1;
        }
        if begins {
            self.begun = Some(Begun::At(Box::new(now)));
        }
        Ok(())
    }

    /// All that was counted so far, with where it came from.
    ///
    /// # Errors
    /// As of [`Parts::arrive`].
    pub(super) fn profile(&self, engine: &mut dyn Engine, provenance: Provenance) -> Result<Profile, String> {
        let parts = match (&self.begun, &self.ended) {
            (Some(Begun::WithRun), None) => Counts::take(engine)?,
            (Some(begun), None) => begun.up_to(&Counts::take(engine)?)?,
            (Some(begun), Some(ended)) => {
                let mut sum = ended.clone();
                sum.add(&begun.up_to(&Counts::take(engine)?)?)?;
                sum
            }
            (None, Some(ended)) => ended.clone(),
            (None, None) => {
                let now = Counts::take(engine)?;
                now.since(&now)?
            }
        };
        let is_whole = matches!(self.begun, Some(Begun::WithRun)) && self.ended.is_none();
        let parts_counted = (!is_whole).then(|| self.count + u64::from(self.begun.is_some()));
        Ok(parts.into_profile(engine, Provenance { parts: parts_counted, ..provenance }))
    }

    /// How many parts there were; `None` where all of the run is counted.
    pub(super) fn summary(&self) -> Option<String> {
        let is_bounded = !self.bounds.from.is_empty() || !self.bounds.until.is_empty();
        let count = self.count + u64::from(self.begun.is_some());
        let noun = if count == 1 { "part" } else { "parts" };
        is_bounded.then(|| format!("{count} {noun} of the run counted"))
    }
}

/// The addresses that a user names: a number, a name that the program has for a place in its code, or
/// `NAME+N`.
///
/// # Errors
/// There is no such name, or it stands for several places.
pub(super) fn find_places(
    option: &str,
    wanted: &[String],
    names: &[(String, u64)],
) -> Result<BTreeSet<u64>, String> {
    wanted
        .iter()
        .map(|text| find_place(text, names).map_err(|why| format!("`{option} {text}`: {why}")))
        .collect()
}

pub(super) fn find_place(text: &str, names: &[(String, u64)]) -> Result<u64, String> {
    if is_number(text) {
        return parse_number(text);
    }
    let of_name = |name: &str| -> Vec<u64> {
        let places: BTreeSet<u64> =
            names.iter().filter(|(known, _)| known == name).map(|(_, address)| *address).collect();
        places.into_iter().collect()
    };
    // A name may have a plus in it.
    let (name, offset) = match text.rsplit_once('+').filter(|_| of_name(text).is_empty()) {
        Some((name, offset)) => (name, parse_number(offset)?),
        None => (text, 0),
    };
    match of_name(name)[..] {
        [address] => address.checked_add(offset).ok_or_else(|| "no address has more than 64 bits".to_owned()),
        [] if names.is_empty() => Err("the program has no names for its code; write an address".to_owned()),
        [] => Err(format!("the program has no function or label `{name}`; write one, or an address")),
        [first, second, ..] => Err(format!(
            "several places of the program are named `{name}`, as {first:#x} and {second:#x}; write the address"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::find_places;

    #[test]
    fn places_are_numbers_and_names() {
        let names = [("main", 16), ("twice", 4), ("twice", 8), ("operator+", 32)]
            .map(|(name, address)| (name.to_owned(), address));
        let of = |text: &str| find_places("--count-from", &[text.to_owned()], &names);
        for (text, address) in
            [("0x20", 32), ("main", 16), ("main+0x4", 20), ("operator+", 32), ("operator++4", 36)]
        {
            assert_eq!(of(text), Ok([address].into()), "{text}");
        }
        for (text, why) in
            [("nothing", "no function or label `nothing`"), ("twice", "0x4 and 0x8"), ("main+x", "")]
        {
            let said = of(text).expect_err(text);
            assert!(said.contains(why), "{said}");
        }
    }
}
