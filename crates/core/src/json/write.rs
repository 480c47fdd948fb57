//! Writing JSON straight into bytes.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use serde::Serialize;

use super::Json;
use super::scan::plain;

/// Writes one JSON object member by member into a byte buffer.
///
/// It is the caller's promise not to give a key twice.
///
/// # Examples
///
/// ```
/// use aon_core::json::ObjectWriter;
///
/// let mut out = Vec::new();
/// let mut object = ObjectWriter::begin(&mut out);
/// object.string("title", "say \"hi\"");
/// object.number("status", 422);
/// object.end();
/// assert_eq!(out, br#"{"title":"say \"hi\"","status":422}"#);
/// ```
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens the object.
    pub fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Goes on with an object that is open in `out` and has no members yet.
    pub(crate) fn opened(out: &'a mut Vec<u8>) -> Self {
        Self { out, empty: true }
    }

    /// Goes on with an object that is open in `out` and has members already.
    pub fn resume(out: &'a mut Vec<u8>) -> Self {
        Self { out, empty: false }
    }

    /// A string member.
    pub fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        write_string(self.out, value);
    }

    /// A string member with the text of a [`fmt::Display`], escaped on the way.
    pub fn display(&mut self, key: &str, value: impl fmt::Display) {
        self.key(key);
        write_display(self.out, value);
    }

    /// A whole number.
    pub fn number(&mut self, key: &str, value: u64) {
        let out = self.key(key);
        // Writing into memory cannot fail.
        let _: io::Result<()> = write!(out, "{value}");
    }

    /// A boolean.
    pub fn boolean(&mut self, key: &str, value: bool) {
        self.key(key);
        self.out
            .extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// A member whose value is JSON already.
    pub fn json(&mut self, key: &str, value: &Json) {
        self.raw(key, value.as_str());
    }

    /// A member whose value is JSON text already; the caller vouches for it.
    pub fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Any serialisable value. What has no JSON form is replaced by a string that says so.
    pub fn value<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.key(key);
        let start = self.out.len();
        if let Err(error) = serde_json::to_writer(&mut *self.out, value) {
            self.out.truncate(start);
            write_display(self.out, format_args!("[no JSON form: {error}]"));
        }
    }

    /// Like [`ObjectWriter::value`], but a value that is `null` is left out, key and all. The object must have a
    /// member already.
    pub(crate) fn value_unless_null<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        let start = self.out.len();
        self.value(key, value);
        // The value `null` follows its key's colon; nothing else can end in these letters.
        if self.out.ends_with(b":null") {
            self.out.truncate(start);
        }
    }

    /// A nested object, written by `body`.
    pub fn object(&mut self, key: &str, body: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.nested(key, |object| body(object));
    }

    pub(super) fn nested(&mut self, key: &str, body: impl FnOnce(&mut Self)) {
        self.key(key).push(b'{');
        self.empty = true;
        body(self);
        self.empty = false;
        self.out.push(b'}');
    }

    /// An array, each item written by `item` into the bytes.
    pub fn array<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Vec<u8>, T),
    ) {
        self.key(key);
        self.out.push(b'[');
        for (at, value) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            item(self.out, value);
        }
        self.out.push(b']');
    }

    /// Closes the object.
    pub fn end(self) {
        self.out.push(b'}');
    }

    /// Writes the key and the colon, and gives the buffer for the value.
    pub fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if self.empty {
            self.empty = false;
        } else {
            self.out.push(b',');
        }
        write_string(self.out, key);
        self.out.push(b':');
        self.out
    }
}

/// Appends `text` as a JSON string, escaped exactly as `serde_json` does.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 3);
    out.push(b'"');
    escape(out, text);
    out.push(b'"');
}

pub(crate) fn write_display(out: &mut Vec<u8>, value: impl fmt::Display) {
    out.push(b'"');
    let mut escaping = Escaping(out);
    // Writing into memory cannot fail; a Display that reports failure leaves what it wrote.
    let _: fmt::Result = write!(escaping, "{value}");
    out.push(b'"');
}

/// Escapes what is formatted into it.
pub(crate) struct Escaping<'a>(pub(crate) &'a mut Vec<u8>);

impl fmt::Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(self.0, text);
        Ok(())
    }
}

fn escape(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut rest = text.as_bytes();
    loop {
        let (run, special) = rest.split_at(plain(rest));
        out.extend_from_slice(run);
        let Some((&byte, after)) = special.split_first() else {
            return;
        };
        rest = after;
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_like_serde_json_for_every_low_character() {
        for code in 0..0x250_u32 {
            let Some(c) = char::from_u32(code) else {
                continue;
            };
            let text = format!("a{c}b{c}");
            let mut ours = Vec::new();
            write_string(&mut ours, &text);
            assert_eq!(ours, serde_json::to_vec(&text).unwrap(), "{code:x}");
            let mut shown = Vec::new();
            write_display(&mut shown, &text);
            assert_eq!(shown, ours);
        }
    }

    #[test]
    fn what_has_no_json_form_is_said_so() {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.value("bad", &std::collections::BTreeMap::from([((1, 2), 3)]));
        object.end();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(r#"{"bad":"[no JSON form: "#), "{text}");
    }
}
