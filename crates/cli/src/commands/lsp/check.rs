//! Checking one document: findings with the places an editor counts in.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aon_lint::{Finding, Safety, Severity};
use aon_manifest::{Document, ParseOptions, ReadOptions, Source, Span};
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range, TextEdit, Uri,
};
use serde_json::json;

use super::place;
use super::settings::Options;

/// A document that waits to be checked.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) uri: Uri,
    /// Which state of the document this is.
    pub(super) generation: u64,
    pub(super) text: Arc<str>,
    /// Whether it was a manifest before: one that is broken while it is edited still is.
    pub(super) known: bool,
    /// The texts of all open documents, by name.
    pub(super) open: Arc<BTreeMap<String, Arc<str>>>,
    /// The folder references may reach.
    pub(super) root: Option<PathBuf>,
    pub(super) options: Options,
}

/// What came out.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) uri: Uri,
    pub(super) generation: u64,
    /// Whether the document is a manifest, so it is our business.
    pub(super) is_manifest: bool,
    pub(super) items: Vec<Item>,
    /// The files it refers to, by name, whether they are there or not.
    pub(super) files: BTreeSet<String>,
    /// What is to be said besides: a configuration that cannot be read, a check that failed.
    pub(super) notes: Vec<String>,
}

impl Checked {
    /// The documents the findings are in.
    pub(super) fn targets(&self) -> Vec<Uri> {
        let mut targets: Vec<Uri> = self.items.iter().map(|item| item.uri.clone()).collect();
        targets.dedup();
        targets
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The document it is in, which may be one that was referred to.
    pub(super) uri: Uri,
    pub(super) diagnostic: Diagnostic,
    /// The finding in Markdown.
    pub(super) page: String,
    pub(super) repair: Option<Repair>,
}

/// How it can be repaired.
#[derive(Clone, Debug)]
pub(super) struct Repair {
    pub(super) title: String,
    pub(super) safe: bool,
    pub(super) edits: Vec<TextEdit>,
}

/// Checks a document. A mistake of ours ends this check and not the server.
pub(super) fn check(job: &Job) -> Checked {
    catch_unwind(AssertUnwindSafe(|| check_document(job))).unwrap_or_else(|_| Checked {
        uri: job.uri.clone(),
        generation: job.generation,
        is_manifest: job.known,
        items: Vec::new(),
        files: BTreeSet::new(),
        notes: vec![format!("checking {} failed", job.uri.as_str())],
    })
}

fn check_document(job: &Job) -> Checked {
    let name = place::name(&job.uri);
    let path = place::path(&job.uri);
    let (document, files) = open(job, &name, path.as_deref());
    let is_manifest = document.format().is_some() || job.known || is_own_name(&name);
    let mut checked = Checked {
        uri: job.uri.clone(),
        generation: job.generation,
        is_manifest,
        items: Vec::new(),
        files,
        notes: Vec::new(),
    };
    if !is_manifest {
        return checked;
    }
    let setup = job.options.setup(path.as_deref());
    checked.notes.extend(setup.mistake.clone());
    if !setup.includes(&name) {
        checked.is_manifest = false;
        return checked;
    }
    let mut findings = aon_lint::lint(&document, &setup.settings).findings;
    setup.defer(&mut findings);
    for tree in document.files() {
        let source = tree.source();
        let uri = if source.file() == document.entry().source().file() {
            Some(job.uri.clone())
        } else {
            place::uri(source.name())
        };
        let Some(uri) = uri else { continue };
        let mut places = Places::new(source);
        let here = findings
            .iter()
            .filter(|finding| *finding.file == *source.name());
        let items = here.map(|finding| item(finding, &uri, &mut places));
        checked.items.extend(items);
    }
    checked
}

/// Whether a name says that the file is a manifest, whatever is in it.
fn is_own_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".kno", ".aon.yaml", ".aon.yml", ".aon.json"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// The document, and the files it asked for, whether they are there or not.
fn open(job: &Job, name: &str, path: Option<&Path>) -> (Document, BTreeSet<String>) {
    let folder = path.and_then(Path::parent);
    let root = match (&job.root, folder) {
        (Some(root), Some(folder)) if folder.starts_with(root) => Some(root.as_path()),
        (_, folder) => folder,
    };
    let mut options = ReadOptions::default();
    if let Some(root) = root {
        options = options.with_root(root.to_string_lossy().replace('\\', "/"));
    }
    let asked = RefCell::new(BTreeSet::new());
    let loader = |wanted: &str| {
        asked.borrow_mut().insert(wanted.to_owned());
        match job.open.get(wanted) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => load(Path::new(wanted), root),
        }
    };
    let document = Document::open(name, job.text.as_bytes(), &options, &loader);
    (document, asked.into_inner())
}

/// Reads a referenced file, unless a symbolic link leads out of the root.
fn load(path: &Path, root: Option<&Path>) -> io::Result<Vec<u8>> {
    let outside = |why| io::Error::new(io::ErrorKind::PermissionDenied, why);
    let root = root.ok_or_else(|| outside("the document is not saved yet"))?;
    if !fs::canonicalize(path)?.starts_with(fs::canonicalize(root)?) {
        return Err(outside("it lies outside the root"));
    }
    let limit = ParseOptions::default().max_bytes() as u64;
    let mut bytes = Vec::new();
    // One byte more, so that the parser sees that it is too much.
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn item(finding: &Finding, uri: &Uri, places: &mut Places<'_>) -> Item {
    let mut message = finding.message.clone();
    if !finding.fix.is_empty() {
        message.push('\n');
        message.push_str(&finding.fix);
    }
    let link = rule_link(finding.rule);
    let diagnostic = Diagnostic {
        range: places.range(finding.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        code_description: link.parse().ok().map(|href| CodeDescription { href }),
        source: Some("aon".to_owned()),
        message,
        related_information: None,
        tags: None,
        data: Some(json!({
            "rule": finding.rule,
            "confidence": finding.confidence,
            "pointer": finding.pointer,
        })),
    };
    let repair = finding.repair.as_ref().map(|fix| Repair {
        title: fix.title.clone(),
        safe: fix.safety == Safety::Safe,
        edits: fix
            .edits
            .iter()
            .map(|edit| TextEdit::new(places.range(edit.span), edit.replacement.clone()))
            .collect(),
    });
    Item {
        uri: uri.clone(),
        diagnostic,
        page: page(finding, &link),
        repair,
    }
}

/// What a person reads who points at the finding.
fn page(finding: &Finding, link: &str) -> String {
    let mut page = format!(
        "**{} {}** ({}, {})\n\n{}\n\n**Why:** {}\n",
        finding.code,
        finding.rule,
        finding.severity,
        finding.confidence,
        finding.message,
        finding.why
    );
    if !finding.fix.is_empty() {
        page.push_str("\n**Fix:** ");
        page.push_str(&finding.fix);
        page.push('\n');
    }
    if let Some(fix) = &finding.repair {
        page.push_str("\n**Quick fix:** ");
        page.push_str(&fix.title);
        page.push('\n');
    }
    page.push_str("\n[About this rule](");
    page.push_str(link);
    page.push_str(")\n");
    page
}

/// Where the page of a rule stands.
pub(super) fn rule_link(rule: &str) -> String {
    format!(
        "{}/blob/main/docs/rules/{rule}.md",
        env!("CARGO_PKG_REPOSITORY")
    )
}

/// Places of a source in lines and UTF-16 units. Findings come in order, so a line is counted on from the last place in it.
#[derive(Debug)]
struct Places<'a> {
    source: &'a Source,
    last: (usize, Position),
}

impl<'a> Places<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            source,
            last: (0, Position::new(0, 0)),
        }
    }

    fn range(&mut self, span: Span) -> Range {
        let start = self.position(span.start());
        Range::new(start, self.position(span.end()))
    }

    fn position(&mut self, at: usize) -> Position {
        let (from, position) = self.last;
        let between = self.source.text().get(from..at);
        let position = match between {
            Some(text) if from > 0 && !text.contains('\n') => {
                let units: usize = text.chars().map(char::len_utf16).sum();
                let units = u32::try_from(units).unwrap_or(u32::MAX);
                Position::new(position.line, position.character.saturating_add(units))
            }
            _ => {
                let (line, column) = self.source.utf16_position(at);
                Position::new(line, column)
            }
        };
        self.last = (at, position);
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_source_in_any_order() {
        let text = "a: 𝄞ä\nb: [1, 𝄞, {c: ä}]\r\nd: 𝄞\n";
        let document = Document::from_text("a.yaml", text);
        let source = document.entry().source();
        let mut places = Places::new(source);
        let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        ends.extend(ends.clone().iter().rev());
        let mut seen = 0;
        for at in ends {
            let (line, column) = source.utf16_position(at);
            assert_eq!(places.position(at), Position::new(line, column), "{at}");
            seen += 1;
        }
        assert!(seen > 40);
    }
}
