//! Four nodes on one engine, beside what the model says.

use std::time::Duration;

use aon_live::store::RedisSettings;
use aon_live::{GlassBox, Hub, Session, Settings};
use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::Request;
use axum::routing::post;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use crate::engine::Engine;
use crate::model::{Load, MEASURED, USUAL, needs};

const NODES: usize = 4;
/// Sessions of each node, and seconds.
const SESSIONS: usize = 100;
const SECONDS: u64 = 8;

async fn work(Path(rate): Path<u64>, session: Session) -> &'static str {
    let mut clock = tokio::time::interval(Duration::from_millis(1000 / rate));
    for number in 0..rate * SECONDS {
        clock.tick().await;
        session.status(format!("{number} {}", "x".repeat(120)));
    }
    "\"done\""
}

/// Microseconds of CPU that this process has used.
pub fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("linux");
    let after = text.rsplit(')').next().expect("its fields");
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks: f64 = [11, 12]
        .iter()
        .map(|at| fields[*at].parse::<f64>().expect("ticks"))
        .sum();
    ticks * 1e4
}

fn accepting(method: &str, uri: &str) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(uri)
        .header("accept", "application/x-ndjson")
        .body(Body::empty())
        .expect("a request")
}

/// Reads a stream to its end: how many bytes and lines, and what is told by the first piece.
async fn read(mut body: Body, first: tokio::sync::oneshot::Sender<String>) -> (u64, u64) {
    let (mut bytes, mut lines, mut first) = (0, 0, Some(first));
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes += data.len() as u64;
        lines += data.iter().filter(|byte| **byte == b'\n').count() as u64;
        if let Some(first) = first.take() {
            let text = String::from_utf8_lossy(&data).into_owned();
            let at = text.find("/aon/sessions/").expect("it says where it is");
            let id: String = text[at + 14..]
                .chars()
                .take_while(char::is_ascii_hexdigit)
                .collect();
            let _: Result<(), String> = first.send(id);
        }
    }
    (bytes, lines)
}

pub async fn check(primary: &Engine, rate: u64) {
    let url = format!(
        "redis://127.0.0.1:{}?replicas=1&prefix=four{rate}:",
        primary.port
    );
    let nodes: Vec<Router> = (0..NODES)
        .map(|n| {
            let redis = RedisSettings::new(&url)
                .expect("an address")
                .node(&format!("n{n}"));
            let hub = Hub::with(Settings::new().redis(redis));
            Router::new()
                .route("/work/{rate}", post(work))
                .layer(GlassBox::new(&hub))
                .merge(hub.routes())
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (engine, process) = (primary.used().0, cpu());
    let start = std::time::Instant::now();
    let mut reading = Vec::new();
    for n in 0..NODES * SESSIONS {
        let (owner, other) = (
            nodes[n % NODES].clone(),
            nodes[(n + 1 + n / NODES % (NODES - 1)) % NODES].clone(),
        );
        reading.push(tokio::spawn(async move {
            let response = owner
                .oneshot(accepting("POST", &format!("/work/{rate}")))
                .await
                .expect("an answer");
            assert_eq!(response.status(), 200);
            let (first, id) = tokio::sync::oneshot::channel();
            let follower = tokio::spawn(async move {
                let id = id.await.expect("an id");
                let path = format!("/aon/sessions/{id}/events");
                let response = other
                    .oneshot(accepting("GET", &path))
                    .await
                    .expect("an answer");
                assert_eq!(response.status(), 200);
                let (first, _) = tokio::sync::oneshot::channel();
                read(response.into_body(), first).await
            });
            let own = read(response.into_body(), first).await;
            (own, follower.await.expect("a reader"))
        }));
    }
    let (mut bytes, mut lines, mut followed) = (0, 0, 0);
    for one in reading {
        let (own, other) = one.await.expect("a session");
        bytes += own.0;
        lines += own.1;
        followed += other.1;
    }
    let took = start.elapsed().as_secs_f64();
    assert!(followed >= lines, "every reader saw everything");
    let (engine, process) = (primary.used().0 - engine, cpu() - process);
    let sessions = (NODES * SESSIONS) as f64;
    let load = Load {
        nodes: NODES as u32,
        engines: 1,
        rate: lines as f64 / took / sessions,
        bytes: bytes as f64 / lines as f64,
        readers: 1.0,
        life: took,
        ..USUAL
    };
    let said = needs(&MEASURED, &load, sessions);
    let (engine, node) = (engine / took / 1e6, process / took / 1e6 / NODES as f64);
    println!(
        "four nodes, {sessions} sessions, {:.0} events/s of {:.0} bytes for {took:.1} s: engine {engine:.3} of a core (model {:.3}, {:.2} of it), \
         each node {node:.3} (model {:.3}, {:.2} of it)",
        lines as f64 / took,
        load.bytes,
        said.engine_cpu,
        engine / said.engine_cpu,
        said.node_cpu,
        node / said.node_cpu
    );
}
