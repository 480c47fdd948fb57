//! The first example of the book, to the letter.

use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_live::{GlassBox, Hub, Session};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use super::support::{NDJSON, check_stream, kinds, request};

#[derive(Deserialize)]
struct NewUser {
    name: String,
}

#[derive(Serialize)]
struct User {
    id: &'static str,
    name: String,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum UserError {
    #[error("the name is taken")]
    #[problem(status = 409, code = "name_taken")]
    NameTaken,
}

async fn store(user: NewUser) -> Result<User, UserError> {
    match user.name.as_str() {
        "taken" => Err(UserError::NameTaken),
        _ => Ok(User {
            id: "usr_123",
            name: user.name,
        }),
    }
}

#[rustfmt::skip]
async fn create_user(session: Session, Json(user): Json<NewUser>) -> Result<Json<User>, UserError> {
    session.intent("create_user").issue("invalid_schema").decision("apply_semantic_mapping");
    session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
    Ok(Json(store(user).await?))
}

#[tokio::test]
async fn the_first_example_of_the_book_works_as_it_stands() {
    let hub = Hub::new(); // embedded: nothing to install
    #[rustfmt::skip]
    let app = Router::new()
        .route("/users", post(create_user))
        .layer(GlassBox::new(&hub))
        .merge(hub.routes())                               // sessions, SSE, WebSocket, /.well-known/aon
        .layer(ProblemLayer::new());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut seen = 0;
    for (body, end, status) in [
        (r#"{"name":"ann"}"#, "result", 200),
        (r#"{"name":"taken"}"#, "error", 409),
    ] {
        let black = request(address, "POST", "/users", &[], body).await;
        assert_eq!(black.status, status);
        let black = black.json().await;
        let glass = request(address, "POST", "/users", &[NDJSON], body).await;
        let events = glass.events().await;
        check_stream(&events);
        assert_eq!(
            kinds(&events),
            ["session", "intent_analysis", "status", end]
        );
        let last = events.last().unwrap();
        assert_eq!(last["status"], status);
        if end == "result" {
            assert_eq!(last["data"], black);
        } else {
            assert_eq!(last["code"], black["code"]);
        }
        seen += 1;
    }
    assert_eq!(seen, 2);
}
