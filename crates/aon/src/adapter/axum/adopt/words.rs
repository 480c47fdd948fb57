//! What was understood of a hand-written error, within limits.

use aon_core::{Code, Pointer, UriRef};
use serde_json::{Map, Value};

/// The most field errors that are taken over.
pub(super) const MOST_ERRORS: usize = 32;
/// The longest text that is taken over, in characters.
const LONGEST: usize = 500;

/// The parts of a hand-written error.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) code: Option<Code>,
    /// The program's own type, where it has one.
    pub(super) type_uri: Option<UriRef>,
    pub(super) title: Option<String>,
    pub(super) detail: Option<String>,
    pub(super) errors: Vec<(Pointer, String)>,
    pub(super) docs: Option<UriRef>,
    /// Members that were not understood.
    pub(super) more: Map<String, Value>,
}

impl Words {
    /// Whether anything was understood.
    pub(super) fn are_any(&self) -> bool {
        self.code.is_some() || self.detail.is_some() || !self.errors.is_empty()
    }

    /// Takes from `other` what is not known yet.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.code = self.code.or(other.code);
        self.type_uri = self.type_uri.or(other.type_uri);
        self.title = self.title.or(other.title);
        self.docs = self.docs.or(other.docs);
        self.detail = self.detail.or(other.detail);
        for (place, words) in other.errors {
            let known = self
                .errors
                .iter()
                .any(|(own, said)| *own == place && *said == words);
            if !known {
                self.push(place, &words);
            }
        }
        for (name, value) in other.more {
            self.more.entry(name).or_insert(value);
        }
        self
    }

    pub(super) fn push(&mut self, place: Pointer, words: &str) {
        if self.errors.len() < MOST_ERRORS && !words.trim().is_empty() {
            self.errors.push((place, cut(words)));
        }
    }
}

/// The text without what surrounds it, and not too long.
pub(super) fn cut(text: &str) -> String {
    crate::adapter::brief(text, LONGEST)
}

/// A name such as `SOLD_OUT`, `SoldOut`, `sold-out` or `shop.sold_out` as a code; `None` for sentences and numbers.
pub(super) fn code(name: &str) -> Option<Code> {
    let name = name.rsplit(['#', '/', ':']).next().unwrap_or(name).trim();
    if name.is_empty() || name.len() > 64 {
        return None;
    }
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '_' | '-' | '.' => {
                if !out.ends_with('_') {
                    out.push('_');
                }
            }
            letter if letter.is_ascii_alphanumeric() => {
                // A capital begins a word where a small letter stands before it, or behind it in `HTTPError`.
                let ends_run = before.is_some_and(|before: char| before.is_ascii_uppercase())
                    && letters.peek().is_some_and(char::is_ascii_lowercase);
                let begins = before.is_some_and(|before: char| {
                    before.is_ascii_lowercase() || before.is_ascii_digit()
                });
                if letter.is_ascii_uppercase() && (begins || ends_run) && !out.ends_with('_') {
                    out.push('_');
                }
                out.push(letter.to_ascii_lowercase());
            }
            _ => return None,
        }
        before = Some(letter);
    }
    Code::parse(out.trim_matches('_').to_owned()).ok()
}

/// The code in the last segment of a type such as `https://api.example.com/problems/sold-out`; `None` for one that only repeats the
/// status, such as `about:blank` or a section of an RFC.
pub(super) fn code_of_uri(uri: &str) -> Option<Code> {
    let last = uri.trim_end_matches('/').rsplit(['/', '#', ':']).next()?;
    let of_a_status = last == "blank" || last.starts_with("section-") || last.starts_with("rfc");
    code(last).filter(|_| !of_a_status && !last.contains('.'))
}

pub(super) fn is_uri(text: &str) -> bool {
    ["http:", "https:", "urn:", "tag:", "about:"]
        .into_iter()
        .any(|scheme| text.starts_with(scheme))
        || text.contains("://")
}

/// Whether a word is a name for machines rather than for people.
pub(super) fn is_name(word: &str) -> bool {
    let joined = word.contains(['_', '-']) && !word.contains(' ');
    let shouted = word.len() > 3
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    joined || shouted
}

/// `NotFound`, as exceptions are called; not `Conflict`.
pub(super) fn is_camel(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    let word = word.rsplit(['.', '#', ':']).next().unwrap_or(word);
    capitals > 1 && !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether somebody wrote it for people: it has words, or a full stop.
pub(super) fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    text.contains(' ') || text.ends_with(['.', '!'])
}

/// A name in plain words: `missing_field` is "Missing field".
pub(super) fn plain(name: &str) -> String {
    let Some(code) = code(name) else {
        return cut(name);
    };
    let mut words = code.as_str().replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// The field errors as a sentence, for a body that has no other.
pub(super) fn summary(words: &Words) -> Option<String> {
    let mut said = String::new();
    for (place, says) in words.errors.iter().take(4) {
        if !said.is_empty() {
            said.push_str(if said.ends_with(['.', '!', '?']) {
                " "
            } else {
                "; "
            });
        }
        let place = place.as_str().trim_start_matches('/');
        if !place.is_empty() {
            said.push_str(place);
            said.push_str(": ");
        }
        said.push_str(says);
    }
    (!said.is_empty()).then(|| cut(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_fashion_become_codes() {
        for (name, expected) in [
            ("sold_out", Some("sold_out")),
            ("SOLD_OUT", Some("sold_out")),
            ("SoldOut", Some("sold_out")),
            ("soldOut", Some("sold_out")),
            ("sold-out", Some("sold_out")),
            ("shop.sold_out", Some("shop_sold_out")),
            ("HTTPError", Some("http_error")),
            ("E1234", Some("e1234")),
            (
                "com.acme#ResourceNotFoundException",
                Some("resource_not_found_exception"),
            ),
            ("404", None),
            ("", None),
            ("_", None),
            ("The show is sold out", None),
            ("größe", None),
        ] {
            let code = code(name);
            assert_eq!(code.as_ref().map(Code::as_str), expected, "{name}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let cut = cut(&"ä".repeat(600));
        assert_eq!(cut.chars().count(), 501);
        assert!(cut.ends_with('…'));
    }
}
