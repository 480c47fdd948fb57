//! The first witness: how often inputs of a name are closed sets in public APIs, counted.

use std::sync::OnceLock;

use super::prose::words::{CONTRACT, class};
use super::table::{Hash, Table, among, rows};

/// How many public APIs have inputs of a name, and in how many of them they declare their values.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Count {
    /// APIs that declare the values.
    pub closed: u16,
    /// APIs that have such an input.
    pub apis: u16,
    /// How many words of the name, from the last, were counted; none for the whole name.
    pub words: Option<u8>,
}

impl Count {
    /// The share of APIs that declare the values, with doubt while there are few.
    pub(super) fn share(self) -> f64 {
        f64::from(self.closed) / (f64::from(self.apis) + 1.0)
    }
}

/// What is known about a name: the whole of it, else its last two words, else its last.
pub(super) fn count(name: &str) -> Option<Count> {
    let table = TABLE.get_or_init(load);
    let (mut hash, mut ended) = (Hash::new(b'f'), Hash::new(b'e'));
    let mut ends = None;
    for (word, words) in Words::of(name).zip(1..) {
        (hash, ended) = (hash.word(word), ended.word(word));
        if words <= 2 {
            ends = table.get(ended).map(|found| (found, Some(words))).or(ends);
        }
    }
    let whole = table.get(hash).map(|found| (found, None));
    let ((closed, apis), words) = whole.or(ends)?;
    Some(Count {
        closed,
        apis,
        words,
    })
}

type Counts = (u16, u16);
static TABLE: OnceLock<Table<Counts>> = OnceLock::new();

/// Lines of `name closed apis`; `*_name` counts everything that ends so. `docs/lint.md` says how the file is made.
fn load() -> Table<Counts> {
    let entry = |[name, closed, apis]: [&str; 3]| {
        let (kind, name) = name
            .strip_prefix("*_")
            .map_or((b'f', name), |name| (b'e', name));
        let hash = Words::of(name).fold(Hash::new(kind), Hash::word);
        Some((hash, (closed.parse().ok()?, apis.parse().ok()?)))
    };
    Table::fill(rows(include_str!("names.tsv")).filter_map(entry).collect())
}

/// Whether a name is one of the contract's, alone or as the last word of a compound. `administrative_area_level1` is a rung of its own,
/// not the choice of one.
pub(super) fn is_contract(name: &str) -> bool {
    let known = class(last_word(name)) & CONTRACT != 0 || ends_in(name, "auth", "ux");
    known && !name.ends_with(|c: char| c.is_ascii_digit())
}

/// Names that are visibly open although their last word is the name of a choice: a media type, a date format, an HTTP status.
pub(super) fn is_visibly_open(name: &str) -> bool {
    ends_in(name, "content media mime", "type types")
        || ends_in(name, "date time datetime number timestamp", "format")
        || ends_in(name, "oauth csrf client", "state")
        || ends_in(name, "http", "status")
        || ends_in(name, "id", "action")
}

/// Names whose values stand in a registry outside of the API: languages, countries, currencies, time zones.
pub(super) fn is_registry(name: &str) -> bool {
    let registered =
        "language languages lang locale country countries currency timezone nationality";
    among(last_word(name), registered)
        || ends_in(name, "language country currency state region", "code codes")
        || ends_in(name, "time", "zone")
}

/// Names of what people write themselves.
pub(super) fn is_free(name: &str) -> bool {
    let known =
        "name title description text message label query search password values options choices";
    among(last_word(name), known)
}

/// Whether a name matches a word or pattern of `aon.toml`: `flavour`, `*_flavour` or `flavour_*`; a plain word also matches as the
/// last word of a compound.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (low, name_low) = (pattern.to_ascii_lowercase(), name.to_ascii_lowercase());
    match (low.strip_prefix('*'), low.strip_suffix('*')) {
        (Some(inner), Some(_)) => name_low.contains(inner.trim_end_matches('*')),
        (Some(end), _) => name_low.ends_with(end),
        (_, Some(start)) => name_low.starts_with(start),
        _ => last_word(name).eq_ignore_ascii_case(pattern) || same_name(pattern, name),
    }
}

/// Whether the last two words of a name are among these.
pub(super) fn ends_in(name: &str, before: &str, last: &str) -> bool {
    let mut words = Words::of(name);
    words.next().is_some_and(|word| among(word, last))
        && words.next().is_some_and(|word| among(word, before))
}

/// The last word of a name.
pub(super) fn last_word(name: &str) -> &str {
    Words::of(name).next().unwrap_or("")
}

/// Compares two names without case and separators.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) <= 8 && folded(a).eq(folded(b))
}

fn folded(text: &str) -> impl Iterator<Item = u8> {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|byte| byte.to_ascii_lowercase())
}

/// The words of a name from the last to the first: snake, kebab, dotted, camel.
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn of(name: &'a str) -> Words<'a> {
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
        assert_eq!(words("TYPE"), ["TYPE"]);
        assert!(words("").is_empty() && words("__").is_empty());
    }

    #[test]
    fn counts_are_those_of_the_longest_known_end() {
        let found = count("sortDirection").expect("known");
        assert!(found.apis >= 2 && found.closed <= found.apis, "{found:?}");
        let email = count("email").expect("known");
        assert!(email.words.is_none() && email.share() < 0.1, "{email:?}");
        assert_eq!(count("qwertzuiop"), None);
    }

    #[test]
    fn words_of_the_configuration_match_names() {
        assert!(matches("flavour", "cake_flavour") && matches("*flavour", "cakeflavour"));
        assert!(matches("fla*", "flavour") && !matches("flavour", "flavours"));
        assert!(same_name("unique_name", "UniqueName"));
    }
}
