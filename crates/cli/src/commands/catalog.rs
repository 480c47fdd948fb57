//! `aon catalog`: all problems a program can emit, as a document, and what changed between two of them.

use std::path::{Path, PathBuf};

use aon::InvalidChoice;
use aon::catalog::Catalog;
use serde::Serialize;

use crate::args::{self, CatalogCommand, CatalogDiff, ReportFormat};
use crate::exit;
use crate::fault::Fault;
use crate::input::{self, LOCK_FILE};
use crate::output::Output;

mod diff;

use diff::{Change, Impact, diff};

/// Writes, checks or compares.
pub(crate) fn run(args: &args::Catalog, output: &mut Output) -> Result<u8, Fault> {
    if let Some(CatalogCommand::Diff(args)) = &args.command {
        return compare(args, output);
    }
    let mut catalog = match &args.source {
        Some(path) => input::catalog(path)?,
        None => built_in(),
    };
    if args.own {
        catalog
            .problems
            .retain(|record| !record.origin.is_built_in());
    }
    let twice = duplicates(&catalog, output);
    if args.check {
        let lock = args
            .lock
            .clone()
            .or_else(input::lock_file)
            .unwrap_or_else(|| PathBuf::from(LOCK_FILE));
        return check(&catalog, &lock, output);
    }
    match &args.lock {
        Some(path) => {
            std::fs::write(path, catalog.to_json())
                .map_err(|source| Fault::unwritable(path, &source))?;
            output.note(&format!(
                "wrote {} problems to {}",
                catalog.problems.len(),
                path.display()
            ));
        }
        None => output.write(catalog.to_json().as_bytes())?,
    }
    Ok(if twice { exit::FOUND } else { exit::OK })
}

/// What this program itself can emit, what comes with the adapters included.
pub(crate) fn built_in() -> Catalog {
    let mut records = aon::catalog::all().problems;
    records.extend(Catalog::of::<InvalidChoice>().problems);
    Catalog::from_records(records)
}

/// Names codes that stand for different problems.
fn duplicates(catalog: &Catalog, output: &mut Output) -> bool {
    let twice = catalog.duplicates();
    for (code, places) in &twice {
        let places: Vec<String> = places
            .iter()
            .map(|place| format!("{} {}::{}", place.package, place.type_name, place.variant))
            .collect();
        output.note(&format!(
            "error: {code} is declared more than once: {}",
            places.join(", ")
        ));
    }
    !twice.is_empty()
}

fn check(catalog: &Catalog, lock: &Path, output: &mut Output) -> Result<u8, Fault> {
    let locked = input::catalog(lock)?;
    let changes = diff(&locked, catalog);
    if changes.is_empty() && locked == *catalog {
        output.note(&format!(
            "{} is current: {} problems",
            lock.display(),
            catalog.problems.len()
        ));
        return Ok(exit::OK);
    }
    report(&changes, output)?;
    output.note(&format!("{} is not current", lock.display()));
    Ok(exit::FOUND)
}

/// The JSON report of a comparison.
#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    breaking: usize,
    additive: usize,
    cosmetic: usize,
    changes: &'a [Change],
    duplicates: Vec<&'a str>,
}

fn compare(args: &CatalogDiff, output: &mut Output) -> Result<u8, Fault> {
    let (old, new) = (input::catalog(&args.old)?, input::catalog(&args.new)?);
    let changes = diff(&old, &new);
    let twice = duplicates(&new, output);
    match args.format {
        ReportFormat::Human => report(&changes, output)?,
        ReportFormat::Json => {
            let report = Report {
                version: 1,
                breaking: count(&changes, Impact::Breaking),
                additive: count(&changes, Impact::Additive),
                cosmetic: count(&changes, Impact::Cosmetic),
                changes: &changes,
                duplicates: new.duplicates().into_iter().map(|(code, _)| code).collect(),
            };
            output.line(serde_json::to_string_pretty(&report).unwrap_or_default())?;
        }
    }
    let breaking = count(&changes, Impact::Breaking) > 0 || twice;
    Ok(if breaking { exit::FOUND } else { exit::OK })
}

fn report(changes: &[Change], output: &mut Output) -> Result<(), Fault> {
    for change in changes {
        output.line(change.to_string())?;
    }
    let [breaking, additive, cosmetic] =
        [Impact::Breaking, Impact::Additive, Impact::Cosmetic].map(|impact| count(changes, impact));
    output.line(format!(
        "{breaking} breaking, {additive} additive, {cosmetic} cosmetic"
    ))
}

fn count(changes: &[Change], impact: Impact) -> usize {
    changes
        .iter()
        .filter(|change| change.impact == impact)
        .count()
}
