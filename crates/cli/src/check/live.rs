//! The clauses of the live protocol (L1–L9): one operation, asked for in both modes and on every channel.
//!
//! Unlike the other probes this one makes calls that succeed, so it runs on an operation that was named, or on the
//! playground of a server that says it speaks the protocol.

use http::Method;
use serde_json::{Value, json};

use crate::check::{Probe, Table, clip, holds};
use crate::http::{Call, Capture, End};

mod channels;
mod heal;
mod negotiate;
mod slow;
mod stream;

use stream::Stream;

/// The trace that the calls of the probe belong to.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const NDJSON: &str = "application/x-ndjson";

/// The operation to call.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<String>,
}

impl Operation {
    /// The playground, with events of several kinds, a silence, and an answer.
    fn playground(path: String, steps: &Value) -> Self {
        let script = json!({"payload": {"id": "aon-check", "ok": true, "n": 0.10}, "steps": steps});
        Self {
            method: Method::POST,
            path,
            body: Some(script.to_string()),
        }
    }

    fn call(&self) -> Call {
        let call = Call::new(self.method.clone(), &self.path).with("traceparent", TRACEPARENT);
        match &self.body {
            Some(body) => call.with_json(body.clone()),
            None => call,
        }
    }

    /// The call with an `Accept` header, or without one.
    fn asking(&self, accept: Option<&str>) -> Call {
        match accept {
            Some(accept) => self.call().with("accept", accept),
            None => self.call(),
        }
    }
}

/// Probes the protocol on the operation that was named, or on a playground.
pub(crate) async fn probe(probe: &mut Probe<'_>, named: Option<Operation>) {
    let base = probe.client.target.path.clone();
    let known = well_known(probe, &base).await;
    let plays = known && named.is_none();
    let operation = match named {
        Some(operation) => operation,
        None if known => {
            let steps = json!([
                {"do": "status", "message": "working", "estimated_delay_ms": 200},
                {"do": "intent_analysis", "original_intent": "a", "detected_issue": "b", "decision": "c"},
                {"do": "healing", "severity": "low", "action": "retry", "metadata": {"attempt": 1}},
                {"do": "event", "type": "lesson", "data": {"lessonId": "l1"}},
                {"do": "sleep", "ms": 400},
                {"do": "log", "message": "nearly done"},
            ]);
            Operation::playground(format!("{base}/play"), &steps)
        }
        None => {
            let why = "the server does not say that it speaks the protocol; --live 'POST /path' names an operation";
            return probe
                .table
                .untested("L1", "an operation is a black box and a glass box", why);
        }
    };
    let glass = match probe
        .client
        .capture(&operation.asking(Some(NDJSON)), |_| false)
        .await
    {
        Ok(glass) => glass,
        Err(error) => {
            return probe
                .table
                .claim("L2", "the glass box answers", Err(error.to_string()));
        }
    };
    if plays && glass.status == 404 {
        let why = format!(
            "there is no {} {}; --live 'POST /path' names an operation",
            operation.method, operation.path
        );
        return probe
            .table
            .untested("L1", "an operation is a black box and a glass box", why);
    }
    negotiate::probe(probe, &operation).await;
    box_of_glass(probe, &operation, &glass, plays).await;
    let stream = Stream::read(&glass);
    if stream.events.is_empty() {
        return probe.table.untested(
            "L5",
            "every channel shows the same events",
            "the glass box showed none",
        );
    }
    channels::probe(probe, &operation, &stream, plays).await;
    heal::stranger(probe, &stream).await;
    slow::probe(probe, &operation, plays).await;
    if plays {
        playground(probe, &operation, &stream).await;
    }
}

async fn well_known(probe: &mut Probe<'_>, base: &str) -> bool {
    let answer = probe
        .client
        .send(&Call::get(format!("{base}/.well-known/aon")))
        .await;
    let known = answer
        .ok()
        .filter(|answer| answer.status == 200)
        .and_then(|answer| answer.json());
    known.is_some_and(|known| known.is_object())
}

/// One stream of the glass box, clause by clause.
async fn box_of_glass(probe: &mut Probe<'_>, operation: &Operation, glass: &Capture, plays: bool) {
    let stream = Stream::read(glass);
    let table = &mut probe.table;
    table.claim(
        "L2",
        "the glass box answers 200 with lines of JSON",
        head(glass),
    );
    table.claim(
        "L2",
        "every line is one JSON object with a type",
        stream.lines(),
    );
    table.claim(
        "L2",
        "the first event is the session, with its addresses",
        stream.opens(),
    );
    table.claim(
        "L2",
        "there is exactly one terminal event, and it is the last",
        stream.ends_once(),
    );
    table.claim("L2", "the stream is closed after its end", stream.closes());
    table.claim(
        "L2",
        "the headers keep proxies from holding events back",
        unbuffered(glass),
    );
    table.claim(
        "L3",
        "every event has its times and its session",
        stream.envelopes(),
    );
    table.claim(
        "L3",
        "the trace of the caller is on every event",
        stream.traced(TRACE),
    );
    table.claim(
        "L3",
        "events are numbered from 1, one by one",
        stream.counted(Some(1)),
    );
    table.claim("L4", "every type has its members", stream.typed());
    let leak = super::leak::find_in_events(&String::from_utf8_lossy(&glass.body()));
    table.claim(
        "L9",
        "no event shows a secret or an internal",
        leak.map_or(Ok(()), |word| Err(format!("the stream shows {word:?}"))),
    );
    if !plays {
        life(&mut probe.table, &stream);
    }
    same_answer(probe, operation, &stream).await;
}

fn life(table: &mut Table, stream: &Stream) {
    let what = "a silent operation still gives signs of life";
    match stream.heartbeats() {
        Ok(Some(_)) => table.claim("L4", what, Ok(())),
        Ok(None) => table.untested("L4", what, "the operation was never silent for long enough"),
        Err(why) => table.claim("L4", what, Err(why)),
    }
}

fn head(glass: &Capture) -> Result<(), String> {
    holds(glass.status == 200, || format!("status {}", glass.status))?;
    holds(glass.content_type().eq_ignore_ascii_case(NDJSON), || {
        format!("content-type is {:?}", glass.content_type())
    })?;
    holds(glass.header("content-length").is_none(), || {
        "a stream has no Content-Length".to_owned()
    })
}

fn unbuffered(glass: &Capture) -> Result<(), String> {
    let cache = glass.header("cache-control").unwrap_or_default();
    holds(
        cache.contains("no-transform") || cache.contains("no-store"),
        || format!("cache-control is {cache:?}, without no-store or no-transform"),
    )?;
    let accel = glass.header("x-accel-buffering").unwrap_or_default();
    holds(accel == "no", || {
        "there is no X-Accel-Buffering: no; nginx with gzip holds the stream back".to_owned()
    })
}

/// The black box and the glass box answer the same, byte for byte.
async fn same_answer(probe: &mut Probe<'_>, operation: &Operation, stream: &Stream) {
    let what = "the black box answers what the glass box ends with, byte for byte";
    let call = operation.asking(Some("application/json"));
    let (one, two) = (
        probe.client.capture(&call, |_| false).await,
        probe.client.capture(&call, |_| false).await,
    );
    let (Ok(one), Ok(two)) = (one, two) else {
        return probe
            .table
            .claim("L2", what, Err("the black box does not answer".to_owned()));
    };
    report(probe, &one);
    if one.body() != two.body() {
        return probe
            .table
            .untested("L2", what, "two calls of the black box answer differently");
    }
    let Some(end) = stream.terminal() else {
        return probe
            .table
            .untested("L2", what, "the stream has no terminal event");
    };
    let body = String::from_utf8_lossy(&one.body()).into_owned();
    let result = if end.kind() == "result" {
        let data = data_of(&end.json).unwrap_or_default();
        holds(data == body, || {
            format!(
                "the black box answers {}, the result has {}",
                clip(&body),
                clip(&data)
            )
        })
    } else {
        let status = end.number("status");
        holds(status == Some(u64::from(one.status)), || {
            format!(
                "the black box answers {}, the error says {status:?}",
                one.status
            )
        })
    };
    probe.table.claim("L2", what, result);
}

/// The text of `data`, as it stands.
fn data_of(json: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct End<'a> {
        #[serde(borrow)]
        data: &'a serde_json::value::RawValue,
    }
    serde_json::from_str::<End<'_>>(json)
        .ok()
        .map(|end| end.data.get().to_owned())
}

/// A report is for those who ask, and never breaks a response.
fn report(probe: &mut Probe<'_>, black: &Capture) {
    let what = "X-AON-Report is ASCII of at most 1 KiB, where there is one";
    let whole: usize = black
        .headers
        .get_all("x-aon-report")
        .iter()
        .map(http::HeaderValue::len)
        .sum();
    let ascii = black
        .headers
        .get_all("x-aon-report")
        .iter()
        .all(|value| value.to_str().is_ok());
    let result = holds(whole <= 1024, || format!("it has {whole} bytes"))
        .and_then(|()| holds(ascii, || "it is not ASCII".to_owned()));
    probe.table.claim("L2", what, result);
}

/// What only a playground can show: a silence, a ring that is overrun, every way to end, and every falsy answer.
async fn playground(probe: &mut Probe<'_>, operation: &Operation, stream: &Stream) {
    let interval = stream
        .events
        .first()
        .and_then(|session| session.number("heartbeat_ms"));
    let silence = json!([{"do": "sleep", "ms": interval.unwrap_or(15_000).saturating_mul(3)}]);
    let call = Operation::playground(operation.path.clone(), &silence).asking(Some(NDJSON));
    match probe.client.capture(&call, |_| false).await {
        Ok(quiet) => life(&mut probe.table, &Stream::read(&quiet)),
        Err(error) => {
            let what = "a silent operation still gives signs of life";
            probe.table.claim("L4", what, Err(error.to_string()));
        }
    }
    channels::overrun(probe, operation).await;
    heal::probe(probe, &operation.path).await;
    let ends = [
        (
            "a panic",
            json!([{"do": "panic", "message": "secret=hunter2"}]),
            "error",
        ),
        ("an abandoned handler", json!([{"do": "abandon"}]), "error"),
        (
            "a problem",
            json!([{"do": "problem", "problem": {"status": 422, "code": "bad_thing", "detail": "no"}}]),
            "error",
        ),
        (
            "an early result",
            json!([{"do": "result", "data": {"id": 1}}, {"do": "status", "message": "late"}]),
            "result",
        ),
    ];
    for (what, steps, expected) in ends {
        let call = Operation::playground(operation.path.clone(), &steps).asking(Some(NDJSON));
        let result = match probe.client.capture(&call, |_| false).await {
            Ok(capture) => {
                let stream = Stream::read(&capture);
                let kind = stream.terminal().map(|end| end.kind().to_owned());
                let text = String::from_utf8_lossy(&capture.body()).into_owned();
                stream
                    .ends_once()
                    .and_then(|()| stream.typed())
                    .and_then(|()| {
                        holds(kind.as_deref() == Some(expected), || {
                            format!("it ends with {kind:?}")
                        })
                    })
                    .and_then(|()| {
                        holds(!text.contains("hunter2"), || {
                            "the text of a panic is shown".to_owned()
                        })
                    })
            }
            Err(error) => Err(error.to_string()),
        };
        probe.table.claim(
            "L2",
            format!("{what} ends in exactly one {expected}"),
            result,
        );
    }
    for data in ["0", "false", "\"\"", "null", "[]"] {
        let mut falsy = operation.clone();
        falsy.body = Some(format!("{{\"payload\":{data}}}"));
        let result = match probe
            .client
            .capture(&falsy.asking(Some(NDJSON)), |_| false)
            .await
        {
            Ok(capture) => {
                let stream = Stream::read(&capture);
                let end = stream
                    .terminal()
                    .and_then(|end| data_of(&end.json))
                    .unwrap_or_default();
                holds(end == data, || format!("it became {end}"))
            }
            Err(error) => Err(error.to_string()),
        };
        probe
            .table
            .claim("L2", format!("the answer {data} stays what it is"), result);
    }
    let call = operation.asking(Some(NDJSON)).with_body("{");
    let result = match probe.client.capture(&call, |_| false).await {
        Ok(answer) => holds(
            (400..500).contains(&answer.status)
                && answer.media_type() == "application/problem+json"
                && answer.end == End::Clean,
            || {
                format!(
                    "status {}, content-type {:?}",
                    answer.status,
                    answer.content_type()
                )
            },
        ),
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim(
        "L2",
        "what fails before the first byte is a plain problem in both modes",
        result,
    );
}
