//! `gentool generate`

use std::path::{Path, PathBuf};

use gentool::emit::{
    SourceFile, emit_package, emit_package_with_values, find_obstacles, package_name, runtime_files,
    write_package,
};

use super::description::{DescriptionOptions, digest_model};
use super::progress::Progress;
use super::{Failure, print};

/// Write the simulator of a description as a Rust package that builds anywhere.
///
/// The package needs nothing but cargo: the sources of the runtime go with it. What is written
/// depends on the description alone, to the byte. Files that did not change are left as they are.
/// Example: gentool generate models/tiny8/tiny8.isac --out /tmp/tiny8
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,

    /// The folder to write to; made if it is missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Let the simulator take --values.
    ///
    /// It then has a second, more general form for runs that ask for it, takes about twice as long to build,
    /// and runs as fast as ever without. Example: gentool generate models/tiny8/tiny8.isac --out /tmp/tiny8 --values
    #[arg(long)]
    values: bool,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let model = options.description.load()?.model;
    let obstacles = find_obstacles(&model);
    if !obstacles.is_empty() {
        let list = obstacles.join("\n  ");
        let message = format!(
            "no simulator can be emitted from this description:\n  {list}\nthe reference engine runs it: gentool run --engine reference"
        );
        return Err(Failure { message, status: sim_runtime::launcher::exit_status::MODEL });
    }
    let progress = Progress::new(format!("generating the simulator of {}", model.name));
    let emit = if options.values { emit_package_with_values } else { emit_package };
    let mut files = emit(&model, &package_name(&model), &digest_model(&model), "runtime");
    files.extend(
        runtime_files()
            .into_iter()
            .map(|file| SourceFile { path: format!("runtime/{}", file.path), text: file.text }),
    );
    if let Some(message) = in_the_way(&files, &options.out) {
        return Err(Failure::other(message));
    }
    write_package(&files, &options.out).map_err(|error| {
        Failure::other(format!("cannot write {error}; name a folder by --out that you may write to"))
    })?;
    drop(progress);
    print(&format!("{}: {} files in {}\n", model.name, files.len(), options.out.display()))
}

/// What stands where the package has a folder or a file of another kind; found before anything is
/// written.
fn in_the_way(files: &[SourceFile], folder: &Path) -> Option<String> {
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(&file.path)).collect();
    let above = paths.iter().flat_map(|path| path.ancestors().skip(1));
    let file = above.filter(|path| path.exists() && !path.is_dir()).min();
    if let Some(path) = file {
        return Some(format!(
            "{} is a file where the package needs a folder; move it away, or name another folder by --out",
            path.display()
        ));
    }
    let path = paths.iter().find(|path| path.is_dir())?;
    Some(format!(
        "{} is a folder where the package needs a file; move it away, or name another folder by --out",
        path.display()
    ))
}
