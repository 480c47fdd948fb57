//! The members, items and variants inside of an input, each at its place.

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};

use super::{At, Error, Input, Notes, What};

pub(super) struct Items<'a> {
    pub(super) parent: At<'a>,
    pub(super) items: std::vec::IntoIter<(String, Input<'a>)>,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some((token, item)) = self.items.next() else {
            return Ok(None);
        };
        let item = self.parent.child(&token, item);
        let place = item.pointer.clone();
        let value = seed.deserialize(item);
        value.map(Some).map_err(|error| error.at(&place))
    }
}

pub(super) struct Members<'a> {
    pub(super) parent: At<'a>,
    pub(super) left: std::vec::IntoIter<(&'a str, Input<'a>)>,
    pub(super) value: Option<(&'a str, Input<'a>)>,
}

impl<'de> de::MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        loop {
            let Some((name, value)) = self.left.next() else {
                return Ok(None);
            };
            let child = self.parent.child(name, value);
            // A name that is not known was told in an earlier round, and is passed over.
            let unknown =
                matches!(child.input, Input::Anything) && !matches!(value, Input::Anything);
            if unknown && self.parent.notes.knows_as_unknown(child.pointer.as_str()) {
                continue;
            }
            self.value = Some((name, value));
            let name: StrDeserializer<'_, Error> = name.into_deserializer();
            let key = seed.deserialize(name);
            return key
                .map(Some)
                .map_err(|error| error.at(&self.parent.pointer));
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (name, value) = self.value.take().unwrap_or(("", Input::Anything));
        let value = self.parent.child(name, value);
        let place = value.pointer.clone();
        seed.deserialize(value).map_err(|error| error.at(&place))
    }
}

impl Notes {
    fn knows_as_unknown(&self, place: &str) -> bool {
        let faults = self.faults.borrow();
        let mut unknown = faults
            .iter()
            .filter(|fault| matches!(fault.what, What::Unknown(_)));
        unknown.any(|fault| fault.pointer == place)
    }
}

pub(super) struct Variant<'a> {
    pub(super) name: &'a str,
    pub(super) content: Option<At<'a>>,
}

impl<'de, 'a> de::EnumAccess<'de> for Variant<'a> {
    type Error = Error;
    type Variant = Content<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<'a>), Error> {
        let name: StrDeserializer<'_, Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

pub(super) struct Content<'a>(Option<At<'a>>);

impl<'a> Content<'a> {
    fn there(self) -> Result<At<'a>, Error> {
        let none = || de::Error::custom("invalid type: string, expected an object");
        self.0.ok_or_else(none)
    }
}

impl<'de> de::VariantAccess<'de> for Content<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        let content = self.there()?;
        let place = content.pointer.clone();
        seed.deserialize(content).map_err(|error| error.at(&place))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_tuple(self.there()?, length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_struct(self.there()?, "", fields, visitor)
    }
}
