//! The input as written: the syntax with its attributes read, nothing judged yet.

use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitStr, Meta, Path, Token};

use crate::attr::problem::{OfField, OfType, OfVariant, of_enum, of_field, of_struct, of_variant};
use crate::errors::Errors;

/// A type that derives `Problem`.
pub(crate) struct Input<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) of_type: OfType,
    pub(crate) variants: Vec<Variant<'a>>,
}

/// A variant, or the one of a struct.
pub(crate) struct Variant<'a> {
    /// The variant; `None` for a struct.
    pub(crate) ident: Option<&'a Ident>,
    /// The variant's or the struct's name, for defaults and messages.
    pub(crate) name: &'a Ident,
    pub(crate) docs: String,
    pub(crate) attrs: OfVariant,
    pub(crate) display: Display,
    pub(crate) fields: Vec<Field<'a>>,
}

/// Where the `Display` text comes from, as far as attributes tell.
#[derive(Clone)]
pub(crate) enum Display {
    /// Written by hand: trusted.
    ByHand,
    /// `#[error(transparent)]`.
    Transparent,
    /// `#[error(fmt = …)]`: cannot be looked into.
    Function,
    /// `#[error("…", …)]`.
    Format { text: LitStr, args: TokenStream },
}

/// A field.
pub(crate) struct Field<'a> {
    pub(crate) original: &'a syn::Field,
    pub(crate) index: usize,
    pub(crate) attrs: OfField,
    /// Whether it is the source of the error.
    pub(crate) source: bool,
}

impl<'a> Input<'a> {
    pub(crate) fn read(original: &'a DeriveInput, errors: &mut Errors) -> Self {
        let docs = crate::docs::text(&original.attrs);
        let display = display(&original.attrs);
        let (of_type, variants) = match &original.data {
            Data::Enum(data) => {
                let of_type = of_enum(&original.attrs, errors);
                let read = |variant: &'a syn::Variant| {
                    let own = self::display(&variant.attrs);
                    let display = own.or_else(|| display.clone()).unwrap_or(Display::ByHand);
                    Variant {
                        ident: Some(&variant.ident),
                        name: &variant.ident,
                        docs: crate::docs::text(&variant.attrs),
                        attrs: of_variant(&variant.attrs, errors),
                        fields: fields(&variant.fields, &display, errors),
                        display,
                    }
                };
                (of_type, data.variants.iter().map(read).collect())
            }
            Data::Struct(data) => {
                let (of_type, attrs) = of_struct(&original.attrs, errors);
                let display = display.unwrap_or(Display::ByHand);
                let variant = Variant {
                    ident: None,
                    name: &original.ident,
                    docs,
                    attrs,
                    fields: fields(&data.fields, &display, errors),
                    display,
                };
                (of_type, vec![variant])
            }
            Data::Union(data) => {
                errors.on(
                    data.union_token,
                    "a union cannot be a problem; use an enum or a struct",
                );
                (OfType::default(), Vec::new())
            }
        };
        Self {
            original,
            of_type,
            variants,
        }
    }

    /// The path of `aon`.
    pub(crate) fn krate(&self) -> Path {
        self.of_type
            .krate
            .get()
            .cloned()
            .unwrap_or_else(|| syn::parse_quote!(::aon))
    }
}

impl Field<'_> {
    /// Its name without `r#`, or its index.
    pub(crate) fn name(&self) -> String {
        self.original
            .ident
            .as_ref()
            .map_or_else(|| self.index.to_string(), crate::attr::unraw)
    }

    pub(crate) fn span(&self) -> Span {
        use syn::spanned::Spanned;
        self.original
            .ident
            .as_ref()
            .map_or_else(|| self.original.ty.span(), Ident::span)
    }
}

fn fields<'a>(fields: &'a Fields, display: &Display, errors: &mut Errors) -> Vec<Field<'a>> {
    let read = |(index, original): (usize, &'a syn::Field)| {
        let marked = |name: &str| original.attrs.iter().any(|attr| attr.path().is_ident(name));
        let implicit = !matches!(display, Display::ByHand)
            && original
                .ident
                .as_ref()
                .is_some_and(|ident| ident == "source");
        Field {
            original,
            index,
            attrs: of_field(&original.attrs, errors),
            source: marked("source") || marked("from") || implicit,
        }
    };
    fields.iter().enumerate().map(read).collect()
}

/// What `#[error(…)]` (thiserror) or `#[display(…)]` (`derive_more`) says about the text.
fn display(attrs: &[Attribute]) -> Option<Display> {
    attrs.iter().find_map(|attr| {
        if !(attr.path().is_ident("error") || attr.path().is_ident("display")) {
            return None;
        }
        let Meta::List(list) = &attr.meta else {
            return None;
        };
        let tokens = list.tokens.clone();
        let format = |input: syn::parse::ParseStream<'_>| {
            let text: LitStr = input.parse()?;
            let args: TokenStream = input.parse()?;
            Ok(Display::Format { text, args })
        };
        let word = |input: syn::parse::ParseStream<'_>| {
            let word: Ident = input.parse()?;
            let value = input.parse::<Option<Token![=]>>()?.is_some();
            let _rest: TokenStream = input.parse()?;
            match (word.to_string().as_str(), value) {
                ("transparent", false) => Ok(Display::Transparent),
                ("fmt", true) => Ok(Display::Function),
                _ => Err(syn::Error::new(word.span(), "of another derive")),
            }
        };
        format
            .parse2(tokens.clone())
            .or_else(|_error| word.parse2(tokens))
            .ok()
    })
}
