//! The parameters in the path.

use ::axum::extract::RawPathParams;
use axum_core::extract::FromRequestParts;
use axum_core::response::IntoResponse;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::super::{framework, known};
use super::transparent;
use crate::arguments::collect::{self, Input};
use crate::arguments::{ROUNDS, problem_as};
use crate::door::Failure;

/// The parameters in the path, read like `axum::extract::Path`; what is wrong with them is one problem that names every
/// parameter.
///
/// # Examples
///
/// ```
/// use aon::axum::Path;
///
/// async fn show(Path(id): Path<u64>) -> String {
///     format!("cluster {id}")
/// }
/// # let _: axum::Router = axum::Router::new().route("/clusters/{id}", axum::routing::get(show));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Path<T>(
    /// What was read.
    pub T,
);

transparent!(Path);

impl<T, S> FromRequestParts<S> for Path<T>
where
    T: DeserializeOwned + Send,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let rejection = match ::axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(::axum::extract::Path(value)) => return Ok(Self(value)),
            Err(rejection) => rejection,
        };
        let text = rejection.body_text();
        if rejection.into_response().status().is_server_error() {
            return Err(Failure::broken("a path could not be read", text));
        }
        // Without names, as for bytes that are not UTF-8, axum's own words are all there is.
        let given = given(parts, state).await;
        let faults = match &given {
            Some(given) => collect::faults::<T>(Input::Pairs(given), ROUNDS),
            None => Vec::new(),
        };
        let problem = if faults.is_empty() {
            let given: Vec<(&str, &str)> = given
                .iter()
                .flatten()
                .map(|(name, value)| (&**name, &**value))
                .collect();
            known::path(&text, &given)
        } else {
            problem_as(&framework::INVALID_PATH, &faults)
        };
        Err(Failure::built_in(problem))
    }
}

/// The parameters by their names; `None` where one of them is not UTF-8.
pub(super) async fn given<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
) -> Option<Vec<(String, String)>> {
    let raw = RawPathParams::from_request_parts(parts, state).await.ok()?;
    let pairs = raw.iter().map(|(name, value)| (name.into(), value.into()));
    Some(pairs.collect())
}
