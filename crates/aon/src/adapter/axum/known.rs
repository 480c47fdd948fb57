//! The texts axum and tower-http answer with, read back into what they mean.
//!
//! Only these texts are looked at. Whatever else stands in a foreign body stays there.

use aon_core::{Entry, Namespace, ProblemDetails};

use super::fault::{self, Fault, Kind};
use super::framework;

/// The problem a framework's own text stands for; `None` for any other text.
pub(super) fn problem(
    status: u16,
    text: &str,
    parameters: &[(&str, &str)],
    namespace: &Namespace,
) -> Option<ProblemDetails> {
    let make = |entry: &'static Entry| framework::problem(entry, namespace);
    let after = |start: &str| {
        text.strip_prefix(start)
            .map(|rest| rest.strip_prefix(": ").unwrap_or(rest))
    };
    let problem = match status {
        400 => {
            if let Some(rest) = after("Failed to parse the request body as JSON") {
                make(&framework::INVALID_BODY)
                    .with_detail(format!("The body is not valid JSON: {}.", syntax(rest)))
            } else if let Some(rest) = after("Failed to deserialize query string")
                .or_else(|| after("Failed to deserialize form"))
            {
                fault::problem(
                    Some(&framework::INVALID_QUERY),
                    &[Fault::parse(rest)],
                    namespace,
                )
            } else if let Some(rest) = after("Invalid URL") {
                path(rest, parameters, namespace)
            } else if after("Request body didn't contain valid UTF-8").is_some() {
                make(&framework::INVALID_BODY).with_detail("The body is not valid UTF-8.")
            } else if after("Failed to buffer the request body").is_some() {
                make(&framework::BODY_UNREADABLE)
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
        413 if matches!(text, "length limit exceeded")
            || after("Failed to buffer the request body").is_some()
            || after("Error parsing `multipart/form-data` request").is_some() =>
        {
            make(&framework::BODY_TOO_LARGE)
        }
        415 => {
            let accepted = match text {
                "Expected request with `Content-Type: application/json`" => "application/json",
                "Form requests must have `Content-Type: application/x-www-form-urlencoded`" => {
                    "application/x-www-form-urlencoded"
                }
                _ => return None,
            };
            make(&framework::UNSUPPORTED_MEDIA_TYPE)
                .with_detail(format!("The body must have the Content-Type {accepted}."))
                .with_valid_values("content-type", [accepted])
        }
        422 => {
            let rest = after("Failed to deserialize the JSON body into the target type")
                .or_else(|| after("Failed to deserialize form body"))?;
            fault::problem(None, &[Fault::parse(rest)], namespace)
        }
        426 if is_handshake(text) => make(&framework::UPGRADE_REQUIRED),
        _ => return None,
    };
    Some(problem)
}

/// What `serde_json` says about syntax: it never repeats the text.
fn syntax(message: &str) -> &str {
    message.trim_end_matches('.')
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

/// What the `Path` extractor says after `Invalid URL: `. Where it gives no name, the parameters of the route may: by
/// their number, their place, or the value that was refused.
pub(super) fn path(
    text: &str,
    parameters: &[(&str, &str)],
    namespace: &Namespace,
) -> ProblemDetails {
    let mut fault = path_fault(text);
    let name = match (fault.pointer.strip_prefix('/'), parameters, &fault.kind) {
        (None, [(only, _)], _) => Some(*only),
        (None, _, Kind::UnknownVariant { given, .. }) => {
            let mut same = parameters.iter().filter(|(_, value)| value == given);
            same.next()
                .filter(|_| same.next().is_none())
                .map(|(name, _)| *name)
        }
        (None, _, _) => None,
        (Some(index), _, _) => {
            let at: Option<usize> = index.parse().ok();
            at.and_then(|at| parameters.get(at)).map(|(name, _)| *name)
        }
    };
    if let Some(name) = name {
        fault.pointer = fault::pointer(&[name.to_owned()]);
    }
    fault::problem(Some(&framework::INVALID_PATH), &[fault], namespace)
}

fn path_fault(text: &str) -> Fault {
    if let Some(key) = text
        .strip_prefix("Invalid UTF-8 in `")
        .and_then(|rest| rest.strip_suffix('`'))
    {
        return Fault::new(
            vec![key.to_owned()],
            "invalid value: byte array, expected UTF-8",
        );
    }
    let Some(rest) = text.strip_prefix("Cannot parse ") else {
        return Fault::new(Vec::new(), text);
    };
    let wanted = |rest: &str| {
        let expected = rest.rsplit_once("to a `")?.1.strip_suffix('`')?;
        Some(format!("invalid type: string, expected {expected}"))
    };
    if let Some((index, rest)) = rest
        .strip_prefix("value at index ")
        .and_then(|rest| rest.split_once(' '))
        && let Some(message) = wanted(rest)
    {
        return Fault::new(vec![index.to_owned()], &message);
    }
    let key = rest
        .strip_prefix('`')
        .and_then(|rest| rest.split_once("` with value `"));
    match key {
        Some((key, rest)) => {
            if let Some(message) = wanted(rest) {
                Fault::new(vec![key.to_owned()], &message)
            } else {
                let message = rest.rsplit_once("`: ").map_or(rest, |(_, message)| message);
                // The value itself may hold what looks like the end of it.
                let message = rest
                    .find("`: unknown variant `")
                    .and_then(|at| rest.get(at + 3..))
                    .unwrap_or(message);
                Fault::new(vec![key.to_owned()], message)
            }
        }
        None => match wanted(rest) {
            Some(message) => Fault::new(Vec::new(), &message),
            None => Fault::new(Vec::new(), "invalid value: string, expected another form"),
        },
    }
}
