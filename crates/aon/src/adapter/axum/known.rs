//! The texts axum and tower-http answer with, read back into what they mean.
//!
//! Only these texts are looked at. Whatever else stands in a foreign body stays there.

use aon_core::ProblemDetails;

use super::framework;
use crate::arguments::{self, Fault, What, problem_as, serde_words};
use crate::builtin;

/// The problem a framework's own text stands for; `None` for any other text.
pub(super) fn problem(
    status: u16,
    text: &str,
    parameters: &[(&str, &str)],
) -> Option<ProblemDetails> {
    let make = builtin::problem;
    let after = |start: &str| {
        text.strip_prefix(start)
            .map(|rest| rest.strip_prefix(": ").unwrap_or(rest))
    };
    let problem = match status {
        400 => {
            if let Some(rest) = after("Failed to parse the request body as JSON") {
                invalid_json(rest)
            } else if let Some(rest) = after("Failed to deserialize query string")
                .or_else(|| after("Failed to deserialize form"))
            {
                problem_as(&framework::INVALID_QUERY, &[serde_words::with_path(rest)])
            } else if after("Invalid URL").is_some() {
                path(text, parameters)
            } else if after("Request body didn't contain valid UTF-8").is_some() {
                make(&framework::INVALID_BODY).with_detail("The body is not valid UTF-8.")
            } else if let Some(rest) = after("Failed to buffer the request body") {
                make(if builtin::stopped_coming(rest) {
                    &framework::REQUEST_TIMEOUT
                } else {
                    &framework::BODY_UNREADABLE
                })
            } else if let Some(name) = header(text) {
                make(&framework::INVALID_HEADER)
                    .with_detail(format!("The header {name} is missing or malformed."))
            } else if text == "Invalid `boundary` for `multipart/form-data` request" {
                make(&framework::INVALID_BODY)
                    .with_detail("The Content-Type of a multipart body must name its boundary.")
            } else if after("Error parsing `multipart/form-data` request").is_some() {
                make(&framework::INVALID_BODY)
                    .with_detail("The body is not valid multipart/form-data.")
            } else if is_handshake(text) {
                make(&framework::INVALID_UPGRADE)
            } else {
                return None;
            }
        }
        415 => {
            let accepted = match text {
                "Expected request with `Content-Type: application/json`" => "application/json",
                "Form requests must have `Content-Type: application/x-www-form-urlencoded`" => {
                    "application/x-www-form-urlencoded"
                }
                _ => return None,
            };
            builtin::unsupported_media_type(&[accepted])
        }
        422 => {
            let rest = after("Failed to deserialize the JSON body into the target type")
                .or_else(|| after("Failed to deserialize form body"))?;
            arguments::problem(&[serde_words::with_path(rest)])?
        }
        426 if is_handshake(text) => make(&framework::UPGRADE_REQUIRED),
        _ => return None,
    };
    Some(problem)
}

/// What `serde_json` says about syntax: it never repeats the text.
fn invalid_json(message: &str) -> ProblemDetails {
    if message.ends_with("EOF while parsing a value at line 1 column 0") {
        return builtin::empty_body();
    }
    builtin::invalid_json(message.trim_end_matches('.'))
}

/// ``Header of type `x` was missing``, as axum-extra says it.
fn header(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix("Header of type `")?.split_once('`')?;
    let known =
        rest.starts_with(" was missing") || rest.starts_with(" was malformed") || rest.is_empty();
    (known && name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
        .then_some(name)
}

fn is_handshake(text: &str) -> bool {
    matches!(
        text,
        "Connection header did not include 'upgrade'"
            | "`Upgrade` header did not include 'websocket'"
            | "`:protocol` pseudo-header did not include 'websocket'"
            | "`Sec-WebSocket-Version` header did not include '13'"
            | "`Sec-WebSocket-Key` header missing"
            | "WebSocket request couldn't be upgraded since no upgrade state was present"
    )
}

/// What the `Path` extractor says. Where it gives no name, the parameters of the route may: by their number, their place,
/// or the value that was refused.
pub(super) fn path(text: &str, parameters: &[(&str, &str)]) -> ProblemDetails {
    let text = text.strip_prefix("Invalid URL: ").unwrap_or(text);
    let mut fault = path_fault(text);
    let name = match (fault.pointer.strip_prefix('/'), parameters) {
        (None, [(only, _)]) => Some(*only),
        (None, _) => {
            let given = fault.given.as_deref();
            let mut same = parameters.iter().filter(|(_, value)| Some(*value) == given);
            same.next()
                .filter(|_| same.next().is_none())
                .map(|(name, _)| *name)
        }
        (Some(index), _) => {
            let at: Option<usize> = index.parse().ok();
            at.and_then(|at| parameters.get(at)).map(|(name, _)| *name)
        }
    };
    if let Some(name) = name {
        fault.pointer = aon_core::Pointer::field(name).into();
    }
    problem_as(&framework::INVALID_PATH, &[fault])
}

/// What it says of one parameter; the words differ where the kind of a value does not fit and where its type refuses it.
fn path_fault(text: &str) -> Fault {
    let at = |name: &str, message: &str| {
        Fault::from_serde(aon_core::Pointer::field(name).as_str(), message)
    };
    let named = text.strip_prefix("Invalid UTF-8 in `");
    if let Some(key) = named.and_then(|rest| rest.strip_suffix('`')) {
        return at(key, "invalid value: byte array, expected UTF-8");
    }
    let Some(rest) = text.strip_prefix("Cannot parse ") else {
        return Fault::from_serde("", text);
    };
    // The value is quoted in the text, and may hold anything.
    let wanted = |rest: &str| {
        let expected = rest.rsplit_once("to a `")?.1.strip_suffix('`')?;
        let (expected, received) = (serde_words::in_words(expected), None);
        Some(What::Wrong { expected, received })
    };
    let index = rest
        .strip_prefix("value at index ")
        .and_then(|rest| rest.split_once(' '));
    if let Some((index, rest)) = index
        && let Some(what) = wanted(rest)
    {
        return Fault::new(format!("/{index}"), what);
    }
    let key = rest
        .strip_prefix('`')
        .and_then(|rest| rest.split_once("` with value `"));
    match (key, wanted(rest)) {
        (Some((key, _)), Some(what)) => Fault::new(aon_core::Pointer::field(key), what),
        (Some((key, rest)), None) => {
            let variant = rest
                .find("`: unknown variant `")
                .and_then(|at| rest.get(at + 3..));
            let message = variant.or_else(|| rest.rsplit_once("`: ").map(|(_, message)| message));
            at(key, message.unwrap_or(rest))
        }
        (None, Some(what)) => Fault::new("", what),
        (None, None) => Fault::from_serde("", "invalid value: string, expected another form"),
    }
}
