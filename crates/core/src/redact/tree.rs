//! Redaction of JSON values, and the rules both JSON readers share.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::plain::{is_placeholder, is_prose};
use super::{REDACTED, auth, card, document, keys, replace, text};

/// Hides the secrets in a JSON value, by member name and by what the strings hold.
///
/// Strings and numbers under a sensitive name are hidden at any depth; `null`, booleans and placeholders stay. Lists
/// of `{name, value}` members, `[name, value]` pairs and JSON Patch operations are understood too, and a JSON Schema
/// of a sensitive property keeps its keywords. Depth does not matter: nothing here recurses.
///
/// ```
/// let mut value = serde_json::json!({"user": "ann", "password": "hunter2", "retries": 3});
/// aon_core::redact::json(&mut value);
/// assert_eq!(value, serde_json::json!({"user": "ann", "password": "[redacted]", "retries": 3}));
/// ```
pub fn json(value: &mut Value) {
    let mut open = vec![(value, Mode::Open)];
    while let Some((value, mode)) = open.pop() {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if mode.hides_number(&number.to_string()) {
                    *value = Value::String(REDACTED.to_owned());
                }
            }
            Value::String(string) => {
                if let Some(hidden) = mode.hide(string, 0) {
                    *string = hidden;
                }
            }
            Value::Array(items) => {
                let pair = match items.as_slice() {
                    [Value::String(name), Value::String(value)] => Named::pair(name, value),
                    _ => Named::No,
                };
                for (index, item) in items.iter_mut().enumerate() {
                    open.push((item, mode.item(pair, index)));
                }
            }
            Value::Object(members) => {
                let mut shape = Shape::default();
                for (key, value) in members.iter() {
                    if let Value::String(value) = value {
                        shape.see(key, value);
                    }
                }
                let renamed = rename(members, |key| mode.member(shape, key));
                for (key, value) in members.iter_mut() {
                    let known = renamed
                        .iter()
                        .find(|(name, _)| name == key)
                        .map(|(_, mode)| *mode);
                    open.push((value, known.unwrap_or_else(|| mode.member(shape, key))));
                }
            }
        }
    }
}

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
}

impl Mode {
    /// The mode of an object's member.
    pub(super) fn member(self, shape: Shape, key: &str) -> Self {
        let named = matches!(
            key,
            "value" | "values" | "val" | "default" | "example" | "examples" | "const"
        );
        if self != Self::Open {
            return if shape.schema && is_keyword(key) {
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
        if named {
            shape.named.mode()
        } else {
            Self::Open
        }
    }

    /// The mode of an array's item.
    pub(super) fn item(self, pair: Named, index: usize) -> Self {
        match self {
            Self::Open if index == 1 => pair.mode(),
            Self::Open => Self::Open,
            Self::Hidden | Self::Listed => Self::Listed,
            Self::Credentials => Self::Credentials,
        }
    }

    /// The string without its secrets; nothing if it may stay as it is.
    pub(super) fn hide(self, string: &str, depth: usize) -> Option<String> {
        let bytes = string.as_bytes();
        let open = match self {
            Self::Open => true,
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
            text(string)
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
        self != Self::Open || card::number(number.as_bytes(), 0) == Some(0..number.len())
    }
}

/// What an object's other members say about a member.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape {
    /// The object is a JSON Schema.
    pub(super) schema: bool,
    /// The object names a secret next to its value.
    pub(super) named: Named,
}

impl Shape {
    /// Takes note of one string member.
    pub(super) fn see(&mut self, key: &str, value: &str) {
        let types = [
            "string", "object", "array", "integer", "number", "boolean", "null",
        ];
        self.schema |= key == "$ref" || key == "type" && types.contains(&value);
        let names = [
            "name",
            "key",
            "header",
            "field",
            "param",
            "parameter",
            "path",
            "pointer",
            "Name",
            "Key",
        ];
        if names.contains(&key) {
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
fn is_keyword(key: &str) -> bool {
    matches!(
        key,
        "type"
            | "$ref"
            | "format"
            | "title"
            | "description"
            | "minLength"
            | "maxLength"
            | "pattern"
            | "minimum"
            | "maximum"
            | "minItems"
            | "maxItems"
            | "required"
            | "readOnly"
            | "writeOnly"
            | "deprecated"
            | "nullable"
            | "in"
            | "name"
            | "properties"
            | "items"
            | "additionalProperties"
            | "contentEncoding"
    )
}

/// Hides secrets that are used as member names; gives the new names with what the old ones said of their values.
fn rename(members: &mut Map<String, Value>, mode: impl Fn(&str) -> Mode) -> Vec<(String, Mode)> {
    let secret: Vec<(String, String)> = members
        .keys()
        .filter_map(|key| match text(key) {
            Cow::Owned(hidden) => Some((key.clone(), hidden)),
            Cow::Borrowed(_) => None,
        })
        .collect();
    let mut renamed = Vec::new();
    for (key, hidden) in secret {
        if let Some(value) = members.remove(&key) {
            renamed.push((hidden.clone(), mode(&key)));
            members.insert(hidden, value);
        }
    }
    renamed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redacted(mut value: Value) -> Value {
        super::json(&mut value);
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

    #[test]
    fn deep_values_do_not_overflow() {
        let mut value = json!({"password": "hunter2"});
        for _ in 0..200_000 {
            value = Value::Array(vec![value]);
        }
        super::json(&mut value);
        // Taken apart by hand, because dropping a deep value recurses.
        let mut depth = 0;
        while let Value::Array(mut items) = value {
            value = items.pop().unwrap_or_default();
            depth += 1;
        }
        assert_eq!((depth, value), (200_000, json!({"password": REDACTED})));
    }
}
