//! JSON-RPC servers built with jsonrpsee 0.26: every failure leaves as a problem ([S6]).
//!
//! - A method returns `Result<T, E>` for any `E` that derives `Problem`.
//! - [`ProblemLayer`], an RPC middleware, gives errors the numbers and the form of the profile and adds corrections;
//!   it turns jsonrpsee's own failures into problems: unknown methods with the nearest name, bad parameters, responses
//!   that are too large, a busy server, and panics.
//! - [`HttpProblemLayer`], an HTTP middleware, does the same for what never reaches a method: no JSON, no request, too
//!   large, the wrong media type. It also picks the profile by the headers of the request.
//!
//! Methods fail the same way over a web socket, with the profile of the request that opened it. A frame that is not a request
//! gets jsonrpsee's own error there: it is answered before any middleware is asked.
//!
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6

use ::jsonrpsee::types::ErrorObjectOwned;
use ::jsonrpsee::types::error::INTERNAL_ERROR_CODE;
use aon_core::{Problem, ProblemDetails};
use serde_json::value::RawValue;

use crate::door::{self, Occurrence, Scope, Ticket};
use crate::jsonrpc::profile_of;
use crate::surface::Call;
use crate::surface::a2a::{A2a, Profile};
use crate::surface::raw;

mod http;
mod own;
mod rpc;

pub use http::{HttpProblemLayer, HttpProblemService};
pub(crate) use own::ALL as TABLE;
pub use rpc::{ProblemLayer, ProblemService};

#[doc(hidden)]
pub use ::jsonrpsee::types::ErrorObjectOwned as __ErrorObjectOwned;

/// Any error of a program as jsonrpsee's: what the derive calls.
///
/// Inside of [`ProblemLayer`] it is a placeholder, and the layer writes the answer. Where the layer is not around, as in a
/// blocking method, which runs on a thread of its own, it is the answer already, with the profile `pspace`: run the
/// conversion inside the [`Scope`] among the method's extensions to have the layer's.
pub fn error_object<P: Problem>(error: &P) -> ErrorObjectOwned {
    Occurrence::of(error).into()
}

impl From<Occurrence> for ErrorObjectOwned {
    fn from(failure: Occurrence) -> Self {
        match door::hand_over("a2a", failure) {
            Ok(ticket) => Self::owned(INTERNAL_ERROR_CODE, PLACEHOLDER, Some(ticket.number())),
            Err((scope, failure)) => written(&scope, failure),
        }
    }
}

/// The words of an error that stands for a failure the scope keeps.
const PLACEHOLDER: &str = "The method failed.";

/// The ticket in an error object, if it has one.
fn ticket(error: &str) -> Option<Ticket> {
    let members = raw::members(error)?;
    raw::find(&members, "message")
        .and_then(raw::text)
        .filter(|words| words == PLACEHOLDER)?;
    let number = raw::find(&members, "data")?.parse().ok()?;
    Some(Ticket::from_number(number))
}

/// The failure as it leaves.
fn written(scope: &Scope, failure: Occurrence) -> ErrorObjectOwned {
    let passed = scope.pass(failure, "a2a");
    to_error_object(passed.problem(), &passed.call(None), &profile_of(scope))
}

/// A problem as jsonrpsee's error.
pub fn to_error_object(
    problem: &ProblemDetails,
    call: &Call<'_>,
    profile: &Profile,
) -> ErrorObjectOwned {
    let surface = A2a::new(profile.clone());
    let mut data = Vec::with_capacity(1024);
    surface.write_data(problem, call, &mut data);
    let data = String::from_utf8(data)
        .ok()
        .and_then(|data| RawValue::from_string(data).ok());
    ErrorObjectOwned::owned(
        profile.rule(problem).number(),
        surface.message(problem),
        data,
    )
}
