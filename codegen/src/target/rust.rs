//! Rust: types with serde, choices with `Choices`, the errors of the server as an enum with `Problem`, and what a client receives.

mod binary;
mod client;
mod extensions;
mod layout;
mod problems;
mod types;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::Api;
use crate::writer::prose;

/// Writes `api.rs`, `api/types.rs` and `api/problems.rs`, a module of a program that uses `aon`, `serde` and `serde_json`.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct Rust;

impl Target for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let head = options.head(self.name(), api, "//");
        vec![
            GeneratedFile::new("api.rs", root(api, &head) + MODULES),
            GeneratedFile::new("api/types.rs", format(&head, &types::emit(api))),
            GeneratedFile::new("api/problems.rs", format(&head, &problems::emit(api))),
        ]
    }
}

/// Writes `api.rs`, `api/types.rs`, `api/problems.rs` and `api/client.rs`, a module of a program that uses `aon`, `serde`,
/// `serde_json` and `reqwest`.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct RustClient;

impl Target for RustClient {
    fn name(&self) -> &'static str {
        "rust-client"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let head = options.head(self.name(), api, "//");
        let root = root(api, &head) + "#[rustfmt::skip]\npub mod client;\n" + MODULES;
        vec![
            GeneratedFile::new("api.rs", root),
            GeneratedFile::new("api/client.rs", client::emit(api, &head)),
            GeneratedFile::new("api/types.rs", format(&head, &types::emit(api))),
            GeneratedFile::new(
                "api/problems.rs",
                format(&head, &problems::emit_client(api)),
            ),
        ]
    }
}

fn root(api: &Api, head: &str) -> String {
    let title = inner_docs(&[&api.title, &api.description]);
    format(head, &title) + ROOT
}

/// The module itself. What is allowed comes from the document (its names, the layout of its words) or from the program that uses
/// only a part. The code is laid out as rustfmt does by default; a program with other settings leaves it as it is, so that it
/// can be compared.
const ROOT: &str = r#"#![allow(
    dead_code,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    reason = "names and words are those of the API, and a program need not use all of it"
)]

"#;

const MODULES: &str = "#[rustfmt::skip]
pub mod problems;
#[rustfmt::skip]
pub mod types;
";

/// Lays the code out. What cannot be parsed back is our mistake; it is written as it is, for the compiler to point at.
fn format(head: &str, code: &TokenStream) -> String {
    let body = match syn::parse2::<syn::File>(code.clone()) {
        Ok(file) => layout::lay_out(&file),
        Err(_) => code.to_string(),
    };
    format!("{head}\n{body}")
}

/// Doc comments of these paragraphs.
fn docs(paragraphs: &[&str]) -> TokenStream {
    doc_lines(paragraphs)
        .iter()
        .map(|line| quote!(#[doc = #line]))
        .collect()
}

fn inner_docs(paragraphs: &[&str]) -> TokenStream {
    doc_lines(paragraphs)
        .iter()
        .map(|line| quote!(#![doc = #line]))
        .collect()
}

fn doc_lines(paragraphs: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut fenced = false;
    for paragraph in paragraphs {
        let paragraph = paragraph.trim();
        if paragraph.is_empty() || seen.contains(&paragraph) {
            continue;
        }
        seen.push(paragraph);
        if !lines.is_empty() {
            lines.push(String::new());
        }
        for line in prose(paragraph) {
            let text = line.trim_start();
            if text.starts_with("```") || text.starts_with("~~~") {
                fenced = !fenced;
                // Without a language rustdoc takes a block for Rust and runs it.
                lines.push(if fenced {
                    " ```text".to_owned()
                } else {
                    " ```".to_owned()
                });
                continue;
            }
            // Four spaces make a block too.
            let indent = line.len() - text.len();
            let kept = if fenced { indent } else { indent.min(3) };
            let text = text.replace("*/", "*\u{200b}/").replace("/*", "/\u{200b}*");
            lines.push(if text.is_empty() {
                String::new()
            } else {
                format!(" {}{text}", " ".repeat(kept))
            });
        }
    }
    if fenced {
        lines.push(" ```".to_owned());
    }
    lines
}

/// An identifier that lowering has made sure is one.
fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

fn text(text: &str) -> Literal {
    Literal::string(text)
}
