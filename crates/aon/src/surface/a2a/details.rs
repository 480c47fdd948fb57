//! The typed objects of `error.data` and of `google.rpc.Status` (AIP-193): each type at most once.

use std::fmt::{self, Write as _};
use std::time::Duration;

use aon_core::json::ObjectWriter;
use aon_core::{Category, MachineHints, ProblemDetails};

use super::profile::{DEFAULT_DOMAIN, domain_of};
use super::{Profile, Rule};
use crate::surface::envelope::{self, A2A};
use crate::surface::{correct::Correction, raw};

pub(super) const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
pub(super) const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
pub(super) const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";
pub(super) const HELP: &str = "type.googleapis.com/google.rpc.Help";
pub(super) const REQUEST_INFO: &str = "type.googleapis.com/google.rpc.RequestInfo";

/// The domain of the errors A2A itself defines.
const A2A_DOMAIN: &str = "a2a-protocol.org";

/// Appends the array: `ErrorInfo` first, the envelope second, then what applies.
pub(super) fn write(
    problem: &ProblemDetails,
    profile: &Profile,
    correction: Option<&Correction>,
    known_reason: bool,
    out: &mut Vec<u8>,
) {
    let hints = MachineHints::of(problem);
    let rule = profile.rule(problem);
    let mut envelope = Vec::with_capacity(1024);
    let mut ours = ObjectWriter::begin(&mut envelope);
    ours.display("@type", format_args!("{DEFAULT_DOMAIN}/{}", A2A.schema));
    let corrected = correction.map(Correction::arguments);
    envelope::write(&mut ours, &A2A, problem, corrected, &hints);
    ours.end();
    out.push(b'[');
    write_error_info(problem, rule, known_reason, &envelope, out);
    out.push(b',');
    out.extend_from_slice(&envelope);
    if hints.category == Category::Validation && !hints.field_paths.is_empty() {
        write_bad_request(problem, &hints.field_paths, out);
    }
    if let Some(delay) = problem.retry_after() {
        let mut object = next(out, RETRY_INFO);
        object.display("retryDelay", Seconds(delay));
        object.end();
    }
    if let Some(url) = problem.docs_url().filter(|url| url.is_web_url()) {
        let mut object = next(out, HELP);
        object.array("links", [url], |out, url| {
            let mut link = ObjectWriter::begin(out);
            link.string("description", "Documentation of this problem");
            link.string("url", url.as_str());
            link.end();
        });
        object.end();
    }
    if let Some(id) = problem.request_id() {
        let mut object = next(out, REQUEST_INFO);
        object.string("requestId", id);
        object.end();
    }
    out.push(b']');
}

/// The message beside the details: what happened, and what to do about it.
pub(super) fn message(problem: &ProblemDetails, with_remediation: bool) -> String {
    let phrase = problem
        .status()
        .map_or("The call failed", aon_core::Status::phrase);
    let filled = |text: Option<&str>| {
        text.filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    let mut message = filled(problem.detail())
        .or_else(|| filled(problem.title()))
        .unwrap_or_else(|| phrase.to_owned());
    let advice = problem
        .remediation()
        .and_then(aon_core::Remediation::message)
        .filter(|advice| !advice.trim().is_empty());
    if let Some(advice) = advice.filter(|_| with_remediation) {
        // Details are often written without a full stop; two sentences need one.
        if !message.trim_end().ends_with(['.', '!', '?', ':', ';', '…']) {
            message.push('.');
        }
        message.push(' ');
        message.push_str(advice);
    }
    message
}

/// A duration as protobuf writes it in JSON: `30s`.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.0.as_secs())
    }
}

/// Clients show an application little more than this map, so it repeats what is needed to act.
fn write_error_info(
    problem: &ProblemDetails,
    rule: &Rule,
    known_reason: bool,
    envelope: &[u8],
    out: &mut Vec<u8>,
) {
    let mut object = typed(out, ERROR_INFO);
    let known = (known_reason && !rule.is_official()).then(|| reason_of_number(rule.number()));
    match known.or(rule.reason()) {
        Some(reason) => object.string("reason", reason),
        None => object.string("reason", &reason(problem, rule)),
    }
    object.string(
        "domain",
        if rule.is_official() {
            A2A_DOMAIN
        } else {
            domain_of(problem)
        },
    );
    object.object("metadata", |metadata| {
        metadata.string("kind", rule.kind().as_str());
        if let Some(code) = problem.code() {
            metadata.string("code", code.as_str());
        }
        if let Some(status) = problem.status() {
            metadata.display("status", status);
        }
        if let Some(id) = problem.request_id() {
            metadata.string("request_id", id);
        }
        if let Some(url) = problem.docs_url() {
            metadata.string("docs_url", url.as_str());
        }
        if let Some(delay) = problem.retry_after() {
            metadata.display("retry_after", Seconds(delay));
        }
        if !problem.valid_values().is_empty() {
            metadata.string("valid_values", &compact_values(problem));
        }
        if let Some(remediation) = problem.remediation() {
            let word = remediation.kind().kind().as_str();
            metadata.string("remediation", remediation.message().unwrap_or(word));
        }
        // Whoever is shown this map alone has all of it too.
        if envelope.len() <= WHOLE {
            metadata.string("problem", &String::from_utf8_lossy(envelope));
        }
    });
    object.end();
}

fn write_bad_request(problem: &ProblemDetails, paths: &[String], out: &mut Vec<u8>) {
    let errors = problem.extensions().get("errors");
    let errors = errors
        .and_then(|errors| raw::items(errors.as_str()))
        .unwrap_or_default();
    let mut object = next(out, BAD_REQUEST);
    object.array("fieldViolations", paths, |out, path| {
        let told = errors.iter().find_map(|error| {
            let pointer = raw::text(raw::member(error, "pointer")?)?;
            let same = aon_core::pointer::of_fragment(&pointer) == *path;
            raw::text(raw::member(error, "detail").filter(|_| same)?)
        });
        let field = field_path(path);
        let mut violation = ObjectWriter::begin(out);
        violation.string("field", &field);
        let values = problem
            .valid_values()
            .iter()
            .find(|(name, _)| *name == path || field.ends_with(*name));
        match (told, values) {
            (Some(told), _) => violation.string("description", &told),
            (None, Some((_, choices))) => {
                let mut text = "must be one of: ".to_owned();
                push_choices(&mut text, choices);
                violation.string("description", &text);
            }
            (None, None) => violation.string("description", &message(problem, false)),
        }
        violation.end();
    });
    object.end();
}

fn typed<'a>(out: &'a mut Vec<u8>, name: &str) -> ObjectWriter<'a> {
    let mut object = ObjectWriter::begin(out);
    object.string("@type", name);
    object
}

fn next<'a>(out: &'a mut Vec<u8>, name: &str) -> ObjectWriter<'a> {
    out.push(b',');
    typed(out, name)
}

/// The problem's own code as a reason: `[A-Z][A-Z0-9_]+[A-Z0-9]`, at most 63.
fn reason(problem: &ProblemDetails, rule: &Rule) -> String {
    let code = problem.code().map_or("", aon_core::Code::as_str);
    let code = if code.len() < 3 {
        rule.kind().code()
    } else {
        code
    };
    let code = code.get(..code.len().min(63)).unwrap_or(code);
    code.trim_end_matches('_').to_ascii_uppercase()
}

/// `auth_ux: hosted, custom; seats: 1, 5`, at most a kilobyte.
fn compact_values(problem: &ProblemDetails) -> String {
    let mut text = String::new();
    for (at, (field, choices)) in problem.valid_values().iter().enumerate() {
        if at > 0 {
            text.push_str("; ");
        }
        text.push_str(field);
        text.push_str(": ");
        push_choices(&mut text, choices);
    }
    text
}

const LONGEST: usize = 1024;

/// The longest envelope that is repeated as text.
const WHOLE: usize = 16 * 1024;

/// The reasons that official clients of HTTP+JSON know for a number; what has another one they drop.
const fn reason_of_number(number: i32) -> &'static str {
    match number {
        -32_602 => "INVALID_PARAMS",
        -32_601 => "METHOD_NOT_FOUND",
        -32_700 | -32_600 => "INVALID_REQUEST",
        _ => "INTERNAL_ERROR",
    }
}

/// The message where clients show nothing else: what happened, what to do, the valid values, the code and where to read on.
pub(super) fn whole_message(problem: &ProblemDetails) -> String {
    let mut text = message(problem, true);
    if !text.trim_end().ends_with(['.', '!', '?', ':', ';', '…']) {
        text.push('.');
    }
    if !problem.valid_values().is_empty() {
        text.push_str(" Valid values: ");
        text.push_str(&compact_values(problem));
        text.push('.');
    }
    if let Some(delay) = problem.retry_after() {
        let _: fmt::Result = write!(text, " Retry after {}.", Seconds(delay));
    }
    if let Some(code) = problem.code() {
        let _: fmt::Result = write!(text, " Code: {code}.");
    }
    if let Some(url) = problem.docs_url() {
        let _: fmt::Result = write!(text, " See {}", url.as_str());
    }
    text
}

fn push_choices(text: &mut String, choices: &[aon_core::Choice]) {
    for (at, choice) in choices.iter().enumerate() {
        if text.len() > LONGEST {
            let _: std::fmt::Result = write!(text, ", and {} more", choices.len() - at);
            return;
        }
        let separator = if at > 0 { ", " } else { "" };
        let _: std::fmt::Result = write!(text, "{separator}{}", choice.value());
    }
}

/// `/a/0/b` as `google.rpc` writes it: `a[0].b`.
fn field_path(pointer: &str) -> String {
    let mut path = String::new();
    for token in aon_core::pointer::tokens(pointer) {
        if !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit()) {
            let _: std::fmt::Result = write!(path, "[{token}]");
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&token);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_become_field_paths() {
        for (pointer, path) in [
            ("/auth_ux", "auth_ux"),
            ("/a/0/b", "a[0].b"),
            ("/a~1b/c~0", "a/b.c~"),
            ("", ""),
        ] {
            assert_eq!(field_path(pointer), path);
        }
    }
}
