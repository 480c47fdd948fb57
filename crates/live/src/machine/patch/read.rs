//! Reading a patch strictly: serde would let the last of two equal members win, and an attacker choose which one is checked.

use std::cell::Cell;
use std::fmt;

use aon_core::pointer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Kind, Operation, PatchRules, Refused, Tokens, Why};

/// Reads the operations of a patch.
pub(super) fn patch(json: &[u8], rules: &PatchRules) -> Result<Vec<Operation>, Refused> {
    if json.len() > rules.limits.bytes {
        return Err(Refused::whole(Why::TooLarge));
    }
    let found = Found::default();
    let mut reader = serde_json::Deserializer::from_slice(json);
    let read = Operations {
        rules,
        found: &found,
    }
    .deserialize(&mut reader)
    .and_then(|operations| reader.end().map(|()| operations));
    read.map_err(|_error| {
        found.refused.take().unwrap_or_else(|| {
            let array = json.trim_ascii_start().first() == Some(&b'[');
            let valid = serde_json::from_slice::<serde::de::IgnoredAny>(json).is_ok();
            Refused::whole(if valid && !array {
                Why::NotAnArray
            } else {
                Why::NotJson
            })
        })
    })
}

/// Reads a document with the same rules about members and depth.
pub(crate) fn document(json: &[u8], depth: usize) -> Result<Value, Why> {
    let found = Found::default();
    let mut reader = serde_json::Deserializer::from_slice(json);
    let read = Strict {
        depth,
        found: &found,
    }
    .deserialize(&mut reader)
    .and_then(|value| reader.end().map(|()| value));
    read.map_err(|_error| found.why.take().unwrap_or(Why::NotJson))
}

/// What serde cannot carry in its error.
#[derive(Default)]
struct Found {
    refused: Cell<Option<Refused>>,
    why: Cell<Option<Why>>,
}

struct Operations<'a> {
    rules: &'a PatchRules,
    found: &'a Found,
}

impl<'de> DeserializeSeed<'de> for Operations<'_> {
    type Value = Vec<Operation>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Operations<'_> {
    type Value = Vec<Operation>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of operations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let limits = self.rules.limits;
        let mut operations = Vec::new();
        let refuse = |at: usize, why: Why| {
            self.found.refused.set(Some(Refused::unread(at, why)));
            A::Error::custom("refused")
        };
        loop {
            let at = operations.len();
            let item = items.next_element_seed(Strict {
                depth: limits.depth,
                found: self.found,
            });
            let item = item.map_err(|error| match self.found.why.take() {
                Some(why) => refuse(at, why),
                None => error,
            })?;
            let Some(item) = item else {
                return Ok(operations);
            };
            if at >= limits.operations {
                return Err(refuse(at, Why::TooManyOperations));
            }
            let read = operation(item, self.rules.lenient);
            operations.push(read.map_err(|why| refuse(at, why))?);
        }
    }
}

fn operation(item: Value, lenient: bool) -> Result<Operation, Why> {
    let Value::Object(mut members) = item else {
        return Err(Why::NotAnArray);
    };
    let kind = match members.remove("op") {
        Some(Value::String(word)) => kind(&word).ok_or(Why::UnknownOperation)?,
        _ => return Err(Why::MissingMember("op")),
    };
    let path = tokens(&mut members, "path")?;
    let from = match kind {
        Kind::Move | Kind::Copy => tokens(&mut members, "from")?,
        Kind::Add | Kind::Remove | Kind::Replace | Kind::Test => Tokens::new(),
    };
    let value = match kind {
        Kind::Add | Kind::Replace | Kind::Test => {
            members.remove("value").ok_or(Why::MissingMember("value"))?
        }
        Kind::Remove | Kind::Move | Kind::Copy => Value::Null,
    };
    if !lenient && !members.is_empty() {
        return Err(Why::UnknownMember);
    }
    Ok(Operation {
        kind,
        path,
        from,
        value,
    })
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "add" => Kind::Add,
        "remove" => Kind::Remove,
        "replace" => Kind::Replace,
        "move" => Kind::Move,
        "copy" => Kind::Copy,
        "test" => Kind::Test,
        _ => return None,
    })
}

fn tokens(members: &mut Map<String, Value>, name: &'static str) -> Result<Tokens, Why> {
    let Some(Value::String(text)) = members.remove(name) else {
        return Err(Why::MissingMember(name));
    };
    if !pointer::is_pointer(&text) {
        return Err(Why::InvalidPointer);
    }
    let steps = pointer::tokens(&text);
    Ok(steps.map(std::borrow::Cow::into_owned).collect())
}

/// A value in which no member is there twice and nothing is nested too deeply.
#[derive(Clone, Copy)]
struct Strict<'a> {
    depth: usize,
    found: &'a Found,
}

impl Strict<'_> {
    fn below<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(self.refuse(Why::TooDeep)),
        }
    }

    fn refuse<E: serde::de::Error>(self, why: Why) -> E {
        self.found.why.set(Some(why));
        E::custom("refused")
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(below)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut all = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if all.contains_key(&name) {
                return Err(self.refuse(Why::DuplicateMember));
            }
            all.insert(name, members.next_value_seed(below)?);
        }
        Ok(Value::Object(all))
    }
}
