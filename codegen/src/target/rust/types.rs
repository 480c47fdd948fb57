//! The types of an API.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{binary, docs, ident, text};
use crate::ir::{Api, Choice, Discriminator, Field, Object, Others, Shape, Type, TypeDef};
use crate::json::Tree;
use crate::names::Unique;
use crate::order;

pub(super) fn emit(api: &Api) -> TokenStream {
    let sizes = sizes(api);
    let flat = api.flat_requests();
    let types = api
        .types
        .iter()
        .zip(&flat)
        .filter_map(|(definition, flat)| (!flat).then_some(definition))
        .chain(&api.requests)
        .map(|definition| declare(api, definition, &sizes));
    let by_fit = api
        .types
        .iter()
        .any(|definition| is_read_by_fit(api, definition));
    let helpers = by_fit.then(helpers);
    let binary = binary::needed(api, &flat).then(binary::module);
    quote! {
        #![doc = " What is sent and received."]
        #(#types)*
        #helpers
        #binary
    }
}

/// About how many bytes a value of each type takes. A branch of a union that is much larger than the others goes into a box.
fn sizes(api: &Api) -> BTreeMap<&str, usize> {
    let mut sizes = BTreeMap::new();
    for definition in order::by_need(api) {
        let of = |shape: &Type| size(api, shape, &sizes);
        let own = match &definition.shape {
            Shape::Choice(_) => 1,
            Shape::Object(object) => {
                let fields = object.fields.iter().map(|field| of(&field.shape) + 8);
                fields.sum::<usize>() + 24
            }
            Shape::Union(branches) => {
                let largest = branches.iter().map(|branch| of(branch).min(LARGE)).max();
                largest.unwrap_or(0) + 8
            }
            Shape::All(parts) => parts.iter().map(of).sum(),
            Shape::Alias(inner) => of(inner),
        };
        sizes.insert(definition.name.as_str(), own);
    }
    sizes
}

fn size(api: &Api, shape: &Type, sizes: &BTreeMap<&str, usize>) -> usize {
    match shape {
        Type::Null => 0,
        Type::Boolean => 1,
        Type::Integer(_) | Type::Number(_) => 16,
        Type::Text(_) | Type::List(_, _) | Type::Map(_) => 24,
        Type::Any => 32,
        Type::Tuple(places) => places.iter().map(|place| size(api, place, sizes)).sum(),
        Type::Nullable(inner) => size(api, inner, sizes),
        // Inside a circle it is a box.
        Type::Named(id) => sizes.get(api.type_name(*id)).copied().unwrap_or(8),
    }
}

/// Clippy calls a variant large that takes 200 bytes more than the next one.
const LARGE: usize = 160;

fn declare(api: &Api, definition: &TypeDef, sizes: &BTreeMap<&str, usize>) -> TokenStream {
    let name = ident(&definition.name);
    let about = docs(&[&definition.description]);
    let derives =
        quote!(#[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]);
    match &definition.shape {
        Shape::Choice(choices) if is_text(choices) => choice(definition, choices),
        Shape::Choice(choices) => literals(definition, choices),
        Shape::Object(Object { fields, others }) => {
            let mut unique = Unique::default();
            for field in fields {
                unique.reserve(field.rust());
            }
            let deny =
                matches!(others, Others::Forbidden).then(|| quote!(#[serde(deny_unknown_fields)]));
            let all = fields.iter().map(|field| member(api, definition, field));
            let rest = if let Others::Of(inner) = others {
                let name = ident(&unique.take("additional".to_owned()));
                let inner = reference(api, definition, inner, false);
                Some(quote! {
                    /// Further members.
                    #[serde(flatten)]
                    pub #name: ::std::collections::BTreeMap<::std::string::String, #inner>,
                })
            } else {
                None
            };
            quote!(#about #derives #deny pub struct #name { #(#all)* #rest })
        }
        Shape::Union(branches) => {
            let mut unique = Unique::default();
            let names: Vec<_> = branches
                .iter()
                .map(|branch| ident(&unique.take(variant_name(api, branch))))
                .collect();
            let variants = branches.iter().zip(&names).map(|(branch, variant)| {
                let inner = reference(api, definition, branch, true);
                let boxed = inner.to_string().starts_with(":: std :: boxed");
                if size(api, branch, sizes) > LARGE && !boxed {
                    quote!(#variant(::std::boxed::Box<#inner>))
                } else {
                    quote!(#variant(#inner))
                }
            });
            match &definition.discriminator {
                Some(told) => {
                    let reading = by_member(&name, told, &names);
                    quote! {
                        #about
                        #[derive(Clone, Debug, PartialEq, ::serde::Serialize)]
                        #[serde(untagged)]
                        pub enum #name { #(#variants,)* }
                        #reading
                    }
                }
                None if is_read_by_fit(api, definition) => {
                    let reading = by_fit(&name, &names);
                    quote! {
                        #about
                        #[derive(Clone, Debug, PartialEq, ::serde::Serialize)]
                        #[serde(untagged)]
                        pub enum #name { #(#variants,)* }
                        #reading
                    }
                }
                None => {
                    quote!(#about #derives #[serde(untagged)] pub enum #name { #(#variants,)* })
                }
            }
        }
        Shape::All(parts) => {
            let parts = parts.iter().enumerate().map(|(at, part)| {
                let field = match at {
                    0 => ident("base"),
                    1 => ident("alternative"),
                    more => ident(&format!("alternative{more}")),
                };
                let inner = reference(api, definition, part, true);
                quote!(#[serde(flatten)] pub #field: #inner,)
            });
            quote!(#about #derives pub struct #name { #(#parts)* })
        }
        Shape::Alias(inner) if definition.cycle.is_some() => {
            let inner = reference(api, definition, inner, true);
            quote!(#about #derives #[serde(transparent)] pub struct #name(pub #inner);)
        }
        Shape::Alias(inner) => {
            let inner = reference(api, definition, inner, false);
            quote!(#about pub type #name = #inner;)
        }
    }
}

/// Reading a union by the member that tells its branches apart. Trying one after the other could take the wrong one.
fn by_member(name: &Ident, told: &Discriminator, variants: &[Ident]) -> TokenStream {
    let property = text(&told.property);
    // One value on each arm: many of them side by side would not fit a line.
    let arms = told.values.iter().zip(variants).flat_map(|(values, variant)| {
        values.iter().map(move |value| {
            let value = text(value);
            quote! {
                ::std::option::Option::Some(#value) => ::serde_json::from_value(value).map(Self::#variant),
            }
        })
    });
    let known = told.values.iter().flatten().map(|value| text(value));
    quote! {
        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                const PROPERTY: &str = #property;
                const KNOWN: &[&str] = &[#(#known),*];
                let value = <::serde_json::Value as ::serde::Deserialize>::deserialize(deserializer)?;
                let told = value.get(PROPERTY).and_then(::serde_json::Value::as_str);
                let told = told.map(::std::string::String::from);
                let found = match told.as_deref() {
                    #(#arms)*
                    _ => {
                        let expected = format_args!("`{PROPERTY}` must be one of {KNOWN:?}");
                        return ::std::result::Result::Err(::serde::de::Error::custom(expected));
                    }
                };
                found.map_err(::serde::de::Error::custom)
            }
        }
    }
}

/// Whether all branches of a union are tried. Not in a circle: there each level would double the work, and whoever sends the value
/// decides how many there are.
fn is_read_by_fit(api: &Api, definition: &TypeDef) -> bool {
    api.is_ambiguous(definition) && definition.cycle.is_none()
}

/// Reading a union by what fits best. The first branch that fits may know less than another, and what it does not know would be
/// lost.
fn by_fit(name: &Ident, variants: &[Ident]) -> TokenStream {
    quote! {
        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                let value = <::serde_json::Value as ::serde::Deserialize>::deserialize(deserializer)?;
                let mut best = ::std::option::Option::None;
                #(
                    if let ::std::result::Result::Ok(found) = ::serde_json::from_value(value.clone()) {
                        let found = Self::#variants(found);
                        take_larger(&mut best, found);
                    }
                )*
                let best = best.map(|(_, best)| best);
                best.ok_or_else(|| ::serde::de::Error::custom("none of the alternatives fits"))
            }
        }
    }
}

/// What [`by_fit`] calls.
fn helpers() -> TokenStream {
    quote! {
        /// Keeps the value that holds more once it is written again.
        fn take_larger<T: ::serde::Serialize>(best: &mut ::std::option::Option<(usize, T)>, found: T) {
            let held = ::serde_json::to_value(&found).map_or(0, |value| members(&value));
            if best.as_ref().is_none_or(|(known, _)| *known < held) {
                *best = ::std::option::Option::Some((held, found));
            }
        }

        /// How many members and items there are at any depth.
        fn members(value: &::serde_json::Value) -> usize {
            match value {
                ::serde_json::Value::Object(all) => all.values().map(|value| 1 + members(value)).sum(),
                ::serde_json::Value::Array(all) => all.iter().map(|value| 1 + members(value)).sum(),
                _ => 0,
            }
        }
    }
}

fn is_text(choices: &[Choice]) -> bool {
    choices.iter().all(|choice| choice.value.as_str().is_some())
}

/// Strings: the derive gives them parsing, their list, and a suggestion for a wrong one.
fn choice(definition: &TypeDef, choices: &[Choice]) -> TokenStream {
    let name = ident(&definition.name);
    let about = docs(&[&definition.description]);
    let variants = choices.iter().map(|choice| {
        let variant = ident(&choice.variant);
        let value = text(choice.value.as_str().unwrap_or(""));
        // A doc comment would become the label; what has none keeps none.
        let words = [
            ("label", &choice.label),
            ("description", &choice.description),
        ];
        let told = words
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(word, told)| {
                let (word, told) = (ident(word), text(told));
                quote!(#word = #told)
            });
        let told: Vec<TokenStream> = told.collect();
        let told = (!told.is_empty()).then(|| quote!(#[choice(#(#told),*)]));
        quote!(#[serde(rename = #value)] #told #variant,)
    });
    quote! {
        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize, ::aon::Choices)]
        pub enum #name { #(#variants)* }
    }
}

/// Numbers and bools, also among strings: serde has no attribute for them.
fn literals(definition: &TypeDef, choices: &[Choice]) -> TokenStream {
    let name = ident(&definition.name);
    let about = docs(&[&definition.description]);
    let variants: Vec<_> = choices
        .iter()
        .map(|choice| ident(&choice.variant))
        .collect();
    let documented = choices.iter().zip(&variants).map(|(choice, variant)| {
        let about = docs(&[&choice.label, &choice.description]);
        quote!(#about #variant,)
    });
    let values: Vec<TokenStream> = choices.iter().map(|choice| json(&choice.value)).collect();
    quote! {
        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum #name { #(#documented)* }

        impl #name {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The value on the wire.
            pub fn to_value(self) -> ::serde_json::Value {
                match self { #(Self::#variants => ::serde_json::Value::from(#values),)* }
            }
        }

        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&self.to_value(), serializer)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                let value = <::serde_json::Value as ::serde::Deserialize>::deserialize(deserializer)?;
                let same = |own: &Self| {
                    let own = own.to_value();
                    own == value || (own.is_number() && own.as_f64() == value.as_f64())
                };
                let found = Self::ALL.iter().copied().find(same);
                let refused = || {
                    let all = Self::ALL.iter().map(|own| own.to_value()).collect();
                    let all = ::serde_json::Value::Array(all);
                    ::serde::de::Error::custom(format_args!("one of {all}"))
                };
                found.ok_or_else(refused)
            }
        }
    }
}

fn json(value: &Tree) -> TokenStream {
    match value {
        Tree::Bool(value) => quote!(#value),
        Tree::String(value) => {
            let value = text(value);
            quote!(#value)
        }
        Tree::Number(number) => {
            // Without a suffix a large number would have to fit 32 bits.
            let whole = number
                .parse::<i64>()
                .map(|_| "i64")
                .or_else(|_| number.parse::<u64>().map(|_| "u64"));
            let text = match (whole, number.parse::<f64>()) {
                (Ok(suffix), _) => format!("{number}{suffix}"),
                (Err(_), Ok(fraction)) if fraction.is_finite() => format!("{fraction:?}"),
                // No value of JSON is that large, so nothing equals it.
                _ => "()".to_owned(),
            };
            text.parse().unwrap_or_else(|_| quote!(()))
        }
        Tree::Null | Tree::Array(_) | Tree::Object(_) => quote!(null),
    }
}

fn member(api: &Api, owner: &TypeDef, field: &Field) -> TokenStream {
    let name = ident(field.rust());
    let default = field
        .default()
        .map(|value| format!("Default: `{}`", value.to_compact()))
        .unwrap_or_default();
    let about = docs(&[&field.full_description(), &default]);
    let plain = field.rust().trim_start_matches("r#") == &*field.wire;
    let rename = (!plain).then(|| {
        let wire = text(&field.wire);
        quote!(#[serde(rename = #wire)])
    });
    let inner = reference(api, owner, &field.shape, true);
    if field.required {
        // Serde takes a missing member for null where the type is an Option; a required one may be null, not missing.
        return quote!(#about #rename pub #name: #inner,);
    }
    let inner = match &field.shape {
        Type::Nullable(_) => inner,
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_)
        | Type::List(_, _)
        | Type::Tuple(_)
        | Type::Map(_)
        | Type::Named(_) => quote!(::std::option::Option<#inner>),
    };
    quote! {
        #about
        #rename
        #[serde(default, skip_serializing_if = "::std::option::Option::is_none")]
        pub #name: #inner,
    }
}

/// A type as it is written where it is used. A direct step inside a circle goes through a box.
fn reference(api: &Api, owner: &TypeDef, shape: &Type, direct: bool) -> TokenStream {
    match shape {
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_) => scalar(shape),
        Type::List(item, _) => {
            let item = reference(api, owner, item, false);
            quote!(::std::vec::Vec<#item>)
        }
        Type::Tuple(places) => {
            let places = places
                .iter()
                .map(|place| reference(api, owner, place, direct));
            quote!((#(#places,)*))
        }
        Type::Map(value) => {
            let value = reference(api, owner, value, false);
            quote!(::std::collections::BTreeMap<::std::string::String, #value>)
        }
        Type::Nullable(inner) => {
            let inner = reference(api, owner, inner, direct);
            quote!(::std::option::Option<#inner>)
        }
        Type::Named(id) => {
            let name = ident(api.type_name(*id));
            let circle = api.definition(*id).and_then(|definition| definition.cycle);
            if direct && circle.is_some() && circle == owner.cycle {
                quote!(::std::boxed::Box<#name>)
            } else {
                quote!(#name)
            }
        }
    }
}

/// A type without parts.
pub(super) fn scalar(shape: &Type) -> TokenStream {
    match shape {
        Type::Null => quote!(()),
        Type::Boolean => quote!(bool),
        Type::Integer(facets) => match facets.number("minimum") {
            Some(least) if !least.starts_with('-') => quote!(u64),
            _ => quote!(i64),
        },
        Type::Number(_) => quote!(f64),
        Type::Text(_) if shape.is_binary() => quote!(binary::Binary),
        Type::Text(_) => quote!(::std::string::String),
        Type::Any
        | Type::List(_, _)
        | Type::Tuple(_)
        | Type::Map(_)
        | Type::Nullable(_)
        | Type::Named(_) => quote!(::serde_json::Value),
    }
}

/// What a branch of a union is called.
fn variant_name(api: &Api, shape: &Type) -> String {
    match shape {
        Type::Any => "Any".to_owned(),
        Type::Null => "Null".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::Integer(_) => "Integer".to_owned(),
        Type::Number(_) => "Number".to_owned(),
        Type::Text(_) => "Text".to_owned(),
        Type::List(item, _) => format!("{}List", variant_name(api, item)),
        Type::Tuple(_) => "Tuple".to_owned(),
        Type::Map(value) => format!("{}Map", variant_name(api, value)),
        Type::Nullable(inner) => variant_name(api, inner),
        Type::Named(id) => api.type_name(*id).to_owned(),
    }
}
