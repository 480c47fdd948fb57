//! Old names for members ([P11]): `mail` becomes `email` where nothing else can be meant.
//!
//! The type itself is asked which field it misses. A member that the type does not know takes that name when it is the only
//! one near it, and when that field is the nearest to it. Where two readings are possible, nothing is renamed.
//!
//! [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11

use std::cell::RefCell;
use std::fmt;

use aon_core::{pointer, suggest};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess,
    SeqAccess, Visitor,
};
use serde_json::{Map, Value};

/// How many members are renamed at most.
const ROUNDS: usize = 8;

/// A document that fits after its members were renamed.
#[derive(Debug, PartialEq)]
pub(crate) struct Renamed {
    pub(crate) document: Value,
    /// Pointers before and after.
    pub(crate) names: Vec<(String, String)>,
}

/// Renames members until the document is a `T`; `None` when that takes a guess.
pub(crate) fn into<T: DeserializeOwned>(document: &Value) -> Option<Renamed> {
    let mut document = document.clone();
    let mut names = Vec::new();
    for _ in 0..ROUNDS {
        let notes = Notes::default();
        let whole = At {
            value: &document,
            path: String::new(),
            notes: &notes,
        };
        let Err(missed) = T::deserialize(whole) else {
            return (!names.is_empty()).then_some(Renamed { document, names });
        };
        let path = missed.path?;
        let fields = notes.fields_at(&path)?;
        let object = document.pointer_mut(&path)?.as_object_mut()?;
        names.push(rename(object, &path, &missed.field?, fields)?);
    }
    None
}

/// Gives each of the fields that is not there the one member that can be meant; one for which that takes a guess stays away.
/// `None` when nothing was renamed.
pub(crate) fn to_fields(document: &Value, fields: &[&str]) -> Option<Renamed> {
    let mut document = document.clone();
    let object = document.as_object_mut()?;
    let names: Vec<_> = fields
        .iter()
        .filter_map(|field| rename(object, "", field, fields))
        .collect();
    (!names.is_empty()).then_some(Renamed { document, names })
}

/// Gives the one member that can be meant the name of a field that is not there.
fn rename(
    object: &mut Map<String, Value>,
    path: &str,
    field: &str,
    fields: &[&str],
) -> Option<(String, String)> {
    if object.contains_key(field) {
        return None;
    }
    let strange = object
        .keys()
        .filter(|name| !fields.contains(&name.as_str()));
    let mut meant = strange.filter(|name| {
        suggest::nearest(name, fields.iter().copied()).is_some_and(|near| near == field)
    });
    let old = meant.next()?.clone();
    if meant.next().is_some() {
        return None;
    }
    let value = object.remove(&old)?;
    object.insert(field.to_owned(), value);
    let at = |name: &str| format!("{path}/{}", pointer::escape(name));
    Some((at(&old), at(field)))
}

/// Which structs were read, and where.
#[derive(Default)]
struct Notes(RefCell<Vec<(String, &'static [&'static str])>>);

impl Notes {
    fn fields_at(&self, path: &str) -> Option<&'static [&'static str]> {
        let notes = self.0.borrow();
        let mut here = notes.iter().filter(|(at, _)| at == path);
        let (_, fields) = here.next()?;
        // Two types were tried at one place: which of them is meant is not known.
        here.next().is_none().then_some(*fields)
    }
}

/// What a type misses.
#[derive(Debug)]
struct Missed {
    field: Option<String>,
    path: Option<String>,
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the document does not fit")
    }
}

impl std::error::Error for Missed {}

impl serde::de::Error for Missed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self {
            field: None,
            path: None,
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            field: Some(field.to_owned()),
            path: None,
        }
    }

    fn unknown_field(name: &str, expected: &'static [&'static str]) -> Self {
        // A type that refuses strange members names them first; what it would like instead is what it misses.
        let field = suggest::nearest(name, expected.iter().copied());
        Self {
            field: field.map(str::to_owned),
            path: None,
        }
    }
}

/// A part of the document that a type reads.
struct At<'a> {
    value: &'a Value,
    path: String,
    notes: &'a Notes,
}

impl<'a> At<'a> {
    fn members(&self, object: &'a Map<String, Value>) -> Members<'a> {
        Members {
            rest: object.iter(),
            next: None,
            path: self.path.clone(),
            notes: self.notes,
        }
    }
}

impl<'de> Deserializer<'de> for At<'de> {
    type Error = Missed;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Missed> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => {
                if let Some(number) = number.as_u64() {
                    visitor.visit_u64(number)
                } else if let Some(number) = number.as_i64() {
                    visitor.visit_i64(number)
                } else {
                    visitor.visit_f64(number.as_f64().unwrap_or_default())
                }
            }
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
                path: self.path,
                notes: self.notes,
            }),
            Value::Object(object) => visitor.visit_map(self.members(object)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Missed> {
        match self.value {
            Value::Null => visitor.visit_none(),
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Missed> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Missed> {
        self.notes.0.borrow_mut().push((self.path.clone(), fields));
        let path = self.path.clone();
        self.deserialize_any(visitor).map_err(|mut missed| {
            missed.path.get_or_insert(path);
            missed
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Missed> {
        match self.value {
            Value::String(text) => {
                let word: StrDeserializer<'_, Missed> = text.as_str().into_deserializer();
                visitor.visit_enum(word)
            }
            Value::Object(object) => {
                visitor.visit_enum(MapAccessDeserializer::new(self.members(object)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err(Missed::custom(""))
            }
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Members<'a> {
    rest: serde_json::map::Iter<'a>,
    next: Option<(&'a String, &'a Value)>,
    path: String,
    notes: &'a Notes,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Missed;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Missed> {
        self.next = self.rest.next();
        let Some((name, _)) = self.next else {
            return Ok(None);
        };
        let name: StrDeserializer<'_, Missed> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Missed> {
        let (name, value) = self.next.take().ok_or_else(|| Missed::custom(""))?;
        seed.deserialize(At {
            value,
            path: format!("{}/{}", self.path, pointer::escape(name)),
            notes: self.notes,
        })
    }
}

struct Items<'a> {
    rest: std::iter::Enumerate<std::slice::Iter<'a, Value>>,
    path: String,
    notes: &'a Notes,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Missed;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Missed> {
        let Some((at, value)) = self.rest.next() else {
            return Ok(None);
        };
        let path = format!("{}/{at}", self.path);
        let notes = self.notes;
        seed.deserialize(At { value, path, notes }).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its fields matter")]
    struct User {
        email: String,
        name: String,
        nick: Option<String>,
        #[serde(default)]
        home: Option<Home>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its fields matter")]
    struct Home {
        street: String,
        city: String,
    }

    #[test]
    fn the_one_member_that_can_be_meant_is_renamed() {
        let cases = [
            (
                json!({"mail": "a", "name": "n"}),
                json!({"email": "a", "name": "n"}),
                "/mail /email",
            ),
            (
                json!({"E-Mail": "a", "Name": "n"}),
                json!({"email": "a", "name": "n"}),
                "/E-Mail /email",
            ),
            (
                json!({"email": "a", "name": "n", "home": {"stret": "s", "city": "c"}}),
                json!({"email": "a", "name": "n", "home": {"street": "s", "city": "c"}}),
                "/home/stret /home/street",
            ),
        ];
        for (given, expected, first) in cases {
            let renamed = into::<User>(&given).unwrap();
            assert_eq!(renamed.document, expected);
            let (old, new) = &renamed.names[0];
            assert_eq!(format!("{old} {new}"), first);
        }
    }

    #[test]
    fn two_readings_are_no_reading_and_what_fits_is_left_alone() {
        for given in [
            json!({"mail": "a", "e_mail": "b", "name": "n"}),
            json!({"address": "a", "name": "n"}),
            json!({"email": 5, "name": "n"}),
            json!({"email": "a", "name": "n", "nik": "x"}),
            json!({"mail": 5, "name": "n"}),
            json!({"mail": "a"}),
            json!(["a"]),
            json!(null),
        ] {
            assert_eq!(into::<User>(&given), None, "{given}");
        }
    }

    #[test]
    fn names_alone_do_too() {
        let renamed = to_fields(&json!({"userid": "u1", "x": 1}), &["userId"]).unwrap();
        assert_eq!(renamed.document, json!({"userId": "u1", "x": 1}));
        assert_eq!(to_fields(&json!({"userId": "u1"}), &["userId"]), None);
        let two = json!({"userid": "u1", "user_id": "u2"});
        assert_eq!(to_fields(&two, &["userId"]), None);
        // A field that may be away, or may be two members, does not keep another one from its name.
        let plan = json!({"userid": "u1", "user_id": "u2", "Plan": "team"});
        let renamed = to_fields(&plan, &["userId", "plan", "nick"]).unwrap();
        assert_eq!(renamed.names, [("/Plan".to_owned(), "/plan".to_owned())]);
    }
}
