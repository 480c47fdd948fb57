//! Puts what was observed into a folder: when something changed, and at the end. A proxy that is killed loses a second of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use aon_lint::{Baseline, Settings};

use super::Observer;
use crate::fault::Fault;

/// How often the folder is brought up to date.
const EVERY: Duration = Duration::from_secs(1);

/// Which manifest the baseline is about.
#[derive(Clone, Debug)]
pub(in crate::proxy) enum Manifest {
    /// What the server tells of itself, kept in the folder under this name.
    Told(&'static str),
    /// A file of the user.
    File(PathBuf),
}

/// Writes in the background until it is finished.
#[derive(Debug)]
pub(in crate::proxy) struct Keeper {
    folder: PathBuf,
    manifest: Manifest,
    observer: Observer,
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Keeper {
    /// Makes the folder, so that a place that cannot be written is known at once.
    pub(in crate::proxy) fn start(
        folder: &Path,
        manifest: Manifest,
        observer: Observer,
    ) -> Result<Self, Fault> {
        fs::create_dir_all(folder).map_err(|source| Fault::unwritable(folder, &source))?;
        let (stop, asked) = mpsc::channel::<()>();
        let writer = Writer {
            folder: folder.to_owned(),
            manifest: manifest.clone(),
            observer: observer.clone(),
        };
        let thread = std::thread::spawn(move || {
            let mut written = None;
            while asked.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                // What cannot be written now is tried again, and told at the end.
                if writer.write(written).is_ok() {
                    written = Some(writer.observer.version());
                }
            }
        });
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
            observer,
            stop,
            thread,
        })
    }

    /// Writes for the last time.
    pub(in crate::proxy) fn finish(self) -> Result<(), Fault> {
        drop(self.stop);
        // A writer that panicked wrote less; the last time is ours.
        let _ended = self.thread.join();
        let writer = Writer {
            folder: self.folder,
            manifest: self.manifest,
            observer: self.observer,
        };
        writer.write(None)
    }
}

struct Writer {
    folder: PathBuf,
    manifest: Manifest,
    observer: Observer,
}

impl Writer {
    /// Writes what changed since a version.
    fn write(&self, since: Option<(u64, u64)>) -> Result<(), Fault> {
        let version = self.observer.version();
        if since == Some(version) {
            return Ok(());
        }
        self.put("failures.json", &self.observer.failures())?;
        if let Some(catalog) = self.observer.catalog() {
            self.put("catalog.json", &catalog)?;
        }
        if since.is_none_or(|since| since.1 != version.1) {
            self.baseline()?;
        }
        Ok(())
    }

    /// The manifest, and what the linter finds in it now.
    fn baseline(&self) -> Result<(), Fault> {
        let path = match &self.manifest {
            Manifest::File(path) => path.clone(),
            Manifest::Told(name) => {
                let Some(told) = self.observer.manifest() else {
                    return Ok(());
                };
                let text = serde_json::to_string_pretty(&told).unwrap_or_default();
                self.put(name, &text)?;
                self.folder.join(name)
            }
        };
        let document = crate::generate::open(&path)?;
        let mut found = aon_lint::lint(&document, &Settings::default()).findings;
        found.retain(|finding| !finding.unreadable);
        self.put("lint-baseline.json", &Baseline::write(&found, None, ""))
    }

    fn put(&self, name: &str, text: &str) -> Result<(), Fault> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|source| Fault::unwritable(&path, &source))
    }
}
