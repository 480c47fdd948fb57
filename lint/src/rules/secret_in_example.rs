//! AON401.

use std::collections::{BTreeMap, BTreeSet};

use aon_core::redact;
use aon_manifest::model::Schema;
use aon_manifest::{Api, Node};
use serde_json::Value;

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

mod public;

declare_rule! {
    /// A secret in an example.
    ///
    /// ## Why
    ///
    /// Examples are published, copied and sent; a credential in one is a leaked credential (contract P7).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: list_pets
    ///     parameters:
    ///       - { name: X-Trace, in: header, type: string, example: "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U" }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: list_pets
    ///     parameters:
    ///       - { name: X-Trace, in: header, type: string, example: "Bearer <token>" }
    /// ```
    "secret-in-example" { code: "AON401", category: Safety, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    let mut search = Search {
        findings,
        seen: BTreeSet::new(),
        judged: BTreeMap::new(),
    };
    for input in subject.inputs {
        for example in input.examples() {
            search.example(example, input.name());
        }
    }
    for operation in subject.api.operations.iter().chain(subject.api.outgoing()) {
        let bodies = operation
            .request_body
            .iter()
            .flat_map(|body| &body.contents);
        let answers = operation
            .responses
            .iter()
            .flat_map(|response| &response.contents);
        let failures = operation.errors.iter().flat_map(|error| &error.contents);
        for content in bodies.chain(answers).chain(failures) {
            // An example of a whole object stands at its schema.
            for example in content
                .schema
                .into_iter()
                .flat_map(|schema| schema.resolved().examples())
            {
                search.example(example, "");
            }
            for example in &content.examples {
                search.example(example.value, "");
            }
        }
        for error in &operation.errors {
            for example in &error.examples {
                search.example(example.value, "");
            }
        }
    }
    for schema in shared_schemas(subject.api) {
        for example in schema.examples() {
            search.example(example, "");
        }
    }
    for remediation in targets::remediations(subject.api) {
        if let Some(example) = remediation.example_request {
            search.example(example.node, "");
        }
    }
}

/// The schemas a document keeps for many operations.
fn shared_schemas<'a>(api: &Api<'a>) -> impl Iterator<Item = Schema<'a>> + use<'a> {
    let document = api.document;
    let root = document.entry().root();
    let shared = root
        .and_then(|root| root.get("components"))
        .and_then(|parts| parts.get("schemas"));
    let definitions = root.and_then(|root| root.get("definitions"));
    let all = shared
        .into_iter()
        .chain(definitions)
        .flat_map(Node::members);
    all.map(move |member| Schema::new(document, member.value))
}

/// A search through examples. One that many operations share is looked through once.
struct Search<'f, 'a> {
    findings: &'f mut Findings<'a>,
    seen: BTreeSet<(usize, usize)>,
    /// Texts that might be credentials, with the verdict: documents repeat their sample hashes and ids many times.
    judged: BTreeMap<&'a str, bool>,
}

impl<'a> Search<'_, 'a> {
    /// Looks through a value. Only texts are judged, and only those that are long enough to be a credential.
    fn example(&mut self, example: Node<'a>, name: &str) {
        if !self.seen.insert((example.file().index(), example.index())) {
            return;
        }
        example.each_string(SHORTEST, &mut |node| {
            let text = node.text();
            let secret =
                may_be_secret(text) && *self.judged.entry(text).or_insert_with(|| is_secret(text) && !public::is_public(text));
            if !secret {
                return;
            }
            let of = match nearest_key(node, example).unwrap_or(name) {
                "" => String::new(),
                name => format!(" of `{name}`"),
            };
            self.findings
                .report(node, format!("the example{of} holds a credential"))
                .label("looks like a real secret")
                .fix("write a placeholder such as `<token>`, and revoke the credential if it was real");
        });
    }
}

/// The key of a value inside an example, or that of the list it stands in.
fn nearest_key<'a>(node: Node<'a>, example: Node<'a>) -> Option<&'a str> {
    let mut node = node;
    while node != example {
        if let Some(key) = node.key() {
            return Some(key.text());
        }
        node = node.parent()?;
    }
    None
}

/// Whether the redactor would take something out because of its shape. A body that is encoded for an address is decoded first.
fn is_secret(text: &str) -> bool {
    if text.starts_with("http") || !(text.contains("%20") || text.contains("%22")) {
        return redact::is_secret(text);
    }
    let decoded = aon_manifest::percent_decode(text);
    match serde_json::from_str(&decoded) {
        Ok(body) => holds_secret("", &body),
        Err(_) => redact::is_secret(&decoded),
    }
}

/// Whether a value of an encoded body is a secret by its shape or its name.
fn holds_secret(name: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.len() >= SHORTEST && may_be_secret(text) && is_secret(text)
                || redact::sensitive_key(name) && redact::header(name, text) != text.as_str()
        }
        Value::Array(items) => items.iter().any(|item| holds_secret(name, item)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| holds_secret(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A credential has a long run of letters and digits, stands in an address before `@`, or announces itself. Most texts are
/// addresses, dates and names, and the redactor need not be asked about them.
fn may_be_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Digests and UUIDs.
    if bytes
        .iter()
        .all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
    {
        return false;
    }
    let address = text.starts_with("http://") || text.starts_with("https://");
    if address && memchr::memchr2(b'@', b'=', bytes).is_none() {
        return false;
    }
    let (mut run, mut kinds, mut seen) = (0_usize, 0, 0);
    for byte in bytes {
        let class = CLASSES.get(usize::from(*byte)).copied().unwrap_or(0);
        seen |= class;
        if class & RUN == 0 {
            (run, kinds) = (0, 0);
            continue;
        }
        run += 1;
        kinds |= class;
        if run >= SHORTEST && kinds & (DIGIT | LETTER) == DIGIT | LETTER {
            return true;
        }
    }
    // A letter or sign that each of these has tells most texts apart without a search.
    let has = |class: u8, mark: &str| seen & class != 0 && text.contains(mark);
    has(AT, "://")
        || has(W, "assword")
        || has(Z, "uthorization")
        || has(C, "ecret")
        || has(DASH, "-----BEGIN")
}

/// What a byte can be part of.
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut value = 0_u8;
    while value < 128 {
        let mut class = match value {
            b'@' => AT,
            b'w' => W,
            b'z' => Z,
            b'c' => C,
            b'-' => DASH,
            _ => 0,
        };
        if value.is_ascii_digit() {
            class |= RUN | DIGIT;
        } else if value.is_ascii_alphabetic() {
            class |= RUN | LETTER;
        } else if matches!(value, b'_' | b'-' | b'+' | b'/' | b'=' | b'.') {
            class |= RUN;
        }
        table[value as usize] = class;
        value += 1;
    }
    table
};

const RUN: u8 = 1;
const DIGIT: u8 = 1 << 1;
const LETTER: u8 = 1 << 2;
const AT: u8 = 1 << 3;
const W: u8 = 1 << 4;
const Z: u8 = 1 << 5;
const C: u8 = 1 << 6;
const DASH: u8 = 1 << 7;

const SHORTEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_body_is_searched_value_by_value() {
        let cases = [
            // {"token":"ghp_…"}, found by its shape
            (
                "%7B%22note%22%3A%22ghp_16C7e42F292c6912E7710c838347Ae178B4a%22%7D",
                true,
            ),
            // {"user":{"password":"hunter2-Zx81"}}, found by its name
            (
                "%7B%22user%22%3A%7B%22password%22%3A%22hunter2-Zx81%22%7D%7D",
                true,
            ),
            // [{"password":["hunter2-Zx81"]}]
            (
                "%5B%7B%22password%22%3A%5B%22hunter2-Zx81%22%5D%7D%5D",
                true,
            ),
            // {"sha":"6dcb09b5b57875f334f61aebed695e2e4193db5e","page":2}
            (
                "%7B%22sha%22%3A%226dcb09b5b57875f334f61aebed695e2e4193db5e%22%2C%22page%22%3A2%7D",
                false,
            ),
            ("a%20plain%20sentence", false),
        ];
        for (text, secret) in cases {
            assert_eq!(is_secret(text), secret, "{text}");
        }
    }

    #[test]
    fn digests_are_not_looked_at() {
        for (text, looked) in [
            ("6dcb09b5b57875f334f61aebed695e2e4193db5e", false),
            ("4bf92f35-77b3-4da6-a3ce-929d0e0e4736", false),
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", true),
        ] {
            assert_eq!(may_be_secret(text), looked, "{text}");
        }
    }
}
