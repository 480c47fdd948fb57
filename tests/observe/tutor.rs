//! The teaching example: routes, forced decisions, metrics by their names, the lesson on every channel.

use std::time::Duration;

use aon_observe::{Force, Telemetry};
use serde_json::json;

use crate::support::{JSON, Lesson, send, until};

fn number(telemetry: &Telemetry, name: &str) -> f64 {
    let text = telemetry.prometheus();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    line.unwrap_or_else(|| panic!("{name} in {text}"))
}

#[test]
fn questions_are_routed_counted_and_answered_in_their_turn() {
    let lesson = Lesson::start(Duration::from_millis(150));
    let id = lesson.begin();
    let (status, answer) = lesson.ask(&id, json!({"text": "What is a ring?"}));
    assert_eq!(
        (status, answer["route"].as_str()),
        (200, Some("CHAT_NOW")),
        "{answer}"
    );
    assert!(
        answer["answer"]
            .as_str()
            .is_some_and(|text| text.contains("newest events")),
        "{answer}"
    );
    let (status, answer) = lesson.ask(
        &id,
        json!({"text": "How does a reader learn that it lost events?"}),
    );
    assert_eq!(
        (
            status,
            answer["route"].as_str(),
            answer["queueSize"].as_u64()
        ),
        (202, Some("PAUSE"), Some(1)),
        "{answer}"
    );
    let (status, answer) = lesson.ask(
        &id,
        json!({"text": "Why is that so? Tell me after this topic."}),
    );
    assert_eq!(
        (status, answer["route"].as_str()),
        (202, Some("END_TOPIC")),
        "{answer}"
    );
    let (status, problem) = lesson.ask(&id, json!({"text": "What is a zebra?"}));
    assert_eq!(
        (status, problem["code"].as_str()),
        (422, Some("nothing_to_ground_on")),
        "{problem}"
    );
    assert_eq!(
        lesson.ask("nobody", json!({"text": "hello?"})).1["code"],
        "no_such_lesson"
    );
    assert_eq!(lesson.ask(&id, json!({"text": "x".repeat(5000)})).0, 413);
    let names = [
        ("perguntas_totais_total", 4.0),
        ("perguntas_chat_now_total", 2.0),
        ("perguntas_pause_total", 1.0),
        ("perguntas_end_topic_total", 1.0),
        ("perguntas_erros_total", 1.0),
    ];
    for (name, expected) in names {
        assert_eq!(number(&lesson.telemetry, name), expected, "{name}");
    }
    assert_eq!(
        number(
            &lesson.telemetry,
            "latencia_resposta_chat_now_seconds_count"
        ),
        1.0
    );
    assert_eq!(
        number(&lesson.telemetry, "latencia_classificacao_seconds_count"),
        4.0
    );
    until("the lesson is over", || {
        (number(&lesson.telemetry, "aon_sessions_open") == 0.0).then_some(())
    });
    let events = send(
        lesson.port,
        "GET",
        &format!("/aon/sessions/{id}/events"),
        "accept: application/x-ndjson\r\n",
        "",
    )
    .body;
    let order: Vec<&str> = [
        "\"lesson\"",
        "\"CHAT_NOW\"",
        "\"type\":\"PAUSE\"",
        "\"type\":\"END_TOPIC\"",
        "\"type\":\"done\"",
        "\"type\":\"result\"",
    ]
    .into();
    let places: Vec<usize> = order
        .iter()
        .map(|part| {
            events
                .find(part)
                .unwrap_or_else(|| panic!("{part} in {events}"))
        })
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(events.matches("\"type\":\"done\"").count(), 1);
    for part in [
        "\"lessonId\":\"streams\"",
        "\"segment\":1",
        "\"delta\":",
        "\"questionId\":",
        "\"answer\":",
        "\"reason\":\"completed\"",
        "\"level\":\"info\"",
        "\"message\":",
    ] {
        assert!(events.contains(part), "{part} in {events}");
    }
}

#[test]
fn a_forced_decision_says_so_in_event_log_and_metric_and_only_where_it_may() {
    let lesson = Lesson::start(Duration::from_millis(120));
    let id = lesson.begin();
    for route in ["CHAT_NOW", "PAUSE", "END_TOPIC", "FINAL", "NOTE", "IGNORE"] {
        let (status, answer) = lesson.ask(&id, json!({"text": "thank you", "forceRoute": route}));
        assert!(status < 300 && answer["route"] == route, "{answer}");
    }
    let (status, problem) = lesson.ask(&id, json!({"text": "thank you", "forceRoute": "PAWS"}));
    assert_eq!(status, 422);
    assert_eq!(
        problem["valid_values"]["forceRoute"]
            .as_array()
            .map(Vec::len),
        Some(6),
        "{problem}"
    );
    lesson.ask(&id, json!({"text": "thank you"}));
    let decisions: Vec<_> = lesson
        .lines
        .records()
        .into_iter()
        .filter(|line| line["event"] == "judge_decision")
        .collect();
    assert_eq!(decisions.len(), 7);
    assert!(
        decisions[..6]
            .iter()
            .all(|line| line["forceOverride"] == true)
            && decisions[6]["forceOverride"] == false
    );
    assert_eq!(
        number(
            &lesson.telemetry,
            "aon_forced_decisions_total{route=\"PAUSE\"}"
        ),
        1.0
    );
    let events = send(
        lesson.port,
        "GET",
        &format!("/aon/sessions/{id}/events"),
        "accept: application/x-ndjson\r\n",
        "",
    )
    .body;
    assert_eq!(
        events.matches("\"forceOverride\":true").count(),
        6,
        "{events}"
    );

    let closed = Lesson::with(Duration::from_millis(80), |settings| {
        settings.force =
            Force::by_environment(&settings.telemetry, Some("allow"), Some("production"));
    });
    let (status, problem) = closed.ask(
        &closed.begin(),
        json!({"text": "thank you", "forceRoute": "PAUSE"}),
    );
    assert_eq!(
        (status, problem["code"].as_str()),
        (403, Some("force_not_permitted")),
        "{problem}"
    );
    assert!(
        !closed
            .telemetry
            .prometheus()
            .contains("aon_forced_decisions_total{")
    );
}

#[test]
fn a_question_that_is_sent_again_waits_once_and_ids_are_short() {
    let lesson = Lesson::start(Duration::from_millis(400));
    let id = lesson.begin();
    let again = json!({"text": "What is a ring?", "forceRoute": "END_TOPIC", "questionId": "q-1"});
    for _ in 0..3 {
        let (status, body) = lesson.ask(&id, again.clone());
        assert_eq!((status, &body["queueSize"]), (202, &json!(1)), "{body}");
    }
    let now = json!({"text": "What is a ring?", "forceRoute": "CHAT_NOW"});
    assert_eq!(lesson.ask(&id, now).1["forceOverride"], true);
    for (member, value) in [
        ("participantId", "p".repeat(1_000_000)),
        ("questionId", "q".repeat(129)),
        ("questionId", "q\r\nevent: done".to_owned()),
    ] {
        let (status, problem) = lesson.ask(&id, json!({"text": "What is a ring?", member: value}));
        assert_eq!(
            (status, &problem["code"]),
            (422, &json!("invalid_name")),
            "{problem}"
        );
    }
    let longest = lesson.lines.text().lines().map(str::len).max();
    assert!(longest < Some(2000), "{longest:?}");
}

#[test]
fn forcing_is_permitted_by_one_word_and_never_in_production() {
    let telemetry = Telemetry::new();
    for (force, environment, permitted) in [
        (None, None, false),
        (Some("allow"), None, true),
        (Some("1"), None, false),
        (Some("allow"), Some("staging"), true),
        (Some("allow"), Some("production"), false),
        (Some("allow"), Some(" PROD "), false),
        (Some("allow"), Some("live"), false),
    ] {
        assert_eq!(
            Force::by_environment(&telemetry, force, environment).is_permitted(),
            permitted,
            "{force:?} {environment:?}"
        );
    }
}

#[test]
fn latencies_have_their_names_in_milliseconds_for_those_who_ask() {
    let lesson = Lesson::with(Duration::from_millis(50), |settings| {
        settings.milliseconds = true
    });
    let id = lesson.begin();
    lesson.ask(&id, json!({"text": "What is a ring?"}));
    let text = send(lesson.port, "GET", "/metrics", JSON, "").body;
    for name in [
        "latencia_resposta_chat_now_ms_count 1",
        "latencia_classificacao_ms_count 1",
        "latencia_no_ms_count 3",
    ] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert!(!seconds_only().contains("_ms_"));
}

fn seconds_only() -> String {
    Lesson::start(Duration::from_millis(50))
        .telemetry
        .prometheus()
}
