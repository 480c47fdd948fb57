//! Reading a step of a script.

use std::time::Duration;

use aon::{Choice, ProblemDetails, suggest};
use aon_live::heal::AllowList;
use serde_json::{Map, Value};

use super::super::script::{Members, invalid, problem_of, too_much};
use super::{Fail, Healing, Means, Question, Shape};

/// The most failures, and the most paths.
const MOST: usize = 100;
/// The longest time a person may have.
const WITHIN: u64 = 900_000;

const MEANS: [(&str, Means); 11] = [
    ("backoff", Means::Backoff),
    ("refresh", Means::Refresh),
    ("rename", Means::Rename),
    ("correct", Means::Correct),
    ("fallback", Means::Fallback),
    ("breaker", Means::Breaker),
    // The names of their actions, as the events have them.
    ("retry_with_backoff", Means::Backoff),
    ("refresh_token", Means::Refresh),
    ("rename_member", Means::Rename),
    ("correct_value", Means::Correct),
    ("circuit_breaker", Means::Breaker),
];

/// Reads `{"do": "step", "name": …, "fail": …, "heal": …, "ask": …}`.
pub(in crate::demo::live) fn read(step: &Members<'_>) -> Result<Healing, ProblemDetails> {
    Ok(Healing {
        name: step
            .maybe_text("name")?
            .unwrap_or_else(|| "step".to_owned()),
        fail: fail(step)?,
        heal: heal(step)?,
        ask: ask(step)?,
    })
}

fn fail(step: &Members<'_>) -> Result<Fail, ProblemDetails> {
    match step.members.get("fail") {
        None | Some(Value::Null) => Ok(Fail::With(Vec::new())),
        Some(Value::String(word)) if word == "until_patched" => Ok(Fail::UntilPatched),
        Some(Value::Array(problems)) if problems.len() <= MOST => {
            let mut fail = Vec::new();
            for (at, members) in problems.iter().enumerate() {
                let pointer = step.pointer(&format!("fail/{at}"));
                let Value::Object(members) = members else {
                    return Err(invalid(
                        &pointer,
                        "a failure is an object with status and code",
                    ));
                };
                fail.push(problem_of(members, &pointer)?);
            }
            Ok(Fail::With(fail))
        }
        Some(Value::Array(_)) => Err(too_much(format!("a step fails at most {MOST} times"))),
        Some(_) => {
            let problem = step.wrong("fail", "an array of problems, or \"until_patched\"");
            Err(problem.with_valid_values("fail", [Choice::from("until_patched")]))
        }
    }
}

fn heal(step: &Members<'_>) -> Result<Vec<Means>, ProblemDetails> {
    let names = match step.members.get("heal") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(names)) if names.len() <= MOST => names,
        Some(_) => return Err(step.wrong("heal", "an array of strategies")),
    };
    let mut heal = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let known = name.as_str().and_then(|name| {
            let found = MEANS.iter().find(|(known, _)| *known == name);
            found.map(|(_, means)| *means)
        });
        let Some(means) = known else {
            let given = name.as_str().unwrap_or_default();
            let all = MEANS.iter().take(6).map(|(name, _)| *name);
            let meant = suggest::nearest(given, all.clone());
            let meant =
                meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"));
            let detail = format!("{given:?} is not a strategy{meant}");
            let pointer = step.pointer(&format!("heal/{at}"));
            return Err(invalid(&pointer, &detail).with_valid_values("heal", all.map(Choice::from)));
        };
        heal.push(means);
    }
    Ok(heal)
}

fn ask(step: &Members<'_>) -> Result<Option<Question>, ProblemDetails> {
    let members = match step.members.get("ask") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(step.wrong("ask", "an object with paths")),
    };
    let within = match members.get("within_ms") {
        None | Some(Value::Null) => 30_000,
        Some(number) => number
            .as_u64()
            .filter(|number| *number <= WITHIN)
            .ok_or_else(|| {
                let detail = format!("within_ms is not a whole number of at most {WITHIN}");
                invalid(&step.pointer("ask/within_ms"), &detail)
            })?,
    };
    let shape = match members.get("type") {
        None | Some(Value::Null) => Shape::default(),
        Some(Value::Object(wanted)) => Shape::read(wanted)
            .map_err(|(name, why)| invalid(&step.pointer(&format!("ask/type/{name}")), &why))?,
        Some(_) => {
            let detail = "type is not an object of members";
            return Err(invalid(&step.pointer("ask/type"), detail));
        }
    };
    let waits = match members.get("black_box").map(Value::as_str) {
        None => None,
        Some(Some("wait")) => Some(true),
        Some(Some("fail")) => Some(false),
        Some(_) => {
            let problem = invalid(&step.pointer("ask/black_box"), "black_box is wait or fail");
            return Err(problem.with_valid_values("black_box", ["wait", "fail"].map(Choice::from)));
        }
    };
    Ok(Some(Question {
        paths: paths(step, members, "paths")?,
        removable: paths(step, members, "removable")?,
        show: paths(step, members, "show")?,
        within: Duration::from_millis(within),
        waits,
        shape,
    }))
}

fn paths(
    step: &Members<'_>,
    members: &Map<String, Value>,
    name: &str,
) -> Result<Vec<String>, ProblemDetails> {
    let given = match members.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(paths)) if paths.len() <= MOST => paths,
        Some(_) => {
            let detail = format!("{name} is not an array of JSON Pointers");
            return Err(invalid(&step.pointer(&format!("ask/{name}")), &detail));
        }
    };
    let mut paths = Vec::new();
    for (at, path) in given.iter().enumerate() {
        let text = path.as_str().unwrap_or_default();
        AllowList::parse([text]).map_err(|error| {
            invalid(
                &step.pointer(&format!("ask/{name}/{at}")),
                &error.to_string(),
            )
        })?;
        paths.push(text.to_owned());
    }
    Ok(paths)
}
