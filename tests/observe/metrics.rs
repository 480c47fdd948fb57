//! What `/metrics` says, in both formats, and that it cannot be made to grow.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::{Code, ProblemDetails, Status};
use aon_live::Severity;
use aon_live::observer::{Channel, Observer as _, Signal};
use aon_observe::Telemetry;
use aon_observe::names::{Kind, METRICS};
use aon_tests::place;

use crate::support::{JSON, Lesson, Program, TRACE, program, run, send};

/// Lets a problem of this code pass a door that reports.
fn pass(door: &Door, code: &str, status: u16, surface: &'static str) {
    let facts = Facts::new("rest").with_trace_parent(format!("00-{TRACE}-00f067aa0ba902b7-01"));
    let scope = Scope::open(door, facts);
    let code = Code::parse(code.to_owned()).expect("a code");
    let status = Status::new(status).expect("a status");
    scope.pass(Occurrence::new(ProblemDetails::new(status, code)), surface);
}

/// A telemetry that has seen one of everything.
fn seen_everything() -> Telemetry {
    let telemetry = Telemetry::builder().codes(["late"]).build();
    pass(&telemetry.door(), "late", 503, "rest");
    telemetry.action("command.exec", "ok", Duration::from_millis(3), Some(TRACE));
    telemetry.seen(&Signal::Gap {
        channel: Channel::Sse,
        reason: aon_live::event::GapReason::Evicted,
    });
    telemetry.seen(&Signal::Healing {
        action: "refresh_token",
        outcome: Some("failed"),
        attempt: Some(1),
        trace: None,
        at: 1,
    });
    telemetry.seen(&Signal::StepEnded {
        step: "charge",
        attempts: 2,
        success: false,
        trace: None,
        started: 1000,
        at: 2000,
    });
    telemetry.seen(&Signal::HumanAsked {
        request: "r",
        step: None,
        trace: None,
        at: 1000,
    });
    telemetry.seen(&Signal::HumanAnswered {
        request: "r",
        outcome: "accepted",
        trace: None,
        at: 3000,
    });
    let scope = Scope::open(&telemetry.door(), Facts::new("a2a"));
    scope.begin_call("SendMessage", "").end(None);
    telemetry
}

#[test]
fn the_table_of_the_documentation_is_what_the_registry_holds() {
    let lesson = Lesson::start(Duration::from_millis(20));
    let id = lesson.begin();
    lesson.ask(
        &id,
        serde_json::json!({"text": "What is a ring?", "forceRoute": "CHAT_NOW"}),
    );
    lesson.lines.records();
    let said = seen_everything().prometheus() + &lesson.telemetry.prometheus();
    let typed: BTreeSet<(String, &str)> = said
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
        .map(|(name, kind)| (name.to_owned(), kind))
        .collect();
    // Nothing was dropped from the log, so that one has no series.
    let expected: BTreeSet<(String, &str)> = METRICS
        .iter()
        .filter(|metric| metric.name != "aon_log_dropped")
        .map(|metric| (metric.wire_name(), metric.kind.as_str()))
        .collect();
    assert_eq!(typed, expected);
    for metric in METRICS {
        assert!(
            metric.labels.len() <= 4 && !metric.help.ends_with('.'),
            "{metric:?}"
        );
    }
    assert!(
        METRICS
            .iter()
            .filter(|metric| metric.kind == Kind::Histogram)
            .count()
            >= 8
    );
    place::say(&format!(
        "count: observe {} metrics in the table",
        METRICS.len()
    ));
}

#[test]
fn promtool_finds_nothing_to_say_about_the_demo_and_the_example() {
    let suite = "metrics under promtool";
    let Some(promtool) = program(suite, "promtool") else {
        return;
    };
    let demo = Program::demo(&["--ring", "8"]);
    send(demo.port, "GET", "/nowhere", "", "");
    send(
        demo.port,
        "POST",
        "/live/users",
        &format!("{JSON}accept: application/x-ndjson\r\n"),
        r#"{"user_name":"ann","role":"king"}"#,
    );
    let lesson = Lesson::start(Duration::from_millis(50));
    lesson.ask(
        &lesson.begin(),
        serde_json::json!({"text": "What is a ring?"}),
    );
    for (name, text) in [
        ("demo", send(demo.port, "GET", "/metrics", "", "").body),
        ("tutor", send(lesson.port, "GET", "/metrics", "", "").body),
        ("everything", seen_everything().prometheus()),
    ] {
        assert!(text.lines().count() > 100, "{name}: {text}");
        let (fine, said) = run(Command::new(&promtool).args(["check", "metrics"]), &text);
        assert!(fine && said.trim().is_empty(), "{name}: {said}");
    }
    place::say("count: observe 3 expositions under promtool");
}

#[test]
fn open_metrics_is_read_by_the_official_parser_and_has_exemplars() {
    let suite = "OpenMetrics in Python";
    let Some(tools) = place::tools(suite, "venv/bin/python") else {
        return;
    };
    let demo = Program::demo(&[]);
    let trace = format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n");
    send(demo.port, "GET", "/nowhere", &trace, "");
    let wanted = "accept: application/openmetrics-text; version=1.0.0\r\n";
    let open = send(demo.port, "GET", "/metrics", wanted, "");
    assert!(
        open.head
            .contains("content-type: application/openmetrics-text; version=1.0.0"),
        "{}",
        open.head
    );
    assert!(
        open.body.trim_end().ends_with("# EOF")
            && open.body.contains(&format!("trace_id=\"{TRACE}\""))
    );
    let older = send(demo.port, "GET", "/metrics", "", "");
    assert!(
        older
            .head
            .contains("content-type: text/plain; version=0.0.4")
    );
    assert!(!older.body.contains("trace_id") && !older.body.contains("# EOF"));
    let script = "import sys\ntry:\n    from prometheus_client.openmetrics.parser import text_string_to_metric_families as read\nexcept ImportError:\n    print('absent'); sys.exit()\n\
        found = list(read(sys.stdin.read()))\nmarked = sum(1 for f in found for s in f.samples if s.exemplar)\nprint(len(found), marked)";
    let (fine, said) = run(
        Command::new(tools.join("venv/bin/python")).args(["-c", script]),
        &open.body,
    );
    if said.trim() == "absent" {
        return place::say(&format!(
            "skipped: {suite}, the Python package prometheus-client is not there; .ci/tools installs it"
        ));
    }
    assert!(fine, "{said}");
    let numbers: Vec<usize> = said
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    assert!(numbers[0] > 20 && numbers[1] >= 2, "{said}");
    place::say(&format!(
        "count: observe {} families in OpenMetrics, {} exemplars",
        numbers[0], numbers[1]
    ));
}

#[test]
fn an_exemplar_points_at_a_trace_or_is_not_there() {
    let demo = Program::demo(&[]);
    let none = "0".repeat(32);
    for parent in [
        format!("00-{none}-0000000000000000-01"),
        format!("ff-{TRACE}-00f067aa0ba902b7-01"),
        format!("00-{TRACE}"),
        "00-\"}} 1 # EOF-00f067aa0ba902b7-01".to_owned(),
        format!("00:{TRACE}-00f067aa0ba902b7-01"),
    ] {
        let header = format!("traceparent: {parent}\r\n");
        assert_eq!(send(demo.port, "GET", "/nowhere", &header, "").status, 404);
    }
    // Media types are written as one likes, and a weight of nothing in any length.
    let wanted = "accept: Application/OpenMetrics-Text; version=1.0.0\r\n";
    let open = send(demo.port, "GET", "/metrics", wanted, "").body;
    assert!(
        open.ends_with("# EOF\n") && !open.contains("trace_id"),
        "{open}"
    );
    let unwanted = "accept: application/openmetrics-text; q=0.000, text/plain\r\n";
    let older = send(demo.port, "GET", "/metrics", unwanted, "").body;
    assert!(!older.contains("# EOF"));
}

#[test]
fn the_names_in_milliseconds_are_there_once_however_many_ask() {
    let telemetry = Telemetry::new();
    telemetry
        .questions()
        .answered(Duration::from_millis(9), None);
    for _ in 0..3 {
        let questions = telemetry.questions().with_milliseconds();
        questions.answered(Duration::from_millis(9), Some(TRACE));
    }
    let said = telemetry.prometheus();
    assert_eq!(
        said.matches("# TYPE latencia_resposta_chat_now_ms ")
            .count(),
        1
    );
    assert!(
        said.contains("latencia_resposta_chat_now_ms_count 3\n"),
        "{said}"
    );
    assert!(said.contains("latencia_resposta_chat_now_seconds_count 4\n"));
}

#[test]
fn whoever_invents_labels_gets_no_more_series_and_nothing_is_lost() {
    const EACH: u32 = 4000;
    let telemetry = Telemetry::builder()
        .series(200)
        .codes((0..500).map(|n| format!("known_{n}")))
        .build();
    let before = telemetry.prometheus().lines().count();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let telemetry = telemetry.clone();
            scope.spawn(move || {
                let door = telemetry.door();
                for n in 0..EACH {
                    let code = format!("made_up_{thread}_{n}");
                    pass(
                        &door,
                        if n % 2 == 0 { &code } else { "known_7" },
                        400 + u16::try_from(n % 200).unwrap(),
                        "rest",
                    );
                    pass(
                        &door,
                        &format!("known_{}", n % 500),
                        400 + u16::try_from(n % 200).unwrap(),
                        "stream",
                    );
                    telemetry.seen(&Signal::Healing {
                        action: &code,
                        outcome: Some(&code),
                        attempt: None,
                        trace: None,
                        at: 0,
                    });
                    telemetry.seen(&Signal::Published { kind: &code });
                    telemetry.action(
                        &format!("{code}\n\"}} 1"),
                        &code,
                        Duration::ZERO,
                        Some("not a trace \"}"),
                    );
                    telemetry.questions().node(&code, Duration::ZERO, None);
                }
            });
        }
    });
    let text = telemetry.prometheus();
    let series = |name: &str| {
        text.lines()
            .filter(|line| line.starts_with(&format!("{name}{{")))
            .count()
    };
    let total = |name: &str| -> f64 {
        let of_it = text
            .lines()
            .filter(|line| line.starts_with(&format!("{name}{{")));
        of_it
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    };
    for name in [
        "aon_problems_total",
        "aon_healings_total",
        "aon_actions_total",
        "latencia_no_seconds_count",
    ] {
        assert!(series(name) <= 201, "{name}: {}", series(name));
        assert!(series(name) > 1, "{name}");
    }
    assert_eq!(
        series("aon_events_total"),
        aon_live::event::RESERVED.len() + 1,
        "types of the protocol, and one for the rest"
    );
    assert_eq!(
        total("aon_problems_total"),
        f64::from(8 * EACH),
        "every problem was counted"
    );
    assert_eq!(total("aon_healings_total"), f64::from(4 * EACH));
    assert!(
        text.lines().count() < before + 201 * 40,
        "{} lines",
        text.lines().count()
    );
    assert!(!text.contains("not a trace") && !text.contains("made_up_1_4\\n"));
    let started = std::time::Instant::now();
    let size = telemetry.open_metrics().len();
    place::say(&format!(
        "count: observe {} series attacked, {size} bytes in {:?} (not optimised)",
        4 * EACH,
        started.elapsed()
    ));
    let refused: f64 = text
        .lines()
        .find_map(|line| line.strip_prefix("aon_series_refused_total ")?.parse().ok())
        .unwrap();
    assert!(refused > 1000.0, "{refused}");
}

#[tokio::test]
async fn one_line_around_a_router_measures_what_it_answers_and_what_it_refuses() {
    use tower::ServiceExt as _;

    let telemetry = Telemetry::new();
    let app = axum::Router::new()
        .route("/report/{id}", axum::routing::get(async || "1"))
        .route(
            "/take",
            axum::routing::post(async |aon::axum::Json(_): aon::axum::Json<u8>| "1"),
        );
    let app = telemetry.around(app);
    for (method, path, status) in [
        ("GET", "/report/7", 200),
        ("PUT", "/report/7", 405),
        ("POST", "/take", 415),
        ("GET", "/no\"where", 404),
    ] {
        let request = http::Request::builder()
            .method(method)
            .uri(path.replace('"', "%22"))
            .body(axum::body::Body::empty())
            .unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{method} {path}");
    }
    let request = http::Request::get("/metrics")
        .body(axum::body::Body::empty())
        .unwrap();
    let response = app.oneshot(request).await.unwrap();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await;
    let text = String::from_utf8(bytes.unwrap().to_vec()).unwrap();
    for line in [
        r#"aon_problems_total{code="method_not_allowed",surface="rest",status="405"} 1"#,
        r#"aon_problems_total{code="unsupported_media_type",surface="rest",status="415"} 1"#,
        r#"aon_problems_total{code="unknown_operation",surface="rest",status="404"} 1"#,
        r#"route="/report/{id}",status="2xx",mode="plain"} 1"#,
        r#"route="unmatched",status="4xx",mode="plain"} 1"#,
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn a_black_box_is_measured_too() {
    use aon_live::{GlassBox, Hub, Session, Settings};
    use tower::ServiceExt as _;

    let telemetry = Telemetry::new();
    let hub = Hub::with(Settings::new().observe(telemetry.clone()));
    let work = async |session: Session| {
        session
            .healing(Severity::Low, "rename_member")
            .metadata("outcome", "succeeded");
        "1"
    };
    let app: axum::Router = axum::Router::new()
        .route("/work/{id}", axum::routing::get(work))
        .layer(GlassBox::new(&hub))
        .layer(telemetry.layer());
    let request = http::Request::get("/work/7")
        .body(axum::body::Body::empty())
        .unwrap();
    assert_eq!(app.oneshot(request).await.unwrap().status(), 200);
    let text = telemetry.prometheus();
    for line in [
        "aon_healings_total{action=\"rename_member\",outcome=\"succeeded\"} 1",
        "aon_http_request_duration_seconds_count{method=\"GET\",route=\"/work/{id}\",status=\"2xx\",mode=\"black-box\"} 1",
        "aon_sessions_started_total 0",
        "aon_gaps_total{channel=\"sse\",reason=\"evicted\"} 0",
        "aon_heartbeat_interval_seconds 15.0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
