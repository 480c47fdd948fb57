//! The query string.

use axum_core::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::super::framework;
use super::transparent;
use crate::arguments::collect::{self, Input};
use crate::arguments::{ROUNDS, problem_as, serde_words};
use crate::door::Failure;

/// The query string, read like `axum::extract::Query`; what is wrong with it is one problem that names every parameter.
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
pub struct Query<T>(
    /// What was read.
    pub T,
);

transparent!(Query);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Failure> {
        let query = parts.uri.query().unwrap_or_default();
        serde_urlencoded::from_str(query)
            .map(Self)
            .map_err(|error: serde_urlencoded::de::Error| explain::<T>(query, &error.to_string()))
    }
}

/// The parameters of a query, in their order.
pub(super) fn pairs(query: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}

fn explain<T: DeserializeOwned>(query: &str, message: &str) -> Failure {
    let pairs = pairs(query);
    let mut faults = collect::faults::<T>(Input::Pairs(&pairs), ROUNDS);
    if faults.is_empty() {
        faults.push(serde_words::with_path(message));
    }
    Failure::built_in(problem_as(&framework::INVALID_QUERY, &faults))
}
