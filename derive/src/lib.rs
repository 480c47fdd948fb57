//! The macros of AON. Their documentation stands on the re-exports in `aon`, where its examples compile.
//!
//! The way of an input: `attr` reads attributes and keeps the tokens; `ast` is the tree as written; `check` turns it into
//! a tree that is proven right, or collects every mistake; `expand` writes the code and cannot fail, `fallback` writes
//! just enough that one mistake stays one message.

mod ast;
mod attr;
mod case;
mod check;
mod choices;
mod docs;
mod errors;
mod expand;
mod fallback;
mod format;
#[cfg(test)]
mod golden;
mod namespace;
mod shape;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// See `aon::Problem`.
#[proc_macro_derive(Problem, attributes(problem))]
pub fn derive_problem(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    problem(&input).into()
}

/// See `aon::Choices`.
#[proc_macro_derive(Choices, attributes(choice))]
pub fn derive_choices(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    choices::derive(&input).into()
}

/// See `aon::namespace`.
#[proc_macro]
pub fn namespace(input: TokenStream) -> TokenStream {
    namespace::declare(input.into()).into()
}

fn problem(input: &DeriveInput) -> proc_macro2::TokenStream {
    let mut errors = errors::Errors::new();
    let raw = ast::Input::read(input, &mut errors);
    let checked = raw.check(&mut errors);
    match errors.finish() {
        Ok(()) => expand::problem(&checked),
        Err(messages) => {
            let fallback = fallback::problem(input, &checked);
            quote::quote!(#messages #fallback)
        }
    }
}
