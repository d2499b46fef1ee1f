//! What the user has set in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isac_parser::source::without_dots;
use serde::Deserialize;
use serde_json::Value;

use crate::hover::value_of;

/// Settings; what is missing or makes no sense is as it would be without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Root files of descriptions, for files that several descriptions INCLUDE.
    pub(crate) roots: Vec<PathBuf>,
    /// Values of CONSTANTs by name.
    pub(crate) define: BTreeMap<String, u128>,
    /// The profile of the last run.
    pub(crate) profile: Option<PathBuf>,
    /// How coverage is shown.
    pub(crate) coverage: Coverage,
}

/// How coverage is shown beside the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Coverage {
    /// Above operations.
    #[default]
    Lens,
    /// Behind the names of operations.
    Hint,
    /// Not at all.
    None,
}

impl Settings {
    /// Reads settings; relative paths are relative to the first folder.
    pub(crate) fn of(value: &Value, folders: &[PathBuf]) -> Settings {
        let value = value.get("isac").unwrap_or(value);
        let base = folders.first().cloned().unwrap_or_default();
        let path =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(|text| absolute(&base, text));
        let list = |name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let define = value.get("define").and_then(Value::as_object).into_iter().flatten();
        Settings {
            roots: list("roots").iter().filter_map(path).collect(),
            define: define.filter_map(|(name, value)| Some((name.clone(), number(value)?))).collect(),
            profile: value.get("profile").and_then(path),
            coverage: value
                .get("coverage")
                .and_then(|value| Coverage::deserialize(value).ok())
                .unwrap_or_default(),
        }
    }
}

fn absolute(base: &Path, text: &str) -> PathBuf {
    without_dots(&base.join(text))
}

fn number(value: &Value) -> Option<u128> {
    match value {
        Value::Number(number) => number.as_u64().map(u128::from),
        Value::String(text) => value_of(text),
        _ => None,
    }
}
