//! Faults read back out of words: ours in `errors`, serde's in plain text.

use aon_core::{Choice, ChoiceValue, ProblemDetails, pointer};
use serde_json::{Number, Value};

use crate::arguments::{Fault, What};

/// What a problem says is wrong, place by place. The sentences are those of [`Fault`].
pub(super) fn faults(problem: &ProblemDetails) -> Vec<Fault> {
    let errors = problem
        .extensions()
        .get("errors")
        .map(aon_core::Json::to_value);
    let Some(Value::Array(errors)) = errors else {
        return Vec::new();
    };
    let read = |error: &Value| {
        let place = error.get("pointer")?.as_str()?;
        let place = pointer::of_fragment(place).into_owned();
        let detail = error
            .get("detail")
            .and_then(Value::as_str)
            .unwrap_or_default();
        fault(problem, place, detail)
    };
    errors
        .iter()
        .map(read)
        .collect::<Option<Vec<_>>>()
        .unwrap_or_default()
}

fn fault(problem: &ProblemDetails, place: String, detail: &str) -> Option<Fault> {
    let last = pointer::tokens(&place)
        .next_back()
        .unwrap_or_default()
        .into_owned();
    let values = problem.valid_values();
    let choices = values
        .of(&place)
        .or_else(|| values.of(&last))
        .unwrap_or_default();
    if detail.contains(" is missing") {
        return Some(Fault::new(place, What::Missing(choices.to_vec())));
    }
    if let Some((_, known)) = detail.split_once(" is not a known field; known fields: ") {
        let known = quoted(known);
        return Some(Fault::new(place, What::Unknown(known)).with_given(Some(&last)));
    }
    if !choices.is_empty() {
        return Some(Fault::new(place, What::NotOneOf(choices.to_vec())));
    }
    let (_, expected) = detail.split_once(" must be ")?;
    let expected = expected.strip_suffix('.').unwrap_or(expected);
    if expected.starts_with('"') {
        let choices = quoted(expected).into_iter().map(Choice::new).collect();
        return Some(Fault::new(place, What::NotOneOf(choices)));
    }
    let expected = expected
        .split(", not ")
        .next()
        .unwrap_or(expected)
        .to_owned();
    let received = None;
    Some(Fault::new(place, What::Wrong { expected, received }))
}

/// The texts in double quotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The words of serde in a text, which frameworks put something in front of.
pub(super) fn of_serde(text: &str) -> Option<&str> {
    let starts = [
        "unknown variant `",
        "unknown field `",
        "missing field `",
        "invalid type: ",
        "invalid value: ",
    ];
    let at = starts.iter().filter_map(|start| text.find(start)).min()?;
    text.get(at..)
}

/// The value that is meant where another type or size is expected. A limit is kept instead of a number beyond it only where
/// the call does no harm.
pub(super) fn meant(given: &Value, expected: &str, harmless: bool) -> Option<Value> {
    let expected = expected.strip_suffix(" or null").unwrap_or(expected);
    match (expected, given) {
        ("a string", Value::Number(number)) => Some(Value::from(number.to_string())),
        ("a string", Value::Bool(value)) => Some(Value::from(value.to_string())),
        ("an array" | "an object", Value::String(text)) => {
            let inner: Option<Value> = serde_json::from_str(text).ok();
            let wanted = inner.filter(|inner| match expected {
                "an array" => inner.is_array(),
                _ => inner.is_object(),
            });
            // A text with separators may be several items, or one.
            let one = expected == "an array" && !text.contains([',', ';', '|', '\n']);
            wanted.or_else(|| one.then(|| Value::Array(vec![given.clone()])))
        }
        ("an array", Value::Number(_) | Value::Bool(_) | Value::Object(_)) => {
            Some(Value::Array(vec![given.clone()]))
        }
        ("a string", Value::Array(items)) => match items.as_slice() {
            [only @ Value::String(_)] => Some(only.clone()),
            _ => None,
        },
        (_, Value::Number(_)) if harmless => {
            let limit = ["at most ", "at least "]
                .iter()
                .find_map(|start| expected.strip_prefix(start))?;
            limit.parse::<Number>().ok().map(Value::Number)
        }
        _ => None,
    }
}

/// The truth value that a word stands for, where either would do.
pub(super) fn truth(given: &Value, fault: &Fault) -> Option<bool> {
    let is = |wanted: bool| {
        let mut choices = fault.choices().iter();
        choices.any(|choice| *choice.value() == ChoiceValue::Bool(wanted))
    };
    let either = if let What::Wrong { expected, .. } = &fault.what {
        expected == crate::arguments::BOOLEAN
    } else {
        is(true) && is(false)
    };
    let word = given.as_str()?.trim().to_lowercase();
    match word.as_str() {
        "yes" | "on" => Some(true),
        "no" | "off" => Some(false),
        _ => None,
    }
    .filter(|_| either)
}

/// The limit that a number passed, to be chosen instead: another number is another call.
pub(super) fn limit(given: &Value, what: &What) -> Option<Choice> {
    let (What::Wrong { expected, .. }, Value::Number(given)) = (what, given) else {
        return None;
    };
    let beyond = |start: &str, step: i64| {
        let limit: i64 = expected.strip_prefix(start)?.parse().ok()?;
        let whole = given.is_i64() || given.is_u64();
        whole.then(|| limit.checked_add(step))?.map(Number::from)
    };
    let at = |start: &str| expected.strip_prefix(start)?.parse::<Number>().ok();
    let limit = at("at most ")
        .or_else(|| at("at least "))
        .or_else(|| beyond("more than ", 1))
        .or_else(|| beyond("less than ", -1))?;
    Some(Choice::from(ChoiceValue::Number(limit)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::arguments;

    #[test]
    fn what_a_problem_says_is_read_back_as_it_was_meant() {
        let schema = json!({
            "type": "object", "required": ["id", "size"], "additionalProperties": false,
            "properties": {
                "id": {"type": "string"}, "size": {"enum": ["small", "large"]}, "count": {"type": "integer"},
                "note": {"type": "string"},
            },
        });
        let given = json!({"size": "huge", "count": "two", "note": 5, "idd": "x"});
        let faults = arguments::check(&given, &schema);
        assert_eq!(faults.len(), 5);
        let problem = arguments::problem(&faults).unwrap();
        let read = super::faults(&problem);
        assert_eq!(read.len(), faults.len());
        for (read, told) in read.iter().zip(&faults) {
            assert_eq!(read.pointer, told.pointer);
            assert_eq!(
                std::mem::discriminant(&read.what),
                std::mem::discriminant(&told.what),
                "{told}"
            );
        }
    }
}
