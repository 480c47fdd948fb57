//! What is written beside a mistake: just enough that nothing else complains.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::check::proven::Input;

/// An empty `Problem`, so that one mistake stays one message.
pub(crate) fn problem(input: &DeriveInput, checked: &Input<'_>) -> TokenStream {
    // A union is not an error either, so an impl would only bring a second message.
    if matches!(input.data, Data::Union(_)) {
        return TokenStream::new();
    }
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let (_, ty_generics, _) = input.generics.split_for_impl();
        let bound = syn::parse_quote!(#ident #ty_generics: __aon::Error);
        generics.make_where_clause().predicates.push(bound);
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let krate = &checked.krate;
    let answers = crate::expand::answers(
        &checked.adapters,
        &quote!([#impl_generics] [#ident #ty_generics] [#where_clause]),
    );
    quote! {
        const _: () = {
            use #krate::__private as __aon;

            #[automatically_derived]

            impl #impl_generics __aon::Problem for #ident #ty_generics #where_clause {
                fn entry(&self) -> __aon::Option<&'static __aon::Entry> {
                    __aon::None
                }
            }

            #[automatically_derived]

            impl #impl_generics __aon::Specimens for #ident #ty_generics #where_clause {
                fn specimens() -> __aon::Vec<__aon::Specimen<Self>> {
                    __aon::Vec::new()
                }
            }

            #answers
        };
    }
}
