//! What `ProblemLayer` costs a request that succeeds: instructions (callgrind) and allocations.
//!
//! Without arguments it runs itself under `valgrind --tool=callgrind`, once per way to build the service, and prints a
//! table. The cost of one request is the difference between two runs of different length, without what building the
//! request costs.

use std::convert::Infallible;
use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::process::Command;
use std::task::{Context, Poll, Waker};

use aon::axum::ProblemLayer;
use aon_benches::Counting;
use axum::body::Body;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use http::Request;
use tower_layer::{Identity, Layer};
use tower_service::Service;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(serde::Serialize)]
struct Cluster {
    id: u64,
    name: &'static str,
    healthy: bool,
}

async fn cluster(Path(id): Path<u64>) -> Json<Cluster> {
    Json(Cluster { id, name: "main", healthy: true })
}

fn routes() -> Router {
    Router::new().route("/clusters/{id}", get(cluster)).route("/health", get(async || "ok"))
}

/// As `axum::serve` makes it: with its state, so that nothing is put together per request.
fn router() -> Router {
    routes().with_state(())
}

/// The headers of a client library, and of a proxy in front of the service.
fn request(path: &str, proxied: bool) -> Request<Body> {
    let mut request = Request::get(path)
        .header("host", "api.example.com")
        .header("user-agent", "client/1.0")
        .header("accept", "*/*")
        .header("accept-encoding", "gzip, br");
    if proxied {
        request = request
            .header("x-request-id", "0197a5e0-7c1f-7bb3-a8d3-1f2e3d4c5b6a")
            .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    }
    request.body(Body::empty()).expect("a request")
}

/// Polls to the end; nothing here waits.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing waits here"),
    }
}

fn run<S>(mut service: S, path: &str, proxied: bool, times: u64) -> u64
where
    S: Service<Request<Body>, Response = Response, Error = Infallible>,
{
    let before = aon_benches::allocations();
    for _ in 0..times {
        let request = black_box(request(path, proxied));
        let response = now(service.call(request)).unwrap_or_else(|never| match never {});
        assert!(black_box(response).status().is_success());
    }
    aon_benches::allocations() - before
}

fn build_only(path: &str, proxied: bool, times: u64) -> u64 {
    let before = aon_benches::allocations();
    for _ in 0..times {
        drop(black_box(request(path, proxied)));
    }
    aon_benches::allocations() - before
}

/// Requests over one kept connection to a real server, as a client sees them.
fn serve<S>(app: S, path: &str, proxied: bool, times: u64) -> u64
where
    S: Service<Request<Body>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    use std::io::{Read, Write};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("a listener");
    std::thread::spawn(move || {
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            axum::serve(listener, axum::ServiceExt::<Request<Body>>::into_make_service(app)).await
        })
    });
    let request = request(path, proxied);
    let mut head = format!("GET {path} HTTP/1.1\r\n");
    for (name, value) in request.headers() {
        head.push_str(&format!("{name}: {}\r\n", value.to_str().expect("text")));
    }
    head.push_str("\r\n");
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    let mut buffer = [0; 4096];
    let mut ask = || {
        stream.write_all(head.as_bytes()).expect("sent");
        let length = stream.read(&mut buffer).expect("an answer");
        assert!(buffer[..length].starts_with(b"HTTP/1.1 200"));
    };
    for _ in 0..10 {
        ask();
    }
    let before = aon_benches::allocations();
    for _ in 0..times {
        ask();
    }
    aon_benches::allocations() - before
}

fn measure(mode: &str, path: &str, proxied: bool, times: u64) -> u64 {
    match mode {
        "request" => build_only(path, proxied, times),
        "bare" => run(router(), path, proxied, times),
        "around" => run(ProblemLayer::new().layer(router()), path, proxied, times),
        "identity" => run(routes().layer(Identity::new()).with_state(()), path, proxied, times),
        "inside" => run(routes().layer(ProblemLayer::new()).with_state(()), path, proxied, times),
        "nothing" => 0,
        "served" => serve(router(), path, proxied, times),
        "served with the layer" => serve(ProblemLayer::new().layer(router()), path, proxied, times),
        _ => panic!("request, bare, around, identity or inside, not {mode}"),
    }
}

fn instructions(mode: &str, path: &str, proxied: bool) -> f64 {
    let count = |times: u64| -> f64 {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().expect("our own path"))
            .args([mode, path, if proxied { "proxied" } else { "direct" }, &times.to_string()])
            .output()
            .expect("valgrind");
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().find(|line| line.contains("Collected")).unwrap_or_else(|| panic!("{text}"));
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a count")
    };
    (count(3000) - count(1000)) / 2000.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, path, kind, times] = &arguments[..] {
        measure(mode, path, kind == "proxied", times.parse().expect("a number"));
        return;
    }
    println!("| request | service | instructions | more | allocations | more |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let mut worst: f64 = 0.0;
    let mut allocates = false;
    for (path, proxied) in [("/clusters/7", false), ("/clusters/7", true), ("/health", false)] {
        let cost = |mode: &str| {
            let idle = if mode.starts_with("served") { "nothing" } else { "request" };
            let build = instructions(idle, path, proxied);
            let allocations = |mode| measure(mode, path, proxied, 100) as f64 / 100.0;
            (instructions(mode, path, proxied) - build, allocations(mode) - allocations(idle))
        };
        for (base, layered) in [("served", "served with the layer"), ("bare", "around"), ("identity", "inside")] {
            let (before, allocated) = cost(base);
            let (after, more) = cost(layered);
            let percent = (after / before - 1.0) * 100.0;
            let kind = if proxied { ", with ids" } else { "" };
            println!("| `{path}`{kind} | {base} | {before:.0} | | {allocated:.1} | |");
            println!("| | {layered} | {after:.0} | {percent:+.2} % | {more:.1} | {:+.1} |", more - allocated);
            allocates |= (more - allocated).abs() > 0.5;
            if base == "served" {
                worst = worst.max(percent);
            }
        }
    }
    let verdict = |held: bool| if held { "held" } else { "BROKEN" };
    println!("\npromise: no allocation: {}", verdict(!allocates));
    println!("promise: at most 2 % more instructions for a request that is served: {worst:.2} %, {}", verdict(worst <= 2.0));
}
