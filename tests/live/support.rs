//! A program with a hub on a free port, and a client that is nothing but a socket.

use std::net::SocketAddr;
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_live::{GlassBox, Hub, Session, Severity};
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// How long anything here may take; a time-out is a failure.
pub const PATIENCE: Duration = Duration::from_secs(20);
pub const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
pub const TRACEPARENT: &str =
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
pub const NDJSON: &str = "accept: application/x-ndjson";

#[derive(Debug, thiserror::Error, aon::Problem)]
pub enum UserError {
    #[error("the database does not answer")]
    #[problem(
        status = 503,
        code = "db_unreachable",
        retry_after = 2,
        remediation(wait_for_provisioning)
    )]
    Database,
    #[error("there is no user {id}")]
    #[problem(status = 404, code = "no_such_user")]
    NoSuchUser {
        #[problem(extension)]
        id: u32,
    },
}

#[derive(serde::Deserialize)]
pub struct NewUser {
    pub name: String,
}

/// The canonical handler of the book.
async fn create_user(
    session: Session,
    Json(user): Json<NewUser>,
) -> Result<Json<Value>, UserError> {
    session
        .intent("create_user")
        .issue("invalid_schema")
        .decision("apply_semantic_mapping");
    session
        .healing(Severity::Medium, "refresh_token")
        .metadata("attempt", &1);
    session
        .status("Waiting for rate limit backoff...")
        .estimated_delay(Duration::from_millis(200));
    sleep(Duration::from_millis(5)).await;
    if user.name == "nobody" {
        return Err(UserError::Database);
    }
    Ok(Json(
        json!({"id": "usr_123", "name": user.name, "n": 1.5, "warning": null}),
    ))
}

/// Publishes as many events as the body says, waiting that many milliseconds between them.
async fn burst(session: Session, Json((count, wait)): Json<(u32, u64)>) -> Json<u32> {
    for n in 1..=count {
        session.status(format!("event {n}"));
        if wait > 0 {
            sleep(Duration::from_millis(wait)).await;
        }
    }
    Json(count)
}

/// Waits until it is told to go on.
pub async fn gated(State(gate): State<Gate>, session: Session) -> Json<&'static str> {
    session.status("waiting");
    gate.0.notified().await;
    session.status("going on");
    Json("done")
}

#[derive(Clone, Default)]
pub struct Gate(pub std::sync::Arc<tokio::sync::Notify>);

pub fn routes(gate: Gate) -> Router {
    Router::new()
        .route("/users", post(create_user))
        .route("/burst", post(burst))
        .route("/gated", post(gated).get(gated))
        .route(
            "/plain",
            get(async || Json(json!({"plain": true}))).post(async || Json(json!([1, 2]))),
        )
        .route("/fails", post(async || UserError::NoSuchUser { id: 7 }))
        .route(
            "/panics",
            post(async || -> Json<()> { panic!("the password is hunter2secret") }),
        )
        .route(
            "/panics-late",
            post(async |session: Session| -> Json<()> {
                session.status("soon");
                sleep(Duration::from_millis(5)).await;
                panic!("the password is hunter2secret")
            }),
        )
        .route(
            "/hangs",
            post(async |session: Session| -> Json<()> {
                session.status("hanging");
                std::future::pending().await
            }),
        )
        .route(
            "/fails-to-heal",
            post(async |session: Session| {
                for outcome in ["failed", "healed"] {
                    session
                        .healing(Severity::Low, "retry_with_backoff")
                        .metadata("outcome", outcome);
                }
                Json(1)
            }),
        )
        .route(
            "/silent",
            post(async || -> Json<u8> {
                sleep(Duration::from_millis(400)).await;
                Json(7)
            }),
        )
        .with_state(gate)
}

/// A running program.
pub struct Server {
    pub address: SocketAddr,
    pub hub: Hub,
    pub gate: Gate,
}

pub async fn serve(hub: Hub) -> Server {
    serve_with(hub, |layer| layer).await
}

pub async fn serve_with(hub: Hub, change: impl FnOnce(GlassBox) -> GlassBox) -> Server {
    let gate = Gate::default();
    let app = routes(gate.clone())
        .layer(change(GlassBox::new(&hub)))
        .merge(hub.routes())
        .layer(ProblemLayer::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    Server { address, hub, gate }
}

impl Server {
    pub async fn get(&self, path: &str, headers: &[&str]) -> Reply {
        request(self.address, "GET", path, headers, "").await
    }

    pub async fn post(&self, path: &str, headers: &[&str], body: &str) -> Reply {
        request(self.address, "POST", path, headers, body).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        request(self.address, "DELETE", path, &[], "").await
    }

    /// Posts as a glass box and gives the whole stream.
    pub async fn stream(&self, path: &str, body: &str) -> Vec<Value> {
        let reply = self.post(path, &[NDJSON], body).await;
        assert_eq!(reply.status, 200);
        reply.events().await
    }
}

/// An answer whose body is read bit by bit.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    socket: TcpStream,
    /// What was received and not looked at.
    raw: Vec<u8>,
    /// What was taken out of the chunks.
    pub ready: Vec<u8>,
    over: bool,
}

pub async fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> Reply {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    if !body.is_empty() {
        text.push_str(&format!(
            "content-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        ));
    }
    text.push_str("\r\n");
    text.push_str(body);
    socket.write_all(text.as_bytes()).await.unwrap();
    Reply::read(socket, method == "HEAD").await
}

impl Reply {
    pub async fn read(mut socket: TcpStream, head_only: bool) -> Self {
        let mut raw = Vec::new();
        let end = loop {
            if let Some(at) = raw.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            let mut buffer = [0; 4096];
            let got = timeout(PATIENCE, socket.read(&mut buffer))
                .await
                .expect("an answer in time")
                .unwrap();
            assert!(got > 0, "the server closed without an answer");
            raw.extend_from_slice(&buffer[..got]);
        };
        let head = String::from_utf8(raw[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut reply = Self {
            status,
            headers,
            socket,
            raw: raw[end + 4..].to_vec(),
            ready: Vec::new(),
            over: head_only,
        };
        if reply.header("content-length") == Some("0") || matches!(status, 101 | 204 | 304) {
            reply.over = true;
        }
        reply
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| &**value)
    }

    /// Moves what was received into `ready`; whether there was anything new.
    fn unpack(&mut self) -> bool {
        let before = self.ready.len();
        if let Some(length) = self.header("content-length") {
            let length: usize = length.parse().unwrap();
            self.ready.append(&mut self.raw);
            self.over |= self.ready.len() >= length;
            return self.ready.len() > before || self.over;
        }
        while let Some(at) = self.raw.windows(2).position(|two| two == b"\r\n") {
            let size =
                usize::from_str_radix(std::str::from_utf8(&self.raw[..at]).unwrap(), 16).unwrap();
            if self.raw.len() < at + 2 + size + 2 {
                break;
            }
            self.ready
                .extend_from_slice(&self.raw[at + 2..at + 2 + size]);
            self.raw.drain(..at + 2 + size + 2);
            if size == 0 {
                self.over = true;
                break;
            }
        }
        self.over || self.ready.len() > before
    }

    /// Waits for more of the body; `false` at its end.
    pub async fn more(&mut self) -> bool {
        loop {
            if self.over {
                return false;
            }
            if self.unpack() {
                return !self.over || !self.ready.is_empty();
            }
            let mut buffer = [0; 16 * 1024];
            let got = timeout(PATIENCE, self.socket.read(&mut buffer))
                .await
                .expect("more in time")
                .unwrap();
            if got == 0 {
                self.over = true;
                return false;
            }
            self.raw.extend_from_slice(&buffer[..got]);
        }
    }

    /// The next line, without its end.
    pub async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(at) = self.ready.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.ready.drain(..=at).collect();
                return Some(String::from_utf8(line[..at].to_vec()).unwrap());
            }
            if !self.more().await && !self.ready.contains(&b'\n') {
                assert!(
                    self.ready.is_empty(),
                    "half a line: {}",
                    String::from_utf8_lossy(&self.ready)
                );
                return None;
            }
        }
    }

    /// The next event of an NDJSON stream.
    pub async fn event(&mut self) -> Option<Value> {
        let line = self.line().await?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    pub async fn events(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.event().await {
            events.push(event);
        }
        events
    }

    /// The next server-sent event: type, data, id.
    pub async fn sse(&mut self) -> Option<(String, Value, Option<String>)> {
        let (mut kind, mut data, mut id) = (None, None, None);
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                if let (Some(kind), Some(data)) = (kind.take(), data.take()) {
                    return Some((kind, data, id));
                }
                continue;
            }
            if let Some((field, value)) = line.split_once(':') {
                let value = value.strip_prefix(' ').unwrap_or(value);
                match field {
                    "event" => kind = Some(value.to_owned()),
                    "data" => data = Some(serde_json::from_str(value).unwrap()),
                    "id" => id = Some(value.to_owned()),
                    "retry" | "" => {}
                    other => panic!("{other}"),
                }
            }
        }
    }

    pub async fn all_sse(mut self) -> Vec<(String, Value, Option<String>)> {
        let mut all = Vec::new();
        while let Some(event) = self.sse().await {
            all.push(event);
        }
        all
    }

    pub async fn text(mut self) -> String {
        while self.more().await {}
        String::from_utf8(self.ready).unwrap()
    }

    pub async fn json(self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// The types of events, in order.
pub fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

/// Holds what every stream of a session must hold.
pub fn check_stream(events: &[Value]) {
    assert!(!events.is_empty());
    let numbered: Vec<&Value> = events
        .iter()
        .filter(|event| event.get("seq").is_some())
        .collect();
    assert_eq!(events[0]["type"], "session");
    for (at, event) in numbered.iter().enumerate() {
        assert_eq!(event["seq"], at as u64 + 1, "{event}");
        let id = event["id"].as_str().unwrap();
        assert!(id.ends_with(&format!("-{}", at + 1)), "{id}");
    }
    for event in events {
        assert_eq!(event["trace_id"].as_str().unwrap().len(), 32);
        assert_eq!(event["session_id"], events[0]["session_id"]);
        assert_eq!(
            event["timestamp"].as_u64().unwrap(),
            event["ts_ms"].as_u64().unwrap() / 1000
        );
    }
    let ends: Vec<usize> = (0..events.len())
        .filter(|at| matches!(events[*at]["type"].as_str(), Some("result" | "error")))
        .collect();
    assert_eq!(
        ends,
        [events.len() - 1],
        "one end, and last: {:?}",
        kinds(events)
    );
}
