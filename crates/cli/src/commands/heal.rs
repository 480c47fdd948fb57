//! `aon heal`: answers for a step that cannot repair itself, from a script (L7).

use aon::ProblemDetails;
use aon::surface::human::Text;
use aon_live::client::{Posted, call};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, IF_MATCH};
use http::{HeaderMap, HeaderValue, Method};
use serde_json::{Value, json};

use self::args::Heal;
use crate::exit;
use crate::fault::Fault;
use crate::output::{Output, indented};

pub(crate) mod args;

/// Answers, or shows what is asked.
pub(crate) fn run(args: &Heal, output: &mut Output) -> Result<u8, Fault> {
    let answer = answer(args)?;
    let mut headers = headers(&args.header)?;
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("starting the network", &source))?;
    let (method, body) = match &answer {
        None => (Method::GET, Vec::new()),
        Some((kind, body)) => {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            (Method::POST, body.to_string().into_bytes())
        }
    };
    if let Some(base) = &args.if_match {
        let base = HeaderValue::from_str(base).map_err(|_invalid| {
            Fault::usage(
                format!("{base:?} is not a valid header value"),
                "Name the base_hash of the request: --if-match 9c1f…",
            )
        })?;
        headers.insert(IF_MATCH, base);
    }
    let url = address(&args.url);
    let called = runtime.block_on(call(method, &url, headers, body));
    let answered = called.map_err(|reason| Fault::Unreachable {
        url: args.url.clone(),
        reason,
    })?;
    show(args, &answered, output)
}

/// The address of a question: that of a session is where its questions are.
fn address(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let full = if url.contains("://") {
        url.to_owned()
    } else {
        format!("http://{url}")
    };
    if full.contains("/healing") {
        return full;
    }
    let session = full
        .strip_suffix("/events")
        .or_else(|| full.strip_suffix("/ws"))
        .unwrap_or(&full);
    format!("{session}/healing")
}

fn show(args: &Heal, answered: &Posted, output: &mut Output) -> Result<u8, Fault> {
    let text = String::from_utf8_lossy(&answered.body);
    if answered.status < 400 {
        output.line(if args.json {
            text.into_owned()
        } else {
            indented(&text)
        })?;
        return Ok(exit::OK);
    }
    match ProblemDetails::from_slice(&answered.body) {
        Ok(problem) if !args.json => {
            let view = Text::new().with_width(100);
            let view = view.with_color(output.notes_are_coloured());
            output.note(view.render(&problem).trim_end());
        }
        Ok(problem) => output.note(&problem.to_string()),
        Err(_no_problem) => output.note(&format!("the server answered {}", answered.status)),
    }
    Ok(exit::FOUND)
}

/// The media type and the body of the answer; none when it is to be shown what is asked.
fn answer(args: &Heal) -> Result<Option<(&'static str, Value)>, Fault> {
    let mut operations = Vec::new();
    if let Some(patch) = &args.patch {
        let bytes = super::tail::body(patch)?;
        let read: Result<Value, _> = serde_json::from_slice(&bytes);
        let read = read.map_err(|error| {
            let hint = "Give an array of operations: --patch '[{\"op\":\"replace\",\"path\":\"/email\",\"value\":\"a@b.c\"}]'";
            Fault::usage(format!("the patch is not JSON: {error}"), hint)
        })?;
        match read {
            Value::Array(read) => operations.extend(read),
            other => operations.push(other),
        }
    }
    for set in &args.set {
        let (path, value) = set.split_once('=').ok_or_else(|| {
            let hint = "Name it like this: --set /email=ann@example.com";
            Fault::usage(format!("{set:?} names no value"), hint)
        })?;
        operations.push(json!({"op": "add", "path": path, "value": value_of(value)}));
    }
    for path in &args.remove {
        operations.push(json!({"op": "remove", "path": path}));
    }
    let patched = args.patch.is_some() || !operations.is_empty();
    Ok(if args.deny {
        Some(("application/json", json!({"deny": true})))
    } else if args.retry {
        Some(("application/json", json!({"retry": true})))
    } else if patched {
        Some(("application/json-patch+json", Value::Array(operations)))
    } else {
        None
    })
}

/// A value as it is typed: JSON where it is JSON, a text otherwise.
pub(super) fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_not_json| Value::from(text))
}

/// Headers as they are typed.
pub(crate) fn headers(lines: &[String]) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value): (HeaderName, HeaderValue) =
            super::tail::pair(line).ok_or_else(|| {
                let hint = "Name it like this: -H 'Authorization: Bearer …'";
                Fault::usage(format!("{line:?} is not a header"), hint)
            })?;
        headers.append(name, value);
    }
    Ok(headers)
}
