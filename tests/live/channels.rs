//! Three channels, one order; replay, resume, gaps, and the end for those who come late.

use aon_live::{Hub, Settings};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::support::*;

/// A small ring and no cap on what is said.
fn plenty(ring: usize) -> Settings {
    Settings::new()
        .ring_events(ring)
        .events(1_000_000)
        .events_per_second(1_000_000)
}

/// Connects to a WebSocket of the server.
async fn socket(
    server: &Server,
    path: &str,
) -> tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>> {
    let url = format!("ws://{}{path}", server.address);
    tokio_tungstenite::connect_async(url).await.unwrap().0
}

/// Everything until the socket is closed, and the code it was closed with.
async fn drain<S>(mut socket: S) -> (Vec<Value>, Option<u16>)
where
    S: futures_util::Stream<Item = Result<Message, tokio_tungstenite::tungstenite::Error>> + Unpin,
{
    let mut events = Vec::new();
    while let Some(message) = timeout(PATIENCE, socket.next())
        .await
        .expect("more in time")
    {
        match message {
            Ok(Message::Text(text)) => events.push(serde_json::from_str(&text).unwrap()),
            Ok(Message::Close(frame)) => return (events, frame.map(|frame| frame.code.into())),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    (events, None)
}

#[tokio::test]
async fn every_channel_shows_the_same_events_in_the_same_order() {
    let server = serve(Hub::new()).await;
    let mut ndjson = server.post("/gated", &[NDJSON, TRACEPARENT], "").await;
    let session = ndjson.event().await.unwrap();
    let path = |name: &str| session[name].as_str().unwrap().to_owned();
    let sse = server
        .get(&path("sse_url"), &["accept: text/event-stream"])
        .await;
    assert_eq!(sse.header("content-type"), Some("text/event-stream"));
    assert_eq!(sse.header("x-accel-buffering"), Some("no"));
    let lines = server.get(&path("sse_url"), &[NDJSON]).await;
    let socket = socket(&server, &path("ws_url")).await;
    let socket = tokio::spawn(drain(socket));
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    server.gate.0.notify_waiters();

    let mut log = vec![session.clone()];
    log.extend(ndjson.events().await);
    check_stream(&log);
    assert!(log.iter().all(|event| event["trace_id"] == TRACE));
    let sse = sse.all_sse().await;
    for (kind, data, id) in &sse {
        assert_eq!(data["type"], **kind);
        assert_eq!(data["id"].as_str(), id.as_deref());
    }
    let sse: Vec<Value> = sse.into_iter().map(|(_, data, _)| data).collect();
    let (socket, code) = socket.await.unwrap();
    assert_eq!(code, Some(1000));
    let lines = lines.events().await;
    for view in [&sse, &lines, &socket] {
        let stored: Vec<&Value> = view
            .iter()
            .filter(|event| event.get("seq").is_some())
            .collect();
        assert_eq!(stored, log.iter().collect::<Vec<_>>());
        let live: Vec<&Value> = view
            .iter()
            .filter(|event| event["type"] == "replay_complete")
            .collect();
        assert_eq!(live.len(), 1);
        let at = view
            .iter()
            .position(|event| event["type"] == "replay_complete")
            .unwrap();
        assert_eq!(
            view[at]["last_seq"],
            view[at - 1]["seq"],
            "between the past and the present"
        );
        assert!(view[at].get("seq").is_none());
    }
}

#[tokio::test]
async fn events_on_the_wire_keep_to_the_published_schema() {
    let schema = jsonschema::validator_for(&aon_live::schema::event()).unwrap();
    let server = serve(Hub::with(Settings::new().ring_events(4))).await;
    let mut events = server.stream("/users", r#"{"name":"ann"}"#).await;
    events.extend(server.stream("/users", r#"{"name":"nobody"}"#).await);
    let burst = server.stream("/burst", "[20, 0]").await;
    let url = burst[0]["sse_url"].as_str().unwrap();
    events.extend(
        server
            .get(&format!("{url}?last_event_id=00000000-3"), &[NDJSON])
            .await
            .events()
            .await,
    );
    events.push(
        json!({"type": "lesson", "id": "0000000a-1", "seq": 1, "timestamp": 1, "ts_ms": 1000,
        "trace_id": TRACE, "session_id": TRACE, "data": {"type": "PAUSE"}}),
    );
    let mut seen = std::collections::BTreeSet::new();
    for event in &events {
        let wrong: Vec<String> = schema
            .iter_errors(event)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{event}\n{wrong:?}");
        seen.insert(event["type"].as_str().unwrap().to_owned());
    }
    assert!(seen.len() >= 8, "{seen:?}");
    for broken in [
        json!({"type": "status"}),
        json!({"type": "gap", "seq": 1}),
        json!({"type": "UPPER"}),
    ] {
        assert!(!schema.is_valid(&broken), "{broken}");
    }
}

#[tokio::test]
async fn a_cursor_resumes_exactly_on_every_channel() {
    let server = serve(Hub::new()).await;
    let log = server.stream("/burst", "[30, 0]").await;
    check_stream(&log);
    let url = log[0]["sse_url"].as_str().unwrap();
    let ws = log[0]["ws_url"].as_str().unwrap();
    let mut resumed = 0;
    for seen in [1_usize, 7, 30, 31] {
        let id = log[seen - 1]["id"].as_str().unwrap();
        let rest: Vec<&Value> = log[seen..].iter().collect();
        let by_header = server
            .get(url, &[&format!("last-event-id: {id}")])
            .await
            .all_sse()
            .await;
        let by_header: Vec<Value> = by_header.into_iter().map(|(_, data, _)| data).collect();
        let by_query = server
            .get(&format!("{url}?last_event_id={id}"), &[NDJSON])
            .await
            .events()
            .await;
        let by_address = drain(socket(&server, &format!("{ws}?since={id}")).await)
            .await
            .0;
        let mut talking = socket(&server, ws).await;
        talking
            .send(Message::text(
                json!({"type": "resume", "since": id}).to_string(),
            ))
            .await
            .unwrap();
        let by_message = drain(talking).await.0;
        for view in [by_header, by_query, by_address, by_message] {
            assert_eq!(view.iter().collect::<Vec<_>>(), rest, "after {id}");
            resumed += 1;
        }
    }
    assert_eq!(resumed, 16);
    // The header is asked before the query.
    let (first, second) = (
        log[1]["id"].as_str().unwrap(),
        log[9]["id"].as_str().unwrap(),
    );
    let both = server
        .get(
            &format!("{url}?last_event_id={first}"),
            &[&format!("last-event-id: {second}")],
        )
        .await;
    assert_eq!(both.all_sse().await[0].1["seq"], 11);
}

#[tokio::test]
async fn a_late_reader_gets_the_ring_and_the_end_and_then_204() {
    let server = serve(Hub::with(Settings::new().ring_events(5))).await;
    let log = server.stream("/burst", "[20, 0]").await;
    let url = log[0]["sse_url"].as_str().unwrap();
    let end = log.last().unwrap();
    let late = server.get(url, &[NDJSON]).await.events().await;
    assert_eq!(
        kinds(&late),
        [
            "gap", "status", "status", "status", "status", "status", "result"
        ]
    );
    assert_eq!(late[0]["reason"], "evicted");
    assert_eq!(
        (&late[0]["oldest"], &late[0]["newest"]),
        (&17.into(), &22.into())
    );
    assert!(late[0].get("seq").is_none());
    assert_eq!(late.last(), Some(end));
    let id = end["id"].as_str().unwrap();
    assert_eq!(
        server
            .get(url, &[&format!("last-event-id: {id}")])
            .await
            .status,
        204
    );
    let ws = log[0]["ws_url"].as_str().unwrap();
    let (events, code) = drain(socket(&server, &format!("{ws}?since={id}")).await).await;
    assert_eq!((events.len(), code), (0, Some(1000)));
}

#[tokio::test]
async fn cursors_from_elsewhere_are_answered_with_a_gap_and_the_ring() {
    let server = serve(Hub::with(Settings::new().ring_events(5))).await;
    let log = server.stream("/burst", "[20, 0]").await;
    let other = server.stream("/burst", "[1, 0]").await;
    let url = log[0]["sse_url"].as_str().unwrap();
    let epoch = log[0]["id"].as_str().unwrap().split('-').next().unwrap();
    let ring = ["status", "status", "status", "status", "status", "result"];
    for (cursor, reason) in [
        (format!("{epoch}-2"), "evicted"),
        (format!("{epoch}-23"), "ahead"),
        (format!("{epoch}-18446744073709551615"), "ahead"),
        (other[1]["id"].as_str().unwrap().to_owned(), "epoch"),
        ("ffffffff-1".to_owned(), "epoch"),
        ("nonsense".to_owned(), "epoch"),
        ("'; drop table".to_owned(), "epoch"),
    ] {
        let view = server
            .get(url, &[NDJSON, &format!("last-event-id: {cursor}")])
            .await
            .events()
            .await;
        assert_eq!(
            (&view[0]["type"], &view[0]["reason"]),
            (&"gap".into(), &reason.into()),
            "{cursor}"
        );
        assert_eq!(kinds(&view[1..]), ring, "{cursor}");
        assert_eq!(view[0]["oldest"], view[1]["seq"]);
    }
    for start in ["0", "earliest", ""] {
        let view = server
            .get(&format!("{url}?since={start}"), &[NDJSON])
            .await
            .events()
            .await;
        assert_eq!(kinds(&view)[1..], ring);
    }
}

#[tokio::test]
async fn a_reader_that_never_reads_slows_nobody_and_learns_what_it_missed() {
    let server = serve(Hub::with(plenty(8))).await;
    let mut ndjson = server.post("/gated", &[NDJSON], "").await;
    let session = ndjson.event().await.unwrap();
    // A response nobody reads, of a session with far more bytes than any socket holds.
    let start = std::time::Instant::now();
    let big = serve(Hub::with(plenty(8))).await;
    let stuck = big.post("/burst", &[NDJSON], "[20000, 0]").await;
    let id = stuck.header("aon-trace-id").unwrap().to_owned();
    assert_eq!(id.len(), 32);
    for _ in 0..200 {
        if big.hub.stats().open == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(big.hub.stats().open, 0, "the handler did not wait");
    assert!(start.elapsed() < PATIENCE);
    let view = stuck.events().await;
    let gaps = view.iter().filter(|event| event["type"] == "gap").count();
    assert!(gaps >= 1, "{} events and no gap", view.len());
    assert_eq!(
        view.last().unwrap()["type"],
        "result",
        "the end is always delivered"
    );
    let mut next = 1;
    for event in &view {
        match event["type"].as_str().unwrap() {
            "gap" => next = event["oldest"].as_u64().unwrap(),
            _ => {
                assert_eq!(event["seq"], next);
                next += 1;
            }
        }
    }
    assert_eq!(next, 20_003);
    // Another program's stream was open all the while.
    server.gate.0.notify_waiters();
    assert_eq!(ndjson.events().await.last().unwrap()["data"], "done");
    assert_eq!(session["type"], "session");
}

#[tokio::test]
async fn what_is_well_known_says_what_there_is() {
    let server = serve(Hub::new()).await;
    let known = server.get("/.well-known/aon", &[]).await.json().await;
    assert_eq!(known["versions"], json!([1]));
    assert_eq!(known["durability"], "memory");
    assert_eq!(known["limits"]["ring_events"], 256);
    assert!(
        known["event_types"]
            .as_array()
            .unwrap()
            .contains(&json!("gap"))
    );
    let plain = server.get(&format!("/aon/sessions/{TRACE}/ws"), &[]).await;
    assert_eq!(plain.status, 426);
}

#[tokio::test]
async fn an_event_of_ones_own_is_three_lines() {
    #[derive(serde::Serialize)]
    struct Insert<'a> {
        r#type: &'a str,
        answer: &'a str,
    }
    impl aon_live::ApplicationEvent for Insert<'_> {
        const TYPE: &'static str = "insert";
    }

    let hub = Hub::new();
    let app = axum::Router::new()
        .route(
            "/",
            axum::routing::post(async |session: aon_live::Session| {
                session.emit(&Insert {
                    r#type: "PAUSE",
                    answer: "the password=hunter2secret",
                });
                let name = aon_live::event::EventName::parse("done").unwrap();
                // Blocking code publishes too.
                let inside = session.clone();
                tokio::task::spawn_blocking(move || {
                    inside.emit_named(&name, &json!({"reason": "END"}))
                })
                .await
                .unwrap();
                axum::Json(())
            }),
        )
        .layer(aon_live::GlassBox::new(&hub))
        .merge(hub.routes());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let events = request(address, "POST", "/", &[NDJSON], "")
        .await
        .events()
        .await;
    check_stream(&events);
    assert_eq!(kinds(&events), ["session", "insert", "done", "result"]);
    assert_eq!(events[1]["data"]["type"], "PAUSE");
    assert!(!events[1].to_string().contains("hunter2secret"));
    assert_eq!(events[2]["data"]["reason"], "END");
}
