//! Everything that keeps an input from being a value of the program's own type.
//!
//! serde stops at the first fault. This deserializer does not: where a value is of the wrong kind it writes that down and goes
//! on with one that fits, because the type asks for what it wants. What only the type itself can tell (a field that is missing,
//! a word that is none of its variants, a check of its own) ends a round; the next one has something that fits in that place.

use std::cell::RefCell;
use std::fmt;

use aon_core::{Choice, Pointer, pointer};
use serde::de::{self, DeserializeOwned, Visitor};
use serde_json::Value;

mod access;

use access::{Items, Members, Variant};

use super::serde_words::{beyond, in_words};
use super::{BOOLEAN, Fault, What, place, schema};

/// An input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    Json(&'a Value),
    /// Named texts in their order: a query, or the parameters of a path.
    #[cfg_attr(
        not(feature = "axum"),
        expect(dead_code, reason = "only the extractors have such inputs")
    )]
    Pairs(&'a [(String, String)]),
    Text(&'a str),
    /// Whatever is asked for.
    Anything,
}

/// What is wrong with the input, in at most so many rounds. Empty when it is a `T` after all.
pub(crate) fn faults<T: DeserializeOwned>(input: Input<'_>, rounds: usize) -> Vec<Fault> {
    let notes = Notes::default();
    for _ in 0..rounds {
        let whole = At {
            notes: &notes,
            input,
            pointer: Pointer::ROOT,
        };
        let Err(error) = T::deserialize(whole) else {
            break;
        };
        let fault = error.into_fault(input);
        let place = fault.pointer.clone();
        if !notes.add(fault) {
            break;
        }
        notes.mended.borrow_mut().push(place);
    }
    notes.into_faults()
}

/// What was found so far.
#[derive(Default)]
struct Notes {
    faults: RefCell<Vec<Fault>>,
    /// Places that have something that fits from now on.
    mended: RefCell<Vec<String>>,
    /// The values of places that were mended.
    choices: RefCell<Vec<(String, Vec<Choice>)>>,
}

impl Notes {
    /// Writes a fault down; `false` when there is one at its place.
    fn add(&self, fault: Fault) -> bool {
        let mut faults = self.faults.borrow_mut();
        let new = !faults.iter().any(|known| known.pointer == fault.pointer);
        if new {
            faults.push(fault);
        }
        new
    }

    fn is_mended(&self, place: &str) -> bool {
        self.mended.borrow().iter().any(|mended| mended == place)
    }

    fn into_faults(self) -> Vec<Fault> {
        let mut faults = self.faults.into_inner();
        for (place, choices) in self.choices.into_inner() {
            let fault = faults.iter_mut().find(|fault| fault.pointer == place);
            match fault.map(|fault| &mut fault.what) {
                Some(What::Missing(known)) if known.is_empty() => *known = choices,
                Some(what @ What::Wrong { .. }) => *what = What::NotOneOf(choices),
                _ => {}
            }
        }
        faults
    }
}

/// What ended a round: serde's words, and where.
#[derive(Debug)]
struct Error {
    place: Option<Pointer>,
    message: String,
}

impl Error {
    fn at(mut self, place: &Pointer) -> Self {
        self.place.get_or_insert_with(|| place.clone());
        self
    }

    fn into_fault(self, input: Input<'_>) -> Fault {
        let place = self.place.unwrap_or_default();
        let mut fault = Fault::from_serde(place.as_str(), &self.message);
        // What serde reads at once and looks at later, such as flattened members, it tells no nearer.
        if let (Input::Json(body), What::NotOneOf(_) | What::Wrong { .. }) = (input, &fault.what) {
            fault.pointer = place::within(body, place.as_str(), &self.message);
        }
        fault
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            place: None,
            message: message.to_string(),
        }
    }
}

/// An input at its place.
struct At<'a> {
    notes: &'a Notes,
    input: Input<'a>,
    pointer: Pointer,
}

impl<'a> At<'a> {
    fn child(&self, token: &str, input: Input<'a>) -> Self {
        let mut pointer = self.pointer.clone();
        pointer.push(token);
        let mended = self.notes.is_mended(pointer.as_str());
        Self {
            notes: self.notes,
            input: if mended { Input::Anything } else { input },
            pointer,
        }
    }

    /// A single value: of one named text, that text.
    fn single(self) -> Self {
        match self.input {
            Input::Pairs([(name, text)]) => self.child(name, Input::Text(text)),
            Input::Json(_) | Input::Pairs(_) | Input::Text(_) | Input::Anything => self,
        }
    }

    fn refuse(&self, expected: &str) {
        if matches!(self.input, Input::Anything) {
            return;
        }
        // Text is all a query can hold, so its kind says nothing.
        let received = match self.input {
            Input::Json(value) => Some(schema::kind(value).to_owned()),
            Input::Pairs(_) | Input::Text(_) | Input::Anything => None,
        };
        let expected = expected.to_owned();
        let what = What::Wrong { expected, received };
        self.notes.add(Fault::new(self.pointer.as_str(), what));
    }

    fn integer(&self, name: &str) -> Option<i128> {
        let number: Option<i128> = match self.input {
            Input::Json(Value::Number(number)) => number.as_i128(),
            Input::Text(text) => text.parse().ok(),
            Input::Anything => return Some(1),
            Input::Json(_) | Input::Pairs(_) => None,
        };
        match number.map(|number| beyond(number, name)) {
            Some(None) => return number,
            Some(Some(side)) => {
                let (expected, received) = (side, None);
                let what = What::Wrong { expected, received };
                self.notes.add(Fault::new(self.pointer.as_str(), what));
            }
            None => self.refuse(&in_words(name)),
        }
        None
    }

    fn float(&self) -> f64 {
        let number = match self.input {
            Input::Json(value) => value.as_f64(),
            Input::Text(text) => text.parse().ok(),
            Input::Pairs(_) | Input::Anything => None,
        };
        if number.is_none() {
            self.refuse("a number");
        }
        number.unwrap_or(1.0)
    }

    fn text(&self) -> &'a str {
        match self.input {
            Input::Json(Value::String(text)) => text,
            Input::Text(text) => text,
            Input::Json(_) | Input::Pairs(_) | Input::Anything => {
                self.refuse("a string");
                ""
            }
        }
    }

    /// The members of an object, and those that are missing and were mended; of a mended one all that are asked for.
    fn members(&self, fields: &'static [&'static str]) -> Vec<(&'a str, Input<'a>)> {
        let mut members: Vec<(&str, Input<'_>)> = match self.input {
            Input::Json(Value::Object(members)) => members
                .iter()
                .map(|(name, value)| (&**name, Input::Json(value)))
                .collect(),
            Input::Pairs(pairs) => pairs
                .iter()
                .map(|(name, text)| (&**name, Input::Text(text)))
                .collect(),
            Input::Json(_) | Input::Text(_) | Input::Anything => {
                self.refuse("an object");
                return fields.iter().map(|name| (*name, Input::Anything)).collect();
            }
        };
        for field in fields {
            let place = format!("{}/{}", self.pointer, pointer::escape(field));
            if self.notes.is_mended(&place) && !members.iter().any(|(name, _)| name == field) {
                members.push((field, Input::Anything));
            }
        }
        members
    }

    fn items(&self, length: usize) -> Vec<(String, Input<'a>)> {
        match self.input {
            Input::Json(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(at, item)| (at.to_string(), Input::Json(item)))
                .collect(),
            Input::Pairs(pairs) => pairs
                .iter()
                .map(|(name, text)| (name.clone(), Input::Text(text)))
                .collect(),
            Input::Json(_) | Input::Text(_) | Input::Anything => {
                self.refuse("an array");
                (0..length)
                    .map(|at| (at.to_string(), Input::Anything))
                    .collect()
            }
        }
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $ty:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let this = self.single();
            let number = this.integer(stringify!($ty));
            let number = number.and_then(|number| <$ty>::try_from(number).ok());
            visitor.$visit(number.unwrap_or(1)).map_err(|error: Error| error.at(&this.pointer))
        }
    )*};
}

impl<'de> de::Deserializer<'de> for At<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.input {
            Input::Anything | Input::Json(Value::Null) => visitor.visit_unit(),
            Input::Json(Value::Bool(value)) => visitor.visit_bool(*value),
            Input::Json(Value::Number(number)) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Input::Json(Value::Array(_)) => self.deserialize_seq(visitor),
            Input::Json(Value::Object(_)) | Input::Pairs(_) => self.deserialize_map(visitor),
            Input::Json(Value::String(text)) => visitor.visit_str(text),
            Input::Text(text) => visitor.visit_str(text),
        }
    }

    integers! {
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.single().float())
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.single().float())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let this = self.single();
        let value = match this.input {
            Input::Json(value) => value.as_bool(),
            Input::Text(text) => text.parse().ok(),
            Input::Pairs(_) | Input::Anything => None,
        };
        if value.is_none() {
            this.refuse(BOOLEAN);
        }
        visitor.visit_bool(value.unwrap_or_default())
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let this = self.single();
        let mut letters = this.text().chars();
        let letter = letters.next().filter(|_| letters.next().is_none());
        if letter.is_none() {
            this.refuse("a single character");
        }
        visitor.visit_char(letter.unwrap_or('a'))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let this = self.single();
        let text = this.text();
        visitor
            .visit_str(text)
            .map_err(|error: Error| error.at(&this.pointer))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.input {
            Input::Anything | Input::Json(Value::Null) => visitor.visit_none(),
            Input::Json(_) | Input::Pairs(_) | Input::Text(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Input::Json(value) = self.input
            && !value.is_null()
        {
            self.refuse("null");
        }
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_tuple(0, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let items = self.items(length).into_iter();
        let place = self.pointer.clone();
        let items = Items {
            parent: self,
            items,
        };
        visitor
            .visit_seq(items)
            .map_err(|error: Error| error.at(&place))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let members = self.members(fields).into_iter();
        let place = self.pointer.clone();
        let members = Members {
            parent: self,
            left: members,
            value: None,
        };
        visitor
            .visit_map(members)
            .map_err(|error: Error| error.at(&place))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let this = self.single();
        let place = this.pointer.clone();
        let (name, content) = match this.input {
            Input::Json(Value::String(name)) => (&**name, None),
            Input::Text(name) => (name, None),
            Input::Json(Value::Object(members)) if members.len() == 1 => {
                match members.iter().next() {
                    Some((name, content)) => (&**name, Some(Input::Json(content))),
                    None => ("", None),
                }
            }
            other @ (Input::Json(_) | Input::Pairs(_) | Input::Anything) => {
                let choices: Vec<Choice> =
                    variants.iter().map(|name| Choice::from(*name)).collect();
                if matches!(other, Input::Anything) {
                    let place = place.as_str().to_owned();
                    this.notes.choices.borrow_mut().push((place, choices));
                } else {
                    let fault = Fault::new(place.as_str(), What::NotOneOf(choices));
                    this.notes.add(fault);
                }
                let first = variants.first().copied().unwrap_or_default();
                (first, Some(Input::Anything))
            }
        };
        let variant = Variant {
            content: content.map(|content| this.child(name, content)),
            name,
        };
        visitor
            .visit_enum(variant)
            .map_err(|error: Error| error.at(&place))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { bytes byte_buf }
}
