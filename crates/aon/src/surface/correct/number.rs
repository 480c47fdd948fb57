//! A number in a text, where a number is wanted: `"5"` means 5.

use aon_core::{ChoiceValue, Pointer, ProblemDetails};
use serde_json::{Number, Value};

use super::{place, raw};

/// The member that says what is wanted.
pub(super) const EXPECTED: &str = "expected";

/// The one place the problem names, and the number that is meant there.
///
/// What is wanted is read from the member `expected`, which is there when one field alone is wrong.
pub(super) fn meant(
    problem: &ProblemDetails,
    named: &[Pointer],
    arguments: &str,
) -> Option<(Pointer, ChoiceValue)> {
    let [at] = named else {
        return None;
    };
    let expected = problem.extensions().get(EXPECTED)?;
    let expected = raw::text(expected.as_str())?;
    let given: Value = serde_json::from_str(place::value(at, arguments)?).ok()?;
    let number = match &given {
        Value::String(text) => {
            let field = at.tokens().next_back().unwrap_or_default();
            spelled(text.trim(), &field, expected.starts_with("a whole number"))?
        }
        Value::Number(number) => without_fraction(number)?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let fits = match expected.strip_prefix("a whole number") {
        Some(limits) => number.as_i128().is_some_and(|number| keeps(number, limits)),
        None => given.is_string() && matches!(&*expected, "a number" | "a number or null"),
    };
    fits.then(|| (at.clone(), ChoiceValue::Number(number)))
}

/// Units of measure, and how they are written in short.
const UNITS: [&[&str]; 14] = [
    &["milliseconds", "millis", "ms"],
    &["seconds", "second", "secs", "sec", "s"],
    &["minutes", "minute", "mins", "min"],
    &["hours", "hour", "hrs", "hr", "h"],
    &["days", "day", "d"],
    &["percent", "percentage", "pct", "%"],
    &["kilograms", "kilogram", "kg"],
    &["grams", "gram", "g"],
    &["kilometers", "kilometres", "km"],
    &["meters", "metres", "m"],
    &["centimeters", "centimetres", "cm"],
    &["millimeters", "millimetres", "mm"],
    &["pixels", "pixel", "px"],
    &["celsius", "°c"],
];

/// The number a text spells: as JSON does, a whole one with separators of thousands, or one with the unit that the field is named by.
fn spelled(text: &str, field: &str, whole: bool) -> Option<Number> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let groups: Vec<&str> = text.split([',', '_', '\'', ' ']).collect();
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let thousands = match groups.split_first() {
        Some((first, rest)) => {
            (1..4).contains(&first.len())
                && !rest.is_empty()
                && digits(first)
                && rest.iter().all(|group| group.len() == 3 && digits(group))
        }
        None => false,
    };
    if whole && thousands {
        return groups.concat().parse().ok();
    }
    let end = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (number, unit) = text.split_at_checked(end)?;
    let unit = unit.trim().to_lowercase();
    let names = UNITS.iter().find(|names| names.contains(&unit.as_str()))?;
    let field = field.to_lowercase();
    let mut words = field.split(|letter: char| !letter.is_alphanumeric());
    let same = words.any(|word| names.contains(&word));
    number.parse().ok().filter(|_| same)
}

/// `2.0` as `2`.
fn without_fraction(number: &Number) -> Option<Number> {
    let text = number.as_f64().filter(|_| number.is_f64())?.to_string();
    text.parse::<Number>()
        .ok()
        .filter(|number| !number.is_f64())
}

/// Whether a number keeps the limits in the words of this crate: ` from 0 to 255`, ` of at least 1`, ` of at most 9`.
fn keeps(number: i128, limits: &str) -> bool {
    let limits = limits.split(" or ").next().unwrap_or_default();
    if limits.is_empty() {
        return true;
    }
    let parsed = |text: &str| text.parse::<i128>().ok();
    if let Some((least, most)) = limits
        .strip_prefix(" from ")
        .and_then(|range| range.split_once(" to "))
    {
        return parsed(least).is_some_and(|least| least <= number)
            && parsed(most).is_some_and(|most| number <= most);
    }
    if let Some(least) = limits.strip_prefix(" of at least ") {
        return parsed(least).is_some_and(|least| least <= number);
    }
    let most = limits.strip_prefix(" of at most ");
    most.and_then(parsed).is_some_and(|most| number <= most)
}
