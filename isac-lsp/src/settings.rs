//! What the user has set in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isac_parser::source::without_dots;
use serde::Deserialize;
use serde_json::Value;

use crate::hover::value_of;

/// Settings; what is missing or makes no sense is as it would be without, and the latter is told.
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
    ///
    /// Gives, too, what makes no sense in them, each in a sentence.
    pub(crate) fn of(value: &Value, folders: &[PathBuf]) -> (Settings, Vec<String>) {
        let value = value.get("isac").unwrap_or(value);
        let base = folders.first().cloned().unwrap_or_default();
        let path =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(|text| absolute(&base, text));
        let list = |name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let define = value.get("define").and_then(Value::as_object).into_iter().flatten();
        let settings = Settings {
            roots: list("roots").iter().filter_map(path).collect(),
            define: define.filter_map(|(name, value)| Some((name.clone(), number(value)?))).collect(),
            profile: value.get("profile").and_then(path),
            coverage: value
                .get("coverage")
                .and_then(|value| Coverage::deserialize(value).ok())
                .unwrap_or_default(),
        };
        let wrong = settings.complaints(value);
        (settings, wrong)
    }

    /// What makes no sense in the value that these were read from.
    fn complaints(&self, value: &Value) -> Vec<String> {
        let object = match value {
            Value::Null => return Vec::new(),
            Value::Object(object) => object,
            other => return vec![format!("the settings are no object but {other}; nothing is set")],
        };
        let mut wrong = Vec::new();
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                "roots" => match value.as_array() {
                    Some(list) if list.iter().all(Value::is_string) => {
                        let missing = self.roots.iter().filter(|root| !root.is_file());
                        wrong.extend(
                            missing.map(|root| format!("setting roots: there is no file {}", root.display())),
                        );
                    }
                    _ => wrong.push(format!("setting roots: expected a list of paths, not {value}")),
                },
                "define" => match value.as_object() {
                    Some(defined) => {
                        let unread = defined.iter().filter(|(name, _)| !self.define.contains_key(*name));
                        wrong.extend(unread.map(|(name, value)| {
                            format!("setting define: expected a number without sign for {name}, not {value}")
                        }));
                    }
                    None => {
                        wrong.push(format!("setting define: expected names with numbers, not {value}"));
                    }
                },
                "profile" => match (&self.profile, value) {
                    (_, Value::String(text)) if text.is_empty() => {}
                    (Some(profile), _) if profile.is_file() => {}
                    (Some(profile), _) => wrong.push(format!(
                        "setting profile: there is no file {}; coverage is shown when there is one",
                        profile.display()
                    )),
                    (None, _) => wrong.push(format!("setting profile: expected a path, not {value}")),
                },
                "coverage" if Coverage::deserialize(value).is_err() => {
                    wrong.push(format!("setting coverage: expected lens, hint or none, not {value}"));
                }
                // The program that is started is a setting of the editor.
                "coverage" | "server" | "trace" => {}
                other => wrong.push(format!(
                    "there is no setting {other}; there are roots, define, profile and coverage"
                )),
            }
        }
        wrong
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
