//! MCP: the tools of an API as a `tools/list` result (revision 2025-11-25, also valid in 2026-07-28).
//!
//! `enum` stays `enum`, `oneOf` stays `oneOf`, and a choice that must be asked for ends its description with the call that lists it
//! (contract G1). An output schema is composed so that a client that checks results accepts an error too (contract S5).

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::{Api, Operation, Shape, Type};
use crate::json::Tree;
use crate::schema::{self, Schemas};

/// Writes `tools.json`. An API none of whose operations is exposed as a tool exposes all of them.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct Mcp;

impl Target for Mcp {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let all = api
            .operations
            .iter()
            .all(|operation| operation.tool.is_none());
        let tools = api
            .operations
            .iter()
            .filter(|operation| all || operation.tool.is_some());
        let mut tools: Vec<(String, Tree)> = tools.map(|operation| tool(api, operation)).collect();
        tools.sort_by(|(a, _), (b, _)| a.cmp(b));
        let json = Tree::object([
            (
                "tools",
                Tree::Array(tools.into_iter().map(|(_, tool)| tool).collect()),
            ),
            (
                "_meta",
                Tree::object([("aon/generated", Tree::from(options.stamp(self.name(), api)))]),
            ),
        ]);
        vec![GeneratedFile::new("tools.json", json.to_pretty())]
    }
}

fn tool(api: &Api, operation: &Operation) -> (String, Tree) {
    let name = operation
        .tool
        .clone()
        .unwrap_or_else(|| tool_name(&operation.id));
    let mut json = Tree::object([("name", Tree::from(&name))]);
    json.set("title", operation.title());
    json.set_text("description", &description(operation));
    json.set("inputSchema", input(api, operation));
    json.set_some("outputSchema", output(api, operation));
    json.set_some("annotations", annotations(operation));
    (name, json)
}

/// A name the protocol allows: letters, digits, `_`, `-`, `.`, at most 128 of them.
fn tool_name(id: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !id.is_empty() && id.len() <= 128 && id.chars().all(fits) {
        return id.to_owned();
    }
    crate::names::snake(id)
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .take(128)
        .collect()
}

fn description(operation: &Operation) -> String {
    match (
        operation.summary.is_empty(),
        operation.description.is_empty(),
    ) {
        (false, false) if operation.description != operation.summary => {
            format!("{}\n\n{}", operation.summary, operation.description)
        }
        (false, _) => operation.summary.clone(),
        (true, _) => operation.description.clone(),
    }
}

fn input(api: &Api, operation: &Operation) -> Tree {
    let schemas = Schemas::new(api, "#/$defs/").with_inline_choices();
    let definition = operation.request.and_then(|id| api.definition(id));
    let Some(Shape::Object(object)) = definition.map(|definition| &definition.shape) else {
        return Tree::object([
            ("type", Tree::from("object")),
            ("additionalProperties", Tree::from(false)),
        ]);
    };
    let mut json = schemas.object(object);
    json.set("additionalProperties", false);
    let reachable = schemas.reachable(object.fields.iter().map(|field| &field.shape));
    json.set_some("$defs", schemas.definitions(&reachable));
    json
}

/// The success or the error. Only an object can be structured content.
fn output(api: &Api, operation: &Operation) -> Option<Tree> {
    let response = operation
        .responses
        .iter()
        .find(|response| response.status.starts_with('2'))?;
    let body = response.body.as_ref()?;
    let schemas = Schemas::new(api, "#/$defs/").with_inline_choices();
    let (_, definition) = api.behind(body);
    let is_object = matches!(
        definition.map(|definition| &definition.shape),
        Some(Shape::Object(_))
    ) || matches!(body, Type::Map(_));
    if !is_object {
        return None;
    }
    let failure = Tree::object([
        (
            "properties",
            Tree::object([("error", schema::problem(None, "documentation_uri"))]),
        ),
        ("required", Tree::array(["error"])),
    ]);
    let mut json = Tree::object([("type", Tree::from("object"))]);
    json.set("anyOf", Tree::Array(vec![schemas.of(body), failure]));
    json.set_some("$defs", schemas.definitions(&schemas.reachable([body])));
    Some(json)
}

/// Hints that follow from the method. Without one nothing is claimed.
fn annotations(operation: &Operation) -> Option<Tree> {
    let method = operation.method.as_deref()?;
    let reads = operation.reads_only()?;
    let mut json = Tree::object([("readOnlyHint", Tree::from(reads))]);
    if !reads {
        json.set(
            "destructiveHint",
            matches!(method, "DELETE" | "PUT" | "PATCH"),
        );
    }
    json.set(
        "idempotentHint",
        reads || matches!(method, "PUT" | "DELETE"),
    );
    Some(json)
}
