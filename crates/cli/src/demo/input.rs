//! Arguments as a caller sent them, read into what the operations need. Each mistake is a problem with a pointer.

use aon::{Choice, ProblemDetails, arguments};
use serde_json::{Map, Value, json};

/// An argument of an operation. All of them are text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The values it may take, if they are a closed set.
    pub(crate) choices: &'static [Choice],
}

/// JSON Schema of the arguments.
pub(crate) fn schema(known: &[Argument]) -> Value {
    let mut properties = Map::new();
    for argument in known {
        let mut schema = json!({"type": "string", "description": argument.description});
        if !argument.choices.is_empty() {
            let values = argument.choices.iter();
            schema["enum"] = values.map(|choice| choice.value().to_value()).collect();
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    let required: Vec<&str> = known.iter().map(|argument| argument.name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The arguments, in the order of `known`. Whether a text is one of the choices, the operation says.
pub(crate) fn read<'a>(
    known: &'static [Argument],
    given: &'a Value,
) -> Result<Vec<&'a str>, ProblemDetails> {
    let texts: Option<Vec<&str>> = known
        .iter()
        .map(|argument| given.get(argument.name)?.as_str())
        .collect();
    let exact = given.as_object().map(Map::len) == Some(known.len());
    if let (Some(texts), true) = (texts, exact) {
        return Ok(texts);
    }
    let faults = arguments::check(given, &schema(known));
    match arguments::problem(&faults) {
        Some(problem) => Err(problem),
        None => Ok(Vec::new()),
    }
}
