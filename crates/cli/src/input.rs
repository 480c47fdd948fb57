//! Standard input as one document or as lines, and catalogs from files.

use std::error::Error;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use aon::MAX_PROBLEM;
use aon::catalog::{Catalog, VERSION};

use crate::fault::Fault;
use crate::program;

/// The name of the lock file that is looked for upwards.
pub(crate) const LOCK_FILE: &str = "aon.catalog.json";

/// Everything on standard input; more than a problem may be is not read.
pub(crate) fn document() -> Result<Vec<u8>, Fault> {
    let limit = MAX_PROBLEM;
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    io::stdin()
        .lock()
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|source| Fault::stream(&source))?;
    if bytes.trim_ascii().is_empty() {
        return Err(Fault::UnreadableProblem {
            place: "standard input".to_owned(),
            reason: "it is empty".to_owned(),
        });
    }
    if bytes.len() > limit {
        return Err(Fault::UnreadableProblem {
            place: "standard input".to_owned(),
            reason: format!("it is over the limit of {limit} bytes"),
        });
    }
    Ok(bytes)
}

/// Visits each line of standard input that is not blank, with its number. A line over the limit is an error of its own.
pub(crate) fn lines(
    mut visit: impl FnMut(usize, Result<&[u8], Fault>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let limit = MAX_PROBLEM;
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(2);
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut stdin)
            .take(most)
            .read_until(b'\n', &mut line)
            .map_err(|source| Fault::stream(&source))?;
        if read == 0 {
            break;
        }
        let ended = line.last() == Some(&b'\n');
        if !ended && read as u64 == most {
            skip_line(&mut stdin)?;
            let reason = format!("it is over the limit of {limit} bytes");
            visit(number, Err(unreadable_line(number, reason)))?;
        } else if !line.trim_ascii().is_empty() {
            visit(number, Ok(line.trim_ascii()))?;
        }
    }
    Ok(())
}

pub(crate) fn unreadable_line(number: usize, reason: String) -> Fault {
    Fault::UnreadableProblem {
        place: format!("line {number}"),
        reason,
    }
}

fn skip_line(stdin: &mut impl BufRead) -> Result<(), Fault> {
    loop {
        let buffer = stdin.fill_buf().map_err(|source| Fault::stream(&source))?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(buffer.len(), |at| at + 1);
        stdin.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The catalog in a file: a document, or a program that embeds one.
pub(crate) fn catalog(path: &Path) -> Result<Catalog, Fault> {
    let bytes = std::fs::read(path).map_err(|source| Fault::unreadable(path, &source))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    if object::FileKind::parse(bytes).is_ok() {
        return program::catalog(bytes).map_err(|reason| Fault::not_a_catalog(path, reason));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::not_a_catalog(path, format!("neither a program nor text: {error}"))
    })?;
    let catalog =
        Catalog::parse(text).map_err(|error| Fault::not_a_catalog(path, error.to_string()))?;
    if catalog.version != VERSION {
        let reason = format!(
            "it has version {}, and this program reads version {VERSION}",
            catalog.version
        );
        return Err(Fault::not_a_catalog(path, reason));
    }
    Ok(Catalog::from_records(catalog.problems))
}

/// The lock file of the project the program runs in: the nearest one upwards.
pub(crate) fn lock_file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors()
        .map(|folder| folder.join(LOCK_FILE))
        .find(|file| file.is_file())
}

/// An error and its causes in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
