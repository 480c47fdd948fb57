//! URI references, kept to the letter, and the namespace problem types live in.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::{Serialize, Serializer};

/// A URI reference kept verbatim: absolute, relative, `urn:`, `tag:`, with its fragment ([P3]).
///
/// # Examples
///
/// ```
/// use aon_core::UriRef;
///
/// for text in ["https://example.com/errors#credit", "urn:acme:request:1", "/errors/credit", "about:blank"] {
///     assert_eq!(UriRef::parse(text)?.as_str(), text);
/// }
/// assert!(UriRef::parse("not a uri").is_err());
/// # Ok::<(), aon_core::InvalidUriRef>(())
/// ```
///
/// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UriRef(Cow<'static, str>);

impl UriRef {
    /// Checks the characters RFC 3986 allows; letters of other scripts pass too (RFC 3987).
    ///
    /// # Errors
    ///
    /// When it has a space, a control character, one of ``<>"{}|\^` `` or a broken percent escape.
    pub fn parse(text: impl Into<Cow<'static, str>>) -> Result<Self, InvalidUriRef> {
        let text = text.into();
        match offence(&text) {
            None => Ok(Self(text)),
            Some(at) => Err(InvalidUriRef {
                text: text.into_owned(),
                at,
            }),
        }
    }

    #[doc(hidden)]
    pub const fn trusted(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// Text that holds nothing but what a URI may.
    pub(crate) const fn encoded(text: String) -> Self {
        Self(Cow::Owned(text))
    }

    /// The text, as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The scheme, for an absolute reference.
    pub fn scheme(&self) -> Option<&str> {
        let (scheme, _) = self.0.split_once(':')?;
        let mut letters = scheme.bytes();
        let starts = letters.next().is_some_and(|b| b.is_ascii_alphabetic());
        (starts && letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))
            .then_some(scheme)
    }

    /// Whether it is an `http` or `https` URL with a host.
    pub fn is_web_url(&self) -> bool {
        let Some(scheme) = self.scheme() else {
            return false;
        };
        (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
            && self
                .0
                .get(scheme.len() + 1..)
                .and_then(|rest| rest.strip_prefix("//"))
                .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':']))
    }
}

impl fmt::Debug for UriRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for UriRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for UriRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Text that is not a valid URI reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidUriRef {
    text: String,
    at: usize,
}

impl fmt::Display for InvalidUriRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a valid URI reference: byte {} is not allowed there; percent-encode it",
            self.text, self.at
        )
    }
}

impl std::error::Error for InvalidUriRef {}

/// Where problem types live: a short name, or a URI prefix ([P3]).
///
/// # Examples
///
/// ```
/// use aon_core::Namespace;
///
/// assert_eq!(Namespace::parse("acme")?.type_of("out_of_credit"), "acme://problem/out_of_credit");
/// let web = Namespace::parse("https://api.example.com/problems/")?;
/// assert_eq!(web.type_of("out_of_credit"), "https://api.example.com/problems/out_of_credit");
/// assert_eq!(web.instance_of("42"), "urn:api-example-com:request:42");
/// # Ok::<(), aon_core::InvalidNamespace>(())
/// ```
///
/// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    prefix: Cow<'static, str>,
    urn: Cow<'static, str>,
}

impl Namespace {
    /// The namespace of a program that names none.
    pub const DEFAULT: Self = Self {
        prefix: Cow::Borrowed("pspace://problem/"),
        urn: Cow::Borrowed("pspace"),
    };

    /// Reads `name` (lower-case letters, digits, `-`) or a URI prefix.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self, InvalidNamespace> {
        let refuse = || InvalidNamespace(text.to_owned());
        if text.contains(':') {
            let uri = UriRef::parse(text.to_owned()).map_err(|_bad| refuse())?;
            let scheme = uri.scheme().ok_or_else(refuse)?;
            let rest = text
                .get(scheme.len() + 1..)
                .unwrap_or_default()
                .trim_start_matches('/');
            let host: String = rest
                .split(['/', '?', '#'])
                .next()
                .unwrap_or_default()
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_lowercase()
                    } else {
                        '-'
                    }
                })
                .collect();
            let host = host.trim_matches('-');
            let urn = if host.len() < 2 {
                scheme.to_ascii_lowercase()
            } else {
                host.to_owned()
            };
            return Ok(Self {
                prefix: Cow::Owned(text.to_owned()),
                urn: Cow::Owned(urn),
            });
        }
        let mut bytes = text.bytes();
        let good = text.len() >= 2
            && text.len() <= 32
            && bytes.next().is_some_and(|b| b.is_ascii_lowercase())
            && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !text.ends_with('-');
        if good {
            Ok(Self {
                prefix: Cow::Owned(format!("{text}://problem/")),
                urn: Cow::Owned(text.to_owned()),
            })
        } else {
            Err(refuse())
        }
    }

    /// A namespace whose parts are known to be right: the macro `namespace!` checked them while compiling.
    pub(crate) fn known(prefix: &str, urn: &str) -> Self {
        Self {
            prefix: Cow::Owned(prefix.to_owned()),
            urn: Cow::Owned(urn.to_owned()),
        }
    }

    /// A namespace known only by its name in URNs.
    #[doc(hidden)]
    pub const fn with_urn(urn: &'static str) -> Self {
        Self {
            prefix: Cow::Borrowed("pspace://problem/"),
            urn: Cow::Borrowed(urn),
        }
    }

    /// The type of a code: `<namespace>://problem/<code>`, or prefix and code.
    pub fn type_of(&self, code: &str) -> String {
        format!("{}{code}", self.prefix)
    }

    /// What stands before the code in a type.
    pub fn type_prefix(&self) -> &str {
        &self.prefix
    }

    /// The name used in `urn:<name>:request:…`.
    pub fn urn_name(&self) -> &str {
        &self.urn
    }

    /// The instance of a request: `urn:<namespace>:request:<request_id>`.
    pub fn instance_of(&self, request_id: &str) -> String {
        instance_of(&self.urn, request_id)
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Text that is not a valid namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidNamespace(String);

impl fmt::Display for InvalidNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a valid namespace; use a short name such as \"acme\" (lower case, digits, `-`) or a URI prefix such as \
             \"https://api.example.com/problems/\"",
            self.0
        )
    }
}

impl std::error::Error for InvalidNamespace {}

/// `urn:<urn>:request:<id>`, the id percent-encoded where a URN needs it.
pub(crate) fn instance_of(urn: &str, request_id: &str) -> String {
    let mut out = String::with_capacity(urn.len() + request_id.len() + 13);
    out.push_str("urn:");
    out.push_str(urn);
    out.push_str(":request:");
    for byte in request_id.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _: fmt::Result = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Whether a request id can stand in a URN as it is.
pub(crate) fn is_plain_id(id: &str) -> bool {
    id.bytes().all(plain)
}

const fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':' | b'+' | b'=' | b'@')
}

/// The first byte that may not stand in a URI reference.
fn offence(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let offends = |(at, byte): (usize, &u8)| match byte {
        b'%' => !(hex(at + 1) && hex(at + 2)),
        0..=0x20 | 0x7f => true,
        _ => b"<>\"{}|\\^`".contains(byte),
    };
    let found = bytes.iter().enumerate().position(offends);
    if bytes.is_empty() { Some(0) } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_every_kind_are_kept_to_the_letter() {
        for good in [
            "about:blank",
            "tag:example.com,2026:credit",
            "urn:uuid:1",
            "../x?y=1#z",
            "#frag",
            "https://h/%41#a/b",
            "https://exämple/ö",
            "pspace://guide:branded-oidc-login",
        ] {
            assert_eq!(UriRef::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a\n", "<x>", "%4", "%zz", "a{b}"] {
            assert!(UriRef::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_web_urls_are_documentation() {
        assert!(UriRef::parse("https://a/b").unwrap().is_web_url());
        for bad in ["/docs", "urn:x:y", "https://", "https:///x", "mailto:a@b"] {
            assert!(!UriRef::parse(bad).unwrap().is_web_url(), "{bad}");
        }
    }

    #[test]
    fn a_hostile_request_id_is_encoded() {
        assert_eq!(
            Namespace::DEFAULT.instance_of("a b\"<"),
            "urn:pspace:request:a%20b%22%3C"
        );
    }

    #[test]
    fn namespaces_are_names_or_prefixes() {
        for bad in ["", "A", "a", "a_b", "-a", "a-", "http//x"] {
            assert!(Namespace::parse(bad).is_err(), "{bad}");
        }
    }
}
