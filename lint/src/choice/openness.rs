//! Signs that a value is open although its name or wording looks like a choice.

use super::lexicon::Lexicon;
use super::phrases::Phrases;
use super::tokens::{Kind, Token};

/// Wordings that allow other values than any listed ones. They beat a list.
pub(super) fn says_open(text: &str) -> bool {
    OPEN_WORDINGS.any_in(text)
        || CUSTOM.any_in(text) && custom_name(text)
        || custom_supported(text)
        || is_ordering(text)
        || text.contains("form `<")
}

/// `sort=name:asc,date:desc`: fields and directions make an expression.
fn is_ordering(text: &str) -> bool {
    [":asc", ":desc", ":ASC", ":DESC"]
        .iter()
        .any(|direction| text.contains(direction))
}

/// Wordings that make the name alone too little: the value is an id, a media type, an expression.
pub(super) fn speaks_against_name(text: &str) -> bool {
    AGAINST_NAME.any_in(text)
}

/// Whether an example or default looks like a value of an open set: a number, a path, an address, a document.
pub(super) fn is_open_value(value: &str) -> bool {
    let value = value.trim().trim_matches(['"', '\'']);
    // `{{type}}` is what a template leaves open.
    if value.is_empty() || value.starts_with("{{") {
        return false;
    }
    value.len() > 60
        || value.contains(['/', '@', '{', '}', '[', ']', ':', '$', '='])
        || value.split_whitespace().count() > 4
        || value
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'.' || b == b'-')
        || looks_like_uuid(value)
        || (value.contains('.') && !value.contains(' '))
}

/// Whether a value looks like a constant: one word of letters, digits, `_` and `-`.
pub(super) fn is_constant(value: &str) -> bool {
    let value = value.trim().trim_matches(['"', '\'']);
    (2..=40).contains(&value.len())
        && value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !looks_like_uuid(value)
}

fn looks_like_uuid(value: &str) -> bool {
    value.len() >= 20 && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// "a custom … name": own names are accepted as well. `custom` as a listed literal is not that.
fn custom_name(text: &str) -> bool {
    let mut words = text
        .split(|c: char| !c.is_alphanumeric() && c != '`' && c != '*' && c != '"' && c != '\'')
        .filter(|word| !word.is_empty());
    let mut left = 0;
    words.any(|word| {
        if word.eq_ignore_ascii_case("custom") {
            left = 4;
            return false;
        }
        let name = left > 0
            && ["name", "names", "role", "roles"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known));
        left = usize::saturating_sub(left, 1);
        name
    })
}

/// "Custom job types are supported": so are values that are not listed.
fn custom_supported(text: &str) -> bool {
    text.match_indices("ustom ").any(|(at, _)| {
        let after = text.get(at + 6..).unwrap_or("");
        let sentence = after.split(['.', ';', '\n']).next().unwrap_or("");
        let mut words = sentence.split_whitespace();
        words
            .by_ref()
            .take(3)
            .any(|word| word == "are" || word == "is")
            && words
                .next()
                .is_some_and(|word| ["supported", "allowed", "accepted"].contains(&word))
    })
}

/// Whether a sentence is about another field: "Required if `type` is …", "Only for `channel` …".
pub(super) fn about_another_field(text: &str, tokens: &[Token], from: usize) -> bool {
    let word = |at: usize| {
        tokens
            .get(at)
            .filter(|token| matches!(token.kind, Kind::Word | Kind::Bold))
            .and_then(|token| text.get(token.start as usize..token.end as usize))
            .unwrap_or("")
    };
    let is = |at: usize, known: &[&str]| {
        known
            .iter()
            .any(|known| word(at).eq_ignore_ascii_case(known))
    };
    let mut at = from;
    while tokens.get(at).is_some_and(|token| {
        matches!(
            token.kind,
            Kind::Line | Kind::Bullet | Kind::Open | Kind::Paragraph
        )
    }) {
        at += 1;
    }
    if !OPENERS.has(word(at)) {
        return false;
    }
    // "This field is required if …".
    if is(at, &["this", "it"]) {
        at += 1;
        at += usize::from(is(
            at,
            &["field", "parameter", "property", "value", "attribute"],
        ));
        if !is(at, &["is"]) {
            return false;
        }
        at += 1;
        return is(at, &["required", "needed", "mandatory", "ignored"])
            || (is(at, &["only"]) && is(at + 1, &["required", "used", "applicable", "relevant"]));
    }
    is(
        at,
        &["required", "needed", "mandatory", "ignored", "requires"],
    ) || (is(at, &["not"]) && is(at + 1, &["needed", "required", "applicable"]))
        || (is(at, &["only"])
            && is(
                at + 1,
                &[
                    "for",
                    "applicable",
                    "applies",
                    "used",
                    "when",
                    "if",
                    "relevant",
                    "required",
                ],
            ))
        || (is(at, &["optional"]) && is(at + 1, &["for", "when", "if", "and"]))
        || (is(at, &["for", "if", "when", "unless"])
            && tokens
                .get(at + 1)
                .is_some_and(|token| token.kind.is_literal()))
        || (is(at, &["applies", "applicable", "used"])
            && is(at + 1, &["to", "only", "when", "for", "with"]))
        || (is(at, &["you"]) && is(at + 1, &["can"]) && is(at + 2, &["only"]))
}

/// The words a sentence about another field can start with. Most sentences start with none of them.
static OPENERS: Lexicon = Lexicon::new(
    "\
    this it required needed mandatory ignored requires not only optional for if when unless applies applicable used you",
);

static CUSTOM: Phrases = Phrases::new(&["custom"]);

static OPEN_WORDINGS: Phrases = Phrases::new(&[
    "freeform",
    "free-form",
    "free form",
    "free text",
    "free-text",
    "any string",
    "any text",
    "any value",
    "any other name",
    "any other value",
    "any other string",
    "arbitrary",
    "user-defined",
    "user defined",
    "customer-defined",
    "your own",
    "you created",
    "you have created",
    "a query filter",
    "decimal digits",
    "an object containing",
    "original value passed",
    "of your custom",
    "your custom values",
    "enter plain text",
    "depend on your",
    "depends on your",
    "types depend on",
    "values depend on",
    "options depend on",
    "or a custom",
    "or any type of",
    "specify a custom",
    "many others",
    "and others",
    "not limited to",
    "contact will provide",
    "approximate values",
    "doesn't matter",
    "json string",
    "json object",
    "json array",
    "json-encoded",
    "json encoded",
    "stringified json",
    "regular expression",
    "cron expression",
    "syntax to use",
    "filter expression",
    "filter expressions",
    "search expression",
    "your search query",
    "encoded as json",
    "where clause",
    "following aliases",
    "selector expression",
    "as a url",
    "additional values may be supported",
    "other values may",
    "custom types are supported",
    "custom values are supported",
    "common values",
    "composed of",
    "number or can be",
    "sum of",
    "bitmask",
    "bit mask",
    "bitwise",
    "length depends on",
    "replacing xx",
]);

static AGAINST_NAME: Phrases = Phrases::new(&[
    "name of",
    "the name",
    "type name",
    "type ids",
    "it cannot be",
    "base64 encoded",
    "base64-encoded",
    "base-64 encoded",
    "class name",
    "id of",
    "ids",
    "the id",
    "identifier",
    "identifiers",
    "url of",
    "a url",
    "the url",
    "uri of",
    "a uri",
    "the uri",
    "mime",
    "media type",
    "content type",
    "iso",
    "iana",
    "bcp",
    "regex",
    "expression",
    "key:value",
    "attribute path",
    "query string",
    "search term",
    "search text",
    "opaque",
    "nonce",
    "csrf",
    "xsrf",
    "random",
    "unguessable",
    "slug",
    "label",
    "refers to",
    "province",
    "state or region",
    "two-letter",
    "two-character",
    "2-letter",
    "us state",
    "postal code",
    "postal codes",
    "u.s. state",
    "http status",
    "status code",
    "date format",
    "strftime",
    "format string",
    "a custom",
    "custom action",
    "custom type",
    "custom types",
    "custom name",
    "wildcard",
    "wildcards",
    "markdown text",
    "human readable",
    "human-readable",
    "plain text",
    "credential type",
    "node type",
    "returned from a previous",
    "returned in the previous",
    "from an earlier",
    "from a previous",
    "iata",
    "id(s)",
    "package names",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openness_is_found_as_phrases_not_as_words() {
        assert!(says_open(
            "accepts `a`, or freeform text for custom predicate types"
        ));
        assert!(says_open(
            "you can also specify a custom repository role name"
        ));
        assert!(!says_open(
            "* **CUSTOM** - set your custom notification fields"
        ));
        assert!(!says_open(
            "The format. Options: 'markdown', 'wiki'. Wiki is well known"
        ));
        assert!(speaks_against_name("MIME type of the file"));
        assert!(!speaks_against_name("The isolation level"));
    }

    #[test]
    fn values_tell_open_from_closed() {
        for open in [
            "12",
            "a/b",
            "x@y",
            "{\"a\":1}",
            "env:prod",
            "a.b.c",
            "123e4567-e89b-12d3-a456-426614174000",
        ] {
            assert!(is_open_value(open), "{open}");
        }
        for closed in ["weeks", "\"uploaded\"", "IN_PROGRESS", "full-width"] {
            assert!(!is_open_value(closed) && is_constant(closed), "{closed}");
        }
    }
}
