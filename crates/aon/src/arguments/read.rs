//! Arguments as a value of the program's own type, or everything that keeps them from being one.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::collect::{self, Input};
use super::{Fault, problem};
use crate::door::Failure;

/// Bad arguments are read again at most so often to find all that is wrong with them.
const ROUNDS: usize = 8;

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
    let faults = collect::faults::<T>(Input::Json(arguments), ROUNDS);
    let problem = problem(&faults)
        .or_else(|| problem(&[Fault::from_message(arguments, &error.to_string())]))
        .unwrap_or_else(|| crate::builtin::problem(&crate::builtin::INVALID_VALUE));
    let arguments = aon_core::Json::of(arguments).ok();
    Err(Failure::built_in(problem).with_arguments(arguments))
}
