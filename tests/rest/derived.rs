//! Deriving types on axum, and the assertions for users.

use std::time::Duration;

use aon::assert_problem;
use aon::axum::ProblemLayer;
use aon::testing::{assert_no_leaks, assert_unique_codes};
use axum::Router;
use axum::routing::get as on_get;
use tower::ServiceExt;

use crate::support::{get, get_as, send};

#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "acme")]
enum OrderError {
    #[error("the order is still being set up")]
    #[problem(
        status = 409,
        retry_after = 5,
        remediation(wait_for_provisioning),
        docs_url = "https://acme.example/docs#wait"
    )]
    StillProvisioning {
        #[problem(extension)]
        order: String,
    },

    #[error("too many orders")]
    #[problem(status = 429)]
    TooMany {
        #[problem(retry_after)]
        delay: Duration,
    },

    #[error("the order could not be stored")]
    #[problem(status = 503, remediation(none, reason = not_yet_implemented))]
    Storage {
        #[source]
        cause: std::io::Error,
        shard: String,
    },
}

fn app() -> Router {
    let provisioning = async || {
        Err::<(), _>(OrderError::StillProvisioning {
            order: "o-1".to_owned(),
        })
    };
    let many = async || {
        Err::<(), _>(OrderError::TooMany {
            delay: Duration::from_millis(2500),
        })
    };
    let storage = async || {
        Err::<(), _>(OrderError::Storage {
            cause: std::io::Error::other("sEcReT cause"),
            shard: "sEcReT shard".to_owned(),
        })
    };
    Router::new()
        .route("/provisioning", on_get(provisioning))
        .route("/many", on_get(many))
        .route("/storage", on_get(storage))
}

#[tokio::test]
async fn a_deriving_type_is_a_response() {
    for app in [app(), app().layer(ProblemLayer::new())] {
        let response = app.clone().oneshot(get("/provisioning")).await.unwrap();
        assert_problem!(
            response,
            status = 409,
            code = "still_provisioning",
            type_uri = "acme://problem/still_provisioning",
            remediation = "wait_for_provisioning",
            retry_after = 5,
            extension("order") = "o-1",
            header("retry-after") = "5",
            header("link") = "<https://acme.example/docs#wait>; rel=\"help\"",
        );
        let response = app.clone().oneshot(get("/many")).await.unwrap();
        assert_problem!(
            response,
            status = 429,
            retry_after = 3,
            header("retry-after") = "3"
        );
        let got = send(&app, get_as("/storage", "x-request-id", "r-1")).await;
        assert_eq!(got.code(), "storage");
        assert!(!got.body.contains("sEcReT") && !format!("{:?}", got.headers).contains("sEcReT"));
        assert!(
            got.problem()
                .instance()
                .unwrap()
                .as_str()
                .starts_with("urn:acme:request:")
        );
    }
}

#[test]
fn no_private_field_shows_on_any_surface() {
    let checked = assert_no_leaks::<OrderError>();
    assert_eq!(
        checked.variants,
        ["StillProvisioning", "TooMany", "Storage"]
    );
    assert_eq!(checked.skipped, [""; 0]);
    assert!(
        checked.marks >= 2 && checked.outputs.len() >= 10,
        "{checked:?}"
    );
}

#[test]
fn the_codes_of_a_program_are_unique() {
    let mut entries: Vec<&'static aon::Entry> = aon::axum::entries().collect();
    <OrderError as aon::Problem>::entries(&mut |entry| entries.push(entry));
    assert_unique_codes(&aon::catalog::Catalog::new(entries));
}

#[test]
fn assertions_take_values_references_and_bytes() {
    let error = OrderError::StillProvisioning {
        order: "o-1".to_owned(),
    };
    assert_problem!(&error, code = "still_provisioning");
    let problem = aon::Problem::to_problem(&error);
    assert_problem!(&problem, status = 409, absent = "request_id");
    assert_problem!(problem.to_vec(), status = 409);
    assert_problem!(problem.to_string(), status = 409);
    assert_problem!(problem, status = 409);
    assert_problem!(error, detail_contains = "set up");
}

#[test]
fn a_failure_tells_every_difference() {
    let error = OrderError::StillProvisioning {
        order: "o-1".to_owned(),
    };
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        assert_problem!(
            error,
            status = 422,
            code = "bad",
            pointer = "/a",
            extension("order") = 7
        );
    }))
    .unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    for part in [
        "expected 422\n    got      409",
        "expected \"bad\"\n    got      \"still_provisioning\"",
        "expected \"/a\" among them\n    got      nothing",
        "expected 7\n    got      \"o-1\"",
        "\"title\":",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}
