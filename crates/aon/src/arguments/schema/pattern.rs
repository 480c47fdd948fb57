//! `pattern`: texts that have to match a regular expression.

use std::cell::RefCell;
use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::{Map, Value};

/// What stands before a pattern in the words of a fault.
pub(crate) const WORDS: &str = "text that matches ";
/// A longer pattern, and a longer text, are left to the program.
const LONGEST: usize = 512;
const LONGEST_TEXT: usize = 4096;
/// As many patterns are kept ready.
const MOST: usize = 256;

thread_local! {
    static READY: RefCell<BTreeMap<String, Option<Regex>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Whether a text matches a pattern; `None` where that cannot be told: a pattern with features of other engines is not held against anybody.
pub(crate) fn matches(pattern: &str, text: &str) -> Option<bool> {
    if pattern.len() > LONGEST || text.len() > LONGEST_TEXT {
        return None;
    }
    READY.with_borrow_mut(|ready| {
        if let Some(known) = ready.get(pattern) {
            return known.as_ref().map(|regex| regex.is_match(text));
        }
        if ready.len() >= MOST {
            ready.clear();
        }
        let regex = Regex::new(pattern).ok();
        let matched = regex.as_ref().map(|regex| regex.is_match(text));
        ready.insert(pattern.to_owned(), regex);
        matched
    })
}

/// What is expected, when a text does not match.
pub(super) fn unmatched(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    let (Value::String(text), Some(Value::String(pattern))) = (value, schema.get("pattern")) else {
        return None;
    };
    (matches(pattern, text) == Some(false)).then(|| format!("{WORDS}{pattern}"))
}
