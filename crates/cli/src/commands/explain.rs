//! `aon explain`: what a code means and what to do, offline.

use std::path::Path;

use aon::catalog::{Catalog, Record};
use aon::suggest;
use aon::surface::human;

use crate::args::{Explain, PageFormat};
use crate::commands::catalog;
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::output::Output;
use crate::page;

/// Looks the code up and writes its page.
pub(crate) fn run(args: &Explain, output: &mut Output) -> Result<u8, Fault> {
    let shelves = shelves(args.catalog.as_deref())?;
    let record = find(&args.code, &shelves)?;
    match args.format {
        PageFormat::Text => output.write(page::text(record, output.is_coloured()).as_bytes())?,
        PageFormat::Markdown => output.write(page::markdown(record).as_bytes())?,
        PageFormat::Html => output.write(human::document(record).as_bytes())?,
        PageFormat::Json => {
            let json = serde_json::to_string_pretty(record).unwrap_or_default();
            output.line(json)?;
        }
    }
    Ok(exit::OK)
}

/// The catalogs to look in, first the nearest: each with its name.
fn shelves(named: Option<&Path>) -> Result<Vec<(String, Catalog)>, Fault> {
    let mut shelves = Vec::new();
    if let Some(path) = named {
        shelves.push((path.display().to_string(), input::catalog(path)?));
    } else if let Some(path) = input::lock_file() {
        shelves.push((path.display().to_string(), input::catalog(&path)?));
    }
    shelves.push(("the built-in catalog".to_owned(), catalog::built_in()));
    Ok(shelves)
}

fn find<'a>(wanted: &str, shelves: &'a [(String, Catalog)]) -> Result<&'a Record, Fault> {
    let records = || shelves.iter().flat_map(|(_, catalog)| &catalog.problems);
    let wanted = wanted.trim();
    if let Some(record) =
        records().find(|record| record.code == wanted || record.type_uri == wanted)
    {
        return Ok(record);
    }
    // A type URI ends in its code.
    let code = wanted.rsplit(['/', '#', ':']).next().unwrap_or(wanted);
    if let Some(record) = records().find(|record| record.code == code) {
        return Ok(record);
    }
    Err(Fault::UnknownCode {
        code: wanted.to_owned(),
        suggestion: suggest::nearest(code, records().map(|record| record.code.as_str()))
            .map(str::to_owned),
        places: shelves
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    })
}
