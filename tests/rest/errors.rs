//! Errors of handlers, with and without the layer.

use std::fmt;

use aon::axum::{ProblemLayer, respond};
use aon::{Code, Entry, Members, NextAction, Problem, ProblemDetails, Remediation, Status};
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing;

use crate::support::{get, get_as, log, send};

#[derive(Debug)]
struct Storage {
    source: std::io::Error,
    #[expect(dead_code, reason = "private: it is here to not be seen")]
    shard: String,
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("storage failed")
    }
}

impl std::error::Error for Storage {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

static STORAGE: Entry = Entry {
    retry_after: Some(7),
    ..Entry::new("storage", 503, "acme://problem/storage", "Storage failed")
};

impl Problem for Storage {
    fn entry(&self) -> Option<&'static Entry> {
        Some(&STORAGE)
    }

    fn members(&self, members: &mut Members<'_>) {
        members.extension("region", "eu");
    }
}

impl IntoResponse for Storage {
    fn into_response(self) -> Response {
        respond(&self)
    }
}

fn storage() -> Storage {
    Storage {
        source: std::io::Error::other("db-7.internal refused, password=hunter2"),
        shard: "sHaRd".to_owned(),
    }
}

fn app() -> Router {
    Router::new()
        .route("/storage", routing::get(async || Err::<(), _>(storage())))
        .route(
            "/scope",
            routing::get(async || {
                aon::Failure::from(
                    ProblemDetails::new(
                        Status::from_static(403),
                        Code::from_static("missing_scope"),
                    )
                    .with_remediation(
                        Remediation::request_scope_elevation()
                            .with_next_action(NextAction::required_scope("orders:write")),
                    ),
                )
            }),
        )
        .route(
            "/relayed",
            routing::get(async || {
                aon::Failure::from(
                    ProblemDetails::new(Status::from_static(409), Code::from_static("upstream"))
                        .with_request_id(&aon::Namespace::DEFAULT, "up-1"),
                )
            }),
        )
}

#[tokio::test]
async fn an_error_is_a_problem_without_the_layer_too() {
    let got = send(&app(), get("/storage")).await;
    assert_eq!(got.status, 503);
    assert_eq!(got.header("retry-after"), "7");
    let problem = got.problem();
    assert_eq!(problem.detail(), Some("storage failed"));
    assert_eq!(
        problem.extensions().get("region").unwrap().as_str(),
        "\"eu\""
    );
    let id = problem.request_id().unwrap();
    assert_eq!(
        (id.len(), id.as_bytes()[14]),
        (36, b'7'),
        "{id} is a UUIDv7"
    );
    assert_ne!(
        id,
        send(&app(), get("/storage"))
            .await
            .problem()
            .request_id()
            .unwrap()
    );
}

#[tokio::test]
async fn a_required_scope_lowers_to_its_challenge() {
    let got = send(&app(), get("/scope")).await;
    assert_eq!(got.status, 403);
    assert_eq!(
        got.header("www-authenticate"),
        "Bearer error=\"insufficient_scope\", scope=\"orders:write\""
    );
    assert_eq!(got.code(), "missing_scope");
}

#[tokio::test]
async fn the_request_id_is_the_one_the_request_brought() {
    let app = app().layer(ProblemLayer::new());
    let got = send(&app, get_as("/storage", "x-request-id", "req-42")).await;
    let problem = got.problem();
    assert_eq!(problem.request_id(), Some("req-42"));
    assert_eq!(
        problem.instance().unwrap().as_str(),
        "urn:pspace:request:req-42"
    );
    assert_eq!(got.header("retry-after"), "7");
    assert_eq!(got.header("vary"), "accept");

    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let got = send(&app, get_as("/storage", "traceparent", trace)).await;
    assert_eq!(
        got.problem().request_id(),
        Some("4bf92f3577b34da6a3ce929d0e0e4736")
    );

    for hostile in ["a b", "\"quoted\"", &"x".repeat(200)] {
        let got = send(&app, get_as("/storage", "x-request-id", hostile)).await;
        assert_eq!(got.problem().request_id().unwrap().len(), 36, "{hostile}");
    }
}

#[tokio::test]
async fn an_id_that_is_there_already_stays() {
    let app = app().layer(ProblemLayer::new());
    let got = send(&app, get_as("/relayed", "x-request-id", "req-42")).await;
    assert_eq!(got.problem().request_id(), Some("up-1"));
}

#[tokio::test]
async fn causes_and_private_fields_go_to_the_log_once_with_the_final_id() {
    log::start();
    let app = app().layer(ProblemLayer::new());
    let got = send(&app, get_as("/storage", "x-request-id", "req-42")).await;
    for private in ["db-7", "hunter2", "sHaRd"] {
        assert!(!got.body.contains(private) && !format!("{:?}", got.headers).contains(private));
    }
    let lines = log::take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = &lines[0];
    for part in [
        "ERROR",
        "req-42",
        "db-7.internal refused",
        "sHaRd",
        "503",
        "storage failed",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(
        !line.contains("hunter2"),
        "secrets stay out of the log: {line}"
    );

    send(&app, get("/scope")).await;
    let lines = log::take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("DEBUG"), "{lines:?}");

    let bare = self::app();
    send(&bare, get("/storage")).await;
    assert_eq!(log::take().len(), 1, "without the layer it is logged too");
}
