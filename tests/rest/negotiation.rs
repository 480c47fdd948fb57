//! Which form an error takes.

use aon::axum::ProblemLayer;
use aon::surface::Surface;
use aon::surface::human::Page;
use aon::{Code, ProblemDetails, Status};
use axum::Router;
use axum::routing::get as on_get;
use http::StatusCode;

use crate::support::{get, get_as, send};

fn app() -> Router {
    Router::new()
        .route(
            "/own",
            on_get(async || {
                aon::Failure::from(
                    ProblemDetails::new(
                        Status::from_static(422),
                        Code::from_static("invalid_auth_ux"),
                    )
                    .with_detail("auth_ux must be <hosted> or <custom>.")
                    .with_valid_values("auth_ux", ["hosted", "custom"]),
                )
            }),
        )
        .route("/foreign", on_get(async || StatusCode::CONFLICT))
        .layer(ProblemLayer::new())
}

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn a_browser_gets_the_page_with_the_problem_inside() {
    for path in ["/own", "/foreign", "/nope"] {
        let got = send(&app(), get_as(path, "accept", BROWSER)).await;
        assert_eq!(got.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(got.header("vary"), "accept");
        assert!(
            got.header("content-security-policy")
                .contains("default-src 'none'")
        );
        assert!(got.body.starts_with("<!doctype html>"));
        assert!(got.body.contains("<h2>What</h2>"));
        let problem = Page::default().recover(got.body.as_bytes()).unwrap();
        assert_eq!(problem.status().unwrap().as_u16(), got.status.as_u16());
        assert_eq!(got.header("x-request-id"), problem.request_id().unwrap());
    }
    let got = send(&app(), get_as("/own", "accept", BROWSER)).await;
    assert!(!got.body.contains("<hosted>") && got.body.contains("&lt;hosted&gt;"));
}

#[tokio::test]
async fn everybody_else_gets_json_and_nobody_a_406() {
    for accept in [
        "*/*",
        "application/json",
        "image/png",
        "text/event-stream",
        "text/html;q=0",
        "garbage",
        "*/*;q=0",
        "application/xml",
        "text/markdown, */*;q=0.1",
    ] {
        for path in ["/own", "/foreign", "/nope"] {
            let got = send(&app(), get_as(path, "accept", accept)).await;
            assert_ne!(got.status, 406);
            got.problem();
            assert_eq!(got.header("vary"), "accept", "{accept} {path}");
        }
    }
    send(&app(), get("/own")).await.problem();
}
