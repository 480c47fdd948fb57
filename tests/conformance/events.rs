//! Events on MCP: what is projected comes back, the table says what becomes of each field, and the book has the table (L13).

use std::collections::BTreeSet;
use std::fs;

use aon_live::Event;
use aon_live::surface::mcp::{FIELDS, LOSSES, Level, Notification, Projection};
use aon_tests::{place, strategy};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One event of each type, with all its members.
fn samples() -> Vec<Value> {
    let bodies = [
        json!({"type": "session", "version": 1, "durability": "memory", "sse_url": "/s/events", "ws_url": "/s/ws", "patch_url": "/s/healing", "state_url": "/s", "expires_at": 9, "heartbeat_ms": 15000}),
        json!({"type": "status", "message": "working", "estimated_delay_ms": 200, "phase": "processing", "progress": 0.5, "dropped": 2, "last_seq": 4, "durability": "memory"}),
        json!({"type": "intent_analysis", "original_intent": "create_user", "detected_issue": "invalid_schema", "decision": "map"}),
        json!({"type": "healing", "severity": "high", "action": "refresh", "description": "It had expired.", "metadata": {"attempt": 1}}),
        json!({"type": "interactive_healing_request", "request_id": "r1", "step": "store", "attempt": 1, "round": 1, "error": {"code": "x", "message": "y"}, "problem": {"status": 422}, "allowedPatchPaths": ["/a"], "removablePaths": ["/b"], "snapshot": {"a": 1}, "current": {"/a": 1}, "expires_at": 9, "expires_in_ms": 8, "patch_url": "/p", "base_hash": "h", "max_operations": 64, "answers": ["patch"]}),
        json!({"type": "interactive_healing_result", "request_id": "r1", "outcome": "accepted", "paths": ["/a"]}),
        json!({"type": "gap", "requested": "1-2", "oldest": 5, "newest": 9, "reason": "evicted"}),
        json!({"type": "lesson", "data": {"message": "well done", "level": "debug", "n": 1}}),
        json!({"type": "result", "status": 200, "data": 7}),
        json!({"type": "error", "status": 409, "code": "taken", "message": "no", "problem": {"status": 409, "code": "taken"}}),
        json!({"type": "heartbeat", "ts": 1, "uptimeMs": 2}),
        json!({"type": "replay_complete", "last_seq": 3}),
    ];
    let envelope = json!({"id": "0000000a-7", "seq": 7, "timestamp": 1_715_432_000, "ts_ms": 1_715_432_000_250_u64, "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "session_id": "0123456789abcdef0123456789abcdef"});
    let whole = |mut body: Value| {
        let members = body.as_object_mut().expect("an object");
        members.extend(envelope.as_object().expect("an object").clone());
        body
    };
    bodies.into_iter().map(whole).collect()
}

fn read(event: &Value) -> Event {
    Event::from_slice(event.to_string().as_bytes()).expect("an event")
}

fn listening() -> Projection {
    Projection::new()
        .with_token(json!("t"))
        .with_level(Level::Debug)
}

#[test]
fn every_event_comes_back_or_is_declared_as_lost() {
    let mut back = 0;
    for sample in samples() {
        let event = read(&sample);
        let told = listening().project(&event);
        let lost = LOSSES.iter().any(|(kind, _)| *kind == event.kind());
        assert_eq!(told.is_empty(), lost, "{sample}");
        for notification in told {
            let recovered = Notification::recover(&notification.params()).expect("an event in it");
            let recovered: Value = serde_json::from_slice(&recovered.to_vec()).expect("JSON");
            assert_eq!(recovered, sample, "{}", notification.method());
            back += 1;
        }
    }
    assert!(back > 0);
    place::say(&format!(
        "count: events on MCP, {back} notifications there and back, {} types without one",
        LOSSES.len()
    ));
}

#[test]
fn the_table_names_every_field_and_nothing_else() {
    let row = |kind: &str| -> BTreeSet<String> {
        let rows = FIELDS
            .iter()
            .filter(|(of, _, _)| *of == kind || *of == "every event");
        let names = rows.flat_map(|(_, fields, _)| fields.split(", "));
        names
            .map(|name| name.split('.').next().unwrap_or(name).to_owned())
            .collect()
    };
    let mut checked = 0;
    for sample in samples() {
        let kind = sample["type"].as_str().expect("a type");
        if LOSSES.iter().any(|(lost, _)| *lost == kind) {
            continue;
        }
        let of = if kind == "lesson" {
            "an event of your own"
        } else {
            kind
        };
        let named = row(of);
        let members: BTreeSet<String> = sample
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect();
        let missing: Vec<_> = members.difference(&named).collect();
        assert!(
            missing.is_empty(),
            "{kind}: {missing:?} are not in the table"
        );
        let more: Vec<_> = named
            .difference(&members)
            .filter(|name| *name != "everything else")
            .collect();
        assert!(
            more.is_empty(),
            "{kind}: {more:?} are in the table, and in no event"
        );
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn the_book_has_the_table() {
    let page = fs::read_to_string(place::root().join("docs/glass-box.md")).expect("the page");
    for (kind, field, becomes) in FIELDS {
        let row = format!("| {kind} | {field} | {becomes} |");
        assert!(
            page.contains(&row),
            "docs/glass-box.md does not have this row:\n{row}"
        );
    }
    for (kind, why) in LOSSES {
        let row = format!("| {kind} | {why} |");
        assert!(
            page.contains(&row),
            "docs/glass-box.md does not have this row:\n{row}"
        );
    }
}

#[test]
fn who_asks_for_nothing_gets_nothing_and_levels_are_kept() {
    for sample in samples() {
        let event = read(&sample);
        assert_eq!(Projection::new().project(&event), []);
        let mut serious = Projection::new().with_level(Level::Warning);
        for told in serious.project(&event) {
            let Notification::Message(message) = told else {
                panic!("no token, and yet progress: {sample}");
            };
            assert!(message.level >= Level::Warning, "{sample}");
        }
    }
}

proptest! {
    #[test]
    fn progress_grows_whatever_is_said(said in proptest::collection::vec(proptest::option::of(0.0..=1.0_f64), 1..200)) {
        let mut projection = listening();
        let mut last = None;
        for progress in said {
            let mut event = json!({"type": "status", "message": "m"});
            if let Some(progress) = progress {
                event["progress"] = json!(progress);
            }
            for told in projection.project(&read(&event)) {
                let Notification::Progress(told) = told else { continue };
                prop_assert!(last.is_none_or(|last| told.progress > last));
                prop_assert!(told.total.is_none_or(|total| told.progress <= total));
                last = Some(told.progress);
            }
        }
    }

    #[test]
    fn any_event_comes_back(kind in "[a-z]{1,8}", data in strategy::value()) {
        let event = read(&json!({"type": kind, "seq": 1, "ts_ms": 5, "data": data}));
        let wanted = event.to_vec();
        for told in listening().project(&event) {
            let recovered = Notification::recover(&told.params()).expect("an event");
            let (recovered, wanted): (Value, Value) = (serde_json::from_slice(&recovered.to_vec()).expect("JSON"), serde_json::from_slice(&wanted).expect("JSON"));
            prop_assert_eq!(recovered, wanted);
        }
    }

    #[test]
    fn arbitrary_parameters_never_panic(params in strategy::value()) {
        let _ = Notification::recover(&params);
    }
}
