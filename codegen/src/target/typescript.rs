//! TypeScript: zod 4 schemas, the problems as a union discriminated by `code`, and a parser for all surfaces.

mod problems;
mod types;

use std::borrow::Cow;

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::{Api, Operation, Type};
use crate::json::{Json, quote};
use crate::names;
use crate::order::named;
use crate::writer::{Writer, every_byte, is_visible, prose};

/// Writes `types.ts`, `operations.ts`, `problems.ts`, `runtime.ts`, `stream.ts` and `index.ts`. They need zod 4 and nothing else.
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
            GeneratedFile::new("operations.ts", operations(api, head.clone())),
            GeneratedFile::new("problems.ts", problems::emit(api, head.clone())),
            GeneratedFile::new(
                "runtime.ts",
                format!("{head}{}", include_str!("typescript/runtime.ts")),
            ),
            GeneratedFile::new(
                "stream.ts",
                format!("{head}{}", include_str!("typescript/stream.ts")),
            ),
        ];
        let mut index = Writer::new(head, "  ");
        index.blank();
        index.line("export * as types from \"./types.js\";");
        index.line("export * as operations from \"./operations.js\";");
        index.line("export * from \"./problems.js\";");
        files.push(GeneratedFile::new("index.ts", index.finish()));
        files
    }
}

fn operations(api: &Api, head: String) -> String {
    let mut out = Writer::new(String::new(), "  ");
    if api.operations.is_empty() {
        out.line("export {};");
    }
    for operation in &api.operations {
        comment(
            &mut out,
            &[operation.title(), &operation.description],
            operation.deprecated,
        );
        let start = out.begin();
        start.push_str("export const ");
        start.push_str(&operation.camel);
        start.push_str(" = {");
        out.end_open();
        let told = [
            ("id", Some(&operation.id)),
            ("method", operation.method.as_ref()),
            ("path", operation.path.as_ref()),
            ("tool", operation.tool.as_ref()),
            ("skill", operation.skill.as_ref()),
        ];
        for (name, value) in told {
            if let Some(value) = value {
                let line = out.begin();
                line.push_str(name);
                line.push_str(": ");
                quote(value, line);
                line.push(',');
                out.end();
            }
        }
        if let Some(request) = operation.request {
            let line = out.begin();
            line.push_str("request: types.");
            line.push_str(api.type_name(request));
            line.push(',');
            out.end();
        }
        if let Some(body) = answer(operation) {
            let line = out.begin();
            line.push_str("response: ");
            types::schema(api, body, "types.", line);
            line.push(',');
            out.end();
        }
        let line = out.begin();
        line.push_str("problems: [");
        for (at, code) in operation.problems.iter().enumerate() {
            line.push_str(if at > 0 { ", " } else { "" });
            quote(code, line);
        }
        line.push_str("],");
        out.end();
        out.close("} as const;");
        out.blank();
    }
    let body = out.finish();
    let mut out = Writer::new(head, "  ");
    out.blank();
    imports(api, &mut out);
    out.finish() + &body
}

/// The imports that the operations need: zod, what zod lacks, and the types.
fn imports(api: &Api, out: &mut Writer) {
    let answers = || api.operations.iter().filter_map(answer);
    if answers().any(|body| !matches!(body, Type::Named(_))) {
        out.line("import * as z from \"zod\";");
    }
    if answers().any(types::is_beyond) {
        out.line("import * as runtime from \"./runtime.js\";");
    }
    let has_request = api
        .operations
        .iter()
        .any(|operation| operation.request.is_some());
    if has_request || answers().any(|body| !named(body).is_empty()) {
        out.line("import * as types from \"./types.js\";");
        out.blank();
    }
}

fn answer(operation: &Operation) -> Option<&Type> {
    operation
        .responses
        .iter()
        .find(|response| response.status.starts_with('2'))?
        .body
        .as_ref()
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

/// Text that cannot end a comment and is no tag.
fn push_comment(line: &str, out: &mut String) {
    if every_byte(line, |byte| byte != b'*' && byte != b'@') {
        out.push_str(line);
        return;
    }
    out.push_str(&line.replace("*/", "*\\/").replace('@', "&#64;"));
}

/// A string literal.
pub(super) fn text(text: &str) -> String {
    Json::from(text).to_compact()
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
