//! Catch-all errors: a handler that returns `anyhow`'s error fails with a problem, and says no more than it may.
//!
//! [`Error`] takes whatever `?` gives it. What is a known problem, also under a `context`, leaves as that problem; everything else is the
//! problem `internal` with status 500. Its words and causes go to the log under the request id and never to a caller.
//!
//! # Examples
//!
//! ```
//! use anyhow::Context as _;
//!
//! #[derive(Debug, thiserror::Error, aon::Problem)]
//! enum OrderError {
//!     #[error("{item} is not in stock")]
//!     #[problem(status = 409)]
//!     OutOfStock { #[problem(extension)] item: String },
//! }
//!
//! // Once for the program: the problems that may be shown.
//! type Result<T, E = aon::anyhow::Error<(OrderError,)>> = std::result::Result<T, E>;
//!
//! fn reserve(item: &str) -> anyhow::Result<u32> {
//!     if item == "lamp" {
//!         return Err(OrderError::OutOfStock { item: item.to_owned() }).context("while reserving");
//!     }
//!     let stock = std::fs::read_to_string("/nowhere/stock").context("reading the stock")?;
//!     Ok(stock.trim().parse()?)
//! }
//!
//! fn order(item: &str) -> Result<u32> {
//!     Ok(reserve(item)?)
//! }
//!
//! let code = |item: &str| order(item).unwrap_err().into_failure().problem().code().map(ToString::to_string);
//! assert_eq!(code("lamp").as_deref(), Some("out_of_stock"));
//! assert_eq!(code("chair").as_deref(), Some("internal"));
//! ```
//!
//! With the features `axum`, `rmcp` and `jsonrpsee` an [`Error`] is what handlers, tools and methods of these may return. The tuple
//! names the known types: `Error<(OrderError, AuthError)>`, or `Error` for none. Without `anyhow`, [`Failure::internal`](crate::door::Occurrence::internal) takes any error.

use std::fmt;
use std::marker::PhantomData;

use aon_core::Problem;

use crate::door::Failure;

/// Any error, with the problems `K` among them told from the rest. See the [module](self).
pub struct Error<K = ()> {
    inner: ::anyhow::Error,
    known: PhantomData<fn() -> K>,
}

impl<K: Known> Error<K> {
    /// The failure it leaves as: a known problem, or `internal` with the whole chain for the log.
    pub fn into_failure(self) -> Failure {
        match K::find(self.inner) {
            Ok(failure) => failure,
            Err(unknown) => Failure::internal(unknown),
        }
    }
}

/// What `?` does.
impl<K, E: Into<::anyhow::Error>> From<E> for Error<K> {
    fn from(error: E) -> Self {
        Self {
            inner: error.into(),
            known: PhantomData,
        }
    }
}

impl<K> fmt::Debug for Error<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl<K> fmt::Display for Error<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.inner, f)
    }
}

/// Problems that are looked for in an error: a tuple of up to six types that derive `Problem`.
pub trait Known {
    /// The failure of the first that is in there.
    ///
    /// # Errors
    ///
    /// The error itself, when none is.
    fn find(error: ::anyhow::Error) -> Result<Failure, ::anyhow::Error>;
}

impl Known for () {
    fn find(error: ::anyhow::Error) -> Result<Failure, ::anyhow::Error> {
        Err(error)
    }
}

macro_rules! tuples {
    ($(($($name:ident),+))+) => {$(
        impl<$($name: Problem + Send + Sync + 'static),+> Known for ($($name,)+) {
            fn find(error: ::anyhow::Error) -> Result<Failure, ::anyhow::Error> {
                $(let error = match error.downcast::<$name>() {
                    Ok(problem) => return Ok(Failure::of(&problem)),
                    Err(error) => error,
                };)+
                Err(error)
            }
        }
    )+};
}

tuples! {
    (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F)
}

#[cfg(feature = "axum")]
impl<K: Known> axum_core::response::IntoResponse for Error<K> {
    fn into_response(self) -> axum_core::response::Response {
        self.into_failure().into_response()
    }
}

#[cfg(feature = "rmcp")]
impl<K: Known> ::rmcp::handler::server::tool::IntoCallToolResult for Error<K> {
    fn into_call_tool_result(self) -> Result<::rmcp::model::CallToolResponse, ::rmcp::ErrorData> {
        self.into_failure().into_call_tool_result()
    }
}

#[cfg(feature = "jsonrpsee")]
impl<K: Known> From<Error<K>> for ::jsonrpsee::types::ErrorObjectOwned {
    fn from(error: Error<K>) -> Self {
        error.into_failure().into()
    }
}

#[cfg(test)]
mod tests {
    use ::anyhow::Context as _;
    use aon_core::{Code, ProblemDetails, Status};

    use super::*;

    fn gone() -> ProblemDetails {
        ProblemDetails::new(Status::from_static(410), Code::from_static("gone"))
    }

    fn code<K: Known>(error: Error<K>) -> String {
        let failure = error.into_failure();
        failure
            .problem()
            .code()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    #[test]
    fn a_known_problem_is_found_under_any_context() {
        let error = || {
            Err::<(), _>(gone())
                .context("one")
                .context("two")
                .unwrap_err()
        };
        assert_eq!(code(Error::<(ProblemDetails,)>::from(error())), "gone");
        assert_eq!(
            code(Error::<(aon_core::InvalidChoice, ProblemDetails)>::from(
                error()
            )),
            "gone"
        );
        assert_eq!(code(Error::<()>::from(error())), "internal");
    }

    #[test]
    fn what_is_not_known_says_nothing() {
        let error: Error = ::anyhow::anyhow!("password=hunter2")
            .context("connecting to db-3")
            .into();
        let failure = error.into_failure();
        let wire = failure.problem().to_string();
        assert!(
            !wire.contains("hunter2") && !wire.contains("db-3"),
            "{wire}"
        );
        assert_eq!(failure.status(), 500);
    }
}
