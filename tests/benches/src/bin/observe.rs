//! What measuring costs: instructions (callgrind) of a problem and of an event with and without it, nanoseconds of the same, and how
//! long a scrape of a full registry takes.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::{Code, ProblemDetails, Status};
use aon_live::observer::{Channel, Observer as _, Signal};
use aon_live::{GlassBox, Hub, Session, Settings};
use aon_observe::Telemetry;
use axum::Router;
use axum::body::Body;
use axum::routing::get;
use http::Request;
use tower_service::Service as _;

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn telemetry() -> Telemetry {
    Telemetry::builder().codes(["late"]).build()
}

/// Problems that pass a door.
fn problems(door: &Door, times: u64) {
    let problem = ProblemDetails::new(Status::new(503).expect("a status"), Code::parse("late").expect("a code"));
    for _ in 0..times {
        let scope = Scope::open(door, Facts::new("rest").with_request_id("r").with_trace_parent(TRACE));
        black_box(scope.pass(Occurrence::new(problem.clone()), "rest"));
    }
}

/// Events that one handler publishes.
fn events(settings: Settings, times: u64) {
    let hub = Hub::with(settings.events(u64::MAX / 4));
    let publish = async move |session: Session| {
        for _ in 0..times {
            session.status("a line of progress");
        }
        "1"
    };
    let mut app: Router = Router::new().route("/work", get(publish)).layer(GlassBox::new(&hub)).with_state(());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let request = Request::get("/work").header("accept", "application/x-ndjson").body(Body::empty()).expect("a request");
        let response = app.call(request).await.unwrap_or_else(|never| match never {});
        black_box(axum::body::to_bytes(response.into_body(), 1 << 30).await.expect("a body"));
    });
}

fn run(mode: &str, times: u64) {
    match mode {
        "problem off" => problems(&Door::new(), times),
        "problem on" => problems(&telemetry().door(), times),
        "event off" => events(Settings::new(), times),
        "event on" => events(Settings::new().observe(telemetry()), times),
        "sign" => {
            let telemetry = telemetry();
            let sign = Signal::Sign { channel: Channel::Sse, heartbeat: false, behind: 0, at: 1 };
            (0..times).for_each(|_| telemetry.seen(black_box(&sign)));
        }
        _ => panic!("not {mode}"),
    }
}

fn instructions(mode: &str) -> f64 {
    let count = |times: u64| -> f64 {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().expect("our own path"))
            .args([mode, &times.to_string()])
            .output()
            .expect("valgrind");
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().find(|line| line.contains("Collected")).unwrap_or_else(|| panic!("{text}"));
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a count")
    };
    (count(3000) - count(1000)) / 2000.0
}

/// Nanoseconds, the 10th percentile of rounds.
fn nanoseconds(mode: &str) -> f64 {
    let mut rounds: Vec<f64> = (0..40)
        .map(|_| {
            let start = Instant::now();
            run(mode, 2000);
            start.elapsed().as_nanos() as f64 / 2000.0
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[4]
}

/// A registry with the most series of every metric that can have many.
fn full() -> Telemetry {
    let telemetry = Telemetry::builder().codes((0..1000).map(|n| format!("code_{n}"))).build();
    let door = telemetry.door();
    for n in 0..1100 {
        let problem = ProblemDetails::new(Status::new(503).expect("a status"), Code::parse(format!("code_{n}")).expect("a code"));
        let scope = Scope::open(&door, Facts::new("rest").with_trace_parent(TRACE));
        scope.pass(Occurrence::new(problem), "rest");
        let action = format!("action_{n}");
        telemetry.seen(&Signal::Healing { action: &action, outcome: None, attempt: None, trace: None, at: 0 });
    }
    // What real programs have of the rest: some dozens of routes, methods and nodes.
    for n in 0..50 {
        telemetry.action(&format!("method_{n}"), "ok", std::time::Duration::ZERO, None);
        telemetry.questions().node(&format!("node_{n}"), std::time::Duration::ZERO, None);
    }
    telemetry
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, times] = &arguments[..] {
        return run(mode, times.parse().expect("a number"));
    }
    println!("| | instructions | ns |\n| --- | ---: | ---: |");
    let mut measured = Vec::new();
    for mode in ["problem off", "problem on", "event off", "event on", "sign"] {
        let (count, ns) = (instructions(mode), nanoseconds(mode));
        println!("| {mode} | {count:.0} | {ns:.0} |");
        measured.push(ns);
    }
    let full = full();
    let mut times: Vec<f64> = (0..50)
        .map(|_| {
            let start = Instant::now();
            black_box(full.prometheus());
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let text = full.prometheus();
    println!("\nscrape of {} series, {} KiB: {:.2} ms (median), {:.2} ms (worst of 50)", text.lines().filter(|line| !line.starts_with('#')).count(), text.len() / 1024, times[25], times[49]);
    let verdict = |held: bool| if held { "held" } else { "BROKEN" };
    println!("promise: at most 1 µs per problem: {:.0} ns, {}", measured[1] - measured[0], verdict(measured[1] - measured[0] <= 1000.0));
    println!("promise: a scrape within 5 ms: {}", verdict(times[25] <= 5.0));
}
