//! Any serde input as JSON text, for `Deserialize` from formats other than JSON text.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::write::{write_display, write_string};

/// The JSON text of whatever a deserialiser gives.
pub(crate) struct Transcoded(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Transcoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut out = Vec::with_capacity(512);
        Into(&mut out).deserialize(deserializer)?;
        Ok(Self(out))
    }
}

struct Into<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Into<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! numbers {
    ($($method:ident: $ty:ty),*) => {$(
        fn $method<E>(self, value: $ty) -> Result<(), E> {
            self.0.extend_from_slice(value.to_string().as_bytes());
            Ok(())
        }
    )*};
}

impl<'de> Visitor<'de> for Into<'_> {
    type Value = ();

    numbers!(visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value with a JSON form")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0
            .extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        match serde_json::Number::from_f64(value) {
            Some(number) => self.0.extend_from_slice(number.to_string().as_bytes()),
            None => self.0.extend_from_slice(b"null"),
        }
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        write_string(self.0, value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let mut length = self.0.len();
        while items.next_element_seed(Item(self.0, length))?.is_some() {
            length = 0;
        }
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let mut first = true;
        while let Some(key) = members.next_key::<Key>()? {
            if !first {
                self.0.push(b',');
            }
            first = false;
            write_display(self.0, key.0);
            self.0.push(b':');
            members.next_value_seed(Into(self.0))?;
        }
        self.0.push(b'}');
        Ok(())
    }
}

/// An array item: a comma first, unless the array was just opened at that length.
struct Item<'a>(&'a mut Vec<u8>, usize);

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.0.len() != self.1 {
            self.0.push(b',');
        }
        Into(self.0).deserialize(deserializer)
    }
}

/// A map key as text: formats such as YAML have keys that are numbers.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_str<E>(self, value: &str) -> Result<Key, E> {
                Ok(Key(value.to_owned()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Key, E> {
                Ok(Key(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Key, E> {
                Ok(Key(value.to_string()))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Key, E> {
                Ok(Key(value.to_string()))
            }
        }

        deserializer.deserialize_any(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_comes_out_as_the_text_it_stands_for() {
        let value = serde_json::json!({"a": [1, -2, 2.5, "x\n", null, true, {}], "b": {"c": []}});
        let text = serde_json::from_value::<Transcoded>(value.clone()).unwrap();
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&text.0).unwrap(),
            value
        );
    }
}
