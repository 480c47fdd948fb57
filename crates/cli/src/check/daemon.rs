//! A daemon against W2 and W5.

use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};

use super::{Ask, Probe, clip, holds};
use crate::http::{Call, End};

/// The events of the specification, and the members each has to have.
const EVENTS: [(&str, &[&str]); 9] = [
    ("token", &["text"]),
    ("action", &["action"]),
    ("plan", &["steps"]),
    ("ask", &["question", "options"]),
    ("exec_log", &["stream", "chunk"]),
    ("research_result", &["docs"]),
    ("observe", &["note"]),
    ("done", &["result"]),
    ("error", &["message"]),
];

/// One event as it came.
struct Event {
    name: Option<String>,
    id: Option<String>,
    data: Value,
}

pub(crate) async fn probe(probe: &mut Probe<'_>) {
    let base = probe.client.target.path.clone();
    let at = |path: &str| format!("{base}/agent/{path}");
    let status = probe.client.send(&Call::get(at("status"))).await;
    let status = status.map_err(|error| error.to_string());
    let held = status.as_ref().map_err(Clone::clone).and_then(|answer| {
        let body = answer.json().unwrap_or(Value::Null);
        holds(answer.status == 200 && body["ok"] == true, || {
            clip(&String::from_utf8_lossy(&answer.body))
        })
    });
    probe.table.judge(
        Ask::contract("W2", "GET /agent/status answers ok").sent("GET /agent/status"),
        held,
    );
    let session = session(probe, &at("sessions"), json!({})).await;
    let held = session.as_ref().map(drop).map_err(Clone::clone);
    probe.table.judge(
        Ask::contract("W2", "POST /agent/sessions answers ok and a session_id")
            .sent("POST /agent/sessions {}"),
        held,
    );
    let session = session.unwrap_or_default();
    stream(probe, &at("generate"), &session).await;
    refusals(probe, &at).await;
    effects(probe, &at).await;
    abort(probe, &at).await;
    metrics(probe, &base).await;
}

async fn session(probe: &Probe<'_>, path: &str, params: Value) -> Result<String, String> {
    let answer = probe
        .client
        .send(&Call::post(path, &json!({ "params": params })))
        .await;
    let answer = answer.map_err(|error| error.to_string())?;
    let body = answer.json().unwrap_or(Value::Null);
    let id = body["session_id"]
        .as_str()
        .filter(|id| body["ok"] == true && !id.is_empty());
    id.map(str::to_owned)
        .ok_or_else(|| clip(&String::from_utf8_lossy(&answer.body)))
}

fn events(body: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(body).replace("\r\n", "\n");
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.strip_prefix(' ').unwrap_or(line).to_owned())
    };
    text.split("\n\n")
        .filter_map(|block| {
            let data = field(block, "data:")?;
            Some(Event {
                name: field(block, "event:"),
                id: field(block, "id:"),
                data: serde_json::from_str(&data).unwrap_or(Value::String(data)),
            })
        })
        .collect()
}

fn is_end(event: &Event) -> bool {
    event.data["type"] == "done" || event.data["type"] == "error"
}

async fn stream(probe: &mut Probe<'_>, path: &str, session: &str) {
    for (field, other) in [("prompt", false), ("objective", true)] {
        let call = Call::post(path, &json!({ "session_id": session, field: " olá 世界" }));
        let capture = probe.client.capture(&call, |_| false).await;
        let sent = format!("POST /agent/generate {{\"session_id\", {field:?}}}");
        let what = format!("POST /agent/generate with `{field}` streams server-sent events");
        // Earlier clients send `objective`; the specification names neither.
        let ask = if other {
            Ask::practice("SPEC notes", what)
        } else {
            Ask::contract("W2", what)
        };
        let ask = ask.sent(sent.clone());
        let capture = match capture {
            Ok(capture) => capture,
            Err(error) => {
                probe.table.judge(ask, Err(error.to_string()));
                continue;
            }
        };
        let media = capture.media_type();
        let held = holds(
            capture.status == 200 && media == "text/event-stream",
            || {
                format!(
                    "{} {media}: {}",
                    capture.status,
                    clip(&String::from_utf8_lossy(&capture.body()))
                )
            },
        );
        let streams = held.is_ok();
        probe.table.judge(ask, held);
        if other || !streams {
            continue;
        }
        let all = events(&capture.body());
        let first = |wrong: &dyn Fn(&Event) -> bool| {
            let found = all.iter().find(|event| wrong(event));
            found.map_or(Ok(()), |event| Err(clip(&event.data.to_string())))
        };
        let shape = |event: &Event| {
            let known = EVENTS.iter().find(|(name, _)| event.data["type"] == *name);
            known.is_some_and(|(_, members)| {
                members.iter().all(|name| event.data.get(*name).is_some())
            })
        };
        let judge = |probe: &mut Probe<'_>, what: &str, fix, held| {
            probe
                .table
                .judge(Ask::contract("W2", what).sent(sent.clone()).fix(fix), held);
        };
        let held = holds(!all.is_empty(), || "no event".to_owned())
            .and_then(|()| first(&|event| !shape(event)));
        judge(
            probe,
            "every event is one of the nine, with its members",
            "send {\"type\", …} as the specification lists them",
            held,
        );
        let held = first(&|event| event.name.as_deref() != event.data["type"].as_str());
        judge(
            probe,
            "`event:` names the type of every event",
            "write `event: <type>` before `data:`",
            held,
        );
        let held = first(&|event| event.id.as_deref().is_none_or(str::is_empty));
        judge(
            probe,
            "every event has an `id:`, so that a client can resume",
            "number the events of a stream",
            held,
        );
        let ends = all.iter().filter(|event| is_end(event)).count();
        let last = all.last().is_some_and(is_end);
        let held = holds(ends == 1 && last, || {
            let kinds: Vec<&str> = all
                .iter()
                .filter_map(|event| event.data["type"].as_str())
                .collect();
            clip(&format!(
                "{ends} ends: … {}",
                kinds[kinds.len().saturating_sub(5)..].join(", ")
            ))
        });
        judge(
            probe,
            "there is exactly one `done` or `error`, and it is last",
            "let one place write the end, after everything else",
            held,
        );
        let held = holds(capture.end == End::Clean, || format!("{:?}", capture.end));
        judge(
            probe,
            "the response ends after the last event",
            "end the response",
            held,
        );
        let origin = capture.header("access-control-allow-origin");
        judge(
            probe,
            "no page of another origin may read it (no CORS `*`)",
            "leave the header out, or name the origins",
            holds(origin != Some("*"), || {
                "access-control-allow-origin: *".to_owned()
            }),
        );
        resume(probe, capture.header("aon-session"), &all).await;
    }
}

/// What a client missed is sent again, and nothing else.
async fn resume(probe: &mut Probe<'_>, address: Option<&str>, all: &[Event]) {
    let what = "a client that was cut off gets what it missed (Last-Event-ID)";
    let path = address.and_then(|address| probe.client.target.path_of(address));
    let (Some(path), Some(first)) = (path, all.first().and_then(|event| event.id.clone())) else {
        probe.table.untested(
            "L5",
            what,
            "the response has no AON-Session header that says where",
        );
        return;
    };
    let call = Call::get(format!("{path}/events")).with("last-event-id", first);
    let held = match probe.client.capture(&call, |_| false).await {
        Ok(capture) => {
            let again = events(&capture.body());
            let ids: Vec<_> = again
                .iter()
                .filter_map(|event| event.id.as_deref())
                .collect();
            let missed = all.iter().skip(1).filter_map(|event| event.id.as_deref());
            let lost: Vec<_> = missed.filter(|id| !ids.contains(id)).collect();
            holds(lost.is_empty(), || format!("{lost:?} did not come"))
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("L5", what, held);
}

async fn refusals(probe: &mut Probe<'_>, at: &dyn Fn(&str) -> String) {
    let mut without = None;
    let mut refused = 0;
    for (what, path, body) in [
        ("generate without a prompt", "generate", "{}"),
        (
            "generate in an unknown session",
            "generate",
            r#"{"session_id":"aon-check","prompt":"x"}"#,
        ),
        (
            "generate with a body that is not JSON",
            "generate",
            "nonsense",
        ),
        (
            "abort of an unknown session",
            "abort",
            r#"{"session_id":"aon-check"}"#,
        ),
        ("abort without a session_id", "abort", "{}"),
    ] {
        let call = Call::new(Method::POST, at(path)).with_json(body.to_owned());
        let sent = format!("POST /agent/{path} {body}");
        let answer = match probe.client.send(&call).await {
            Ok(answer) => answer,
            Err(error) => {
                probe.table.judge(
                    Ask::contract("W2", format!("{what} is refused")).sent(sent),
                    Err(error.to_string()),
                );
                continue;
            }
        };
        let wire = answer.json().unwrap_or(Value::Null);
        let plain = answer.status >= 400 && wire["ok"] == false && wire["error"].is_string();
        let event = wire["type"] == "error" && wire["message"].is_string();
        let held = holds(plain || event, || {
            format!(
                "{} {}",
                answer.status,
                clip(&String::from_utf8_lossy(&answer.body))
            )
        });
        if held.is_ok() {
            refused += 1;
            if wire["problem"]["status"].as_u64().is_none() {
                without.get_or_insert((sent.clone(), clip(&wire.to_string())));
            }
        }
        let ask = Ask::contract(
            "W2",
            format!("{what} is refused with ok: false, or an `error` event"),
        );
        probe.table.judge(ask.sent(sent), held);
        probe.table.saw(what, &answer);
    }
    let what = "a refusal carries the problem";
    match without {
        _ if refused == 0 => probe.table.untested("W5", what, "nothing was refused"),
        Some((sent, came)) => probe
            .table
            .judge(Ask::contract("W5", what).sent(sent), Err(came)),
        None => probe.table.claim("W5", what, Ok(())),
    }
    probe.table.leaks();
    let text = Call::new(Method::POST, at("generate"))
        .with("content-type", "text/plain")
        .with("origin", "https://evil.example")
        .with_body(r#"{"prompt":"x"}"#);
    let held = match probe.client.send(&text).await {
        Ok(answer) => holds(answer.status >= 400, || format!("{}", answer.status)),
        Err(error) => Err(error.to_string()),
    };
    let ask = Ask::practice(
        "CWE-352",
        "a page of another origin cannot start work: a body that is not declared as JSON is refused",
    );
    probe
        .table
        .judge(ask.sent("POST /agent/generate as text/plain"), held);
}

/// A model that asks for two effects gets one. An echo behind the daemon says what it is told to.
async fn effects(probe: &mut Probe<'_>, at: &dyn Fn(&str) -> String) {
    let what = "an iteration does at most one action with effects; the second is answered with `effect_limit`";
    let line = r#"{"type":"shell","command":"true"}"#;
    let prompt = format!("{line}\n{line}\n");
    let call = Call::post(
        at("generate"),
        &json!({ "prompt": prompt, "objective": prompt }),
    );
    let all = match probe.client.capture(&call, |_| false).await {
        Ok(capture) => events(&capture.body()),
        Err(error) => return probe.table.claim("W2", what, Err(error.to_string())),
    };
    let count = all
        .iter()
        .filter(|event| event.data["type"] == "action")
        .count();
    let limited = all.iter().any(|event| {
        event.data["type"] == "error" && event.data.to_string().contains("effect_limit")
    });
    if count == 0 && !limited {
        return probe.table.untested(
            "W2",
            what,
            "the model behind the daemon does not echo, so that it asked for nothing",
        );
    }
    let held = holds(count <= 1 && limited, || {
        format!(
            "{count} actions, {}",
            if limited {
                "effect_limit"
            } else {
                "no effect_limit"
            }
        )
    });
    probe.table.claim("W2", what, held);
}

async fn abort(probe: &mut Probe<'_>, at: &dyn Fn(&str) -> String) {
    let what = "abort ends a stream within 100 ms, with one end";
    let left = "a client that leaves and said `AON-On-Disconnect: cancel` ends the work";
    let params = json!({ "delay_ms": 5, "repeat": 100_000 });
    let Ok(session) = session(probe, &at("sessions"), params).await else {
        probe.table.untested("W2", what, "there is no session");
        return;
    };
    let body = json!({ "session_id": session, "prompt": "Count to 100000. ", "objective": "Count to 100000. " });
    let streaming = probe.client.clone();
    let call = Call::post(at("generate"), &body);
    let stream =
        tokio::spawn(async move { (streaming.capture(&call, |_| false).await, Instant::now()) });
    tokio::time::sleep(Duration::from_millis(400)).await;
    if stream.is_finished() {
        probe
            .table
            .untested("W2", what, "the stream was over too soon");
        return;
    }
    let asked = Instant::now();
    let answer = probe
        .client
        .send(&Call::post(at("abort"), &json!({ "session_id": session })))
        .await;
    let held = match answer {
        Ok(answer) => {
            let ok = answer.json().is_some_and(|wire| wire["ok"] == true);
            let ended = tokio::time::timeout(Duration::from_secs(3), stream).await;
            match ended {
                _ if !ok => Err(clip(&String::from_utf8_lossy(&answer.body))),
                Ok(Ok((Ok(capture), ended))) => {
                    let ends = events(&capture.body())
                        .iter()
                        .filter(|event| is_end(event))
                        .count();
                    let took = ended.duration_since(asked);
                    holds(ends == 1 && took <= Duration::from_millis(250), || {
                        format!("{ends} ends after {} ms", took.as_millis())
                    })
                }
                _ => Err("the stream goes on".to_owned()),
            }
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("W2", what, held);
    // Who leaves, leaves nothing behind, where the status tells.
    let running = async || {
        let answer = probe.client.send(&Call::get(at("status"))).await.ok()?;
        answer.json()?["running"].as_u64()
    };
    let before = running().await;
    let call = Call::post(at("generate"), &body).with("aon-on-disconnect", "cancel");
    let cut = probe
        .client
        .capture(&call, |seen| seen.windows(5).any(|word| word == b"token"))
        .await;
    drop(cut);
    let mut now = running().await;
    for _ in 0..40 {
        if now == before {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        now = running().await;
    }
    match (before, now) {
        (Some(before), Some(now)) => {
            let held = holds(now <= before, || format!("{now} still running"));
            probe.table.claim("W2", left, held);
        }
        _ => probe
            .table
            .untested("W2", left, "the status does not say how many are running"),
    }
}

/// Labels of metrics come from closed sets.
async fn metrics(probe: &mut Probe<'_>, base: &str) {
    let answer = probe
        .client
        .send(&Call::get(format!("{base}/metrics")))
        .await;
    let Ok(answer) = answer else {
        return probe
            .table
            .untested("O1", "/metrics is served", "no answer");
    };
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let held = holds(answer.status == 200 && text.contains("# TYPE"), || {
        format!("{}", answer.status)
    });
    let served = held.is_ok();
    probe
        .table
        .claim("O1", "/metrics is served for Prometheus", held);
    let what = "labels of metrics are words of a closed set, not free text";
    if !served {
        return probe.table.untested("O1", what, "there are no metrics");
    }
    let free = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .find(|line| {
            let labels = line
                .split_once('{')
                .and_then(|(_, rest)| rest.rsplit_once('}'));
            let values = labels.map(|(labels, _)| labels.split('"').skip(1).step_by(2));
            values.is_some_and(|mut values| {
                values.any(|value| value.contains(' ') || value.len() > 64)
            })
        });
    probe
        .table
        .claim("O1", what, free.map_or(Ok(()), |line| Err(clip(line))));
}
