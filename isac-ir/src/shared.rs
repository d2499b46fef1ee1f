//! Values of which copies are one until one of them is written.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// A value that is copied when it is written, if there are copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// A value that nobody shares yet.
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }

    /// Whether neither of two copies was written since.
    pub(crate) fn is_same(&self, other: &Shared<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}
