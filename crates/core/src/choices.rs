//! The values a field may take ([P4], [D2]).
//!
//! [P4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p4
//! [D2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d2

use std::borrow::Cow;
use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::json::WriteObject;
use crate::json::scan::{Scan, ScanError};
use crate::redact;
use crate::text::borrowed;

/// A value from a closed set: text, a number, or a boolean.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "P4 names the primitives; there are no others in JSON"
)]
pub enum ChoiceValue {
    /// Text.
    Text(Cow<'static, str>),
    /// A number.
    Number(Number),
    /// A boolean.
    Bool(bool),
}

impl ChoiceValue {
    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Bool(_) => None,
        }
    }

    fn read(scan: &mut Scan<'_>) -> Result<Option<Self>, ScanError> {
        if scan.peek() == Some(b'"') {
            return Ok(scan.owned()?.map(Self::Text));
        }
        Ok(match scan.raw()? {
            "true" => Some(Self::Bool(true)),
            "false" => Some(Self::Bool(false)),
            raw => serde_json::from_str(raw).ok().map(Self::Number),
        })
    }

    /// The value as a JSON tree.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone().into_owned()),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Bool(value) => Value::Bool(*value),
        }
    }
}

impl fmt::Display for ChoiceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => fmt::Display::fmt(number, f),
            Self::Bool(value) => fmt::Display::fmt(value, f),
        }
    }
}

impl Serialize for ChoiceValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Bool(value) => serializer.serialize_bool(*value),
        }
    }
}

/// One allowed value, with words for people where there are any.
///
/// On the wire it is the bare value, or `{value, label?, description?}` when it has words.
///
/// # Examples
///
/// ```
/// use aon_core::Choice;
///
/// assert_eq!(serde_json::to_string(&Choice::new("hosted"))?, r#""hosted""#);
/// let told = Choice::new("hosted").with_label("Hosted by us");
/// assert_eq!(serde_json::to_string(&told)?, r#"{"value":"hosted","label":"Hosted by us"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    value: ChoiceValue,
    label: Option<Cow<'static, str>>,
    description: Option<Cow<'static, str>>,
}

impl Choice {
    /// A value without words.
    pub fn new(value: impl Into<Self>) -> Self {
        value.into()
    }

    #[doc(hidden)]
    pub const fn constant(
        value: &'static str,
        label: Option<&'static str>,
        description: Option<&'static str>,
    ) -> Self {
        Self {
            value: ChoiceValue::Text(Cow::Borrowed(value)),
            label: borrowed(label),
            description: borrowed(description),
        }
    }

    /// Adds a short name for people.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds a longer explanation.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The value.
    pub fn value(&self) -> &ChoiceValue {
        &self.value
    }

    /// The short name for people.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The longer explanation.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether there is something to hide; under the name of a secret, whatever is not a plain word.
    fn is_secret(&self, named: bool) -> bool {
        let mut words = [self.label(), self.description()].into_iter().flatten();
        let value = match &self.value {
            ChoiceValue::Text(text) => named && !redact::is_word(text) || redact::is_secret(text),
            ChoiceValue::Number(number) => named || redact::is_secret(&number.to_string()),
            ChoiceValue::Bool(_) => false,
        };
        value || words.any(redact::is_secret)
    }

    fn redact(&mut self, named: bool) {
        let hidden = match &mut self.value {
            ChoiceValue::Text(text) if named && !redact::is_word(text) => true,
            ChoiceValue::Text(text) => {
                redact::clean(text);
                false
            }
            ChoiceValue::Number(number) => named || redact::is_secret(&number.to_string()),
            ChoiceValue::Bool(_) => false,
        };
        if hidden {
            self.value = ChoiceValue::Text(Cow::Borrowed(redact::REDACTED));
        }
        for text in [&mut self.label, &mut self.description] {
            text.as_mut().map(redact::clean);
        }
    }

    /// Reads a primitive or `{value, label?, description?}`; what else there is, is left out.
    fn read(scan: &mut Scan<'_>) -> Result<Option<Self>, ScanError> {
        let (mut value, mut label, mut description) = (None, None, None);
        if scan.peek() == Some(b'{') {
            scan.object(|name, scan| {
                match &*name {
                    "value" => value = ChoiceValue::read(scan)?,
                    "label" => label = scan.owned()?,
                    "description" => description = scan.owned()?,
                    _ => drop(scan.raw()?),
                }
                Ok(())
            })?;
        } else {
            value = ChoiceValue::read(scan)?;
        }
        Ok(value.map(|value| Self {
            value,
            label,
            description,
        }))
    }
}

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.label.is_none() && self.description.is_none() {
            return self.value.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &self.value)?;
        if let Some(label) = &self.label {
            map.serialize_entry("label", label)?;
        }
        if let Some(description) = &self.description {
            map.serialize_entry("description", description)?;
        }
        map.end()
    }
}

impl From<ChoiceValue> for Choice {
    fn from(value: ChoiceValue) -> Self {
        Self {
            value,
            label: None,
            description: None,
        }
    }
}

/// What a value may be made of, and how.
macro_rules! from {
    ($($ty:ty: |$value:ident| $make:expr;)+) => {$(
        impl From<$ty> for Choice {
            fn from($value: $ty) -> Self {
                ($make).into()
            }
        }
    )+};
}

from! {
    &'static str: |text| ChoiceValue::Text(text.into());
    String: |text| ChoiceValue::Text(text.into());
    Cow<'static, str>: |text| ChoiceValue::Text(text);
    bool: |value| ChoiceValue::Bool(value);
    &String: |text| text.clone();
    &Cow<'static, str>: |text| text.clone();
    &Box<str>: |text| String::from(&**text);
    &std::sync::Arc<str>: |text| String::from(&**text);
    &&str: |text| (*text).to_owned();
    &bool: |value| *value;
}

impl From<&Self> for Choice {
    fn from(choice: &Self) -> Self {
        choice.clone()
    }
}

macro_rules! from_number {
    ($($ty:ty),*) => {
        from! {$(
            $ty: |number| ChoiceValue::Number(number.into());
            &$ty: |number| *number;
        )*}
    };
}

from_number!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// A type whose values are a closed set: what `#[derive(Choices)]` gives a fieldless enum ([D2]).
///
/// Implement it by hand only for a type the derive cannot read.
///
/// # Examples
///
/// ```
/// use aon_core::{Choice, Choices};
///
/// struct Region;
///
/// impl Choices for Region {
///     const NAME: &'static str = "Region";
///     const CHOICES: &'static [Choice] =
///         &[Choice::constant("eu", None, None), Choice::constant("us", None, None)];
///     const JSON: &'static str = r#"["eu","us"]"#;
/// }
/// assert_eq!(Region::CHOICES.len(), 2);
/// ```
///
/// [D2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d2
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no closed set of values",
    label = "`aon::Choices` is not implemented",
    note = "add `#[derive(aon::Choices)]` to the enum"
)]
pub trait Choices: 'static {
    /// The name of the type, for messages.
    const NAME: &'static str;
    /// The values, in the order they were declared.
    const CHOICES: &'static [Choice];
    /// The same values as a JSON array, escaped while compiling.
    const JSON: &'static str;
}

/// The allowed values by field ([P4]), in the order they were added.
///
/// [P4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p4
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValidValues(Vec<Field>);

#[derive(Clone, Debug)]
struct Field {
    name: Cow<'static, str>,
    choices: Cow<'static, [Choice]>,
    json: Option<&'static str>,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.choices == other.choices
    }
}

impl ValidValues {
    /// No field at all.
    pub const EMPTY: &'static Self = &Self(Vec::new());

    /// Whether no field is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the values of a field; a field named before gets the new ones.
    pub fn set(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        choices: impl Into<Cow<'static, [Choice]>>,
    ) {
        self.put(Field {
            name: field.into(),
            choices: choices.into(),
            json: None,
        });
    }

    pub(crate) fn set_static(
        &mut self,
        field: &'static str,
        choices: Cow<'static, [Choice]>,
        json: &'static str,
    ) {
        self.put(Field {
            name: Cow::Borrowed(field),
            choices,
            json: Some(json),
        });
    }

    fn put(&mut self, field: Field) {
        match self.0.iter_mut().find(|kept| kept.name == field.name) {
            Some(kept) => *kept = field,
            None => self.0.push(field),
        }
    }

    /// The values of a field.
    pub fn of(&self, field: &str) -> Option<&[Choice]> {
        self.0
            .iter()
            .find(|kept| kept.name == field)
            .map(|kept| &*kept.choices)
    }

    /// Fields and their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Choice])> {
        self.0.iter().map(|field| (&*field.name, &*field.choices))
    }

    /// Hides secrets in names, values and words. What the derive wrote was checked while compiling.
    pub(crate) fn redact(&mut self) {
        for field in self.0.iter_mut().filter(|field| field.json.is_none()) {
            let named = redact::sensitive_key(&field.name);
            redact::clean(&mut field.name);
            if field.choices.iter().any(|choice| choice.is_secret(named)) {
                for choice in field.choices.to_mut() {
                    choice.redact(named);
                }
            }
        }
    }

    pub(crate) fn write_members(&self, object: &mut impl WriteObject) {
        for field in &self.0 {
            object.array(&field.name, field.json, &field.choices);
        }
    }

    /// Reads an object of arrays; what is not a choice is left out and named in `ignored`.
    pub(crate) fn read(
        scan: &mut Scan<'_>,
        ignored: &mut dyn FnMut(String),
    ) -> Result<Option<Self>, ScanError> {
        let mut values = Self::default();
        let object = scan.object(|name, scan| {
            let mut choices = Vec::new();
            let mut at = 0_usize;
            let array = scan.array(|scan| {
                match Choice::read(scan)? {
                    Some(choice) => choices.push(choice),
                    None => ignored(format!(
                        "valid_values.{name}[{at}] is neither a primitive nor {{value, label?, description?}}"
                    )),
                }
                at += 1;
                Ok(())
            })?;
            if array {
                values.set(name.into_owned(), choices);
            } else {
                ignored(format!("valid_values.{name} must be an array"));
            }
            Ok(())
        })?;
        if !object {
            ignored("valid_values must be an object of arrays".to_owned());
        }
        Ok((!values.is_empty()).then_some(values))
    }
}

impl Serialize for ValidValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (field, choices) in self.iter() {
            map.serialize_entry(field, choices)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_keeps_what_is_good_and_names_the_rest() {
        let json = r#"{"b":["x",{"value":2,"label":"two"},[1],null],"a":"no","c":[true]}"#;
        let mut notes = Vec::new();
        let mut values = None;
        crate::json::scan::document(&format!("{{\"v\":{json}}}"), |_, scan| {
            values = ValidValues::read(scan, &mut |note| notes.push(note))?;
            Ok(())
        })
        .unwrap();
        let values = values.unwrap();
        let mut out = Vec::new();
        let mut object = crate::json::ObjectWriter::begin(&mut out);
        values.write_members(&mut object);
        object.end();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"b":["x",{"value":2,"label":"two"}],"c":[true]}"#
        );
        assert_eq!(notes.len(), 3, "{notes:?}");
    }

    #[test]
    fn setting_a_field_again_replaces_it_in_place() {
        let mut values = ValidValues::default();
        values.set("a", vec![Choice::new("1")]);
        values.set("b", vec![Choice::new(2)]);
        values.set("a", vec![Choice::new(true)]);
        assert_eq!(
            serde_json::to_string(&values).unwrap(),
            r#"{"a":[true],"b":[2]}"#
        );
    }
}
