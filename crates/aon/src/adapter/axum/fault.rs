//! What serde says about a value, taken apart: which field, what was there, what would do.

use aon_core::{Namespace, ProblemDetails, suggest};

use super::framework;
use crate::arguments::serde_words::{
    NO_CHOICE, NO_FORM, both_numbers, given_and_expected, in_words, passed_on, shortened,
    without_place,
};
use crate::arguments::{self, BOOLEAN};

/// One thing serde did not like.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// Where, as a JSON Pointer; empty for the whole.
    pub(super) pointer: String,
    pub(super) kind: Kind,
    /// Values that would do, where they came to light otherwise than by the message.
    pub(super) would_do: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Missing,
    Duplicate,
    UnknownField {
        given: String,
        known: Vec<String>,
    },
    UnknownVariant {
        given: String,
        valid: Vec<String>,
    },
    /// `received` is a kind such as `string`, never the value itself.
    Wrong {
        received: Option<String>,
        expected: String,
    },
    Other(String),
}

impl Fault {
    /// From a path and serde's message.
    pub(super) fn new(path: Vec<String>, message: &str) -> Self {
        let message = without_place(message);
        let mut path = path;
        let kind = Kind::of(message);
        match &kind {
            Kind::Missing | Kind::Duplicate | Kind::UnknownField { .. } => {
                let name = name_of(message);
                if path.last() != Some(&name) {
                    path.push(name);
                }
            }
            Kind::UnknownVariant { .. } | Kind::Wrong { .. } | Kind::Other(_) => {}
        }
        Self {
            pointer: pointer(&path),
            kind,
            would_do: Vec::new(),
        }
    }

    /// From a path and a message in one text, such as `a.b[0]: invalid type: …`.
    pub(super) fn parse(text: &str) -> Self {
        let (path, message) = split_path(text);
        Self::new(segments(path), message)
    }

    /// The field, without what leads to it; of an item of an array, the name of the array.
    pub(super) fn field(&self) -> String {
        arguments::field(&self.pointer)
    }

    /// What the caller is told: the place and what would do, never the value.
    pub(super) fn detail(&self) -> String {
        let place = if self.pointer.is_empty() {
            "The value"
        } else {
            &self.pointer
        };
        match &self.kind {
            Kind::Missing if !self.would_do.is_empty() => {
                format!(
                    "{place} is missing; it must be {}.",
                    list(&self.would_do, "or")
                )
            }
            Kind::Missing => format!("{place} is missing."),
            Kind::Duplicate => format!("{place} is given twice."),
            Kind::UnknownField { known, .. } if known.is_empty() => {
                format!("{place} is not known here.")
            }
            Kind::UnknownField { known, .. } => {
                format!(
                    "{place} is not known here; known are {}.",
                    list(known, "and")
                )
            }
            Kind::UnknownVariant { valid, .. } if valid.is_empty() => {
                format!("{place} has no value that is allowed.")
            }
            Kind::UnknownVariant { valid, .. } => {
                format!("{place} must be {}.", list(valid, "or"))
            }
            Kind::Wrong {
                received: Some(received),
                expected,
            } if !both_numbers(expected, received) => format!(
                "{place} must be {expected}, not {}.",
                with_article(received)
            ),
            Kind::Wrong { expected, .. } => format!("{place} must be {expected}."),
            Kind::Other(message) => format!("{place}: {message}"),
        }
    }

    /// The word that was probably meant.
    pub(super) fn suggestion(&self) -> Option<&str> {
        let (given, known) = match &self.kind {
            Kind::UnknownField { given, known } => (given, known),
            Kind::UnknownVariant { given, valid } => (given, valid),
            Kind::Missing | Kind::Duplicate | Kind::Wrong { .. } | Kind::Other(_) => return None,
        };
        suggest::nearest(given, known.iter().map(String::as_str))
    }

    /// The entry for a fault in a body.
    pub(super) fn entry(&self) -> &'static aon_core::Entry {
        match &self.kind {
            Kind::Missing => &framework::MISSING_FIELD,
            Kind::UnknownField { .. } => &framework::UNKNOWN_FIELD,
            Kind::Duplicate | Kind::UnknownVariant { .. } | Kind::Wrong { .. } | Kind::Other(_) => {
                &framework::INVALID_VALUE
            }
        }
    }
}

/// The problem of one or more faults; the first decides the code where the place does not.
pub(super) fn problem(
    entry: Option<&'static aon_core::Entry>,
    faults: &[Fault],
    namespace: &Namespace,
) -> ProblemDetails {
    let Some(first) = faults.first() else {
        let entry = entry.unwrap_or(&framework::UNPROCESSABLE_CONTENT);
        return framework::problem(entry, namespace);
    };
    let mut problem = framework::problem(entry.unwrap_or_else(|| first.entry()), namespace);
    let details: Vec<String> = faults.iter().map(Fault::detail).collect();
    for (fault, detail) in faults.iter().zip(&details) {
        let field = match fault.field() {
            field if field.is_empty() => "value".to_owned(),
            field => field,
        };
        if !fault.would_do.is_empty() {
            problem = problem.with_valid_values(field.clone(), fault.would_do.iter());
        }
        match &fault.kind {
            Kind::UnknownVariant { valid, .. } if !valid.is_empty() => {
                problem = problem.with_valid_values(field, valid.iter());
            }
            Kind::UnknownField { known, .. } if !known.is_empty() && faults.len() == 1 => {
                problem = problem.with_valid_values("field", known.iter());
            }
            Kind::Wrong { expected, .. } if expected == BOOLEAN => {
                problem = problem.with_valid_values(field, [true, false]);
            }
            Kind::UnknownField { .. }
            | Kind::UnknownVariant { .. }
            | Kind::Missing
            | Kind::Duplicate
            | Kind::Wrong { .. }
            | Kind::Other(_) => {}
        }
        problem = problem.with_pointer(&fault.pointer, Some(detail));
    }
    problem = problem.with_detail(details.join(" "));
    if let [only] = faults {
        let mut set = |name: &'static str, value: &str| {
            let name = aon_core::ExtensionName::from_static(name);
            if let Ok(with) = problem.clone().with_extension(name, value) {
                problem = with;
            }
        };
        if let Kind::Wrong { received, expected } = &only.kind {
            set("expected", expected);
            if let Some(received) = received {
                set("received", received);
            }
        }
        if let Some(meant) = only.suggestion() {
            set("suggestion", meant);
        }
    }
    problem
}

impl Kind {
    fn of(message: &str) -> Self {
        if message.starts_with("missing field `") {
            return Self::Missing;
        }
        if message.starts_with("duplicate field `") {
            return Self::Duplicate;
        }
        if let Some(rest) = message.strip_prefix("unknown field `") {
            let (given, known) = given_and_expected(rest);
            return Self::UnknownField { given, known };
        }
        if let Some(rest) = message.strip_prefix("unknown variant `") {
            let (given, valid) = given_and_expected(rest);
            return Self::UnknownVariant { given, valid };
        }
        for start in ["invalid type: ", "invalid value: ", "invalid length "] {
            if let Some(rest) = message.strip_prefix(start)
                && let Some((received, expected)) = rest.rsplit_once(", expected ")
            {
                let received = kind_of(received);
                return Self::Wrong {
                    received: (start != "invalid length ").then_some(received),
                    expected: shortened(&in_words(expected)),
                };
            }
        }
        if let Some(expected) = parse_failure(message) {
            return Self::Wrong {
                received: Some("string".to_owned()),
                expected: expected.to_owned(),
            };
        }
        if message.starts_with(NO_FORM) {
            return Self::Wrong {
                received: None,
                expected: "of one of its forms".to_owned(),
            };
        }
        if message == NO_CHOICE {
            return Self::Wrong {
                received: None,
                expected: "one of its values".to_owned(),
            };
        }
        Self::Other(passed_on(message))
    }
}

/// What `FromStr` of the standard types says, as what it wanted.
fn parse_failure(message: &str) -> Option<&'static str> {
    Some(match message {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number"
        }
        "number too large to fit in target type" => "a smaller number",
        "number too small to fit in target type" => "a larger number",
        "number would be zero for non-zero type" => "a number other than zero",
        "invalid float literal" | "cannot parse float from empty string" => "a number",
        "provided string was not `true` or `false`" => "true or false",
        _ => return None,
    })
}

/// `string "x"` is a string, ``integer `3` `` an integer: the kind without the value.
fn kind_of(received: &str) -> String {
    for kind in [
        "boolean",
        "integer",
        "floating point",
        "character",
        "string",
        "byte array",
        "unit value",
        "null",
        "Option value",
        "newtype struct",
        "sequence",
        "map",
        "enum",
        "unit variant",
        "newtype variant",
        "tuple variant",
        "struct variant",
    ] {
        if received.starts_with(kind) {
            return match kind {
                "sequence" => "array",
                "map" => "object",
                "unit value" => "null",
                "floating point" => "number",
                other => other,
            }
            .to_owned();
        }
    }
    "other value".to_owned()
}

fn with_article(kind: &str) -> String {
    match kind.chars().next() {
        Some('a' | 'e' | 'i' | 'o') => format!("an {kind}"),
        _ if kind == "null" => kind.to_owned(),
        _ => format!("a {kind}"),
    }
}

fn name_of(message: &str) -> String {
    let rest = message.split_once('`').map_or("", |(_, rest)| rest);
    let end = rest
        .rfind("`, expected ")
        .or_else(|| rest.rfind("`, there are no "))
        .or_else(|| rest.rfind('`'))
        .unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default().to_owned()
}

fn list(words: &[String], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
        None => String::new(),
    }
}

/// Splits `path: message`; a message without a path stays whole.
fn split_path(text: &str) -> (&str, &str) {
    const STARTS: [&str; 8] = [
        "missing field `",
        "unknown field `",
        "unknown variant `",
        "duplicate field `",
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "invalid digit ",
    ];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return ("", text);
    }
    let known = STARTS
        .iter()
        .filter_map(|start| text.find(&format!(": {start}")))
        .min();
    let at = known.or_else(|| {
        let at = text.find(": ")?;
        let path = text.get(..at)?;
        (!path.contains(char::is_whitespace)).then_some(at)
    });
    match at {
        Some(at) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + 2..).unwrap_or_default(),
        ),
        None => ("", text),
    }
}

/// The segments of `a.b[0]`.
fn segments(path: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, indices) = match part.find('[') {
            Some(at) if part.ends_with(']') => part.split_at(at),
            _ => (part, ""),
        };
        if !name.is_empty() && name != "?" {
            out.push(name.to_owned());
        }
        for index in indices.split('[').filter(|index| !index.is_empty()) {
            out.push(index.trim_end_matches(']').to_owned());
        }
    }
    out
}

/// RFC 6901.
pub(super) fn pointer(segments: &[String]) -> String {
    let mut out = String::new();
    for segment in segments {
        out.push('/');
        out.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_says_is_taken_apart() {
        let words = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        for (text, pointer, kind) in [
            (
                "missing field `id` at line 1 column 2",
                "/id",
                Kind::Missing,
            ),
            (
                "user.tags[2].name: missing field `x`",
                "/user/tags/2/name/x",
                Kind::Missing,
            ),
            ("duplicate field `a`", "/a", Kind::Duplicate),
            (
                "ux: unknown variant `Hosted`, expected `hosted` or `custom` at line 1 column 9",
                "/ux",
                Kind::UnknownVariant {
                    given: "Hosted".into(),
                    valid: words(&["hosted", "custom"]),
                },
            ),
            (
                "unknown variant `a`, expected `b`, expected one of `x`, `y`, `z`",
                "",
                Kind::UnknownVariant {
                    given: "a`, expected `b".into(),
                    valid: words(&["x", "y", "z"]),
                },
            ),
            (
                "unknown variant `x`, there are no variants",
                "",
                Kind::UnknownVariant {
                    given: "x".into(),
                    valid: vec![],
                },
            ),
            (
                "in: unknown field `naem`, expected `name`",
                "/in/naem",
                Kind::UnknownField {
                    given: "naem".into(),
                    known: words(&["name"]),
                },
            ),
            (
                "age: invalid type: string \"a, expected b\", expected u8 at line 1 column 5",
                "/age",
                Kind::Wrong {
                    received: Some("string".into()),
                    expected: "a whole number from 0 to 255".into(),
                },
            ),
            (
                "age: invalid value: integer `-1`, expected u8",
                "/age",
                Kind::Wrong {
                    received: Some("integer".into()),
                    expected: "a whole number from 0 to 255".into(),
                },
            ),
            (
                "list: invalid length 1, expected a tuple of size 2",
                "/list",
                Kind::Wrong {
                    received: None,
                    expected: "a tuple of size 2".into(),
                },
            ),
            (
                "page: invalid digit found in string",
                "/page",
                Kind::Wrong {
                    received: Some("string".into()),
                    expected: "a whole number".into(),
                },
            ),
            (
                "when: it must be a date",
                "/when",
                Kind::Other("it must be a date".into()),
            ),
            ("it is: not good", "", Kind::Other("it is: not good".into())),
        ] {
            assert_eq!(
                Fault::parse(text),
                Fault {
                    pointer: pointer.into(),
                    kind,
                    would_do: vec![]
                },
                "{text}"
            );
        }
    }

    #[test]
    fn a_fault_becomes_a_problem_with_values_and_a_suggestion() {
        let fault =
            Fault::parse("auth_ux: unknown variant `Hosted`, expected `hosted` or `custom`");
        let problem = problem(None, &[fault], &Namespace::DEFAULT);
        assert_eq!(
            problem.to_string(),
            r##"{"type":"pspace://problem/invalid_value","title":"Invalid value","status":422,"detail":"/auth_ux must be \"hosted\" or \"custom\".","code":"invalid_value","valid_values":{"auth_ux":["hosted","custom"]},"remediation":{"type":"none","reason":"no_public_equivalent_exists","message":"Correct the fields named in errors, then repeat the call.","auto_fix_available":false},"errors":[{"pointer":"#/auth_ux","detail":"/auth_ux must be \"hosted\" or \"custom\"."}],"suggestion":"hosted"}"##
        );
    }

    #[test]
    fn a_value_is_never_repeated() {
        let fault = Fault::parse("pin: invalid type: string \"sEcReT\", expected u32");
        assert!(
            !problem(None, &[fault], &Namespace::DEFAULT)
                .to_string()
                .contains("sEcReT")
        );
    }
}
