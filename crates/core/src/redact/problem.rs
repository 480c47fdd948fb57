//! A whole problem: every member that may say something is looked at, by name and by value.

use std::borrow::Cow;

use serde_json::Value;

use super::echo::shorten;
use super::names::{Mode, Shape};
use super::plain::is_uuid;
use super::{REDACTED, clean, document, is_secret};
use crate::details::{ERRORS, Inner, MadeOf};
use crate::{Code, Json, ProblemDetails, UriRef};

/// What is looked at on the way out. Everything, unless a program says otherwise.
///
/// ```
/// use aon_core::{Code, ProblemDetails, Status, redact};
///
/// let problem = ProblemDetails::new(Status::from_static(502), Code::from_static("no_database"))
///     .with_detail("postgres://app:hunter2@db refused");
/// let shown = redact::problem(problem.clone(), redact::Policy::default());
/// assert_eq!(shown.detail(), Some("postgres://app:[redacted]@db refused"));
/// let kept = redact::problem(problem, redact::Policy::default().keep_detail());
/// assert_eq!(kept.detail(), Some("postgres://app:hunter2@db refused"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    keep_detail: bool,
}

impl Policy {
    /// Leaves `detail` as the program wrote it, and the same sentence in `errors`. For programs whose sentences look like
    /// secrets; everything else is still looked at.
    #[must_use]
    pub const fn keep_detail(mut self) -> Self {
        self.keep_detail = true;
        self
    }

    /// Whether `detail` is left as it is.
    pub const fn keeps_detail(self) -> bool {
        self.keep_detail
    }
}

/// The most characters of a sentence that leaves. It may repeat what a caller sent, and some surfaces say it more than once.
pub(crate) const MAX_SENTENCE: usize = 2048;

/// The problem without its secrets, for every surface: `detail`, extensions by name and by value, what the remediation says, the
/// valid values, and the rest. What holds no secret is not copied.
///
/// A `detail`, and a text in an extension, of more than 2048 characters ends in an ellipsis, unless the policy keeps details: it
/// may repeat what a caller sent.
///
/// Fails closed: a member that cannot be shown without its secret is left out.
pub fn problem(mut problem: ProblemDetails, policy: Policy) -> ProblemDetails {
    // Taken apart without `..`, so that a new member has to be decided here.
    let Inner {
        type_uri,
        title,
        status: _,
        detail,
        instance,
        code,
        request_id,
        valid_values,
        remediation,
        docs_url,
        mcp_tool,
        a2a_skill,
        extensions,
        made_of: MadeOf(entry),
    } = &mut *problem.inner;
    // What the derive wrote was looked at while compiling.
    let known = |text: &str| entry.is_some_and(|entry| entry.vouches_for(text));
    // Of a sentence that stays, the copies in `errors` stay too.
    let errors = match detail {
        Some(detail) if policy.keep_detail => {
            let errors = extensions.get(ERRORS.as_str());
            errors.and_then(|errors| kept_errors(errors, detail))
        }
        _ => None,
    };
    for (text, look) in [(detail, !policy.keep_detail), (title, true)] {
        if let Some(text) = text.as_mut().filter(|text| look && !known(text)) {
            clean(text);
            shorten(text, MAX_SENTENCE);
        }
    }
    let plain_id = request_id.as_deref().filter(|id| is_uuid(id.as_bytes()));
    for uri in [type_uri, instance, docs_url] {
        let Some(text) = uri.as_ref().map(UriRef::as_str) else {
            continue;
        };
        let of_request = plain_id.is_some_and(|id| text.starts_with("urn:") && text.ends_with(id));
        if !known(text) && !of_request && is_secret(text) {
            *uri = uri.as_ref().and_then(redacted_uri);
        }
    }
    if let Some(id) = request_id.as_mut().filter(|id| !is_uuid(id.as_bytes())) {
        clean(id);
    }
    let secret = |name: &str| !known(name) && is_secret(name);
    if code.take_if(|code| secret(code.as_str())).is_some() {
        *code = Some(Code::from_static("redacted"));
    }
    // A tool or a skill with another name would be a lie.
    mcp_tool.take_if(|tool| secret(tool.as_str()));
    a2a_skill.take_if(|skill| secret(skill.as_str()));
    valid_values.redact();
    if let Some(remediation) = remediation {
        remediation.redact();
    }
    extensions.redact();
    if !policy.keep_detail {
        extensions.shorten();
    }
    if let Some(errors) = errors {
        extensions.set(&ERRORS, errors);
    }
    problem.settle_auto_fix();
    problem
}

/// A member without its secrets, by its name and by what it holds; nothing if it may stay as it is.
///
/// ```
/// use aon_core::{Json, redact};
///
/// let shown = |name, value| redact::member(name, &Json::from(value)).map(|json| json.to_string());
/// assert_eq!(shown("password", "hunter2").as_deref(), Some(r#""[redacted]""#));
/// assert_eq!(shown("city", "Rome"), None);
/// ```
pub fn member(name: &str, value: &Json) -> Option<Json> {
    match hidden_member(name, value.as_str())? {
        Cow::Borrowed(_) => None,
        Cow::Owned(hidden) => Some(Json::parse(&hidden).unwrap_or_else(|_| Json::from(REDACTED))),
    }
}

/// Whether a member, its value given as JSON, has something to hide; the name itself counts too.
pub(crate) fn is_secret_member(name: &str, json: &str) -> bool {
    matches!(hidden_member(name, json), Some(Cow::Owned(_))) || is_secret(name)
}

/// The JSON of a member without its secrets; nothing if a quick look said that there are none.
fn hidden_member<'a>(name: &str, json: &'a str) -> Option<Cow<'a, str>> {
    let mode = Mode::Open.member(Shape::default(), name);
    // Most members are a number, a flag or a plain string, and their name says nothing.
    if mode == Mode::Open {
        let plain = match json.as_bytes() {
            [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => {
                json.get(1..json.len() - 1).map(|text| !mode.hides(text))
            }
            [b'{' | b'[' | b'"', ..] => None,
            _ => Some(!mode.hides_number(json)),
        };
        if plain == Some(true) {
            return None;
        }
    }
    Some(document::json_text_at(json, 0, mode))
}

/// Hides the secrets in an event of a stream, and leaves its envelope: type, times, ids and number ([L3]).
///
/// ```
/// let mut event = serde_json::json!({"type": "status", "session_id": "s1", "seq": 1, "message": "token=abc123"});
/// aon_core::redact::event(&mut event);
/// assert_eq!(event["message"], "token=[redacted]");
/// assert_eq!(event["session_id"], "s1");
/// ```
///
/// [L3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l3
pub fn event(event: &mut Value) {
    const ENVELOPE: &str = "type timestamp ts_ms trace_id session_id seq id";
    let Value::Object(members) = event else {
        return super::json(event);
    };
    let kept = ENVELOPE
        .split(' ')
        .filter_map(|name| Some((name, members.get_mut(name)?.take())));
    let kept: Vec<(&str, Value)> = kept.collect();
    super::json(event);
    for (name, value) in kept {
        if let Some(place) = event.get_mut(name) {
            *place = value;
        }
    }
}

fn redacted_uri(uri: &UriRef) -> Option<UriRef> {
    UriRef::parse(super::text(uri.as_str()).into_owned()).ok()
}

/// `errors` redacted, with the entries that repeat the detail as they were.
fn kept_errors(errors: &Json, detail: &str) -> Option<Json> {
    let mut errors = errors.to_value();
    for entry in errors.as_array_mut()? {
        let repeats = entry.get("detail").and_then(Value::as_str) == Some(detail);
        super::json(entry);
        if let Some(place) = entry.get_mut("detail").filter(|_| repeats) {
            *place = Value::from(detail);
        }
    }
    Some(Json::from(&errors))
}

/// A member whose texts are short enough; nothing if they are.
pub(crate) fn shortened(json: &Json) -> Option<Json> {
    if json.as_str().len() <= MAX_SENTENCE {
        return None;
    }
    let mut value = json.to_value();
    shorten_texts(&mut value).then(|| Json::from(&value))
}

/// Cuts the texts that are too long; whether there were any.
fn shorten_texts(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let mut short = Cow::Borrowed(text.as_str());
            shorten(&mut short, MAX_SENTENCE);
            let Cow::Owned(short) = short else {
                return false;
            };
            *text = short;
            true
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |cut, item| shorten_texts(item) | cut),
        Value::Object(members) => members
            .values_mut()
            .fold(false, |cut, member| shorten_texts(member) | cut),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExtensionName, Status};

    #[test]
    fn what_repeats_what_was_sent_is_short() {
        let long = "k".repeat(500_000);
        let sent = ExtensionName::from_static("sent");
        let told = || {
            ProblemDetails::new(Status::from_static(404), Code::from_static("unknown_id"))
                .with_detail(long.clone())
                .with_pointer("/id", Some(&long))
                .with_extension(sent.clone(), &serde_json::json!({ "n": 1, "ids": [long] }))
                .unwrap()
        };
        let shown = problem(told(), Policy::default());
        let json = Json::of(&shown)
            .map(|json| json.to_string())
            .unwrap_or_default();
        assert!(shown.detail().is_some_and(|detail| detail.ends_with('…')));
        assert!(json.len() < 7000 && json.contains("/id"), "{}", json.len());
        let kept = |problem: &ProblemDetails| problem.extensions().get("sent").map(Json::to_value);
        let ids = kept(&shown).unwrap_or_default();
        assert_eq!(ids["n"], 1);
        assert!(ids["ids"][0].as_str().is_some_and(|id| id.ends_with('…')));
        let whole = problem(told(), Policy::default().keep_detail());
        assert_eq!(whole.detail(), Some(long.as_str()));
        assert_eq!(kept(&whole), kept(&told()));
    }
}
