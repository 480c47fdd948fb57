//! S3: whoever made the error.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aon::axum::{Passthrough, ProblemLayer};
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{self, get as on_get};
use axum::{Extension, Router};
use http::Request;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

use crate::support::{get, get_as, post_json, read, send};

fn app() -> Router {
    Router::new()
        .route(
            "/clusters/{id}",
            on_get(async || "a cluster").delete(async || "gone"),
        )
        .route(
            "/text",
            on_get(async || (StatusCode::CONFLICT, "the secret lock is held")),
        )
        .route(
            "/broken",
            on_get(async || (StatusCode::BAD_GATEWAY, "10.0.0.7 said: password=x")),
        )
        .route("/panic", on_get(panics))
        .route("/handler404", on_get(async || StatusCode::NOT_FOUND))
        .route("/teapot", on_get(async || StatusCode::IM_A_TEAPOT))
        .route("/ok", on_get(async || "ok"))
}

async fn panics() -> &'static str {
    panic!("at the disco with password=hunter2")
}

fn layered(app: Router) -> Router {
    let layer = ProblemLayer::new().with_routes_of(&app);
    app.layer(layer)
}

#[tokio::test]
async fn success_is_left_alone() {
    let got = send(&layered(app()), get_as("/ok", "x-request-id", "a")).await;
    assert_eq!((got.status, &*got.body), (StatusCode::OK, "ok"));
    assert!(!got.headers.contains_key("x-request-id") && !got.headers.contains_key("vary"));
}

#[tokio::test]
async fn an_unknown_route_names_the_nearest() {
    let got = send(&layered(app()), get("/cluster/7")).await;
    assert_eq!(got.status, 404);
    let problem = got.problem();
    assert_eq!(got.code(), "unknown_operation");
    assert_eq!(got.json()["suggestion"], "/clusters/{id}");
    assert!(problem.detail().unwrap().contains("/clusters/{id}"));
    assert_eq!(got.json()["valid_values"]["path"][0], "/clusters/{id}");

    let got = send(&layered(app()), get("/nothing/like/it")).await;
    assert_eq!(got.code(), "unknown_operation");
    assert!(got.json().get("suggestion").is_none());

    let got = send(&layered(app()), get("/handler404")).await;
    assert_eq!(
        got.code(),
        "not_found",
        "a handler said it, the route exists"
    );
    let got = send(&app().layer(ProblemLayer::new()), get("/nope")).await;
    assert_eq!(got.code(), "unknown_operation");
}

#[tokio::test]
async fn a_wrong_method_lists_the_right_ones() {
    let request = Request::post("/clusters/7").body(Body::empty()).unwrap();
    let got = send(&layered(app()), request).await;
    assert_eq!(
        (got.status.as_u16(), got.code().as_str()),
        (405, "method_not_allowed")
    );
    let allow = got.header("allow").to_owned();
    assert!(allow.contains("GET") && allow.contains("DELETE"), "{allow}");
    let methods: Vec<String> =
        serde_json::from_value(got.json()["valid_values"]["method"].clone()).unwrap();
    assert_eq!(
        methods,
        allow
            .split(',')
            .map(|m| m.trim().to_owned())
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn foreign_text_does_not_show() {
    for (path, status, code, private) in [
        ("/text", 409, "conflict", "secret"),
        ("/broken", 502, "bad_gateway", "10.0.0.7"),
        ("/panic", 500, "internal", "disco"),
        ("/teapot", 418, "client_error", "\u{0}"),
    ] {
        let got = send(&layered(app()), get(path)).await;
        assert_eq!((got.status.as_u16(), got.code().as_str()), (status, code));
        assert!(!got.body.contains(private), "{}", got.body);
        assert!(!format!("{:?}", got.headers).contains(private));
    }
}

#[tokio::test]
async fn foreign_text_of_a_4xx_shows_when_asked_redacted() {
    let app = app()
        .route(
            "/login",
            on_get(async || (StatusCode::FORBIDDEN, "no: token=sk_live_abcdefghijklmnop")),
        )
        .layer(ProblemLayer::new().with_foreign_detail(true));
    let got = send(&app, get("/text")).await;
    assert_eq!(got.problem().detail(), Some("the secret lock is held"));
    let got = send(&app, get("/login")).await;
    assert!(!got.body.contains("sk_live_abc"), "{}", got.body);
    let got = send(&app, get("/broken")).await;
    assert!(!got.body.contains("10.0.0.7"), "{}", got.body);
}

#[tokio::test]
async fn headers_of_a_replaced_response_survive() {
    async fn limited() -> Response {
        let mut response = (StatusCode::TOO_MANY_REQUESTS, "slow down").into_response();
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
        headers.append(header::SET_COOKIE, HeaderValue::from_static("a=1"));
        headers.append(header::SET_COOKIE, HeaderValue::from_static("b=2"));
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
        headers.insert("x-trace", HeaderValue::from_static("t"));
        headers.insert(header::ETAG, HeaderValue::from_static("\"1\""));
        headers.insert(
            header::CONTENT_ENCODING,
            HeaderValue::from_static("identity"),
        );
        response
    }
    async fn login() -> Response {
        (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Basic realm=\"x\"")],
        )
            .into_response()
    }
    let app = Router::new()
        .route("/limited", on_get(limited))
        .route("/login", on_get(login))
        .route("/bare401", on_get(async || StatusCode::UNAUTHORIZED))
        .layer(ProblemLayer::new());
    let got = send(&app, get("/limited")).await;
    assert_eq!(got.code(), "too_many_requests");
    assert_eq!(got.header("retry-after"), "30");
    assert_eq!(got.json()["retry_after"], 30);
    assert_eq!(got.headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(got.header("access-control-allow-origin"), "*");
    assert_eq!(got.header("x-trace"), "t");
    let vary: Vec<_> = got.headers.get_all("vary").iter().collect();
    assert_eq!(vary, ["origin", "accept"]);
    for gone in ["etag", "content-encoding"] {
        assert!(!got.headers.contains_key(gone), "{gone}");
    }
    let got = send(&app, get("/login")).await;
    assert_eq!(got.header("www-authenticate"), "Basic realm=\"x\"");
    assert_eq!(got.json()["challenge"], "Basic realm=\"x\"");
    assert_eq!(got.headers.get_all("www-authenticate").iter().count(), 1);
    let got = send(&app, get("/bare401")).await;
    assert_eq!(got.header("www-authenticate"), "Bearer");
}

#[tokio::test]
async fn a_problem_passes_untouched_apart_from_missing_ids() {
    let whole = r#"{ "title":"T", "status":409, "request_id":"r", "instance":"/x", "z":[1.0] }"#;
    let partial = r#"{"status":409,"title":"T","code":"custom","extra":{"b":1,"a":2}}"#;
    let answer = move |body: &'static str| async move {
        (
            StatusCode::CONFLICT,
            [(header::CONTENT_TYPE, "application/problem+json")],
            body,
        )
    };
    let app = Router::new()
        .route("/whole", on_get(move || answer(whole)))
        .route("/partial", on_get(move || answer(partial)))
        .layer(ProblemLayer::new());
    let got = send(&app, get_as("/whole", "x-request-id", "mine")).await;
    assert_eq!(got.body, whole);
    let got = send(&app, get_as("/partial", "x-request-id", "mine")).await;
    assert_eq!(
        got.body,
        r#"{"title":"T","status":409,"instance":"urn:pspace:request:mine","code":"custom","request_id":"mine","extra":{"b":1,"a":2}}"#
    );
}

#[tokio::test]
async fn streams_and_large_bodies_are_not_read() {
    let large = "x".repeat(100 * 1024);
    let body = format!(r#"{{"title":"T","status":400,"pad":"{large}"}}"#);
    let kept = body.clone();
    let never = || Body::new(Endless(false));
    let app = Router::new()
        .route(
            "/large",
            on_get(move || async move {
                (
                    StatusCode::BAD_REQUEST,
                    [(header::CONTENT_TYPE, "application/problem+json")],
                    body,
                )
            }),
        )
        .route(
            "/stream",
            on_get(move || async move {
                (
                    StatusCode::BAD_REQUEST,
                    [(header::CONTENT_TYPE, "application/problem+json")],
                    never(),
                )
            }),
        )
        .route(
            "/events",
            on_get(move || async move {
                (
                    StatusCode::BAD_REQUEST,
                    [(header::CONTENT_TYPE, "text/event-stream")],
                    never(),
                )
            }),
        )
        .route(
            "/endless",
            on_get(move || async move {
                (
                    StatusCode::BAD_GATEWAY,
                    [(header::CONTENT_TYPE, "text/html")],
                    never(),
                )
            }),
        )
        .layer(ProblemLayer::new());
    assert_eq!(send(&app, get("/large")).await.body, kept);
    for path in ["/stream", "/events"] {
        let response = tower::ServiceExt::oneshot(app.clone(), get(path))
            .await
            .unwrap();
        let mut body = response.into_body();
        let first = http_body_util::BodyExt::frame(&mut body)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            first.into_data().unwrap(),
            Bytes::from_static(b"first"),
            "{path}"
        );
    }
    let got = send(&app, get("/endless")).await;
    assert_eq!(got.code(), "bad_gateway", "replaced without being read");
}

/// One chunk, then nothing, for ever.
struct Endless(bool);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        if std::mem::replace(&mut self.0, true) {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(
                b"first",
            )))))
        }
    }
}

#[tokio::test]
async fn a_marked_response_leaves_as_it_is() {
    let app = Router::new()
        .route(
            "/relay",
            on_get(async || (StatusCode::BAD_GATEWAY, Extension(Passthrough), "as it was")),
        )
        .layer(ProblemLayer::new());
    assert_eq!(send(&app, get("/relay")).await.body, "as it was");
}

#[tokio::test]
async fn json_rpc_keeps_its_own_error() {
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
    let app = Router::new()
        .route(
            "/rpc",
            on_get(move || async move {
                (
                    StatusCode::BAD_REQUEST,
                    [(header::CONTENT_TYPE, "application/json")],
                    body,
                )
            }),
        )
        .route(
            "/json",
            on_get(async || {
                (
                    StatusCode::BAD_REQUEST,
                    axum::Json(serde_json::json!({"message": "internal words"})),
                )
            }),
        )
        .route(
            "/misnamed",
            on_get(async || {
                (
                    StatusCode::GONE,
                    axum::Json(serde_json::json!({"title": "T", "status": 410})),
                )
            }),
        )
        .layer(ProblemLayer::new());
    assert_eq!(send(&app, get("/rpc")).await.body, body);
    let got = send(&app, get("/json")).await;
    assert_eq!(got.code(), "bad_request");
    assert!(!got.body.contains("internal words"));
    let got = send(&app, get("/misnamed")).await;
    assert_eq!(got.header("content-type"), "application/problem+json");
    assert_eq!(got.json()["title"], "T");
    assert!(got.json()["request_id"].is_string());
}

#[tokio::test]
async fn limits_and_time_outs_of_tower_http() {
    let slow = Router::new()
        .route(
            "/slow",
            on_get(async || tokio::time::sleep(Duration::from_secs(60)).await),
        )
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            Duration::from_millis(5),
        ))
        .layer(ProblemLayer::new());
    let got = send(&slow, get("/slow")).await;
    assert_eq!(
        (got.status.as_u16(), got.code().as_str()),
        (408, "request_timeout")
    );

    let small = Router::new()
        .route("/bytes", routing::post(async |_: Bytes| "ok"))
        .layer(RequestBodyLimitLayer::new(4))
        .layer(ProblemLayer::new());
    let got = send(&small, post_json("/bytes", "too long")).await;
    assert_eq!(
        (got.status.as_u16(), got.code().as_str()),
        (413, "too_large")
    );

    let caught = Router::new()
        .route("/panic", on_get(panics))
        .layer(tower_http::catch_panic::CatchPanicLayer::new())
        .layer(ProblemLayer::new());
    let got = send(&caught, get("/panic")).await;
    assert_eq!(got.code(), "internal");
    assert!(!got.body.contains("panicked"), "{}", got.body);
}

#[tokio::test]
async fn the_legacy_shape_is_for_its_routes_only() {
    let app = app()
        .route(
            "/v0/broken",
            on_get(async || StatusCode::SERVICE_UNAVAILABLE),
        )
        .route("/v0/missing", on_get(async || StatusCode::NOT_FOUND))
        .route(
            "/v00/broken",
            on_get(async || StatusCode::SERVICE_UNAVAILABLE),
        )
        .route("/v0/panic", on_get(panics))
        .layer(ProblemLayer::new().with_legacy("/v0", 1_767_225_600));
    for path in ["/v0/broken", "/v0/panic"] {
        let got = send(&app, get_as(path, "x-request-id", "r-1")).await;
        let problem = got.problem();
        let error = &got.json()["error"];
        assert_eq!(error["code"], problem.code().unwrap().as_str());
        assert_eq!(error["message"], problem.detail().unwrap());
        assert_eq!(error["request_id"], "r-1");
        assert_eq!(error.as_object().unwrap().len(), 3);
        assert_eq!(got.header("deprecation"), "@1767225600");
    }
    for path in ["/v0/missing", "/v00/broken", "/broken"] {
        let got = send(&app, get(path)).await;
        assert!(
            got.json().get("error").is_none() && !got.headers.contains_key("deprecation"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn namespace_docs_and_hook() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let door = aon::Door::new()
        .with_namespace("acme")
        .unwrap()
        .with_docs("https://docs.acme.example/errors/")
        .on_problem(move |problem| {
            sink.lock()
                .unwrap()
                .push((problem.code.to_owned(), problem.status, problem.surface));
        });
    let app = app().layer(ProblemLayer::new().with_door(door));
    let got = send(&app, get("/nope")).await;
    let problem = got.problem();
    assert_eq!(
        problem.type_uri().unwrap().as_str(),
        "acme://problem/unknown_operation"
    );
    assert!(
        problem
            .instance()
            .unwrap()
            .as_str()
            .starts_with("urn:acme:request:")
    );
    assert_eq!(
        problem.docs_url().unwrap().as_str(),
        "https://docs.acme.example/errors/unknown_operation"
    );
    assert_eq!(
        got.header("link"),
        "<https://docs.acme.example/errors/unknown_operation>; rel=\"help\""
    );
    send(&app, get_as("/panic", "accept", "text/html")).await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            ("unknown_operation".to_owned(), 404, "rest"),
            ("internal".to_owned(), 500, "human")
        ]
    );
    assert!(aon::Door::new().with_namespace("Not A Namespace").is_err());
}

#[tokio::test]
async fn it_works_around_the_whole_service_too() {
    let service = tower::Layer::layer(&ProblemLayer::new(), app());
    let response = tower::ServiceExt::oneshot(service, get("/nope"))
        .await
        .unwrap();
    assert_eq!(read(response).await.code(), "unknown_operation");
}

#[tokio::test]
async fn a_date_to_try_again_stays_and_becomes_a_delay() {
    let far = "Fri, 31 Dec 9999 23:59:59 GMT";
    let past = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (date, least) in [(far, 1), (past, 0)] {
        let answer = move || async move {
            let headers = [(header::RETRY_AFTER, date)];
            (StatusCode::SERVICE_UNAVAILABLE, headers, "later")
        };
        let app = Router::new()
            .route("/", on_get(answer))
            .layer(ProblemLayer::new());
        let got = send(&app, get("/")).await;
        assert_eq!(got.code(), "service_unavailable");
        assert_eq!(got.header("retry-after"), date);
        let delay = got.json()["retry_after"].as_u64().expect("seconds");
        assert!(delay >= least, "{delay}");
    }
}

#[tokio::test]
async fn every_status_says_what_to_do() {
    let answer = async |axum::extract::Path(status): axum::extract::Path<u16>| {
        StatusCode::from_u16(status).unwrap_or_default()
    };
    let app = Router::new()
        .route("/{status}", on_get(answer))
        .layer(ProblemLayer::new());
    let (mut checked, mut remedied) = (0, 0);
    for status in 400..600 {
        let got = send(&app, get(&format!("/{status}"))).await;
        let problem = got.problem();
        assert!(problem.detail().is_some(), "{status}");
        // A caller who can correct the request is told how by the rest of the problem.
        if let Some(remediation) = problem.remediation() {
            assert!(remediation.message().is_some(), "{status}");
            remedied += 1;
        }
        checked += 1;
    }
    assert_eq!(checked, 200);
    assert!(remedied > 0, "some need somebody to do something first");
    // What failed inside may pass: a caller that may repeat the call is not told that nothing helps.
    let inside = send(&app, get("/500")).await.problem();
    assert!(inside.remediation().is_none(), "{inside:?}");
}

#[tokio::test]
async fn a_challenge_that_names_a_scope_is_a_way_out() {
    let challenge = r#"Bearer error="insufficient_scope", scope="orders:write""#;
    let answer = move || async move {
        (
            StatusCode::FORBIDDEN,
            [(header::WWW_AUTHENTICATE, challenge)],
        )
    };
    let app = Router::new()
        .route("/", on_get(answer))
        .layer(ProblemLayer::new());
    let got = send(&app, get("/")).await;
    assert_eq!(got.header("www-authenticate"), challenge);
    let remediation = &got.json()["remediation"];
    assert_eq!(remediation["type"], "request_scope_elevation");
    assert_eq!(remediation["next_action"]["required_scope"], "orders:write");
}
