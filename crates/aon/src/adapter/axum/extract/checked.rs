//! The JSON body of a type that has a JSON Schema.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aon_core::Entry;
use axum_core::extract::{FromRequest, FromRequestParts, Request};
use http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::framework;
use super::{Path, Query, body, json, path, query, transparent};
use crate::arguments::{self, What, problem_as};
use crate::door::Failure;

/// A JSON body that is held to the JSON Schema of its type before it is read: mistakes are reported with the bounds the
/// schema names and the labels of its choices, every field at once.
///
/// [`Json`](super::Json) knows only what serde knows: whether a type has a schema cannot be asked in a generic function, so the
/// schema is asked for by name. Use this one wherever there is one. `Checked<Query<T>>` and `Checked<Path<T>>` do the same for
/// parameters.
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

impl<T, S> FromRequestParts<S> for Checked<Query<T>>
where
    T: DeserializeOwned + JsonSchema + 'static,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let given = query::pairs(parts.uri.query().unwrap_or_default());
        hold::<T>(&given, &framework::INVALID_QUERY)?;
        Query::from_request_parts(parts, state).await.map(Self)
    }
}

impl<T, S> FromRequestParts<S> for Checked<Path<T>>
where
    T: DeserializeOwned + JsonSchema + Send + 'static,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let given = path::given(parts, state).await.unwrap_or_default();
        hold::<T>(&given, &framework::INVALID_PATH)?;
        Path::from_request_parts(parts, state).await.map(Self)
    }
}

/// Holds named texts to the schema of a type: a text is what its schema wants where it spells that.
fn hold<T: JsonSchema + 'static>(
    given: &[(String, String)],
    entry: &'static Entry,
) -> Result<(), Failure> {
    let schema = schema::<T>();
    let (Some(Value::Object(properties)), false) = (schema.get("properties"), given.is_empty())
    else {
        return Ok(());
    };
    let mut members = serde_json::Map::new();
    for (name, text) in given {
        let kind = properties.get(name).and_then(|schema| schema.get("type"));
        let wants = |wanted: &str| match kind {
            Some(Value::String(kind)) => kind == wanted,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
            _ => false,
        };
        let number = text.parse::<serde_json::Number>().ok();
        let number = number.filter(|_| wants("integer") || wants("number"));
        let boolean = text.parse::<bool>().ok().filter(|_| wants("boolean"));
        let value = number.map(Value::Number).or(boolean.map(Value::Bool));
        let value = value.unwrap_or_else(|| Value::String(text.clone()));
        members.insert(name.clone(), value);
    }
    let mut faults = arguments::check_strictly(&Value::Object(members), &schema);
    if faults.is_empty() {
        return Ok(());
    }
    // Text is all that could be given, so its kind says nothing, and `null` is not to be had.
    for fault in &mut faults {
        if let What::Wrong { expected, received } = &mut fault.what {
            *received = None;
            *expected = expected.replace(" or null", "");
        }
    }
    Err(Failure::built_in(problem_as(entry, &faults)))
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
