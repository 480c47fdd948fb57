//! What RFC 9457 demands from every answer that says `application/problem+json`.

use serde_json::Value;

use super::PROBLEM;
use crate::check::{Ask, Table, clip, holds, short};
use crate::http::Answer;

/// Whether an answer keeps a duty, or what came instead.
type Rule = fn(&Answer, Option<&Value>) -> Result<(), String>;

/// Judges every error that was seen; a row names the first that is wrong.
pub(super) fn judge(table: &mut Table, agents_only: bool) {
    let errors: Vec<(String, Answer)> = table
        .answers()
        .iter()
        .filter(|(_, answer)| answer.status >= 400)
        .cloned()
        .collect();
    let speaks = |answer: &Answer| answer.media_type() == PROBLEM;
    let practice = Ask::practice("RFC 9457 §1", "errors are problem documents")
        .expects(PROBLEM)
        .fix("answer errors as application/problem+json; every client reads those the same way");
    // Who asks for a page may get one.
    let wants_page = |sent: &str| sent.contains(" as text/html");
    let other = errors
        .iter()
        .find(|(sent, answer)| !speaks(answer) && !wants_page(sent));
    match other {
        _ if errors.is_empty() => table.skip(practice, "no error was met"),
        Some(_) if agents_only => {
            let why = "the server speaks MCP or A2A, and may have no REST API";
            table.skip(practice, why);
        }
        Some((sent, answer)) => {
            let came = format!("content-type is {:?}", answer.media_type());
            table.judge(practice.sent(sent), Err(came));
        }
        None => table.judge(practice, Ok(())),
    }
    let rules: [(Ask, Rule); 3] = [
        (
            Ask::protocol("RFC 9457 §3", "a problem is a JSON object")
                .fix("send an object, or another content type"),
            object,
        ),
        (
            Ask::protocol("RFC 9457 §3.1.2", "`status` is the status of the answer")
                .fix("use one number for both"),
            status,
        ),
        (
            Ask::protocol("RFC 9457 §3.1", "the members have their types")
                .fix("type, title, detail and instance are text, status is a number"),
            types,
        ),
    ];
    for (ask, rule) in rules {
        let mut problems = errors
            .iter()
            .filter(|(_, answer)| speaks(answer))
            .peekable();
        if problems.peek().is_none() {
            table.skip(ask, "no error that was met is application/problem+json");
            continue;
        }
        let wrong = problems.find_map(|(sent, answer)| {
            let came = rule(answer, answer.json().as_ref()).err()?;
            Some((sent, came))
        });
        match wrong {
            Some((sent, came)) => table.judge(ask.sent(sent), Err(came)),
            None => table.judge(ask, Ok(())),
        }
    }
}

fn object(answer: &Answer, body: Option<&Value>) -> Result<(), String> {
    holds(body.is_some_and(Value::is_object), || {
        clip(&String::from_utf8_lossy(&answer.body))
    })
}

fn status(answer: &Answer, body: Option<&Value>) -> Result<(), String> {
    match body.and_then(|body| body.get("status")) {
        // Of the wrong type it is another row.
        Some(said) if said.is_number() => holds(*said == answer.status, || {
            format!(
                "the status line says {}, the body says {}",
                answer.status,
                short(said)
            )
        }),
        Some(_) | None => Ok(()),
    }
}

fn types(_: &Answer, body: Option<&Value>) -> Result<(), String> {
    let member = |name: &str| body.and_then(|body| body.get(name));
    for name in ["type", "title", "detail", "instance"] {
        holds(member(name).is_none_or(Value::is_string), || {
            format!("{name} is {}", member(name).map_or_else(String::new, short))
        })?;
    }
    let said = member("status");
    holds(said.is_none_or(Value::is_number), || {
        format!("status is {}", said.map_or_else(String::new, short))
    })
}
