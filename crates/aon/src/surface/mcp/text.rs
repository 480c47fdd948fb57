//! Text a model can act on, and never longer than its share of the envelope.

use std::fmt::Write as _;
use std::ops::Range;

use aon_core::{
    Choice, ChoiceValue, NoneReason, Parts, ProblemDetails, Remediation, RemediationType,
};

use crate::surface::correct::Correction;

/// Six tenths of the envelope: the text is read by the model, which pays for every word.
pub(super) const fn share(envelope: usize) -> usize {
    envelope / 10 * 6
}

/// The text, at most `budget` bytes.
pub(super) fn within(
    problem: &ProblemDetails,
    correction: Option<&Correction>,
    budget: usize,
) -> String {
    fitting(problem, correction, budget, || budget)
}

/// The same where it costs something to know the budget: it is asked for only when the text is longer than `least`.
pub(super) fn fitting(
    problem: &ProblemDetails,
    correction: Option<&Correction>,
    least: usize,
    budget: impl FnOnce() -> usize,
) -> String {
    let draft = Draft::of(problem, correction);
    if draft.text.len() <= least {
        return draft.text;
    }
    let budget = budget();
    if draft.text.len() <= budget {
        return draft.text;
    }
    draft.shortened(budget)
}

/// The sections in the order they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    What,
    Why,
    Values,
    Use,
    Try,
    Wait,
    Tool,
    Docs,
}

struct Draft {
    text: String,
    sections: Vec<(Section, Range<usize>)>,
}

impl Draft {
    fn of(problem: &ProblemDetails, correction: Option<&Correction>) -> Self {
        let Parts {
            type_uri: _,
            title,
            status,
            detail,
            instance: _,
            code,
            request_id: _,
            valid_values,
            remediation,
            docs_url,
            mcp_tool,
            a2a_skill: _,
            extensions: _,
        } = problem.parts();
        let mut draft = Self {
            text: String::with_capacity(512),
            sections: Vec::with_capacity(8),
        };
        draft.section(Section::What, |text| {
            let title = title.filter(|title| !title.trim().is_empty());
            let phrase = status.map_or("The call failed", aon_core::Status::phrase);
            push_plain(text, title.unwrap_or(phrase));
            let _: std::fmt::Result = match (status, code) {
                (Some(status), Some(code)) => write!(text, " ({status} {code})"),
                (Some(status), None) => write!(text, " ({status})"),
                (None, Some(code)) => write!(text, " ({code})"),
                (None, None) => Ok(()),
            };
        });
        if let Some(detail) = detail.filter(|detail| Some(*detail) != title) {
            draft.section(Section::Why, |text| push_plain(text, detail));
        }
        if !valid_values.is_empty() {
            draft.section(Section::Values, |text| {
                for (at, (field, choices)) in valid_values.iter().enumerate() {
                    text.push_str(if at > 0 { "; " } else { "Valid values: " });
                    push_plain(text, field);
                    text.push_str(" = ");
                    push_choices(text, choices);
                }
            });
        }
        if let Some(correction) = correction {
            draft.section(Section::Use, |text| {
                for (at, (pointer, value)) in correction.replaced().enumerate() {
                    text.push_str(if at > 0 { ", " } else { "Did you mean: " });
                    push_plain(text, pointer.strip_prefix('/').unwrap_or(pointer));
                    text.push_str(" = ");
                    push_plain(text, &value.to_value().to_string());
                }
                text.push('?');
            });
        }
        if let Some(remediation) = remediation {
            draft.section(Section::Try, |text| push_remediation(text, remediation));
        }
        if let Some(delay) = problem.retry_after() {
            draft.section(Section::Wait, |text| {
                let _: std::fmt::Result = write!(text, "Retry after {} s", delay.as_secs());
            });
        }
        if let Some(tool) = mcp_tool {
            draft.section(Section::Tool, |text| {
                text.push_str("Tool: ");
                text.push_str(tool.as_str());
            });
        }
        if let Some(url) = docs_url {
            draft.section(Section::Docs, |text| {
                text.push_str("Docs: ");
                text.push_str(url.as_str());
            });
        }
        draft
    }

    fn section(&mut self, section: Section, write: impl FnOnce(&mut String)) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        write(&mut self.text);
        self.sections.push((section, start..self.text.len()));
    }

    /// The same with each section cut to what is left for it; what matters most is served first.
    fn shortened(&self, budget: usize) -> String {
        const ORDER: [(Section, usize, bool); 8] = [
            // What, the share of what is left in percent, and whether a part of it is of use.
            (Section::What, 40, true),
            (Section::Use, 50, false),
            (Section::Values, 50, true),
            (Section::Try, 50, true),
            (Section::Tool, 100, false),
            (Section::Wait, 100, false),
            (Section::Why, 100, true),
            (Section::Docs, 100, false),
        ];
        let mut left = budget;
        let mut kept: Vec<(usize, &str, bool)> = Vec::with_capacity(8);
        for (section, percent, divisible) in ORDER {
            let Some((at, range)) = self
                .sections
                .iter()
                .enumerate()
                .find_map(|(at, (kept, range))| (*kept == section).then_some((at, range)))
            else {
                continue;
            };
            let whole = self.text.get(range.clone()).unwrap_or_default();
            let room = (left.saturating_sub(1)).saturating_mul(percent) / 100;
            if whole.len() <= room {
                kept.push((at, whole, false));
                left -= whole.len() + 1;
            } else if divisible && room > ELLIPSIS.len() + 12 {
                let part = cut(whole, room - ELLIPSIS.len());
                kept.push((at, part, true));
                left -= part.len() + ELLIPSIS.len() + 1;
            }
        }
        kept.sort_unstable_by_key(|(at, _, _)| *at);
        let mut text = String::with_capacity(budget);
        for (at, (_, part, is_cut)) in kept.into_iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            text.push_str(part);
            if is_cut {
                text.push_str(ELLIPSIS);
            }
        }
        text
    }
}

const ELLIPSIS: &str = "…";

/// At most that many bytes, at the border of a character.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Text of one line: control characters become spaces.
fn push_plain(out: &mut String, text: &str) {
    // No early way out: the compiler looks at many bytes at once then.
    let printable = |so_far, byte: u8| so_far & (b' '..0x7f).contains(&byte);
    if text.bytes().fold(true, printable) || !text.chars().any(char::is_control) {
        out.push_str(text);
    } else {
        out.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }
}

/// A value as JSON shows it, on one line.
fn push_value(out: &mut String, value: &ChoiceValue) {
    match value.as_str() {
        Some(text)
            if text
                .bytes()
                .all(|byte| (b' '..0x7f).contains(&byte) && !matches!(byte, b'"' | b'\\')) =>
        {
            out.push('"');
            out.push_str(text);
            out.push('"');
        }
        _ => push_plain(out, &value.to_value().to_string()),
    }
}

fn push_choices(text: &mut String, choices: &[Choice]) {
    for (at, choice) in choices.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        push_value(text, choice.value());
        if let Some(label) = choice.label() {
            text.push_str(" (");
            push_plain(text, label);
            text.push(')');
        }
    }
}

fn push_remediation(text: &mut String, remediation: &Remediation) {
    text.push_str("Try this: ");
    match remediation.message() {
        Some(message) => push_plain(text, message),
        None => text.push_str(match remediation.kind().kind() {
            RemediationType::WaitForProvisioning => "Wait until it is ready, then repeat the call.",
            RemediationType::RequestScopeElevation => {
                "Ask for a wider scope, then repeat the call."
            }
            RemediationType::SwitchUser => "Act as another user, then repeat the call.",
            RemediationType::RegisterCustomDomain => {
                "Register a domain first, then repeat the call."
            }
            // The reason is said in words; its code is for programs.
            RemediationType::None => match remediation.reason() {
                Some(NoneReason::AuthRequiredForSafety) => {
                    "For safety, a person must allow it first."
                }
                Some(NoneReason::NotYetImplemented) => "There is no way to do it yet.",
                Some(NoneReason::NoPublicEquivalentExists) | None => {
                    "There is nothing the caller can do."
                }
            },
        }),
    }
    let action = remediation.next_action();
    for (name, part) in action.iter().flat_map(|action| action.parts()) {
        text.push(' ');
        text.push_str(name);
        text.push_str(": ");
        push_plain(text, part);
    }
}
