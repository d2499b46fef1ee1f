//! Sound models, broken in every way that the rules name: each break is reported, with its code and
//! its place.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use isac_parser::ast::{
    AssemblerItem, CodingItem, File, Item, MemoryMapDeclaration, Operation, PseudoItem, ResourceDeclaration,
    Section,
};
use isac_parser::diagnostic::{Diagnostic, Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::model::{CheckedModel, InstanceRole, OperationOrGroup};
use isac_parser::parse_model;
use isac_parser::source::{FileId, FileSystem, SourceLoader, SourceMap, Span};

/// Of each kind of break, so many are tried in one model, spread over it.
const SITES: usize = 4;

/// Where a break has to be reported: in one of the labels of a finding.
#[derive(Debug, Clone)]
enum Place {
    /// In what was put in.
    Edited,
    /// At something that was there before.
    Old(Span),
    /// In what was put behind everything else.
    Appended,
    /// Anywhere: something is missing.
    Anywhere,
}

/// A break.
#[derive(Debug, Clone)]
struct Break {
    file: FileId,
    /// What is replaced, and by what.
    range: Range<usize>,
    text: String,
    /// What is put at the end of the file.
    appended: String,
    /// One of these codes is what is said.
    codes: &'static [&'static str],
    place: Place,
}

fn replaced(span: Span, text: impl Into<String>, codes: &'static [&'static str]) -> Break {
    let range = span.start as usize..span.end as usize;
    Break { file: span.file, range, text: text.into(), appended: String::new(), codes, place: Place::Edited }
}

fn before(span: Span, text: impl Into<String>, codes: &'static [&'static str]) -> Break {
    replaced(Span { end: span.start, ..span }, text, codes)
}

impl Break {
    fn at(mut self, span: Span) -> Break {
        self.place = Place::Old(span);
        self
    }

    fn anywhere(mut self) -> Break {
        self.place = Place::Anywhere;
        self
    }

    fn with(mut self, appended: impl Into<String>) -> Break {
        self.appended = appended.into();
        self.place = Place::Appended;
        self
    }
}

/// A sound model with all that is needed to break it.
struct Sound {
    path: PathBuf,
    sources: SourceMap,
    files: Vec<(FileId, File)>,
    model: CheckedModel,
}

/// The files of a model, one of them changed.
struct Changed<'a> {
    path: &'a Path,
    text: &'a str,
}

impl SourceLoader for Changed<'_> {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        match path == self.path {
            true => Ok(self.text.as_bytes().to_vec()),
            false => FileSystem.load(path),
        }
    }
}

impl Sound {
    fn new(model: &str) -> Sound {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(model);
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let model = load_model(&path, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
        let model = model.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain)));
        let mut sources = SourceMap::new();
        let files = parse_model(&path, &FileSystem, &mut sources, &mut Diagnostics::new());
        Sound { path, sources, files, model }
    }

    fn text(&self, span: Span) -> &str {
        self.sources.slice(span)
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.files.iter().flat_map(|(_, file)| &file.items)
    }

    fn operations(&self) -> Vec<&Operation> {
        let mut found = Vec::new();
        for item in self.items() {
            if let Item::Operation(operation) = item {
                found.push(operation);
            }
        }
        found
    }

    fn declarations(&self) -> Vec<&ResourceDeclaration> {
        let mut found = Vec::new();
        for item in self.items() {
            if let Item::Resource(section) = item {
                found.extend(&section.declarations);
            }
        }
        found
    }

    fn maps(&self) -> Vec<&MemoryMapDeclaration> {
        let mut found = Vec::new();
        for declaration in self.declarations() {
            if let ResourceDeclaration::MemoryMap(map) = declaration {
                found.push(map);
            }
        }
        found
    }

    fn resolved(&self, operation: &Operation) -> &isac_parser::model::Operation {
        let found = self.model.operations.iter().find(|found| found.name == operation.name.text);
        found.expect("every operation is resolved")
    }

    /// What is said of the broken model.
    fn said(&self, broken: &Break) -> (Diagnostics, SourceMap, Range<usize>, Range<usize>) {
        let old = self.sources.text(broken.file);
        let edited = broken.range.start..broken.range.start + broken.text.len();
        let mut text = format!("{}{}", &old[..broken.range.start], broken.text);
        text += &old[broken.range.end..];
        let appended = text.len()..text.len() + broken.appended.len();
        text += &broken.appended;
        let loader = Changed { path: self.sources.path(broken.file), text: &text };
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        load_model(&self.path, &loader, &BTreeMap::new(), &mut sources, &mut findings);
        (findings, sources, edited, appended)
    }

    /// Why a break is not reported as it should be.
    fn missed(&self, kind: &str, broken: &Break) -> Option<String> {
        let (findings, sources, edited, appended) = self.said(broken);
        let path = self.sources.path(broken.file);
        let (file, range) = match &broken.place {
            Place::Edited => (path, edited),
            Place::Appended => (path, appended),
            Place::Anywhere => (path, 0..usize::MAX),
            Place::Old(span) => {
                let moved = |offset: u32| match (span.file, offset as usize) {
                    (file, offset) if file == broken.file && offset >= broken.range.end => {
                        offset + edited.end - broken.range.end
                    }
                    (_, offset) => offset,
                };
                (self.sources.path(span.file), moved(span.start)..moved(span.end))
            }
        };
        let touches = |span: Span| {
            let (start, end) = (span.start as usize, span.end as usize);
            sources.path(span.file) == file && start <= range.end && range.start <= end
        };
        let is_there = |finding: &Diagnostic| {
            let labels = finding.secondary.iter().map(|(span, _)| *span);
            let anywhere = matches!(broken.place, Place::Anywhere);
            broken.codes.contains(&finding.code.0)
                && (anywhere || [finding.primary.0].into_iter().chain(labels).any(touches))
        };
        let reported = findings.iter().any(is_there);
        let line =
            sources.line_column(Span { file: broken.file, start: broken.range.start as u32, end: 0 }).0;
        (!reported).then(|| {
            let said = findings.render(&sources, Style::Plain);
            format!(
                "{kind}: {}:{line}: expected {:?} at {range:?} of {}\n{}",
                path.display(),
                broken.codes,
                file.display(),
                &said[..said.floor_char_boundary(1500)]
            )
        })
    }
}

/// The sections of an operation that fit, with their spans.
fn coding(operation: &Operation) -> Option<&isac_parser::ast::CodingSection> {
    operation.sections.iter().find_map(|section| match section {
        Section::Coding(section) => Some(section),
        _ => None,
    })
}

fn behavior(operation: &Operation) -> Option<Span> {
    operation.sections.iter().find_map(|section| match section {
        Section::Behavior(section) => Some(section.span),
        _ => None,
    })
}

/// Behind the brace that opens a section.
fn inside(sound: &Sound, span: Span) -> Span {
    let brace = sound.text(span).find('{').expect("a section has a brace") as u32;
    Span { file: span.file, start: span.start + brace + 1, end: span.start + brace + 1 }
}

/// All breaks of a model by kind.
fn breaks(sound: &Sound) -> BTreeMap<&'static str, Vec<Break>> {
    let mut found: BTreeMap<&'static str, Vec<Break>> = BTreeMap::new();
    let mut push = |kind: &'static str, broken: Break| found.entry(kind).or_default().push(broken);
    break_groups(sound, &mut push);
    break_codings(sound, &mut push);
    break_bodies(sound, &mut push);
    break_resources(sound, &mut push);
    break_time(sound, &mut push);
    break_reserved(sound, &mut push);
    break_pseudos(sound, &mut push);
    break_texts(sound, &mut push);
    break_syntax(sound, &mut push);
    found
}

type Push<'p> = &'p mut dyn FnMut(&'static str, Break);

fn break_groups(sound: &Sound, push: Push<'_>) {
    let groups: Vec<_> = sound
        .items()
        .filter_map(|item| if let Item::Group(group) = item { Some(group) } else { None })
        .collect();
    let operations = sound.operations();
    for group in &groups {
        let last = &group.members[group.members.len() - 1];
        let first = &group.members[0];
        let name = &group.name.text;
        push(
            "a member twice",
            replaced(last.span, format!("{}, {}", last.text, first.text), &["E0208", "E0202"]),
        );
        push("an unknown member", replaced(last.span, format!("{}, nothing_at_all", last.text), &["E0201"]));
        let itself = replaced(last.span, format!("{}, {name}", last.text), &["E0205"]);
        push("a group in itself", itself.at(group.name.span));
        for member in &group.members {
            let Some(operation) = operations.iter().find(|found| found.name.text == member.text) else {
                continue;
            };
            push(
                "a definition that is missing",
                replaced(operation.span, "", &["E0201", "E0203"]).at(member.span),
            );
            let copy = sound.text(operation.span).replacen(&member.text, "copy_of_it", 1) + "\n";
            if coding(operation).is_some() {
                // The copy stands in the file of its group: what it matches another one matches, too.
                let twice = replaced(last.span, format!("{}, copy_of_it", last.text), &["E0410"]);
                push("two codings that overlap", twice.with(format!("\nOPERATION{}", after_keyword(&copy))));
            }
            push(
                "an operation twice",
                replaced(operation.span, format!("{0}\n{0}", sound.text(operation.span)), &["E0202"]),
            );
            if group.members.len() > 1 && member.text != first.text && mentions(sound, &member.text) == 1 {
                let comma = Span { start: member.span.start, ..member.span };
                let list = sound.text(group.span);
                let at = (comma.start - group.span.start) as usize;
                let from = list[..at].rfind(',').expect("a comma stands before it") as u32 + group.span.start;
                let gone = Span { file: group.span.file, start: from, end: member.span.end };
                push(
                    "an operation that nothing uses",
                    replaced(gone, "", &["W0201"]).at(operation.name.span),
                );
            }
        }
    }
    let main = operations.iter().find(|operation| operation.name.text == "main").expect("`main` is there");
    push("no main", replaced(main.name.span, "mainly", &["E0204"]).anywhere());
}

/// The text of a definition behind its first word.
fn after_keyword(text: &str) -> &str {
    text.strip_prefix("OPERATION").expect("an operation begins with its word")
}

/// How many groups, INSTANCEs and ACTIVATIONs name an operation.
fn mentions(sound: &Sound, name: &str) -> usize {
    let mut count = 0;
    for item in sound.items() {
        match item {
            Item::Group(group) => count += group.members.iter().filter(|member| member.text == name).count(),
            Item::Operation(operation) => {
                let text = sound.text(operation.span);
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                count += text.split(|c| !is_word(c)).skip(2).filter(|word| *word == name).count();
            }
            _ => {}
        }
    }
    count
}

fn break_codings(sound: &Sound, push: Push<'_>) {
    for operation in sound.operations() {
        let Some(section) = coding(operation) else { continue };
        let resolved = sound.resolved(operation);
        let widths = &["E0401", "E0408", "E0410", "E0422", "E0403", "E0304"];
        let whole = operation.span;
        push("a wider CODING", before(section.items[0].span(), "0b1 ", widths).at(whole));
        push(
            "a REFERENCE that nobody has",
            before(section.span, "REFERENCE { nobody_has_it }; ", &["E0210"]),
        );
        push("an unknown name in CODING", before(section.items[0].span(), "nothing_at_all ", &["E0201"]));
        for item in &section.items {
            match item {
                CodingItem::Field { name, pattern } => {
                    let again = format!("{} {}", sound.text(item.span()), sound.text(item.span()));
                    push("a field coded twice", replaced(item.span(), again, &["E0402", "E0202"]));
                    let width = pattern.bits.len();
                    if width < 100 && !has_when(operation) && pattern.bits.iter().all(Option::is_none) {
                        let never = format!("WHEN {{ {} == {} }}; ", name.text, 1u128 << width);
                        push("what bits can never be", before(section.span, never, &["E0431"]));
                    }
                }
                CodingItem::Name { name, slice: None, span } => {
                    let is_alias = resolved
                        .instances
                        .iter()
                        .find(|instance| instance.alias == name.text && instance.role == InstanceRole::Coded);
                    let Some(width) = is_alias.and_then(|instance| instance.width_bits) else { continue };
                    if width > 1 {
                        // As a whole it may stand twice.
                        let again = format!("{0} {0}[0]", name.text);
                        push("an alias coded twice", replaced(*span, again, &["E0402"]));
                        let some = format!("{}[{}..1] 0b0", name.text, width - 1);
                        push("bits never coded", replaced(*span, some, &["E0403"]));
                    }
                }
                CodingItem::Name { slice: Some(_), span, .. } => {
                    let again = format!("{0} {0}", sound.text(*span));
                    push("a slice coded twice", replaced(*span, again, &["E0402"]));
                }
                CodingItem::Bits(_) => {}
            }
        }
        // A copy that no word reaches: its WHEN allows none.
        let field = section.items.iter().find_map(|item| match item {
            CodingItem::Field { name, .. } => Some(name),
            _ => None,
        });
        let is_signed = field.and_then(|name| resolved.fields.iter().find(|field| field.name == name.text));
        let group = sound.items().find_map(|item| match item {
            Item::Group(group) => group.members.iter().find(|member| member.text == operation.name.text),
            _ => None,
        });
        if let (Some(field), Some(member), false) = (field, group, has_when(operation))
            && is_signed.is_some_and(|field| !field.signed)
            && member.span.file == operation.span.file
        {
            let never = format!("WHEN {{ {} < 0 }}; CODING", field.text);
            let copy = sound.text(operation.span).replacen(&operation.name.text, "copy_of_it", 1);
            let copy = copy.replacen("CODING", &never, 1);
            let twice = replaced(member.span, format!("{}, copy_of_it", member.text), &["W0402"]);
            push("a member that no word reaches", twice.with(format!("\n{copy}\n")));
        }
    }
}

fn has_when(operation: &Operation) -> bool {
    operation.sections.iter().any(|section| matches!(section, Section::When(_)))
}

fn break_bodies(sound: &Sound, push: Push<'_>) {
    for operation in sound.operations() {
        let Some(section) = behavior(operation) else { continue };
        let at = inside(sound, section);
        let wrong: [(&'static str, &str, &'static [&'static str]); 10] = [
            ("an undefined name", " nothing_at_all = 1; ", &["E0201"]),
            ("a jump out of nothing", " break; ", &["E0307"]),
            ("an assignment to a number", " 1 = 2; ", &["E0301"]),
            ("a slice out of bounds", " { bit[8] v = 1; v[9..8] = 0; } ", &["E0304"]),
            ("a constant cut off", " { bit[4] v = 16; v = v; } ", &["W0301"]),
            ("a result where none is expected", " return 1; ", &["E0309"]),
            ("a format without its value", " printf(\"%d\"); ", &["E0311"]),
            ("too few arguments", " halt(); ", &["E0303"]),
            ("a value that is dropped", " { int v = 0; v == 1; } ", &["W0304"]),
            ("a concatenation without widths", " { int v = (1 + 1) :: 0b1; v = v; } ", &["E0310"]),
        ];
        for (kind, text, codes) in wrong {
            push(kind, before(at, text, codes));
        }
        push("a second BEHAVIOR", before(section, "BEHAVIOR { }; ", &["E0207"]));
    }
    let end = sound.items().last().map(item_span).expect("a model has items");
    let nothing = Span { start: end.end, end: end.end, ..end };
    let recursive = "\nFUNCTION void calls_itself() { calls_itself(); }\n";
    push("recursion", replaced(nothing, "", &["E0313"]).with(recursive));
    push(
        "a FUNCTION that nothing calls",
        replaced(nothing, "", &["W0201"]).with("\nFUNCTION void unused_one() { }\n"),
    );
    let cyclic = "\nCONSTANT ONE_OF_TWO = TWO_OF_TWO; CONSTANT TWO_OF_TWO = ONE_OF_TWO;\n";
    push("a circle of CONSTANTs", replaced(nothing, "", &["E0206"]).with(cyclic));
    push(
        "an INCLUDE of nothing",
        replaced(nothing, "", &["E0111"]).with("\nINCLUDE \"nothing_at_all.isac\";\n"),
    );
}

fn item_span(item: &Item) -> Span {
    match item {
        Item::Include(item) => item.span,
        Item::Constant(item) => item.span,
        Item::Target(item) => item.span,
        Item::Resource(item) => item.span,
        Item::Group(item) => item.span,
        Item::Operation(item) => item.span,
        Item::Function(item) => item.span,
        Item::Pseudo(item) => item.span,
    }
}

fn break_resources(sound: &Sound, push: Push<'_>) {
    for map in sound.maps() {
        for range in &map.ranges {
            let text = sound.text(range.span);
            push("a RANGE twice", replaced(range.span, format!("{text} {text}"), &["E0506"]));
        }
    }
    for declaration in sound.declarations() {
        match declaration {
            ResourceDeclaration::Register(register) => {
                let text = sound.text(register.span);
                let is_pc = text.starts_with("PC ");
                push(
                    "a register twice",
                    replaced(register.span, format!("{text} {text}"), &["E0202", "E0502"]),
                );
                let width = Span {
                    end: register.span.start + text.find(']').expect("a width") as u32 + 1,
                    ..register.span
                };
                let wide = sound.text(width).split('[').next().unwrap_or_default().to_owned() + "[300]";
                push("a register too wide", replaced(width, wide, &["E0504", "E0503"]));
                if is_pc {
                    push("a second PC", before(register.span, "PC REGISTER bit[8] second_one; ", &["E0502"]));
                    let rest = text.strip_prefix("PC ").unwrap_or_default().to_owned();
                    push("no PC", replaced(register.span, rest, &["E0501"]).anywhere());
                }
                push(
                    "a register that nothing uses",
                    before(register.span, "REGISTER bit[8] unused_one; ", &["W0201"]),
                );
                push(
                    "an ALIAS of itself",
                    before(register.span, "ALIAS bit[8] selfish = selfish; ", &["E0511"]),
                );
            }
            ResourceDeclaration::Ram(ram) => {
                let text = sound.text(ram.span);
                push("an unknown option", replaced(ram.span, text.replacen("SIZE", "SIZ", 1), &["E0509"]));
                let size = text.find("SIZE").expect("a RAM has a size");
                let end = size + text[size..].find(')').expect("the size ends");
                let small = format!("{}SIZE (1{}", &text[..size], &text[end..]);
                push("a RANGE beyond its RAM", replaced(ram.span, small, &["E0507"]));
            }
            _ => {}
        }
    }
}

fn break_pseudos(sound: &Sound, push: Push<'_>) {
    for item in sound.items() {
        let Item::Pseudo(pseudo) = item else { continue };
        for result in &pseudo.results {
            let Some(PseudoItem::Text(first)) = result.first() else { continue };
            push("a result that is no instruction", replaced(first.span, "\"zz_nothing\"", &["E0415"]));
            if let [.., PseudoItem::Name(last)] = result.as_slice() {
                push(
                    "a result that goes on",
                    replaced(last.span, format!("{} \"@\"", last.text), &["E0415"]),
                );
            }
        }
    }
}

/// What the names that the language reserves ask for.
fn break_reserved(sound: &Sound, push: Push<'_>) {
    let end = sound.items().last().map(item_span).expect("a model has items");
    let nothing = Span { start: end.end, end: end.end, ..end };
    let handler = sound.items().find_map(|item| match item {
        Item::Function(function) if function.name.text == "memory_fault" => Some(function),
        _ => None,
    });
    let wrong = "a handler of faults of another signature";
    match handler {
        Some(handler) => {
            let parameters =
                Span { start: handler.name.span.end, end: handler.body.span.start, ..handler.span };
            push(wrong, replaced(parameters, "(bit[64] address) ", &["E0316"]));
        }
        None => {
            let text = "\nFUNCTION void memory_fault(bit[16] address) { }\n";
            push(wrong, replaced(nothing, "", &["E0316"]).with(text));
        }
    }
    let later = "\nOPERATION goes_later { };\n";
    let activation = "ACTIVATION { goes_later; };";
    let wrong = "an ACTIVATION of `reset`";
    match sound.operations().into_iter().find(|operation| operation.name.text == "reset") {
        Some(reset) => {
            let brace = sound.text(reset.span).find('{').expect("an operation has a brace") as u32 + 1;
            let at = Span { start: reset.span.start + brace, ..reset.span };
            push(wrong, before(at, activation, &["E0904"]).with(later).edited());
        }
        None => {
            let text = format!("{later}OPERATION reset {{ {activation} }};\n");
            push(wrong, replaced(nothing, "", &["E0904"]).with(text));
        }
    }
    let main = sound.operations().into_iter().find(|operation| operation.name.text == "main");
    let section = main.and_then(|main| {
        main.sections.iter().find_map(|section| match section {
            Section::Activation(section) => Some(section.span),
            _ => None,
        })
    });
    let section = section.expect("`main` activates something");
    push("paths that double", before(inside(sound, section), " way0; ", &["E0610"]).with(doubling_paths()));
}

/// Operations of which each activates the next one in two ways, sixteen times.
fn doubling_paths() -> String {
    let mut text = "\nRESOURCE { REGISTER bit[1] fork; };\nOPERATION way16 { };\n".to_owned();
    for level in 0..16 {
        let next = level + 1;
        text += &format!(
            "OPERATION way{level} {{ ACTIVATION {{ IF (fork) {{ left{level}; }} ELSE {{ right{level}; }} }}; }};\n\
             OPERATION left{level} {{ ACTIVATION {{ way{next}; }}; }};\n\
             OPERATION right{level} {{ ACTIVATION {{ way{next}; }}; }};\n"
        );
    }
    text
}

fn break_time(sound: &Sound, push: Push<'_>) {
    let stages: Vec<(&str, &str)> = (sound.model.pipelines.iter())
        .flat_map(|pipeline| {
            pipeline.stages.iter().map(|stage| (pipeline.name.as_str(), stage.name.as_str()))
        })
        .collect();
    for operation in sound.operations() {
        let is_operand = operation.sections.iter().any(|section| matches!(section, Section::Expression(_)));
        let activates = operation.sections.iter().any(|section| matches!(section, Section::Activation(_)));
        if is_operand || activates || operation.name.text == "reset" {
            continue;
        }
        let at = Span { start: operation.span.end - 1, end: operation.span.end - 1, ..operation.span };
        let closing = sound.text(operation.span).rfind('}').expect("an operation ends") as u32;
        let at = Span { start: operation.span.start + closing, end: operation.span.start + closing, ..at };
        let text = "ACTIVATION { goes_round; }; ";
        let round = "\nOPERATION goes_round { ACTIVATION { goes_round; }; };\n";
        push("a circle without delay", before(at, text, &["E0601"]).with(round));
        let far = "ACTIVATION { far_away DELAY (-1); }; ";
        push("a negative DELAY", before(at, far, &["E0605"]));
        let group = "ACTIVATION { never_chosen; }; ";
        let chosen = "\nGROUP never_chosen = main;\n";
        push("a group that nothing chooses", before(at, group, &["E0602"]).with(chosen).edited());
        let Some((pipeline, stage)) = &operation.stage else { continue };
        let position =
            stages.iter().position(|known| *known == (pipeline.text.as_str(), stage.text.as_str()));
        if let Some(position) = position.filter(|position| *position > 0) {
            let (_, earlier) = stages[position - 1];
            let back =
                format!("\nOPERATION goes_back IN {}.{earlier} {{ BEHAVIOR {{ }}; }};\n", pipeline.text);
            push("a way back", before(at, "ACTIVATION { goes_back; }; ", &["E0606"]).with(back).edited());
        }
    }
    for operation in sound.operations() {
        let (Some((pipeline, stage)), Some(section)) = (&operation.stage, behavior(operation)) else {
            continue;
        };
        let of = sound.model.pipelines.iter().find(|known| known.name == pipeline.text);
        let others = of.into_iter().flat_map(|of| &of.stages).filter(|known| known.name != stage.text);
        if let Some((register, _)) = others.flat_map(|stage| &stage.registers).next() {
            let register = &sound.model.registers[register.index()];
            if register.count.is_none() {
                let text = format!(" {} = 0; ", register.name);
                push("a latch written elsewhere", before(inside(sound, section), text, &["E0607"]));
            }
        }
    }
}

impl Break {
    /// The place is what was put in, not what was put behind everything.
    fn edited(mut self) -> Break {
        self.place = Place::Edited;
        self
    }
}

fn break_texts(sound: &Sound, push: Push<'_>) {
    for operation in sound.operations() {
        let resolved = sound.resolved(operation);
        for section in &operation.sections {
            let Section::Assembler(section) = section else { continue };
            for item in &section.items {
                match item {
                    AssemblerItem::Name(name) if mentions_once(operation, &name.text) => {
                        let alias = resolved.instances.iter().find(|instance| instance.alias == name.text);
                        if let Some(alias) = alias.filter(|alias| alias.role == InstanceRole::Coded) {
                            push(
                                "an alias missing from the text",
                                replaced(name.span, "\"\"", &["W0401"])
                                    .at(alias_span(operation, &alias.alias)),
                            );
                        }
                        push("an unknown name in a text", replaced(name.span, "nothing_at_all", &["E0409"]));
                    }
                    AssemblerItem::Field { format, .. } => {
                        push("an unknown format", replaced(format.name.span, "Q", &["E0412"]));
                    }
                    _ => {}
                }
            }
        }
    }
    // A sibling with another fixed bit and the same text.
    for (id, operation) in sound.model.operations.iter().enumerate() {
        let target = OperationOrGroup::Operation(isac_parser::model::OperationId(id as u32));
        let is_member = sound.model.groups.iter().any(|group| group.members.contains(&target));
        let Some(ast) = sound.operations().into_iter().find(|ast| ast.name.text == operation.name) else {
            continue;
        };
        let free = coding(ast).and_then(|section| {
            section.items.iter().find_map(|item| match item {
                CodingItem::Field { name, pattern }
                    if pattern.bits.len() > 1 && pattern.bits.iter().all(Option::is_none) =>
                {
                    Some((name, pattern))
                }
                _ => None,
            })
        });
        let (Some((name, pattern)), true, false, false) =
            (free, is_member, operation.assembler.is_empty(), has_when(ast))
        else {
            continue;
        };
        let group = sound.items().find_map(|item| match item {
            Item::Group(group) => group.members.iter().find(|member| member.text == operation.name),
            _ => None,
        });
        let Some(member) = group.filter(|member| member.span.file == ast.span.file) else { continue };
        let is_plain = operation.fields.iter().any(|field| field.name == name.text && !field.signed);
        let text = sound.text(ast.span);
        if !is_plain || text.matches(&format!("{}=", name.text)).count() != 2 {
            continue;
        }
        // The copy is the same text with a field of which one bit less is coded: another word.
        let shorter = format!("0b1 {}=0bx[{}]", name.text, pattern.bits.len() - 1);
        let copy = text.replacen(&operation.name, "copy_of_it", 1).replacen(
            sound.text(name.span.to(pattern.span)),
            &shorter,
            1,
        );
        let twice = replaced(member.span, format!("{}, copy_of_it", member.text), &["E0414"]);
        push("two texts that cannot be told apart", twice.with(format!("\n{copy}\n")));
    }
}

/// True if the texts of an operation name an alias once.
fn mentions_once(operation: &Operation, name: &str) -> bool {
    let items = operation.sections.iter().filter_map(|section| match section {
        Section::Assembler(section) => Some(&section.items),
        _ => None,
    });
    items.flatten().filter(|item| matches!(item, AssemblerItem::Name(found) if found.text == name)).count()
        == 1
}

fn alias_span(operation: &Operation, alias: &str) -> Span {
    let aliases = operation.sections.iter().filter_map(|section| match section {
        Section::Instance(section) => Some(&section.aliases),
        _ => None,
    });
    aliases.flatten().find(|name| name.text == alias).expect("the alias is declared").span
}

fn break_syntax(sound: &Sound, push: Push<'_>) {
    for item in sound.items() {
        let span = item_span(item);
        let text = sound.text(span);
        if let Some(brace) = text.rfind('}') {
            let brace = Span { start: span.start + brace as u32, end: span.start + brace as u32 + 1, ..span };
            push("a brace that is missing", replaced(brace, "", &["E0101", "E0105"]).anywhere());
        }
        push("a stray token", before(span, "= ", &["E0101"]));
    }
}

fn check(model: &str) {
    let sound = Sound::new(model);
    let mut missed = Vec::new();
    let (mut tried, mut kinds) = (0, BTreeSet::new());
    for (kind, all) in breaks(&sound) {
        let step = all.len().div_ceil(SITES).max(1);
        for broken in all.iter().step_by(step) {
            tried += 1;
            kinds.insert(kind);
            missed.extend(sound.missed(kind, broken));
        }
    }
    assert!(missed.is_empty(), "{} of {tried} are missed\n{}", missed.len(), missed.join("\n"));
    assert!(tried >= 80 && kinds.len() >= 30, "{tried} breaks of {} kinds", kinds.len());
}

#[test]
fn each_break_of_tiny8_is_reported() {
    check("models/tiny8/tiny8.isac");
}

#[test]
fn each_break_of_rv32im_is_reported() {
    check("models/rv32im/rv32im.isac");
}

#[test]
fn each_break_of_pdp11_is_reported() {
    check("models/pdp11/pdp11.isac");
}

#[test]
fn each_break_of_the_pipeline_is_reported() {
    check("models/rv32im5/rv32im5.isac");
}

#[test]
fn each_break_of_timing_demo_is_reported() {
    check("models/timing-demo/timing-demo.isac");
}
