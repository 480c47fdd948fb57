use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use aon_core::{Code, Status};

use super::*;
use crate::surface::rest::Rest;

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn gone() -> ProblemDetails {
    ProblemDetails::new(Status::from_static(410), Code::from_static("gone"))
}

fn now<F: Future>(future: F) -> F::Output {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing waits here"),
    }
}

#[test]
fn a_failure_is_found_by_its_ticket_in_its_own_scope_and_once() {
    let (one, other) = (
        Scope::open(&Door::new(), Facts::new("rest")),
        Scope::open(&Door::new(), Facts::new("rest")),
    );
    let dropped = one.hold(gone().into());
    let kept = one.hold(gone().with_detail("kept").into());
    assert!(other.redeem(kept).is_none());
    assert_ne!(dropped, kept);
    let carried = Ticket::from_number(kept.number());
    assert_eq!(
        one.redeem(carried).unwrap().problem().detail(),
        Some("kept")
    );
    assert!(one.redeem(kept).is_none());
}

#[test]
fn a_scope_is_around_while_its_future_runs_and_not_after() {
    let scope = Scope::open(&Door::new(), Facts::new("rest").with_request_id("outer"));
    let inner = Scope::open(&Door::new(), Facts::new("rest").with_request_id("inner"));
    let id = || Scope::current().map(|scope| scope.request_id().to_owned());
    let seen = now(scope.enter(async {
        let nested = inner.enter(async { id() }).await;
        [nested, id()]
    }));
    assert_eq!(seen.map(Option::unwrap), ["inner", "outer"]);
    assert_eq!(id(), None);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        scope.run(|| panic!("in there"))
    }));
    assert!(panicked.is_err());
    assert_eq!(id(), None);
}

#[test]
fn another_surface_inside_gets_the_same_ids_and_answers_by_itself() {
    let scope = Scope::open(&Door::new(), Facts::new("rest"));
    let (inner, failure) = scope.run(|| hand_over("a2a", gone().into())).unwrap_err();
    assert_eq!(inner.request_id(), scope.request_id());
    assert_eq!(inner.surface(), "a2a");
    assert!(inner.answer(failure, &Rest, None).starts_with(b"{\"type\""));
    assert!(scope.run(|| hand_over("rest", gone().into())).is_ok());
}

#[test]
fn the_id_is_what_was_brought_and_well_formed_or_a_new_one() {
    let id = |facts: Facts| Scope::open(&Door::new(), facts).request_id().to_owned();
    let both = |id: &str| {
        Facts::new("rest")
            .with_request_id(id)
            .with_trace_parent(TRACE)
    };
    assert_eq!(id(both("abc-1")), "abc-1");
    for bad in ["a b", "a\"b", "", &"x".repeat(129)] {
        assert_eq!(id(both(bad)), "4bf92f3577b34da6a3ce929d0e0e4736", "{bad}");
    }
    let scope = Scope::open(&Door::new(), Facts::new("rest"));
    assert_eq!(scope.request_id().as_bytes()[14], b'7');
    assert_eq!(scope.request_id(), scope.clone().request_id());
    for bad in [
        "",
        "00",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
    ] {
        let facts = Facts::new("rest").with_trace_parent(bad);
        assert_eq!(Scope::open(&Door::new(), facts).trace_id(), None, "{bad}");
    }
}

#[test]
fn the_door_completes_redacts_and_calls_the_hook_once() {
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let door = Door::new()
        .with_namespace("acme")
        .unwrap()
        .with_docs("https://acme.example/errors/")
        .on_problem(|emitted| {
            let line = format!(
                "{} {} {} {:?}",
                emitted.code, emitted.surface, emitted.request_id, emitted.trace_id
            );
            SEEN.lock().unwrap().push(line);
        });
    let facts = Facts::new("mcp")
        .with_request_id("r-1")
        .with_trace_parent(TRACE);
    let scope = Scope::open(&door, facts);
    let secret = "the token ghp_abcdefghijklmnopqrstuvwxyz0123456789 is gone";
    let arguments = Json::parse(r#"{"password":"hunter2","n":1}"#).unwrap();
    let failure = Occurrence::built_in(gone().with_detail(secret)).with_arguments(Some(arguments));
    let passed = scope.pass(failure.clone(), "mcp");
    let problem = passed.problem();
    assert_eq!(problem.type_uri().unwrap().as_str(), "acme://problem/gone");
    assert_eq!(problem.instance().unwrap().as_str(), "urn:acme:request:r-1");
    assert_eq!(
        problem.docs_url().unwrap().as_str(),
        "https://acme.example/errors/gone"
    );
    assert_eq!(problem.detail(), Some("the token [redacted] is gone"));
    let arguments = passed.call(None).arguments.unwrap().as_str();
    assert_eq!(arguments, r#"{"password":"[redacted]","n":1}"#);
    assert_eq!(
        *SEEN.lock().unwrap(),
        [r#"gone mcp r-1 Some("4bf92f3577b34da6a3ce929d0e0e4736")"#]
    );
    let shown =
        Scope::open(&door.with_detail_redaction(false), Facts::new("mcp")).pass(failure, "mcp");
    assert_eq!(shown.problem().detail(), Some(secret));
}

#[test]
fn a_problem_of_the_program_keeps_its_type_and_its_own_ids() {
    let door = Door::new().with_namespace("acme").unwrap();
    let scope = Scope::open(&door, Facts::new("rest").with_request_id("r-1"));
    let other = aon_core::Namespace::parse("parcel").unwrap();
    let problem =
        ProblemDetails::in_namespace(&other, Status::from_static(410), Code::from_static("gone"));
    let passed = scope.pass(problem.clone().into(), "rest").into_problem();
    assert_eq!(passed.type_uri().unwrap().as_str(), "parcel://problem/gone");
    assert_eq!(
        passed.instance().unwrap().as_str(),
        "urn:parcel:request:r-1"
    );
    let received = problem.with_request_id(&other, "theirs");
    let passed = scope.pass(received.into(), "rest").into_problem();
    assert_eq!(passed.request_id(), Some("theirs"));
}

#[test]
fn long_arguments_are_not_sent_back() {
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MOST_ARGUMENTS));
    let failure = Occurrence::new(gone()).with_arguments(Json::parse(&long).ok());
    let scope = Scope::open(&Door::new(), Facts::new("mcp"));
    assert!(scope.pass(failure, "mcp").call(None).arguments.is_none());
}
