//! Validated words: code, tool, skill, extension name. One macro, one grammar each.

use std::borrow::Cow;
use std::fmt;

/// Constant text, as the values that hold text want it.
pub(crate) const fn borrowed(text: Option<&'static str>) -> Option<Cow<'static, str>> {
    match text {
        Some(text) => Some(Cow::Borrowed(text)),
        None => None,
    }
}

/// Declares a newtype over text with a grammar that is checked once.
macro_rules! word {
    (
        $(#[$doc:meta])* $name:ident, $invalid:ident, $what:literal, $grammar:literal,
        $least:literal..=$most:literal of $first:pat, $rest:pat $(, none of $but:ident)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Cow<'static, str>);

        impl $name {
            const fn fits(text: &[u8]) -> bool {
                if text.len() < $least || text.len() > $most || !matches!(text[0], $first) {
                    return false;
                }
                let mut at = 0;
                while at < text.len() {
                    if !matches!(text[at], $rest) {
                        return false;
                    }
                    at += 1;
                }
                true $(&& !is_among(text, &$but))?
            }

            #[doc = concat!("Checks the text: ", $grammar, ".")]
            ///
            /// # Errors
            ///
            /// When the text does not follow the grammar.
            pub fn parse(text: impl Into<Cow<'static, str>>) -> Result<Self, $invalid> {
                let text = text.into();
                if Self::fits(text.as_bytes()) { Ok(Self(text)) } else { Err($invalid(text.into_owned())) }
            }

            /// One known while compiling; a wrong one does not compile in a `const`.
            ///
            /// # Panics
            ///
            /// When the text does not follow the grammar.
            pub const fn from_static(text: &'static str) -> Self {
                if Self::fits(text.as_bytes()) {
                    Self(Cow::Borrowed(text))
                } else {
                    panic!(concat!($what, " must be ", $grammar))
                }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::str::FromStr for $name {
            type Err = $invalid;

            fn from_str(text: &str) -> Result<Self, $invalid> {
                Self::parse(text.to_owned())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        #[doc = concat!("Text that is not a valid ", $what, ".")]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $invalid(String);

        impl fmt::Display for $invalid {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{:?} is not a valid ", $what, "; use ", $grammar), self.0)
            }
        }

        impl std::error::Error for $invalid {}
    };
}

word!(
    /// The stable name of a problem ([P2]), such as `invalid_auth_ux`.
    ///
    /// # Examples
    ///
    /// ```
    /// use aon_core::Code;
    ///
    /// const CODE: Code = Code::from_static("still_provisioning");
    /// assert_eq!(CODE.as_str(), "still_provisioning");
    /// assert!(Code::parse("Still-Provisioning").is_err());
    /// ```
    ///
    /// [P2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p2
    Code, InvalidCode, "problem code",
    "a lower-case letter, then lower-case letters, digits or `_`, at most 128",
    1..=128 of b'a'..=b'z', b'a'..=b'z' | b'0'..=b'9' | b'_'
);

word!(
    /// The name of an MCP tool ([P1]): what `mcp_tool` holds.
    ///
    /// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
    ToolName, InvalidToolName, "tool name", "1 to 128 of A-Z a-z 0-9 `_` `.` `-`",
    1..=128 of _, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-'
);

word!(
    /// The id of an A2A skill ([P1]): what `a2a_skill` holds.
    ///
    /// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
    SkillId, InvalidSkillId, "skill id", "1 to 256 characters without white space or control characters",
    1..=256 of _, b'!'..=b'~' | 0x80..
);

word!(
    /// The name of an extension member ([P2]), as RFC 9457 section 3.2 advises.
    ///
    /// The names of the members that every problem has are refused, so no key is ever written twice. The RFC would
    /// rather have three characters; two are taken, because `id` is the name everybody has.
    ///
    /// [P2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p2
    ExtensionName, InvalidExtensionName, "extension name",
    "a letter, then letters, digits or `_`, 2 to 128 in all, and none of the standard members",
    2..=128 of b'A'..=b'Z' | b'a'..=b'z', b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_', none of STANDARD_MEMBERS
);

/// The members of [P1], in wire order.
///
/// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
pub const STANDARD_MEMBERS: [&str; 12] = [
    "type",
    "title",
    "status",
    "detail",
    "instance",
    "code",
    "request_id",
    "valid_values",
    "remediation",
    "docs_url",
    "mcp_tool",
    "a2a_skill",
];

const fn is_among(text: &[u8], names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if same(text, names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_their_grammar() {
        for good in ["a", "task_not_found", "e2big"] {
            assert!(Code::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "A", "1a", "a-b", "a b", "é", "_a"] {
            assert!(Code::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn standard_members_are_no_extension_names() {
        for member in STANDARD_MEMBERS {
            assert!(ExtensionName::parse(member).is_err(), "{member}");
        }
        for bad in ["a", "1ab", "a-b", ""] {
            assert!(ExtensionName::parse(bad).is_err(), "{bad}");
        }
        for good in ["violated_policies", "id"] {
            assert!(ExtensionName::parse(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn a_refusal_says_what_would_do() {
        let message = Code::parse("Bad-Code").unwrap_err().to_string();
        assert!(
            message.contains("\"Bad-Code\"") && message.contains("lower-case"),
            "{message}"
        );
    }
}
