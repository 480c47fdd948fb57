//! One value of every variant, private fields marked, for the leak test (P9).

use proc_macro2::TokenStream;
use quote::quote;

use super::path;
use crate::check::proven::{Input, Kind, Role, Variant};

pub(super) fn expand(input: &Input<'_>) -> TokenStream {
    let ident = &input.original.ident;
    let (impl_generics, ty_generics, where_clause) = input.original.generics.split_for_impl();
    let variants = input.variants.iter().map(|variant| match variant.kind {
        Kind::Transparent => transparent(variant),
        Kind::Declared(_) => declared(variant),
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics __aon::Specimens for #ident #ty_generics #where_clause {
            #[allow(unused_imports, unused_mut, unused_variables)]
            fn specimens() -> __aon::Vec<__aon::Specimen<Self>> {
                use __aon::{CannotFill as _, Fills as _, HasSpecimens as _};
                let mut found = __aon::Vec::new();
                #(#variants)*
                found
            }
        }
    }
}

fn declared(variant: &Variant<'_>) -> TokenStream {
    let name = variant.ident.map(crate::attr::unraw).unwrap_or_default();
    let path = path(variant);
    let fields = variant.fields.iter().map(|field| {
        let (member, ty, name) = (&field.member, field.ty, &field.name);
        let public = !matches!(field.role, Role::Private);
        quote! {
            #member: canaries.field(#name, #public, |canaries| (&&&__aon::Probe::<#ty>::new()).fill(canaries))?
        }
    });
    quote! {
        found.push(__aon::Specimen::build(#name, |canaries| __aon::Some(#path { #(#fields),* })));
    }
}

/// One specimen for each of the inner type.
fn transparent(variant: &Variant<'_>) -> TokenStream {
    let name = variant.ident.map(crate::attr::unraw).unwrap_or_default();
    let path = path(variant);
    let fields = variant.fields.iter().map(|field| {
        let (member, ty) = (&field.member, field.ty);
        quote! {
            for specimen in (&&&__aon::Probe::<#ty>::new()).fill_all() {
                found.push(specimen.inside(#name, |inner| #path { #member: inner }));
            }
        }
    });
    quote!(#(#fields)*)
}
