//! From valid JSON text to compact text without a key twice in an object.

use std::borrow::Cow;

use super::{InvalidJson, MAX_DEPTH, scan};

/// Strips white space between tokens, and earlier copies of a repeated key.
///
/// `text` must be one valid JSON value; the depth is checked here, in a loop, so that hostile
/// nesting costs no stack.
pub(super) fn compact(text: &str) -> Result<String, InvalidJson> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    // Keys of the objects that are open; `open` holds where each container's keys start.
    let mut keys: Vec<Cow<'_, str>> = Vec::new();
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut repeated = false;
    let mut key_next = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at);
                let token = text.get(at..end).unwrap_or_default();
                if key_next {
                    keys.push(scan::name(token));
                    key_next = false;
                }
                out.push_str(&mended(token));
                at = end;
                continue;
            }
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' => {
                if open.len() >= MAX_DEPTH {
                    return Err(InvalidJson::TooDeep);
                }
                open.push((byte == b'{').then_some(keys.len()));
                key_next = byte == b'{';
                out.push(char::from(byte));
            }
            b'}' | b']' => {
                if let Some(start) = open.pop().flatten() {
                    if let Some(own) = keys.get_mut(start..) {
                        own.sort_unstable();
                        repeated |= own.windows(2).any(|pair| pair.first() == pair.last());
                    }
                    keys.truncate(start);
                }
                key_next = false;
                out.push(char::from(byte));
            }
            b',' => {
                key_next = open.last().is_some_and(Option::is_some);
                out.push(',');
            }
            _ => out.push(char::from(byte)),
        }
        at += 1;
    }
    if repeated {
        // Rare enough for a tree, which keeps the last one.
        let tree: serde_json::Value = serde_json::from_str(&out).map_err(InvalidJson::Syntax)?;
        return Ok(tree.to_string());
    }
    Ok(out)
}

/// One past the closing quote of the string token that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// A string token in which half a surrogate pair is replaced by U+FFFD, which every parser reads.
fn mended(token: &str) -> Cow<'_, str> {
    if !token.contains("\\u") {
        return Cow::Borrowed(token);
    }
    let unit = |at: usize| {
        let digits = token.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(token.len());
    let mut at = 0;
    while let Some(rest) = token.get(at..) {
        let Some(next) = rest.chars().next() else {
            break;
        };
        match (next, unit(at)) {
            ('\\', Some(0xd800..=0xdbff)) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => {
                out.push_str(token.get(at..at + 12).unwrap_or_default());
                at += 12;
            }
            ('\\', Some(0xd800..=0xdfff)) => {
                out.push_str("\\ufffd");
                at += 6;
            }
            ('\\', _) => {
                let pair: String = rest.chars().take(2).collect();
                out.push_str(&pair);
                at += pair.len();
            }
            _ => {
                out.push(next);
                at += next.len_utf8();
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(text: &str) -> String {
        compact(text).unwrap()
    }

    #[test]
    fn white_space_goes_and_everything_else_stays() {
        assert_eq!(
            ok(" { \"b c\" : [ 1 , -2.50e+3 , true , null ] , \"a\" : \" x \\\" y \" } "),
            "{\"b c\":[1,-2.50e+3,true,null],\"a\":\" x \\\" y \"}"
        );
        assert_eq!(ok("[]"), "[]");
        assert_eq!(ok("\"é\""), "\"é\"");
    }

    #[test]
    fn the_last_of_a_repeated_key_counts() {
        let single = ok(r#"{"a":1,"b":{"x":1,"x":[{"y":1,"\u0079":2}]},"a":{}}"#);
        let wanted = serde_json::json!({"b": {"x": [{"y": 2}]}, "a": {}});
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&single).unwrap(),
            wanted
        );
        assert_eq!(single.matches("\"a\"").count(), 1);
        assert_eq!(ok(r#"[{"a":1},{"a":2}]"#), r#"[{"a":1},{"a":2}]"#);
    }

    #[test]
    fn depth_is_limited_without_using_the_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(matches!(compact(&deep), Err(InvalidJson::TooDeep)));
        let fits = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert_eq!(ok(&fits), fits);
    }
}
