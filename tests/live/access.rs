//! Whose a session is, and tickets.

use aon_live::{Caller, Hub, Settings};
use serde_json::Value;

use super::support::*;

fn hub() -> Hub {
    Hub::with(Settings::new().identify(|request: &http::request::Parts| {
        let name = request.headers.get("x-user")?.to_str().ok()?;
        let caller = Caller::new(name);
        Some(if name == "root" {
            caller.operator()
        } else {
            caller
        })
    }))
}

#[tokio::test]
async fn a_stranger_sees_of_a_session_what_one_sees_of_none() {
    let server = serve(hub()).await;
    let reply = server
        .post("/users", &[NDJSON, "x-user: ann"], r#"{"name":"ann"}"#)
        .await;
    let log = reply.events().await;
    let url = log[0]["state_url"].as_str().unwrap().to_owned();
    let unknown = format!("/aon/sessions/{TRACE}");
    let malformed = "/aon/sessions/what".to_owned();
    let mut answers = Vec::new();
    for (base, who) in [
        (&url, Some("x-user: bob")),
        (&url, None),
        (&unknown, Some("x-user: ann")),
        (&malformed, Some("x-user: ann")),
    ] {
        for (method, rest) in [
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/events"),
            ("POST", "/tickets"),
        ] {
            let headers: Vec<&str> = who.into_iter().collect();
            let reply = request(
                server.address,
                method,
                &format!("{base}{rest}"),
                &headers,
                "",
            )
            .await;
            assert_eq!(reply.status, 404, "{method} {base}{rest} {who:?}");
            let mut problem = reply.json().await;
            for own in ["request_id", "instance"] {
                problem.as_object_mut().unwrap().remove(own);
            }
            answers.push(problem);
        }
    }
    assert_eq!(answers.len(), 16);
    assert!(
        answers.iter().all(|problem| *problem == answers[0]),
        "no oracle"
    );
    for who in ["x-user: ann", "x-user: root"] {
        assert_eq!(server.get(&url, &[who]).await.status, 200);
    }
}

#[tokio::test]
async fn an_anonymous_session_is_open_to_whoever_holds_its_id() {
    let server = serve(hub()).await;
    let log = server.stream("/users", r#"{"name":"ann"}"#).await;
    let url = log[0]["sse_url"].as_str().unwrap();
    for who in [vec![], vec!["x-user: bob"]] {
        assert_eq!(server.get(url, &who).await.status, 200);
    }
}

#[tokio::test]
async fn a_ticket_opens_one_connection_of_one_session() {
    let server = serve(hub()).await;
    let mut ndjson = server.post("/gated", &[NDJSON, "x-user: ann"], "").await;
    let session = ndjson.event().await.unwrap();
    let url = session["state_url"].as_str().unwrap();
    let ticket = server
        .post(&format!("{url}/tickets"), &["x-user: ann"], "")
        .await;
    assert_eq!(ticket.status, 201);
    let ticket = ticket.json().await;
    let mut sse = server.get(ticket["sse_url"].as_str().unwrap(), &[]).await;
    assert_eq!(sse.status, 200);
    // A new one comes with the stream, because the one in the address is spent.
    let (kind, data, id) = sse.sse().await.unwrap();
    assert_eq!((&*kind, id), ("ticket", None));
    let next = data["ticket"].as_str().unwrap().to_owned();
    assert_eq!(sse.sse().await.unwrap().0, "session");
    assert_eq!(
        server
            .get(ticket["sse_url"].as_str().unwrap(), &[])
            .await
            .status,
        404,
        "spent"
    );
    let other = server.stream("/users", r#"{"name":"ann"}"#).await;
    let other = other[0]["sse_url"].as_str().unwrap();
    assert_eq!(
        server
            .get(&format!("{other}?ticket={next}"), &[])
            .await
            .status,
        404,
        "of another session"
    );
    assert_eq!(
        server
            .get(&format!("{url}/events?ticket={next}"), &[])
            .await
            .status,
        404,
        "spent by the theft"
    );
    let fresh = server
        .post(&format!("{url}/tickets"), &["x-user: ann"], "")
        .await
        .json()
        .await;
    let fresh = fresh["ticket"].as_str().unwrap();
    assert_eq!(
        request(
            server.address,
            "DELETE",
            &format!("{url}?ticket={fresh}"),
            &[],
            ""
        )
        .await
        .status,
        404,
        "tickets read"
    );
    for wrong in ["", "x", "00", &"0".repeat(64), "%00%ff"] {
        assert_eq!(
            server
                .get(&format!("{url}/events?ticket={wrong}"), &["x-user: ann"])
                .await
                .status,
            404
        );
    }
    server.gate.0.notify_waiters();
    assert_eq!(ndjson.events().await.last().unwrap()["type"], "result");
}

#[tokio::test]
async fn a_page_of_another_origin_cannot_use_the_credentials_of_its_visitor() {
    let server = serve(hub()).await;
    let reply = server
        .post("/users", &[NDJSON, "x-user: ann"], r#"{"name":"ann"}"#)
        .await;
    let log: Vec<Value> = reply.events().await;
    let ws = log[0]["ws_url"].as_str().unwrap();
    let handshake = [
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    let own = format!("origin: http://{}", server.address);
    for (origin, status) in [("origin: https://evil.example", 403), (&*own, 101)] {
        let mut headers = handshake.to_vec();
        headers.extend(["x-user: ann", origin]);
        assert_eq!(server.get(ws, &headers).await.status, status, "{origin}");
    }
}
