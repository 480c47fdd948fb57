//! A program of several crates that says its namespace once: its own types, those of a library that says none, what the edges
//! answer by themselves, on every surface, in the catalog and in what is generated from it.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::process::Command;

use aon::axum::{ProblemLayer, respond};
use aon::door::{Door, Facts, Occurrence, Scope};
use aon::surface::Surface;
use aon::surface::a2a::{A2a, Profile};
use aon::surface::mcp::Mcp;
use aon::surface::rest::Rest;
use aon::{Problem, ProblemDetails};
// The library: it derives problems, and is built without knowing who uses it.
use aon_live::a2a::AgentFault;
use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse as _;
use axum::routing::get;
use http::Request;
use http_body_util::BodyExt as _;
use serde_json::Value;

aon::namespace!("https://parcel.example/problems/");

/// A type of the program.
#[derive(Debug, thiserror::Error, Problem)]
#[error("the parcel is lost")]
#[problem(status = 404)]
struct ParcelLost;

/// A type that says where it lives by itself.
#[derive(Debug, thiserror::Error, Problem)]
#[error("the depot is closed")]
#[problem(status = 409, namespace = "depot")]
struct DepotClosed;

const HOME: &str = "https://parcel.example/problems/";

/// What each of the three must say: its type, and its name in `instance`.
fn expected() -> [(&'static dyn Problem, &'static str, &'static str); 3] {
    [
        (
            &ParcelLost,
            "https://parcel.example/problems/parcel_lost",
            "parcel-example",
        ),
        (
            &AgentFault::TaskEnded,
            "https://parcel.example/problems/task_ended",
            "parcel-example",
        ),
        (&DepotClosed, "depot://problem/depot_closed", "depot"),
    ]
}

fn assert_home(problem: &ProblemDetails, kind: &str, urn: &str, id: &str) {
    assert_eq!(problem.type_uri().unwrap().as_str(), kind);
    let instance = problem.instance().unwrap().as_str();
    assert_eq!(instance, format!("urn:{urn}:request:{id}"));
}

#[test]
fn every_surface_says_the_namespace_of_the_program() {
    let surfaces: [Box<dyn Surface>; 4] = [
        Box::new(Rest::default()),
        Box::new(Mcp::default()),
        Box::new(A2a::default()),
        Box::new(A2a::new(Profile::A2A_1_0)),
    ];
    let mut looked = 0;
    for (error, kind, urn) in expected() {
        for surface in &surfaces {
            let facts = Facts::new(surface.name()).with_request_id("r-1");
            let scope = Scope::open(&Door::new(), facts);
            let wire = scope.answer(Occurrence::of(error), &**surface, None);
            assert_home(&surface.recover(&wire).unwrap(), kind, urn, "r-1");
            looked += 1;
        }
    }
    assert_eq!(looked, 12);
    let scope = Scope::open(&Door::new(), Facts::new("a2a"));
    let official = A2a::new(Profile::A2A_1_0);
    let rejected = AgentFault::TaskRejected {
        why: "no".to_owned(),
    };
    let wire = scope.answer(Occurrence::of(&rejected), &official, None);
    let wire: Value = serde_json::from_slice(&wire).unwrap();
    assert_eq!(wire["error"]["data"][0]["domain"], "parcel.example");
}

#[test]
fn what_was_received_keeps_its_type() {
    let received = AgentFault::TaskEnded.to_problem();
    let scope = Scope::open(&Door::new(), Facts::new("rest"));
    let problem = scope.pass(received.into(), "rest").into_problem();
    let kind = problem.type_uri().unwrap().as_str();
    assert_eq!(kind, "pspace://problem/task_ended");
}

#[tokio::test]
async fn with_and_without_the_layer_the_types_are_the_same() {
    let plain = Router::new()
        .route("/own", get(async || ParcelLost.into_response()))
        .route("/library", get(async || respond(&AgentFault::TaskEnded)))
        .route("/elsewhere", get(async || DepotClosed.into_response()));
    let layered = ProblemLayer::new().wrap(plain.clone());
    let overridden = ProblemLayer::new().with_door(Door::new().with_namespace("sub").unwrap());
    let overridden = overridden.wrap(plain.clone());
    let rows = [
        (
            &plain,
            "/library",
            "https://parcel.example/problems/task_ended",
        ),
        (
            &plain,
            "/own",
            "https://parcel.example/problems/parcel_lost",
        ),
        (&plain, "/elsewhere", "depot://problem/depot_closed"),
        (
            &layered,
            "/library",
            "https://parcel.example/problems/task_ended",
        ),
        (
            &layered,
            "/own",
            "https://parcel.example/problems/parcel_lost",
        ),
        (&layered, "/elsewhere", "depot://problem/depot_closed"),
        (
            &layered,
            "/nowhere",
            "https://parcel.example/problems/unknown_operation",
        ),
        (&overridden, "/library", "sub://problem/task_ended"),
        (&overridden, "/nowhere", "sub://problem/unknown_operation"),
    ];
    for (app, path, kind) in rows {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = tower::ServiceExt::oneshot(app.clone(), request)
            .await
            .unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let problem = ProblemDetails::from_slice(&body).unwrap();
        let urn = match kind.split_once(':').unwrap().0 {
            "https" => "parcel-example",
            name => name,
        };
        let id = problem.request_id().unwrap().to_owned();
        assert_home(&problem, kind, urn, &id);
    }
}

#[test]
fn the_catalog_of_the_running_and_of_the_built_program_agree() {
    let running = aon::catalog::all();
    let built = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .arg("catalog")
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let built: Value = serde_json::from_slice(&built.stdout).unwrap();
    let kind_in = |code: &str| {
        let record = running.find(code).unwrap();
        let found = built["problems"].as_array().unwrap().iter();
        let mut found = found.filter(|record| record["code"] == code);
        assert_eq!(found.next().unwrap()["type"], *record.type_uri);
        record.type_uri.clone()
    };
    assert_eq!(kind_in("parcel_lost"), format!("{HOME}parcel_lost"));
    assert_eq!(kind_in("task_ended"), format!("{HOME}task_ended"));
    assert_eq!(
        kind_in("unknown_operation"),
        format!("{HOME}unknown_operation")
    );
    assert_eq!(kind_in("depot_closed"), "depot://problem/depot_closed");
}
