//! The failed call's own arguments, with the wrong value replaced by the one that was meant ([P11]).
//!
//! A correction is a call that can succeed as far as the problem tells: every value that is visibly wrong has a clear
//! winner, and every field the problem names was corrected. Otherwise there is none.
//!
//! | given | becomes |
//! | --- | --- |
//! | text | the text of the set that is meant: case, separators, plural, edit distance with a clear winner, another form of the same words; or the value with that label; or the number or boolean it spells |
//! | number | the equal number of the set, or the text that spells it |
//! | boolean | the text that spells it |
//! | array | each item by these rules |
//! | anything else, or nothing | no correction |
//!
//! Where any number would do, a text that spells one becomes that number, if it keeps the stated limits: `"5"`, `"1,200"` for a whole number, `"30s"` for
//! a field in seconds. Where a text has to match a pattern, it
//! becomes the one spelling of it that does: without spaces, in another case, with other separators, a day without midnight.
//!
//! [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11

use aon_core::{Choice, ChoiceValue, Json, Pointer, ProblemDetails, suggest};
use serde_json::{Number, Value};

use super::raw;

mod number;
mod pattern;
mod place;

/// Arguments longer than this are not sent back.
const MAX_ARGUMENTS: usize = 64 * 1024;

/// A corrected call.
///
/// # Examples
///
/// ```
/// use aon::surface::correct::Correction;
/// use aon::{Code, Json, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_auth_ux"))
///     .with_valid_values("auth_ux", ["hosted", "custom"]);
/// let given = Json::parse(r#"{"id":"p1","auth_ux":"Hosed"}"#)?;
/// let correction = Correction::of(&problem, &given).expect("hosted is meant");
/// assert_eq!(correction.arguments().as_str(), r#"{"id":"p1","auth_ux":"hosted"}"#);
/// # Ok::<(), aon::InvalidJson>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    arguments: Json,
    replaced: Vec<(Pointer, ChoiceValue)>,
}

impl Correction {
    /// The correction of a call, where there is one.
    pub fn of(problem: &ProblemDetails, arguments: &Json) -> Option<Self> {
        let values = problem.valid_values();
        let told = !values.is_empty() || problem.extensions().get(number::EXPECTED).is_some();
        if !told || arguments.as_str().len() > MAX_ARGUMENTS {
            return None;
        }
        if !arguments.as_str().starts_with('{') {
            return None;
        }
        let named = named_pointers(problem);
        let mut replaced: Vec<(Pointer, ChoiceValue)> = Vec::new();
        for (field, choices) in values.iter() {
            for at in place::of_field(field, &named, arguments.as_str()) {
                match verdict(place::value(&at, arguments.as_str())?, choices) {
                    Verdict::Valid => {}
                    Verdict::Unclear => return None,
                    Verdict::Meant(value) => replaced.push((at, value)),
                    Verdict::Items(items) => {
                        for (item, value) in items {
                            let mut at = at.clone();
                            at.push(&item.to_string());
                            replaced.push((at, value));
                        }
                    }
                }
            }
        }
        if values.is_empty() {
            replaced.extend(number::meant(problem, &named, arguments.as_str()));
            if replaced.is_empty() {
                replaced.extend(pattern::meant(problem, &named, arguments.as_str()));
            }
        }
        let all_told = named.iter().all(|pointer| {
            pointer.as_str().is_empty() || replaced.iter().any(|(at, _)| place::covers(at, pointer))
        });
        if replaced.is_empty() || !all_told {
            return None;
        }
        let mut text = arguments.as_str().to_owned();
        for (at, value) in &replaced {
            text = place::replaced(at, &text, &value.to_value().to_string())?;
        }
        Some(Self {
            arguments: Json::parse(&text).ok()?,
            replaced,
        })
    }

    /// The arguments of the corrected call.
    pub fn arguments(&self) -> &Json {
        &self.arguments
    }

    /// What was replaced: JSON Pointer and new value.
    pub fn replaced(&self) -> impl Iterator<Item = (&str, &ChoiceValue)> {
        self.replaced
            .iter()
            .map(|(pointer, value)| (pointer.as_str(), value))
    }
}

/// The pointers the problem itself names in `errors`.
fn named_pointers(problem: &ProblemDetails) -> Vec<Pointer> {
    let errors = problem
        .extensions()
        .get("errors")
        .and_then(|errors| raw::items(errors.as_str()));
    errors
        .unwrap_or_default()
        .into_iter()
        .filter_map(|error| raw::text(raw::member(error, "pointer")?))
        .map(|pointer| place::parse(&pointer))
        .collect()
}

/// What a value is, measured against the allowed ones.
enum Verdict {
    Valid,
    Meant(ChoiceValue),
    Items(Vec<(usize, ChoiceValue)>),
    Unclear,
}

fn verdict(json: &str, choices: &[Choice]) -> Verdict {
    if let Some(items) = raw::items(json) {
        let mut meant = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            match scalar(item, choices) {
                Verdict::Valid => {}
                Verdict::Meant(value) => meant.push((at, value)),
                Verdict::Items(_) | Verdict::Unclear => return Verdict::Unclear,
            }
        }
        return if meant.is_empty() {
            Verdict::Valid
        } else {
            Verdict::Items(meant)
        };
    }
    scalar(json, choices)
}

fn scalar(json: &str, choices: &[Choice]) -> Verdict {
    let Ok(given) = serde_json::from_str::<Value>(json) else {
        return Verdict::Unclear;
    };
    if choices
        .iter()
        .any(|choice| choice.value().to_value() == given)
    {
        return Verdict::Valid;
    }
    let meant = match &given {
        Value::String(text) => from_text(text, choices),
        Value::Number(number) => from_number(number, choices),
        Value::Bool(value) => spelled(if *value { "true" } else { "false" }, choices),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    meant.map_or(Verdict::Unclear, |value| Verdict::Meant(value.clone()))
}

/// The choice a text means: near a text of the set, or spelling its number or boolean; never two of them.
fn from_text<'a>(given: &str, choices: &'a [Choice]) -> Option<&'a ChoiceValue> {
    let values = || choices.iter().map(Choice::value);
    let texts: Vec<&str> = values().filter_map(ChoiceValue::as_str).collect();
    let word = suggest::meant(given, &texts)
        .and_then(|word| values().find(|value| value.as_str() == Some(word)));
    let given = given.trim();
    let other = values().find(|value| match value {
        ChoiceValue::Text(_) => false,
        ChoiceValue::Number(number) => given
            .parse::<Number>()
            .is_ok_and(|given| same_number(&given, number)),
        ChoiceValue::Bool(value) => {
            given.eq_ignore_ascii_case(if *value { "true" } else { "false" })
        }
    });
    match (word, other) {
        (Some(value), None) | (None, Some(value)) => Some(value),
        (Some(_), Some(_)) => None,
        (None, None) => by_label(given, choices),
    }
}

/// The one choice with that label, or with the label that is meant.
fn by_label<'a>(given: &str, choices: &'a [Choice]) -> Option<&'a ChoiceValue> {
    let labels: Vec<&str> = choices.iter().filter_map(Choice::label).collect();
    let meant = suggest::meant(given, &labels)?;
    let mut labelled = choices.iter().filter(|choice| {
        choice
            .label()
            .is_some_and(|label| label.trim().to_lowercase() == meant.trim().to_lowercase())
    });
    let first = labelled.next()?;
    labelled.next().is_none().then(|| first.value())
}

fn from_number<'a>(given: &Number, choices: &'a [Choice]) -> Option<&'a ChoiceValue> {
    let equal = choices
        .iter()
        .map(Choice::value)
        .find(|value| matches!(value, ChoiceValue::Number(number) if same_number(given, number)));
    equal.or_else(|| spelled(&given.to_string(), choices))
}

/// The text of the set that is spelled exactly so.
fn spelled<'a>(text: &str, choices: &'a [Choice]) -> Option<&'a ChoiceValue> {
    choices
        .iter()
        .map(Choice::value)
        .find(|value| value.as_str() == Some(text))
}

fn same_number(a: &Number, b: &Number) -> bool {
    if a == b {
        return true;
    }
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a == b,
        _ => a
            .as_f64()
            .is_some_and(|a| b.as_f64().is_some_and(|b| a.total_cmp(&b).is_eq())),
    }
}

#[cfg(test)]
mod tests;
