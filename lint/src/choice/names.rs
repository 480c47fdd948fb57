//! What the name of a parameter says.

use super::lexicon::{Classes, Lexicon};

/// What a name says about the value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum NameHint {
    /// On the list of contract R1; usually a closed set.
    Choice,
    /// On the list, but more often open than not (`kind`, `target`, `scope`).
    Doubtful,
    /// `sort_dir`, `orderDirection`: ascending or descending.
    Direction,
    /// Something that is open by nature: an id, a URL, a text.
    Open,
    /// Nothing.
    None,
}

/// Judges a name. `extra` are the words of `aon.toml`.
pub(super) fn hint(name: &str, extra: &[String]) -> NameHint {
    let mut words = Words::of(name);
    let last = words.next().unwrap_or("");
    let before = words.next().unwrap_or("");
    let is = |word: &str, known: &[&str]| known.iter().any(|known| same(word, known));
    if extra.iter().any(|pattern| matches(pattern, name, last)) {
        return NameHint::Choice;
    }
    if same(last, "ux") && same(before, "auth") {
        return NameHint::Choice;
    }
    if is(last, &["direction", "dir", "order", "ordering"])
        && is(before, &["sort", "order", "sorting", "ordering"])
    {
        return NameHint::Direction;
    }
    // `idAction` is the id of an action, but `idType` is the type of an id.
    let of_thing = !is(last, &["type", "format", "status", "mode", "kind", "level"]);
    if of_thing
        && name
            .strip_prefix("id")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
    {
        return NameHint::Open;
    }
    let kind = NAMES.of(last);
    if kind & CHOICE != 0 {
        let open = match last.to_ascii_lowercase().as_str() {
            "type" | "types" => is(
                before,
                &[
                    "content",
                    "media",
                    "mime",
                    "fs",
                    "filesystem",
                    "system",
                    "node",
                    "credential",
                    "accept",
                ],
            ),
            "format" | "formats" => is(
                before,
                &[
                    "date",
                    "time",
                    "datetime",
                    "number",
                    "currency",
                    "phone",
                    "timestamp",
                    "version",
                ],
            ),
            "state" | "states" => is(before, &["address", "oauth", "csrf"]),
            "status" => is(before, &["http"]),
            "mode" | "modes" => is(before, &["file", "default", "permission", "sql"]),
            // `administrative_area_level1` is a rung of its own, not the choice of one.
            "level" => {
                is(before, &["zoom", "nesting"]) || name.ends_with(|c: char| c.is_ascii_digit())
            }
            _ => false,
        };
        return if open {
            NameHint::Open
        } else {
            NameHint::Choice
        };
    }
    if kind & DOUBTFUL != 0 {
        return NameHint::Doubtful;
    }
    if kind & OPEN != 0 {
        NameHint::Open
    } else {
        NameHint::None
    }
}

/// Whether a name is one of address parts that make a neighbouring `state` a region.
pub(super) const ADDRESS: &[&str] = &[
    "city",
    "zip",
    "zipcode",
    "postalcode",
    "postcode",
    "street",
    "line1",
    "address",
    "address1",
    "addressline1",
    "county",
    "district",
    "pincode",
    "country",
    "countrycode",
];

/// Names that make a neighbouring `state` or `scope` a part of OAuth.
pub(super) const OAUTH: &[&str] = &[
    "redirecturi",
    "clientid",
    "responsetype",
    "codechallenge",
    "granttype",
    "nonce",
    "clientsecret",
    "code",
];

/// The last word of a name, in lower case when it is short.
pub(super) fn last_word(name: &str) -> &str {
    Words::of(name).next().unwrap_or("")
}

/// Names of lists that filter by one property of a thing.
pub(super) fn is_filter(last: &str) -> bool {
    FILTERS.has(last)
}

/// Compares two names without case and separators.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) <= 8 && folded(a).eq(folded(b))
}

fn folded(text: &str) -> impl Iterator<Item = u8> {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|byte| byte.to_ascii_lowercase())
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// `flavour`, `*_flavour` or `flavour_*`; a plain word also matches as the last word of a compound.
fn matches(pattern: &str, name: &str, last: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(inner), Some(_)) if inner.ends_with('*') => {
            let inner = inner.trim_end_matches('*');
            name.to_ascii_lowercase()
                .contains(&inner.to_ascii_lowercase())
        }
        (Some(end), _) => name
            .to_ascii_lowercase()
            .ends_with(&end.to_ascii_lowercase()),
        (_, Some(start)) => name
            .to_ascii_lowercase()
            .starts_with(&start.to_ascii_lowercase()),
        _ => same(pattern, last) || same_name(pattern, name),
    }
}

/// The words of a name from the last to the first: snake, kebab, dotted, camel.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn of(name: &'a str) -> Words<'a> {
        Words { rest: name }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_end_matches(|c: char| !c.is_alphabetic());
        if text.is_empty() {
            return None;
        }
        let mut start = text.len();
        let mut behind: Option<char> = None;
        let mut two_behind: Option<char> = None;
        for (at, c) in text.char_indices().rev() {
            let boundary = if c.is_alphanumeric() {
                behind.is_some_and(|next| {
                    // `xY` starts a word at Y; `XYz` starts one at Y as well.
                    next.is_uppercase()
                        && (!c.is_uppercase() || two_behind.is_some_and(char::is_lowercase))
                })
            } else {
                true
            };
            if boundary {
                break;
            }
            start = at;
            two_behind = behind;
            behind = Some(c);
        }
        let (rest, word) = text.split_at(start);
        self.rest = rest;
        Some(word)
    }
}

const CHOICE: u32 = 1;
const DOUBTFUL: u32 = 1 << 1;
const OPEN: u32 = 1 << 2;

/// The last words of names that say something.
static NAMES: Classes = Classes::new(&[
    (
        CHOICE,
        "subtype subtypes datatype type types mode modes state states status statuses stage phase tier category categories severity \
    severities kind kinds level format formats policy action verdict visibility",
    ),
    (
        DOUBTFUL,
        "target targets scope scopes actions levels policies",
    ),
    (
        OPEN,
        "id ids sid sids uuid guid key keys ref refs path paths url urls uri uris href link name \
    names email phone address addresses date time timestamp datetime at since until token secret \
    password hash sha description title message text body comment note notes content host \
    hostname endpoint domain ip port cursor slug number count amount limit offset page \
    country language locale timezone currency latitude longitude username user owner regex \
    pattern expression selector timeout version label labels tag tags prefix suffix identifier \
    identity",
    ),
]);

static FILTERS: Lexicon =
    Lexicon::new("type kind status state stage phase tier category severity level visibility");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let words = |name| Words::of(name).collect::<Vec<_>>();
        assert_eq!(words("issue_type"), ["type", "issue"]);
        assert_eq!(words("X-Custom-Mode"), ["Mode", "Custom", "X"]);
        assert_eq!(words("orderStatus"), ["Status", "order"]);
        assert_eq!(words("HTTPStatus"), ["Status", "HTTP"]);
        assert_eq!(words("filter[type]"), ["type", "filter"]);
        assert_eq!(words("Passkeys.AuthMode"), ["Mode", "Auth", "Passkeys"]);
        assert_eq!(words("TYPE"), ["TYPE"]);
        assert!(words("").is_empty() && words("__").is_empty());
    }

    #[test]
    fn hints_follow_the_last_word() {
        assert_eq!(hint("boardType", &[]), NameHint::Choice);
        assert_eq!(hint("auth_ux", &[]), NameHint::Choice);
        assert_eq!(hint("contentType", &[]), NameHint::Open);
        assert_eq!(hint("sort_dir", &[]), NameHint::Direction);
        assert_eq!(hint("target", &[]), NameHint::Doubtful);
        assert_eq!(hint("transferToFolderId", &[]), NameHint::Open);
        assert_eq!(hint("flavour", &["flavour".to_owned()]), NameHint::Choice);
        assert_eq!(
            hint("cake_flavour", &["*flavour".to_owned()]),
            NameHint::Choice
        );
        assert_eq!(hint("typewriter", &[]), NameHint::None);
        assert!(same_name("unique_name", "UniqueName"));
    }
}
