//! The type of bytes, for an API that has any.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Api, Others, Shape, Type};

/// Whether a type that is written has bytes in it.
pub(super) fn needed(api: &Api, flat: &[bool]) -> bool {
    let types = api.types.iter().zip(flat);
    let written = types.filter_map(|(definition, flat)| (!flat).then_some(definition));
    written
        .chain(&api.requests)
        .any(|definition| match &definition.shape {
            Shape::Choice(_) => false,
            Shape::Object(object) => {
                object.fields.iter().any(|field| has(&field.shape))
                    || matches!(&object.others, Others::Of(inner) if has(inner))
            }
            Shape::Union(parts) | Shape::All(parts) => parts.iter().any(has),
            Shape::Alias(inner) => has(inner),
        })
}

fn has(shape: &Type) -> bool {
    match shape {
        Type::List(inner, _) | Type::Map(inner) | Type::Nullable(inner) => has(inner),
        Type::Tuple(places) => places.iter().any(has),
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_)
        | Type::Named(_) => shape.is_binary(),
    }
}

/// A module of its own, because a schema may be called as the type is.
pub(super) fn module() -> TokenStream {
    quote! {
        /// Files and other bytes.
        pub mod binary {
            /// A file or any bytes. On its way to a body each byte is a character.
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct Binary(pub ::std::vec::Vec<u8>);

            impl ::std::convert::From<::std::vec::Vec<u8>> for Binary {
                fn from(bytes: ::std::vec::Vec<u8>) -> Self { Self(bytes) }
            }

            impl ::serde::Serialize for Binary {
                fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                    let text: ::std::string::String = self.0.iter().copied().map(::std::primitive::char::from).collect();
                    serializer.serialize_str(&text)
                }
            }

            impl<'de> ::serde::Deserialize<'de> for Binary {
                fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                    let text = <::std::string::String as ::serde::Deserialize>::deserialize(deserializer)?;
                    let bytes = text.chars().map(::std::primitive::u8::try_from);
                    let bytes = bytes.collect::<::std::result::Result<::std::vec::Vec<u8>, _>>();
                    ::std::result::Result::Ok(Self(bytes.unwrap_or_else(|_| text.into_bytes())))
                }
            }
        }
    }
}
