//! Where `aon.toml` is found and how it is read, the same for every command.

use std::path::{Path, PathBuf};
use std::{env, fs};

use aon_lint::Config;
use aon_lint::score::Join;

use crate::fault::Fault;
use crate::lint::files::shown;

/// The name of the file.
pub(crate) const NAME: &str = "aon.toml";

/// A file that was read: all of it was checked, whichever part the command is about.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) config: Config,
}

/// The file that was named, or else the nearest: in the folder of the first input or above, without inputs in the current folder
/// or above.
pub(crate) fn read(named: Option<&Path>, inputs: &[PathBuf]) -> Result<Option<File>, Fault> {
    let found = match named {
        Some(path) => Some(path.to_owned()),
        None => nearest(inputs.first().map(PathBuf::as_path)),
    };
    found.map(open).transpose()
}

/// Which documents belong together, as the file that was named or the nearest one says.
pub(crate) fn join(named: Option<&Path>, inputs: &[PathBuf]) -> Result<Join, Fault> {
    let Some(file) = read(named, inputs)? else {
        return Ok(Join::default());
    };
    Join::from_toml(&file.text).map_err(|error| {
        Fault::usage(
            format!("{}: {error}", shown(&file.path)),
            "Write it like this: [score.groups] orders = [\"openapi.yaml\", \"tools.json\"]",
        )
    })
}

/// The nearest file upwards from a place, as it is called from the current folder.
pub(crate) fn nearest(from: Option<&Path>) -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let start = from.and_then(|from| fs::canonicalize(from).ok());
    let start = start.unwrap_or_else(|| here.clone());
    Some(seen_from(&here, above(&start)?).join(NAME))
}

/// The nearest folder with the file: this one, or one above it.
pub(crate) fn above(start: &Path) -> Option<&Path> {
    start.ancestors().find(|folder| folder.join(NAME).is_file())
}

/// A folder above or below the current one as it is called from there; any other by its whole path.
fn seen_from(here: &Path, folder: &Path) -> PathBuf {
    if let Ok(below) = folder.strip_prefix(here) {
        return below.to_owned();
    }
    match here.strip_prefix(folder) {
        Ok(down) => down.components().map(|_| "..").collect(),
        Err(_) => folder.to_owned(),
    }
}

fn open(path: PathBuf) -> Result<File, Fault> {
    let text = fs::read_to_string(&path).map_err(|source| Fault::unreadable(&path, &source))?;
    match Config::parse(&text) {
        Ok(config) => Ok(File { path, text, config }),
        Err(error) => Err(Fault::usage(
            format!("{}: {error}", shown(&path)),
            "Correct the file; docs/reference/aon-toml.md lists every setting.",
        )),
    }
}
