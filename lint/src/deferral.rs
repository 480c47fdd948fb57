//! Findings that are set aside on purpose, in place (contract R4).
//!
//! A YAML comment `# aon-ignore: <rule> <reason>` on the line of a finding or alone on the line above it, or a member
//! `x-aon-ignore` in the object a finding is about or in one around it. Several rules are separated by commas.

use aon_manifest::{Document, Node, Source, Span, Syntax};
use memchr::memmem;

use crate::date::Date;
use crate::engine::{Findings, RawFinding};
use crate::rule::Rule;
use crate::rules;
use crate::settings::Settings;

/// One deferral in a document.
#[derive(Debug)]
struct Deferral<'a> {
    source: &'a Source,
    span: Span,
    rules: Vec<&'static Rule>,
    reason: &'a str,
    reach: Reach<'a>,
    used: bool,
}

#[derive(Debug)]
enum Reach<'a> {
    /// A finding that is marked on this line.
    Line(u32),
    /// A finding about this object or something inside.
    Inside(Node<'a>),
}

/// Sets findings aside, and reports deferrals that are unknown, unexplained or no longer needed. Says how many were set aside.
pub(crate) fn apply<'a>(
    document: &'a Document,
    settings: &Settings,
    findings: &mut Findings<'a>,
) -> usize {
    let mut deferrals = Vec::new();
    for tree in document.files() {
        // Most documents have none. JSON has no comments; in YAML one search over the text says so.
        let in_comments = || {
            let text = tree.source().text().as_bytes();
            tree.syntax() == Syntax::Yaml && memmem::find(text, MARK.as_bytes()).is_some()
        };
        if !tree.has_ignores() && !in_comments() {
            continue;
        }
        for comment in tree.comments() {
            let Some(text) = comment.text.strip_prefix(MARK) else {
                continue;
            };
            let line = if comment.alone {
                comment.line + 1
            } else {
                comment.line
            };
            let text = text.trim_start_matches(':');
            let place = (tree.source(), comment.span);
            read(text, "", place, Reach::Line(line), &mut deferrals, findings);
        }
        for key in (0..tree.node_count()).filter_map(|at| tree.node(at)) {
            if !(key.is_key() && key.text() == MEMBER) {
                continue;
            }
            let (Some(value), Some(object)) = (key.value(), key.parent()) else {
                continue;
            };
            members(value, |text, reason, node| {
                let place = (tree.source(), node.span());
                let reach = Reach::Inside(object);
                read(text, reason, place, reach, &mut deferrals, findings);
            });
        }
    }
    if deferrals.is_empty() {
        return 0;
    }
    let mut kept = Vec::new();
    let mut count = 0;
    for raw in findings.take() {
        let deferral = deferrals
            .iter_mut()
            .find(|deferral| deferral.covers(&raw, settings));
        match deferral {
            Some(deferral) => {
                deferral.used = true;
                count += 1;
            }
            None => kept.push(raw),
        }
    }
    findings.put(kept);
    for deferral in &deferrals {
        deferral.report(settings, findings);
    }
    count
}

impl<'a> Deferral<'a> {
    fn covers(&self, raw: &RawFinding<'a>, settings: &Settings) -> bool {
        if (self.reason.is_empty() && settings.strict()) || self.is_expired(settings) {
            return false;
        }
        let same_file = std::ptr::eq(raw.source, self.source);
        let reaches = match self.reach {
            Reach::Line(line) => same_file && raw.line() == line,
            Reach::Inside(object) => {
                same_file
                    && raw
                        .subject
                        .is_some_and(|subject| is_inside(subject, object))
            }
        };
        reaches && self.rules.iter().any(|rule| rule.code() == raw.rule.code())
    }

    /// A reason may name its last day: `until 2026-12-31`.
    fn expires(&self) -> Option<Date> {
        let mut words = self.reason.split_whitespace();
        words.find(|word| *word == "until")?;
        words.next()?.trim_end_matches([',', '.', ';']).parse().ok()
    }

    fn is_expired(&self, settings: &Settings) -> bool {
        settings
            .today()
            .zip(self.expires())
            .is_some_and(|(today, last)| today > last)
    }

    fn report(&self, settings: &Settings, findings: &mut Findings<'a>) {
        let names: Vec<_> = self.rules.iter().map(|rule| rule.name()).collect();
        if self.reason.is_empty() && settings.strict() {
            findings
                .under(&rules::unexplained_deferral::RULE)
                .report_span(
                    self.source,
                    self.span,
                    format!("{} is set aside without a reason", names.join(", ")),
                )
                .label("no reason")
                .fix("say why, after the name of the rule");
        } else if let Some(last) = self.expires().filter(|_| self.is_expired(settings)) {
            findings
                .under(&rules::expired_deferral::RULE)
                .report_span(
                    self.source,
                    self.span,
                    format!("this deferral ended on {last}"),
                )
                .label("over")
                .fix("repair what it set aside, or set a new date");
        } else if !self.used {
            findings
                .under(&rules::stale_deferral::RULE)
                .report_span(
                    self.source,
                    self.span,
                    format!("nothing here breaks {} any more", names.join(", ")),
                )
                .label("sets nothing aside")
                .fix("remove it");
        }
    }
}

/// Reads `rule-a, rule-b reason`; the reason may also stand apart.
fn read<'a>(
    text: &'a str,
    reason: &'a str,
    (source, span): (&'a Source, Span),
    reach: Reach<'a>,
    deferrals: &mut Vec<Deferral<'a>>,
    findings: &mut Findings<'a>,
) {
    let mut known = Vec::new();
    let mut rest = text.trim();
    loop {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let more = word.ends_with(',');
        for name in word.split(',').filter(|name| !name.is_empty()) {
            match rules::find(name) {
                Some(rule) => known.push(rule),
                None => unknown(name, source, span, findings),
            }
        }
        rest = behind.trim();
        if !more || rest.is_empty() {
            break;
        }
    }
    if !known.is_empty() {
        deferrals.push(Deferral {
            source,
            span,
            rules: known,
            reason: if reason.is_empty() { rest } else { reason },
            reach,
            used: false,
        });
    }
}

fn unknown<'a>(name: &str, source: &'a Source, span: Span, findings: &mut Findings<'a>) {
    let names = rules::ALL
        .iter()
        .flat_map(|rule| [rule.name(), rule.code()]);
    let fix = match aon_core::suggest::nearest(name, names) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`aon-lint --rules` lists the rules".to_owned(),
    };
    findings
        .under(&rules::unknown_deferred_rule::RULE)
        .report_span(
            source,
            span,
            format!("there is no rule `{name}` to set aside"),
        )
        .label("not a rule")
        .fix(fix);
}

/// The texts of `x-aon-ignore`: one, a list, an object of reasons by rule, or one with `rule` and `reason`.
fn members<'a>(value: Node<'a>, mut visit: impl FnMut(&'a str, &'a str, Node<'a>)) {
    let mut one = |node: Node<'a>| match node.get("rule") {
        Some(rule) => visit(rule.text(), node.get("reason").map_or("", Node::text), rule),
        None if node.is_object() => {
            for member in node.members() {
                visit(member.name(), member.value.text(), member.value);
            }
        }
        None => visit(node.text(), "", node),
    };
    if value.is_array() {
        value.items().for_each(one);
    } else {
        one(value);
    }
}

fn is_inside(node: Node<'_>, object: Node<'_>) -> bool {
    let mut at = Some(node);
    while let Some(node) = at {
        if node == object {
            return true;
        }
        at = node.parent();
    }
    false
}

const MARK: &str = "aon-ignore";
const MEMBER: &str = "x-aon-ignore";
