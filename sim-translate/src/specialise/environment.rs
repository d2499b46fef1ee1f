//! What is known of the locals of a step at one point of it.

use std::rc::Rc;

/// Locals of a part.
const PART: usize = 32;

/// The locals whose values are known. One that nothing has assigned is 0.
///
/// Each arm of an instruction begins with a copy of it: the parts are shared until one is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    parts: Vec<Rc<[Option<u128>; PART]>>,
}

impl Environment {
    /// A local's value, if it is known.
    pub(super) fn get(&self, local: u32) -> Option<u128> {
        let part = self.parts.get(local as usize / PART);
        part.map_or(Some(0), |part| part[local as usize % PART])
    }

    /// Sets what is known of a local.
    pub(super) fn set(&mut self, local: u32, value: Option<u128>) {
        let (part, place) = (local as usize / PART, local as usize % PART);
        if self.get(local) == value {
            return;
        }
        if self.parts.len() <= part {
            self.parts.resize_with(part + 1, || Rc::new([Some(0); PART]));
        }
        Rc::make_mut(&mut self.parts[part])[place] = value;
    }

    /// The locals of which two environments do not know the same, in order.
    pub(super) fn differing(&self, other: &Environment) -> Vec<u32> {
        let mut found = Vec::new();
        for part in 0..self.parts.len().max(other.parts.len()) {
            match (self.parts.get(part), other.parts.get(part)) {
                (Some(own), Some(others)) if Rc::ptr_eq(own, others) => {}
                _ => {
                    let locals = (part * PART) as u32..((part + 1) * PART) as u32;
                    found.extend(locals.filter(|local| self.get(*local) != other.get(*local)));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_part_where_they_are_written() {
        let mut first = Environment::default();
        first.set(3, Some(7));
        first.set(100, None);
        let mut second = first.clone();
        assert!(first.differing(&second).is_empty());
        second.set(100, Some(0));
        second.set(3, Some(8));
        second.set(500, Some(0));
        assert_eq!((first.get(3), first.get(100), first.get(500)), (Some(7), None, Some(0)));
        assert_eq!(first.differing(&second), [3, 100]);
        second.set(500, None);
        assert_eq!(second.differing(&first), [3, 100, 500]);
    }
}
