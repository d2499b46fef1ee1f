//! `gentool export`

use clap::ValueEnum;
use gentool::export::{export_model, print_json, print_xml};

use super::description::DescriptionOptions;
use super::{Failure, print};

/// Print the resolved description as XML or JSON, for other tools.
///
/// It holds resources, groups, operations, codings, assembler texts and the time graph; every name
/// is defined and every width known. The schemas are docs/model.xsd and docs/model.schema.json.
/// Example: gentool export --format json models/tiny8/tiny8.isac
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// How it is written; both say the same.
    #[arg(long, value_name = "FORMAT", default_value = "xml")]
    format: Format,
    #[command(flatten)]
    description: DescriptionOptions,
}

/// The forms.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Elements and attributes.
    Xml,
    /// Objects and lists.
    Json,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let (checked, description) = options.description.load_checked()?;
    let content = export_model(&checked, &description.model);
    print(&match options.format {
        Format::Xml => print_xml(&content),
        Format::Json => print_json(&content),
    })
}
