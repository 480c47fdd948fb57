//! What the proxy costs: time beside a plain pass-through of hyper in the same run, and memory over many calls. `AON_PROXY_CALLS=100000` with `--release` is
//! the long run.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aon_tests::place;
use axum::response::Response;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

use super::{Proxy, Upstream, answer};

fn calls() -> usize {
    let told = std::env::var("AON_PROXY_CALLS").ok();
    told.and_then(|told| told.parse().ok()).unwrap_or(2_000)
}

fn orders(_line: &str, _parts: &http::request::Parts, body: &[u8]) -> Response {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let result = match message["method"].as_str() {
        Some("tools/list") => json!({"tools": [{"name": "order", "inputSchema": {"type": "object",
            "properties": {"size": {"enum": ["small", "large"]}, "count": {"type": "integer"}}, "required": ["size"]}}]}),
        _ if message["params"]["arguments"]["count"] == 13 => {
            json!({"content": [{"type": "text", "text": "count 13 is not supported"}], "isError": true})
        }
        _ => json!({"content": [{"type": "text", "text": "ordered"}]}),
    };
    let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    answer(200, "application/json", body.to_string())
}

async fn connect(port: u16) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// The least a proxy can do: one connection on each side, nothing read.
async fn pass_through(upstream: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let to = TcpStream::connect(("127.0.0.1", upstream)).await.unwrap();
            to.set_nodelay(true).unwrap();
            let (sender, connection) = handshake(TokioIo::new(to)).await.unwrap();
            tokio::spawn(connection);
            let sender = Arc::new(Mutex::new(sender));
            let service =
                hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
                    let sender = Arc::clone(&sender);
                    async move {
                        let mut sender = sender.lock().await;
                        sender.ready().await.unwrap();
                        Ok::<_, Infallible>(sender.send_request(request).await.unwrap())
                    }
                });
            let server = hyper::server::conn::http1::Builder::new();
            tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
        }
    });
    port
}

async fn call(sender: &mut SendRequest<Full<Bytes>>, port: u16, count: usize) -> Duration {
    let body = json!({"jsonrpc": "2.0", "id": count, "method": "tools/call",
        "params": {"name": "order", "arguments": {"size": "large", "count": count % 100}}});
    let request = Request::post("/mcp")
        .header("host", format!("127.0.0.1:{port}"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let started = Instant::now();
    sender.ready().await.unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    let took = started.elapsed();
    assert!(bytes.len() > 20);
    took
}

fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn the_proxy_adds_little_time_and_its_memory_stays_flat() {
    let upstream = Upstream::start(orders);
    let proxy = Proxy::start(&["--mcp", &format!("http://127.0.0.1:{}/mcp", upstream.port)]);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let all = calls();
    runtime.block_on(async {
        let plain = pass_through(upstream.port).await;
        let ports = [upstream.port, plain, proxy.port];
        let mut senders = [connect(ports[0]).await, connect(ports[1]).await, connect(ports[2]).await];
        let mut took: [Vec<Duration>; 3] = Default::default();
        // Side by side, so that a busy machine is busy for all of them.
        for count in 0..all.min(20_000) {
            for ((sender, port), took) in senders.iter_mut().zip(ports).zip(&mut took) {
                took.push(call(sender, port, count).await);
            }
        }
        let median = |took: &mut Vec<Duration>| {
            took.sort();
            took[took.len() / 2]
        };
        let [direct, plain, ours] = took.each_mut().map(median);
        let added = ours.saturating_sub(plain);
        place::say(&format!(
            "count: {} calls each, p50 direct {direct:?}, through hyper {plain:?}, through the proxy {ours:?}, added beside hyper {added:?}",
            took[0].len()
        ));
        // Without optimisation, and with a machine that does other things, it is only kept from getting out of hand.
        let limit = if cfg!(debug_assertions) { 3_000 } else { 100 };
        assert!(added <= Duration::from_micros(limit), "{added:?}");
        let before = resident(proxy.child.id());
        for count in 0..all {
            call(&mut senders[2], ports[2], count).await;
        }
        let (Some(before), Some(after)) = (before, resident(proxy.child.id())) else {
            place::say("skipped: the memory of the proxy, because this system has no /proc");
            return;
        };
        place::say(&format!("count: {all} calls, the proxy had {before} KiB before and {after} KiB after"));
        assert!(after <= before + 4 * 1024, "{before} KiB, then {after} KiB");
    });
}
