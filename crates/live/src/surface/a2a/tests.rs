//! There and back, for every type of event and both versions: what comes back is what went in, but for `LOSSES`.

use serde_json::{Value, json};

use super::*;

/// One of each, and of those that differ inside.
fn events() -> Vec<Value> {
    let problem = json!({"type": "acme://problem/late", "title": "Late", "status": 503, "detail": "It is late.", "code": "late", "n": 1});
    vec![
        json!({"type": "session", "version": 1, "durability": "memory", "sse_url": "/s/events", "ws_url": "/s/ws", "patch_url": "/s/healing", "state_url": "/s", "expires_at": 5, "heartbeat_ms": 1000}),
        json!({"type": "intent_analysis", "original_intent": "create", "detected_issue": "old names", "decision": "rename"}),
        json!({"type": "healing", "severity": "medium", "action": "retry", "description": "again", "metadata": {"attempt": 2}}),
        json!({"type": "healing", "severity": "low", "action": "retry"}),
        json!({"type": "status", "message": "at it", "estimated_delay_ms": 20, "phase": "x", "progress": 0.5}),
        json!({"type": "interactive_healing_request", "request_id": "r", "step": "s", "attempt": 1, "round": 1, "error": {"code": "late", "message": "It is late"}, "problem": problem, "allowedPatchPaths": ["/a"], "snapshot": {"a": 1}, "current": {"/a": 1}, "expires_at": 9, "expires_in_ms": 100, "patch_url": "/s/healing/r", "base_hash": "h", "max_operations": 3, "answers": ["patch"]}),
        json!({"type": "interactive_healing_result", "request_id": "r", "outcome": "accepted", "paths": ["/a"]}),
        json!({"type": "gap", "requested": "x", "oldest": 3, "newest": 9, "reason": "evicted"}),
        json!({"type": "lesson", "data": {"lessonId": "l1", "deep": [1, {"a": null}]}}),
        json!({"type": "artifact", "data": {"artifact": {"artifactId": "a", "name": "A", "parts": [{"text": "x"}, {"data": {"k": [1]}}, {"raw": "AAE=", "filename": "f", "mediaType": "image/png"}, {"url": "https://x/y"}]}, "append": true, "last_chunk": false}}),
        json!({"type": "result", "status": 201, "data": {"a": [1, 2.5, "x"]}}),
        json!({"type": "result", "status": 200, "data": "text"}),
        json!({"type": "result", "status": 204, "data": null}),
        json!({"type": "result", "status": 200, "content_type": "image/png", "encoding": "base64", "data": "AAE="}),
        json!({"type": "error", "status": 503, "code": "late", "message": "It is late.", "problem": problem}),
    ]
}

fn event(body: &Value, seq: u64) -> Event {
    let mut event = body.clone();
    event["id"] = json!(format!("0000000a-{seq}"));
    event["seq"] = json!(seq);
    event["ts_ms"] = json!(1_761_647_400_123_u64);
    event["trace_id"] = json!("11111111111111111111111111111111");
    event["session_id"] = json!("22222222222222222222222222222222");
    Event::from_slice(event.to_string().as_bytes()).unwrap()
}

fn without_losses(event: &Event) -> Value {
    let mut value = serde_json::to_value(event).unwrap();
    let members = value.as_object_mut().unwrap();
    for (kind, member, _) in LOSSES {
        if *kind == "*" {
            members.remove(*member);
        }
    }
    // The first event is the task, whose metadata has no place for its own number.
    if event.kind() == "session" {
        members.remove("id");
        members.remove("seq");
    }
    value
}

#[test]
fn every_event_comes_back() {
    let mut count = 0;
    for body in events() {
        for dialect in [Dialect::V10, Dialect::V03] {
            let sent = event(&body, 7);
            let mut tracker = Tracker::new("22222222222222222222222222222222");
            let updates = tracker.apply(&sent);
            assert!(!updates.is_empty(), "{body}");
            let wire: Vec<Value> = updates
                .iter()
                .map(|update| update.to_json(dialect))
                .collect();
            let read: Vec<Update> = wire
                .iter()
                .map(|value| update(value, dialect).unwrap())
                .collect();
            let back = recover(&read).unwrap_or_else(|| panic!("{dialect:?}: {wire:?}"));
            assert_eq!(
                without_losses(&back),
                without_losses(&sent),
                "{dialect:?}: {wire:?}"
            );
            count += 1;
        }
    }
    assert_eq!(count, events().len() * 2);
}

#[test]
fn a_task_is_where_its_events_say() {
    let mut tracker = Tracker::new("22222222222222222222222222222222");
    let mut seen = Vec::new();
    for (at, body) in events().iter().enumerate() {
        tracker.apply(&event(body, at as u64 + 1));
        seen.push(tracker.task().status.state);
    }
    assert_eq!(seen[0], TaskState::Submitted);
    assert_eq!(seen[5], TaskState::InputRequired);
    assert_eq!(seen[6], TaskState::Working);
    assert_eq!(seen[10], TaskState::Completed);
    assert_eq!(seen[14], TaskState::Failed);
    for (code, state) in [
        ("cancelled", TaskState::Canceled),
        (REJECTED, TaskState::Rejected),
    ] {
        let body = json!({"type": "error", "status": 422, "code": code, "message": "no", "problem": {"status": 422, "code": code, "title": "no"}});
        tracker.apply(&event(&body, 99));
        assert_eq!(tracker.task().status.state, state);
    }
}

#[test]
fn what_is_kept_of_a_task_is_bounded() {
    let mut tracker = Tracker::new("22222222222222222222222222222222");
    for at in 0..1000_u64 {
        let part = json!({"text": "x".repeat(10_000)});
        let made = json!({"artifact": {"artifactId": "a", "parts": [part]}, "append": at > 0, "last_chunk": false});
        tracker.apply(&event(&json!({"type": "artifact", "data": made}), at + 1));
        let said =
            json!({"messageId": format!("m{at}"), "role": "ROLE_USER", "parts": [{"text": "x"}]});
        tracker.apply(&event(
            &json!({"type": MESSAGE, "data": {"context_id": "c", "message": said}}),
            at + 1,
        ));
    }
    let task = tracker.task().to_json(Dialect::V10);
    assert!(task.to_string().len() < 2 * 1024 * 1024);
    assert_eq!(tracker.task().history.len(), MOST);
    assert_eq!(
        task["metadata"][SESSION_EXTENSION]["artifactsTruncated"],
        true
    );
}

#[test]
fn floats_of_protocol_buffers_are_whole_numbers() {
    let said = json!({"messageId": "m", "role": "user", "parts": [{"data": {"n": 3.0, "f": 0.5, "big": 1e300, "deep": [-7.0]}}]});
    let read = message(&said, Dialect::V10).unwrap();
    assert_eq!(
        read.data().unwrap().to_string(),
        r#"{"big":1e+300,"deep":[-7],"f":0.5,"n":3}"#
    );
}
