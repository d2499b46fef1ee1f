//! Words with what they are, for editors that show them in colors.

use std::collections::BTreeMap;

use isac_parser::source::FileId;
use isac_parser::words;
use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType};

use crate::analysis::Analysis;
use crate::index::Kind as SymbolKind;
use crate::word::{self, Kind, Word};

/// The types of words, by the number that stands for them.
pub(crate) const TYPES: [SemanticTokenType; 13] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::CLASS,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::TYPE,
];

/// What may be said of a word besides.
pub(crate) const MODIFIERS: [SemanticTokenModifier; 3] =
    [SemanticTokenModifier::DEFINITION, SemanticTokenModifier::READONLY, SemanticTokenModifier::STATIC];

const DEFINITION: u32 = 1;
const READONLY: u32 = 2;
const STATIC: u32 = 4;

/// The words of a file, each by its distance from the one before.
pub(crate) fn tokens_of(analysis: &Analysis, file: FileId) -> Vec<SemanticToken> {
    let text = analysis.sources.text(file);
    let occurrences = analysis.index.occurrences.iter().filter(|occurrence| occurrence.span.file == file);
    let symbols: BTreeMap<usize, _> =
        occurrences.map(|occurrence| (occurrence.span.start as usize, occurrence)).collect();
    let mut tokens = Vec::new();
    let mut last = lsp_types::Position::new(0, 0);
    for word in word::words(text) {
        let found = symbols.get(&word.start).filter(|found| found.span.end as usize == word.end);
        let said = match found {
            Some(found) => {
                let (kind, modifiers) = of_symbol(analysis.index.symbols[found.symbol].kind);
                Some((kind, modifiers | if found.defines { DEFINITION } else { 0 }))
            }
            None => of_word(&word, word.of(text)).map(|kind| (kind, 0)),
        };
        let Some((token_type, token_modifiers_bitset)) = said else { continue };
        // A token is one line's: comments may have many.
        let mut start = word.start;
        for line in word.of(text).split_inclusive('\n') {
            let shown = line.trim_end_matches(['\r', '\n']);
            let range = analysis.range_of(file, start..start + shown.len());
            start += line.len();
            if shown.is_empty() {
                continue;
            }
            let delta_line = range.start.line - last.line;
            let from = if delta_line == 0 { last.character } else { 0 };
            tokens.push(SemanticToken {
                delta_line,
                delta_start: range.start.character - from,
                length: range.end.character - range.start.character,
                token_type,
                token_modifiers_bitset,
            });
            last = range.start;
        }
    }
    tokens
}

/// The type of a name that means something.
fn of_symbol(kind: SymbolKind) -> (u32, u32) {
    match kind {
        SymbolKind::Operation => (4, 0),
        SymbolKind::Group => (5, 0),
        SymbolKind::Constant => (7, READONLY),
        SymbolKind::Register | SymbolKind::RegisterAlias => (7, STATIC),
        SymbolKind::Ram | SymbolKind::Cache | SymbolKind::Device => (11, 0),
        SymbolKind::Map | SymbolKind::Pipeline => (11, 0),
        SymbolKind::Function => (8, 0),
        SymbolKind::Stage => (6, 0),
        SymbolKind::Instance | SymbolKind::Reference | SymbolKind::Parameter => (9, 0),
        SymbolKind::PseudoOperand => (9, 0),
        SymbolKind::Field => (10, 0),
        SymbolKind::Variable | SymbolKind::Local => (7, 0),
    }
}

/// The type of a word by itself.
fn of_word(word: &Word, letters: &str) -> Option<u32> {
    let is = |list: &[&str]| list.contains(&letters);
    match word.kind {
        Kind::Comment => Some(1),
        Kind::Text => Some(2),
        Kind::Number => Some(3),
        Kind::Mark => None,
        Kind::Name if is(words::BUILTINS) || is(words::PIPELINE_MEMBERS) => Some(8),
        Kind::Name if is(words::TYPES) || letters.ends_with("_t") => Some(12),
        Kind::Name if is(words::VALUES) => Some(7),
        Kind::Name if is(words::STATEMENTS) || is_keyword(letters) => Some(0),
        Kind::Name => None,
    }
}

/// A word of the language: in capitals, as its options are, too.
fn is_keyword(letters: &str) -> bool {
    let lists = [
        words::ITEMS,
        words::SECTIONS,
        words::DECLARATIONS,
        words::OTHERS,
        words::TARGET_FIELDS,
        words::REGISTER_OPTIONS,
        words::RAM_OPTIONS,
        words::CACHE_OPTIONS,
        words::MAP_OPTIONS,
        words::FORMATS,
        words::SYSCALLS,
        words::DEVICE_KINDS,
        &["KIND", "LITTLE", "BIG", "LRU", "FIFO", "RANDOM", "BACK", "THROUGH", "R", "W", "X"],
    ];
    lists.iter().any(|list| list.contains(&letters))
}
