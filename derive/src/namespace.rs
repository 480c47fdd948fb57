//! `namespace!("…")`: the namespace of a crate, said once.

use aon_core::Namespace;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path, Token};

/// The namespace, and where `aon` is.
struct Said {
    text: LitStr,
    krate: Option<Path>,
}

impl Parse for Said {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let text: LitStr = input.parse()?;
        let comma: Option<Token![,]> = input.parse()?;
        let mut krate = None;
        if comma.is_some() && !input.is_empty() {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            krate = Some(input.call(Path::parse_mod_style)?);
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(Self { text, krate })
    }
}

pub(crate) fn declare(input: TokenStream) -> TokenStream {
    let checked = syn::parse2::<Said>(input).and_then(|said| {
        let namespace = Namespace::parse(&said.text.value())
            .map_err(|error| syn::Error::new(said.text.span(), error))?;
        Ok((said, namespace))
    });
    let (Said { krate, .. }, namespace) = match checked {
        Ok(checked) => checked,
        Err(error) => return error.to_compile_error(),
    };
    let krate = krate.unwrap_or_else(|| syn::parse_quote!(::aon));
    let (prefix, urn) = (namespace.type_prefix(), namespace.urn_name());
    let quoted = |text: &str| crate::check::quoted(text);
    let (said, name) = (quoted(prefix), quoted(urn));
    let record = format!("{{\"namespace\":{said},\"urn\":{name},\"rank\":");
    quote! {
        #[doc(hidden)]
        #[allow(dead_code)]
        mod __aon_namespace {
            use #krate::__private as __aon;

            pub const PREFIX: &__aon::str = #prefix;
            pub const URN: &__aon::str = #urn;

            __aon::say_namespace! { #record }
        }
    }
}
