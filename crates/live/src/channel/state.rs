//! The state of a session as JSON.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::event::VERSION;
use crate::hub::Hub;
use crate::hub::live::Live;
use crate::id::Seq;
use crate::store::Budget;
use crate::time::WallMs;

/// The state as text: the outcome in it is the last event as it stands, to the byte.
pub(super) async fn of(hub: &Hub, live: &Live) -> String {
    let tail = live.log.tail().get();
    let from = if tail.ended { tail.newest } else { Seq::FIRST };
    let page = live.log.page(from, Budget::new(1, 1)).wait().await;
    let (oldest, last) = page.map_or((Seq::ZERO, None), |page| {
        let last = page.frames.into_iter().next_back();
        (page.oldest, last.filter(crate::Frame::is_terminal))
    });
    let last = last.map(|frame| frame.json());
    let written = last
        .as_deref()
        .and_then(|json| std::str::from_utf8(json).ok())
        .unwrap_or("null");
    let outcome: Value = serde_json::from_str(written).unwrap_or_default();
    // What is not stored has not happened yet for whoever looks.
    let end = live.end().filter(|_| tail.ended);
    let state = match (end, outcome["type"].as_str()) {
        (Some(end), _) if end.success => "result",
        (None, Some("result")) => "result",
        (Some(_), _) | (None, Some(_)) => "error",
        (None, None) => "open",
    };
    // How a session of another hub ended stands in its last event.
    let ended = end.map(|end| end.at.wall);
    let ended = ended.or_else(|| outcome["ts_ms"].as_u64().map(WallMs));
    let (dropped, late) = live.losses();
    let id = live.origin.session;
    let rest = json!({
        "session_id": id,
        "trace_id": live.origin.trace,
        "version": VERSION,
        "state": state,
        "epoch": live.origin.epoch.to_string(),
        "oldest_seq": oldest,
        "last_seq": tail.newest,
        "dropped": dropped,
        "late": late,
        "readers": live.readers.load(Ordering::Relaxed),
        "created_at": live.created.wall.seconds_after(0),
        "ended_at": ended.map(|at| at.seconds_after(0)),
        "expires_at": live.expires_at(&hub.0.settings, ended),
        "durability": live.durability.as_str(),
        "sse_url": hub.address(id, "/events"),
        "ws_url": hub.address(id, "/ws"),
        "patch_url": hub.address(id, "/healing"),
        "state_url": hub.address(id, ""),
    });
    let rest = rest.to_string();
    let rest = rest.strip_prefix('{').unwrap_or("}");
    format!(r#"{{"outcome":{written},{rest}"#)
}
