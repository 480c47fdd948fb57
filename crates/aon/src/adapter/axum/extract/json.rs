//! The JSON body.

use aon_core::ProblemDetails;
use axum_core::extract::{FromRequest, Request};
use axum_core::response::{IntoResponse, Response};
use http::header::{self, HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::framework;
use super::{body, transparent};
use crate::adapter::{is_json, media_type};
use crate::arguments::{self, ROUNDS};
use crate::builtin;
use crate::door::Failure;

/// A JSON body, read like `axum::Json`; what is wrong with it is one problem that names every field it can: where,
/// what kind of value was there, and what would do. As a response it is JSON.
///
/// # Examples
///
/// ```
/// use aon::axum::Json;
///
/// #[derive(serde::Deserialize, serde::Serialize)]
/// struct Cluster { name: String }
///
/// async fn create(Json(cluster): Json<Cluster>) -> Json<Cluster> {
///     Json(cluster)
/// }
/// # let _: axum::Router = axum::Router::new().route("/", axum::routing::post(create));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Json<T>(
    /// What was read, or is sent.
    pub T,
);

transparent!(Json);

/// A larger body is read once more, and not again and again.
const SMALL: usize = 16 << 10;

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Failure> {
        require(request.headers())?;
        let bytes = body::whole(request).await?;
        let read = serde_json::from_slice(&bytes);
        read.map(Self)
            .map_err(|error| Failure::built_in(explain::<T>(&bytes, &error)))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                let json = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, json)], body).into_response()
            }
            Err(error) => {
                Failure::broken("the answer has no JSON form", error.to_string()).into_response()
            }
        }
    }
}

/// Refuses what does not say that it is JSON.
pub(super) fn require(headers: &HeaderMap) -> Result<(), Failure> {
    if media_type(headers).is_some_and(|media| is_json(&media)) {
        return Ok(());
    }
    let problem = builtin::unsupported_media_type(&["application/json"]);
    Err(Failure::built_in(problem))
}

/// The problem of a body that is not a `T`.
pub(super) fn explain<T: DeserializeOwned>(
    bytes: &[u8],
    error: &serde_json::Error,
) -> ProblemDetails {
    let Ok(body) = serde_json::from_slice(bytes) else {
        return builtin::not_json(bytes);
    };
    let rounds = if bytes.len() <= SMALL { ROUNDS } else { 1 };
    arguments::problem(&arguments::faults::<T>(&body, rounds, error))
        .unwrap_or_else(|| builtin::problem(&framework::UNPROCESSABLE_CONTENT))
}
