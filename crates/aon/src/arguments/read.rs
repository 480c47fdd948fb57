//! Arguments as a value of the program's own type, or everything that keeps them from being one.

use aon_core::ProblemDetails;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::collect::{self, Input};
use super::{Fault, problem};
use crate::door::Failure;

/// Bad arguments are read again at most so often to find all that is wrong with them.
pub(crate) const ROUNDS: usize = 8;

/// Everything that keeps a document from being a `T`, as one problem; `None` when it is one.
///
/// ```
/// use serde_json::json;
///
/// #[derive(serde::Deserialize)]
/// struct User { email: String }
///
/// let problem = aon::arguments::explain::<User>(&json!({})).expect("a fault");
/// assert_eq!(problem.field_paths(), ["/email"]);
/// ```
pub fn explain<T: DeserializeOwned>(document: &Value) -> Option<ProblemDetails> {
    problem(&collect::faults::<T>(Input::Json(document), ROUNDS))
}

/// Everything that keeps arguments from being a `T`, at least what serde said.
pub(crate) fn faults<T: DeserializeOwned>(
    arguments: &Value,
    rounds: usize,
    said: &serde_json::Error,
) -> Vec<Fault> {
    let mut faults = collect::faults::<T>(Input::Json(arguments), rounds);
    if faults.is_empty() {
        faults.push(Fault::from_message(arguments, &said.to_string()));
    }
    faults
}

/// Reads arguments; what is wrong with them is one problem that names every field it can.
///
/// # Examples
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Order { item: String, quantity: u8 }
///
/// let arguments = serde_json::json!({"quantity": "two"});
/// let failure = aon::arguments::read::<Order>(&arguments).err().expect("a failure");
/// assert_eq!(failure.problem().field_paths(), ["/quantity", "/item"]);
/// # let _ = |order: Order| (order.item, order.quantity);
/// ```
///
/// # Errors
///
/// When they are not a `T`. The failure has them as its arguments, for a correction.
pub fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, Failure> {
    let error = match T::deserialize(arguments) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let problem = problem(&faults::<T>(arguments, ROUNDS, &error))
        .unwrap_or_else(|| crate::builtin::problem(&crate::builtin::INVALID_VALUE));
    let arguments = aon_core::Json::of(arguments).ok();
    Err(Failure::built_in(problem).with_arguments(arguments))
}
