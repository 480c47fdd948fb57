//! Spans, received by a real collector over HTTP and gRPC.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon::door::{Facts, Occurrence, Scope};
use aon_live::heal::{Ask, Backoff};
use aon_live::{GlassBox, Hub, Session, Settings};
use aon_observe::{Telemetry, Transport};
use aon_tests::place;
use axum::routing::{get, post};

use crate::support::{JSON, TRACE, send, until};

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("the warehouse is late")]
#[problem(status = 503, code = "late_warehouse")]
struct Late;

/// The collector, ended with this value.
pub(super) struct Collector {
    child: Child,
    log: std::path::PathBuf,
    grpc: u16,
    pub(super) http: u16,
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ended = (self.child.kill(), self.child.wait());
        let _gone = fs::remove_file(&self.log);
    }
}

impl Collector {
    pub(super) fn start(suite: &str, name: &str) -> Option<Self> {
        let tools = place::tools(suite, "venv/bin/python")?;
        let script = "import importlib.util as u; s = u.find_spec('rotel'); print(s.submodule_search_locations[0] if s else '')";
        let found = Command::new(tools.join("venv/bin/python"))
            .args(["-c", script])
            .output()
            .expect("python runs");
        let agent = std::path::PathBuf::from(String::from_utf8_lossy(&found.stdout).trim())
            .join("rotel-agent");
        if !agent.is_file() {
            place::say(&format!(
                "skipped: {suite}, the Python package rotel is not there; .ci/tools installs it"
            ));
            return None;
        }
        let port = || {
            TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port()
        };
        let (grpc, http) = (port(), port());
        let log = std::env::temp_dir().join(format!("aon-rotel-{name}-{}", std::process::id()));
        let out = fs::File::create(&log).unwrap();
        let child = Command::new(agent)
            .args([
                "start",
                "--exporter",
                "blackhole",
                "--debug-log",
                "traces",
                "--debug-log-verbosity",
                "detailed",
            ])
            .args([
                "--otlp-grpc-endpoint",
                &format!("127.0.0.1:{grpc}"),
                "--otlp-http-endpoint",
                &format!("127.0.0.1:{http}"),
            ])
            .stdout(Stdio::from(out))
            .stderr(Stdio::null())
            .spawn()
            .expect("the collector starts");
        let collector = Self {
            child,
            log,
            grpc,
            http,
        };
        until("the collector listens", || {
            std::net::TcpStream::connect(("127.0.0.1", grpc)).ok()
        });
        until("the collector listens", || {
            std::net::TcpStream::connect(("127.0.0.1", http)).ok()
        });
        Some(collector)
    }

    /// The spans so far: name, ids, status, attributes.
    pub(super) fn spans(&self) -> Vec<BTreeMap<String, String>> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let mut spans = Vec::new();
        for block in text.split("\nSpan #").skip(1) {
            let mut span = BTreeMap::new();
            for line in block.lines().skip(1) {
                if line.starts_with("ResourceSpans") || line.starts_with("ScopeSpans") {
                    break;
                }
                let line = line.trim().trim_start_matches("-> ");
                if let Some((name, value)) = line.split_once(": ") {
                    let value = value.trim();
                    let bare = value
                        .split_once('(')
                        .and_then(|(_, rest)| rest.strip_suffix(')'))
                        .unwrap_or(value);
                    span.insert(name.trim().to_owned(), bare.to_owned());
                }
            }
            spans.push(span);
        }
        spans
    }
}

/// A step that fails three times and then asks a person, who is not there.
async fn repaired(session: Session) -> Result<String, aon::Failure> {
    let waits = Duration::from_millis(5);
    session
        .step("charge", serde_json::json!({"n": 1}))
        .heal(Backoff::attempts(2).waits(waits, waits))
        .ask(Ask::about(["/n"]).within(Duration::from_millis(80)))
        .run(async |_: serde_json::Value, _| Err::<String, _>(Late))
        .await
}

fn spans_reach_the_collector(transport: Transport, name: &str) {
    let suite = "spans at a collector";
    let Some(collector) = Collector::start(suite, name) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let telemetry = Telemetry::builder().codes(["late_warehouse"]).build();
    let endpoint = match transport {
        Transport::Http => format!("http://127.0.0.1:{}/v1/traces", collector.http),
        _ => format!("http://127.0.0.1:{}", collector.grpc),
    };
    {
        let _inside = runtime.enter();
        assert!(
            telemetry
                .trace_to(transport, &endpoint, "aon-tests")
                .expect("an exporter")
        );
        assert!(
            !telemetry
                .trace_to(transport, &endpoint, "again")
                .expect("an exporter"),
            "the first one counts"
        );
    }
    let hub = Hub::with(Settings::new().observe(telemetry.clone()));
    let door = telemetry.door();
    let app = axum::Router::new()
        .route("/work", post(repaired))
        .layer(GlassBox::new(&hub))
        .route("/fails/{id}", get(async || Late))
        .route("/fine", get(async || "1"))
        .merge(hub.routes())
        .layer(telemetry.layer());
    let app = ProblemLayer::new().with_door(door.clone()).wrap(app);
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let port = listener.local_addr().unwrap().port();
    runtime.spawn(async move { axum::serve(listener, app).await });
    let parent = format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n");
    let other = "0af7651916cd43dd8448eb211c80319c";
    let events = send(
        port,
        "POST",
        "/work",
        &format!("{JSON}accept: application/x-ndjson\r\n{parent}"),
        "",
    )
    .body;
    assert_eq!(
        events.matches(&format!("\"trace_id\":\"{TRACE}\"")).count(),
        events
            .lines()
            .filter(|line| line.contains("\"seq\""))
            .count(),
        "{events}"
    );
    assert_eq!(
        send(
            port,
            "GET",
            "/fails/7",
            &format!("traceparent: 00-{other}-00f067aa0ba902b7-01\r\n"),
            ""
        )
        .status,
        503
    );
    assert_eq!(send(port, "GET", "/fine", "", "").status, 200);
    // An agent, and a message that was refused before it was a call, as their hooks tell.
    telemetry.action(
        "command.exec",
        "timed_out",
        Duration::from_millis(20),
        Some(TRACE),
    );
    let scope = Scope::open(
        &door,
        Facts::new("mcp").with_trace_parent(format!("00-{TRACE}-00f067aa0ba902b7-01")),
    );
    scope.pass(Occurrence::of(&Late), "mcp");
    assert!(telemetry.flush_traces());
    let wanted = [
        "POST /work",
        "session",
        "step charge",
        "attempt charge",
        "GET /fails/{id}",
        "GET /fine",
        "human wait",
        "command.exec",
        "message",
    ];
    let spans = until("every span", || {
        let spans = collector.spans();
        wanted
            .iter()
            .all(|name| spans.iter().any(|span| span["Name"] == *name))
            .then_some(spans)
    });
    let named = |name: &str| {
        spans
            .iter()
            .filter(|span| span["Name"] == name)
            .collect::<Vec<_>>()
    };
    let one = |name: &str| *named(name).first().unwrap();
    let request = one("POST /work");
    assert_eq!(
        (&*request["Trace ID"], &*request["Parent ID"]),
        (TRACE, "00f067aa0ba902b7"),
        "{request:?}"
    );
    assert_eq!(
        (&*request["http.request.method"], &*request["http.route"]),
        ("POST", "/work")
    );
    let session = one("session");
    assert_eq!(
        (&session["Trace ID"], &session["Parent ID"]),
        (&request["Trace ID"], &request["ID"]),
        "{session:?}"
    );
    assert_eq!(
        (&*session["error.type"], &*session["aon.problem.code"]),
        ("healing_timeout", "healing_timeout")
    );
    let step = one("step charge");
    assert_eq!(step["Parent ID"], session["ID"], "{step:?}");
    let attempts = named("attempt charge");
    assert_eq!(attempts.len(), 3, "the first, and two more: {attempts:?}");
    for attempt in attempts {
        assert_eq!(attempt["Parent ID"], step["ID"], "{attempt:?}");
        assert_eq!(attempt["error.type"], "late_warehouse");
    }
    assert!(
        spans
            .iter()
            .any(|span| span["Name"].starts_with("healing ") && span["Parent ID"] == step["ID"]),
        "{spans:?}"
    );
    let failed = one("GET /fails/{id}");
    assert_eq!(
        (
            &*failed["Trace ID"],
            &*failed["error.type"],
            &*failed["aon.problem.code"]
        ),
        (other, "503", "late_warehouse"),
        "{failed:?}"
    );
    assert!(
        failed["Status code"].contains("ERROR")
            && one("GET /fine")
                .get("Status code")
                .is_none_or(|code| !code.contains("ERROR"))
    );
    assert!(!one("GET /fine").contains_key("error.type"));
    let person = one("human wait");
    assert_eq!(
        (
            &*person["Trace ID"],
            &*person["aon.step"],
            &*person["aon.outcome"]
        ),
        (TRACE, "charge", "expired")
    );
    assert_eq!(
        (
            &*one("command.exec")["error.type"],
            &*one("command.exec")["Trace ID"]
        ),
        ("timed_out", TRACE)
    );
    assert_eq!(
        (
            &*one("message")["error.type"],
            &*one("message")["aon.problem.code"]
        ),
        ("tool_error", "late_warehouse")
    );
    place::say(&format!(
        "count: observe {} spans at a collector over {name}",
        spans.len()
    ));
}

#[test]
fn spans_reach_a_collector_over_http() {
    spans_reach_the_collector(Transport::Http, "http");
}

#[test]
fn spans_reach_a_collector_over_grpc() {
    spans_reach_the_collector(Transport::Grpc, "grpc");
}
