//! RESOURCE sections: registers, memories, maps, caches, devices, pipelines.

use super::{Expr, Name, Text};
use crate::source::Span;

/// `RESOURCE { ... };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceSection {
    /// Its declarations in order.
    pub declarations: Vec<ResourceDeclaration>,
    /// The whole section.
    pub span: Span,
}

/// One declaration of a RESOURCE section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceDeclaration {
    /// `[PC] REGISTER bit[n] a, b[k] { options };`
    Register(RegisterDeclaration),
    /// `[PC] ALIAS bit[n] X = ...;`
    Alias(AliasDeclaration),
    /// `RAM bit[n] ram { options };`
    Ram(RamDeclaration),
    /// `CACHE name { options };`
    Cache(CacheDeclaration),
    /// `DEVICE name { KIND (...); };`
    Device(DeviceDeclaration),
    /// `PIPELINE name { stages };`
    Pipeline(PipelineDeclaration),
    /// `MEMORY_MAP name { ranges };`
    MemoryMap(MemoryMapDeclaration),
}

/// `[PC] REGISTER bit[width] declarators { options };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterDeclaration {
    /// Where `PC` stands, if it does.
    pub pc: Option<Span>,
    /// Width in bits.
    pub width: Expr,
    /// The registers that share width and options.
    pub declarators: Vec<RegisterDeclarator>,
    /// What stands in the braces.
    pub options: Vec<RegisterOption>,
    /// The whole declaration.
    pub span: Span,
}

/// One name of a register declaration, a file of registers if it has a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterDeclarator {
    /// The register's name.
    pub name: Name,
    /// How many elements `x[count]` has.
    pub count: Option<Expr>,
}

/// An option of a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegisterOption {
    /// `RESET (value);`
    Reset {
        /// The value after reset.
        value: Expr,
        /// The option.
        span: Span,
    },
    /// `HARDWIRED (index, value);`
    Hardwired {
        /// The element.
        index: Expr,
        /// What it always reads.
        value: Expr,
        /// The option.
        span: Span,
    },
    /// `NAMES ("zero", "s0|fp", ...);`
    Names {
        /// One text an element, synonyms separated by `|`.
        names: Vec<Text>,
        /// The option.
        span: Span,
    },
}

/// `[PC] ALIAS bit[width] name = place;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AliasDeclaration {
    /// Where `PC` stands, if it does.
    pub pc: Option<Span>,
    /// Width in bits.
    pub width: Expr,
    /// The alias's name.
    pub name: Name,
    /// The elements, slices and concatenations it stands for.
    pub place: Expr,
    /// Options of a PC ALIAS.
    pub options: Vec<RegisterOption>,
    /// The whole declaration.
    pub span: Span,
}

/// A word with arguments in a declaration's braces, as `SIZE (4096);` or `FLAGS (R, W);`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceOption {
    /// The option's word.
    pub name: Name,
    /// Its arguments; words as `LRU` are [`super::ExprKind::Name`].
    pub arguments: Vec<Expr>,
    /// The option.
    pub span: Span,
}

/// `RAM bit[width] name { SIZE (n); FLAGS (R, W, X); LATENCY (n); };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RamDeclaration {
    /// Width of a cell in bits.
    pub width: Expr,
    /// The memory's name.
    pub name: Name,
    /// SIZE, FLAGS, LATENCY.
    pub options: Vec<ResourceOption>,
    /// The whole declaration.
    pub span: Span,
}

/// `CACHE name { ... };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheDeclaration {
    /// The cache's name.
    pub name: Name,
    /// SIZE, LINE, WAYS, REPLACEMENT, WRITE, HIT, MISS, OVER.
    pub options: Vec<ResourceOption>,
    /// The whole declaration.
    pub span: Span,
}

/// `DEVICE name { KIND (...); };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDeclaration {
    /// The device's name.
    pub name: Name,
    /// KIND.
    pub options: Vec<ResourceOption>,
    /// The whole declaration.
    pub span: Span,
}

/// `PIPELINE name { FE { registers }; DC { }; };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineDeclaration {
    /// The pipeline's name.
    pub name: Name,
    /// Its stages, first to last.
    pub stages: Vec<StageDeclaration>,
    /// The whole declaration.
    pub span: Span,
}

/// One stage with the registers that are set in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageDeclaration {
    /// The stage's name.
    pub name: Name,
    /// Registers set in this stage.
    pub registers: Vec<Name>,
}

/// `MEMORY_MAP name { ADDRESS (n); RANGE (low, high) -> target; };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMapDeclaration {
    /// The map's name.
    pub name: Name,
    /// Address width in bits.
    pub address_width: Option<Expr>,
    /// The ranges in the order of the text.
    pub ranges: Vec<RangeDeclaration>,
    /// The whole declaration.
    pub span: Span,
}

/// `RANGE (low, high) -> target;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeDeclaration {
    /// First address, in cells.
    pub low: Expr,
    /// Last address, in cells.
    pub high: Expr,
    /// What the range stands for.
    pub target: RangeTarget,
    /// The whole range.
    pub span: Span,
}

/// What a RANGE stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeTarget {
    /// `ram [(high..low)]`: a memory, cache, device, register or register file.
    Resource {
        /// The resource.
        name: Name,
        /// Bits of the cell, most significant first.
        slice: Option<(Expr, Expr)>,
    },
    /// `(read_function, write_function)`
    Functions {
        /// FUNCTION called on a read.
        read: Name,
        /// FUNCTION called on a write.
        write: Name,
    },
}
