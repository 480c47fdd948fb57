//! Identifiers of three languages, made from names that were never meant to be identifiers.
//!
//! A name is cut into words (at anything that is not a letter or digit, and where the case changes) and put together again as the
//! language likes it. Letters beyond the Latin ones are spelled as their code points: rustc warns about look-alikes among
//! them, and Python folds some of them into others.

use std::collections::{BTreeMap, BTreeSet};

/// `UpdateAuth`: a type or a variant, in all three languages.
pub fn pascal(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 1);
    push_pascal(text, &mut name);
    if name.is_empty() {
        name.push_str("Unnamed");
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'N');
    }
    if RESERVED_TYPES.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

fn push_pascal(text: &str, name: &mut String) {
    join_words(text, name, |name, first| {
        // A digit after a digit would join two numbers into one.
        if first.is_ascii_digit() && name.ends_with(|c: char| c.is_ascii_digit()) {
            name.push('_');
        }
        if first.is_ascii() {
            name.push(first.to_ascii_uppercase());
        } else {
            name.extend(first.to_uppercase());
        }
    });
}

/// `update_auth`, without regard to reserved words.
pub fn snake(text: &str) -> String {
    if is_snake(text) {
        return text.to_owned();
    }
    let mut name = String::with_capacity(text.len() + 4);
    join_words(text, &mut name, |name, first| {
        if !name.is_empty() {
            name.push('_');
        }
        name.push(first);
    });
    if name.is_empty() {
        name.push_str("unnamed");
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    name
}

/// Whether a name is snake case already, which most names of fields are.
fn is_snake(text: &str) -> bool {
    let mut before = b'_';
    for &byte in text.as_bytes() {
        let fits = match byte {
            b'a'..=b'z' => true,
            b'0'..=b'9' | b'_' => before != b'_' || byte != b'_',
            _ => false,
        };
        if !fits {
            return false;
        }
        before = byte;
    }
    before != b'_' && !text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// `updateAuth`, a function or value in TypeScript.
pub fn camel(text: &str) -> String {
    let pascal = pascal(text);
    let mut chars = pascal.chars();
    let mut name: String = chars
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .collect();
    name.push_str(chars.as_str());
    if RESERVED_TYPESCRIPT.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// `UPDATE_AUTH`, a member of a Python enum.
pub fn upper(text: &str) -> String {
    let mut name = snake(text);
    if !name.is_ascii() {
        return name.to_uppercase();
    }
    name.make_ascii_uppercase();
    name
}

/// A field in Rust: snake case, raw where the word is taken.
pub fn rust_field(text: &str) -> String {
    let name = snake(text);
    if PATH_WORDS.contains(&name.as_str()) {
        return name + "_";
    }
    if RESERVED_RUST.contains(&name.as_str()) {
        return format!("r#{name}");
    }
    name
}

/// A field in Python: snake case, with an underscore where the word is taken or means something to pydantic.
pub fn python_field(text: &str) -> String {
    let name = snake(text);
    if is_reserved_python(&name) {
        return name + "_";
    }
    name
}

fn is_reserved_python(name: &str) -> bool {
    RESERVED_PYTHON.binary_search(&name).is_ok() || name.starts_with("model_")
}

/// A set that knows for certain which words are not in the lists: most names need no search.
struct Sieve([u64; Sieve::WORDS]);

impl Sieve {
    const WORDS: usize = 32;

    const fn of(lists: &[&[&str]]) -> Sieve {
        let mut bits = [0; Sieve::WORDS];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                let place = Sieve::place(lists[list][at].as_bytes());
                bits[place / 64] |= 1 << (place % 64);
                at += 1;
            }
            list += 1;
        }
        Sieve(bits)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the place is below the number of bits"
    )]
    const fn may_have(&self, name: &str) -> bool {
        let place = Sieve::place(name.as_bytes());
        self.0[place / 64] & (1 << (place % 64)) != 0
    }

    /// Made of the length and both ends.
    const fn place(name: &[u8]) -> usize {
        let [first, .., last] = name else {
            return 0;
        };
        let mixed = (*first as usize) * 37 + (*last as usize) * 5 + name.len() * 419;
        mixed % (Sieve::WORDS * 64)
    }
}

static RESERVED: Sieve = Sieve::of(&[PATH_WORDS, RESERVED_RUST, RESERVED_PYTHON]);

/// Whether a field has its own name in Rust and in Python.
pub(crate) fn is_plain_field(text: &str) -> bool {
    let reserved = || {
        PATH_WORDS.contains(&text)
            || RESERVED_RUST.binary_search(&text).is_ok()
            || RESERVED_PYTHON.binary_search(&text).is_ok()
    };
    is_snake(text) && !(RESERVED.may_have(text) && reserved()) && !text.starts_with("model_")
}

/// Whether a property can be written without quotes in TypeScript.
pub fn is_plain_property(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && text != "__proto__"
}

/// Gives out names, each once. The second of the same name gets a number.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: BTreeSet<String>,
    /// The number that the last of a name got, so that a thousand of one name are not counted through each time.
    last: BTreeMap<String, usize>,
}

impl Unique {
    /// The name, or the name with the lowest number that is free. Names that differ only in case count as different.
    pub(crate) fn take(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let plain = name.trim_end_matches('_');
        // Without the underscore `a1` numbered 2 would look like `a12`.
        let gap = if plain.ends_with(|c: char| c.is_ascii_digit()) {
            "_"
        } else {
            ""
        };
        let number = self.last.entry(plain.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let candidate = format!("{plain}{gap}{number}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    pub(crate) fn reserve(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }
}

/// Puts the words of a name together in lower case; `start` is told before each, with its first letter.
fn join_words(text: &str, name: &mut String, start: impl Fn(&mut String, char)) {
    if !text.is_ascii() {
        each_word_beyond_ascii(text, &mut |word| {
            let mut chars = word.chars();
            if let Some(first) = chars.next() {
                start(name, first);
                name.push_str(chars.as_str());
            }
        });
        return;
    }
    let bytes = text.as_bytes();
    // Whether the next letter belongs to the word before it, and whether there was a word at all.
    let (mut inside, mut any) = (false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
        let after = bytes.get(at + 1).copied();
        if !byte.is_ascii_alphanumeric() {
            inside = false;
            let spelled = spell(
                char::from(byte),
                before.map(char::from),
                after.map(char::from),
                !any,
                bytes.len() == 1,
            );
            let mut chars = spelled.chars();
            if let Some(first) = chars.next() {
                start(name, first);
                name.push_str(chars.as_str());
                any = true;
            }
            continue;
        }
        let turns = byte.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase()
                        && after.is_some_and(|after| after.is_ascii_lowercase()))
            });
        let letter = char::from(byte.to_ascii_lowercase());
        if inside && !turns {
            name.push(letter);
        } else {
            start(name, letter);
            (inside, any) = (true, true);
        }
    }
}

/// A sign before a number is part of what the name says, and so is a comparison.
fn spell(
    c: char,
    before: Option<char>,
    after: Option<char>,
    first: bool,
    alone: bool,
) -> &'static str {
    let starts = before.is_none_or(|c| !c.is_alphanumeric());
    match c {
        '-' if starts && first && after.is_some_and(|c| c.is_ascii_digit()) => "minus",
        '+' if after.is_none_or(|c| c.is_ascii_digit()) => "plus",
        '<' => "less",
        '>' => "greater",
        '=' => "equal",
        '*' if alone => "star",
        _ => "",
    }
}

fn each_word_beyond_ascii(text: &str, take: &mut impl FnMut(&str)) {
    let mut word = String::new();
    let mut any = false;
    let chars: Vec<char> = text.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        if !c.is_alphanumeric() {
            any |= flush(&mut word, take);
            let spelled = spell(c, before, after, !any, chars.len() == 1);
            if !spelled.is_empty() {
                take(spelled);
                any = true;
            }
            continue;
        }
        let turns = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_uppercase() && after.is_some_and(char::is_lowercase))
            });
        if turns {
            any |= flush(&mut word, take);
        }
        if is_portable(c) {
            word.extend(c.to_lowercase());
        } else {
            flush(&mut word, take);
            take(&format!("u{:x}", u32::from(c)));
            any = true;
        }
    }
    flush(&mut word, take);
}

/// Hands out a word that is complete; whether there was one.
fn flush(word: &mut String, take: &mut impl FnMut(&str)) -> bool {
    if word.is_empty() {
        return false;
    }
    take(word);
    word.clear();
    true
}

/// Letters that all three languages take as they are and that no linter calls confusing.
fn is_portable(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (matches!(c, '\u{df}'..='\u{17e}' | '\u{c0}'..='\u{de}')
            && c.is_alphabetic()
            && !matches!(c, '\u{130}'..='\u{133}' | '\u{13f}' | '\u{140}' | '\u{149}'))
}

/// Names of types that a language keeps for itself, or that the code around them needs.
const RESERVED_TYPES: &[&str] = &[
    "Self", "None", "True", "False", "Object", "NaN", "Infinity", "Promise",
];

/// Words that cannot be raw identifiers in Rust.
const PATH_WORDS: &[&str] = &["crate", "self", "super"];

const RESERVED_RUST: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

const RESERVED_TYPESCRIPT: &[&str] = &[
    "abstract",
    "any",
    "arguments",
    "as",
    "async",
    "await",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "get",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "is",
    "let",
    "module",
    "namespace",
    "never",
    "new",
    "null",
    "number",
    "object",
    "of",
    "package",
    "private",
    "protected",
    "public",
    "require",
    "return",
    "runtime",
    "set",
    "static",
    "string",
    "super",
    "switch",
    "symbol",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "types",
    "undefined",
    "unknown",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "z",
];

/// Keywords, names that annotations need, and names that a pydantic model has already.
const RESERVED_PYTHON: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "bool",
    "break",
    "case",
    "class",
    "construct",
    "continue",
    "copy",
    "def",
    "del",
    "dict",
    "elif",
    "else",
    "enum",
    "except",
    "false",
    "finally",
    "float",
    "for",
    "from",
    "from_orm",
    "global",
    "if",
    "import",
    "in",
    "int",
    "is",
    "json",
    "lambda",
    "list",
    "match",
    "mro",
    "none",
    "nonlocal",
    "not",
    "object",
    "or",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "pass",
    "pydantic",
    "raise",
    "register",
    "return",
    "runtime",
    "schema",
    "schema_json",
    "self",
    "str",
    "true",
    "try",
    "type",
    "typing",
    "update_forward_refs",
    "validate",
    "while",
    "with",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_a_reader_would_cut_them() {
        let cases = [
            ("update_auth", "UpdateAuth", "update_auth"),
            (
                "updateHTTPServer2",
                "UpdateHttpServer2",
                "update_http_server2",
            ),
            ("X-Request-Id", "XRequestId", "x_request_id"),
            ("2fa", "N2fa", "n2fa"),
            ("+1", "Plus1", "plus_1"),
            ("-1", "Minus1", "minus_1"),
            ("größe", "Größe", "größe"),
            ("名前", "U540dU524d", "u540d_u524d"),
            ("", "Unnamed", "unnamed"),
            ("🦀", "Unnamed", "unnamed"),
            ("Self", "Self_", "self"),
            ("1.2.3", "N1_2_3", "n1_2_3"),
        ];
        for (text, type_name, field) in cases {
            assert_eq!(pascal(text), type_name, "{text}");
            assert_eq!(snake(text), field, "{text}");
        }
    }

    #[test]
    fn reserved_words_are_stepped_around() {
        assert_eq!(rust_field("type"), "r#type");
        assert_eq!(rust_field("self"), "self_");
        assert_eq!(python_field("class"), "class_");
        assert_eq!(python_field("model_dump"), "model_dump_");
        assert_eq!(camel("delete"), "delete_");
        assert!(!is_plain_property("a-b") && is_plain_property("$ref"));
    }

    #[test]
    fn lists_that_are_searched_are_sorted() {
        for list in [PATH_WORDS, RESERVED_RUST, RESERVED_PYTHON] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|word| RESERVED.may_have(word)));
        }
    }

    #[test]
    fn a_plain_field_has_its_own_name_everywhere() {
        for name in [
            "id",
            "full_name",
            "a1",
            "type",
            "self",
            "model_x",
            "camelCase",
            "_a",
            "a_",
            "a__b",
            "1a",
            "",
            "schema",
            "x-y",
            "größe",
        ] {
            let own = rust_field(name) == name && python_field(name) == name;
            assert!(!is_plain_field(name) || own, "{name}");
        }
        assert!(is_plain_field("full_name") && !is_plain_field("type") && !is_plain_field("copy"));
    }

    #[test]
    fn the_second_of_a_name_gets_a_number() {
        let mut unique = Unique::default();
        assert_eq!(unique.take("a".to_owned()), "a");
        assert_eq!(unique.take("a".to_owned()), "a2");
        assert_eq!(unique.take("a".to_owned()), "a3");
    }
}
