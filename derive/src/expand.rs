//! From the proven tree to code. Nothing can fail here.
//!
//! Every path starts at the user's path of `aon` and goes through its hidden module, so that a module which shadows
//! `Option` or `String` does no harm.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Type, WhereClause};

use crate::check::proven::{Adapters, Field, Input, Kind, Role, Source, Variant};
use crate::format::{Detail, binding};

mod entry;
mod specimens;

pub(crate) fn problem(input: &Input<'_>) -> TokenStream {
    let krate = &input.krate;
    let ident = &input.original.ident;
    let (impl_generics, ty_generics, _) = input.original.generics.split_for_impl();
    let where_clause = where_clause(input);
    let statics = input
        .variants
        .iter()
        .enumerate()
        .map(|(at, variant)| entry::statics(input, variant, at));
    let methods = [
        entry_fn(input),
        detail_fn(input),
        members_fn(input),
        forwards(input),
        entries_fn(input),
    ];
    let specimens = specimens::expand(input);
    let namespace = namespace(input);
    let answers = answers(
        &input.adapters,
        &quote!([#impl_generics] [#ident #ty_generics] [#where_clause]),
    );
    let register = register(&input.original.generics, ident);
    quote! {
        const _: () = {
            use #krate::__private as __aon;

            #namespace
            #(#statics)*

            #[automatically_derived]

            impl #impl_generics __aon::Problem for #ident #ty_generics #where_clause {
                #(#methods)*
            }

            #specimens

            #answers
            #register
        };
    }
}

/// What makes the type an answer of each framework that is turned on, unless it says `no_axum` or the like.
pub(crate) fn answers(adapters: &Adapters, ty: &TokenStream) -> TokenStream {
    let Adapters {
        axum,
        rmcp,
        jsonrpsee,
    } = adapters;
    let axum = axum.then(|| quote!(__aon::impl_axum! { #ty }));
    let rmcp = rmcp.then(|| quote!(__aon::impl_rmcp! { #ty }));
    let jsonrpsee = jsonrpsee.then(|| quote!(__aon::impl_jsonrpsee! { #ty }));
    quote!(#axum #rmcp #jsonrpsee)
}

/// The namespace that `namespace!` says at the root of the crate, or the default.
///
/// Whether the crate says one cannot be asked here. But a name that a glob brings into an inner block wins over the same name in
/// an outer one, so the root's module is found where it exists, and the default everywhere else.
fn namespace(input: &Input<'_>) -> TokenStream {
    let asked = input
        .variants
        .iter()
        .any(|variant| matches!(&variant.kind, Kind::Declared(declared) if declared.urn.is_none()));
    if !asked {
        return TokenStream::new();
    }
    quote! {
        #[allow(unused_imports)]
        use __aon::__aon_namespace;
        const __NAMESPACE: (&__aon::str, &__aon::str) = {
            #[allow(unused_imports, clippy::wildcard_imports)]
            use crate::*;
            (__aon_namespace::PREFIX, __aon_namespace::URN)
        };
    }
}

/// A type without parameters, lifetimes apart, joins the program's catalog.
fn register(generics: &Generics, ident: &Ident) -> TokenStream {
    if generics.lifetimes().count() < generics.params.len() {
        return TokenStream::new();
    }
    let lifetimes = generics.lifetimes().map(|_| quote!('static));
    quote!(__aon::register! { #ident<#(#lifetimes),*> })
}

/// The bounds the generated code needs, where the type has parameters.
fn where_clause(input: &Input<'_>) -> Option<WhereClause> {
    let generics = &input.original.generics;
    let mut clause = generics.where_clause.clone();
    if generics.type_params().next().is_none() {
        return clause;
    }
    let ident = &input.original.ident;
    let (_, ty_generics, _) = generics.split_for_impl();
    let clause = clause.get_or_insert_with(|| WhereClause {
        where_token: syn::token::Where::default(),
        predicates: syn::punctuated::Punctuated::new(),
    });
    clause
        .predicates
        .push(syn::parse_quote!(#ident #ty_generics: __aon::Error));
    for variant in &input.variants {
        for (at, field) in variant.fields.iter().enumerate() {
            let ty = field.ty;
            if !mentions_parameter(ty, generics) {
                continue;
            }
            if matches!(variant.kind, Kind::Transparent) {
                clause
                    .predicates
                    .push(syn::parse_quote!(#ty: __aon::Problem));
                continue;
            }
            match field.role {
                Role::Extension(_) => clause
                    .predicates
                    .push(syn::parse_quote!(#ty: __aon::Serialize)),
                Role::Values(_) => {
                    let ty = optional_list(ty).unwrap_or(ty);
                    clause.predicates.push(syn::parse_quote!(
                        for<'__aon> &'__aon #ty: __aon::IntoIterator<Item: __aon::Into<__aon::Choice>>
                    ));
                }
                Role::RetryAfter => clause.predicates.push(syn::parse_quote!(#ty: __aon::Delay)),
                Role::Challenge => clause
                    .predicates
                    .push(syn::parse_quote!(#ty: __aon::Challenge)),
                Role::Private | Role::Public => {}
            }
            for bound in shown_bounds(variant, at) {
                clause.predicates.push(syn::parse_quote!(#ty: #bound));
            }
        }
    }
    Some(clause.clone())
}

/// How the detail formats a field.
fn shown_bounds(variant: &Variant<'_>, field: usize) -> Vec<TokenStream> {
    let Kind::Declared(declared) = &variant.kind else {
        return Vec::new();
    };
    let Detail::Format { args, .. } = &declared.detail else {
        return Vec::new();
    };
    let shown = args.iter().filter(|arg| arg.index == field);
    let bound = |debug: bool| {
        if debug {
            quote!(__aon::fmt::Debug)
        } else {
            quote!(__aon::fmt::Display)
        }
    };
    shown.map(|arg| bound(arg.debug)).collect()
}

fn mentions_parameter(ty: &syn::Type, generics: &Generics) -> bool {
    fn any(tokens: TokenStream, names: &[&Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => names.iter().any(|name| **name == ident),
            proc_macro2::TokenTree::Group(group) => any(group.stream(), names),
            proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
        })
    }
    let names: Vec<&Ident> = generics.type_params().map(|param| &param.ident).collect();
    any(ty.to_token_stream(), &names)
}

/// `match self` with one arm per variant; `arm` gives the bound fields and the body.
fn by_variant(
    input: &Input<'_>,
    arm: impl Fn(usize, &Variant<'_>) -> (TokenStream, TokenStream),
) -> TokenStream {
    if input.variants.is_empty() {
        return quote!(match *self {});
    }
    let arms = input.variants.iter().enumerate().map(|(at, variant)| {
        let (fields, body) = arm(at, variant);
        let path = path(variant);
        quote!(#path { #fields .. } => { #body })
    });
    quote!(match self { #(#arms)* })
}

fn path(variant: &Variant<'_>) -> TokenStream {
    let ident = variant.ident.map(|ident| quote!(::#ident));
    quote!(Self #ident)
}

/// A transparent variant: binds its only field, and asks it.
fn forward(
    variant: &Variant<'_>,
    method: &str,
    arguments: &TokenStream,
) -> (TokenStream, TokenStream) {
    let mut forwarded = (TokenStream::new(), TokenStream::new());
    for Field { member, ty, .. } in &variant.fields {
        let place = Span::call_site().located_at(ty.span());
        let method = Ident::new(method, place);
        forwarded = (
            quote!(#member: __inner,),
            quote_spanned!(place=> <#ty as __aon::Problem>::#method(__inner, #arguments)),
        );
    }
    forwarded
}

fn entry_fn(input: &Input<'_>) -> TokenStream {
    let body = by_variant(input, |at, variant| match &variant.kind {
        Kind::Transparent => forward(variant, "entry", &quote!()),
        Kind::Declared(_) => {
            let name = entry::name(at);
            (TokenStream::new(), quote!(__aon::Some(&#name)))
        }
    });
    quote! {
        fn entry(&self) -> __aon::Option<&'static __aon::Entry> { #body }
    }
}

fn detail_fn(input: &Input<'_>) -> TokenStream {
    let all_display = input.variants.iter().all(|variant| {
        matches!(&variant.kind, Kind::Declared(declared) if matches!(declared.detail, Detail::Display))
    });
    if all_display {
        return TokenStream::new();
    }
    let body = by_variant(input, |_, variant| match &variant.kind {
        Kind::Transparent => forward(variant, "detail", &quote!(out)),
        Kind::Declared(declared) => detail(&declared.detail, variant),
    });
    quote! {
        fn detail(&self, out: &mut dyn __aon::fmt::Write) -> __aon::fmt::Result { #body }
    }
}

fn detail(detail: &Detail, variant: &Variant<'_>) -> (TokenStream, TokenStream) {
    match detail {
        Detail::Display => (
            TokenStream::new(),
            quote!(__aon::fmt::Write::write_fmt(
                out,
                __aon::format_args!("{}", self)
            )),
        ),
        Detail::Text(text) => (
            TokenStream::new(),
            quote!(__aon::fmt::Write::write_str(out, #text)),
        ),
        Detail::Format {
            format,
            args,
            binds,
        } => {
            let fields = variant
                .fields
                .iter()
                .enumerate()
                .filter(|(at, _)| binds.contains(at));
            let pattern = fields.map(|(_, Field { member, name, .. })| {
                let bound = binding(name);
                quote!(#member: #bound,)
            });
            let texts = args.iter().map(|arg| {
                let field = variant.fields.get(arg.index);
                let bound = binding(field.map_or("", |field| &field.name));
                if arg.plain {
                    quote!(#bound.shown())
                } else {
                    bound.into_token_stream()
                }
            });
            let shown = args.iter().any(|arg| arg.plain);
            let shown = shown.then(|| {
                quote!(
                    use __aon::Shown as _;
                )
            });
            let body = quote! {
                #shown
                __aon::fmt::Write::write_fmt(out, __aon::format_args!(#format, #(#texts),*))
            };
            (quote!(#(#pattern)*), body)
        }
    }
}

/// Hands the values of a field over. An `Option` may hold a list or one value; which of them, the types tell, and where
/// they are parameters, the way it is written.
fn values_call(
    name: &str,
    bound: &Ident,
    ty: &Type,
    input: &Input<'_>,
    place: Span,
) -> TokenStream {
    let list = quote_spanned!(place=> members.valid_values(#name, #bound.into_iter()););
    if optional(ty).is_none() {
        list
    } else if !mentions_parameter(ty, &input.original.generics) {
        quote_spanned! {place=>
            #[allow(unused_imports)]
            use __aon::offered::{List as _, ListBehind as _, One as _};
            (&&&__aon::offered::Offered(#bound)).offer(members, #name);
        }
    } else if optional_list(ty).is_some() {
        quote_spanned!(place=> if let __aon::Some(#bound) = #bound { #list })
    } else {
        quote_spanned!(place=> if let __aon::Some(_) = #bound { #list })
    }
}

/// What stands in an `Option`, as far as it is written as one.
fn optional(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match (last.ident == "Option", arguments.args.first()) {
        (true, Some(syn::GenericArgument::Type(ty))) => Some(ty),
        _ => None,
    }
}

/// What stands in an `Option`, when it is written like a list: with a type in it that is not `str`.
fn optional_list(ty: &Type) -> Option<&Type> {
    let inner = optional(ty)?;
    let holds_type = |path: &syn::TypePath| {
        let arguments = path.path.segments.last().map(|last| &last.arguments);
        let Some(syn::PathArguments::AngleBracketed(arguments)) = arguments else {
            return false;
        };
        arguments.args.iter().any(|argument| {
            matches!(argument, syn::GenericArgument::Type(ty)
                if !matches!(ty, Type::Path(path) if path.path.is_ident("str")))
        })
    };
    match inner {
        Type::Array(_) => Some(inner),
        Type::Path(path) if holds_type(path) => Some(inner),
        _ => None,
    }
}

fn members_fn(input: &Input<'_>) -> TokenStream {
    let needed = input.variants.iter().any(|variant| {
        let adds = |field: &Field<'_>| !matches!(field.role, Role::Private | Role::Public);
        matches!(variant.kind, Kind::Transparent) || variant.fields.iter().any(adds)
    });
    if !needed {
        return TokenStream::new();
    }
    let body = by_variant(input, |_, variant| match &variant.kind {
        Kind::Transparent => forward(variant, "members", &quote!(members)),
        Kind::Declared(_) => {
            let mut pattern = TokenStream::new();
            let mut body = TokenStream::new();
            for (at, field) in variant.fields.iter().enumerate() {
                let bound = format_ident!("__field{at}");
                // What the type of a field lacks is reported at that type.
                let ty = field.ty;
                let place = Span::call_site().located_at(ty.span());
                let call = match &field.role {
                    Role::Private | Role::Public => continue,
                    Role::Extension(name) => {
                        quote_spanned!(place=> members.extension(#name, #bound);)
                    }
                    Role::Values(name) => values_call(name, &bound, ty, input, place),
                    Role::RetryAfter => quote_spanned! {place=>
                        if let __aon::Some(delay) = <#ty as __aon::Delay>::delay(#bound) {
                            members.retry_after(delay);
                        }
                    },
                    Role::Challenge => quote_spanned! {place=>
                        if let __aon::Some(challenge) = <#ty as __aon::Challenge>::challenge(#bound) {
                            members.challenge(challenge);
                        }
                    },
                };
                let member = &field.member;
                pattern.extend(quote!(#member: #bound,));
                body.extend(call);
            }
            (pattern, body)
        }
    });
    quote! {
        #[allow(clippy::into_iter_on_ref)]
        fn members(&self, members: &mut __aon::Members<'_>) {
            #[allow(unused_imports)]
            use __aon::IntoIterator as _;
            #body
        }
    }
}

/// An inner value that overrides more than entry, detail and members is asked itself.
fn forwards(input: &Input<'_>) -> TokenStream {
    if !input
        .variants
        .iter()
        .any(|variant| matches!(variant.kind, Kind::Transparent))
    {
        return TokenStream::new();
    }
    let body = by_variant(input, |_, variant| match &variant.kind {
        Kind::Transparent => forward(variant, "to_problem", &quote!()),
        Kind::Declared(_) => (TokenStream::new(), quote!(__aon::assemble(self))),
    });
    quote! {
        fn to_problem(&self) -> __aon::ProblemDetails { #body }
    }
}

fn entries_fn(input: &Input<'_>) -> TokenStream {
    let visits = input
        .variants
        .iter()
        .enumerate()
        .map(|(at, variant)| match &variant.kind {
            Kind::Declared(_) => {
                let name = entry::name(at);
                quote!(visit(&#name);)
            }
            Kind::Transparent => {
                let ty = variant.fields.iter().map(|field| field.ty);
                quote!(#(<#ty as __aon::Problem>::entries(visit);)*)
            }
        });
    quote! {
        fn entries(visit: &mut dyn __aon::FnMut(&'static __aon::Entry)) {
            let _ = &visit;
            #(#visits)*
        }
    }
}

/// `Some(…)` or `None`, through the hidden module.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    value.map_or_else(|| quote!(__aon::None), |value| quote!(__aon::Some(#value)))
}

/// The JSON of constant values: a literal, or the constant of a type.
fn values_json(source: &Source) -> TokenStream {
    match source {
        Source::Type(ty) => quote!(<#ty as __aon::Choices>::JSON),
        Source::Json(json) => quote!(#json),
        Source::Words(words) => {
            let words: Vec<String> = words
                .iter()
                .map(|word| crate::check::quoted(word))
                .collect();
            let json = format!("[{}]", words.join(","));
            quote!(#json)
        }
        Source::RunTime => quote!("[]"),
    }
}

/// A name for generated items.
fn numbered(stem: &str, at: usize) -> Ident {
    format_ident!("{stem}_{at}")
}
