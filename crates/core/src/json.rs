//! JSON text: writing it without a tree, and keeping foreign members to the letter.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

mod compact;
mod object;
pub(crate) mod scan;
mod tree;
mod write;

pub use object::{ObjectTree, WriteObject};
pub use write::{ObjectWriter, write_string};

pub(crate) use tree::Tree;
pub(crate) use write::{Escaping, write_display};

/// How deep arrays and objects may nest in a member.
pub const MAX_DEPTH: usize = 64;

/// One JSON value as compact text: valid, no key twice in an object, at most [`MAX_DEPTH`] deep.
///
/// Extension members are kept in this form, so the order of nested members and the spelling of
/// numbers survive a relay.
///
/// # Examples
///
/// ```
/// use aon_core::Json;
///
/// let json = Json::parse(r#"{ "b": 12345678901234567890123, "a": [1.0] }"#)?;
/// assert_eq!(json.as_str(), r#"{"b":12345678901234567890123,"a":[1.0]}"#);
/// # Ok::<(), aon_core::InvalidJson>(())
/// ```
#[derive(Clone)]
pub struct Json(Cow<'static, str>);

impl Json {
    /// Reads JSON text; of a key that stands twice in an object the last one counts.
    ///
    /// # Errors
    ///
    /// When the text is not a JSON value or nests deeper than [`MAX_DEPTH`].
    pub fn parse(text: &str) -> Result<Self, InvalidJson> {
        let raw: &RawValue = serde_json::from_str(text).map_err(InvalidJson::Syntax)?;
        Self::from_valid(raw.get())
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    ///
    /// When the value has no JSON form (a map with keys that are not strings), or nests too deep.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, InvalidJson> {
        let text = serde_json::to_string(value).map_err(InvalidJson::Syntax)?;
        Self::from_valid(&text)
    }

    #[doc(hidden)]
    pub const fn trusted(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// Text known to be valid JSON.
    pub(crate) fn from_valid(text: &str) -> Result<Self, InvalidJson> {
        compact::compact(text).map(|text| Self(Cow::Owned(text)))
    }

    /// The compact text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a tree.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// Reads it into a type of yours.
    ///
    /// # Errors
    ///
    /// When the value does not have that shape.
    pub fn read<'de, T: serde::Deserialize<'de>>(&'de self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Equal by meaning: the order of members and the spelling of strings do not count.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        if self.0 == other.0 {
            return true;
        }
        let tree = |json: &Self| serde_json::from_str::<Value>(&json.0).ok();
        tree(self).is_some_and(|value| tree(other) == Some(value))
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        Self::of(value).unwrap_or(Self(Cow::Borrowed("null")))
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        let mut out = Vec::with_capacity(text.len() + 2);
        write_string(&mut out, text);
        Self(Cow::Owned(String::from_utf8(out).unwrap_or_default()))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree: Tree = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        tree.serialize(serializer)
    }
}

/// Why a text or value could not become [`Json`].
#[derive(Debug)]
#[non_exhaustive]
pub enum InvalidJson {
    /// It is not a JSON value, or has no JSON form.
    Syntax(serde_json::Error),
    /// It nests deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for InvalidJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(_) => f.write_str("not a JSON value"),
            Self::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels"),
        }
    }
}

impl std::error::Error for InvalidJson {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(source) => Some(source),
            Self::TooDeep => None,
        }
    }
}
