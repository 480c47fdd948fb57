//! Arguments as a caller sent them, read into what the operations need. Each mistake is a problem with a pointer.

use aon::{Choice, Problem, ProblemDetails, suggest};
use serde_json::{Map, Value};

/// What is wrong with the arguments of a call.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(crate) enum InputError {
    /// The arguments are no JSON object.
    #[error("the arguments must be a JSON object, not {kind}")]
    #[problem(
        status = 422,
        title = "Arguments are not an object",
        remediation(none, reason = no_public_equivalent_exists, message = "Send one JSON object with the arguments by name."),
    )]
    ArgumentsNotAnObject {
        #[problem(public)]
        kind: &'static str,
    },

    /// A required argument is missing.
    #[error("{field} is required")]
    #[problem(
        status = 422,
        title = "Missing argument",
        remediation(none, reason = no_public_equivalent_exists, message = "Add the argument, then send the call again."),
    )]
    MissingArgument {
        #[problem(public)]
        field: &'static str,
    },

    /// An argument has the wrong type.
    #[error("{field} must be a string, not {kind}")]
    #[problem(
        status = 422,
        title = "Wrong type of argument",
        remediation(none, reason = no_public_equivalent_exists, message = "Send the argument as a string."),
    )]
    WrongArgumentType {
        #[problem(public)]
        field: &'static str,
        #[problem(public)]
        kind: &'static str,
    },

    /// There is no such argument.
    #[error("there is no argument of that name here")]
    #[problem(
        status = 422,
        title = "Unknown argument",
        remediation(none, reason = no_public_equivalent_exists, message = "Use the names in valid_values, and no others."),
    )]
    UnknownArgument {
        #[problem(extension)]
        suggestion: Option<&'static str>,
    },
}

/// An argument of an operation. All of them are text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The values it may take, if they are a closed set.
    pub(crate) choices: &'static [Choice],
}

/// The arguments, in the order of `known`.
pub(crate) fn read<'a>(
    known: &'static [Argument],
    arguments: &'a Value,
) -> Result<Vec<&'a str>, ProblemDetails> {
    let Value::Object(members) = arguments else {
        let kind = kind(arguments);
        return Err(InputError::ArgumentsNotAnObject { kind }.to_problem());
    };
    unknown(known, members)?;
    known
        .iter()
        .map(|argument| text(argument, members))
        .collect()
}

fn unknown(known: &'static [Argument], members: &Map<String, Value>) -> Result<(), ProblemDetails> {
    let stray = members
        .keys()
        .find(|name| known.iter().all(|argument| argument.name != name.as_str()));
    let Some(stray) = stray else {
        return Ok(());
    };
    let names = || known.iter().map(|argument| argument.name);
    let error = InputError::UnknownArgument {
        suggestion: suggest::nearest(stray, names()),
    };
    Err(about(&error, stray).with_valid_values("argument", names()))
}

fn text<'a>(
    argument: &'static Argument,
    members: &'a Map<String, Value>,
) -> Result<&'a str, ProblemDetails> {
    let field = argument.name;
    let error = match members.get(field) {
        Some(Value::String(text)) => return Ok(text),
        Some(other) => InputError::WrongArgumentType {
            field,
            kind: kind(other),
        },
        None => InputError::MissingArgument { field },
    };
    let problem = about(&error, field);
    Err(if argument.choices.is_empty() {
        problem
    } else {
        problem.with_valid_values(field, argument.choices)
    })
}

/// The problem, with a pointer at the argument it is about.
fn about(error: &InputError, field: &str) -> ProblemDetails {
    let pointer = format!("/{}", field.replace('~', "~0").replace('/', "~1"));
    error
        .to_problem()
        .with_pointer(&pointer, Some(&error.to_string()))
}

/// The JSON type of a value, in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
