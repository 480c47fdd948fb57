//! The problems of an API: what a server returns, and what a client receives.

use aon_core::Namespace;
use proc_macro2::TokenStream;
use quote::quote;

use super::{docs, extensions, ident, text};
use crate::ir::{Api, Choice, Problem, Shape};
use crate::json::Tree;
use crate::names::{self, Unique};

pub(super) fn emit(api: &Api) -> TokenStream {
    let mut lists = Lists::default();
    let has_own = api.own_problems().next().is_some();
    let server = has_own.then(|| server(api, &mut lists));
    let client = client(api);
    let lists = lists.code;
    quote! {
        #![doc = " What can go wrong."]
        #server
        #client
        #(#lists)*
    }
}

/// Only what a client receives.
pub(super) fn emit_client(api: &Api) -> TokenStream {
    let client = client(api);
    quote! {
        #![doc = " What can go wrong."]
        #client
    }
}

/// Values with words for people that are not a type of the API.
#[derive(Default)]
struct Lists {
    names: Unique,
    code: Vec<TokenStream>,
}

fn server(api: &Api, lists: &mut Lists) -> TokenStream {
    let namespace = namespace(api);
    let attribute = namespace.as_ref().map(|(name, _)| {
        let name = text(name);
        quote!(#[problem(namespace = #name)])
    });
    let variants = api
        .own_problems()
        .map(|problem| variant(api, problem, namespace.is_some(), lists));
    let variants: Vec<TokenStream> = variants.collect();
    let idents: Vec<_> = api
        .own_problems()
        .map(|problem| ident(&problem.variant))
        .collect();
    quote! {
        /// Every problem of this API, to return from a handler. `detail` says what happened this time; it is public.
        #[derive(Clone, Debug, PartialEq, ::aon::Problem)]
        #attribute
        pub enum ApiProblem { #(#variants)* }

        impl ::std::fmt::Display for ApiProblem {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self { #(Self::#idents { detail, .. })|* => f.write_str(detail) }
            }
        }

        impl ::std::error::Error for ApiProblem {}
    }
}

/// The namespace that all types share, if they do.
fn namespace(api: &Api) -> Option<(String, Namespace)> {
    let first = api.own_problems().next()?.namespace.as_deref()?;
    let name = first.strip_suffix("://problem/").unwrap_or(first);
    let namespace = Namespace::parse(name).ok()?;
    let fits =
        |problem: &Problem| namespace.type_of(&problem.record.code) == problem.record.type_uri;
    api.own_problems()
        .all(fits)
        .then(|| (name.to_owned(), namespace.clone()))
}

fn variant(api: &Api, problem: &Problem, in_namespace: bool, lists: &mut Lists) -> TokenStream {
    let record = &problem.record;
    let about = docs(&[&record.summary]);
    let (name, code, title) = (
        ident(&problem.variant),
        text(&record.code),
        text(&record.title),
    );
    let status = proc_macro2::Literal::u16_unsuffixed(record.status);
    let mut parts = vec![
        quote!(code = #code),
        quote!(status = #status),
        quote!(title = #title),
    ];
    if !in_namespace {
        let type_uri = text(&record.type_uri);
        parts.push(quote!(type = #type_uri));
    }
    let mut fields = vec![quote! {
        /// What happened this time.
        #[problem(public)]
        detail: ::std::string::String,
    }];
    let mut values = Vec::new();
    let mut unique = Unique::default();
    unique.reserve("detail");
    for (field, listed) in &record.valid_values {
        let key = text(field);
        let known = listed
            .as_ref()
            .and_then(|listed| source(api, problem, field, listed, lists));
        if let Some(source) = known {
            values.push(quote!(#key = #source));
        } else {
            let member = ident(&unique.take(names::rust_field(field)));
            fields.push(quote! {
                /// The valid values.
                #[problem(valid_values = #key)]
                #member: ::std::vec::Vec<::aon::Choice>,
            });
        }
    }
    let has_methods = record.valid_values.contains_key("method");
    if record.status == 405 && !has_methods {
        let member = ident(&unique.take("method".to_owned()));
        fields.push(quote! {
            /// The methods that are allowed.
            #[problem(valid_values = "method")]
            #member: ::std::vec::Vec<::aon::Choice>,
        });
    }
    if !values.is_empty() {
        parts.push(quote!(valid_values(#(#values),*)));
    }
    parts.extend(problem.example.get("remediation").map(remediation));
    for (word, told) in [
        ("docs_url", &record.docs_url),
        ("mcp_tool", &record.mcp_tool),
        ("a2a_skill", &record.a2a_skill),
    ] {
        if let Some(told) = told {
            let (word, told) = (ident(word), text(told));
            parts.push(quote!(#word = #told));
        }
    }
    match record.retry_after {
        Some(Some(seconds)) if (1..=86_400).contains(&seconds) => {
            let seconds = proc_macro2::Literal::u64_unsuffixed(seconds);
            parts.push(quote!(retry_after = #seconds));
        }
        Some(_) => {
            let member = ident(&unique.take("retry_after".to_owned()));
            fields.push(quote! {
                /// When to try again.
                #[problem(retry_after)]
                #member: ::std::time::Duration,
            });
        }
        None => {}
    }
    if record.status == 401 || record.challenge.is_some() {
        let challenge = text(record.challenge.as_deref().unwrap_or("Bearer"));
        parts.push(quote!(challenge = #challenge));
    }
    for pointer in &record.pointers {
        let pointer = text(pointer);
        parts.push(quote!(pointer = #pointer));
    }
    fields.extend(extensions::fields(problem, &mut unique));
    quote!(#about #[problem(#(#parts),*)] #name { #(#fields)* },)
}

/// Where constant values come from: a type that has them, literals, or a list of their own when they have labels.
fn source(
    api: &Api,
    problem: &Problem,
    field: &str,
    listed: &[serde_json::Value],
    lists: &mut Lists,
) -> Option<TokenStream> {
    if listed.is_empty() {
        return None;
    }
    let values: Vec<Tree> = listed.iter().map(Tree::of_value).collect();
    let told = |value: &Tree, word: &str| {
        value
            .get(word)
            .and_then(Tree::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let bare = |value: &Tree| value.get("value").cloned().unwrap_or_else(|| value.clone());
    let same = |choice: &Choice, value: &Tree| {
        choice.value == bare(value)
            && choice.label == told(value, "label")
            && choice.description == told(value, "description")
    };
    let known = api.types.iter().find(|definition| match &definition.shape {
        Shape::Choice(choices) => {
            choices.len() == values.len()
                && choices
                    .iter()
                    .zip(&values)
                    .all(|(choice, value)| same(choice, value) && choice.value.as_str().is_some())
        }
        Shape::Object(_) | Shape::Union(_) | Shape::All(_) | Shape::Alias(_) => false,
    });
    if let Some(definition) = known {
        let name = ident(&definition.name);
        return Some(quote!(super::types::#name));
    }
    if values.iter().all(Tree::is_scalar) {
        let literals: Option<Vec<TokenStream>> = values.iter().map(literal).collect();
        let literals = literals?;
        return Some(quote!([#(#literals),*]));
    }
    let name = ident(&lists.names.take(format!(
        "{}{}Values",
        problem.variant,
        names::pascal(field)
    )));
    let mut unique = Unique::default();
    let mut variants = Vec::new();
    for value in &values {
        let own = bare(value);
        let word = own.as_str()?;
        let variant = ident(&unique.take(names::pascal(word)));
        let mut parts = vec![("rename", word.to_owned()), ("label", told(value, "label"))];
        parts.push(("description", told(value, "description")));
        let parts = parts
            .iter()
            .enumerate()
            .filter(|(at, (_, told))| *at == 0 || !told.is_empty())
            .map(|(_, (word, told))| {
                let (word, told) = (ident(word), text(told));
                quote!(#word = #told)
            });
        variants.push(quote!(#[choice(#(#parts),*)] #variant,));
    }
    lists.code.push(quote! {
        /// Values with words for people.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::aon::Choices)]
        pub enum #name { #(#variants)* }
    });
    Some(quote!(#name))
}

/// A literal the derive understands; none for null and for negative numbers.
fn literal(value: &Tree) -> Option<TokenStream> {
    match value {
        Tree::String(word) => {
            let word = text(word);
            Some(quote!(#word))
        }
        Tree::Bool(value) => Some(quote!(#value)),
        Tree::Number(number) if !number.starts_with('-') => number.parse().ok(),
        Tree::Number(_) | Tree::Null | Tree::Array(_) | Tree::Object(_) => None,
    }
}

fn remediation(json: &Tree) -> TokenStream {
    let word = |key: &str| json.get(key).and_then(Tree::as_str);
    let mut parts = Vec::new();
    parts.extend(word("type").map(|kind| {
        let kind = ident(kind);
        quote!(#kind)
    }));
    parts.extend(word("reason").map(|reason| {
        let reason = ident(reason);
        quote!(reason = #reason)
    }));
    parts.extend(word("message").map(|message| {
        let message = text(message);
        quote!(message = #message)
    }));
    if let Some(action) = json.get("next_action") {
        let told = [
            "endpoint_xri",
            "endpoint_url",
            "required_scope",
            "guide_xri",
        ]
        .into_iter()
        .filter_map(|key| {
            let (name, value) = (ident(key), text(action.get(key)?.as_str()?));
            Some(quote!(#name = #value))
        });
        parts.push(quote!(next_action(#(#told),*)));
    }
    if let Some(example) = json.get("example_request") {
        let mut told = Vec::new();
        for key in ["method", "path"] {
            if let Some(value) = example.get(key).and_then(Tree::as_str) {
                let (name, value) = (ident(key), text(value));
                told.push(quote!(#name = #value));
            }
        }
        let headers = example
            .get("headers")
            .map_or(&[][..], Tree::members)
            .iter()
            .filter_map(|(name, value)| {
                let (name, value) = (text(name), text(value.as_str()?));
                Some(quote!(#name = #value))
            });
        let headers: Vec<TokenStream> = headers.collect();
        if !headers.is_empty() {
            told.push(quote!(headers(#(#headers),*)));
        }
        if let Some(body) = example.get("body") {
            let body = text(&body.to_compact());
            told.push(quote!(body = #body));
        }
        parts.push(quote!(example_request(#(#told),*)));
    }
    if json.get("auto_fix_available") == Some(&Tree::Bool(true)) {
        parts.push(quote!(auto_fix));
    }
    quote!(remediation(#(#parts),*))
}

fn client(api: &Api) -> TokenStream {
    let idents: Vec<_> = api
        .own_problems()
        .map(|problem| ident(&problem.variant))
        .collect();
    let codes: Vec<_> = api
        .own_problems()
        .map(|problem| text(&problem.record.code))
        .collect();
    let variants = api.own_problems().zip(&idents).map(|(problem, variant)| {
        let about = docs(&[&format!(
            "{} (`{}`).",
            problem.record.title.trim_end_matches('.'),
            problem.record.code
        )]);
        quote!(#about #variant(::aon::ProblemDetails),)
    });
    let of_framework: Vec<_> = api
        .framework_problems()
        .map(|problem| text(&problem.record.code))
        .collect();
    let has_framework = !of_framework.is_empty();
    let extensions = api.own_problems().filter_map(extensions::declare);
    let framework = has_framework.then(|| {
        quote! {
            /// A problem of the framework that the server is built with, such as an unknown route or a body that is too large.
            Framework(::aon::ProblemDetails),
        }
    });
    let framework_arm = has_framework.then(|| quote!(Self::Framework(problem) |));
    // One code on each arm: many of them side by side would not fit a line.
    let framework_codes = of_framework
        .iter()
        .map(|code| quote!(::std::option::Option::Some(#code) => Self::Framework(problem),));
    let framework_codes: Vec<TokenStream> = framework_codes.collect();
    let by_type = api.codes_by_type();
    let has_types = !by_type.is_empty();
    let by_type = by_type.iter().map(|(uri, code)| {
        let (uri, code) = (text(uri), text(code));
        quote!(#uri => #code,)
    });
    // Without a code the type tells.
    let by_type = has_types.then(|| {
        quote! {
            let by_type = match problem.type_uri().map_or("", ::aon::UriRef::as_str) {
                #(#by_type)*
                _ => "",
            };
        }
    });
    let or_by_type = has_types.then(|| quote!(.or(::std::option::Option::Some(by_type))));
    let sorting = if api.problems.is_empty() {
        quote!(Self::Unknown(problem))
    } else {
        quote! {
            #by_type
            match problem.code().map(::aon::Code::as_str)#or_by_type {
                #(::std::option::Option::Some(#codes) => Self::#idents(problem),)*
                #(#framework_codes)*
                _ => Self::Unknown(problem),
            }
        }
    };
    quote! {
        /// A problem as a client receives it, told apart by its code. All members are kept.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ClientProblem {
            #(#variants)*
            #framework
            /// A code that was not known when this file was written, or none.
            Unknown(::aon::ProblemDetails),
        }

        impl ClientProblem {
            /// Reads what a surface sent, such as the body of a response (`aon::surface::rest::Rest`), the result of a tool, or a
            /// JSON-RPC error.
            ///
            /// # Errors
            ///
            /// When there is no problem in it.
            pub fn recover<S: ::aon::surface::Surface>(
                surface: &S,
                wire: &[u8],
            ) -> ::std::result::Result<Self, ::aon::surface::RecoverError> {
                ::std::result::Result::map(surface.recover(wire), ::std::convert::Into::into)
            }

            /// The problem with all its members.
            pub fn details(&self) -> &::aon::ProblemDetails {
                match self { #(Self::#idents(problem) |)* #framework_arm Self::Unknown(problem) => problem }
            }

            /// The problem with all its members.
            pub fn into_details(self) -> ::aon::ProblemDetails {
                match self { #(Self::#idents(problem) |)* #framework_arm Self::Unknown(problem) => problem }
            }
        }

        impl ::std::convert::From<::aon::ProblemDetails> for ClientProblem {
            fn from(problem: ::aon::ProblemDetails) -> Self { #sorting }
        }

        impl ::std::fmt::Display for ClientProblem {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let problem = self.details();
                let words = problem.detail().or(problem.title());
                f.write_str(words.unwrap_or("a problem without words"))
            }
        }

        impl ::std::error::Error for ClientProblem {}

        #(#extensions)*
    }
}
