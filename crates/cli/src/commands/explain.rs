//! `aon explain`: what a code or a lint rule means and what to do, offline.

use std::path::Path;

use aon::catalog::{Catalog, Record};
use aon::suggest;
use aon::surface::human;
use aon_lint::rules;

use crate::args::{Explain, PageFormat};
use crate::commands::catalog;
use crate::contract;
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::lint::pages;
use crate::output::Output;
use crate::page;

/// Looks the code up and writes its page.
pub(crate) fn run(args: &Explain, output: &mut Output) -> Result<u8, Fault> {
    let shelves = shelves(args.catalog.as_deref())?;
    let record = match find(&args.code, &shelves) {
        Ok(record) => record,
        // Codes come first: a program may name its own like a rule.
        Err(unknown) => {
            let page = rule_page(args, output).or_else(|| clause_page(args, output));
            return page.unwrap_or(Err(unknown));
        }
    };
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

/// The page of a lint rule, when one has this name or code.
fn rule_page(args: &Explain, output: &mut Output) -> Option<Result<u8, Fault>> {
    let wanted = args.code.trim();
    if !pages::knows(wanted) {
        return None;
    }
    Some(match args.format {
        PageFormat::Text | PageFormat::Markdown => pages::explain(wanted, output),
        PageFormat::Json => pages::explain_json(wanted, output),
        PageFormat::Html => Err(Fault::usage(
            format!("the page of the rule {wanted} is not written as HTML"),
            "Use --format markdown, text or json.",
        )),
    })
}

/// A clause of the contract, when one has this number.
fn clause_page(args: &Explain, output: &mut Output) -> Option<Result<u8, Fault>> {
    let number = args.code.trim().to_ascii_uppercase();
    let text = contract::clause(&number)?;
    let page = match args.format {
        PageFormat::Text => format!("{number}\n\n{}", text.replace("**", "").replace('`', "")),
        PageFormat::Markdown => format!("### {number}\n\n{text}"),
        PageFormat::Json => {
            let row = serde_json::json!({ "clause": number, "text": text });
            serde_json::to_string_pretty(&row).unwrap_or_default()
        }
        PageFormat::Html => {
            return Some(Err(Fault::usage(
                format!("the clause {number} is not written as HTML"),
                "Use --format markdown, text or json.",
            )));
        }
    };
    Some(output.line(page).map(|()| exit::OK))
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
        suggestion: suggest::nearest(
            code,
            records().map(|record| record.code.as_str()).chain(
                rules::ALL
                    .iter()
                    .flat_map(|rule| [rule.name(), rule.code()]),
            ),
        )
        .map(str::to_owned),
        places: shelves
            .iter()
            .map(|(name, _)| name.as_str())
            .chain(["the lint rules", "the clauses of the contract"])
            .collect::<Vec<_>>()
            .join(", "),
    })
}
