//! What the glass box costs: a request in either mode, a publish, and a delivery to each of many readers.
//!
//! `live` prints the tables. `live fan READERS SECONDS RATE…` measures deliveries alone: the server is a child process,
//! its CPU time inside of the measured window is divided by what all readers received, and the floor (axum with
//! `tokio::broadcast` and a frame that is encoded once) runs interleaved with ours.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aon_benches::Counting;
use aon_live::{GlassBox, Hub, Session, Settings, Severity};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::stream;
use http::Request;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, broadcast};
use tower_service::Service as _;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

async fn work(session: Session) -> Json<[u32; 3]> {
    session.intent("create_user").issue("invalid_schema").decision("apply_semantic_mapping");
    session.healing(Severity::Medium, "refresh_token").description("The token had expired.");
    session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
    Json([1, 2, 3])
}

async fn bare() -> Json<[u32; 3]> {
    Json([1, 2, 3])
}

/// Nanoseconds (10th percentile of rounds) and allocations of one request that is answered to its end.
fn request_cost(runtime: &tokio::runtime::Runtime, mut app: Router, accept: &str) -> (f64, f64) {
    let mut rounds = Vec::new();
    let mut allocations = 0;
    let times = 2_000;
    for _ in 0..30 {
        let requests: Vec<_> = (0..times)
            .map(|_| Request::get("/work").header("accept", accept).body(Body::empty()).expect("a request"))
            .collect();
        let before = aon_benches::allocations();
        let start = Instant::now();
        runtime.block_on(async {
            for request in requests {
                let response = app.call(request).await.unwrap_or_else(|never: Infallible| match never {});
                let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
                black_box(body);
            }
        });
        rounds.push(start.elapsed().as_nanos() as f64 / f64::from(times));
        allocations = aon_benches::allocations() - before;
    }
    rounds.sort_by(f64::total_cmp);
    (rounds[rounds.len() / 10], allocations as f64 / f64::from(times))
}

fn requests() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let hub = || Hub::with(Settings::new().sessions(100));
    let plain = Router::new().route("/work", get(bare));
    let identity = Router::new().route("/work", get(bare)).layer(tower_layer::Identity::new());
    let black = Router::new().route("/work", get(bare)).layer(GlassBox::new(&hub()));
    let speaking = Router::new().route("/work", get(work)).layer(GlassBox::new(&hub()));
    println!("| request | ns | allocations |\n| --- | ---: | ---: |");
    for (name, app, accept) in [
        ("bare handler", plain, "*/*"),
        ("with a layer that does nothing", identity, "*/*"),
        ("black box", black.clone(), "*/*"),
        ("black box, three events nobody reads", speaking.clone(), "*/*"),
        ("glass box, no event of its own", black, "application/x-ndjson"),
        ("glass box, three events", speaking, "application/x-ndjson"),
    ] {
        let (nanos, allocations) = request_cost(&runtime, app.with_state(()), accept);
        println!("| {name} | {nanos:.0} | {allocations:.1} |");
    }
}

/// One publish, readers aside: what is encoded, numbered, kept and told.
fn publish() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let hub = Hub::with(Settings::new().events(u64::MAX).events_per_second(u64::MAX));
    let app = Router::new()
        .route(
            "/work",
            get(async |session: Session| {
                let mut rounds = Vec::new();
                for _ in 0..200 {
                    let start = Instant::now();
                    for _ in 0..1000 {
                        session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
                    }
                    rounds.push(start.elapsed().as_nanos() as f64 / 1000.0);
                }
                rounds.sort_by(f64::total_cmp);
                Json(rounds[20])
            }),
        )
        .layer(GlassBox::new(&hub));
    let mut app = app.with_state(());
    let request = Request::get("/work").header("accept", "application/x-ndjson").body(Body::empty()).expect("a request");
    let text = runtime.block_on(async {
        let response = app.call(request).await.unwrap_or_else(|never: Infallible| match never {});
        axum::body::to_bytes(response.into_body(), 1 << 26).await.expect("a body")
    });
    let text = String::from_utf8_lossy(&text);
    let nanos = text.lines().last().and_then(|line| line.rsplit(':').next()).unwrap_or_default();
    println!("\none publish with encoding and redaction: {} ns", nanos.trim_end_matches('}'));
}

const WORDS: &str = "a line of progress that is about as long as those of the measurements this one is compared with, so that frames have some 330 bytes";

#[derive(Clone)]
struct Floor {
    sender: broadcast::Sender<Bytes>,
    go: Arc<Notify>,
}

/// The server under test, until its parent kills it.
fn serve(which: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let go = Arc::new(Notify::new());
        let app = if which != "floor" {
            let mut settings = Settings::new().events(u64::MAX / 4).events_per_second(u64::MAX).heartbeat(Duration::from_secs(600));
            if which == "measured" {
                settings = settings.observe(aon_observe::Telemetry::new());
            }
            let hub = Hub::with(settings);
            let gate = Arc::clone(&go);
            Router::new()
                .route(
                    "/publish/{rate}/{seconds}",
                    post(async move |session: Session, Path((rate, seconds)): Path<(u64, u64)>| {
                        session.begin();
                        gate.notified().await;
                        paced(rate, seconds, || drop(session.status(WORDS))).await;
                        Json(rate * seconds)
                    }),
                )
                .layer(GlassBox::new(&hub))
                .merge(hub.routes())
        } else {
            let (sender, _) = broadcast::channel(4096);
            let floor = Floor { sender, go: Arc::clone(&go) };
            Router::new()
                .route("/publish/{rate}/{seconds}", post(floor_publish))
                .route("/events", get(floor_events))
                .with_state(floor)
        };
        let app = app.route("/go", post(async move || go.notify_waiters()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address").port());
        axum::serve(listener, app).await.expect("a server");
    });
}

async fn paced(rate: u64, seconds: u64, mut publish: impl FnMut()) {
    let mut clock = tokio::time::interval(Duration::from_nanos(1_000_000_000 / rate));
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    for _ in 0..rate * seconds {
        clock.tick().await;
        publish();
    }
}

async fn floor_publish(State(floor): State<Floor>, Path((rate, seconds)): Path<(u64, u64)>) -> Response {
    // The headers go out at once, as ours do.
    let body = stream::once(async move {
        floor.go.notified().await;
        let mut n = 0;
        paced(rate, seconds, || {
            n += 1;
            let json = format!(r#"{{"type":"status","id":"0000000a-{n}","seq":{n},"timestamp":1715432000,"ts_ms":1715432000250,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","session_id":"4bf92f3577b34da6a3ce929d0e0e4736","message":"{WORDS}"}}"#);
            let frame = Bytes::from(format!("event: status\ndata: {json}\nid: 0000000a-{n}\n\n"));
            drop(floor.sender.send(frame));
        })
        .await;
        Ok::<_, Infallible>(Bytes::from_static(b"done"))
    });
    Response::new(Body::from_stream(body))
}

async fn floor_events(State(floor): State<Floor>) -> Response {
    let frames = stream::unfold(floor.sender.subscribe(), |mut frames| async move {
        let frame = frames.recv().await.ok()?;
        Some((Ok::<_, Infallible>(frame), frames))
    });
    let mut response = Response::new(Body::from_stream(frames));
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("text/event-stream"));
    response
}

struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn start(which: &str) -> Server {
    let mut child = Command::new(std::env::current_exe().expect("our own path"))
        .args(["serve", which])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its port");
    Server { child, port: line.trim().parse().expect("a port") }
}

/// User and system time so far, in microseconds.
fn cpu(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("its figures");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap_or(0.0) + fields[12].parse::<f64>().unwrap_or(0.0);
    ticks * 10_000.0
}

/// Resident memory in KiB.
fn memory(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("its figures");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

async fn ask(port: u16, head: &str) -> (TcpStream, Vec<u8>) {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    socket.write_all(format!("{head}\r\nhost: x\r\n\r\n").as_bytes()).await.expect("sent");
    let mut got = vec![0; 16 * 1024];
    let length = socket.read(&mut got).await.expect("an answer");
    got.truncate(length);
    (socket, got)
}

struct Fan {
    cpu: f64,
    delivered: f64,
    per_read: f64,
    memory: f64,
}

/// All deliveries of one run, and what they cost the server.
async fn fan(which: &str, readers: usize, rate: u64, seconds: u64) -> Fan {
    let server = start(which);
    let pid = server.child.id();
    let publish = format!("POST /publish/{rate}/{seconds} HTTP/1.1\r\naccept: application/x-ndjson\r\ncontent-length: 0");
    let (publisher, mut first) = ask(server.port, &publish).await;
    let mut publisher = publisher;
    let path = if which != "floor" {
        while !first.windows(9).any(|word| word == b"\"sse_url\"") {
            let mut more = [0; 4096];
            let length = publisher.read(&mut more).await.expect("the first event");
            first.extend_from_slice(&more[..length]);
        }
        let text = String::from_utf8_lossy(&first).into_owned();
        let at = text.split("\"sse_url\":\"").nth(1).unwrap_or_default();
        at.split('"').next().unwrap_or_default().to_owned()
    } else {
        "/events".to_owned()
    };
    let before = memory(pid);
    let mut sockets = Vec::new();
    for _ in 0..readers {
        let (socket, _) = ask(server.port, &format!("GET {path} HTTP/1.1\r\naccept: text/event-stream")).await;
        sockets.push(socket);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let memory = (memory(pid) - before) / readers as f64;
    let expected = rate * seconds;
    let mut tasks = Vec::new();
    for mut socket in sockets {
        tasks.push(tokio::spawn(async move {
            let (mut lines, mut reads) = (0_u64, 0_u64);
            let mut buffer = vec![0; 32 * 1024];
            // Four line ends of a frame; the ends of chunks come with a carriage return and are not counted.
            while lines < expected * 4 {
                let read = tokio::time::timeout(Duration::from_secs(5), socket.read(&mut buffer)).await;
                let Ok(Ok(length @ 1..)) = read else { break };
                reads += 1;
                let bytes = &buffer[..length];
                let plain = bytes.iter().filter(|byte| **byte == b'\n').count();
                let ends = bytes.iter().filter(|byte| **byte == b'\r').count();
                lines += (plain - ends.min(plain)) as u64;
            }
            (lines / 4, reads)
        }));
    }
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(1..) = publisher.read(&mut buffer).await {}
    });
    let start = cpu(pid);
    drop(ask(server.port, "POST /go HTTP/1.1\r\ncontent-length: 0").await);
    let (mut delivered, mut reads) = (0, 0);
    for task in tasks {
        let (lines, read) = task.await.expect("a reader");
        delivered += lines;
        reads += read;
    }
    let spent = cpu(pid) - start;
    let all = (readers as u64 * expected) as f64;
    Fan {
        cpu: spent / delivered.max(1) as f64,
        delivered: delivered as f64 / all * 100.0,
        per_read: delivered as f64 / reads.max(1) as f64,
        memory,
    }
}

fn fans(hubs: &[&str], readers: usize, seconds: u64, rates: &[u64]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    println!("\n| {readers} readers | hub | CPU µs per delivery | events per read | delivered % | KiB per reader |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    for rate in rates {
        let mut medians = Vec::new();
        for which in hubs {
            medians.push((*which, Vec::new()));
        }
        for _ in 0..3 {
            for (which, runs) in &mut medians {
                runs.push(runtime.block_on(fan(which, readers, *rate, seconds)));
            }
        }
        for (which, mut runs) in medians {
            runs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
            let least = runs.iter().map(|run| run.delivered).fold(100.0, f64::min);
            let run = &runs[1];
            println!(
                "| {rate} ev/s | {which} | {:.2} ({:.2}–{:.2}) | {:.1} | {least:.1} | {:.1} |",
                run.cpu, runs[0].cpu, runs[2].cpu, run.per_read, run.memory
            );
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        ["serve", which] => serve(which),
        ["fan", readers, seconds, rates @ ..] => {
            let rates: Vec<u64> = rates.iter().map(|rate| rate.parse().expect("a number")).collect();
            fans(&["floor", "ours"], readers.parse().expect("a number"), seconds.parse().expect("a number"), &rates);
        }
        // What measuring adds: the same hub with and without an observer, interleaved.
        ["measured", readers, seconds, rates @ ..] => {
            let rates: Vec<u64> = rates.iter().map(|rate| rate.parse().expect("a number")).collect();
            fans(&["ours", "measured"], readers.parse().expect("a number"), seconds.parse().expect("a number"), &rates);
        }
        ["requests"] => requests(),
        ["publish"] => publish(),
        _ => {
            requests();
            publish();
            fans(&["floor", "ours"], 1000, 4, &[20, 100, 400]);
        }
    }
}
