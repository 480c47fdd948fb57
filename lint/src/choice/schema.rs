//! The third witness: type, bounds, pattern, example and default. It can speak for a set, and it can refuse one.

use super::table::among;
use super::{Candidate, Location, names};

/// The sort of value a place takes, as far as choices go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ValueKind {
    Text,
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
        } else if candidate.is_number() {
            ValueKind::Number
        } else if types.is_empty() {
            ValueKind::Text
        } else {
            return None;
        };
        let format = candidate.format.unwrap_or("").trim();
        let sized = ["int", "uint", "float", "double"]
            .iter()
            .any(|known| format.starts_with(known));
        let free = format.is_empty()
            || among(format, "string enum text")
            || kind == ValueKind::Number && sized;
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
    if candidate.is_number() {
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
    let defaults = usize::from(candidate.default.is_some());
    for (at, sample) in candidate.samples().take(3).enumerate() {
        if is_placeholder(sample) {
            continue;
        }
        fact(match (is_word(sample), at < defaults) {
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
    known
        .iter()
        .any(|known| bare(sample).eq_ignore_ascii_case(known))
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
    let is_one = |sample: &str| {
        values
            .iter()
            .any(|value| bare(sample).eq_ignore_ascii_case(value))
    };
    let holds = |sample: &&str| {
        let sample = sample.trim();
        sample.is_empty()
            || is_placeholder(sample)
            || sample.starts_with("{{")
            || is_one(sample)
            || several && sample.split([',', ' ', ';', '|']).all(is_one)
    };
    let outside = |value: &&str| match value.parse::<f64>() {
        Ok(number) => {
            candidate.minimum.is_some_and(|least| number < least)
                || candidate.maximum.is_some_and(|most| number > most)
        }
        Err(_) => candidate.is_number(),
    };
    let length = |value: &&str| {
        let length = value.chars().count();
        candidate.max_length.is_some_and(|most| length > most)
            || candidate.min_length.is_some_and(|least| length < least)
    };
    candidate
        .default
        .is_some_and(|default| !holds(&default) && !default.eq_ignore_ascii_case("null"))
        || !candidate.examples.iter().all(holds)
        || values.iter().any(outside)
        || values.iter().any(length)
        || candidate
            .pattern
            .is_some_and(|pattern| !values.iter().all(|value| fits(pattern, value)))
        || values.iter().any(|value| {
            // A single word may name a field by chance.
            (values.len() == 2 || value.contains('_')) && is_beside(candidate, value)
        })
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

/// Whether a word names a place beside this one: "required if `kind` is set". What sorts and selects takes such names.
fn is_beside(candidate: &Candidate<'_>, value: &str) -> bool {
    let mut found = false;
    (candidate.neighbours)(&mut |name| found = found || name.eq_ignore_ascii_case(value));
    let fields = "sort order orderby field fields group by include expand column columns";
    found && !names::Words::of(candidate.name).any(|word| among(word, fields))
}

/// An OAuth nonce, a state of a country, the `kind` of an object that its `apiVersion` goes with.
pub(super) fn is_foreign(candidate: &Candidate<'_>) -> bool {
    let last = names::last_word(candidate.name);
    let beside = |known: &str| {
        let mut count = 0;
        (candidate.neighbours)(&mut |name| {
            count += usize::from(known.split(' ').any(|known| names::same_name(known, name)));
        });
        count
    };
    let path = || candidate.path.to_ascii_lowercase();
    let grants = ["oauth", "authorize", "openid", "/callback", "saml"];
    let login = "redirectUri clientId responseType codeChallenge grantType nonce clientSecret";
    let address =
        "city zip zipcode postalCode postcode street line1 address address1 country countryCode";
    let told = "city province provinces county postal address";
    let mut words = candidate
        .description
        .unwrap_or("")
        .split(|c: char| !c.is_alphanumeric());
    among(last, "kind") && beside("apiVersion apiGroup") > 0
        || among(last, "state scope scopes")
            && (grants.iter().any(|part| path().contains(part)) || beside(login) >= 2)
        || among(last, "state") && (beside(address) >= 2 || words.any(|word| among(word, told)))
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
