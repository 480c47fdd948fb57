//! `--fix`, `--unsafe-fixes` and `--diff`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use aon_lint::{Edit, Finding, Safety, apply};
use aon_manifest::{ParseOptions, parse};
use similar::TextDiff;

use super::files::{Texts, read};
use crate::fault::Fault;

/// The fixes of a run, over all its files.
#[derive(Debug, Default)]
pub(super) struct Fixes {
    /// The new texts.
    pub(super) texts: Texts,
    /// The texts they started from.
    before: Texts,
    /// How many findings were repaired.
    pub(super) applied: usize,
    /// What was tried, so that a fix that does not help is not tried again.
    tried: BTreeSet<(String, String, String)>,
}

impl Fixes {
    /// Applies what can be applied to the texts. Says whether anything changed.
    pub(super) fn round(
        &mut self,
        findings: &[Finding],
        safety: Safety,
        stdin: Option<(&str, &str)>,
    ) -> Result<bool, Fault> {
        let mut changed = false;
        for group in findings.chunk_by(|a, b| a.file == b.file) {
            let Some(name) = group.first().map(|finding| finding.file.to_string()) else {
                continue;
            };
            let mut chosen: Vec<&Finding> = Vec::new();
            for finding in group {
                let Some(fix) = finding.repair.as_ref().filter(|fix| fix.safety <= safety) else {
                    continue;
                };
                let key = (
                    finding.code.to_owned(),
                    name.clone(),
                    finding.pointer.clone(),
                );
                let free = chosen.iter().all(|other| !overlap(other, &fix.edits));
                if free && self.tried.insert(key) {
                    chosen.push(finding);
                }
            }
            if chosen.is_empty() {
                continue;
            }
            let text = self.text(&name, stdin)?;
            let all: Vec<Edit> = chosen
                .iter()
                .flat_map(|finding| edits(finding))
                .cloned()
                .collect();
            let (fixed, count) = match attempt(&name, &text, &all) {
                Some(fixed) => (fixed, chosen.len()),
                None => one_by_one(&name, &text, &chosen),
            };
            if fixed != text {
                self.before.entry(name.clone()).or_insert(text);
                self.texts.insert(name, fixed);
                self.applied += count;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// What changed, as a unified diff.
    pub(super) fn diff(&self) -> String {
        let mut out = String::new();
        for (name, after) in &self.texts {
            let before = self.before.get(name).map_or("", String::as_str);
            let diff = TextDiff::from_lines(before, after);
            out.push_str(
                &diff
                    .unified_diff()
                    .header(&format!("a/{name}"), &format!("b/{name}"))
                    .to_string(),
            );
        }
        out
    }

    /// Writes the new texts, each whole or not at all.
    pub(super) fn write(&self, except: Option<&str>) -> Result<(), Fault> {
        for (name, text) in &self.texts {
            if Some(name.as_str()) != except {
                replace(Path::new(name), text)?;
            }
        }
        Ok(())
    }

    fn text(&self, name: &str, stdin: Option<(&str, &str)>) -> Result<String, Fault> {
        if let Some(text) = self.texts.get(name) {
            return Ok(text.clone());
        }
        if let Some((own, text)) = stdin
            && own == name
        {
            return Ok(text.to_owned());
        }
        let path = Path::new(name);
        let bytes = read(path).map_err(|source| Fault::unreadable(path, &source))?;
        // Files with bytes that are not text have no fixes; they were reported.
        Ok(String::from_utf8(bytes).unwrap_or_default())
    }
}

/// Applies edits, and gives the result if it can still be read as well as before.
fn attempt(name: &str, text: &str, edits: &[Edit]) -> Option<String> {
    let fixed = apply(text, edits);
    let issues = |text: &str| parse(name, text, &ParseOptions::default()).issues().len();
    (issues(&fixed) <= issues(text)).then_some(fixed)
}

fn one_by_one(name: &str, text: &str, chosen: &[&Finding]) -> (String, usize) {
    let mut good: Vec<Edit> = Vec::new();
    let mut fixed = text.to_owned();
    let mut count = 0;
    for finding in chosen {
        let mut next = good.clone();
        next.extend(edits(finding).iter().cloned());
        if let Some(text) = attempt(name, text, &next) {
            good = next;
            fixed = text;
            count += 1;
        }
    }
    (fixed, count)
}

fn edits(finding: &Finding) -> &[Edit] {
    finding.repair.as_ref().map_or(&[], |fix| &fix.edits)
}

fn overlap(finding: &Finding, others: &[Edit]) -> bool {
    edits(finding).iter().any(|a| {
        others
            .iter()
            .any(|b| a.span.start() <= b.span.end() && b.span.start() <= a.span.end())
    })
}

/// Writes a file through a neighbour that takes its place, with its permissions. A link stays a link.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), Fault> {
    let failed = |source: std::io::Error| Fault::unwritable(path, &source);
    let real = if path.exists() {
        fs::canonicalize(path).map_err(failed)?
    } else {
        path.to_path_buf()
    };
    let name = real
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let beside = real.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let mut file = fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        if let Ok(kept) = fs::metadata(&real) {
            file.set_permissions(kept.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&beside, &real)
    })();
    if written.is_err() {
        // The old file is still whole; what was begun beside it goes.
        let _: std::io::Result<()> = fs::remove_file(&beside);
    }
    written.map_err(failed)
}
