//! The parameters in the path.

use aon_core::Namespace;
use axum_core::extract::FromRequestParts;
use axum_core::response::IntoResponse;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::super::respond::Failure;
use super::super::{framework, known};
use super::transparent;

/// The parameters in the path, read like `axum::extract::Path`; what is wrong with them is a problem that names the
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
#[expect(
    clippy::exhaustive_structs,
    reason = "it is taken apart in the arguments of handlers"
)]
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
        let raw = ::axum::extract::RawPathParams::from_request_parts(parts, state)
            .await
            .ok();
        match ::axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(::axum::extract::Path(value)) => Ok(Self(value)),
            Err(rejection) => {
                let text = rejection.body_text();
                if rejection.into_response().status().is_server_error() {
                    let problem = framework::problem(&framework::INTERNAL, &Namespace::DEFAULT);
                    return Err(Failure::built_in(problem));
                }
                let text = text.strip_prefix("Invalid URL: ").unwrap_or(&text);
                // A single parameter is not named in axum's words; the route names it.
                let given: Vec<(&str, &str)> = raw.iter().flatten().collect();
                let problem = known::path(text, &given, &Namespace::DEFAULT);
                Err(Failure::built_in(problem))
            }
        }
    }
}
