//! Runs the rules over a document and puts their findings in order.

use std::collections::BTreeSet;
use std::sync::Arc;

use aon_manifest::model::{Carrier, Input, Schema};
use aon_manifest::{Api, Document, Issue, Node, Source, Span, Tree};

use crate::deferral;
use crate::finding::{Confidence, Excerpt, Finding, Severity};
use crate::fix::Fix;
use crate::rule::{Check, Rule, Stage};
use crate::rules;
use crate::settings::{Level, Settings};

/// What was found in one document.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The findings, by file, place and code.
    pub findings: Vec<Finding>,
    /// How many findings were set aside by a deferral.
    pub deferred: usize,
    /// Whether the document is a manifest at all.
    pub is_manifest: bool,
}

impl Outcome {
    /// An outcome of this one finding, for what never became a document.
    pub fn of(finding: Finding) -> Outcome {
        Outcome {
            findings: vec![finding],
            ..Outcome::default()
        }
    }
}

/// Checks a document.
///
/// ```
/// use aon_lint::{Settings, lint};
/// use aon_manifest::Document;
///
/// let text = "operations:\n  - id: update\n    parameters:\n      - { name: auth_ux, in: body, type: string }\n";
/// let outcome = lint(&Document::from_text("auth.aon.yaml", text), &Settings::default());
/// assert_eq!(outcome.findings[0].rule, "undeclared-choice");
/// assert_eq!(outcome.findings[0].pointer, "/operations/0/parameters/0");
/// ```
pub fn lint(document: &Document, settings: &Settings) -> Outcome {
    let apis = document.apis();
    let mut findings = Findings::new();
    rules::read_issues(document, &apis, &mut findings);
    for api in &apis {
        let inputs = api.inputs();
        // Most inputs have none, and an empty list costs nothing.
        let carriers: Vec<Vec<Carrier<'_>>> = inputs.iter().map(Input::carriers).collect();
        let subject = Subject {
            api,
            inputs: &inputs,
            carriers: &carriers,
            settings,
        };
        for rule in rules::ALL {
            if !settings.runs(rule) {
                continue;
            }
            let (check, confidence) = match rule.check() {
                Check::Api(check) => (check, Confidence::Certain),
                // Somebody who gives a hint a level wants to hear of it.
                Check::Hints(check) if settings.level(rule) != Level::Default => {
                    (check, Confidence::Likely)
                }
                Check::Hints(check) if settings.pedantic() => (check, Confidence::Possible),
                Check::Hints(_) | Check::Engine => continue,
            };
            (findings.rule, findings.confidence) = (rule, confidence);
            check(&subject, &mut findings);
        }
    }
    let is_manifest = document.format().is_some() || !apis.is_empty();
    let deferred = deferral::apply(document, settings, &mut findings);
    let names: Vec<Arc<str>> = document
        .files()
        .iter()
        .map(|tree| Arc::from(tree.source().name()))
        .collect();
    let mut findings: Vec<Finding> = findings
        .raw
        .into_iter()
        .filter_map(|raw| raw.finish(settings, &names))
        .collect();
    sort(&mut findings);
    keep_from_broken_files(&mut findings);
    Outcome {
        findings,
        deferred,
        is_manifest,
    }
}

/// Takes the repairs away from files that could not be read whole: nobody should rewrite what he did not understand.
fn keep_from_broken_files(findings: &mut [Finding]) {
    let broken: BTreeSet<Arc<str>> = findings
        .iter()
        .filter(|finding| finding.unreadable)
        .map(|finding| Arc::clone(&finding.file))
        .collect();
    if broken.is_empty() {
        return;
    }
    for finding in findings {
        if broken.contains(&finding.file) {
            finding.repair = None;
        }
    }
}

/// Orders findings by file, place and code, and drops repetitions.
pub fn sort(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    findings.dedup_by(|a, b| a.order() == b.order() && a.message == b.message);
}

/// The nodes that some rules report in an API, for the score, which asks what they ask.
#[derive(Debug, Default)]
pub(crate) struct Reported(BTreeSet<(usize, usize, &'static str)>);

impl Reported {
    pub(crate) fn by(
        api: &Api<'_>,
        inputs: &[Input<'_>],
        settings: &Settings,
        wanted: &[&'static Rule],
    ) -> Reported {
        let carriers: Vec<Vec<Carrier<'_>>> = inputs.iter().map(Input::carriers).collect();
        let subject = Subject {
            api,
            inputs,
            carriers: &carriers,
            settings,
        };
        let mut findings = Findings::new();
        for rule in wanted {
            if let Check::Api(check) | Check::Hints(check) = rule.check() {
                findings.rule = rule;
                check(&subject, &mut findings);
            }
        }
        Reported(findings.seen)
    }

    /// Whether a rule reports this node.
    pub(crate) fn has(&self, rule: &Rule, node: Node<'_>) -> bool {
        let key = (node.index(), node.file().index(), rule.code());
        self.0.contains(&key)
    }
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'s, 'a> {
    pub(crate) api: &'s Api<'a>,
    pub(crate) inputs: &'s [Input<'a>],
    carriers: &'s [Vec<Carrier<'a>>],
    pub(crate) settings: &'s Settings,
}

impl<'s, 'a> Subject<'s, 'a> {
    /// Every input with the carriers of its values, which are looked up once for all rules.
    pub(crate) fn choices(
        &self,
    ) -> impl Iterator<Item = (&'s Input<'a>, &'s [Carrier<'a>])> + use<'s, 'a> {
        self.inputs
            .iter()
            .zip(self.carriers)
            .map(|(input, carriers)| (input, carriers.as_slice()))
    }
}

/// What the rules report into. A rule never sorts and never sees what others reported.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    rule: &'static Rule,
    confidence: Confidence,
    raw: Vec<RawFinding<'a>>,
    seen: BTreeSet<(usize, usize, &'static str)>,
}

impl<'a> Findings<'a> {
    fn new() -> Findings<'a> {
        Findings {
            rule: &rules::unreadable_manifest::RULE,
            confidence: Confidence::Certain,
            raw: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Reports under another rule; for what the readers found.
    pub(crate) fn under(&mut self, rule: &'static Rule) -> &mut Findings<'a> {
        self.rule = rule;
        self
    }

    /// Reports something about a node. A node that several operations share is reported once.
    pub(crate) fn report(&mut self, node: Node<'a>, message: impl Into<String>) -> Report<'_, 'a> {
        let new = self
            .seen
            .insert((node.index(), node.file().index(), self.rule.code()));
        let (source, span) = (node.tree().source(), first_line(node));
        let mut raw = RawFinding::new(self.rule, Some(node), source, span, message.into());
        raw.confidence = self.confidence;
        Report {
            findings: self,
            raw: Some(raw),
            new,
        }
    }

    /// Reports something about bytes that are not a node.
    pub(crate) fn report_span(
        &mut self,
        source: &'a Source,
        span: Span,
        message: impl Into<String>,
    ) -> Report<'_, 'a> {
        let raw = RawFinding::new(self.rule, None, source, span, message.into());
        Report {
            findings: self,
            raw: Some(raw),
            new: true,
        }
    }

    /// Takes everything out, to look through it.
    pub(crate) fn take(&mut self) -> Vec<RawFinding<'a>> {
        std::mem::take(&mut self.raw)
    }

    /// Puts back what is kept.
    pub(crate) fn put(&mut self, raw: Vec<RawFinding<'a>>) {
        self.raw = raw;
    }

    /// Reports what a reader could not make sense of.
    pub(crate) fn report_issue(&mut self, tree: &'a Tree, issue: &Issue) -> Report<'_, 'a> {
        let span = issue.place().span;
        let (source, at) = (tree.source(), tree.node_at(span.start()));
        let raw = RawFinding::new(
            self.rule,
            at,
            source,
            clip(source, span),
            issue.message().to_owned(),
        );
        Report {
            findings: self,
            raw: Some(raw),
            new: true,
        }
    }
}

/// Where a finding about a carrier belongs: at the parameter or property, or at the schema it shares with others.
pub(crate) fn place_of<'a>(input: &Input<'a>, at: Node<'a>, schema: Schema<'a>) -> Node<'a> {
    let mut node = at;
    loop {
        if node == input.node {
            return node;
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => return schema.node(),
        }
    }
}

/// A finding that is being written; it is kept when this value goes out of scope.
#[derive(Debug)]
pub(crate) struct Report<'f, 'a> {
    findings: &'f mut Findings<'a>,
    raw: Option<RawFinding<'a>>,
    new: bool,
}

impl<'a> Report<'_, 'a> {
    fn change(mut self, change: impl FnOnce(&mut RawFinding<'a>)) -> Self {
        if let Some(raw) = &mut self.raw {
            change(raw);
        }
        self
    }

    /// Marks another node than the one the finding is about.
    pub(crate) fn mark(self, node: Node<'a>) -> Self {
        self.change(|raw| {
            raw.source = node.tree().source();
            raw.span = first_line(node);
        })
    }

    pub(crate) fn label(self, label: impl Into<String>) -> Self {
        self.change(|raw| raw.label = label.into())
    }

    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        self.change(|raw| raw.fix = fix.into())
    }

    pub(crate) fn repair(self, repair: Option<Fix>) -> Self {
        self.change(|raw| raw.repair = repair)
    }

    pub(crate) fn confidence(self, confidence: Confidence) -> Self {
        self.change(|raw| raw.confidence = confidence)
    }

    /// What speaks for it, for a rule that weighs; of many findings the best are shown.
    pub(crate) fn weight(self, weight: f32) -> Self {
        self.change(|raw| raw.weight = weight)
    }

    pub(crate) fn unreadable(self, unreadable: bool) -> Self {
        self.change(|raw| raw.unreadable = unreadable)
    }
}

impl Drop for Report<'_, '_> {
    fn drop(&mut self) {
        if self.new {
            self.findings.raw.extend(self.raw.take());
        }
    }
}

/// A finding that still points into the document.
#[derive(Debug)]
pub(crate) struct RawFinding<'a> {
    pub(crate) rule: &'static Rule,
    confidence: Confidence,
    pub(crate) subject: Option<Node<'a>>,
    pub(crate) source: &'a Source,
    span: Span,
    message: String,
    label: String,
    fix: String,
    repair: Option<Fix>,
    weight: f32,
    unreadable: bool,
}

impl<'a> RawFinding<'a> {
    fn new(
        rule: &'static Rule,
        subject: Option<Node<'a>>,
        source: &'a Source,
        span: Span,
        message: String,
    ) -> RawFinding<'a> {
        RawFinding {
            rule,
            confidence: Confidence::Certain,
            subject,
            source,
            span,
            message,
            label: String::new(),
            fix: String::new(),
            repair: None,
            weight: 0.0,
            unreadable: false,
        }
    }

    /// The line the mark starts on.
    pub(crate) fn line(&self) -> u32 {
        self.source.position(self.span.start()).line
    }

    fn finish(self, settings: &Settings, names: &[Arc<str>]) -> Option<Finding> {
        let severity = match settings.level(self.rule) {
            Level::Off => return None,
            Level::Default => self.rule.severity(self.confidence),
            // A level says how bad, not how sure: a hint stays a hint.
            _ if self.confidence == Confidence::Possible => Severity::Info,
            Level::Info => Severity::Info,
            Level::Warning => Severity::Warning,
            Level::Error => Severity::Error,
        };
        let severity = if settings.strict() && severity == Severity::Warning {
            Severity::Error
        } else {
            severity
        };
        if self.confidence == Confidence::Possible && !settings.pedantic() {
            return None;
        }
        let (start, end) = self.source.positions(self.span);
        Some(Finding {
            code: self.rule.code(),
            rule: self.rule.name(),
            severity,
            confidence: self.confidence,
            message: self.message,
            why: self.rule.why(),
            fix: self.fix,
            file: names
                .get(self.source.file().index())
                .map_or_else(|| Arc::from(self.source.name()), Arc::clone),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            pointer: self.subject.map(Node::pointer).unwrap_or_default(),
            label: self.label,
            span: self.span,
            excerpt: excerpt(self.source, self.span),
            repair: self.repair,
            weight: self.weight,
            unreadable: self.unreadable,
        })
    }
}

/// The bytes of a node up to the end of its first line, so that a mark never covers half a file.
pub(crate) fn first_line(node: Node<'_>) -> Span {
    clip(node.tree().source(), node.span())
}

fn clip(source: &Source, span: Span) -> Span {
    let text = source.slice(span);
    let len = memchr::memchr2(b'\n', b'\r', text.as_bytes()).unwrap_or(text.len());
    narrow(span.start(), span.start() + len)
}

pub(crate) fn narrow(start: usize, end: usize) -> Span {
    let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(at(start), at(end))
}

/// Cuts the marked line around the mark.
fn excerpt(source: &Source, span: Span) -> Excerpt {
    let whole = source.line_at(span.start());
    let text = source.text();
    let from = whole
        .start()
        .max(floor(text, span.start().saturating_sub(BEFORE)));
    let marked_end = span.end().min(whole.end()).max(span.start());
    let shown_end = marked_end.min(span.start() + MARKED);
    let to = whole
        .end()
        .min(floor(text, shown_end + AFTER))
        .max(floor(text, shown_end));
    let shown = text.get(from..to).unwrap_or("");
    Excerpt {
        text: shown.trim_start_matches('\u{feff}').to_owned(),
        cut_before: from > whole.start(),
        cut_after: to < whole.end(),
        start: span.start().saturating_sub(from).min(shown.len()),
        end: floor(text, shown_end).saturating_sub(from).min(shown.len()),
    }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

const BEFORE: usize = 60;
const MARKED: usize = 80;
const AFTER: usize = 50;

/// Whether a rule runs by default.
pub(crate) fn runs_by_default(rule: &Rule) -> bool {
    rule.stage() == Stage::Stable
}
