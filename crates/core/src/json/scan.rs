//! A validating walk over JSON text that copies nothing and recurses nowhere.
//!
//! The lenient reader needs the text of each member, not its tree: a known one is read by its own rules, an unknown one is
//! kept as it is. `serde_json` would scan every nested value once per level for that.

use std::borrow::Cow;
use std::fmt;

/// Where text stops being JSON, and what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScanError {
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

/// Walks a document that is one object and shows each member's name; the visitor takes the value from the walk.
pub(crate) fn document<'a>(
    text: &'a str,
    visit: impl FnMut(Cow<'a, str>, &mut Scan<'a>) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    let mut scan = Scan::of(text);
    scan.space();
    if scan.peek() != Some(b'{') {
        return Err(scan.error("an object"));
    }
    scan.object(visit)?;
    scan.space();
    if scan.at < text.len() {
        return Err(scan.error("nothing after the object"));
    }
    Ok(())
}

/// The members of a valid object, each as the token of its name and the text of its value.
pub(crate) fn members(object: &str) -> Vec<(&str, &str)> {
    let mut members = Vec::new();
    let walked = Scan::of(object).members(|token, _, scan| {
        members.push((token, scan.raw()?));
        Ok(())
    });
    debug_assert!(walked.is_ok(), "the document was valid");
    members
}

/// The items of a valid array.
pub(crate) fn items(array: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let walked = Scan::of(array).array(|scan| {
        items.push(scan.raw()?);
        Ok(())
    });
    debug_assert!(walked.is_ok(), "the document was valid");
    items
}

/// The text of a string token; `None` for another value, and when it holds half a surrogate pair.
pub(crate) fn content(token: &str) -> Option<Cow<'_, str>> {
    let inner = inside(token)?;
    if inner.contains('\\') {
        return serde_json::from_str(token).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// The same for the name of a member: one that has no text is named as it is written.
pub(crate) fn name(token: &str) -> Cow<'_, str> {
    content(token).unwrap_or(Cow::Borrowed(inside(token).unwrap_or_default()))
}

fn inside(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

/// A place in JSON text. Every method that takes a value leaves the walk behind it, whatever it was.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The containers that are open inside the value being walked: `{` or `[`.
    open: Vec<u8>,
}

impl<'a> Scan<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            open: Vec::new(),
        }
    }

    /// Takes a value as text.
    pub(crate) fn raw(&mut self) -> Result<&'a str, ScanError> {
        let start = self.at;
        self.value()?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Takes a string; `None` for a value that is none, or holds half a surrogate pair.
    pub(crate) fn text(&mut self) -> Result<Option<Cow<'a, str>>, ScanError> {
        if self.peek() != Some(b'"') {
            return self.value().map(|()| None);
        }
        let (token, escaped) = self.string("a string")?;
        if escaped {
            return Ok(content(token));
        }
        Ok(inside(token).map(Cow::Borrowed))
    }

    /// The same, kept.
    pub(crate) fn owned(&mut self) -> Result<Option<Cow<'static, str>>, ScanError> {
        let text = self.text()?.map(Cow::into_owned);
        Ok(text.map(Cow::Owned))
    }

    /// Takes an object member by member; `false` for a value that is none.
    pub(crate) fn object(
        &mut self,
        mut visit: impl FnMut(Cow<'a, str>, &mut Self) -> Result<(), ScanError>,
    ) -> Result<bool, ScanError> {
        self.members(|token, escaped, scan| {
            let plain = || Cow::Borrowed(inside(token).unwrap_or_default());
            visit(if escaped { name(token) } else { plain() }, scan)
        })
    }

    /// The same with the names as they are written, and whether they have escapes.
    fn members(
        &mut self,
        mut visit: impl FnMut(&'a str, bool, &mut Self) -> Result<(), ScanError>,
    ) -> Result<bool, ScanError> {
        if self.peek() != Some(b'{') {
            return self.value().map(|()| false);
        }
        self.list(b'}', "a comma or the end of the object", |scan| {
            let (token, escaped) = scan.string("a member name in quotes")?;
            scan.colon()?;
            visit(token, escaped, scan)
        })
    }

    /// Takes an array item by item; `false` for a value that is none.
    pub(crate) fn array(
        &mut self,
        visit: impl FnMut(&mut Self) -> Result<(), ScanError>,
    ) -> Result<bool, ScanError> {
        if self.peek() != Some(b'[') {
            return self.value().map(|()| false);
        }
        self.list(b']', "a comma or the end of the array", visit)
    }

    /// Takes what stands between the brackets.
    fn list(
        &mut self,
        close: u8,
        expected: &'static str,
        mut visit: impl FnMut(&mut Self) -> Result<(), ScanError>,
    ) -> Result<bool, ScanError> {
        self.at += 1;
        self.space();
        if self.skip(close) {
            return Ok(true);
        }
        loop {
            visit(self)?;
            self.space();
            if self.skip(close) {
                return Ok(true);
            }
            self.expect(b',', expected)?;
            self.space();
        }
    }

    /// The next byte.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, expected: &'static str) -> ScanError {
        ScanError {
            at: self.at,
            expected,
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Takes this byte, where it is the next.
    fn skip(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), ScanError> {
        let found = self.skip(byte);
        found.then_some(()).ok_or_else(|| self.error(expected))
    }

    /// Walks one value, however deep, in a loop.
    fn value(&mut self) -> Result<(), ScanError> {
        let floor = self.open.len();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.string("a string")?;
                }
                Some(open @ (b'{' | b'[')) => {
                    self.at += 1;
                    self.space();
                    if !self.skip(open + 2) {
                        self.open.push(open);
                        if open == b'{' {
                            self.name()?;
                        }
                        continue;
                    }
                }
                Some(b't') => self.literal("true")?,
                Some(b'f') => self.literal("false")?,
                Some(b'n') => self.literal("null")?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                _ => return Err(self.error("a value")),
            }
            // A value is complete: go on with what holds it.
            loop {
                if self.open.len() == floor {
                    return Ok(());
                }
                let open = self.open.last().copied().unwrap_or(b'[');
                self.space();
                if self.skip(open + 2) {
                    self.open.pop();
                    continue;
                }
                self.expect(b',', "a comma or the end of the array or object")?;
                self.space();
                if open == b'{' {
                    self.name()?;
                }
                break;
            }
        }
    }

    fn name(&mut self) -> Result<(), ScanError> {
        self.string("a member name in quotes")?;
        self.colon()
    }

    fn colon(&mut self) -> Result<(), ScanError> {
        self.space();
        self.expect(b':', "a colon after the member name")?;
        self.space();
        Ok(())
    }

    fn literal(&mut self, word: &'static str) -> Result<(), ScanError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.error("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), ScanError> {
        self.skip(b'-');
        if !self.skip(b'0') {
            self.digits()?;
        }
        if self.skip(b'.') {
            self.digits()?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _sign = self.skip(b'+') || self.skip(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.error("a digit"))
        } else {
            Ok(())
        }
    }

    /// Walks a string token, quotes included, and says whether it has an escape.
    fn string(&mut self, expected: &'static str) -> Result<(&'a str, bool), ScanError> {
        let start = self.at;
        let mut escaped = false;
        self.expect(b'"', expected)?;
        loop {
            self.at += plain(self.bytes.get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((self.text.get(start..self.at).unwrap_or_default(), escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.at += 1;
                    match self.peek() {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                            self.at += 1;
                        }
                        Some(b'u') => {
                            let digits =
                                self.bytes.get(self.at + 1..self.at + 5).unwrap_or_default();
                            if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                                return Err(self.error("four hexadecimal digits"));
                            }
                            self.at += 5;
                        }
                        _ => return Err(self.error("an escape JSON knows")),
                    }
                }
                Some(_) => return Err(self.error("no control character in a string")),
                None => return Err(self.error("the closing quote of a string")),
            }
        }
    }
}

/// How many bytes stand before the first quote, backslash or control character: eight at a time.
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let special = specials(*eight);
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let Some(last) = bytes.last_chunk() else {
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        return bytes.iter().position(special).unwrap_or(bytes.len());
    };
    // The last eight, some of which were plain before.
    match specials(*last) {
        0 => bytes.len(),
        special => bytes.len() - 8 + (special.trailing_zeros() / 8) as usize,
    }
}

/// The bytes that are a quote, a backslash or a control character, each by its highest bit; exact up to the first.
fn specials(eight: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(eight);
    let control = word.wrapping_sub(ONES * 0x20);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (control | quote | backslash) & !word & (ONES << 7)
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn valid(text: &str) -> bool {
        document(text, |_, scan| scan.raw().map(|_| ())).is_ok()
    }

    #[test]
    fn the_walk_agrees_with_serde_json_on_hand_made_cases() {
        for inner in [
            "1",
            "-0",
            "01",
            "1.",
            "1.5e+3",
            "1e",
            ".5",
            "-",
            "true",
            "tru",
            "nulll",
            "\"a\\u00e9\"",
            "\"\\x\"",
            "\"\\u12\"",
            "[]",
            "[1,]",
            "[1 2]",
            "{}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "[[[{\"x\":[]}]]]",
            "\"\u{1}\"",
            "\"",
            "[",
            "{\"a\":[}",
        ] {
            let text = format!("{{ \"k\" : {inner} }}");
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            assert_eq!(valid(&text), theirs, "{text}");
        }
    }

    #[test]
    fn strings_of_every_length_are_walked_to_their_end() {
        for length in 0..40 {
            let text = format!(
                "{{\"{}\":\"{}\\\"é\"}}",
                "k".repeat(length),
                "v".repeat(length)
            );
            let mut seen = Vec::new();
            document(&text, |name, scan| {
                seen.push((name.into_owned(), scan.raw()?.to_owned()));
                Ok(())
            })
            .unwrap();
            assert_eq!(
                seen,
                [(
                    "k".repeat(length),
                    format!("\"{}\\\"é\"", "v".repeat(length))
                )]
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_walk_agrees_with_serde_json(soup in "[\\[\\]{}:,\"\\\\ a0-9.eEu+\u{1}é-]{0,24}") {
            let text = format!("{{\"k\":{soup}}}");
            prop_assert_eq!(valid(&text), serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok());
        }
    }
}
