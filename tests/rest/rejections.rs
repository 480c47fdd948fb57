//! What axum's own extractors refuse, as the layer tells it.

use aon::axum::ProblemLayer;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Form, Json, Path, Query};
use axum::routing::{get as on_get, post};
use axum::{Extension, Router};
use http::Request;
use serde::Deserialize;

use crate::support::{Got, get, post_json, send};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ux {
    Hosted,
    Custom,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Input {
    name: String,
    age: u8,
    ux: Ux,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read")]
struct Tag {
    key: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read")]
struct Page {
    page: u32,
    ux: Option<Ux>,
}

#[derive(Clone)]
struct Absent;

fn app() -> Router {
    Router::new()
        .route("/json", post(async |_: Json<Input>| "ok"))
        .route(
            "/form",
            post(async |_: Form<Page>| "ok").get(async |_: Form<Page>| "ok"),
        )
        .route("/query", on_get(async |_: Query<Page>| "ok"))
        .route("/path/{id}", on_get(async |_: Path<u32>| "ok"))
        .route("/pair/{id}/{ux}", on_get(async |_: Path<(u32, Ux)>| "ok"))
        .route("/text", post(async |_: String| "ok"))
        .route("/bytes", post(async |_: Bytes| "ok"))
        .route("/extension", on_get(async |_: Extension<Absent>| "ok"))
        .layer(DefaultBodyLimit::max(200))
        .layer(ProblemLayer::new())
}

async fn json(body: &str) -> Got {
    send(&app(), post_json("/json", body)).await
}

#[track_caller]
fn expect(got: &Got, status: u16, code: &str, pointer: Option<&str>) {
    assert_eq!(
        (got.status.as_u16(), &*got.code()),
        (status, code),
        "{}",
        got.body
    );
    if let Some(pointer) = pointer {
        assert_eq!(
            got.json()["errors"][0]["pointer"],
            format!("#{pointer}"),
            "{}",
            got.body
        );
    }
}

#[tokio::test]
async fn json_bodies() {
    let got = json(r#"{"name":"a","age":1,"ux":"Hosted"}"#).await;
    expect(&got, 422, "invalid_value", Some("/ux"));
    assert_eq!(
        got.json()["valid_values"]["ux"],
        serde_json::json!(["hosted", "custom"])
    );
    assert_eq!(got.json()["suggestion"], "hosted");

    let got = json(r#"{"name":"a","age":"x-secret-x","ux":"hosted"}"#).await;
    expect(&got, 422, "invalid_value", Some("/age"));
    assert_eq!(
        (&got.json()["received"], &got.json()["expected"]),
        (&"string".into(), &"a whole number from 0 to 255".into())
    );
    assert!(!got.body.contains("x-secret-x"));

    let got = json(r#"{"name":"a","age":300,"ux":"hosted"}"#).await;
    expect(&got, 422, "invalid_value", Some("/age"));

    expect(
        &json(r#"{"age":1,"ux":"hosted"}"#).await,
        422,
        "missing_field",
        Some("/name"),
    );
    expect(
        &json(r#"{"name":"a","age":1,"ux":"hosted","tags":[{"key":"k"},{}]}"#).await,
        422,
        "missing_field",
        Some("/tags/1/key"),
    );
    let got = json(r#"{"nmae":"a","age":1,"ux":"hosted"}"#).await;
    expect(&got, 422, "unknown_field", Some("/nmae"));
    assert_eq!(got.json()["suggestion"], "name");
    assert_eq!(got.json()["valid_values"]["field"][0], "name");
    // A name with dots is one step, and a secret in there stays one.
    let got = json(r#"{"a.b.c":1}"#).await;
    expect(&got, 422, "unknown_field", Some("/a.b.c"));
    let hook = "https://hooks.slack.com/services/T00000001/B00000001/Zx81hQmW0pLr5TnVb2KsYc7d";
    let got = json(&format!(r#"{{"{hook}":1}}"#)).await;
    assert!(
        !got.body.contains("Zx81hQmW0pLr5TnVb2KsYc7d"),
        "{}",
        got.body
    );

    for broken in ["{", "", "{\"name\":}", "nonsense"] {
        expect(&json(broken).await, 400, "invalid_json", None);
    }
    let bare = Request::post("/json").body(Body::from("{}")).unwrap();
    let got = send(&app(), bare).await;
    expect(&got, 415, "unsupported_media_type", None);
    assert_eq!(got.header("accept"), "application/json");
    assert_eq!(
        got.json()["valid_values"]["content-type"][0],
        "application/json"
    );
}

#[tokio::test]
async fn bodies_that_are_too_large_or_no_text() {
    for path in ["/json", "/bytes", "/text"] {
        let got = send(&app(), post_json(path, &"x".repeat(300))).await;
        expect(&got, 413, "too_large", None);
    }
    let request = Request::post("/text")
        .body(Body::from(vec![0xff, 0xfe]))
        .unwrap();
    expect(&send(&app(), request).await, 400, "invalid_body", None);
}

#[tokio::test]
async fn queries_forms_and_paths() {
    expect(
        &send(&app(), get("/query")).await,
        400,
        "invalid_query",
        Some("/page"),
    );
    expect(
        &send(&app(), get("/query?page=x")).await,
        400,
        "invalid_query",
        Some("/page"),
    );
    let got = send(&app(), get("/query?page=1&ux=costum")).await;
    expect(&got, 400, "invalid_query", Some("/ux"));
    assert_eq!(got.json()["suggestion"], "custom");
    expect(
        &send(&app(), get("/form?page=x")).await,
        400,
        "invalid_query",
        Some("/page"),
    );
    let form = |body: &'static str| {
        Request::post("/form")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .unwrap()
    };
    expect(
        &send(&app(), form("page=x")).await,
        422,
        "invalid_value",
        Some("/page"),
    );
    expect(
        &send(&app(), form("")).await,
        422,
        "missing_field",
        Some("/page"),
    );
    expect(
        &send(&app(), post_json("/form", "{}")).await,
        415,
        "unsupported_media_type",
        None,
    );

    let got = send(&app(), get("/path/x-secret-x")).await;
    expect(&got, 400, "invalid_path", None);
    assert!(
        got.problem()
            .detail()
            .unwrap()
            .contains("a whole number from 0 to"),
        "{}",
        got.body
    );
    let got = send(&app(), get("/pair/1/hosed")).await;
    expect(&got, 400, "invalid_path", None);
    assert!(got.body.contains("hosted"), "{}", got.body);
}

#[tokio::test]
async fn what_the_program_forgot_is_no_business_of_the_caller() {
    let got = send(&app(), get("/extension")).await;
    expect(&got, 500, "internal", None);
    assert!(
        !got.body.contains("Absent") && !got.body.contains("xtension"),
        "{}",
        got.body
    );
}

#[tokio::test]
async fn the_route_names_the_parameter_of_a_path() {
    let app = Router::new()
        .route(
            "/items/{id}",
            axum::routing::get(async |_: axum::extract::Path<u32>| "ok"),
        )
        .route(
            "/items/{id}/parts/{part}",
            axum::routing::get(async |_: axum::extract::Path<(u32, u32)>| "ok"),
        );
    let app = aon::axum::ProblemLayer::new().wrap(app);
    for (path, pointer) in [("/items/x", "#/id"), ("/items/1/parts/x", "#/part")] {
        let got = send(&app, get(path)).await;
        assert_eq!(got.code(), "invalid_path");
        assert_eq!(got.json()["errors"][0]["pointer"], pointer, "{}", got.body);
    }
}
