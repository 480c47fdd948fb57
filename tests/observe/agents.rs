//! What agents do and what goes wrong between them is in the metrics too.

use std::sync::Arc;
use std::time::Duration;

use aon::ProblemDetails;
use aon::axum::ProblemLayer;
use aon_agent::daemon::{ActionKind, Daemon};
use aon_agent::south::Acting;
use aon_agent::south::config::Config;
use aon_agent::south::exec::Launcher;
use aon_agent::south::http::{BySignature, KeyRing, router};
use aon_agent::south::keep::FileBook;
use aon_agent::south::ledger::Limits;
use aon_agent::worker::{Ask, Backend, Tokens};
use aon_live::{Hub, Settings};
use aon_observe::Telemetry;
use axum::body::Body;
use http::Request;
use tower::ServiceExt as _;

/// Says what it is asked to say.
#[derive(Debug)]
struct Parrot;

impl Backend for Parrot {
    fn name(&self) -> &str {
        "parrot"
    }

    fn generate(&self, ask: Ask) -> Tokens {
        Box::pin(futures_util::stream::iter([Ok(ask.prompt)]))
    }
}

/// A daemon without a worker, as the program sets it up.
fn daemon(telemetry: &Telemetry) -> axum::Router {
    let hub = Hub::with(Daemon::hub_settings().observe(telemetry.clone()));
    let acted = telemetry.clone();
    Daemon::new("/nowhere/worker.sock")
        .fallback(Arc::new(Parrot))
        .limits(|limits| limits.run = Duration::from_millis(1500))
        .on(ActionKind::Research, async |_, _| {
            Ok(serde_json::json!({"found": 1}))
        })
        .on(ActionKind::Shell, async |_, _| {
            let status = aon::Status::new(503).expect("a status");
            let code = aon::Code::parse("late").expect("a code");
            Err(ProblemDetails::new(status, code).into())
        })
        .on(ActionKind::UseTool, async |_, _| {
            std::future::pending().await
        })
        .on_acted(move |done| {
            acted.action(done.kind.as_str(), done.outcome, done.took, done.trace_id);
        })
        .routes_behind(&hub, ProblemLayer::new().with_door(telemetry.door()))
}

async fn say(app: &axum::Router, lines: &[&str]) -> String {
    let body = serde_json::json!({"prompt": lines.join("\n")});
    let request = Request::post("/agent/generate")
        .header("content-type", "application/json")
        .header("accept", "text/event-stream")
        .body(Body::from(body.to_string()))
        .expect("a request");
    let response = app.clone().oneshot(request).await.expect("an answer");
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await;
    String::from_utf8_lossy(&bytes.expect("a body")).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_of_the_daemon_are_counted_once_each_by_what_became_of_them() {
    let telemetry = Telemetry::new();
    let app = daemon(&telemetry);
    let (plan, research) = (r#"{"type":"plan","steps":[1]}"#, r#"{"type":"research"}"#);
    say(&app, &[plan, research, r#"{"type":"tool_spec"}"#]).await;
    say(&app, &[r#"{"type":"shell","command":"ls"}"#]).await;
    // The whole request ends before this one does.
    say(&app, &[r#"{"type":"use_tool","name":"x"}"#]).await;
    // A name that a model made up is not a label.
    let made_up = r#"{"type":"action","action":"dance\"}\n"}"#;
    say(&app, &[made_up, plan]).await;
    let said = telemetry.prometheus();
    let mut counted: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("aon_actions_total{"))
        .collect();
    counted.sort_unstable();
    assert_eq!(
        counted,
        [
            r#"aon_actions_total{method="plan",outcome="ok"} 2"#,
            r#"aon_actions_total{method="research",outcome="ok"} 1"#,
            r#"aon_actions_total{method="shell",outcome="late"} 1"#,
            r#"aon_actions_total{method="tool_spec",outcome="no_handler"} 1"#,
            r#"aon_actions_total{method="use_tool",outcome="abandoned"} 1"#,
        ],
        "{said}"
    );
    assert!(said.contains(r#"aon_action_duration_seconds_count{method="plan"} 2"#));
    assert!(!said.contains("dance"));
    let open = telemetry.open_metrics();
    let marked = |line: &&str| {
        line.starts_with("aon_action_duration_seconds_bucket") && line.contains("# {trace_id=\"")
    };
    assert!(open.lines().any(|line| marked(&line)), "{open}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_effect_is_counted_as_refused() {
    let telemetry = Telemetry::new();
    let hub = Hub::with(Daemon::hub_settings().observe(telemetry.clone()));
    let acted = telemetry.clone();
    let app = Daemon::new("/nowhere/worker.sock")
        .fallback(Arc::new(Parrot))
        .on_acted(move |done| {
            acted.action(done.kind.as_str(), done.outcome, done.took, done.trace_id);
        })
        .routes(&hub);
    let shell = r#"{"type":"shell","command":"ls"}"#;
    let events = say(&app, &[shell, shell]).await;
    assert!(events.contains("effect_limit"), "{events}");
    let said = telemetry.prometheus();
    for outcome in ["no_handler", "effect_limit"] {
        let series = format!(r#"aon_actions_total{{method="shell",outcome="{outcome}"}} 1"#);
        assert!(said.contains(&series), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn problems_of_southbound_have_a_surface_of_their_own() {
    let folder = std::env::temp_dir().join(format!("aon-observe-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let ledger = folder.join("ledger.redb");
    let config = format!(
        "[ledger]\npath = \"{}\"\n[http]\nlisten = \"127.0.0.1:0\"\nkeys = \"k\"\n[[agent]]\nid = \"ops-1\"\n",
        ledger.display()
    );
    let config = Config::parse(&config).expect("a configuration");
    let book = FileBook::open(&ledger, Limits::DEFAULT, 0).expect("a store");
    let telemetry = Telemetry::new();
    let hub = Hub::with(
        Settings::new()
            .identify(BySignature)
            .observe(telemetry.clone()),
    );
    let launcher = Launcher::new("/bin/false".into(), [""; 0]);
    let acting = Acting::new(&config, Arc::new(book), launcher, &hub, ())
        .expect("it acts")
        .with_door(telemetry.door());
    let app = router(&acting, &KeyRing::default());
    let paths = ["/southbound", "/southbound/actions/x", "/nowhere\"%0a"];
    for path in paths {
        let request = Request::post("/southbound")
            .uri(path.replace('"', "%22"))
            .body(Body::from("{}"))
            .expect("a request");
        let response = app.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 401, "{path}");
    }
    let said = telemetry.prometheus();
    let problems: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("aon_problems_total{"))
        .collect();
    assert_eq!(
        problems,
        [r#"aon_problems_total{code="signature_missing",surface="southbound",status="401"} 3"#]
    );
    std::fs::remove_dir_all(&folder).expect("it goes");
}
