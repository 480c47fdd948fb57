//! What the names around a JSON value say about it.

use std::borrow::Cow;

use super::plain::{is_placeholder, is_prose};
use super::words::Words;
use super::{REDACTED, auth, card, document, keys, plain_text, replace};

/// How a value is treated because of the names above it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    /// Only what looks like a secret is hidden.
    Open,
    /// Strings and numbers are hidden.
    Hidden,
    /// As `Hidden`, in a list: sentences about the field stay.
    Listed,
    /// The value of `Authorization`: the scheme stays.
    Credentials,
    /// Under a name that may promise a secret: what looks like one is hidden.
    Suspect(keys::Weak),
}

impl Mode {
    /// The mode of an object's member.
    pub(super) fn member(self, shape: Shape, key: &str) -> Self {
        let named = matches!(
            key,
            "value" | "values" | "val" | "default" | "example" | "examples" | "const"
        );
        if !matches!(self, Self::Open | Self::Suspect(_)) {
            return if shape.schema && KEYWORDS.has(key.as_bytes()) {
                Self::Open
            } else {
                Self::Hidden
            };
        }
        if keys::sensitive(key.as_bytes()) {
            return if keys::is_authorization(key.as_bytes()) {
                Self::Credentials
            } else {
                Self::Hidden
            };
        }
        if named && shape.named.mode() != Self::Open || shape.jwk && is_private_part(key) {
            return shape.named.mode().or(Self::Hidden);
        }
        // `{"session": {"id": …}}`
        let inner = matches!(key, "id" | "value");
        keys::weak(key.as_bytes()).map_or(if inner { self } else { Self::Open }, Self::Suspect)
    }

    /// The mode of an array's item.
    pub(super) fn item(self, pair: Named, index: usize) -> Self {
        match self {
            Self::Open if index == 1 => pair.mode(),
            Self::Open | Self::Suspect(_) => self,
            Self::Hidden | Self::Listed => Self::Listed,
            Self::Credentials => Self::Credentials,
        }
    }

    /// The string without its secrets; nothing if it may stay as it is.
    pub(super) fn hide(self, string: &str, depth: usize) -> Option<String> {
        let bytes = string.as_bytes();
        let open = match self {
            Self::Open => true,
            Self::Suspect(weak) => !weak.hides(bytes),
            Self::Hidden => is_placeholder(bytes),
            Self::Listed => is_placeholder(bytes) || is_sentence(string),
            Self::Credentials => match auth::credentials(bytes, 0, bytes.len(), true) {
                Some(span) => return Some(replace(string, vec![span])),
                None => true,
            },
        };
        if !open {
            return Some(REDACTED.to_owned());
        }
        let hidden = if string.trim_ascii_start().starts_with(['{', '[']) {
            document::json_text_at(string, depth + 1, Self::Open)
        } else {
            plain_text(string)
        };
        match hidden {
            Cow::Owned(hidden) => Some(hidden),
            Cow::Borrowed(_) => None,
        }
    }

    /// Whether [`Mode::hide`] would change the string.
    pub(super) fn hides(self, string: &str) -> bool {
        self.hide(string, 0).is_some()
    }

    /// Whether a number, given as it is written, has to go.
    pub(super) fn hides_number(self, number: &str) -> bool {
        !matches!(self, Self::Open | Self::Suspect(_))
            || card::number(number.as_bytes(), 0) == Some(0..number.len())
    }
}

impl Mode {
    fn or(self, other: Self) -> Self {
        if self == Self::Open { other } else { self }
    }
}

/// The members of a JSON Web Key that are not public.
fn is_private_part(key: &str) -> bool {
    matches!(key, "d" | "p" | "q" | "dp" | "dq" | "qi" | "k")
}

/// What an object's other members say about a member.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape {
    /// The object is a JSON Schema.
    pub(super) schema: bool,
    /// The object names a secret next to its value.
    pub(super) named: Named,
    /// The object is a key (RFC 7517).
    pub(super) jwk: bool,
}

impl Shape {
    /// Takes note of one string member.
    pub(super) fn see(&mut self, key: &str, value: &str) {
        self.jwk |= key == "kty";
        self.schema |= key == "$ref" || key == "type" && TYPES.has(value.as_bytes());
        if NAMES.has(key.as_bytes()) {
            let last = value.rsplit(['/', '.']).next().unwrap_or(value);
            self.named = self.named.or(Named::of(last));
        }
    }
}

/// Whether a name stands beside its value, and which kind of secret it promises.
#[derive(Clone, Copy, Default)]
pub(super) enum Named {
    /// No name, or the name of something public.
    #[default]
    No,
    /// A secret.
    Secret,
    /// An authorization value.
    Credentials,
}

impl Named {
    /// The kind of a `[name, value]` pair; a list of grant types is none.
    pub(super) fn pair(name: &str, value: &str) -> Self {
        let word = value
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte == b'-');
        if word && !keys::is_authorization(name.as_bytes()) && !keys::is_cookie(name.as_bytes()) {
            Self::No
        } else {
            Self::of(name)
        }
    }

    fn of(name: &str) -> Self {
        if name.contains(' ') || !keys::sensitive(name.as_bytes()) {
            Self::No
        } else if keys::is_authorization(name.as_bytes()) {
            Self::Credentials
        } else {
            Self::Secret
        }
    }

    fn or(self, other: Self) -> Self {
        if matches!(self, Self::No) {
            other
        } else {
            self
        }
    }

    fn mode(self) -> Mode {
        match self {
            Self::No => Mode::Open,
            Self::Secret => Mode::Hidden,
            Self::Credentials => Mode::Credentials,
        }
    }
}

/// A sentence about a field, as validators write them: "must be at least 8 characters".
fn is_sentence(string: &str) -> bool {
    string.contains(' ')
        && string
            .split(' ')
            .next()
            .is_some_and(|word| is_prose(word.as_bytes()))
}

/// Members of a JSON Schema that describe a value and do not hold one.
static KEYWORDS: Words = Words::of(
    "type $ref format title description minLength maxLength pattern minimum maximum minItems maxItems required readOnly \
     writeOnly deprecated nullable in name properties items additionalProperties contentEncoding",
);

/// What stands beside the value that it names.
static NAMES: Words<64> = Words::of("name key header field param parameter path pointer Name Key");

static TYPES: Words<64> = Words::of("string object array integer number boolean null");

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn redacted(mut value: Value) -> Value {
        crate::redact::json(&mut value);
        value
    }

    #[test]
    fn names_next_to_values() {
        let given = json!([{"name": "Authorization", "value": "Bearer abc"}, {"value": "x1", "key": "api_key"}, ["Cookie", "a=b"],
            {"op": "replace", "path": "/login/password", "value": "hunter2"}, ["password", "refresh_token"], {"name": "city", "value": "Rome"}]);
        let wanted = json!([{"name": "Authorization", "value": "Bearer [redacted]"}, {"value": REDACTED, "key": "api_key"}, ["Cookie", REDACTED],
            {"op": "replace", "path": "/login/password", "value": REDACTED}, ["password", "refresh_token"], {"name": "city", "value": "Rome"}]);
        assert_eq!(redacted(given), wanted);
    }

    #[test]
    fn a_schema_keeps_its_keywords() {
        let given = json!({"password": {"type": "string", "minLength": 8, "example": "hunter2"}, "errors": {"password": ["must be longer"]}});
        let wanted = json!({"password": {"type": "string", "minLength": 8, "example": REDACTED}, "errors": {"password": ["must be longer"]}});
        assert_eq!(redacted(given), wanted);
    }

    #[test]
    fn what_is_below_a_secret_name_is_hidden() {
        let given = json!({"credentials": {"a": [1, "b", null, true, {"c": 2.5}]}, "pin": 1234, "token": null, "max_tokens": 5});
        let wanted = json!({"credentials": {"a": [REDACTED, REDACTED, null, true, {"c": REDACTED}]}, "pin": REDACTED, "token": null, "max_tokens": 5});
        assert_eq!(redacted(given), wanted);
    }
}
