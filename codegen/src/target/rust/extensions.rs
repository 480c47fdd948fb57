//! The members that a problem has beside those of every problem: fields of the server's variant, a struct for the client.

use aon_core::ExtensionName;
use proc_macro2::TokenStream;
use quote::quote;

use super::types::scalar;
use super::{docs, ident, text};
use crate::ir::{Field, Problem, Type};
use crate::names::{self, Unique};

/// The extensions that a Rust program can name; `challenge` has an attribute of its own.
fn own(problem: &Problem) -> impl Iterator<Item = &Field> {
    problem.extensions.iter().filter(|field| {
        *field.wire != *"challenge" && ExtensionName::parse(field.wire.to_string()).is_ok()
    })
}

/// The fields of the variant that a server returns. `None` is not sent.
pub(super) fn fields(problem: &Problem, unique: &mut Unique) -> Vec<TokenStream> {
    own(problem)
        .map(|field| {
            let about = docs(&[about(field)]);
            let (wire, shape) = (text(&field.wire), rust(&field.shape));
            let member = ident(&unique.take(names::rust_field(&field.wire)));
            quote! {
                #about
                #[problem(extension = #wire)]
                #member: ::std::option::Option<#shape>,
            }
        })
        .collect()
}

/// What a client reads of them; nothing for a problem without any.
pub(super) fn declare(problem: &Problem) -> Option<TokenStream> {
    own(problem).next()?;
    let name = ident(&format!("{}Extensions", problem.variant));
    let title = docs(&[&format!(
        "What `{}` says beside the members of every problem.",
        problem.record.code
    )]);
    let mut unique = Unique::default();
    let (mut members, mut reads) = (Vec::new(), Vec::new());
    for field in own(problem) {
        let about = docs(&[about(field)]);
        let (wire, shape) = (text(&field.wire), rust(&field.shape));
        let member = ident(&unique.take(names::rust_field(&field.wire)));
        members.push(quote!(#about pub #member: ::std::option::Option<#shape>,));
        reads.push(quote!(#member: all.get(#wire).and_then(|value| value.read().ok()),));
    }
    Some(quote! {
        #title
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct #name { #(#members)* }

        impl #name {
            /// Reads them; what is missing or of another type is `None`.
            pub fn of(problem: &::aon::ProblemDetails) -> Self {
                let all = problem.extensions();
                Self { #(#reads)* }
            }
        }
    })
}

fn about(field: &Field) -> &str {
    match &*field.description {
        "" => "A member of this problem.",
        about => about,
    }
}

/// Types without names: objects stay open, because a server may add to them.
fn rust(shape: &Type) -> TokenStream {
    match shape {
        Type::List(item, _) => {
            let item = rust(item);
            quote!(::std::vec::Vec<#item>)
        }
        Type::Map(item) => {
            let item = rust(item);
            quote!(::std::collections::BTreeMap<::std::string::String, #item>)
        }
        Type::Nullable(inner) => {
            let inner = rust(inner);
            quote!(::std::option::Option<#inner>)
        }
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_)
        | Type::Tuple(_)
        | Type::Named(_) => scalar(shape),
    }
}
