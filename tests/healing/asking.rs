//! A person in the loop, over the wire: what is asked, what is answered, and what becomes of it.

use std::time::Duration;

use aon_live::Settings;
use aon_live::heal::{Ask, Webhook};
use axum::routing::post;
use axum::{Json, Router};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

use super::race::{Asking, email, patch};
use super::support::{NDJSON, request};

const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_question_says_all_that_an_answer_needs_and_no_secret() {
    let server = Asking::plain(LONG).await;
    let (_stream, _, question) = server.ask(&[]).await;
    for member in [
        "request_id",
        "step",
        "attempt",
        "error",
        "problem",
        "allowedPatchPaths",
        "snapshot",
        "expires_at",
        "patch_url",
        "base_hash",
    ] {
        assert!(question.get(member).is_some(), "{member}: {question}");
    }
    assert_eq!(question["allowedPatchPaths"], json!(["/email"]));
    assert_eq!(question["snapshot"], json!({"email": "bad"}));
    assert_eq!(question["error"]["code"], "invalid_email");
    assert_eq!(
        question["problem"]["valid_values"]["plan"],
        json!(["free", "team"])
    );
    assert!(!question.to_string().contains("hunter2"));
    let shown = request(
        server.address,
        "GET",
        question["patch_url"].as_str().unwrap(),
        &[],
        "",
    )
    .await;
    assert_eq!(shown.json().await["request_id"], question["request_id"]);
}

#[tokio::test]
async fn refusals_go_to_their_sender_and_the_question_stays() {
    let server = Asking::plain(LONG).await;
    let (stream, _, question) = server.ask(&[]).await;
    let url = question["patch_url"].as_str().unwrap();
    let base = format!("if-match: {}", question["base_hash"].as_str().unwrap());
    let cases: [(&str, &[&str], u16); 11] = [
        ("[", &[], 400),
        ("{}", &[], 422),
        (
            r#"[{"op":"replace","path":"/role","value":"admin"}]"#,
            &[],
            422,
        ),
        (
            r#"[{"op":"test","path":"/password","value":"hunter2secret"}]"#,
            &[],
            422,
        ),
        ("[]", &["content-type: text/plain"], 415),
        ("[]", &["content-type: application/json"], 415),
        (
            r#"{"deny":"yes"}"#,
            &["content-type: application/json"],
            422,
        ),
        (
            r#"{"deny":true,"retry":true}"#,
            &["content-type: application/json"],
            422,
        ),
        (
            r#"{"deny":true,"deny":false}"#,
            &["content-type: application/json"],
            422,
        ),
        ("[]", &["if-match: \"other\""], 412),
        ("[]", &["origin: https://evil.example"], 403),
    ];
    for (body, headers, status) in cases {
        let reply = patch(server.address, url, body, headers).await;
        assert_eq!(reply.status, status, "{body}");
        let problem = reply.json().await;
        assert_eq!(problem["status"], status);
        assert!(!problem.to_string().contains("hunter2"), "{problem}");
    }
    let huge = format!(
        "[{}]",
        vec![email("a@b.c").trim_matches(['[', ']']).to_owned(); 100_000].join(",")
    );
    assert_eq!(patch(server.address, url, &huge, &[]).await.status, 413);
    let deep = format!(
        "[{{\"op\":\"replace\",\"path\":\"/email\",\"value\":{}{}}}]",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let deep = patch(server.address, url, &deep, &[]).await;
    assert_eq!(deep.json().await["reason"], "too_deep");
    let good = patch(server.address, url, &email("a@b.c"), &[&base]).await;
    assert_eq!(good.status, 200);
    let receipt = good.json().await;
    assert_eq!(
        (&receipt["outcome"], &receipt["paths"]),
        (&json!("accepted"), &json!(["/email"]))
    );
    let events = stream.events().await;
    assert_eq!(events.last().unwrap()["data"]["email"], "a@b.c");
    assert_eq!(
        patch(server.address, url, &email("a@b.c"), &[&base])
            .await
            .status,
        200,
        "again"
    );
    assert_eq!(
        patch(server.address, url, &email("x@b.c"), &[])
            .await
            .status,
        409
    );
    let audit = server.audit.lock().unwrap();
    let outcomes: Vec<&str> = audit.iter().map(|record| record.outcome.as_str()).collect();
    assert!(outcomes.contains(&"path_not_allowed") && outcomes.contains(&"repeated"));
    let taken = audit
        .iter()
        .find(|record| record.outcome == "accepted")
        .unwrap();
    assert_eq!(taken.paths, ["/email"]);
    assert!(
        taken
            .after_hash
            .as_ref()
            .is_some_and(|after| *after != taken.before_hash)
    );
    assert!(taken.trace_id.is_some() && taken.session_id.is_some());
    assert!(
        !serde_json::to_string(&*audit).unwrap().contains("a@b.c"),
        "values are in no record"
    );
}

#[tokio::test]
async fn a_question_is_not_lost_with_its_event() {
    let server = Asking::start(
        Settings::new().ring_events(3),
        || Ask::about(["/email"]).within(LONG),
        |layer| layer,
    )
    .await;
    let (stream, before, question) = server.ask(&[]).await;
    let url = question["patch_url"].as_str().unwrap();
    let follow = async |headers: &[&str]| {
        let sse = before[0]["sse_url"].as_str().unwrap();
        let headers: Vec<&str> = headers.iter().copied().chain([NDJSON]).collect();
        let mut reader = request(server.address, "GET", sse, &headers, "").await;
        let mut seen = Vec::new();
        while seen
            .last()
            .is_none_or(|event: &Value| event["type"] != "replay_complete")
        {
            seen.push(reader.event().await.expect("an event"));
        }
        seen.retain(|event| event["type"] == "interactive_healing_request");
        seen
    };
    // As long as its event is kept it is shown once, as it was.
    assert_eq!(follow(&[]).await, std::slice::from_ref(&question));
    // Refusals are told to everybody, and push it out of the ring.
    for _ in 0..5 {
        assert_eq!(patch(server.address, url, "{}", &[]).await.status, 422);
    }
    let late = follow(&[]).await;
    let first = format!("last-event-id: {}", before[0]["id"].as_str().unwrap());
    assert_eq!(follow(&[&first]).await.len(), 1);
    let [again] = late.as_slice() else {
        panic!("{late:?}")
    };
    for member in ["request_id", "patch_url", "base_hash", "problem"] {
        assert_eq!(again[member], question[member]);
    }
    assert!(again.get("seq").is_none() && again.get("id").is_none());
    assert!(again["expires_in_ms"].as_u64() <= question["expires_in_ms"].as_u64());
    let answered = patch(server.address, url, &email("a@b.c"), &[]).await;
    assert_eq!(answered.status, 200);
    assert_eq!(stream.events().await.last().unwrap()["type"], "result");
}

#[tokio::test]
async fn a_denial_and_silence_end_with_a_problem_that_says_all_of_it() {
    let server = Asking::plain(LONG).await;
    let (stream, _, question) = server.ask(&[]).await;
    let url = question["patch_url"].as_str().unwrap();
    let words = &["content-type: application/json"];
    assert_eq!(
        patch(server.address, url, r#"{"deny": true}"#, words)
            .await
            .status,
        200
    );
    let events = stream.events().await;
    let [.., told, end] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(
        (&told["type"], &told["outcome"]),
        (&json!("interactive_healing_result"), &json!("denied"))
    );
    assert_eq!(
        (&end["type"], &end["code"]),
        (&json!("error"), &json!("healing_denied"))
    );
    assert_eq!(end["problem"]["cause"]["code"], "invalid_email");
    assert_eq!(end["problem"]["healing"]["step"], "store_user");
    assert_eq!(
        patch(server.address, url, &email("a@b.c"), &[])
            .await
            .status,
        409
    );

    let server = Asking::plain(Duration::from_millis(150)).await;
    let (stream, _, question) = server.ask(&[]).await;
    let events = stream.events().await;
    assert_eq!(events.last().unwrap()["code"], "healing_timeout");
    let url = question["patch_url"].as_str().unwrap();
    assert_eq!(
        patch(server.address, url, &email("a@b.c"), &[])
            .await
            .status,
        410
    );
    assert_eq!(
        patch(server.address, url, r#"{"deny": true}"#, words)
            .await
            .status,
        410
    );
}

#[tokio::test]
async fn a_step_that_fails_again_is_asked_about_again_and_not_for_ever() {
    let server = Asking::plain(LONG).await;
    let (mut stream, _, first) = server.ask(&[]).await;
    let url = first["patch_url"].as_str().unwrap().to_owned();
    let mut bases = vec![first["base_hash"].clone()];
    for round in 2..=3 {
        let wrong = email(&format!("still bad {round}"));
        assert_eq!(patch(server.address, &url, &wrong, &[]).await.status, 200);
        let question = loop {
            let event = stream.event().await.unwrap();
            assert_ne!(event["outcome"], "consumed", "it did not commit");
            if event["type"] == "interactive_healing_request" {
                break event;
            }
        };
        assert_eq!(
            (&question["request_id"], &question["round"]),
            (&first["request_id"], &json!(round))
        );
        assert_eq!(question["snapshot"]["email"], format!("still bad {round}"));
        bases.push(question["base_hash"].clone());
        // The answer of before, sent again because its reply was lost, is not another one.
        let old = format!("if-match: {}", bases[bases.len() - 2].as_str().unwrap());
        assert_eq!(
            patch(server.address, &url, &wrong, &[&old]).await.status,
            200
        );
        assert_eq!(
            patch(server.address, &url, &email("q@b.c"), &[&old])
                .await
                .status,
            412
        );
    }
    assert_eq!(
        patch(server.address, &url, &email("last bad"), &[])
            .await
            .status,
        200
    );
    let events = stream.events().await;
    assert_eq!(events.last().unwrap()["code"], "invalid_email");
    assert_eq!(events.last().unwrap()["problem"]["healing"]["attempts"], 4);
    assert_eq!(
        patch(server.address, &url, &email("a@b.c"), &[])
            .await
            .status,
        410
    );
}

#[tokio::test]
async fn an_answer_survives_the_connection_that_asked() {
    let server = Asking::plain(LONG).await;
    let (stream, before, question) = server.ask(&[]).await;
    drop(stream);
    let url = question["patch_url"].as_str().unwrap();
    assert_eq!(
        patch(server.address, url, &email("a@b.c"), &[])
            .await
            .status,
        200
    );
    let events = request(
        server.address,
        "GET",
        before[0]["sse_url"].as_str().unwrap(),
        &[NDJSON],
        "",
    )
    .await
    .events()
    .await;
    assert_eq!(events.last().unwrap()["data"]["email"], "a@b.c");
}

#[tokio::test]
async fn a_cancelled_session_leaves_no_question_behind() {
    let server = Asking::plain(LONG).await;
    let (stream, before, question) = server.ask(&[]).await;
    let state = before[0]["state_url"].as_str().unwrap();
    assert_eq!(
        request(server.address, "DELETE", state, &[], "")
            .await
            .status,
        202
    );
    assert_eq!(stream.events().await.last().unwrap()["code"], "cancelled");
    let url = question["patch_url"].as_str().unwrap();
    assert_eq!(
        patch(server.address, url, &email("a@b.c"), &[])
            .await
            .status,
        410
    );
    let open = request(server.address, "GET", &format!("{state}/healing"), &[], "")
        .await
        .json()
        .await;
    assert_eq!(open, json!({"requests": []}));
}

#[tokio::test]
async fn the_question_of_one_session_cannot_be_answered_under_another() {
    let server = Asking::plain(LONG).await;
    let (_one, first, question) = server.ask(&[]).await;
    let (_two, second, _) = server.ask(&[]).await;
    let id = question["request_id"].as_str().unwrap();
    let other = format!("{}/healing/{id}", second[0]["state_url"].as_str().unwrap());
    assert_eq!(
        patch(server.address, &other, &email("a@b.c"), &[])
            .await
            .status,
        404
    );
    let nowhere = format!("/aon/sessions/{}/healing/{id}", "0".repeat(32));
    assert_eq!(
        patch(server.address, &nowhere, &email("a@b.c"), &[])
            .await
            .status,
        404
    );
    // The address of the session does where one question is open.
    let session = first[0]["patch_url"].as_str().unwrap();
    assert_eq!(
        patch(server.address, session, &email("a@b.c"), &[])
            .await
            .status,
        200
    );
}

async fn told(
    socket: &mut (
             impl futures_util::Stream<Item = Result<Message, tokio_tungstenite::tungstenite::Error>>
             + Unpin
         ),
    kind: &str,
) -> Value {
    loop {
        let message = tokio::time::timeout(LONG, socket.next())
            .await
            .expect("in time")
            .expect("a message")
            .unwrap();
        if let Message::Text(text) = message {
            let event: Value = serde_json::from_str(&text).unwrap();
            if event["type"] == kind {
                return event;
            }
        }
    }
}

#[tokio::test]
async fn answers_come_over_websocket_and_only_their_sender_hears_of_a_refusal() {
    let server = Asking::plain(LONG).await;
    let (stream, before, question) = server.ask(&[]).await;
    let url = format!(
        "ws://{}{}",
        server.address,
        before[0]["ws_url"].as_str().unwrap()
    );
    let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.unwrap();
    let id = &question["request_id"];
    let say = |message: Value| Message::text(message.to_string());
    let bad = json!([{"op": "test", "path": "/email", "value": "bad"}, {"op": "replace", "path": "/role", "value": "admin"}]);
    socket
        .send(say(
            json!({"type": "healing_patch", "request_id": id, "patch": bad}),
        ))
        .await
        .unwrap();
    let refused = told(&mut socket, "healing_rejected").await;
    assert_eq!(
        (&refused["request_id"], &refused["op_index"]),
        (id, &json!(1))
    );
    assert_eq!(refused["problem"]["status"], 422);
    for message in [
        json!({"type": "healing_patch", "request_id": id}),
        json!({"type": "healing_patch", "request_id": 7, "patch": []}),
        json!({"type": "healing_patch", "request_id": "nobody", "patch": []}),
        json!({"type": "healing_deny", "request_id": id, "patch": []}),
    ] {
        socket.send(say(message.clone())).await.unwrap();
        let refused = told(&mut socket, "healing_rejected").await;
        assert!(refused["problem"]["code"].is_string(), "{message}");
    }
    let twice = format!(r#"{{"type":"healing_patch","request_id":{id},"patch":[],"patch":{bad}}}"#);
    socket.send(Message::text(twice)).await.unwrap();
    told(&mut socket, "healing_rejected").await;
    let good: Value = serde_json::from_str(&email("a@b.c")).unwrap();
    let base = &question["base_hash"];
    socket
        .send(say(
            json!({"type": "healing_patch", "request_id": id, "patch": good, "base_hash": base}),
        ))
        .await
        .unwrap();
    assert_eq!(
        told(&mut socket, "healing_accepted").await["paths"],
        json!(["/email"])
    );
    assert_eq!(
        told(&mut socket, "interactive_healing_result").await["outcome"],
        "accepted"
    );
    assert_eq!(told(&mut socket, "result").await["data"]["email"], "a@b.c");
    let events = stream.events().await;
    assert!(
        events
            .iter()
            .all(|event| event["type"] != "healing_rejected")
    );

    let (stream, before, question) = server.ask(&[]).await;
    let url = format!(
        "ws://{}{}?since=0",
        server.address,
        before[0]["ws_url"].as_str().unwrap()
    );
    let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.unwrap();
    socket
        .send(say(
            json!({"type": "healing_deny", "request_id": question["request_id"]}),
        ))
        .await
        .unwrap();
    assert_eq!(
        told(&mut socket, "healing_accepted").await["outcome"],
        "denied"
    );
    assert_eq!(
        stream.events().await.last().unwrap()["code"],
        "healing_denied"
    );
}

#[tokio::test]
async fn a_black_box_fails_at_once_or_waits_as_its_route_says() {
    let payload = json!({"email": "bad"}).to_string();
    let hurried = Asking::plain(LONG).await;
    let start = std::time::Instant::now();
    let reply = request(
        hurried.address,
        "POST",
        "/users",
        &["aon-report: summary"],
        &payload,
    )
    .await;
    assert_eq!(reply.status, 422);
    assert!(start.elapsed() < Duration::from_secs(2));

    // Somebody is told over HTTP, and answers at once.
    let hook = Router::new().route(
        "/told",
        post(async |Json(question): Json<Value>| {
            assert_eq!(question["step"], "store_user");
            Json(json!({"patch": [{"op": "replace", "path": "/email", "value": "hook@b.c"}]}))
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/told", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, hook).await.unwrap() });
    let settings = Settings::new().asker(Webhook::new(url).authorization("Bearer not-shown"));
    let ask = || Ask::about(["/email"]).within(LONG);
    let patient = Asking::start(settings, ask, |layer| layer.ask_in_black_box()).await;
    let reply = request(patient.address, "POST", "/users", &[], &payload).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json().await["email"], "hook@b.c");
    assert_eq!(patient.audit.lock().unwrap()[0].channel, "webhook");
}

#[tokio::test]
async fn what_a_webhook_says_badly_is_not_an_answer() {
    for (status, said) in [
        (500, r#"{"deny":true}"#),
        (200, r#"{"deny":true,"retry":true}"#),
        (200, r#"{"deny":true,"deny":true}"#),
        (202, "ok"),
    ] {
        let status = axum::http::StatusCode::from_u16(status).unwrap();
        let hook = Router::new().route("/told", post(async move || (status, said)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/told", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, hook).await.unwrap() });
        let settings = Settings::new().asker(Webhook::new(url));
        let ask = || Ask::about(["/email"]).within(LONG);
        let server = Asking::start(settings, ask, |layer| layer).await;
        let (stream, _, question) = server.ask(&[]).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        let url = question["patch_url"].as_str().unwrap();
        let answered = patch(server.address, url, &email("a@b.c"), &[]).await;
        assert_eq!(answered.status, 200, "{status} {said}");
        assert_eq!(stream.events().await.last().unwrap()["type"], "result");
    }
}
