//! REST: RFC 9457 problem+json ([S2]).
//!
//! | member | on the wire |
//! | --- | --- |
//! | all of [P1] | the body, as it is |
//! | `status` | the status line |
//! | `retry_after` (extension) | `Retry-After`; 429 and 503 have one in any case |
//! | `challenge` (extension), or a required scope | `WWW-Authenticate` |
//! | `valid_values.method` of a 405 | `Allow` |
//! | `docs_url` | `Link: <…>; rel="help"` |
//!
//! Nothing is lost: the body is the canonical value.
//!
//! [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1

use aon_core::ProblemDetails;

use super::{Call, RecoverError, Surface};

mod headers;

pub use headers::headers;
#[cfg(feature = "axum")]
pub(crate) use headers::unknown_delay;

/// `application/problem+json`.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// The REST surface: the body.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Rest;

impl Surface for Rest {
    fn name(&self) -> &'static str {
        "rest"
    }

    fn project(&self, problem: &ProblemDetails, _call: &Call<'_>, out: &mut Vec<u8>) {
        problem.write(out);
    }

    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
        ProblemDetails::from_slice(wire).map_err(RecoverError::read)
    }
}

/// The status line: that of the problem, or 500 where it names none.
pub fn status(problem: &ProblemDetails) -> u16 {
    problem.status().map_or(500, aon_core::Status::as_u16)
}
