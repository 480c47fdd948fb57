//! A small server that speaks the protocol, written apart from ours, which can be wrong in one way at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::accept::{Mode, mode};
use crate::defect::Defect;
use crate::session::{BEAT, Session};

/// How long the operation is silent: longer than one sign of life, and where none comes, than two and a half.
fn silence(defect: Defect) -> Duration {
    match defect {
        Defect::NoHeartbeat => BEAT * 5 / 2 + BEAT / 4,
        _ => BEAT + BEAT / 8,
    }
}

/// How long the black box of a GET takes: so long that a HEAD which does the work is told from one that does not.
const BLACK: Duration = Duration::from_millis(400);
/// Its answer, as the handler writes it.
const ANSWER: &str = r#"{"id":"usr_123","share":0.10}"#;

pub struct Server {
    defect: Defect,
    number: AtomicU64,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

type Shared = State<Arc<Server>>;

/// Starts the server on a port of its own, for as long as the process lives.
pub async fn start(defect: Defect) -> u16 {
    let server = Arc::new(Server {
        defect,
        number: AtomicU64::new(1),
        sessions: Mutex::default(),
    });
    let app = Router::new()
        .route("/work", any(work))
        .route("/aon/sessions/{id}", get(state))
        .route("/aon/sessions/{id}/events", get(events))
        .route("/aon/sessions/{id}/ws", get(socket))
        .with_state(server);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    port
}

fn problem(status: StatusCode, code: &str) -> Response {
    let body =
        json!({"type": format!("x://problem/{code}"), "status": status.as_u16(), "code": code});
    let mut response = (status, body.to_string()).into_response();
    let media = HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert("content-type", media);
    response
}

async fn work(State(server): Shared, method: Method, headers: HeaderMap) -> Response {
    let defect = server.defect;
    let mode = mode(&headers, defect);
    let mut response = match mode {
        Mode::Neither if defect == Defect::PlainNotAcceptable => {
            (StatusCode::NOT_ACCEPTABLE, "no").into_response()
        }
        Mode::Neither => problem(StatusCode::NOT_ACCEPTABLE, "not_acceptable"),
        _ if method == Method::HEAD && defect != Defect::HeadRunsTheHandler => {
            StatusCode::OK.into_response()
        }
        Mode::Glass => glass(&server, &headers),
        Mode::Black => {
            if method != Method::POST {
                sleep(BLACK).await;
            }
            let answer = if defect == Defect::FalsyReplaced {
                "0"
            } else {
                ANSWER
            };
            let mut response = answer.to_owned().into_response();
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert("content-type", json);
            if defect == Defect::UnboundedReport {
                let report = HeaderValue::try_from("e".repeat(20_000)).expect("ASCII");
                response.headers_mut().insert("x-aon-report", report);
            }
            response
        }
    };
    let headers = response.headers_mut();
    if defect != Defect::NoVary {
        headers.insert("vary", HeaderValue::from_static("Accept"));
    }
    if defect != Defect::NoModeEcho && mode != Mode::Neither {
        let name = if mode == Mode::Glass {
            "glass-box"
        } else {
            "black-box"
        };
        headers.insert("aon-mode", HeaderValue::from_static(name));
        headers.insert("aon-version", HeaderValue::from_static("1"));
    }
    response
}

fn glass(server: &Arc<Server>, headers: &HeaderMap) -> Response {
    let trace = headers
        .get("traceparent")
        .and_then(|value| value.to_str().ok()?.split('-').nth(1));
    let number = server.number.fetch_add(1, Ordering::Relaxed);
    let session = Arc::new(Session::new(
        number,
        trace
            .unwrap_or("4bf92f3577b34da6a3ce929d0e0e4737")
            .to_owned(),
        server.defect,
    ));
    server
        .sessions
        .lock()
        .expect("a lock")
        .insert(session.id.clone(), Arc::clone(&session));
    tokio::spawn(run(Arc::clone(&session), server.defect));
    stream("application/x-ndjson", session, server.defect, 0, false)
}

/// The work: events, a silence, an answer.
async fn run(session: Arc<Session>, defect: Defect) {
    if defect == Defect::AckOnly {
        return session.push("ack", &json!({}));
    }
    session.push("session", &session.opened());
    session.push("status", &json!({"message": "working"}));
    session.push(
        "intent_analysis",
        &json!({"original_intent": "create_user", "decision": "map"}),
    );
    let severity = if defect == Defect::OddSeverity {
        "mild"
    } else {
        "low"
    };
    let secret = match defect {
        Defect::LeaksSecret => {
            json!({"header": "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"})
        }
        _ => json!({"attempt": 1}),
    };
    session.push(
        "healing",
        &json!({"severity": severity, "action": "retry", "metadata": secret}),
    );
    sleep(silence(defect)).await;
    if defect == Defect::WaitsForTheSlowest {
        let words = "word ".repeat(800);
        for _ in 0..900 {
            session.wait_for_the_slowest().await;
            session.push("status", &json!({"message": words}));
        }
    }
    session.push("lesson", &json!({"data": {"lessonId": "l1"}}));
    match defect {
        Defect::NoTerminal => session.push("bye", &json!({})),
        Defect::ErrorThenResult => {
            let problem = json!({"status": 404, "code": "gone"});
            session.push(
                "error",
                &json!({"status": 404, "code": "gone", "message": "m", "problem": problem}),
            );
            session.push("result", &json!({}));
        }
        Defect::TwoResults => {
            session.push("result", &json!({}));
            session.push("result", &json!({}));
        }
        _ => session.push("result", &json!({})),
    }
}

fn is_last(defect: Defect, kind: &str, seq: u64) -> bool {
    match defect {
        Defect::TwoResults | Defect::ErrorThenResult => seq == 7,
        Defect::NoTerminal => kind == "bye",
        Defect::AckOnly => true,
        _ => matches!(kind, "result" | "error"),
    }
}

/// The text of an event; the data of a result is put in as the handler wrote it.
fn text(defect: Defect, event: &Value) -> String {
    let text = event.to_string();
    let data = match defect {
        Defect::FalsyReplaced => r#"{"success":true}"#,
        Defect::Reformatted => r#"{"id":"usr_123","share":0.1}"#,
        _ => ANSWER,
    };
    text.replace("\"data\":null", &format!("\"data\":{data}"))
}

/// Sends the events from after `since` through a channel, then what happens.
async fn follow(
    session: Arc<Session>,
    defect: Defect,
    mut since: u64,
    resumes: bool,
    out: mpsc::Sender<(Option<u64>, Value)>,
) {
    let mut newest = session.newest.subscribe();
    let (place, seen) = tokio::sync::watch::channel(0);
    if defect == Defect::WaitsForTheSlowest {
        session.readers.lock().expect("a lock").push(seen);
    }
    let mut replayed = !resumes;
    loop {
        let known = *newest.borrow_and_update();
        for (seq, kind, event) in session.after(since).1 {
            since = seq;
            place.send_replace(seq);
            if out.send((Some(seq), event)).await.is_err() || is_last(defect, &kind, seq) {
                return;
            }
        }
        if !replayed && known > 0 {
            replayed = true;
            let note = session.event("replay_complete", None, &json!({"last_seq": since}));
            if defect != Defect::NoReplayComplete && out.send((None, note)).await.is_err() {
                return;
            }
        }
        if timeout(BEAT, newest.changed()).await.is_err()
            && defect != Defect::NoHeartbeat
            && out.send((None, session.beat())).await.is_err()
        {
            return;
        }
    }
}

fn stream(
    media: &'static str,
    session: Arc<Session>,
    defect: Defect,
    since: u64,
    resumes: bool,
) -> Response {
    stream_with(media, session, defect, since, resumes, None)
}

fn stream_with(
    media: &'static str,
    session: Arc<Session>,
    defect: Defect,
    since: u64,
    resumes: bool,
    gap: Option<Value>,
) -> Response {
    let (sender, mut receiver) = mpsc::channel(16);
    tokio::spawn(follow(Arc::clone(&session), defect, since, resumes, sender));
    let sse = media == "text/event-stream";
    let (bytes, body) = mpsc::channel::<Result<Bytes, std::io::Error>>(16);
    tokio::spawn(async move {
        let frame = |seq: Option<u64>, event: &Value| {
            let text = text(defect, event);
            if !sse {
                return format!("{text}\n");
            }
            let id = seq
                .filter(|_| defect != Defect::NoSseId)
                .map_or_else(String::new, |seq| format!("id: {}-{seq}\n", session.epoch));
            let kind = event["type"].as_str().expect("a type");
            format!("{id}event: {kind}\ndata: {text}\n\n")
        };
        if let Some(gap) = gap {
            let _ = bytes.send(Ok(frame(None, &gap).into())).await;
        }
        while let Some((seq, event)) = receiver.recv().await {
            let mut text = frame(seq, &event);
            if defect == Defect::ExtraLine && !sse && event["type"] == "status" {
                text.push_str("hello\n");
            }
            if bytes.send(Ok(text.into())).await.is_err() {
                return;
            }
        }
        if !resumes && defect == Defect::BreaksAfterTheEnd {
            // What was sent first must arrive before the connection breaks.
            sleep(Duration::from_millis(200)).await;
            let _ = bytes
                .send(Err(std::io::Error::other("headers were sent")))
                .await;
        }
        if !resumes && defect == Defect::StaysOpen {
            sleep(Duration::from_secs(60)).await;
        }
    });
    let body = Body::from_stream(Pieces(body));
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert("content-type", HeaderValue::from_static(media));
    if defect != Defect::NoProxyHeaders {
        headers.insert(
            "cache-control",
            HeaderValue::from_static("no-store, no-transform"),
        );
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    }
    response
}

struct Pieces(mpsc::Receiver<Result<Bytes, std::io::Error>>);

impl futures_util::Stream for Pieces {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// The number to go on after, and the gap to tell first.
fn seek(session: &Session, cursor: Option<&str>, defect: Defect) -> (u64, Option<Value>) {
    let Some(cursor) = cursor.filter(|_| defect != Defect::ForgetsSince) else {
        return (0, None);
    };
    let newest = *session.newest.borrow();
    let oldest = session.after(u64::MAX).0;
    let (epoch, seq) = cursor.rsplit_once('-').unwrap_or((cursor, "0"));
    let seq: u64 = seq.parse().unwrap_or(0);
    let reason = if epoch != session.epoch {
        "epoch"
    } else if seq > newest {
        "ahead"
    } else if seq + 1 < oldest {
        "evicted"
    } else {
        return (seq, None);
    };
    let gap = json!({"requested": cursor, "oldest": oldest, "newest": newest, "reason": reason});
    let gap = session.event("gap", None, &gap);
    (0, (defect != Defect::NoGap).then_some(gap))
}

async fn events(
    State(server): Shared,
    Path(id): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let session = server.sessions.lock().expect("a lock").get(&id).cloned();
    let Some(session) = session else {
        return problem(StatusCode::NOT_FOUND, "session_not_found");
    };
    let header = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok());
    let cursor = header.or_else(|| query.get("last_event_id").map(String::as_str));
    let (since, gap) = seek(&session, cursor, server.defect);
    let newest = *session.newest.borrow();
    let (_, kept) = session.after(newest.saturating_sub(1));
    let over = kept
        .last()
        .is_some_and(|(seq, kind, _)| is_last(server.defect, kind, *seq));
    if over && since >= newest && server.defect != Defect::RepeatsAfterTheEnd {
        return StatusCode::NO_CONTENT.into_response();
    }
    let since = if over && since >= newest { 0 } else { since };
    let accept = headers
        .get("accept")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media = if accept.contains("application/x-ndjson") {
        "application/x-ndjson"
    } else {
        "text/event-stream"
    };
    stream_with(media, session, server.defect, since, true, gap)
}

async fn state(State(server): Shared, Path(id): Path<String>) -> Response {
    match server.sessions.lock().expect("a lock").get(&id) {
        Some(session) => {
            Json(json!({"session_id": session.id, "newest": *session.newest.borrow()}))
                .into_response()
        }
        None => problem(StatusCode::NOT_FOUND, "session_not_found"),
    }
}

async fn socket(
    State(server): Shared,
    Path(id): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let session = server.sessions.lock().expect("a lock").get(&id).cloned();
    let Some(session) = session else {
        return problem(StatusCode::NOT_FOUND, "session_not_found");
    };
    let defect = server.defect;
    upgrade.on_upgrade(async move |mut socket| {
        let mut cursor = query.get("since").cloned();
        if cursor.is_none()
            && let Ok(Some(Ok(Message::Text(first)))) =
                timeout(Duration::from_millis(100), socket.recv()).await
        {
            let first: Value = serde_json::from_str(first.as_str()).unwrap_or_default();
            cursor = first["since"].as_str().map(str::to_owned);
        }
        let (since, gap) = seek(&session, cursor.as_deref(), defect);
        let (sender, mut receiver) = mpsc::channel(16);
        tokio::spawn(follow(session, defect, since, true, sender));
        let mut pending: Vec<Value> = gap.into_iter().collect();
        loop {
            let event = match pending.pop() {
                Some(event) => event,
                None => match receiver.recv().await {
                    Some((_, event)) => event,
                    None => break,
                },
            };
            let text = text(defect, &event);
            if defect == Defect::SmallSocketFrames && text.len() >= 126 {
                return;
            }
            if socket.send(Message::text(text)).await.is_err() {
                return;
            }
        }
        let _ = socket.send(Message::Close(None)).await;
    })
}
