//! Golden expansions: what the macros write for three typical inputs, for a reviewer to read.
//!
//! `AON_BLESS=1 cargo test -p aon-derive golden` writes them anew; `tests/expansion.rs` compiles them.

use std::path::Path;

use quote::{ToTokens, quote};
use syn::{Attribute, DeriveInput, Item, Meta};

const CASES: [&str; 3] = ["authorisation", "choices", "generic"];

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads its goldens, and writes them on request"
)]
fn golden_expansions_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansion");
    let inputs = folder.join("input").read_dir().unwrap().count();
    assert_eq!(inputs, CASES.len(), "every input is a case");
    for case in CASES {
        let input =
            std::fs::read_to_string(folder.join("input").join(format!("{case}.rs"))).unwrap();
        let expanded = expand(&input);
        let golden = folder.join(format!("{case}.rs"));
        if std::env::var("AON_BLESS").is_ok() {
            std::fs::write(&golden, &expanded).unwrap();
        }
        let kept = std::fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            kept == expanded,
            "{} is not current:\n{expanded}",
            golden.display()
        );
    }
}

/// The item without what was expanded, and the expansion after it.
fn expand(input: &str) -> String {
    let mut file = syn::parse_file(input).unwrap();
    for item in std::mem::take(&mut file.items) {
        let whole: DeriveInput = syn::parse2(item.to_token_stream()).unwrap();
        let expansion = if input.contains("aon::Choices") {
            crate::choices::derive(&whole)
        } else {
            crate::problem(&whole)
        };
        let more: syn::File = syn::parse2(expansion).unwrap();
        file.items.push(bare(item));
        file.items.extend(more.items);
    }
    prettyplease::unparse(&file)
}

/// The item without our derives and their attributes.
fn bare(mut item: Item) -> Item {
    let strip = |attrs: &mut Vec<Attribute>| {
        attrs.retain(|attr| !attr.path().is_ident("problem") && !attr.path().is_ident("choice"));
        for attr in attrs.iter_mut() {
            if let Meta::List(list) = &mut attr.meta
                && list.path.is_ident("derive")
            {
                let kept = list.tokens.to_string().replace(' ', "");
                let kept = kept
                    .replace(",aon::Problem", "")
                    .replace(",aon::Choices", "");
                let kept: proc_macro2::TokenStream = kept.parse().unwrap();
                list.tokens = quote!(#kept);
            }
        }
    };
    match &mut item {
        Item::Enum(item) => {
            strip(&mut item.attrs);
            for variant in &mut item.variants {
                strip(&mut variant.attrs);
                variant
                    .fields
                    .iter_mut()
                    .for_each(|field| strip(&mut field.attrs));
            }
        }
        Item::Struct(item) => {
            strip(&mut item.attrs);
            item.fields
                .iter_mut()
                .for_each(|field| strip(&mut field.attrs));
        }
        _ => {}
    }
    item
}
