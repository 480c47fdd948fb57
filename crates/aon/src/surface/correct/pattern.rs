//! A text in another spelling, where a pattern is wanted: `2027-03-04T00:00:00Z` means the day.

use aon_core::{ChoiceValue, Pointer, ProblemDetails};
use serde_json::Value;

use super::{number, place, raw};
use crate::arguments::pattern::{WORDS, matches};

/// The one place the problem names, and the spelling of its text that matches.
pub(super) fn meant(
    problem: &ProblemDetails,
    named: &[Pointer],
    arguments: &str,
) -> Option<(Pointer, ChoiceValue)> {
    let [at] = named else {
        return None;
    };
    let expected = problem.extensions().get(number::EXPECTED)?;
    let expected = raw::text(expected.as_str())?;
    let pattern = expected.strip_prefix(WORDS)?;
    let Ok(Value::String(given)) = serde_json::from_str(place::value(at, arguments)?) else {
        return None;
    };
    let mut fitting: Vec<String> = spellings(&given)
        .into_iter()
        .filter(|text| matches(pattern, text) == Some(true))
        .collect();
    fitting.dedup();
    match fitting.as_slice() {
        [only] => Some((at.clone(), ChoiceValue::Text(only.clone().into()))),
        _ => None,
    }
}

/// The same text in other spellings. A point and a sign belong to a number and stay.
fn spellings(given: &str) -> Vec<String> {
    let trimmed = given.trim();
    let joined = |with: &str| trimmed.split_whitespace().collect::<Vec<_>>().join(with);
    let spaceless = joined("");
    let inner = |at: usize| {
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        is_word(
            spaceless
                .get(..at)
                .and_then(|before| before.chars().next_back()),
        ) && is_word(
            spaceless
                .get(at + 1..)
                .and_then(|after| after.chars().next()),
        )
    };
    let dashless: String = spaceless
        .char_indices()
        .filter(|(at, letter)| *letter != '-' || !inner(*at))
        .map(|(_, letter)| letter)
        .collect();
    let mut out = vec![
        trimmed.to_owned(),
        spaceless,
        joined("-"),
        joined("_"),
        dashless,
    ];
    // With one separator for another, but for the point of a number.
    let separates = |letter: char| matches!(letter, '/' | '-' | '_' | ':' | '.' | ' ');
    let points = trimmed.matches('.').count();
    if points != 1 && !trimmed.starts_with(['-', '+']) {
        let parts: Vec<&str> = trimmed.split(separates).collect();
        if parts.len() > 1 && parts.iter().all(|part| !part.is_empty()) {
            out.extend(["-", "/", "_", ".", ":"].map(|with| parts.join(with)));
        }
    }
    if let Some((day, time)) = trimmed.split_once(['T', ' '])
        && time.starts_with("00:00")
        && time
            .chars()
            .all(|c| matches!(c, '0' | ':' | '.' | 'Z' | '+'))
    {
        out.push(day.to_owned());
    }
    let cased: Vec<String> = out
        .iter()
        .flat_map(|text| [text.to_uppercase(), text.to_lowercase()])
        .collect();
    out.extend(cased);
    out.sort();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use aon_core::Json;

    use super::super::Correction;
    use crate::arguments;

    #[test]
    fn one_spelling_that_matches_is_meant() {
        let cases = [
            (
                "2027-03-04T00:00:00Z",
                "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                Some("2027-03-04"),
            ),
            ("2027-03-04T13:00:00Z", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", None),
            (" no 937 ", "^[A-Z]{2}[0-9]{3}$", Some("NO937")),
            ("ab-12", "^[A-Z]{2}-[0-9]{2}$", Some("AB-12")),
            ("1.5", "^[0-9]+$", None),
            ("-5", "^[0-9]+$", None),
            ("x", "^(?=y)", None),
        ];
        for (given, pattern, wanted) in cases {
            let schema =
                serde_json::json!({"properties": {"a": {"type": "string", "pattern": pattern}}});
            let faults = arguments::check(&serde_json::json!({"a": given}), &schema);
            let problem = arguments::problem(&faults);
            let given = Json::from(&serde_json::json!({"a": given}));
            let found = problem.and_then(|problem| Correction::of(&problem, &given));
            let found = found.map(|found| found.arguments().to_value()["a"].clone());
            assert_eq!(found, wanted.map(serde_json::Value::from), "{given}");
        }
    }
}
