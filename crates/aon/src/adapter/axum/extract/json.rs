//! The JSON body.

use aon_core::{Namespace, ProblemDetails};
use axum_core::extract::{FromRequest, Request};
use axum_core::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::fault::{self, Fault, Kind};
use super::super::framework;
use super::super::respond::Failure;
use super::{of_bytes, transparent};
use crate::arguments::place;

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
#[expect(
    clippy::exhaustive_structs,
    reason = "it is taken apart in the arguments of handlers"
)]
pub struct Json<T>(
    /// What was read, or is sent.
    pub T,
);

transparent!(Json);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        if !is_json(request.headers()) {
            return Err(Failure::built_in(
                framework::problem(&framework::UNSUPPORTED_MEDIA_TYPE, &Namespace::DEFAULT)
                    .with_detail("The body must have the Content-Type application/json.")
                    .with_valid_values("content-type", ["application/json"]),
            ));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(of_bytes)?;
        read(&bytes).map(Self).map_err(Failure::built_in)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                let json = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, json)], body).into_response()
            }
            Err(_no_json_form) => {
                let problem = framework::problem(&framework::INTERNAL, &Namespace::DEFAULT);
                Failure::built_in(problem).into_response()
            }
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(value)) = headers.get(header::CONTENT_TYPE).map(HeaderValue::to_str) else {
        return false;
    };
    let essence = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ProblemDetails> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let error = match serde_path_to_error::deserialize(&mut deserializer) {
        Ok(value) => match deserializer.end() {
            Ok(()) => return Ok(value),
            Err(error) => return Err(syntax(&error)),
        },
        Err(error) => error,
    };
    // A number where a choice is wanted is no data to serde_json, though it is JSON: only the reading of a tree tells.
    let body = match serde_json::from_slice(bytes) {
        Ok(body) => body,
        Err(error) => return Err(syntax(&error)),
    };
    let first = located(&body, &error);
    let faults = if bytes.len() <= SMALL {
        all::<T>(body, first)
    } else {
        vec![first]
    };
    Err(fault::problem(None, &faults, &Namespace::DEFAULT))
}

/// A fault with its place, also inside of what serde reads at once.
fn located(body: &Value, error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let message = error.inner().to_string();
    let path = segments(error.path());
    let place = place::within(body, &fault::pointer(&path), &message);
    let mut fault = Fault::new(path, &message);
    if matches!(fault.kind, Kind::UnknownVariant { .. } | Kind::Wrong { .. }) {
        fault.pointer = place;
    }
    fault
}

fn syntax(error: &serde_json::Error) -> ProblemDetails {
    framework::problem(&framework::INVALID_BODY, &Namespace::DEFAULT)
        .with_detail(format!("The body is not valid JSON: {error}."))
}

/// Only a small body is read again and again.
const SMALL: usize = 64 * 1024;
/// At most so many fields are named.
const MOST: usize = 16;
/// At most so many times it is read again.
const ROUNDS: usize = 96;

/// A fault, and what has not been tried in its place yet.
struct Repair {
    fault: Fault,
    untried: Vec<Option<Value>>,
}

/// The first fault, and what else is wrong: serde stops at the first, so the body is mended there and read again,
/// until nothing is wrong or something cannot be mended. On the way a missing field may tell its values.
fn all<T: DeserializeOwned>(mut body: Value, first: Fault) -> Vec<Fault> {
    let mut repairs = vec![Repair::new(first)];
    let mut at = 0;
    for _ in 0..ROUNDS {
        let Some(repair) = repairs.get_mut(at) else {
            break;
        };
        let Some(candidate) = repair.untried.pop() else {
            break;
        };
        if !put(&mut body, &repair.fault.pointer, candidate) {
            break;
        }
        let Err(error) = serde_path_to_error::deserialize::<_, T>(&body) else {
            break;
        };
        let next = located(&body, &error);
        let seen = repairs
            .iter()
            .position(|repair| repair.covers(&next.pointer));
        at = match seen {
            Some(seen) => {
                if let Some(repair) = repairs.get_mut(seen) {
                    repair.learn(next);
                }
                seen
            }
            None if repairs.len() == MOST => break,
            None => {
                repairs.push(Repair::new(next));
                repairs.len() - 1
            }
        };
    }
    repairs.into_iter().map(|repair| repair.fault).collect()
}

impl Repair {
    fn new(fault: Fault) -> Self {
        let untried = match &fault.kind {
            Kind::UnknownField { .. } => vec![None],
            Kind::UnknownVariant { valid, .. } => valid
                .first()
                .map(|first| Some(first.as_str().into()))
                .into_iter()
                .collect(),
            Kind::Missing | Kind::Wrong { .. } | Kind::Other(_) => SAMPLES
                .iter()
                .rev()
                .map(|sample| serde_json::from_str(sample).ok())
                .collect(),
            Kind::Duplicate => Vec::new(),
        };
        Self { fault, untried }
    }

    /// Whether a fault there is about what was put in place here: at this place, in it, or around it where serde
    /// tells no nearer.
    fn covers(&self, pointer: &str) -> bool {
        let leads = |from: &str, to: &str| {
            let rest = to.strip_prefix(from);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        leads(&self.fault.pointer, pointer) || leads(pointer, &self.fault.pointer)
    }

    /// What was tried does not do; perhaps the answer says what would.
    fn learn(&mut self, next: Fault) {
        if let Kind::UnknownVariant { valid, .. } = next.kind
            && next.pointer == self.fault.pointer
            && !matches!(self.fault.kind, Kind::UnknownVariant { .. })
            && self.fault.would_do.is_empty()
            && let Some(first) = valid.first()
        {
            self.untried.push(Some(first.as_str().into()));
            if let Kind::Wrong { .. } = self.fault.kind {
                let given = String::new();
                self.fault.kind = Kind::UnknownVariant { given, valid };
            } else {
                self.fault.would_do = valid;
            }
        }
    }
}

/// Puts a value at a place in the body, or takes out what is there.
fn put(body: &mut Value, pointer: &str, value: Option<Value>) -> bool {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return false;
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    match (body.pointer_mut(parent), value) {
        (Some(Value::Object(members)), Some(value)) => {
            members.insert(name, value);
        }
        (Some(Value::Object(members)), None) => {
            members.remove(&name);
        }
        (Some(Value::Array(items)), Some(value)) => {
            let place = name.parse().ok().and_then(|at: usize| items.get_mut(at));
            match place {
                Some(place) => *place = value,
                None => return false,
            }
        }
        (_, _) => return false,
    }
    true
}

/// One of each kind; most fields take one of them.
const SAMPLES: [&str; 8] = ["null", "\"\"", "0", "1", "true", "[]", "{}", "0.5"];

/// The segments of a path, as names and indices.
pub(super) fn segments(path: &serde_path_to_error::Path) -> Vec<String> {
    use serde_path_to_error::Segment;

    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { variant } => Some(variant.clone()),
            Segment::Unknown => None,
        })
        .collect()
}
