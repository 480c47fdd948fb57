//! A failure as a response: a placeholder where the layer is around, the answer itself where it is not.

use aon_core::Problem;
use axum_core::response::{IntoResponse, Response};
use http::StatusCode;

use super::answer;
use super::form::Form;
use crate::door::{self, Occurrence, Scope};

/// The response of a failure: what the derive calls.
pub fn respond(problem: &dyn Problem) -> Response {
    match door::edge_around("rest") {
        Ok(scope) => placeholder(&scope, Occurrence::of(problem)),
        Err(scope) => match problem
            .entry()
            .filter(|entry| answer::is_plain(entry) && scope.door().keeps_type(entry))
        {
            Some(entry) => {
                let body = scope.quick_json(problem, entry);
                logged(answer::of_json(entry, scope.request_id(), body))
            }
            None => alone(&scope, Occurrence::of(problem)),
        },
    }
}

impl IntoResponse for Occurrence {
    fn into_response(self) -> Response {
        match door::edge_around("rest") {
            Ok(scope) => placeholder(&scope, self),
            Err(scope) => alone(&scope, self),
        }
    }
}

/// What middleware on the way to the layer sees: the status, and nothing to read.
fn placeholder(scope: &Scope, failure: Occurrence) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::from_u16(failure.status()).unwrap_or_default();
    response.extensions_mut().insert(scope.hold(failure));
    response
}

/// The answer without a layer: nothing is known of the request, so it is JSON with a new id.
fn alone(scope: &Scope, failure: Occurrence) -> Response {
    let passed = scope.pass(failure, "rest");
    let (parts, ()) = http::Response::new(()).into_parts();
    logged(answer::write(
        parts,
        passed.problem(),
        Form::Json,
        None,
        false,
    ))
}

/// Marks a problem that was its own edge, such as one converted in a task of its own: a layer around must not log it again.
#[derive(Clone, Copy)]
pub(super) struct Logged;

fn logged(mut response: Response) -> Response {
    response.extensions_mut().insert(Logged);
    response
}
