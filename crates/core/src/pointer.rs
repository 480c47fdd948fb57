//! JSON Pointers (RFC 6901), and their URI form `#/a%20b` in which `errors` names fields.

use std::borrow::Cow;
use std::fmt;

/// A JSON Pointer: the place of a value in a document, from its root.
///
/// # Examples
///
/// ```
/// use aon_core::Pointer;
///
/// let mut place = Pointer::field("first name");
/// place.push("a/b");
/// assert_eq!(place.as_str(), "/first name/a~1b");
/// assert_eq!(place.to_fragment().to_string(), "#/first%20name/a~1b");
/// assert_eq!(place.tokens().collect::<Vec<_>>(), ["first name", "a/b"]);
/// assert_eq!(Pointer::parse("#/first%20name/a~1b")?, place);
/// # Ok::<(), aon_core::InvalidPointer>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub const ROOT: Self = Self(String::new());

    /// Reads a pointer, or its URI form.
    ///
    /// # Errors
    ///
    /// When it does not begin with `/`, or has a `~` that is not part of `~0` or `~1`.
    pub fn parse(text: &str) -> Result<Self, InvalidPointer> {
        let pointer = of_fragment(text);
        if is_pointer(&pointer) {
            Ok(Self(pointer.into_owned()))
        } else {
            Err(InvalidPointer(text.to_owned()))
        }
    }

    /// The pointer to a member of the root.
    pub fn field(name: &str) -> Self {
        let mut pointer = Self::ROOT;
        pointer.push(name);
        pointer
    }

    /// The place that a key of `valid_values` names: the pointer itself, or else a member of the root.
    pub fn of_key(key: &str) -> Self {
        if key.starts_with('/') {
            Self(key.to_owned())
        } else {
            Self::field(key)
        }
    }

    /// Goes one step down: to the member of that name, or the item with that number.
    pub fn push(&mut self, token: &str) {
        self.0.push('/');
        self.0.push_str(&escape(token));
    }

    /// Goes one step up.
    pub fn pop(&mut self) {
        self.0.truncate(self.0.rfind('/').unwrap_or(0));
    }

    /// The steps from the root, unescaped.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Cow<'_, str>> {
        tokens(&self.0)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URI form.
    pub fn to_fragment(&self) -> impl fmt::Display {
        to_fragment(&self.0)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

impl<T: AsRef<str>> FromIterator<T> for Pointer {
    fn from_iter<I: IntoIterator<Item = T>>(tokens: I) -> Self {
        let mut pointer = Self::ROOT;
        for token in tokens {
            pointer.push(token.as_ref());
        }
        pointer
    }
}

/// Text that is not a JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPointer(String);

impl fmt::Display for InvalidPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a JSON Pointer; it starts with `/`, and `~` is written `~0`, `/` in a name `~1`",
            self.0
        )
    }
}

impl std::error::Error for InvalidPointer {}

/// Whether a text is a JSON Pointer.
pub fn is_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']))
}

/// A name as a step of a pointer: `~` becomes `~0`, `/` becomes `~1`.
pub fn escape(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}

/// The name that a step of a pointer means.
pub fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// The steps of a pointer from the root, unescaped; what stands before the first `/` does not count.
pub fn tokens(pointer: &str) -> impl DoubleEndedIterator<Item = Cow<'_, str>> {
    let steps = pointer.find('/').map(|start| {
        let rest = pointer.get(start + 1..).unwrap_or_default();
        rest.split('/').map(unescape)
    });
    steps.into_iter().flatten()
}

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
    fn steps_are_escaped_and_come_back() {
        let names = ["", "a", "a/b", "~", "~1", "/", "größe", "0", "a b%"];
        let pointer: Pointer = names.iter().collect();
        assert_eq!(pointer.as_str(), "//a/a~1b/~0/~01/~1/größe/0/a b%");
        assert_eq!(pointer.tokens().collect::<Vec<_>>(), names);
        let again = Pointer::parse(&pointer.to_fragment().to_string());
        assert_eq!(again.as_ref(), Ok(&pointer));
        let mut up = pointer;
        for _ in names {
            up.pop();
        }
        assert_eq!(up, Pointer::ROOT);
        assert_eq!(up.tokens().count(), 0);
    }

    #[test]
    fn malformed_pointers_are_refused() {
        for bad in ["a", "/~", "/~2", "/a~", "#a", "a/b"] {
            assert!(Pointer::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Pointer::of_key("/a~1b").as_str(), "/a~1b");
        assert_eq!(Pointer::of_key("a/b").as_str(), "/a~1b");
    }

    #[test]
    fn what_is_not_an_escape_is_left_alone() {
        for text in ["#/100%", "#/%zz", "#/%f", "#/%ff", "#/größe"] {
            assert_eq!(of_fragment(text), text.trim_start_matches('#'));
        }
    }
}
