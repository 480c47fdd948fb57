//! Identifiers of three languages, made from names that were never meant to be identifiers.
//!
//! A name is cut into words (at anything that is no letter or digit, and where the case changes) and put together again as the
//! language likes it. Letters beyond the Latin ones are spelled as their code points: rustc warns about look-alikes among
//! them, and Python folds some of them into others.

use std::collections::BTreeSet;

/// `UpdateAuth`: a type or a variant, in all three languages.
pub fn pascal(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for word in words(text) {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            // A digit after a digit would join two numbers into one.
            if first.is_ascii_digit() && name.ends_with(|c: char| c.is_ascii_digit()) {
                name.push('_');
            }
            name.extend(first.to_uppercase());
            name.push_str(chars.as_str());
        }
    }
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

/// `update_auth`, without regard to reserved words.
pub fn snake(text: &str) -> String {
    let mut name = words(text).join("_");
    if name.is_empty() {
        name.push_str("unnamed");
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    name
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
    snake(text).to_uppercase()
}

/// A field in Rust: snake case, raw where the word is taken.
pub fn rust_field(text: &str) -> String {
    let name = snake(text);
    if ["self", "super", "crate"].contains(&name.as_str()) {
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
    if RESERVED_PYTHON.contains(&name.as_str()) || name.starts_with("model_") {
        return name + "_";
    }
    name
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
pub(crate) struct Unique(BTreeSet<String>);

impl Unique {
    /// The name, or the name with the lowest number that is free. Names that differ only in case count as different.
    pub(crate) fn take(&mut self, name: String) -> String {
        if self.0.insert(name.clone()) {
            return name;
        }
        let plain = name.trim_end_matches('_');
        let mut number = 2_usize;
        loop {
            // Without the underscore `a1` numbered 2 would look like `a12`.
            let candidate = if plain.ends_with(|c: char| c.is_ascii_digit()) {
                format!("{plain}_{number}")
            } else {
                format!("{plain}{number}")
            };
            if self.0.insert(candidate.clone()) {
                return candidate;
            }
            number += 1;
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(crate) fn reserve(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }
}

/// The words of a name in lower case.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let starts = before.is_none_or(|c| !c.is_alphanumeric());
        if !c.is_alphanumeric() {
            flush(&mut word, &mut words);
            // A sign before a number is part of what the name says, and so is a comparison.
            let spelled = match c {
                '-' if starts && after.is_some_and(|c| c.is_ascii_digit()) && words.is_empty() => {
                    "minus"
                }
                '+' if after.is_none_or(|c| c.is_ascii_digit()) => "plus",
                '<' => "less",
                '>' => "greater",
                '=' => "equal",
                '*' if chars.len() == 1 => "star",
                _ => "",
            };
            if !spelled.is_empty() {
                words.push(spelled.to_owned());
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
            flush(&mut word, &mut words);
        }
        if is_portable(c) {
            word.extend(c.to_lowercase());
        } else {
            flush(&mut word, &mut words);
            words.push(format!("u{:x}", u32::from(c)));
        }
    }
    flush(&mut word, &mut words);
    words
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
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
    "return",
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
    fn the_second_of_a_name_gets_a_number() {
        let mut unique = Unique::default();
        assert_eq!(unique.take("a".to_owned()), "a");
        assert_eq!(unique.take("a".to_owned()), "a2");
        assert_eq!(unique.take("a".to_owned()), "a3");
    }
}
