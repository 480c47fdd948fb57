//! What holds at the edge whoever failed: once, in one place, as values.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use aon::axum::{Json, ProblemLayer, Query};
use aon::door::Scope;
use aon::{Code, Door, Failure, ProblemDetails, Status};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get as on_get, post};
use tower::Layer;

use crate::support::{get, get_as, log, post_json, read, send};

fn failure(code: &'static str) -> Failure {
    let status = Status::from_static(503);
    Failure::from(ProblemDetails::new(status, Code::from_static(code)).with_detail("it broke"))
}

/// A service whose `call` panics, before there is a future.
#[derive(Clone)]
struct Panics;

impl tower::Service<Request> for Panics {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request) -> Self::Future {
        panic!("before anything, with password=hunter2")
    }
}

#[tokio::test]
async fn a_call_that_panics_is_answered_and_logged() {
    log::start();
    let service = ProblemLayer::new().layer(Panics);
    let request = get_as("/where", "x-request-id", "r-9");
    let response = tower::ServiceExt::oneshot(service, request).await.unwrap();
    let got = read(response).await;
    assert_eq!(got.code(), "internal");
    let lines = log::take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    for part in [
        "ERROR",
        "r-9",
        "before anything",
        "GET",
        "/where",
        "a handler panicked",
    ] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
    assert!(!lines[0].contains("hunter2"), "{}", lines[0]);
}

#[tokio::test]
async fn what_is_replaced_is_in_the_log_redacted_with_method_and_path() {
    log::start();
    let foreign = async || {
        let body = "<h1>10.0.0.7 said token=sk_live_abcdefghijklmnop</h1>";
        (
            StatusCode::BAD_GATEWAY,
            [("content-type", "text/html")],
            body,
        )
    };
    let app = Router::new()
        .route("/proxy", on_get(foreign))
        .layer(ProblemLayer::new());
    let got = send(&app, get_as("/proxy", "x-request-id", "r-7")).await;
    assert!(!got.body.contains("10.0.0.7"));
    let lines = log::take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    for part in ["ERROR", "r-7", "10.0.0.7 said", "GET", "/proxy", "502"] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
    assert!(!lines[0].contains("sk_live"), "{}", lines[0]);
}

#[tokio::test]
async fn a_failure_that_is_thrown_away_shows_nowhere_but_in_the_log() {
    log::start();
    let swallows = async || {
        let _thrown_away = failure("first").into_response();
        (StatusCode::CONFLICT, "something else").into_response()
    };
    let both = async || {
        let _thrown_away = failure("first").into_response();
        failure("second").into_response()
    };
    let app = Router::new()
        .route("/swallows", on_get(swallows))
        .route("/both", on_get(both))
        .layer(ProblemLayer::new());
    assert_eq!(send(&app, get("/swallows")).await.code(), "conflict");
    assert_eq!(send(&app, get("/both")).await.code(), "second");
    let lines = log::take();
    assert_eq!(lines.len(), 4, "{lines:?}");
    let unsent: Vec<_> = lines
        .iter()
        .filter(|line| line.contains("not sent"))
        .collect();
    assert_eq!(unsent.len(), 2, "{lines:?}");
    assert!(
        unsent.iter().all(|line| line.contains("first")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_layer_inside_another_answers_alone() {
    log::start();
    let seen = Arc::new(Mutex::new(0));
    let count = Arc::clone(&seen);
    let door = Door::new().with_namespace("inner").unwrap();
    let door = door.on_problem(move |_| *count.lock().unwrap() += 1);
    let inner = Router::new()
        .route("/in/fails", on_get(async || failure("broken")))
        .layer(ProblemLayer::new().with_door(door));
    let app = inner.layer(ProblemLayer::new());
    let got = send(&app, get("/in/fails")).await;
    assert_eq!(got.code(), "broken");
    let got = send(&app, get("/in/nothing")).await;
    assert_eq!(got.json()["type"], "inner://problem/unknown_operation");
    assert_eq!(*seen.lock().unwrap(), 2);
    assert_eq!(log::take().len(), 2, "each once");
}

#[tokio::test]
async fn a_handler_finds_the_scope_of_its_request() {
    let handler = async || {
        let scope = Scope::current().expect("a scope");
        tokio::task::yield_now().await;
        let again = Scope::current().expect("the same scope");
        assert_eq!(scope.request_id(), again.request_id());
        format!("{} {} {}", scope.request_id(), scope.method(), scope.path())
    };
    let app = Router::new()
        .route("/a", on_get(handler))
        .layer(ProblemLayer::new());
    let got = send(&app, get_as("/a?token=x", "x-request-id", "r-1")).await;
    assert_eq!(got.body, "r-1 GET /a");
    assert!(Scope::current().is_none());
}

#[tokio::test]
async fn secrets_do_not_leave_in_any_form() {
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let leaks = move || async move {
        let problem = ProblemDetails::new(Status::from_static(400), Code::from_static("leaky"))
            .with_detail(format!("the token {secret} is not valid"))
            .with_valid_values("token", [secret])
            .with_extension(aon::ExtensionName::from_static("password"), "hunter2")
            .unwrap();
        Failure::from(problem)
    };
    let routes = || Router::new().route("/leaks", on_get(leaks));
    let mut checked = 0;
    for app in [routes(), routes().layer(ProblemLayer::new())] {
        for accept in ["application/json", "text/html"] {
            let got = send(&app, get_as("/leaks", "accept", accept)).await;
            assert_eq!(got.status, 400);
            assert!(
                !got.body.contains(secret) && !got.body.contains("hunter2"),
                "{}",
                got.body
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 4);
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Small {
    #[expect(dead_code, reason = "only its type matters")]
    limit: u8,
}

#[tokio::test]
async fn what_is_echoed_is_short() {
    let app = Router::new()
        .route("/json", post(async |_: Json<Small>| "ok"))
        .route("/query", on_get(async |_: Query<Small>| "ok"))
        .layer(ProblemLayer::new());
    let key = "k".repeat(500_000);
    let got = send(
        &app,
        post_json("/json", &format!(r#"{{"{key}":1,"limit":1}}"#)),
    )
    .await;
    assert_eq!(got.code(), "unknown_field");
    assert!(got.body.len() < 4096, "{}", got.body.len());
    let many: Vec<String> = (0..4000)
        .map(|at| format!(r#""unknown_key_{at}":1"#))
        .collect();
    let got = send(&app, post_json("/json", &format!("{{{}}}", many.join(",")))).await;
    assert!(got.body.len() < 16 * 1024, "{}", got.body.len());
    let got = send(&app, get(&format!("/query?{}=1", "q".repeat(50_000)))).await;
    assert!(got.body.len() < 4096, "{}", got.body.len());
}

#[tokio::test]
async fn a_body_over_the_limit_is_told_the_limit() {
    let app = || Router::new().route("/", post(async |_: Json<Small>| "ok"));
    let large = format!(r#"{{"limit":{}1}}"#, " ".repeat(3 << 20));
    let own = axum::extract::DefaultBodyLimit::max(500);
    let door = Door::new().with_body_limit(700);
    for (app, limit) in [
        (app(), 2 << 20),
        (app().layer(own), 500),
        (ProblemLayer::new().wrap(app()), 2 << 20),
        (ProblemLayer::new().with_door(door).wrap(app()), 700),
    ] {
        let got = send(&app, post_json("/", &large)).await;
        assert_eq!((got.status.as_u16(), &*got.code()), (413, "too_large"));
        assert_eq!(got.json()["limit"], limit);
        assert!(
            got.problem().detail().unwrap().contains(&limit.to_string()),
            "{}",
            got.body
        );
    }
    let request = http::Request::post("/").header("content-type", "application/json");
    let got = send(&app(), request.body(Body::empty()).unwrap()).await;
    assert_eq!(got.code(), "invalid_json");
    assert_eq!(
        got.problem().detail(),
        Some("The body is empty; it must be a JSON value.")
    );
}

#[tokio::test]
async fn a_problem_converted_in_a_task_of_its_own_is_logged_once() {
    let app = Router::new()
        .route(
            "/",
            on_get(async || {
                let task = tokio::spawn(async { failure("apart").into_response() });
                task.await.unwrap()
            }),
        )
        .layer(ProblemLayer::new());
    log::start();
    let got = send(&app, get("/")).await;
    let lines = log::take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let id = got.problem().request_id().unwrap().to_owned();
    assert!(lines[0].contains(&id), "{lines:?}");
}

/// Its response is its own, although the derive knows axum.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("it is taken")]
#[problem(status = 409, code = "taken", no_axum)]
struct Taken;

impl IntoResponse for Taken {
    fn into_response(self) -> Response {
        (StatusCode::CONFLICT, "our own words").into_response()
    }
}

#[tokio::test]
async fn a_type_with_a_response_of_its_own_keeps_it() {
    let app = Router::new().route("/", on_get(async || Err::<(), _>(Taken)));
    let got = send(&app, get("/")).await;
    assert_eq!(
        (got.status.as_u16(), got.body.as_str()),
        (409, "our own words")
    );
    assert_eq!(
        aon::Problem::to_problem(&Taken).code().unwrap().as_str(),
        "taken"
    );
}

/// A type of its own, written by hand, whose crate says no namespace: its request is the program's.
#[derive(Debug)]
struct ByHand;

impl std::fmt::Display for ByHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it broke")
    }
}

impl std::error::Error for ByHand {}

impl aon::Problem for ByHand {
    fn entry(&self) -> Option<&'static aon::Entry> {
        static ENTRY: aon::Entry =
            aon::Entry::new("broken", 409, "other://problem/broken", "Broken");
        Some(&ENTRY)
    }
}

#[tokio::test]
async fn a_type_of_its_own_keeps_it_and_has_its_instance_in_the_program() {
    let door = Door::new().with_namespace("acme").unwrap();
    let app = Router::new().route("/", on_get(async || Err::<(), _>(Failure::of(&ByHand))));
    let app = ProblemLayer::new().with_door(door).wrap(app);
    let got = send(&app, get_as("/", "x-request-id", "r-1")).await;
    assert_eq!(got.json()["type"], "other://problem/broken");
    assert_eq!(got.json()["instance"], "urn:acme:request:r-1");
}

#[tokio::test]
async fn json_that_cannot_be_read_is_told_the_same_on_every_surface() {
    let app = Router::new().route("/", post(async |_: Json<serde_json::Value>| "ok"));
    let endpoint = aon::jsonrpc::Endpoint::new();
    for body in ["", " \n", "{\"a", "[1,]", "{} x", "nul"] {
        let got = send(&app, post_json("/", body)).await;
        assert_eq!(got.code(), "invalid_json", "{body:?}");
        let (parts, ()) = http::Request::post("/")
            .header("content-type", "application/json")
            .body(())
            .unwrap()
            .into_parts();
        let never = |_: &aon::jsonrpc::Request| Err::<aon::Json, _>(failure("never"));
        let rpc = endpoint.open(&parts).answer(body.as_bytes(), never);
        let rpc: serde_json::Value = serde_json::from_slice(rpc.body()).unwrap();
        let said = rpc.pointer("/error/message").and_then(|said| said.as_str());
        let detail = got.problem().detail().map(str::to_owned).unwrap();
        assert!(
            said.is_some_and(|said| said.starts_with(&detail)),
            "{detail}: {rpc}"
        );
    }
}
