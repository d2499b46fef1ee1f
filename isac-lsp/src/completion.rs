//! What may stand at the cursor: keywords by what is around, and the names that are in scope there.
//!
//! While somebody types, the text is mostly wrong. So what is around is told by the words before the
//! cursor; names are those of the text as far as it could be read, and those that it had when all of it
//! could.

use std::collections::BTreeMap;

use isac_parser::source::FileId;
use isac_parser::words as known;
use lsp_types::{CompletionItem, CompletionItemKind, Position};

use crate::analysis::Analysis;
use crate::index::{Index, Kind, SymbolId};
use crate::word::{self, Word, words};

/// What is offered at a position; `whole` is the description as it was when all of it could be parsed.
pub(crate) fn completions_at(
    analysis: &Analysis,
    whole: Option<&Analysis>,
    file: FileId,
    position: Position,
) -> Vec<CompletionItem> {
    let text = analysis.sources.text(file);
    let offset = analysis.offset(file, position);
    let mut before: Vec<Word> = words(text).into_iter().filter(|word| word.start < offset).collect();
    if before.last().is_some_and(|word| is_inside(word, text, offset)) {
        return Vec::new();
    }
    // The word that is being typed is no part of what is around it.
    if before.last().is_some_and(|word| word.end >= offset && word.kind == word::Kind::Name) {
        before.pop();
    }
    before.retain(|word| word.kind != word::Kind::Comment);
    let around = Around::of(&before, text);
    let place = Place { file, offset: u32::try_from(offset).unwrap_or(u32::MAX) };
    let mut offers =
        Offers { index: &analysis.index, place: Some(place), around: &around, items: BTreeMap::new() };
    offers.collect();
    if let Some(whole) = whole {
        // Its places are no longer those of the text.
        (offers.index, offers.place) = (&whole.index, None);
        offers.collect();
    }
    offers.items.into_values().collect()
}

/// True in a comment, a string or a number: nothing is completed there.
fn is_inside(word: &Word, text: &str, offset: usize) -> bool {
    match word.kind {
        word::Kind::Comment => offset < word.end || word.of(text).starts_with("//"),
        word::Kind::Text => {
            offset < word.end || word.end - word.start < 2 || !word.of(text).ends_with(['"', '\''])
        }
        word::Kind::Number => offset <= word.end,
        _ => false,
    }
}

/// What stands before the cursor.
#[derive(Debug, Default)]
struct Around<'t> {
    /// What the braces around belong to, the outermost first: the words before each brace.
    braces: Vec<Vec<&'t str>>,
    /// The words of what has begun and is not over.
    begun: Vec<&'t str>,
}

impl<'t> Around<'t> {
    fn of(before: &[Word], text: &'t str) -> Around<'t> {
        let mut around = Around::default();
        for word in before {
            let letters = word.of(text);
            let begins_item = known::ITEMS.contains(&letters);
            match letters {
                _ if begins_item => {
                    // A definition begins anew, whatever is still open.
                    around.braces.clear();
                    around.begun = vec![letters];
                }
                "{" => around.braces.push(std::mem::take(&mut around.begun)),
                "}" => {
                    around.braces.pop();
                    around.begun.clear();
                }
                ";" => around.begun.clear(),
                letters => around.begun.push(letters),
            }
        }
        around
    }

    /// The word that the braces with this depth belong to.
    fn head(&self, depth: usize) -> &str {
        let words = self.braces.get(depth).map_or(&[][..], Vec::as_slice);
        match words {
            ["PC", second, ..] => second,
            [first, ..] => first,
            [] => "",
        }
    }

    /// The operation around.
    fn operation(&self) -> Option<&'t str> {
        match self.braces.first().map(Vec::as_slice) {
            Some(["OPERATION", name, ..]) => Some(name),
            _ => None,
        }
    }

    fn last(&self, back: usize) -> &'t str {
        self.begun.len().checked_sub(back).map_or("", |at| self.begun[at])
    }
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy)]
struct Place {
    file: FileId,
    offset: u32,
}

struct Offers<'a> {
    index: &'a Index,
    /// In the text that the index is of.
    place: Option<Place>,
    around: &'a Around<'a>,
    items: BTreeMap<String, CompletionItem>,
}

impl Offers<'_> {
    fn collect(&mut self) {
        if self.around.last(1) == "." {
            return self.members(self.around.last(2));
        }
        if self.around.last(1) == "#" {
            return self.words(known::FORMATS, "format");
        }
        match self.around.head(0) {
            "" if self.around.braces.is_empty() => self.at_top(),
            "OPERATION" => match self.around.braces.len() {
                1 => self.in_operation(),
                _ => self.in_section(),
            },
            "FUNCTION" => self.in_behavior(),
            "RESOURCE" => match self.around.braces.len() {
                1 => self.words(known::DECLARATIONS, "declaration"),
                _ => self.in_declaration(),
            },
            "TARGET" => self.in_target(),
            "PSEUDO" => {
                self.visible_locals();
                if self.around.last(1) == ":" {
                    self.units();
                }
            }
            _ => {}
        }
    }

    fn at_top(&mut self) {
        match self.around.begun.as_slice() {
            [] => self.words(known::ITEMS, "definition"),
            ["GROUP", _, "=", ..] => self.units(),
            ["OPERATION", _] => self.words(&["IN"], "keyword"),
            ["OPERATION", _, "IN"] => self.globals(|kind| kind == Kind::Pipeline),
            ["CONSTANT", _, "=", ..] => self.globals(|kind| kind == Kind::Constant),
            ["FUNCTION"] => self.words(known::TYPES, "type"),
            ["PSEUDO", ..] => self.words(&["WHEN"], "keyword"),
            _ => {}
        }
    }

    fn in_operation(&mut self) {
        match self.around.begun.as_slice() {
            [] => self.words(known::SECTIONS, "section"),
            ["INSTANCE"] => self.units(),
            ["INSTANCE", _] => self.words(&["ALIAS"], "keyword"),
            _ => {}
        }
    }

    fn in_section(&mut self) {
        match self.around.head(1) {
            "CODING" | "TAIL" | "ASSEMBLER" | "WHEN" => {
                self.inner();
                if self.around.head(1) == "WHEN" {
                    self.globals(|kind| kind == Kind::Constant);
                }
            }
            "REFERENCE" => self.of_parents(),
            "LOCAL" => self.words(known::TYPES, "type"),
            "ACTIVATION" => {
                self.inner();
                self.units();
                self.globals(is_value);
                self.words(&["IF", "ELSE", "SWITCH", "CASE", "DEFAULT", "DELAY"], "keyword");
            }
            "CODINGROOT" => {
                self.inner();
                self.units();
                self.globals(is_value);
                self.words(&["IF", "ELSE", "SWITCH", "CASE", "AT"], "keyword");
            }
            "BEHAVIOR" | "EXPRESSION" => {
                self.inner();
                self.in_behavior();
            }
            _ => {}
        }
    }

    fn in_behavior(&mut self) {
        // The first argument of a pipeline's service is a stage.
        if let ["(", _, ".", pipeline] =
            self.around.begun.iter().rev().copied().collect::<Vec<_>>()[..].get(..4).unwrap_or_default()
        {
            return self.stages(pipeline);
        }
        self.visible_locals();
        self.globals(|kind| is_value(kind) || kind == Kind::Function);
        self.words(known::BUILTINS, "built-in function");
        self.words(known::VALUES, "value");
        if self.around.head(1) != "EXPRESSION" {
            self.words(known::STATEMENTS, "keyword");
        }
        self.words(known::TYPES, "type");
    }

    fn in_declaration(&mut self) {
        let (list, last) = (self.around.head(1), self.around.begun.first().copied());
        match (list, last) {
            (_, None) => self.words(
                match list {
                    "REGISTER" | "ALIAS" => known::REGISTER_OPTIONS,
                    "RAM" => known::RAM_OPTIONS,
                    "CACHE" => known::CACHE_OPTIONS,
                    "DEVICE" => &["KIND"],
                    "MEMORY_MAP" => known::MAP_OPTIONS,
                    _ => &[],
                },
                "option",
            ),
            ("DEVICE", Some("KIND")) => self.words(known::DEVICE_KINDS, "word"),
            ("RAM", Some("FLAGS")) => self.words(&["R", "W", "X"], "word"),
            ("CACHE", Some("REPLACEMENT")) => self.words(&["LRU", "FIFO", "RANDOM"], "word"),
            ("CACHE", Some("WRITE")) => self.words(&["BACK", "THROUGH"], "word"),
            ("CACHE", Some("OVER")) => self.globals(|kind| kind == Kind::Ram),
            ("MEMORY_MAP", Some("RANGE")) if self.around.begun.contains(&">") => {
                let is_target =
                    |kind| matches!(kind, Kind::Ram | Kind::Cache | Kind::Device | Kind::Register);
                self.globals(|kind| is_target(kind) || kind == Kind::Function);
            }
            _ => self.globals(|kind| kind == Kind::Constant),
        }
    }

    fn in_target(&mut self) {
        match self.around.begun.first().copied() {
            None => self.words(known::TARGET_FIELDS, "field"),
            Some("ENDIAN") => self.words(&["LITTLE", "BIG"], "word"),
            Some("SYSCALLS") => self.words(known::SYSCALLS, "word"),
            Some("ELF_ADDRESS") => self.words(&["VIRTUAL", "PHYSICAL"], "word"),
            Some("HOST") => self.globals(|kind| kind == Kind::Map),
            Some("LOAD") if self.around.begun.contains(&">") => self.globals(|kind| kind == Kind::Map),
            Some(_) => self.globals(is_value),
        }
    }

    /// What stands behind a point.
    fn members(&mut self, base: &str) {
        let index = self.index;
        let inner = self.around.operation().and_then(|operation| index.inner.get(operation)?.get(base));
        if let (Some(_), Some(operation)) = (inner, self.around.operation()) {
            let choices = index.choices(operation, base);
            let fields: Vec<SymbolId> = choices
                .into_iter()
                .filter_map(|choice| index.inner.get(choice))
                .flat_map(|names| names.values().copied())
                .filter(|symbol| index.symbols[*symbol].kind == Kind::Field)
                .collect();
            return fields.into_iter().for_each(|field| self.symbol(field));
        }
        let global = index.globals.get(base).map(|symbol| index.symbols[*symbol].kind);
        match global {
            Some(Kind::Pipeline) if self.around.last(3) == "IN" => self.stages(base),
            Some(Kind::Pipeline) => self.words(known::PIPELINE_MEMBERS, "service"),
            Some(Kind::Map) => self.words(known::MAP_MEMBERS, "view"),
            Some(Kind::Device) => self.words(&["pending"], "value"),
            _ => {}
        }
    }

    fn stages(&mut self, pipeline: &str) {
        let stages: Vec<SymbolId> =
            self.index.stages.get(pipeline).into_iter().flat_map(BTreeMap::values).copied().collect();
        stages.into_iter().for_each(|stage| self.symbol(stage));
    }

    fn units(&mut self) {
        let units: Vec<SymbolId> = self.index.units.values().copied().collect();
        units.into_iter().for_each(|unit| self.symbol(unit));
    }

    fn globals(&mut self, wanted: impl Fn(Kind) -> bool) {
        let index = self.index;
        let found: Vec<SymbolId> =
            index.globals.values().copied().filter(|symbol| wanted(index.symbols[*symbol].kind)).collect();
        found.into_iter().for_each(|symbol| self.symbol(symbol));
    }

    /// The names of the operation around.
    fn inner(&mut self) {
        let names = self.around.operation().and_then(|operation| self.index.inner.get(operation));
        let names: Vec<SymbolId> = names.into_iter().flat_map(BTreeMap::values).copied().collect();
        names.into_iter().for_each(|symbol| self.symbol(symbol));
    }

    /// What a REFERENCE may name.
    fn of_parents(&mut self) {
        let index = self.index;
        let parents = self.around.operation().and_then(|operation| index.parents.get(operation));
        let found: Vec<SymbolId> = parents
            .into_iter()
            .flatten()
            .filter_map(|parent| index.inner.get(parent))
            .flat_map(BTreeMap::values)
            .copied()
            .collect();
        found.into_iter().for_each(|symbol| self.symbol(symbol));
    }

    /// Variables and parameters whose block the cursor is in.
    fn visible_locals(&mut self) {
        let Some(Place { file, offset }) = self.place else { return };
        let symbols = self.index.symbols.iter().enumerate();
        let visible = symbols.filter(|(_, symbol)| {
            let scope = symbol.scope.filter(|scope| scope.file == file);
            scope.is_some_and(|scope| scope.start < offset && offset <= scope.end)
        });
        let visible: Vec<SymbolId> = visible.map(|(id, _)| id).collect();
        visible.into_iter().for_each(|symbol| self.symbol(symbol));
    }

    fn symbol(&mut self, symbol: SymbolId) {
        let symbol = &self.index.symbols[symbol];
        let kind = match symbol.kind {
            Kind::Operation => CompletionItemKind::CLASS,
            Kind::Group => CompletionItemKind::ENUM,
            Kind::Constant => CompletionItemKind::CONSTANT,
            Kind::Function => CompletionItemKind::FUNCTION,
            Kind::Stage => CompletionItemKind::ENUM_MEMBER,
            Kind::Field => CompletionItemKind::FIELD,
            Kind::Map | Kind::Pipeline | Kind::Ram | Kind::Cache | Kind::Device => CompletionItemKind::MODULE,
            _ => CompletionItemKind::VARIABLE,
        };
        self.offer(&symbol.name, kind, symbol.kind.words());
    }

    fn words(&mut self, words: &[&str], detail: &str) {
        words.iter().for_each(|word| self.offer(word, CompletionItemKind::KEYWORD, detail));
    }

    /// Of two that are called alike the first stands: it hides the other.
    fn offer(&mut self, label: &str, kind: CompletionItemKind, detail: &str) {
        self.items.entry(label.to_owned()).or_insert_with(|| CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: Some(detail.to_owned()),
            ..CompletionItem::default()
        });
    }
}

/// What has a value, or elements that have.
fn is_value(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Constant | Kind::Register | Kind::RegisterAlias | Kind::Map | Kind::Pipeline | Kind::Device
    )
}
