//! The third witness: type, bounds, pattern, example and default. It can speak for a set, and it can refuse one.

use super::{Candidate, Location, names, prose};

/// The sort of value a place takes, as far as choices go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ValueKind {
    Text,
    Untyped,
    Number,
}

impl ValueKind {
    /// None where no choice is possible: other types, and formats with a syntax of their own.
    pub(super) fn of(candidate: &Candidate<'_>) -> Option<ValueKind> {
        let types = candidate.types;
        let kind = if types.contains("string") {
            // `[string, integer]` is an id more often than not; other mixtures are not choices either.
            let mixed = ["object", "array", "boolean", "number", "integer"];
            if mixed.iter().any(|other| types.contains(other)) {
                return None;
            }
            ValueKind::Text
        } else if types.is_only("integer") || types.is_only("number") {
            ValueKind::Number
        } else if types.is_empty() {
            if candidate.untyped_is_string {
                ValueKind::Text
            } else {
                ValueKind::Untyped
            }
        } else {
            return None;
        };
        let free = candidate.format.is_none_or(|format| {
            let format = format.trim();
            let is = |known: &[&str]| known.iter().any(|known| format.eq_ignore_ascii_case(known));
            let sized = || {
                ["int", "uint", "float", "double"]
                    .iter()
                    .any(|known| format.starts_with(known))
            };
            format.is_empty()
                || is(&["string", "enum", "text"])
                || kind == ValueKind::Number && sized()
        });
        free.then_some(kind)
    }
}

/// What the schema says, for the weighing.
pub(super) fn facts(candidate: &Candidate<'_>, fact: &mut dyn FnMut(&str)) {
    fact(match candidate.location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Body => "body",
    });
    if candidate.types.is_only("integer") || candidate.types.is_only("number") {
        fact("number");
    }
    if candidate.array {
        fact("array");
    }
    if candidate.pattern.is_some() {
        fact("pattern");
    }
    if candidate.max_length.is_some_and(|most| most > 60) {
        fact("long");
    } else if candidate.max_length.is_some() || candidate.min_length.is_some() {
        fact("length");
    }
    if candidate.minimum.is_some() || candidate.maximum.is_some() {
        fact("bounded");
    }
    for (sample, what) in candidate
        .default
        .iter()
        .map(|d| (d, true))
        .chain(candidate.examples.iter().map(|e| (e, false)))
        .take(3)
    {
        if is_placeholder(sample) {
            continue;
        }
        fact(match (is_word(sample), what) {
            (true, true) => "default-word",
            (true, false) => "example-word",
            (false, true) => "default-open",
            (false, false) => "example-open",
        });
        fact(spelling(bare(sample)));
    }
}

/// How a sample is written: constants speak for a set, sentences and digits against one.
fn spelling(sample: &str) -> &'static str {
    let all = |known: fn(&u8) -> bool| {
        sample.len() > 1 && sample.bytes().all(|byte| known(&byte) || byte == b'_')
    };
    if all(u8::is_ascii_uppercase) {
        "sample-upper"
    } else if all(u8::is_ascii_lowercase) {
        "sample-lower"
    } else if sample.contains(' ') {
        "sample-spaced"
    } else if sample.bytes().any(|byte| byte.is_ascii_digit()) {
        "sample-digits"
    } else {
        "sample-mixed"
    }
}

/// Whether a sample could be a member of a set: one word without digits, address or syntax.
pub(super) fn is_word(sample: &str) -> bool {
    let sample = bare(sample);
    (2..=32).contains(&sample.len())
        && sample
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-')
        && sample.bytes().any(|b| b.is_ascii_alphabetic())
}

/// What tools write where nobody gave an example.
pub(super) fn is_placeholder(sample: &str) -> bool {
    let known = [
        "string",
        "example string",
        "example",
        "text",
        "<string>",
        "any",
    ];
    let sample = bare(sample);
    known.iter().any(|known| sample.eq_ignore_ascii_case(known))
}

fn bare(sample: &str) -> &str {
    sample.trim().trim_matches(['"', '\''])
}

/// Whether a sample speaks against any set: an address, a number, a document, a sentence.
pub(super) fn is_open(sample: &str) -> bool {
    let sample = bare(sample);
    let digits = sample.bytes().filter(u8::is_ascii_digit).count();
    sample.contains(['@', '/', '{', '[', '=', '*', '%', '\n'])
        // `-created` is a field and a direction.
        || sample.starts_with(['-', '+'])
        || sample.matches([' ', ':', '.']).count() >= 2
        || sample.len() > 48
        || digits * 2 >= sample.len() && !sample.is_empty()
}

/// Whether the schema refuses a set that the prose seems to list.
pub(super) fn refuses(candidate: &Candidate<'_>, values: &[&str], several: bool) -> bool {
    let same = |sample: &str, value: &&str| bare(sample).eq_ignore_ascii_case(value);
    let holds = |sample: &&str| {
        let sample = sample.trim();
        let whole = sample.is_empty()
            || is_placeholder(sample)
            || sample.starts_with("{{")
            || values.iter().any(|value| same(sample, value));
        whole
            || several
                && sample
                    .split([',', ' ', ';', '|'])
                    .all(|part| values.iter().any(|value| same(part, value)))
    };
    let numbers = candidate.types.is_only("integer") || candidate.types.is_only("number");
    let outside = |value: &&str| match value.parse::<f64>() {
        Ok(number) => {
            candidate.minimum.is_some_and(|least| number < least)
                || candidate.maximum.is_some_and(|most| number > most)
        }
        Err(_) => numbers,
    };
    let length = |value: &&str| {
        let length = value.chars().count();
        candidate.max_length.is_some_and(|most| length > most)
            || candidate.min_length.is_some_and(|least| length < least)
    };
    // The only numbers that a text about an amount names are its ends.
    let amount = numbers && values.len() <= 2 && names::is_amount(candidate.name);
    let span = candidate.minimum.is_some() && candidate.maximum.is_some() && values.len() <= 2;
    candidate
        .default
        .is_some_and(|default| !holds(&default) && !default.eq_ignore_ascii_case("null"))
        || !candidate.examples.iter().all(holds)
        || values.iter().any(outside)
        || values.iter().any(length)
        || numbers && span
        || amount
        || candidate
            .pattern
            .is_some_and(|pattern| !values.iter().all(|value| fits(pattern, value)))
        || values.iter().any(|value| is_field(candidate, value))
        || values.iter().all(|value| is_beside(candidate, value))
        || values.len() == 2 && values.iter().any(|value| is_beside(candidate, value))
}

/// Whether a value fits a pattern of the form `^[a-z_]+$`. Other patterns are rules of their own, which prose does not replace.
fn fits(pattern: &str, value: &str) -> bool {
    let inner = pattern.trim_start_matches('^').trim_end_matches('$');
    let class = inner
        .strip_prefix('[')
        .and_then(|inner| inner.split_once(']'));
    let Some((class, times)) = class else {
        return matches!(inner, ".*" | ".+" | r"\w+" | r"\S+");
    };
    let repeated =
        matches!(times, "" | "+" | "*") || times.starts_with('{') && times.ends_with('}');
    if class.starts_with('^') || !repeated {
        return false;
    }
    let class = class
        .replace(r"\w", "a-zA-Z0-9_")
        .replace(r"\d", "0-9")
        .replace(r"\s", " ")
        .replace('\\', "");
    let signs: Vec<char> = class.chars().collect();
    value.chars().all(|c| {
        let single = signs.contains(&c);
        single
            || signs
                .windows(3)
                .any(|three| matches!(three, [from, '-', to] if *from <= c && c <= *to))
    })
}

/// Whether a word names the place itself or one beside it: "required if `kind` is set".
fn is_field(candidate: &Candidate<'_>, value: &str) -> bool {
    let mut found = false;
    if value.len() > 3
        && prose::is_code(value)
        && (value.contains('_') || value.bytes().any(|b| b.is_ascii_uppercase()))
    {
        found = names::same_name(candidate.name, value);
        candidate.neighbours.each(&mut |name| {
            found = found || name != candidate.name && names::same_name(name, value);
        });
    }
    found
        && candidate.name != "fields"
        && !SORTS
            .split(' ')
            .any(|known| candidate.name.to_ascii_lowercase().contains(known))
}

fn is_beside(candidate: &Candidate<'_>, value: &str) -> bool {
    let mut found = false;
    candidate
        .neighbours
        .each(&mut |name| found = found || name.eq_ignore_ascii_case(value));
    found
        && !SORTS
            .split(' ')
            .any(|known| candidate.name.to_ascii_lowercase().contains(known))
}

/// Values of these are names of fields.
const SORTS: &str = "sort order field group by include expand column";

/// An OAuth nonce, a state of a country, the `kind` of an object that its `apiVersion` goes with.
pub(super) fn is_foreign(candidate: &Candidate<'_>) -> bool {
    let last = names::last_word(candidate.name).to_ascii_lowercase();
    let beside = |known: &str| {
        let mut count = 0;
        candidate.neighbours.each(&mut |name| {
            count += usize::from(known.split(' ').any(|known| names::same_name(known, name)));
        });
        count
    };
    match last.as_str() {
        "kind" => beside("apiVersion apiGroup") > 0,
        "state" | "scope" | "scopes" => {
            let path = candidate.path.to_ascii_lowercase();
            ["oauth", "authorize", "openid", "/callback", "saml"]
                .iter()
                .any(|part| path.contains(part))
                || beside(
                    "redirectUri clientId responseType codeChallenge grantType nonce clientSecret",
                ) >= 2
                || last == "state" && candidate.description.is_some_and(speaks_of_an_address)
                || last == "state"
                    && beside(
                        "city zip zipcode postalCode postcode street line1 address address1 country countryCode",
                    ) >= 2
        }
        _ => false,
    }
}

fn speaks_of_an_address(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        [
            "city",
            "province",
            "provinces",
            "county",
            "postal",
            "address",
        ]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_patterns_are_understood() {
        assert!(
            fits("^[a-z_]+$", "in_progress") && fits(r"^[\w-]{1,8}$", "a-1") && fits(".*", "x")
        );
        assert!(!fits("^[a-z]+$", "A") && !fits("^(x|y)z$", "xz") && !fits("^[a-z]+@b$", "a"));
    }

    #[test]
    fn samples_tell_open_from_closed() {
        for open in [
            "12",
            "a/b",
            "x@y",
            "{\"a\":1}",
            "123e4567-e89b-12d3-a456-426614174000",
        ] {
            assert!(is_open(open) && !is_word(open), "{open}");
        }
        for closed in ["weeks", "\"uploaded\"", "IN_PROGRESS", "full-width"] {
            assert!(!is_open(closed) && is_word(closed), "{closed}");
        }
    }
}
