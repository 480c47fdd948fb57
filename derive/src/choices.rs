//! `#[derive(Choices)]`: a fieldless enum as a closed set of values (D2).

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Path};

use crate::attr::{Once, Text, Value, items, items_of, unraw};
use crate::case;
use crate::errors::Errors;
use crate::expand::option;

const TYPE_WORDS: [&str; 2] = ["schema", "crate"];
const VARIANT_WORDS: [&str; 4] = ["rename", "label", "description", "skip"];

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let of_type = OfType::read(&input.attrs, &mut errors);
    let values = values(input, &mut errors);
    let krate = of_type
        .krate
        .get()
        .cloned()
        .unwrap_or_else(|| syn::parse_quote!(::aon));
    match errors.finish() {
        Ok(()) => expand(input, &krate, &values, of_type.schema.given().is_some()),
        Err(messages) => {
            let fallback = fallback(input, &krate);
            quote!(#messages #fallback)
        }
    }
}

#[derive(Default)]
struct OfType {
    schema: Once<()>,
    krate: Once<Path>,
}

impl OfType {
    fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for item in items_of(attrs, "choice", errors) {
            match item.name.as_str() {
                "schema" => read.schema.set(&item, item.flag(errors), errors),
                "crate" => {
                    let path = item.equals("expected `crate = path`", errors);
                    read.krate.set(&item, path, errors);
                }
                _ => {
                    let _meant = item.unknown("attribute", &TYPE_WORDS, errors);
                }
            }
        }
        read
    }
}

/// One variant: its value, and whether it can be chosen.
struct Chosen<'a> {
    ident: &'a Ident,
    value: String,
    label: Option<String>,
    description: Option<String>,
    skip: bool,
}

#[derive(Default)]
struct OfVariant {
    rename: Once<Text>,
    label: Once<Text>,
    description: Once<Text>,
    skip: Once<()>,
}

fn values<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Vec<Chosen<'a>> {
    let Data::Enum(data) = &input.data else {
        errors.at(
            input.ident.span(),
            "`Choices` is for an enum without fields",
        );
        return Vec::new();
    };
    if let Some(param) = input.generics.params.first() {
        errors.on(param, "a closed set has no parameters");
    }
    let rule = Serde::read(&input.attrs, errors).rename_all;
    let mut found: Vec<Chosen<'a>> = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.on(
                &variant.fields,
                "a choice is a plain value; this variant has fields",
            );
        }
        let chosen = chosen(variant, rule.as_deref(), errors);
        let twin = found
            .iter()
            .find(|other| other.value == chosen.value && !other.skip && !chosen.skip);
        if let Some(twin) = twin {
            errors.at(
                variant.ident.span(),
                format!(
                    "the value \"{}\" belongs to `{}` already",
                    chosen.value, twin.ident
                ),
            );
        }
        found.push(chosen);
    }
    if !found.iter().any(|chosen| !chosen.skip) {
        errors.at(input.ident.span(), "a closed set has at least one value");
    }
    found
}

fn chosen<'a>(variant: &'a syn::Variant, rule: Option<&str>, errors: &mut Errors) -> Chosen<'a> {
    let mut own = OfVariant::default();
    for item in items_of(&variant.attrs, "choice", errors) {
        match item.name.as_str() {
            "rename" => own.rename.set(&item, item.text(errors), errors),
            "label" => own.label.set(&item, item.text(errors), errors),
            "description" => own.description.set(&item, item.text(errors), errors),
            "skip" => own.skip.set(&item, item.flag(errors), errors),
            _ => {
                let _meant = item.unknown("attribute", &VARIANT_WORDS, errors);
            }
        }
    }
    let serde = Serde::read(&variant.attrs, errors);
    let name = unraw(&variant.ident);
    let OfVariant {
        rename,
        label,
        description,
        skip,
    } = own;
    let ruled = || rule.and_then(|rule| case::serde_rename(rule, &name));
    let (doc_label, doc_rest) = crate::docs::label_and_rest(&crate::docs::text(&variant.attrs));
    Chosen {
        ident: &variant.ident,
        value: rename
            .take()
            .map(|text| text.value)
            .or(serde.rename)
            .or_else(ruled)
            .unwrap_or_else(|| case::snake(&name)),
        label: label.take().map(|text| text.value).or(doc_label),
        description: description.take().map(|text| text.value).or(doc_rest),
        skip: skip.given().is_some() || serde.skip,
    }
}

/// What `#[serde(…)]` says about names. Everything else is serde's business.
#[derive(Default)]
struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    skip: bool,
}

impl Serde {
    fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut read = Self::default();
        // Mistakes in here are serde's to report.
        let mut ignored = Errors::new();
        for item in items_of(attrs, "serde", &mut ignored) {
            match item.name.as_str() {
                "rename" => read.rename = name_of(&item.value, &mut ignored).map(|text| text.value),
                "rename_all" => {
                    if let Some(rule) = name_of(&item.value, &mut ignored) {
                        if case::serde_rename(&rule.value, "A").is_none() {
                            errors.at(rule.span, format!("unknown rename rule {:?}", rule.value));
                        }
                        read.rename_all = Some(rule.value);
                    }
                }
                "skip" | "skip_deserializing" | "other" => read.skip = true,
                _ => {}
            }
        }
        let _serdes: Result<(), TokenStream> = ignored.finish();
        read
    }
}

/// `= "name"`, or `(serialize = "…", deserialize = "…")`: what a caller has to send counts first.
fn name_of(value: &Value, ignored: &mut Errors) -> Option<Text> {
    match value {
        Value::Nothing => None,
        Value::Equals(tokens) => syn::parse2::<syn::LitStr>(tokens.clone())
            .ok()
            .map(Text::from),
        Value::List(tokens) => {
            let parts = items(tokens.clone(), ignored);
            let part = |name: &str| parts.iter().find(|part| part.name == name);
            let part = part("deserialize").or_else(|| part("serialize"))?;
            part.text(ignored)
        }
    }
}

fn expand(input: &DeriveInput, krate: &Path, values: &[Chosen<'_>], schema: bool) -> TokenStream {
    let DeriveInput { ident, vis, .. } = input;
    let name = case::snake(&unraw(ident));
    let type_name = unraw(ident);
    let open: Vec<&Chosen<'_>> = values.iter().filter(|chosen| !chosen.skip).collect();
    let idents: Vec<&Ident> = open.iter().map(|chosen| chosen.ident).collect();
    let words: Vec<&str> = open.iter().map(|chosen| chosen.value.as_str()).collect();
    let all_idents = values.iter().map(|chosen| chosen.ident);
    let all_words = values.iter().map(|chosen| &chosen.value);
    let choices = open.iter().map(|chosen| {
        let value = &chosen.value;
        let label = option(chosen.label.as_deref());
        let description = option(chosen.description.as_deref());
        quote!(__aon::Choice::constant(#value, #label, #description))
    });
    let json = json(&open);
    let schema = schema.then(|| quote!(__aon::impl_schema! { #ident, #type_name }));
    let docs = format!("Every value of `{type_name}`, in the order of the declaration.");
    quote! {
        const _: () = {
            use #krate::__private as __aon;

            #[automatically_derived]

            impl __aon::Choices for #ident {
                const NAME: &'static __aon::str = #name;
                const CHOICES: &'static [__aon::Choice] = &[#(#choices),*];
                const JSON: &'static __aon::str = #json;
            }

            #[allow(dead_code)]
            impl #ident {
                #[doc = #docs]
                #vis const ALL: &'static [Self] = &[#(Self::#idents),*];

                /// The value on the wire.
                #[must_use]
                #vis const fn as_str(&self) -> &'static __aon::str {
                    match self { #(Self::#all_idents => #all_words,)* }
                }
            }

            #[automatically_derived]

            impl __aon::FromStr for #ident {
                type Err = __aon::InvalidChoice;

                fn from_str(text: &__aon::str) -> __aon::Result<Self, __aon::InvalidChoice> {
                    match text {
                        #(#words => __aon::Ok(Self::#idents),)*
                        other => __aon::Err(__aon::InvalidChoice::of::<Self>(other)),
                    }
                }
            }

            #[automatically_derived]

            impl __aon::From<#ident> for __aon::Choice {
                fn from(value: #ident) -> Self {
                    __aon::From::from(value.as_str())
                }
            }

            #[automatically_derived]

            impl __aon::From<&#ident> for __aon::Choice {
                fn from(value: &#ident) -> Self {
                    __aon::From::from(value.as_str())
                }
            }

            #schema
        };
    }
}

/// The values as core writes them.
fn json(open: &[&Chosen<'_>]) -> String {
    let choices: Vec<aon_core::Choice> = open
        .iter()
        .map(|chosen| {
            let mut choice = aon_core::Choice::new(chosen.value.clone());
            if let Some(label) = &chosen.label {
                choice = choice.with_label(label.clone());
            }
            if let Some(description) = &chosen.description {
                choice = choice.with_description(description.clone());
            }
            choice
        })
        .collect();
    aon_core::Json::of(&choices).map_or_else(|_error| "[]".to_owned(), |json| json.to_string())
}

fn fallback(input: &DeriveInput, krate: &Path) -> TokenStream {
    let DeriveInput { ident, vis, .. } = input;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    if !input.generics.params.is_empty() {
        // A parameter may not be `'static`; without an impl there is at least no second message about that.
        return TokenStream::new();
    }
    quote! {
        const _: () = {
            use #krate::__private as __aon;

            #[automatically_derived]

            impl #impl_generics __aon::Choices for #ident #ty_generics #where_clause {
                const NAME: &'static __aon::str = "";
                const CHOICES: &'static [__aon::Choice] = &[];
                const JSON: &'static __aon::str = "[]";
            }

            #[allow(dead_code)]
            impl #impl_generics #ident #ty_generics #where_clause {
                #vis const ALL: &'static [Self] = &[];

                #vis const fn as_str(&self) -> &'static __aon::str {
                    ""
                }
            }

            #[automatically_derived]

            impl #impl_generics __aon::FromStr for #ident #ty_generics #where_clause {
                type Err = __aon::InvalidChoice;

                fn from_str(text: &__aon::str) -> __aon::Result<Self, __aon::InvalidChoice> {
                    __aon::Err(__aon::InvalidChoice::of::<Self>(text))
                }
            }
        };
    }
}
