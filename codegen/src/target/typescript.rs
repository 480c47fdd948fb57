//! TypeScript: zod 4 schemas, the problems as a union discriminated by `code`, and a parser for all surfaces.

mod problems;
mod types;

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::{Api, Operation};
use crate::json::Json;
use crate::names;
use crate::writer::{Writer, prose};

/// Writes `types.ts`, `operations.ts`, `problems.ts`, `runtime.ts` and `index.ts`. They need zod 4 and nothing else.
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
        out.open(format!("export const {} = {{", operation.camel));
        out.line(format!("id: {},", text(&operation.id)));
        if let Some(method) = &operation.method {
            out.line(format!("method: {},", text(method)));
        }
        if let Some(path) = &operation.path {
            out.line(format!("path: {},", text(path)));
        }
        if let Some(tool) = &operation.tool {
            out.line(format!("tool: {},", text(tool)));
        }
        if let Some(skill) = &operation.skill {
            out.line(format!("skill: {},", text(skill)));
        }
        if let Some(request) = operation.request {
            out.line(format!("request: types.{},", api.type_name(request)));
        }
        if let Some(body) = answer(operation) {
            out.line(format!("response: {},", types::schema(api, body, "types.")));
        }
        let codes: Vec<String> = operation.problems.iter().map(|code| text(code)).collect();
        out.line(format!("problems: [{}],", codes.join(", ")));
        out.close("} as const;");
        out.blank();
    }
    let body = out.finish();
    let mut out = Writer::new(head, "  ");
    out.blank();
    if body.contains(" z.") {
        out.line("import * as z from \"zod\";");
    }
    if body.contains("types.") {
        out.line("import * as types from \"./types.js\";");
        out.blank();
    }
    out.finish() + &body
}

fn answer(operation: &Operation) -> Option<&crate::ir::Type> {
    operation
        .responses
        .iter()
        .find(|response| response.status.starts_with('2'))?
        .body
        .as_ref()
}

/// A documentation comment of these paragraphs, without repetition.
pub(super) fn comment(out: &mut Writer, paragraphs: &[&str], deprecated: bool) {
    let mut lines: Vec<String> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for paragraph in paragraphs {
        let paragraph = paragraph.trim();
        if paragraph.is_empty() || seen.contains(&paragraph) {
            continue;
        }
        seen.push(paragraph);
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(
            prose(paragraph)
                .into_iter()
                .map(|line| line.replace("*/", "*\\/").replace('@', "&#64;")),
        );
    }
    if deprecated {
        lines.push("@deprecated".to_owned());
    }
    match lines.as_slice() {
        [] => {}
        [only] => out.line(format!("/** {only} */")),
        _ => {
            out.line("/**");
            for line in &lines {
                out.line(if line.is_empty() {
                    " *".to_owned()
                } else {
                    format!(" * {line}")
                });
            }
            out.line(" */");
        }
    }
}

/// A string literal.
pub(super) fn text(text: &str) -> String {
    Json::from(text).to_compact()
}

/// The key of a property in an object literal or type.
pub(super) fn key(name: &str) -> String {
    if names::is_plain_property(name) {
        name.to_owned()
    } else if name == "__proto__" {
        // Quoted it would set the prototype.
        format!("[{}]", text(name))
    } else {
        text(name)
    }
}
