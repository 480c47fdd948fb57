//! `ListTasks`: filters and pages.

use std::cmp::Reverse;

use aon::{Failure, arguments};
use aon_core::json::ObjectWriter;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::fault::invalid;
use super::{Agent, Asked};
use crate::access::Caller;
use crate::settings::Environment;
use crate::surface::a2a::{TaskState, timestamp};

/// What is asked for.
struct Filter<'a> {
    context: Option<&'a str>,
    state: Option<TaskState>,
    after: Option<u64>,
    size: usize,
    history: Option<usize>,
    artifacts: bool,
    from: Option<(u64, String)>,
}

/// The pages, newest first.
pub(super) async fn list(agent: &Agent, asked: &Asked, params: &Value) -> Result<Value, Failure> {
    let filter = read(params)?;
    let hub = &agent.0.hub;
    let caller = asked.caller.as_ref();
    let open = hub.0.settings.environment == Environment::Development;
    let mut found = Vec::new();
    for entry in agent.0.tasks.all(hub) {
        let owner = entry.live.owner.as_ref();
        // The tasks of anonymous callers are found by their id or by their conversation, which nobody can guess.
        let listed = owner.is_some() || open || filter.context.is_some();
        if !listed || !Caller::may_see(caller, owner) {
            continue;
        }
        let brief = entry.brief();
        let in_context = filter
            .context
            .is_none_or(|context| entry.opening.task().context_id == context);
        let in_state = filter.state.is_none_or(|state| brief.state == state);
        let in_time = filter.after.is_none_or(|after| brief.updated >= after);
        if in_context && in_state && in_time {
            found.push((
                Reverse(brief.updated),
                entry.live.origin.session.to_string(),
                entry,
            ));
        }
    }
    found.sort_by(|(one, a, _), (other, b, _)| one.cmp(other).then_with(|| a.cmp(b)));
    let total = found.len();
    let start = filter.from.map_or(0, |(updated, id)| {
        found.partition_point(|(at, own, _)| (*at, own) <= (Reverse(updated), &id))
    });
    let page = found.get(start..).unwrap_or_default();
    let more = page.len() > filter.size;
    let page = page.get(..filter.size.min(page.len())).unwrap_or_default();
    let mut tasks = Vec::with_capacity(page.len());
    for (.., entry) in page {
        let mut task = entry
            .now()
            .await
            .seen(asked.detail)
            .with_history(filter.history);
        if !filter.artifacts {
            task.artifacts.clear();
        }
        let has_artifacts = !task.artifacts.is_empty();
        let mut task = task.to_json(asked.dialect);
        if filter.artifacts && !has_artifacts {
            task["artifacts"] = json!([]);
        }
        tasks.push(task);
    }
    let next = page
        .last()
        .filter(|_| more)
        .map_or_else(String::new, |(updated, id, _)| token(updated.0, id));
    Ok(json!({"tasks": tasks, "nextPageToken": next, "pageSize": tasks.len(), "totalSize": total}))
}

fn read(params: &Value) -> Result<Filter<'_>, Failure> {
    let states: Vec<&str> = TaskState::all()
        .flat_map(|state| {
            [
                crate::surface::a2a::Dialect::V10,
                crate::surface::a2a::Dialect::V03,
            ]
            .map(|dialect| state.word(dialect))
        })
        .chain(["TASK_STATE_UNSPECIFIED"])
        .collect();
    let schema = json!({
        "type": ["object", "null"],
        "properties": {
            "tenant": {"type": "string"},
            "contextId": {"type": "string", "maxLength": 256},
            "status": {"type": "string", "enum": states},
            "pageSize": {"type": "integer", "minimum": 1, "maximum": 100},
            "pageToken": {"type": "string", "maxLength": 256},
            "historyLength": {"type": "integer", "minimum": 0},
            "statusTimestampAfter": {"type": "string", "maxLength": 64},
            "includeArtifacts": {"type": "boolean"},
        },
    });
    if let Some(problem) = arguments::problem(&arguments::check(params, &schema)) {
        return Err(Failure::built_in(problem));
    }
    let text = |name: &str| {
        params
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let number = |name: &str| {
        params
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok())
    };
    let after = text("statusTimestampAfter").map(|text| {
        timestamp(text).ok_or_else(|| {
            invalid(
                "/statusTimestampAfter",
                "statusTimestampAfter must be a time such as 2025-10-28T10:30:00Z",
            )
        })
    });
    let from = text("pageToken").map(|text| {
        cursor(text).ok_or_else(|| {
            invalid(
                "/pageToken",
                "pageToken must be the nextPageToken of an answer",
            )
        })
    });
    Ok(Filter {
        context: text("contextId"),
        state: text("status").and_then(TaskState::from_word),
        after: after.transpose()?,
        size: number("pageSize").unwrap_or(50),
        history: number("historyLength"),
        artifacts: params.get("includeArtifacts") == Some(&Value::Bool(true)),
        from: from.transpose()?,
    })
}

/// Where a page ends; nobody but us reads it.
fn token(updated: u64, id: &str) -> String {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.number("t", updated);
    object.string("i", id);
    object.end();
    URL_SAFE_NO_PAD.encode(out)
}

fn cursor(token: &str) -> Option<(u64, String)> {
    let read: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    Some((
        read.get("t")?.as_u64()?,
        read.get("i")?.as_str()?.to_owned(),
    ))
}
