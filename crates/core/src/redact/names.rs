//! What the names around a JSON value say about it.

use std::borrow::Cow;

use super::plain::{is_placeholder, is_prose};
use super::words::Words;
use super::{REDACTED, auth, card, document, keys, plain_text, replace};

/// How a value is treated because of the names above it.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Mode {
    /// Only what looks like a secret is hidden.
    #[default]
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
    /// The mode of what stands under or beside a name.
    fn of(name: &str) -> Self {
        match name.as_bytes() {
            name if !keys::sensitive(name) => Self::Open,
            name if keys::is_authorization(name) => Self::Credentials,
            _ => Self::Hidden,
        }
    }

    /// The mode of the second of a `[name, value]` pair; a list of grant types is none.
    pub(super) fn pair(name: &str, value: &str) -> Self {
        let lower = |byte: u8| byte.is_ascii_lowercase() || byte == b'_' || byte == b'-';
        let mode = if name.contains(' ') {
            Self::Open
        } else {
            Self::of(name)
        };
        let cookie = mode == Self::Credentials || keys::is_cookie(name.as_bytes());
        if value.bytes().all(lower) && !cookie {
            Self::Open
        } else {
            mode
        }
    }

    /// The mode of an object's member.
    pub(super) fn member(self, shape: Shape, key: &str) -> Self {
        static NAMED: Words<64> = Words::of("value values val default example examples const");
        if !matches!(self, Self::Open | Self::Suspect(_)) {
            let keyword = shape.schema && KEYWORDS.has(key.as_bytes());
            return if keyword { Self::Open } else { Self::Hidden };
        }
        let told = Self::of(key);
        if told != Self::Open {
            return told;
        }
        if shape.named != Self::Open && NAMED.has(key.as_bytes()) {
            return shape.named;
        }
        if shape.jwk && is_private_part(key) {
            return Self::Hidden;
        }
        // `{"session": {"id": …}}`
        let inner = matches!(key, "id" | "value");
        keys::weak(key.as_bytes()).map_or(if inner { self } else { Self::Open }, Self::Suspect)
    }

    /// The mode of an array's item.
    pub(super) fn item(self, pair: Self, index: usize) -> Self {
        match self {
            Self::Open if index == 1 => pair,
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

/// The members of a JSON Web Key that are not public.
fn is_private_part(key: &str) -> bool {
    matches!(key, "d" | "p" | "q" | "dp" | "dq" | "qi" | "k")
}

/// What an object's other members say about a member.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape {
    /// The object is a JSON Schema.
    schema: bool,
    /// The object names something next to its value: the mode of that.
    named: Mode,
    /// The object is a key (RFC 7517).
    jwk: bool,
}

impl Shape {
    /// Takes note of one string member.
    pub(super) fn see(&mut self, key: &str, value: &str) {
        self.jwk |= key == "kty";
        self.schema |= key == "$ref" || key == "type" && TYPES.has(value.as_bytes());
        if self.named == Mode::Open && NAMES.has(key.as_bytes()) {
            let last = value.rsplit(['/', '.']).next().unwrap_or(value);
            self.named = if last.contains(' ') {
                Mode::Open
            } else {
                Mode::of(last)
            };
        }
    }
}

/// A sentence about a field, as validators write them: "must be at least 8 characters".
fn is_sentence(string: &str) -> bool {
    string
        .split_once(' ')
        .is_some_and(|(word, _)| is_prose(word.as_bytes()))
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
