//! A2A: the agent card of an API (version 1.0), with its skills and the declared error extension (contract S6).

use std::collections::BTreeMap;

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::{Api, Operation};
use crate::json::Tree;

/// The extension that says that errors carry the problem as `pspace.a2a.error.v1`.
pub const EXTENSION: &str = "https://possibility.space/a2a/extensions/problem/v1";

/// Writes `agent-card.json`. An API none of whose operations is exposed as a skill exposes all of them.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct A2a;

impl Target for A2a {
    fn name(&self) -> &'static str {
        "a2a"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let all = api
            .operations
            .iter()
            .all(|operation| operation.skill.is_none());
        let mut skills: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
        for operation in &api.operations {
            if let Some(id) = operation
                .skill
                .as_deref()
                .or(all.then_some(operation.id.as_str()))
            {
                skills.entry(id).or_default().push(operation);
            }
        }
        let mut json = Tree::object([("name", Tree::from(&api.title))]);
        json.set("description", or_title(&api.description, &api.title));
        json.set("supportedInterfaces", Tree::Array(vec![interface(api)]));
        json.set(
            "version",
            if api.version.is_empty() {
                "0.0.0"
            } else {
                &api.version
            },
        );
        json.set_some("documentationUrl", api.docs_url.as_ref());
        json.set(
            "capabilities",
            Tree::object([(
                "extensions",
                Tree::Array(vec![extension(api, &options.stamp(self.name(), api))]),
            )]),
        );
        json.set("defaultInputModes", Tree::array(["application/json"]));
        json.set("defaultOutputModes", Tree::array(["application/json"]));
        json.set(
            "skills",
            Tree::array(
                skills
                    .iter()
                    .map(|(id, operations)| skill(api, id, operations)),
            ),
        );
        vec![GeneratedFile::new("agent-card.json", json.to_pretty())]
    }
}

fn interface(api: &Api) -> Tree {
    let base = api
        .servers
        .first()
        .map_or("http://localhost", String::as_str);
    Tree::object([
        (
            "url",
            Tree::from(format!("{}/a2a", base.trim_end_matches('/'))),
        ),
        ("protocolBinding", Tree::from("JSONRPC")),
        ("protocolVersion", Tree::from("1.0")),
    ])
}

fn extension(api: &Api, stamp: &str) -> Tree {
    let codes = api
        .problems
        .iter()
        .map(|problem| problem.record.code.as_str());
    let params = Tree::object([
        ("schema", Tree::from("pspace.a2a.error.v1")),
        ("codes", Tree::array(codes)),
        ("generated", Tree::from(stamp)),
    ]);
    Tree::object([
        ("uri", Tree::from(EXTENSION)),
        (
            "description",
            Tree::from(
                "Errors carry an RFC 9457 problem with valid values, remediation and corrections.",
            ),
        ),
        ("required", Tree::from(false)),
        ("params", params),
    ])
}

fn skill(api: &Api, id: &str, operations: &[&Operation]) -> Tree {
    let mut tags: Vec<&str> = operations
        .iter()
        .flat_map(|operation| &operation.tags)
        .map(String::as_str)
        .collect();
    tags.sort_unstable();
    tags.dedup();
    if tags.is_empty() {
        tags.push(&api.slug);
    }
    let title = operations.first().map_or(id, |operation| operation.title());
    let lines: Vec<&str> = operations
        .iter()
        .map(|operation| or_title(&operation.description, operation.title()))
        .collect();
    let mut json = Tree::object([("id", Tree::from(id)), ("name", Tree::from(title))]);
    json.set("description", lines.join("\n\n"));
    json.set("tags", Tree::array(tags));
    let examples: Vec<Tree> = operations
        .iter()
        .flat_map(|operation| api.problems_of(operation))
        .filter_map(|problem| {
            problem
                .example
                .get("remediation")?
                .get("example_request")?
                .get("body")
                .map(Tree::to_compact)
        })
        .map(Tree::from)
        .collect();
    if !examples.is_empty() {
        json.set("examples", Tree::Array(examples));
    }
    json
}

fn or_title<'a>(text: &'a str, title: &'a str) -> &'a str {
    if text.is_empty() { title } else { text }
}
