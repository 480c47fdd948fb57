//! Healing (L6–L9) on a playground: strategies before failing, a person's patch and what it may touch, secrets, and roles where
//! a token is given.

use http::Method;
use serde_json::{Value, json};

use super::channels::paths_of;
use super::stream::Seen;
use super::{NDJSON, Operation, Stream};
use crate::check::{Probe, clip, holds};
use crate::http::{Answer, Call, Capture};

/// A secret by its name and a secret by its shape, planted where a server could show them.
const PLANTED: &str = "cAnArY-7f3d9b1e-aon-check";
const SHAPED: &str = "postgres://app:cAnArY-7f3d9b1e-aon-check@db.internal/main";

/// Probes what a playground can show.
pub(super) async fn probe(probe: &mut Probe<'_>, path: &str) {
    let known = strategies(probe, path).await;
    if !known {
        let why = "the playground has no steps that fail and are healed";
        probe.table.untested(
            "L7",
            "a person's patch is taken, and touches what it may",
            why,
        );
        return;
    }
    person(probe, path).await;
    roles(probe, path).await;
}

fn play(path: &str, payload: &Value, step: &Value) -> Operation {
    Operation {
        method: Method::POST,
        path: path.to_owned(),
        body: Some(json!({"payload": payload, "steps": [step]}).to_string()),
    }
}

/// At least one strategy runs before a step fails, and says so. Whether the playground knows steps.
async fn strategies(probe: &mut Probe<'_>, path: &str) -> bool {
    let what = "a strategy runs before a step fails, and each attempt is an event";
    let step = json!({"do": "step", "name": "aon_check", "fail": [{"status": 503, "code": "aon_check"}], "heal": ["backoff"]});
    let healed = play(path, &json!({"id": 1}), &step);
    let capture = match probe
        .client
        .capture(&healed.asking(Some(NDJSON)), |_| false)
        .await
    {
        Ok(capture) => capture,
        Err(error) => {
            probe.table.claim("L6", what, Err(error.to_string()));
            return false;
        }
    };
    if capture.status != 200 {
        let why = format!("the playground answers {} to a step", capture.status);
        probe.table.untested("L6", what, why);
        return false;
    }
    let stream = Stream::read(&capture);
    let events: Vec<_> = stream
        .events
        .iter()
        .filter(|event| event.kind() == "healing")
        .collect();
    let named = events.first().is_some_and(|event| {
        let metadata = event.members.get("metadata");
        let attempt = metadata.and_then(|metadata| metadata.get("attempt"));
        let reduced = event.members.get("reduced").is_some();
        event.text("severity").is_some()
            && event.text("action").is_some()
            && (attempt.is_some() || reduced)
    });
    let kind = stream.terminal().map(|end| end.kind().to_owned());
    let result = holds(kind.as_deref() == Some("result"), || {
        format!("a step that fails once with a 503 ends with {kind:?}")
    })
    .and_then(|()| {
        holds(named, || {
            "there is no healing event with severity, action and attempt".to_owned()
        })
    });
    probe.table.claim("L6", what, result);
    true
}

/// Asks for a patch, sends bad ones and a good one.
async fn person(probe: &mut Probe<'_>, path: &str) {
    let payload = json!({"userId": "bad", "role": "viewer", "password": PLANTED, "note": SHAPED});
    let step = json!({"do": "step", "name": "aon_check", "fail": "until_patched", "ask": {"paths": ["/userId"], "within_ms": 5000}});
    let operation = play(path, &payload, &step);
    let client = probe.client.clone();
    let call = operation.asking(Some(NDJSON));
    // The stream stays open while the answers are sent: it is read up to the question, and the rest from its session.
    let asked = |body: &[u8]| {
        let text = String::from_utf8_lossy(body);
        let question = text.find("\"interactive_healing_request\"");
        question.is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains('\n')))
    };
    let capture = match client.capture(&call, asked).await {
        Ok(capture) => capture,
        Err(error) => {
            let what = "a step that cannot be healed asks a person";
            return probe.table.claim("L7", what, Err(error.to_string()));
        }
    };
    let stream = Stream::read(&capture);
    let question = stream
        .events
        .iter()
        .find(|event| event.kind() == "interactive_healing_request");
    let shown = question
        .map(|question| question.members.clone())
        .unwrap_or_default();
    let needed = [
        "request_id",
        "step",
        "attempt",
        "error",
        "problem",
        "allowedPatchPaths",
        "snapshot",
        "expires_at",
        "patch_url",
        "base_hash",
    ];
    let missing: Vec<&str> = needed
        .into_iter()
        .filter(|name| !shown.contains_key(*name))
        .collect();
    probe.table.claim(
        "L7",
        "a step that cannot be healed asks a person, with all that an answer needs",
        holds(missing.is_empty(), || {
            format!("the request has no {}", missing.join(", "))
        }),
    );
    let text = |name: &str| {
        shown
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let Some(url) = client
        .target
        .path_of(&text("patch_url"))
        .filter(|_| missing.is_empty())
    else {
        return;
    };
    let attacks = [
        (
            "a path that is not allowed",
            json!([{"op": "replace", "path": "/role", "value": "admin"}]),
        ),
        (
            "the whole document",
            json!([{"op": "replace", "path": "", "value": {}}]),
        ),
        (
            "what is below an allowed path",
            json!([{"op": "add", "path": "/userId/x", "value": 1}]),
        ),
        (
            "`from` of a hidden value",
            json!([{"op": "copy", "from": "/password", "path": "/userId"}]),
        ),
        (
            "a test of a hidden value",
            json!([{"op": "test", "path": "/password", "value": PLANTED}]),
        ),
        (
            "a good operation and a bad one",
            json!([{"op": "replace", "path": "/userId", "value": "half"}, {"op": "replace", "path": "/role", "value": "admin"}]),
        ),
    ];
    let mut echoed = String::new();
    for (what, patch) in attacks {
        let answer = client.send(&patching(&url, &patch)).await;
        let result = answer
            .map_err(|error| error.to_string())
            .and_then(|answer| {
                echoed.push_str(&String::from_utf8_lossy(&answer.body));
                refused(&answer)
            });
        probe.table.claim(
            "L7",
            format!("{what} is refused, and the request stays open"),
            result,
        );
    }
    let good = json!([{"op": "replace", "path": "/userId", "value": "u42"}]);
    let taken = client.send(&patching(&url, &good)).await;
    let taken = taken.map_err(|error| error.to_string());
    let taken = taken
        .and_then(|answer| holds(answer.status == 200, || format!("status {}", answer.status)));
    probe
        .table
        .claim("L7", "a patch of an allowed path is taken", taken);
    let again = client
        .send(&patching(&url, &good))
        .await
        .map(|answer| answer.status);
    let other = json!([{"op": "replace", "path": "/userId", "value": "u43"}]);
    let second = client
        .send(&patching(&url, &other))
        .await
        .map(|answer| answer.status);
    probe.table.claim(
        "L7",
        "the same answer again is the same, and another one is too late",
        holds(matches!((&again, &second), (Ok(200), Ok(409))), || {
            format!("they are answered {again:?} and {second:?}")
        }),
    );
    outcome(probe, &stream, &capture, &echoed).await;
}

/// What the session ended with, and whether anything shows what was planted.
async fn outcome(probe: &mut Probe<'_>, stream: &Stream, capture: &Capture, echoed: &str) {
    let state = stream
        .events
        .first()
        .and_then(|session| session.text("sse_url").map(str::to_owned));
    let Some(path) = state.and_then(|url| probe.client.target.path_of(&url)) else {
        return;
    };
    let call = Call::get(path).with("accept", NDJSON);
    let Ok(rest) = probe.client.capture(&call, |_| false).await else {
        return;
    };
    let ended = Stream::read(&rest);
    let data = ended
        .terminal()
        .and_then(|end| end.members.get("data").cloned())
        .unwrap_or_default();
    let changed = data.get("userId").and_then(Value::as_str) == Some("u42");
    let kept = data.get("role").and_then(Value::as_str) == Some("viewer");
    probe.table.claim(
        "L7",
        "the step runs again with the patched payload, and nothing else was changed",
        holds(changed && kept, || {
            format!("it ends with {}", clip(&data.to_string()))
        }),
    );
    // The result is the program's own; everything before it is not.
    let mut seen = String::from_utf8_lossy(&capture.body()).into_owned();
    seen.push_str(echoed);
    for event in ended.events.iter().filter(|event| !event.is_terminal()) {
        seen.push_str(&event.json);
    }
    probe.table.claim(
        "L9",
        "no question, answer or event shows a secret of the payload",
        holds(!seen.contains(PLANTED), || {
            "the planted secret is shown".to_owned()
        }),
    );
}

fn patching(url: &str, patch: &Value) -> Call {
    Call::new(Method::POST, url)
        .with("content-type", "application/json-patch+json")
        .with_body(patch.to_string())
}

fn refused(answer: &Answer) -> Result<(), String> {
    holds((400..500).contains(&answer.status), || {
        format!("status {}", answer.status)
    })?;
    holds(![409, 410].contains(&answer.status), || {
        format!(
            "status {}: the request was used up by an earlier one",
            answer.status
        )
    })?;
    holds(answer.media_type() == "application/problem+json", || {
        format!("content-type is {:?}", answer.media_type())
    })
}

/// A token that is not valid is refused, and details are not for everybody.
async fn roles(probe: &mut Probe<'_>, path: &str) {
    let what = "a token that is not valid is refused";
    let intent = json!({"do": "intent_analysis", "original_intent": PLANTED, "detected_issue": PLANTED, "decision": "map"});
    let operation = play(path, &Value::Null, &intent);
    let call = operation
        .asking(Some(NDJSON))
        .with("authorization", "Bearer a.b.c");
    let status = probe
        .client
        .capture(&call, |_| false)
        .await
        .map(|answer| answer.status);
    match status {
        Ok(401) => probe.table.claim("L8", what, Ok(())),
        // Whoever gives a token says that the server knows callers by it.
        Ok(status) if probe.client.is_known() => {
            let why = format!("the server answers {status} to it");
            probe.table.claim("L8", what, Err(why));
        }
        Ok(status) => {
            let why = format!(
                "the server answers {status} to any token: it knows callers by something else, or not at all"
            );
            return probe.table.untested("L8", what, why);
        }
        Err(error) => return probe.table.claim("L8", what, Err(error.to_string())),
    }
    let what = "details of intent_analysis are not shown without a role";
    let nobody = operation.asking(Some(NDJSON)).anonymous();
    let nobody = match probe.client.capture(&nobody, |_| false).await {
        Ok(capture) => capture,
        Err(error) => return probe.table.claim("L8", what, Err(error.to_string())),
    };
    let shown = String::from_utf8_lossy(&nobody.body()).contains(PLANTED);
    let result = holds(!shown, || "an anonymous reader sees them".to_owned());
    probe.table.claim("L8", what, result);
    if !probe.client.is_known() {
        return;
    }
    let what = "a role changes what is shown, and not which events there are";
    let call = operation.asking(Some(NDJSON));
    let known = match probe.client.capture(&call, |_| false).await {
        Ok(capture) => capture,
        Err(error) => return probe.table.claim("L8", what, Err(error.to_string())),
    };
    if nobody.status != known.status {
        let why = format!(
            "without the token the server answers {}, with it {}",
            nobody.status, known.status
        );
        return probe.table.untested("L8", what, why);
    }
    let numbers = |capture: &Capture| -> Vec<String> {
        let stream = Stream::read(capture);
        let told = |event: &Seen| format!("{:?} {}", event.seq(), event.kind());
        stream.numbered().map(told).collect()
    };
    let (nobody, known) = (numbers(&nobody), numbers(&known));
    let result = holds(nobody == known, || {
        format!("{nobody:?} without the token, {known:?} with it")
    });
    probe.table.claim("L8", what, result);
}

/// Where a token is given: a session that was opened with it does not exist for whoever has none.
pub(super) async fn stranger(probe: &mut Probe<'_>, stream: &Stream) {
    if !probe.client.is_known() {
        return;
    }
    let what = "a session of a known caller does not exist for a stranger";
    let session = stream.events.first();
    let Some(paths) = session.and_then(|session| paths_of(probe, session)) else {
        return probe
            .table
            .untested("L8", what, "there is no session event");
    };
    let mut result = Ok(());
    for path in [&paths.state, &paths.sse] {
        let call = Call::get(path.as_str()).anonymous();
        let status = probe.client.capture(&call, |_| true).await;
        let status = status.map(|answer| answer.status);
        result = result.and_then(|()| match status {
            Ok(status) => holds([401, 404].contains(&status), || {
                format!("GET {path} without the token answered {status}")
            }),
            Err(error) => Err(error.to_string()),
        });
    }
    probe.table.claim("L8", what, result);
}
