//! JSON Pointers and their URI form, `#/a%20b` (RFC 6901 section 6): the form in which `errors` names fields.

use std::borrow::Cow;
use std::fmt;

/// The pointer a text names, with or without the `#` of its URI form; only that form is percent-decoded.
///
/// # Examples
///
/// ```
/// use aon_core::pointer;
///
/// assert_eq!(pointer::of_fragment("#/first%20name"), "/first name");
/// assert_eq!(pointer::of_fragment("/50%25"), "/50%25");
/// ```
pub fn of_fragment(text: &str) -> Cow<'_, str> {
    let Some(fragment) = text.strip_prefix('#') else {
        return Cow::Borrowed(text);
    };
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let mut decoded = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let pair = hex(0).zip(hex(1)).filter(|_| byte == b'%');
        let value = pair.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        decoded.push(value.unwrap_or(byte));
        let taken = if value.is_some() { 2 } else { 0 };
        rest = after.get(taken..).unwrap_or_default();
    }
    match String::from_utf8(decoded) {
        Ok(decoded) => Cow::Owned(decoded),
        Err(_no_text) => Cow::Borrowed(fragment),
    }
}

/// The URI form of a pointer.
///
/// # Examples
///
/// ```
/// use aon_core::pointer;
///
/// assert_eq!(pointer::to_fragment("/first name").to_string(), "#/first%20name");
/// ```
pub fn to_fragment(pointer: &str) -> impl fmt::Display {
    Fragment(pointer)
}

struct Fragment<'a>(&'a str);

impl fmt::Display for Fragment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#")?;
        let mut rest = self.0;
        while let Some(at) = rest.bytes().position(|byte| !is_fragment(byte)) {
            let (plain, other) = rest.split_at(at);
            f.write_str(plain)?;
            let next = other.chars().next().map_or(0, char::len_utf8);
            let (encoded, after) = other.split_at(next);
            for byte in encoded.bytes() {
                write!(f, "%{byte:02X}")?;
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

/// What may stand in a fragment as it is (RFC 3986 section 3.5).
const fn is_fragment(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'$' | b'&'..=b'/' | b':' | b';' | b'=' | b'?' | b'@' | b'_' | b'~'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_comes_back_from_its_uri_form() {
        for (pointer, fragment) in [
            ("", "#"),
            ("/auth_ux", "#/auth_ux"),
            ("/a~1b/0/c~0d", "#/a~1b/0/c~0d"),
            ("/größe", "#/gr%C3%B6%C3%9Fe"),
            ("/50%25 off", "#/50%2525%20off"),
            ("/a\"b\\c^d|e`f{g}", "#/a%22b%5Cc%5Ed%7Ce%60f%7Bg%7D"),
            ("/🎉", "#/%F0%9F%8E%89"),
        ] {
            assert_eq!(to_fragment(pointer).to_string(), fragment);
            assert_eq!(of_fragment(fragment), pointer);
        }
    }

    #[test]
    fn what_is_no_escape_is_left_alone() {
        for text in ["#/100%", "#/%zz", "#/%f", "#/%ff", "#/größe"] {
            assert_eq!(of_fragment(text), text.trim_start_matches('#'));
        }
    }
}
