//! What a run is told by `aon.toml`, the baseline and the clock.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use aon_lint::{Baseline, Config, Date, Finding, Settings, deferred};

use super::args::LintArgs;
use super::files::{Files, Looked, shown};
use crate::config;
use crate::fault::Fault;

/// Everything that is decided before a file is read.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) settings: Settings,
    config: Option<(PathBuf, Config)>,
    baseline: Option<Baseline>,
}

impl Setup {
    pub(crate) fn read(args: &LintArgs) -> Result<Setup, Fault> {
        let config = if args.no_config {
            None
        } else {
            config::read(args.config.as_deref(), &args.paths)?
        };
        let config = config.map(|file| (file.path, file.config));
        let baseline = match &args.baseline {
            Some(path) => Some(read_baseline(path)?),
            None => None,
        };
        let mut settings = config
            .as_ref()
            .map(|(_, config)| config.settings(None))
            .unwrap_or_default()
            .with_today(today());
        if args.strict {
            settings = settings.with_strict(true);
        }
        if args.pedantic {
            settings = settings.with_pedantic(true);
        }
        if args.preview {
            settings = settings.with_preview(true);
        }
        Ok(Setup {
            settings,
            config,
            baseline,
        })
    }

    /// Leaves out the files the configuration excludes; those named on the command line stay.
    pub(crate) fn narrow(&self, files: &mut Files) {
        if let Some((path, config)) = &self.config {
            let includes = |name: &str| config.includes(&relative(name, path));
            files
                .inputs
                .retain(|input| input.named || includes(&input.name));
            files
                .unread
                .retain(|missed| missed.named || includes(&missed.name));
        }
    }

    /// Sets findings aside, and says how many.
    pub(super) fn defer(&self, findings: &mut Vec<Finding>, looked: &Looked) -> usize {
        let mut count = 0;
        if let Some((path, config)) = &self.config {
            // Many findings stand in one file, and asking the disk for its real place is slow.
            let seen = RefCell::new(BTreeMap::<String, String>::new());
            let relative = |name: &str| {
                if let Some(known) = seen.borrow().get(name) {
                    return known.clone();
                }
                let found = relative(name, path);
                seen.borrow_mut().insert(name.to_owned(), found.clone());
                found
            };
            // From a folder below the configuration not everything it speaks of is seen.
            let beside = path
                .parent()
                .is_none_or(|folder| folder.as_os_str().is_empty() || folder == Path::new("."));
            let was_checked = |pattern: &str| {
                beside && looked.whole() || looked.names().any(|name| relative(name) == pattern)
            };
            count += deferred::by_config(
                findings,
                config,
                &shown(path),
                &self.settings,
                &relative,
                &was_checked,
            );
        }
        if let Some(baseline) = &self.baseline {
            let was_checked = |name: &str| looked.has(name);
            count += deferred::by_baseline(findings, baseline, &self.settings, &was_checked);
        }
        count
    }
}

/// Reads a baseline.
pub(super) fn read_baseline(path: &Path) -> Result<Baseline, Fault> {
    let text = fs::read_to_string(path).map_err(|source| Fault::unreadable(path, &source))?;
    Baseline::parse(&shown(path), &text)
        .map_err(|error| Fault::usage(error.to_string(), "Write a new one with --write-baseline."))
}

/// The path of a file seen from the folder of the configuration.
fn relative(name: &str, config: &Path) -> String {
    let folder = config.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let real = |path: &Path| fs::canonicalize(path).ok();
    match (real(folder), real(Path::new(name))) {
        (Some(folder), Some(file)) => file
            .strip_prefix(&folder)
            .map_or_else(|_| name.to_owned(), shown),
        _ => name.to_owned(),
    }
}

/// Today, for deferrals that expire.
pub(crate) fn today() -> Date {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    Date::from_days(u32::try_from(seconds / 86_400).unwrap_or(0))
}
