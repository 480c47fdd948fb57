//! The query string.

use aon_core::{Namespace, ProblemDetails};
use axum_core::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::super::fault::{self, Fault};
use super::super::framework;
use super::super::respond::Failure;
use super::transparent;

/// The query string, read like `axum::extract::Query`; what is wrong with it is a problem that names the parameter.
///
/// # Examples
///
/// ```
/// use aon::axum::Query;
///
/// #[derive(serde::Deserialize)]
/// struct Page { page: u32 }
///
/// async fn list(Query(page): Query<Page>) -> String {
///     format!("page {}", page.page)
/// }
/// # let _: axum::Router = axum::Router::new().route("/", axum::routing::get(list));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is taken apart in the arguments of handlers"
)]
pub struct Query<T>(
    /// What was read.
    pub T,
);

transparent!(Query);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Failure> {
        let read = read(parts.uri.query().unwrap_or_default());
        read.map(Self).map_err(Failure::built_in)
    }
}

fn read<T: DeserializeOwned>(query: &str) -> Result<T, ProblemDetails> {
    let pairs = serde_urlencoded::Deserializer::new(form_pairs(query));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = super::json::segments(error.path());
        let fault = Fault::new(path, &error.inner().to_string());
        fault::problem(
            Some(&framework::INVALID_QUERY),
            &[fault],
            &Namespace::DEFAULT,
        )
    })
}

fn form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}
