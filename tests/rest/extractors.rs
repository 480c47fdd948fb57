//! `aon::axum::{Json, Query, Path}`: rejections that need no layer.

use aon::axum::{Json, Path, Query};
use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get as on_get, post};
use http::Request;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Got, get, post_json, send};

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Ux {
    Hosted,
    Custom,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Input {
    name: String,
    age: u8,
    ux: Ux,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Deserialize, Serialize)]
struct Tag {
    key: String,
    weight: f64,
}

#[derive(Deserialize)]
struct Page {
    page: u32,
    ux: Option<Ux>,
}

#[derive(Deserialize)]
struct Named {
    id: u32,
    #[expect(dead_code, reason = "only read")]
    ux: Ux,
}

fn app() -> Router {
    Router::new()
        .route("/json", post(async |Json(input): Json<Input>| Json(input)))
        .route(
            "/query",
            on_get(async |Query(page): Query<Page>| format!("{}{}", page.page, page.ux.is_some())),
        )
        .route(
            "/path/{id}",
            on_get(async |Path(id): Path<u32>| id.to_string()),
        )
        .route(
            "/pair/{id}/{ux}",
            on_get(async |Path((id, _)): Path<(u32, Ux)>| id.to_string()),
        )
        .route(
            "/named/{id}/{ux}",
            on_get(async |Path(Named { id, ux: _ }): Path<Named>| id.to_string()),
        )
        .layer(DefaultBodyLimit::max(500))
}

async fn json(body: &str) -> Got {
    send(&app(), post_json("/json", body)).await
}

fn pointers(got: &Got) -> Vec<String> {
    let errors = got.json()["errors"].as_array().cloned().unwrap_or_default();
    errors
        .iter()
        .map(|error| error["pointer"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_good_body_comes_through() {
    let body = r#"{"name":"a","age":1,"ux":"hosted","tags":[]}"#;
    let got = json(body).await;
    assert_eq!((got.status.as_u16(), &*got.body), (200, body));
    assert_eq!(got.header("content-type"), "application/json");
}

#[tokio::test]
async fn every_wrong_field_is_named_at_once() {
    let got = json(r#"{"name":7,"age":"x","ux":"Hosted","tags":[{"key":"k","weight":1},{"key":false}],"nmae":1}"#).await;
    assert_eq!(got.status, 422);
    let mut named = pointers(&got);
    named.sort();
    assert_eq!(
        named,
        [
            "#/age",
            "#/name",
            "#/nmae",
            "#/tags/1/key",
            "#/tags/1/weight",
            "#/ux"
        ],
        "{}",
        got.body
    );
    assert_eq!(
        got.json()["valid_values"]["ux"],
        json!(["hosted", "custom"])
    );
    got.problem();
}

#[tokio::test]
async fn a_missing_field_tells_its_values() {
    let got = json("{}").await;
    assert_eq!(got.code(), "missing_field");
    assert_eq!(pointers(&got), ["#/name", "#/age", "#/ux"]);
    assert_eq!(
        got.json()["valid_values"]["ux"],
        json!(["hosted", "custom"]),
        "{}",
        got.body
    );
}

#[tokio::test]
async fn no_text_where_a_choice_is_wanted_is_a_wrong_value_in_good_json() {
    for given in ["3", "null", "[]", "true", "{}"] {
        let got = json(&format!(r#"{{"name":"a","age":1,"ux":{given}}}"#)).await;
        assert_eq!(
            (got.status.as_u16(), got.code()),
            (422, "invalid_value".into()),
            "{given}: {}",
            got.body
        );
        assert_eq!(pointers(&got), ["#/ux"], "{given}");
    }
    let got = json(r#"{"name":"a","age":1,"ux":3}"#).await;
    assert_eq!(
        (&got.json()["detail"], &got.json()["valid_values"]),
        (
            &json!("/ux must be \"hosted\" or \"custom\"."),
            &json!({"ux": ["hosted", "custom"]})
        )
    );
    let got = json(r#"{"name":"a","age":1,"ux":3"#).await;
    assert_eq!(got.status, 400);
}

#[tokio::test]
async fn one_wrong_field_has_kind_and_suggestion() {
    let got = json(r#"{"name":"a","age":"secret!","ux":"hosted"}"#).await;
    assert_eq!(got.code(), "invalid_value");
    assert_eq!(
        (&got.json()["received"], &got.json()["expected"]),
        (&json!("string"), &json!("a whole number from 0 to 255"))
    );
    assert!(!got.body.contains("secret!"));
    let got = json(r#"{"name":"a","age":1,"ux":"Custm"}"#).await;
    assert_eq!(got.json()["suggestion"], "custom");
    let got = json(r#"{"name":"a","age":1,"ux":"hosted","a/b~c":1}"#).await;
    assert_eq!(
        (&*got.code(), &pointers(&got)[..]),
        ("unknown_field", &["#/a~1b~0c".to_owned()][..])
    );
}

#[tokio::test]
async fn bodies_that_are_no_json() {
    for (body, code) in [
        ("{", "invalid_json"),
        ("[1,2", "invalid_json"),
        ("", "invalid_json"),
        ("{} x", "invalid_json"),
        ("[]", "invalid_value"),
        ("null", "invalid_value"),
    ] {
        let got = json(body).await;
        assert!(got.status.is_client_error());
        assert_eq!(got.code(), code, "{body}: {}", got.body);
    }
    let got = send(
        &app(),
        Request::post("/json")
            .header("content-type", "text/plain")
            .body(Body::from("{}"))
            .unwrap(),
    )
    .await;
    assert_eq!(
        (got.status.as_u16(), &*got.code(), got.header("accept")),
        (415, "unsupported_media_type", "application/json")
    );
    let got = json(&" ".repeat(600)).await;
    assert_eq!((got.status.as_u16(), &*got.code()), (413, "too_large"));
}

#[tokio::test]
async fn queries_and_paths_name_the_parameter() {
    for (path, code, pointer) in [
        ("/query", "invalid_query", "#/page"),
        ("/query?page=x", "invalid_query", "#/page"),
        ("/query?page=1&ux=hosed", "invalid_query", "#/ux"),
        ("/path/x", "invalid_path", "#/id"),
        ("/path/99999999999", "invalid_path", "#/id"),
        ("/pair/x/hosted", "invalid_path", "#/id"),
        ("/named/x/hosted", "invalid_path", "#/id"),
        ("/named/1/hosed", "invalid_path", "#/ux"),
        ("/path/%ff", "invalid_path", "#/id"),
    ] {
        let got = send(&app(), get(path)).await;
        assert_eq!(
            (got.status.as_u16(), &*got.code(), &pointers(&got)[..]),
            (400, code, &[pointer.to_owned()][..]),
            "{path}: {}",
            got.body
        );
    }
    let got = send(&app(), get("/named/1/hosed")).await;
    assert_eq!(
        got.json()["valid_values"]["ux"],
        json!(["hosted", "custom"]),
        "{}",
        got.body
    );
    for good in [
        "/query?page=1&ux=custom",
        "/path/7",
        "/pair/7/custom",
        "/named/7/custom",
    ] {
        assert_eq!(send(&app(), get(good)).await.status, 200, "{good}");
    }
}

#[tokio::test]
async fn the_namespace_of_the_layer_is_that_of_the_extractors() {
    let door = aon::Door::new()
        .with_namespace("acme")
        .expect("a namespace");
    let app = aon::axum::ProblemLayer::new().with_door(door).wrap(app());
    for (request, code) in [
        (post_json("/json", r#"{"name":"a"}"#), "missing_field"),
        (post_json("/json", "{"), "invalid_json"),
        (get("/query?page=x"), "invalid_query"),
        (get("/path/x"), "invalid_path"),
    ] {
        let got = send(&app, request).await;
        assert_eq!(got.code(), code);
        let id = got.header("x-request-id").to_owned();
        assert_eq!(got.json()["type"], format!("acme://problem/{code}"));
        assert_eq!(got.json()["instance"], format!("urn:acme:request:{id}"));
    }
    let mut request = get("/path/x");
    let id = http::HeaderValue::from_static("r-1");
    request.headers_mut().insert("x-request-id", id);
    let got = send(&app, request).await;
    assert_eq!(got.json()["instance"], "urn:acme:request:r-1");
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only its types matter")]
struct Search {
    limit: u8,
    offset: i16,
    deep: bool,
    ux: Ux,
    cursor: std::num::NonZeroU8,
}

#[tokio::test]
async fn every_wrong_parameter_of_a_query_and_a_path_is_told_at_once_with_its_bounds() {
    let app = Router::new()
        .route("/search", on_get(async |_: Query<Search>| "ok"))
        .route("/named/{id}/{ux}", on_get(async |_: Path<Named>| "ok"));
    let got = send(
        &app,
        get("/search?limit=999&offset=-40000&deep=maybe&ux=hosed"),
    )
    .await;
    assert_eq!(got.code(), "invalid_query");
    let errors = &got.json()["errors"];
    let told: Vec<(&str, &str)> = errors
        .as_array()
        .unwrap()
        .iter()
        .map(|error| {
            (
                error["pointer"].as_str().unwrap(),
                error["detail"].as_str().unwrap(),
            )
        })
        .collect();
    for expected in [
        ("#/limit", "/limit must be at most 255."),
        ("#/offset", "/offset must be at least -32768."),
        ("#/deep", "/deep must be a boolean."),
        ("#/ux", "/ux must be \"hosted\" or \"custom\"."),
        ("#/cursor", "/cursor is missing."),
    ] {
        assert!(told.contains(&expected), "{expected:?}: {told:?}");
    }
    assert_eq!(told.len(), 5, "{told:?}");
    let zero = "/search?limit=1&offset=0&deep=true&ux=hosted&cursor=0";
    let got = send(&app, get(zero)).await;
    let detail = got.problem().detail().map(str::to_owned);
    let wanted = "/cursor must be a whole number from 1 to 255.";
    assert_eq!(detail.as_deref(), Some(wanted));
    let got = send(&app, get("/named/x/hosed")).await;
    assert_eq!(got.code(), "invalid_path");
    assert_eq!(pointers(&got), ["#/id", "#/ux"], "{}", got.body);
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, aon::Choices)]
#[serde(rename_all = "snake_case")]
#[choice(schema)]
enum Speed {
    /// Within a day.
    Express,
    /// Within a week.
    Economy,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its form matters")]
struct Parcel {
    #[schemars(range(min = 1, max = 100))]
    weight: u32,
    speed: Speed,
    note: String,
}

#[tokio::test]
async fn a_body_with_a_schema_is_held_to_its_bounds_and_told_its_labels() {
    use aon::axum::Checked;

    let app = Router::new().route("/", post(async |_: Checked<Parcel>| "ok"));
    let got = send(&app, post_json("/", r#"{"weight":999,"speed":"expres"}"#)).await;
    assert_eq!(got.status, 422);
    let mut named = pointers(&got);
    named.sort();
    assert_eq!(named, ["#/note", "#/speed", "#/weight"], "{}", got.body);
    let detail = got.problem().detail().unwrap().to_owned();
    assert!(detail.contains("/weight must be at most 100."), "{detail}");
    assert_eq!(
        got.json()["valid_values"]["speed"][0]["label"],
        "Within a day"
    );
    let got = send(
        &app,
        post_json("/", r#"{"weight":9,"speed":"expres","note":""}"#),
    )
    .await;
    assert_eq!(got.json()["suggestion"], "express", "{}", got.body);
    let good = r#"{"weight":9,"speed":"express","note":""}"#;
    assert_eq!(send(&app, post_json("/", good)).await.status, 200);
    for (body, code) in [
        ("", "invalid_json"),
        ("{", "invalid_json"),
        ("[]", "invalid_value"),
    ] {
        assert_eq!(
            send(&app, post_json("/", body)).await.code(),
            code,
            "{body}"
        );
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its form matters")]
struct Slice {
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    speed: Option<Speed>,
    deep: Option<bool>,
}

#[tokio::test]
async fn parameters_with_a_schema_are_held_to_its_bounds_and_told_its_labels() {
    use aon::axum::Checked;

    let app = Router::new()
        .route("/", on_get(async |_: Checked<Query<Slice>>| "ok"))
        .route("/of/{limit}", on_get(async |_: Checked<Path<Slice>>| "ok"));
    let got = send(&app, get("/?limit=999&speed=expres&deep=maybe")).await;
    assert_eq!(
        (got.status.as_u16(), got.code().as_str()),
        (400, "invalid_query")
    );
    let mut named = pointers(&got);
    named.sort();
    assert_eq!(named, ["#/deep", "#/limit", "#/speed"], "{}", got.body);
    let detail = got.problem().detail().unwrap().to_owned();
    assert!(detail.contains("/limit must be at most 100."), "{detail}");
    // All of it is text, and `null` cannot be given.
    assert!(detail.contains("/deep must be a boolean."), "{detail}");
    assert!(!got.body.contains("null"), "{}", got.body);
    assert!(got.body.contains("Within a day"), "{}", got.body);
    let got = send(&app, get("/of/0")).await;
    assert_eq!(got.code(), "invalid_path");
    assert!(
        got.body.contains("/limit must be at least 1."),
        "{}",
        got.body
    );
    for good in ["/?limit=100", "/?limit=1&speed=express&deep=true", "/of/7"] {
        assert_eq!(send(&app, get(good)).await.status, 200, "{good}");
    }
    assert_eq!(send(&app, get("/")).await.status, 400);
}

#[tokio::test]
async fn a_body_over_the_limit_is_told_the_limit_by_axums_own_extractors_too() {
    let app = Router::new().route("/", post(async |body: axum::body::Bytes| body));
    let door = aon::Door::new().with_body_limit(1000);
    let app = aon::axum::ProblemLayer::new().with_door(door).wrap(app);
    let got = send(&app, post_json("/", &"x".repeat(1001))).await;
    assert_eq!(got.status, 413);
    assert!(got.body.contains("1000 bytes"), "{}", got.body);
}
