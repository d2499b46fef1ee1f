//! The two name spaces of a description, and all that is known about each name so far.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::code;
use super::report::{error, help_if};
use super::suggestion::{did_you_mean, unless_unread};
use super::tree::inner_name::InnerNames;
use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    Cache, CacheId, Device, DeviceId, FunctionId, Map, MapId, OperationOrGroup, Pipeline, PipelineId, Place,
    Ram, RamId, Register, RegisterId, RegisterPart, RegisterPlace, Type,
};
use crate::source::Span;

/// What is wanted of a name of the operations' name space.
pub(crate) const OPERATION: &str = "operation or group";

/// What a name outside the operations' name space stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Global {
    /// Index into [`Table::constants`].
    Constant(usize),
    /// A register or register file.
    Register(RegisterId),
    /// A memory.
    Ram(RamId),
    /// A cache.
    Cache(CacheId),
    /// A device.
    Device(DeviceId),
    /// A memory map.
    Map(MapId),
    /// A function.
    Function(FunctionId),
    /// Index into [`Table::aliases`].
    Alias(usize),
    /// A pipeline.
    Pipeline(PipelineId),
}

impl Global {
    /// The kind in the user's words, with its article.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Global::Constant(_) => "a CONSTANT",
            Global::Register(_) => "a register",
            Global::Alias(_) => "an ALIAS",
            Global::Ram(_) => "a RAM",
            Global::Cache(_) => "a CACHE",
            Global::Device(_) => "a DEVICE",
            Global::Map(_) => "a memory map",
            Global::Function(_) => "a FUNCTION",
            Global::Pipeline(_) => "a PIPELINE",
        }
    }
}

/// A definition and where its name stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition<T> {
    /// What is defined.
    pub(crate) what: T,
    /// Where its name stands.
    pub(crate) span: Span,
}

/// The names of a description.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Operations and groups.
    pub(crate) operations: BTreeMap<String, Definition<OperationOrGroup>>,
    /// Everything else.
    pub(crate) globals: BTreeMap<String, Definition<Global>>,
}

impl Names {
    /// Adds an operation or group; of two definitions the first stands.
    pub(crate) fn define_operation(
        &mut self,
        name: &ast::Name,
        what: OperationOrGroup,
        diagnostics: &mut Diagnostics,
    ) {
        if let Some(first) = define(&mut self.operations, name, what) {
            diagnostics.push(double(name, first.span));
        }
    }

    /// Adds a name of the other name space; of two definitions the first stands.
    pub(crate) fn define_global(&mut self, name: &ast::Name, what: Global, diagnostics: &mut Diagnostics) {
        let Some(first) = define(&mut self.globals, name, what) else { return };
        let finding = double(name, first.span);
        diagnostics.push(match first.what.kind() == what.kind() {
            true => finding,
            // Whoever names it may mean either, and is then wrong about the kind.
            false => finding.cause(name.text.clone()),
        });
    }

    /// Looks up an operation or group, and reports a name that is neither.
    pub(crate) fn operation(
        &self,
        name: &ast::Name,
        diagnostics: &mut Diagnostics,
    ) -> Option<OperationOrGroup> {
        if let Some(definition) = self.operations.get(&name.text) {
            return Some(definition.what);
        }
        let known = unless_unread(self.operations.keys().map(String::as_str), diagnostics);
        diagnostics.push(match self.globals.get(&name.text) {
            Some(other) => wrong_kind(name, other, "an operation or group"),
            None => undefined(OPERATION, name, known),
        });
        None
    }

    /// Looks up a memory map, and reports a name that is none.
    pub(crate) fn map(&self, name: &ast::Name, diagnostics: &mut Diagnostics) -> Option<MapId> {
        match self.global(name, "memory map", diagnostics)? {
            Definition { what: Global::Map(map), .. } => Some(map),
            other => {
                diagnostics.push(wrong_kind(name, &other, "a memory map"));
                None
            }
        }
    }

    /// Looks up a name of the other name space, and reports one that is undefined.
    pub(crate) fn global(
        &self,
        name: &ast::Name,
        wanted: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Definition<Global>> {
        let found = self.globals.get(&name.text).copied();
        if found.is_none() {
            let known = unless_unread(self.globals.keys().map(String::as_str), diagnostics);
            let message = undefined(wanted, name, known);
            diagnostics.push(match self.operations.get(&name.text) {
                Some(other) => message.secondary(other.span, "an operation or group has this name"),
                None => message,
            });
        }
        found
    }
}

/// Enters a name into a name space; the first definition, if there is one.
fn define<T: Copy>(
    space: &mut BTreeMap<String, Definition<T>>,
    name: &ast::Name,
    what: T,
) -> Option<Definition<T>> {
    if let Some(first) = space.get(&name.text) {
        return Some(*first);
    }
    space.insert(name.text.clone(), Definition { what, span: name.span });
    None
}

/// The message for a second definition.
pub(crate) fn double(name: &ast::Name, first: Span) -> Diagnostic {
    let message = format!("`{}` is defined twice", name.text);
    error(code::DOUBLE, name.span, message, "defined again here")
        .secondary(first, "first defined here")
        .help("rename or remove one of the two")
}

/// The message for a name that nothing defines; what lacks is one definition, however often it is
/// named.
pub(crate) fn undefined<'a>(
    wanted: &str,
    name: &ast::Name,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("undefined {wanted} `{}`", name.text);
    let diagnostic = error(code::UNDEFINED, name.span, message, "not defined")
        .cause(if wanted == OPERATION { format!("{wanted} {}", name.text) } else { name.text.clone() });
    help_if(diagnostic, did_you_mean(&name.text, known))
}

/// The message for a name of another kind than its place asks for.
pub(crate) fn wrong_kind(name: &ast::Name, found: &Definition<Global>, wanted: &str) -> Diagnostic {
    let kind = found.what.kind();
    let message = format!("`{}` is {kind}, but {wanted} is needed here", name.text);
    error(code::WRONG_KIND, name.span, message, format!("{wanted} is needed"))
        .secondary(found.span, format!("defined as {kind} here"))
}

/// A CONSTANT's value, or that of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Constant {
    /// The value's pattern, reduced to the type's width.
    pub(crate) value: u128,
    /// Its type.
    pub(crate) ty: Type,
}

/// A register ALIAS.
#[derive(Debug, Clone)]
pub(crate) struct Alias {
    /// What stands in its place wherever it is mentioned.
    pub(crate) place: Place,
    /// The same as parts, with its name.
    pub(crate) names: RegisterPlace,
    /// True if something mentions it. Whoever expands it notes that, since the model has no trace
    /// of a mention.
    pub(crate) is_used: Cell<bool>,
    /// How many places its place is made of, itself included.
    pub(crate) size: usize,
}

/// What a call of a FUNCTION has to know.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    /// Types of the parameters; `None` for one that was reported.
    pub(crate) parameters: Vec<Option<Type>>,
    /// What it returns.
    pub(crate) result: ResultType,
    /// Where its name stands.
    pub(crate) span: Span,
}

/// What a FUNCTION or BEHAVIOR returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultType {
    /// Nothing.
    Void,
    /// A value.
    Value(Type),
    /// A type that was reported.
    Broken,
}

/// All that is known about the names: filled stage by stage, read by every later stage.
///
/// `None` stands for a definition whose error was reported: whoever meets it stays silent.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The names.
    pub(crate) names: Names,
    /// The CONSTANTs.
    pub(crate) constants: Vec<Option<Constant>>,
    /// By [`RegisterId`].
    pub(crate) registers: Vec<Option<Register>>,
    /// The register ALIASes.
    pub(crate) aliases: Vec<Option<Alias>>,
    /// Aliases, fields and LOCALs of operations.
    pub(crate) inner_names: InnerNames,
    /// By [`RamId`].
    pub(crate) rams: Vec<Option<Ram>>,
    /// By [`CacheId`].
    pub(crate) caches: Vec<Option<Cache>>,
    /// By [`DeviceId`].
    pub(crate) devices: Vec<Option<Device>>,
    /// By [`MapId`].
    pub(crate) maps: Vec<Option<Map>>,
    /// By [`PipelineId`]; one without stages was reported.
    pub(crate) pipelines: Vec<Pipeline>,
    /// By [`FunctionId`].
    pub(crate) functions: Vec<Option<Signature>>,
    /// The PC.
    pub(crate) pc: Option<RegisterPlace>,
    /// Of how many places those are made that stand where ALIASes are mentioned.
    pub(crate) expanded_places: Cell<usize>,
    /// Of how many comparisons those are made of the WHENs that ask for a bit which others choose.
    pub(crate) choice_comparisons: Cell<usize>,
}

impl Table {
    /// The register, if its declaration is sound.
    pub(crate) fn register(&self, id: RegisterId) -> Option<&Register> {
        self.registers.get(id.index())?.as_ref()
    }

    /// The ALIAS, if its declaration is sound.
    pub(crate) fn alias(&self, index: usize) -> Option<&Alias> {
        self.aliases.get(index)?.as_ref()
    }

    /// The register file and the element that texts call by this name.
    pub(crate) fn element_named(&self, name: &str) -> Option<(&Register, usize)> {
        self.registers.iter().flatten().find_map(|register| {
            let names = register.element_names.iter();
            let element = names.into_iter().position(|names| names.iter().any(|known| known == name))?;
            Some((register, element))
        })
    }

    /// Gives bits of an element another value after reset: the low ones of `value`. False if one of
    /// these is 1 above bit 127 of the element, where no number reaches.
    pub(crate) fn reset_part(&mut self, part: RegisterPart, value: u128) -> bool {
        let Some(Some(register)) = self.registers.get_mut(part.register.index()) else { return true };
        let mask = u128::MAX.checked_shr(u128::BITS - part.width_bits.min(u128::BITS)).unwrap_or(0);
        let moved = |bits: u128| bits.checked_shl(part.low).unwrap_or(0);
        let (bits, wanted) = (moved(mask), value & mask);
        let value = moved(wanted);
        if value.checked_shr(part.low).unwrap_or(0) != wanted {
            return false;
        }
        let found = register.element_resets.iter_mut().find(|(element, _)| *element == part.element);
        match found {
            Some((_, reset)) => *reset = *reset & !bits | value,
            None => register.element_resets.push((part.element, register.reset & !bits | value)),
        }
        register.element_resets.sort_unstable();
        true
    }

    /// The memory, if its declaration is sound.
    pub(crate) fn ram(&self, id: RamId) -> Option<&Ram> {
        self.rams.get(id.index())?.as_ref()
    }

    /// The map, if its declaration is sound.
    pub(crate) fn map(&self, id: MapId) -> Option<&Map> {
        self.maps.get(id.index())?.as_ref()
    }

    /// Width of the PC in bits; 32 if there is none, which is reported elsewhere.
    pub(crate) fn pc_bits(&self) -> u32 {
        self.pc.as_ref().map_or(32, |pc| pc.width_bits)
    }
}
