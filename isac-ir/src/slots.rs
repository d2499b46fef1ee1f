//! Values by number, of which copies share what neither has written since.
//!
//! Whoever follows both sides of a condition has a copy for each, and joins them where they meet: of some hundred
//! values few are written in between.

use std::rc::Rc;

/// Values of a part.
const PART: usize = 16;

/// Values by number, as many as are asked for.
#[derive(Debug, Clone)]
pub struct Slots<T> {
    /// What those hold that nobody has set.
    unset: T,
    /// Shared until one of them is written.
    parts: Vec<Rc<[T; PART]>>,
}

impl<T: Copy + PartialEq> Slots<T> {
    /// All hold `unset`.
    pub fn new(unset: T) -> Slots<T> {
        Slots { unset, parts: Vec::new() }
    }

    /// The value with a number.
    pub fn get(&self, number: u32) -> T {
        let part = self.parts.get(number as usize / PART);
        part.map_or(self.unset, |part| part[number as usize % PART])
    }

    /// Sets the value with a number.
    pub fn set(&mut self, number: u32, value: T) {
        if self.get(number) == value {
            return;
        }
        let (part, place) = (number as usize / PART, number as usize % PART);
        if self.parts.len() <= part {
            self.parts.resize_with(part + 1, || Rc::new([self.unset; PART]));
        }
        Rc::make_mut(&mut self.parts[part])[place] = value;
    }

    /// The numbers under which two do not hold the same, in order. Both are unset to the same.
    pub fn differing(&self, other: &Slots<T>) -> Vec<u32> {
        let mut found = Vec::new();
        let unset = [self.unset; PART];
        for part in 0..self.parts.len().max(other.parts.len()) {
            let sides = [self, other].map(|slots| slots.parts.get(part));
            if let [Some(own), Some(others)] = sides
                && Rc::ptr_eq(own, others)
            {
                continue;
            }
            let [own, others] = sides.map(|side| side.map_or(&unset, |part| part));
            let numbers = (part * PART) as u32..;
            let differ = numbers.zip(own.iter().zip(others)).filter(|(_, (own, other))| own != other);
            found.extend(differ.map(|(number, _)| number));
        }
        found
    }
}

impl<T: Copy + PartialEq> PartialEq for Slots<T> {
    fn eq(&self, other: &Slots<T>) -> bool {
        self.unset == other.unset && self.differing(other).is_empty()
    }
}

impl<T: Copy + Eq> Eq for Slots<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_part_where_they_are_written() {
        let mut first = Slots::new(Some(0));
        first.set(3, Some(7));
        first.set(100, None);
        let mut second = first.clone();
        assert!(first.differing(&second).is_empty());
        assert_eq!(first, second);
        second.set(100, Some(0));
        second.set(3, Some(8));
        second.set(500, Some(0));
        assert_eq!((first.get(3), first.get(100), first.get(500)), (Some(7), None, Some(0)));
        assert_eq!(first.differing(&second), [3, 100]);
        second.set(500, None);
        assert_eq!(second.differing(&first), [3, 100, 500]);
    }
}
