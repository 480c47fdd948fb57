//! `aon init`: what a repository needs so that its manifests are checked. Nothing that is there is changed.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::args::Init;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

/// Writes what is missing, and says what was done and what to do next.
pub(crate) fn run(args: &Init, output: &mut Output) -> Result<u8, Fault> {
    if !args.folder.is_dir() {
        return Err(Fault::usage(
            format!("{} is not a folder", args.folder.display()),
            "Name the root of your repository, or leave it out to use the folder you are in.",
        ));
    }
    let (mut written, mut pending) = (0, false);
    for part in &PARTS {
        let path = args.folder.join(part.path);
        if let Some(other) = part.elsewhere(&args.folder) {
            let name = other.strip_prefix(&args.folder).unwrap_or(&other);
            output.line(format!(
                "kept     {}: it runs aon-lint already, so {} is not needed",
                name.display(),
                part.path
            ))?;
            continue;
        }
        let state = put(&path, part.text)?;
        let line = match state {
            State::Written => {
                written += 1;
                format!("wrote    {}: {}", part.path, part.what)
            }
            State::There => match part.addition {
                Some(addition) => match missing(&path, addition, part.marks)? {
                    Some(addition) => {
                        pending = true;
                        format!(
                            "kept     {}: it is there already. Add this to the list under `repos`:\n\n{addition}",
                            part.path
                        )
                    }
                    None => format!("kept     {}: it runs aon-lint already", part.path),
                },
                None => format!("kept     {}: it is there already", part.path),
            },
        };
        output.line(line)?;
    }
    let next = match (written, pending) {
        (0, false) => "Nothing had to be written. `aon-lint .` checks your manifests now.",
        (0, true) => {
            "Nothing was written. Add what is shown above by hand. `aon-lint .` checks your manifests now."
        }
        (_, true) => {
            "Next: add what is shown above by hand. Then `aon-lint .` checks your manifests now, and `pre-commit install` checks them at every commit."
        }
        (_, false) => {
            "Next: `aon-lint .` checks your manifests now, and `pre-commit install` checks them at every commit."
        }
    };
    output.line(format!("\n{next}"))?;
    if let Some(note) = note(&args.folder) {
        output.line(format!("\n{note}"))?;
    }
    Ok(exit::OK)
}

/// The hook and the workflow count at the root of a repository, and nowhere else.
fn note(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mut above = folder.ancestors();
    let root = above.find(|folder| folder.join(".git").exists());
    match root {
        Some(root) if root == folder => None,
        Some(root) => Some(format!(
            "Note: this folder is inside the repository {0}. GitHub and pre-commit look only at its root. Move the hook and the workflow there, or run `aon init {0}`.",
            root.display()
        )),
        None => Some(
            "Note: this folder is not a git repository. The hook and the workflow take effect after `git init`."
                .to_owned(),
        ),
    }
}

/// A file that may be missing.
struct Part {
    path: &'static str,
    what: &'static str,
    text: &'static str,
    /// What to add by hand where the file is there.
    addition: Option<&'static str>,
    /// One of these is in a file that does the same.
    marks: &'static [&'static str],
}

impl Part {
    /// Another file of the same folder that does the same: a workflow may have any name.
    fn elsewhere(&self, root: &Path) -> Option<PathBuf> {
        let own = root.join(self.path);
        if self.addition.is_some() || self.marks.is_empty() || own.exists() {
            return None;
        }
        let mut others: Vec<PathBuf> = fs::read_dir(own.parent()?)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        others.sort();
        others
            .into_iter()
            .find(|path| fs::read_to_string(path).is_ok_and(|text| mentions(&text, self.marks)))
    }
}

const PARTS: [Part; 3] = [
    Part {
        path: "aon.toml",
        what: "settings of the linter and of generated code",
        text: include_str!("init/aon.toml"),
        addition: None,
        marks: &[],
    },
    Part {
        path: ".pre-commit-config.yaml",
        what: "checks manifests before every commit (https://pre-commit.com)",
        text: concat!("repos:\n", include_str!("init/hook.yaml")),
        addition: Some(include_str!("init/hook.yaml")),
        marks: &["aon-lint"],
    },
    Part {
        path: ".github/workflows/aon.yml",
        what: "checks manifests in every pull request",
        text: include_str!("init/workflow.yml"),
        addition: None,
        marks: &["aon-lint", "aon-rs/aon@", "aon lint"],
    },
];

enum State {
    Written,
    There,
}

/// Writes a file that is not there; one that is there is left alone, whoever made it and whenever.
fn put(path: &Path, text: &str) -> Result<State, Fault> {
    let unwritable = |error: io::Error| Fault::unwritable(path, &error);
    if let Some(folder) = path.parent().filter(|folder| *folder != PathBuf::new()) {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    match fs::File::create_new(path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).map_err(unwritable)?;
            Ok(State::Written)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(State::There),
        Err(error) => Err(unwritable(error)),
    }
}

/// What to add to a file that lacks it, indented as its own list is: YAML refuses a list with two indentations.
fn missing(path: &Path, addition: &str, marks: &[&str]) -> Result<Option<String>, Fault> {
    let text = fs::read(path).map_err(|error| Fault::unreadable(path, &error))?;
    let text = String::from_utf8_lossy(&text);
    if mentions(&text, marks) {
        return Ok(None);
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (own, ours) = (text.lines(), addition.lines());
    let own = own.filter(|line| line.trim_start().starts_with("- repo:"));
    let theirs = own.map(indent).next().unwrap_or(2);
    let lines = ours.map(|line| format!("{:theirs$}{}\n", "", line.get(2..).unwrap_or(line)));
    Ok(Some(lines.collect()))
}

/// Whether a line says it, and not only a comment.
fn mentions(text: &str, marks: &[&str]) -> bool {
    let said = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(line));
    said.into_iter()
        .any(|line| marks.iter().any(|mark| line.contains(mark)))
}
