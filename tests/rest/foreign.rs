//! JSON errors that were written by hand: replaced, kept or adopted, and never lost.

use aon::axum::{Foreign, ProblemLayer};
use aon::surface::human::Brand;
use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get as on_get;
use serde_json::{Value, json};

use crate::support::{Got, get_as, log, send};

fn app(foreign: Foreign) -> Router {
    let answer = |status: u16, body: Value| {
        let status = StatusCode::from_u16(status).unwrap();
        on_get(async move || (status, axum::Json(body)).into_response())
    };
    let router = Router::new()
        .route(
            "/word",
            answer(409, json!({"error": "sold out", "seat": 7})),
        )
        .route(
            "/object",
            answer(
                409,
                json!({"error": {"code": "SOLD_OUT", "message": "The show is sold out."}}),
            ),
        )
        .route(
            "/fields",
            answer(422, json!({"errors": {"size": ["is too big"]}})),
        )
        .route(
            "/internal",
            answer(
                500,
                json!({"error": "connect to db-3: password=hunter2 refused"}),
            ),
        )
        .route(
            "/secret",
            answer(
                400,
                json!({"message": "postgres://app:hunter2@db-3 refused"}),
            ),
        )
        .route(
            "/status",
            answer(400, json!({"status": "error", "message": "no"})),
        )
        .route("/list", answer(400, json!(["no"])))
        .route("/unknown", answer(404, json!({"data": {"id": 1}})))
        .route(
            "/large",
            answer(400, json!({"message": "x".repeat(70_000)})),
        )
        .route("/ok", answer(200, json!({"error": null})));
    ProblemLayer::new().with_foreign(foreign).wrap(router)
}

async fn ask(foreign: Foreign, path: &str) -> Got {
    send(&app(foreign), get_as(path, "x-request-id", "r-1")).await
}

#[tokio::test]
async fn what_is_replaced_is_the_problem_of_its_status_and_the_words_are_logged() {
    log::start();
    let got = ask(Foreign::Replace, "/object").await;
    assert_eq!(
        (got.status.as_u16(), got.code().as_str()),
        (409, "conflict")
    );
    assert!(!got.body.contains("sold out"));
    let lines = log::take();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("The show is sold out.") && line.contains("r-1")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn what_is_kept_has_its_members_and_those_of_a_problem() {
    log::start();
    let got = ask(Foreign::Keep, "/word").await;
    let wire = got.json();
    assert_eq!(
        (&wire["error"], &wire["seat"]),
        (&json!("sold out"), &json!(7))
    );
    let problem = got.problem();
    assert_eq!(problem.request_id(), Some("r-1"));
    assert_eq!(
        (&wire["status"], &wire["code"]),
        (&json!(409), &json!("conflict"))
    );
    assert_eq!(log::take().len(), 1, "one event");

    // A code of its own decides the type.
    let wire = ask(Foreign::Keep, "/object").await.json();
    assert_eq!(wire["type"], "pspace://problem/sold_out");
    assert_eq!(wire["error"]["code"], "SOLD_OUT");

    // What contradicts a problem stays what it was, under its own media type.
    let got = ask(Foreign::Keep, "/status").await;
    assert_eq!(got.header("content-type"), "application/json");
    assert_eq!(
        (&got.json()["status"], &got.json()["request_id"]),
        (&json!("error"), &json!("r-1"))
    );
    let got = ask(Foreign::Keep, "/list").await;
    assert_eq!(
        (got.json(), got.header("x-request-id")),
        (json!(["no"]), "r-1")
    );
    let got = ask(Foreign::Keep, "/large").await;
    assert!(got.body.len() > 70_000, "a long one leaves as it came");

    let got = ask(Foreign::Keep, "/secret").await;
    assert!(!got.body.contains("hunter2"), "{}", got.body);
    assert_eq!(ask(Foreign::Keep, "/ok").await.body, r#"{"error":null}"#);
}

#[tokio::test]
async fn what_is_adopted_says_it_in_the_words_of_a_problem() {
    log::start();
    let got = ask(Foreign::Adopt, "/word").await;
    assert_eq!(got.problem().detail(), Some("sold out"));
    assert_eq!(
        (got.code().as_str(), &got.json()["seat"]),
        ("conflict", &json!(7))
    );
    assert!(
        log::take()[0].contains(r#"{\"error\":\"sold out\""#),
        "the words it had"
    );

    let got = ask(Foreign::Adopt, "/object").await;
    assert_eq!(
        (got.code().as_str(), got.problem().detail()),
        ("sold_out", Some("The show is sold out."))
    );
    assert_eq!(got.json()["type"], "pspace://problem/sold_out");

    let got = ask(Foreign::Adopt, "/fields").await;
    assert_eq!(
        got.json()["errors"],
        json!([{"pointer": "#/size", "detail": "is too big"}])
    );

    // What a 5xx says is for the log; a secret is for nobody.
    log::start();
    let got = ask(Foreign::Adopt, "/internal").await;
    assert_eq!(got.code(), "internal");
    assert!(!got.body.contains("db-3"), "{}", got.body);
    let lines = log::take();
    assert!(
        lines[0].contains("db-3") && !lines[0].contains("hunter2"),
        "{lines:?}"
    );
    assert!(
        !ask(Foreign::Adopt, "/secret")
            .await
            .body
            .contains("hunter2")
    );

    // What nobody understands, and what is too long to be read, is replaced.
    assert_eq!(ask(Foreign::Adopt, "/unknown").await.code(), "not_found");
    assert_eq!(ask(Foreign::Adopt, "/large").await.code(), "bad_request");
}

#[tokio::test]
async fn a_browser_gets_the_page_in_the_colours_of_the_program() {
    let brand = Brand::new()
        .with_css(":root{--link:#7a1fa8}</style><script>")
        .with_header("<strong>Shop</strong>");
    let app = ProblemLayer::new().with_brand(brand).wrap(Router::new());
    let got = send(&app, get_as("/nothing", "accept", "text/html")).await;
    assert!(
        got.body
            .contains("<header class=\"aon-brand\"><strong>Shop</strong></header>"),
        "{}",
        got.body
    );
    assert!(got.body.contains("--link:#7a1fa8") && !got.body.contains("</style><script>"));
    assert!(
        got.header("content-security-policy")
            .contains("img-src data:")
    );
}
