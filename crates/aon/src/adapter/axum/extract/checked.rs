//! The JSON body of a type that has a JSON Schema.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum_core::extract::{FromRequest, Request};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{body, json, transparent};
use crate::arguments;
use crate::door::Failure;

/// A JSON body that is held to the JSON Schema of its type before it is read: mistakes are reported with the bounds the
/// schema names and the labels of its choices, every field at once.
///
/// [`Json`](super::Json) knows only what serde knows, and asks for less.
///
/// # Examples
///
/// ```
/// use aon::axum::Checked;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Page {
///     #[schemars(range(min = 1, max = 100))]
///     limit: u32,
/// }
///
/// async fn list(Checked(page): Checked<Page>) -> String {
///     format!("at most {}", page.limit)
/// }
/// # let _: axum::Router = axum::Router::new().route("/", axum::routing::post(list));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is taken apart in the arguments of handlers"
)]
pub struct Checked<T>(
    /// What was read.
    pub T,
);

transparent!(Checked);

impl<T, S> FromRequest<S> for Checked<T>
where
    T: DeserializeOwned + JsonSchema + 'static,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Failure> {
        json::require(request.headers())?;
        let bytes = body::whole(request).await?;
        let explain = |error| Failure::built_in(json::explain::<T>(&bytes, &error));
        let value: Value = serde_json::from_slice(&bytes).map_err(explain)?;
        let faults = arguments::check_strictly(&value, &schema::<T>());
        if let Some(problem) = arguments::problem(&faults) {
            return Err(Failure::built_in(problem));
        }
        // The type itself has the last word.
        T::deserialize(value).map(Self).map_err(explain)
    }
}

/// The schema of a type, made once.
fn schema<T: JsonSchema + 'static>() -> Arc<Value> {
    static KNOWN: OnceLock<Mutex<BTreeMap<TypeId, Arc<Value>>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = known
        .entry(TypeId::of::<T>())
        .or_insert_with(|| Arc::new(schemars::schema_for!(T).to_value()));
    Arc::clone(schema)
}
