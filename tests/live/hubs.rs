//! Two hubs that share a store: each serves the sessions of the other.

use std::sync::Arc;

use aon_live::store::Memory;
use aon_live::{Caller, Hub, Settings};
use serde_json::{Value, json};

use super::support::*;

async fn two(identified: bool) -> (Server, Server) {
    let store = Arc::new(Memory::new(256, 1 << 20));
    let hub = || hub(Settings::new().store(Arc::clone(&store)), identified);
    (serve(hub()).await, serve(hub()).await)
}

/// A hub that knows its callers, or none.
pub fn hub(settings: Settings, identified: bool) -> Hub {
    Hub::with(if identified {
        settings.identify(|request: &http::request::Parts| {
            let name = request.headers.get("x-user")?.to_str().ok()?;
            Some(Caller::new(name))
        })
    } else {
        settings
    })
}

#[tokio::test]
async fn a_session_is_read_from_a_hub_that_did_not_start_it() {
    let (one, other) = two(false).await;
    read_elsewhere(one, other, Some(409)).await;
}

/// A session of one hub on every channel of another. `refusal` is what cancelling it there says.
pub async fn read_elsewhere(one: Server, other: Server, refusal: Option<u16>) {
    let mut ndjson = one.post("/gated", &[NDJSON, TRACEPARENT], "").await;
    let session = ndjson.event().await.unwrap();
    let path = |name: &str| session[name].as_str().unwrap().to_owned();
    let state = other.get(&path("state_url"), &[]).await.json().await;
    assert_eq!(
        (&state["state"], &state["trace_id"]),
        (&json!("open"), &json!(TRACE))
    );
    let sse = other.get(&path("sse_url"), &[]).await;
    let lines = other.get(&path("sse_url"), &[NDJSON]).await;
    let url = format!("ws://{}{}?since=0", other.address, path("ws_url"));
    let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    if let Some(refusal) = refusal {
        let cancel = other.delete(&path("state_url")).await;
        assert_eq!(
            (cancel.status, &cancel.json().await["code"]),
            (refusal, &json!("session_elsewhere"))
        );
    }
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    one.gate.0.notify_waiters();
    let mut log = vec![session.clone()];
    log.extend(ndjson.events().await);
    check_stream(&log);

    use futures_util::StreamExt as _;
    let messages: Vec<_> = socket.collect().await;
    let frames: Vec<Value> = messages
        .into_iter()
        .filter_map(|message| serde_json::from_str(message.ok()?.to_text().ok()?).ok())
        .collect();
    let sse: Vec<Value> = sse
        .all_sse()
        .await
        .into_iter()
        .map(|event| event.1)
        .collect();
    let mut views = 0;
    for view in [sse, lines.events().await, frames] {
        let stored: Vec<&Value> = view
            .iter()
            .filter(|event| event.get("seq").is_some())
            .collect();
        assert_eq!(stored, log.iter().collect::<Vec<_>>());
        views += 1;
    }
    let ours = one.get(&path("state_url"), &[]).await.json().await;
    let theirs = other.get(&path("state_url"), &[]).await.json().await;
    for member in [
        "state",
        "outcome",
        "epoch",
        "last_seq",
        "ended_at",
        "created_at",
    ] {
        assert_eq!(theirs[member], ours[member], "{member}");
    }
    let id = log.last().unwrap()["id"].as_str().unwrap();
    let late = other
        .get(&path("sse_url"), &[&format!("last-event-id: {id}")])
        .await;
    assert_eq!(late.status, 204);
    assert_eq!(other.hub.stats().sessions, 0, "it stays the other's");
    println!("count: {views} channels of another hub's session");
}

/// A reader that saw an event on one node may come back on another before that one has heard of it.
#[tokio::test]
async fn a_cursor_that_is_ahead_of_this_node_only_is_not_a_gap() {
    let (one, other) = two(false).await;
    let mut ndjson = one.post("/gated", &[NDJSON], "").await;
    let session = ndjson.event().await.unwrap();
    let waiting = ndjson.event().await.unwrap();
    let epoch = waiting["id"].as_str().unwrap().split('-').next().unwrap();
    let since = format!("last-event-id: {epoch}-3");
    let headers = [&*since];
    let url = session["sse_url"].as_str().unwrap();
    let open = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        one.gate.0.notify_waiters();
    };
    let (reply, ()) = tokio::join!(other.get(url, &headers), open);
    let view = reply.all_sse().await;
    let kinds: Vec<&str> = view.iter().map(|event| event.0.as_str()).collect();
    assert!(!kinds.contains(&"gap"), "{view:?}");
    let last = view.last().unwrap();
    assert_eq!((last.0.as_str(), &last.1["seq"]), ("result", &json!(4)));
    println!("count: {} events after a cursor that was ahead", view.len());
}

#[tokio::test]
async fn whose_a_session_is_holds_on_every_hub() {
    let (one, other) = two(true).await;
    belongs(one, other).await;
}

pub async fn belongs(one: Server, other: Server) {
    let reply = one
        .post("/users", &[NDJSON, "x-user: ann"], r#"{"name":"ann"}"#)
        .await;
    let log = reply.events().await;
    let url = log[0]["sse_url"].as_str().unwrap();
    for (who, status) in [
        (vec!["x-user: ann"], 200),
        (vec!["x-user: bob"], 404),
        (vec![], 404),
    ] {
        assert_eq!(other.get(url, &who).await.status, status, "{who:?}");
    }
}

#[tokio::test]
async fn a_ticket_is_good_once_whichever_hub_it_is_shown_to() {
    let (one, other) = two(true).await;
    tickets(one, other).await;
}

pub async fn tickets(one: Server, other: Server) {
    let mut ndjson = one.post("/gated", &[NDJSON, "x-user: ann"], "").await;
    let session = ndjson.event().await.unwrap();
    let url = session["state_url"].as_str().unwrap();
    let mut spent = 0;
    for (issuer, reader) in [
        (&one, &other),
        (&other, &one),
        (&one, &one),
        (&other, &other),
    ] {
        let ticket = issuer
            .post(&format!("{url}/tickets"), &["x-user: ann"], "")
            .await;
        assert_eq!(ticket.status, 201);
        let ticket = ticket.json().await;
        let address = ticket["sse_url"].as_str().unwrap();
        let mut sse = reader.get(address, &[]).await;
        assert_eq!(sse.status, 200);
        for hub in [&one, &other] {
            assert_eq!(hub.get(address, &[]).await.status, 404, "spent");
            spent += 1;
        }
        // The next one comes with the stream, and is good anywhere too, once.
        let (kind, data, _) = sse.sse().await.unwrap();
        assert_eq!(kind, "ticket");
        let next = format!("{url}/events?ticket={}", data["ticket"].as_str().unwrap());
        assert_eq!(issuer.get(&next, &[]).await.status, 200);
        assert_eq!(reader.get(&next, &[]).await.status, 404);
        spent += 1;
    }
    one.gate.0.notify_waiters();
    assert_eq!(ndjson.events().await.last().unwrap()["type"], "result");
    println!("count: {spent} spent tickets refused");
}

#[tokio::test]
async fn signs_of_life_come_from_the_hub_that_is_read() {
    let store = Arc::new(Memory::new(256, 1 << 20));
    let quick = std::time::Duration::from_millis(50);
    let one = serve(Hub::with(Settings::new().store(Arc::clone(&store)))).await;
    let other = serve(Hub::with(Settings::new().store(store).heartbeat(quick))).await;
    let mut ndjson = one.post("/gated", &[NDJSON], "").await;
    let session = ndjson.event().await.unwrap();
    let mut lines = other
        .get(session["sse_url"].as_str().unwrap(), &[NDJSON])
        .await;
    let mut beats = 0;
    while beats < 3 {
        let event = lines.event().await.unwrap();
        beats += usize::from(event["message"] == "heartbeat");
    }
    one.gate.0.notify_waiters();
    assert_eq!(ndjson.events().await.last().unwrap()["type"], "result");
}
