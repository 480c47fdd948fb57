//! JSON-RPC servers built with jsonrpsee 0.26: every failure leaves as a problem (S6).
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

use ::jsonrpsee::types::ErrorObjectOwned;
use aon_core::{Problem, ProblemDetails};
use serde_json::value::RawValue;

use crate::surface::Call;
use crate::surface::a2a::{A2a, Profile};

mod http;
mod own;
mod rpc;

pub use http::{HttpProblemLayer, HttpProblemService};
pub(crate) use own::ALL as TABLE;
pub use rpc::{ProblemLayer, ProblemService};

#[doc(hidden)]
pub use ::jsonrpsee::types::ErrorObjectOwned as __ErrorObjectOwned;

/// Any error of a program as jsonrpsee's: what the derive calls, with the profile `pspace`.
///
/// The chain of causes goes to `tracing`; it never reaches the client (P9).
pub fn error_object<P: Problem + ?Sized>(error: &P) -> ErrorObjectOwned {
    let problem = error.to_problem();
    let mut cause = error.source();
    while let Some(source) = cause {
        tracing::error!(
            code = problem.code().map_or("", aon_core::Code::as_str),
            "method failed: {source}"
        );
        cause = source.source();
    }
    to_error_object(&problem, &Call::default(), &Profile::PSPACE)
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

/// Every problem this adapter makes by itself, for a catalog that is put together by hand.
pub fn entries() -> impl Iterator<Item = &'static aon_core::Entry> {
    let own = own::ALL.iter().copied();
    crate::builtin::ALL
        .iter()
        .copied()
        .chain(crate::jsonrpc::entries())
        .chain(own)
}
