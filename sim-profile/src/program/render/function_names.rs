//! What functions are called in reports, where each needs a name of its own.

use std::collections::BTreeMap;

use crate::program::{OUTSIDE, Program};

/// Names of functions: those that several have are followed by the address.
pub struct FunctionNames<'a> {
    program: &'a Program,
    times: BTreeMap<&'a str, u32>,
}

impl<'a> FunctionNames<'a> {
    /// Those of a program.
    pub fn of(program: &'a Program) -> FunctionNames<'a> {
        let mut times = BTreeMap::new();
        // What has no cells of its own is never named.
        for number in program.functions_with_cells() {
            *times.entry(program.function(number).name.as_str()).or_default() += 1;
        }
        FunctionNames { program, times }
    }

    /// The name of a function by its number.
    pub fn number(&self, number: u32) -> String {
        let function = self.program.function(number);
        let name = function.name.replace(['\n', '\r', '\t'], "\u{fffd}");
        match self.times.get(function.name.as_str()) {
            Some(2..) => format!("{name} {:#x}", function.start),
            _ => name,
        }
    }

    /// The name of the function that begins at an address; in code without symbols any may be one.
    pub fn at(&self, start: u64) -> String {
        let number = self.program.function_at(start);
        let function = self.program.function(number);
        if number != OUTSIDE && function.start == start {
            return self.number(number);
        }
        let image = function.image.and_then(|image| self.program.images().get(image as usize));
        image.map_or_else(|| format!("[{start:#x}]"), |image| format!("[{image} {start:#x}]"))
    }
}
