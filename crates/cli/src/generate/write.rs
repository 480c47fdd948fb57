//! Files onto the disk: all of them or none, and never over what a person wrote.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use aon_codegen::{GeneratedFile, Origin};

use super::stage;
use crate::fault::Fault;

/// What is to be done, decided before anything is.
#[derive(Debug)]
pub(super) struct Plan {
    out: PathBuf,
    items: Vec<Item>,
}

/// One file.
#[derive(Debug)]
pub(super) struct Item {
    /// Where it is, the folder of the output included.
    pub(super) path: PathBuf,
    /// What is there now.
    pub(super) before: String,
    /// What should be there.
    pub(super) after: String,
    pub(super) state: State,
}

/// How a file on the disk stands to what should be there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum State {
    Current,
    Missing,
    Outdated,
    /// Ours, but no target writes it any more.
    Stale,
    /// A person changed it.
    Edited,
    /// It was never ours.
    Foreign,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Current => "current",
            State::Missing => "missing",
            State::Outdated => "outdated",
            State::Stale => "stale",
            State::Edited => "edited",
            State::Foreign => "not generated",
        }
    }
}

/// What was done.
pub(super) struct Counts {
    pub(super) written: usize,
    pub(super) removed: usize,
    pub(super) current: usize,
}

impl Plan {
    /// Compares the files with the disk. `folders` are looked through for files that nobody writes any more.
    pub(super) fn new(
        out: &Path,
        files: Vec<GeneratedFile>,
        folders: &[&str],
    ) -> Result<Plan, Fault> {
        if out.exists() && !out.is_dir() {
            let error = io::Error::new(io::ErrorKind::NotADirectory, "it is a file, not a folder");
            return Err(Fault::unwritable(out, &error));
        }
        let mut items = Vec::new();
        let mut known = BTreeSet::new();
        for file in files {
            let path = out.join(file.path());
            let (before, state) = match fs::read(&path) {
                Ok(bytes) => {
                    let before = String::from_utf8_lossy(&bytes).into_owned();
                    let state = state(&before, file.contents());
                    (before, state)
                }
                Err(error) if is_absent(&error) => (String::new(), State::Missing),
                Err(error) => return Err(Fault::unwritable(&path, &error)),
            };
            known.insert(path.clone());
            items.push(Item {
                path,
                before,
                after: file.into_contents(),
                state,
            });
        }
        for folder in folders {
            for path in files_in(&out.join(folder)) {
                let Ok(before) = fs::read_to_string(&path) else {
                    continue;
                };
                if !known.contains(&path) && Origin::of(&before) == Origin::Untouched {
                    items.push(Item {
                        path,
                        before,
                        after: String::new(),
                        state: State::Stale,
                    });
                }
            }
        }
        items.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Plan {
            out: out.to_path_buf(),
            items,
        })
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    /// Writes everything beside the old files first, and puts it in place when all of it is there.
    pub(super) fn carry_out(&self, force: bool) -> Result<Counts, Fault> {
        let theirs = self
            .items
            .iter()
            .filter(|item| matches!(item.state, State::Edited | State::Foreign));
        let theirs: Vec<String> = theirs
            .map(|item| format!("{} ({})", item.path.display(), item.state.word()))
            .collect();
        if !theirs.is_empty() && !force {
            return Err(Fault::EditedFile {
                reason: format!("left alone: {}", theirs.join(", ")),
            });
        }
        let (stale, rest): (Vec<&Item>, Vec<&Item>) = self
            .items
            .iter()
            .partition(|item| item.state == State::Stale);
        let due: Vec<&Item> = rest
            .iter()
            .copied()
            .filter(|item| item.state != State::Current)
            .collect();
        let counts = Counts {
            written: due.len(),
            removed: stale.len(),
            current: rest.len() - due.len(),
        };
        stage::clear_abandoned(&self.out);
        if due.is_empty() && stale.is_empty() {
            return Ok(counts);
        }
        fs::create_dir_all(&self.out).map_err(|error| Fault::unwritable(&self.out, &error))?;
        let stage = stage::path(&self.out);
        let result = put(&stage, &due, &stale);
        let cleared = fs::remove_dir_all(&stage);
        result?;
        cleared.map_err(|error| Fault::unwritable(&stage, &error))?;
        Ok(counts)
    }
}

/// Stages the new files, then swaps them in; what was swapped is swapped back when a later step fails.
fn put(stage: &Path, due: &[&Item], stale: &[&Item]) -> Result<(), Fault> {
    let (fresh, old) = (stage.join("new"), stage.join("old"));
    for folder in [&fresh, &old] {
        fs::create_dir_all(folder).map_err(|error| Fault::unwritable(folder, &error))?;
    }
    for (number, item) in due.iter().enumerate() {
        let staged = fresh.join(number.to_string());
        write_through(&staged, &item.after)
            .map_err(|error| Fault::unwritable(&item.path, &error))?;
        if let Some(parent) = item.path.parent() {
            fs::create_dir_all(parent).map_err(|error| Fault::unwritable(parent, &error))?;
        }
    }
    let mut done: Vec<(usize, &Item)> = Vec::new();
    let all = due
        .iter()
        .map(|item| (true, *item))
        .chain(stale.iter().map(|item| (false, *item)));
    for (number, (is_new, item)) in all.enumerate() {
        let kept = old.join(number.to_string());
        let saved = match (item.state, is_new) {
            (State::Missing, _) => Ok(()),
            (_, true) => stage::keep(&item.path, &kept),
            (_, false) => fs::rename(&item.path, &kept),
        };
        done.push((number, item));
        // The new file takes the place of the old one in one step, so whoever kills us finds one of them whole.
        let swapped = saved.and_then(|()| {
            if is_new {
                fs::rename(fresh.join(number.to_string()), &item.path)
            } else {
                Ok(())
            }
        });
        if let Err(error) = swapped {
            for (number, item) in done.iter().rev() {
                let kept = old.join(number.to_string());
                // What cannot be put back is still in the stage folder, which then cannot be removed either.
                let _: io::Result<()> = if kept.exists() {
                    fs::rename(&kept, &item.path)
                } else if item.state == State::Missing {
                    fs::remove_file(&item.path)
                } else {
                    Ok(())
                };
            }
            return Err(Fault::unwritable(&item.path, &error));
        }
    }
    Ok(())
}

/// A full disk shows at the latest when the data is flushed.
fn write_through(path: &Path, text: &str) -> io::Result<()> {
    use io::Write as _;
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn state(before: &str, after: &str) -> State {
    if before == after || (before.contains('\r') && before.replace("\r\n", "\n") == after) {
        return State::Current;
    }
    match Origin::of(before) {
        Origin::Untouched => State::Outdated,
        Origin::Edited => State::Edited,
        Origin::Foreign => State::Foreign,
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound)
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}
