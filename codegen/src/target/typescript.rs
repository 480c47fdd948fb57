//! TypeScript: zod 4 schemas, the problems as a union discriminated by `code`, a parser for all surfaces, and a client for fetch.

mod client;
mod operations;
mod problems;
mod types;

use std::borrow::Cow;

use super::{Options, Target, recovery};
use crate::file::GeneratedFile;
use crate::ir::Api;
use crate::json::Tree;
use crate::names;
use crate::writer::{Writer, every_byte, is_visible, prose};

/// Writes `types.ts`, `operations.ts`, `problems.ts`, `client.ts`, `runtime.ts`, `stream.ts`, `recovery.ts` and `index.ts`. They need zod 4 and nothing
/// else.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct TypeScript;

impl Target for TypeScript {
    fn name(&self) -> &'static str {
        "typescript"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let head = options.head(self.name(), api, "//");
        let mut files = vec![
            GeneratedFile::new("types.ts", types::emit(api, head.clone())),
            GeneratedFile::new("operations.ts", operations::emit(api, head.clone())),
            GeneratedFile::new("problems.ts", problems::emit(api, head.clone())),
            GeneratedFile::new(
                "runtime.ts",
                format!("{head}{}", include_str!("typescript/runtime.ts")),
            ),
            GeneratedFile::new(
                "stream.ts",
                format!("{head}{}", include_str!("typescript/stream.ts")),
            ),
            GeneratedFile::new(
                "recovery.ts",
                format!(
                    "{head}{}",
                    recovery::with_table(include_str!("typescript/recovery.ts"), "  [", "],")
                ),
            ),
        ];
        let mut index = Writer::new(head.clone(), "  ");
        index.blank();
        index.line("export * as types from \"./types.js\";");
        index.line("export * as operations from \"./operations.js\";");
        index.line("export * from \"./problems.js\";");
        if client::has_calls(api) {
            index.line("export * from \"./client.js\";");
            files.push(GeneratedFile::new("client.ts", client::emit(api, head)));
        }
        files.push(GeneratedFile::new("index.ts", index.finish()));
        files
    }
}

/// A documentation comment of these paragraphs, without repetition.
pub(super) fn comment(out: &mut Writer, paragraphs: &[&str], deprecated: bool) {
    if let [only] = paragraphs
        && !deprecated
        && is_simple(only)
    {
        let only = only.trim();
        if !only.is_empty() {
            let text = out.begin();
            text.push_str("/** ");
            text.push_str(only);
            text.push_str(" */");
            out.end();
        }
        return;
    }
    let mut lines: Vec<Cow<'_, str>> = Vec::new();
    for (at, paragraph) in paragraphs.iter().enumerate() {
        let paragraph = paragraph.trim();
        let told = |known: &&str| known.trim() == paragraph;
        if paragraph.is_empty() || paragraphs.iter().take(at).any(told) {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Cow::Borrowed(""));
        }
        lines.append(&mut prose(paragraph));
    }
    match lines.as_slice() {
        [] if !deprecated => {}
        [] => out.line("/** @deprecated */"),
        [only] if !deprecated => {
            let text = out.begin();
            text.push_str("/** ");
            push_comment(only, text);
            text.push_str(" */");
            out.end();
        }
        lines => {
            out.line("/**");
            for line in lines {
                let text = out.begin();
                text.push_str(if line.is_empty() { " *" } else { " * " });
                push_comment(line, text);
                out.end();
            }
            if deprecated {
                out.line(" * @deprecated");
            }
            out.line(" */");
        }
    }
}

/// Whether it is one line that means nothing in a comment.
fn is_simple(text: &str) -> bool {
    every_byte(text, |byte| {
        is_visible(byte) && byte != b'*' && byte != b'@'
    })
}

/// Text that cannot end a comment and is not a tag.
fn push_comment(line: &str, out: &mut String) {
    if every_byte(line, |byte| byte != b'*' && byte != b'@') {
        out.push_str(line);
        return;
    }
    out.push_str(&line.replace("*/", "*\\/").replace('@', "&#64;"));
}

/// A string literal.
pub(super) fn text(text: &str) -> String {
    Tree::from(text).to_compact()
}

/// The key of a property in an object literal or type.
pub(super) fn key(name: &str) -> Cow<'_, str> {
    if names::is_plain_property(name) {
        Cow::Borrowed(name)
    } else if name == "__proto__" {
        // Quoted it would set the prototype.
        Cow::Owned(format!("[{}]", text(name)))
    } else {
        Cow::Owned(text(name))
    }
}
