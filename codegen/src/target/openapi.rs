//! OpenAPI 3.1 and 3.2: the operations with their problems, each with its schema and an example.
//!
//! The two differ in what they have room for: 3.2 takes operations of any method, 3.1 only the eight it names.
//! The errors are written a second time as `x-aon-errors`, so that the document can be read back without loss.

use std::collections::{BTreeMap, BTreeSet};

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::{Api, Field, Location, Object, Operation, Problem, Response, Shape, Style, Type};
use crate::json::Tree;
use crate::lower::LowerIssue;
use crate::schema::{self, Schemas};

/// Writes `openapi.json`.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct OpenApi;

impl Target for OpenApi {
    fn name(&self) -> &'static str {
        "openapi"
    }

    fn refusals<'a>(&self, api: &'a Api) -> &'a [LowerIssue] {
        &api.shared_routes
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        vec![document(
            api,
            &options.stamp(self.name(), api),
            Version::V31,
        )]
    }
}

/// Writes `openapi.json` in version 3.2.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct OpenApi32;

impl Target for OpenApi32 {
    fn name(&self) -> &'static str {
        "openapi-3.2"
    }

    fn refusals<'a>(&self, api: &'a Api) -> &'a [LowerIssue] {
        &api.shared_routes
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        vec![document(
            api,
            &options.stamp(self.name(), api),
            Version::V32,
        )]
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Version {
    V31,
    V32,
}

fn document(api: &Api, stamp: &str, version: Version) -> GeneratedFile {
    let names = problem_names(api);
    let mut info = Tree::object([("title", Tree::from(&api.title))]);
    info.set(
        "version",
        if api.version.is_empty() {
            "0.0.0"
        } else {
            &api.version
        },
    );
    info.set_text("description", &api.description);
    let number = match version {
        Version::V31 => "3.1.0",
        Version::V32 => "3.2.0",
    };
    let mut json = Tree::object([("openapi", Tree::from(number))]);
    json.set("info", info);
    json.set("x-aon-generated", stamp);
    json.set("x-aon-api", &api.slug);
    if let Some(url) = &api.docs_url {
        json.set("externalDocs", Tree::object([("url", Tree::from(url))]));
    }
    if !api.servers.is_empty() {
        json.set(
            "servers",
            Tree::array(
                api.servers
                    .iter()
                    .map(|url| Tree::object([("url", Tree::from(url))])),
            ),
        );
    }
    json.set("paths", paths(api, &names, version));
    json.set("components", components(api, &names));
    GeneratedFile::new("openapi.json", json.to_pretty())
}

/// The name of each problem among the schemas, by code. A type of the API keeps its name.
fn problem_names(api: &Api) -> BTreeMap<&str, String> {
    let taken: BTreeSet<String> = api
        .types
        .iter()
        .map(|definition| schema::key(&definition.name))
        .collect();
    let free = |problem: &Problem| {
        let name = schema::key(&format!("{}Problem", problem.variant));
        if taken.contains(&name) {
            format!("{name}_")
        } else {
            name
        }
    };
    api.problems
        .iter()
        .map(|problem| (problem.record.code.as_str(), free(problem)))
        .collect()
}

/// The operations of a path: those with a place of their own, and the others by method.
#[derive(Default)]
struct Item<'a> {
    known: BTreeMap<&'a str, Tree>,
    further: BTreeMap<String, Tree>,
}

fn paths(api: &Api, names: &BTreeMap<&str, String>, version: Version) -> Tree {
    let mut paths: BTreeMap<&str, Item<'_>> = BTreeMap::new();
    for operation in &api.operations {
        let (Some(path), Some(method)) = (&operation.path, &operation.method) else {
            continue;
        };
        let mut words = METHODS.iter().take(match version {
            Version::V31 => METHODS.len() - 1,
            Version::V32 => METHODS.len(),
        });
        let word = words.find(|word| word.eq_ignore_ascii_case(method));
        let Item { known, further } = paths.entry(path).or_default();
        match (word, version) {
            (Some(word), _) => {
                known
                    .entry(word)
                    .or_insert_with(|| describe(api, operation, names));
            }
            (None, Version::V32) => {
                further
                    .entry(method.clone())
                    .or_insert_with(|| describe(api, operation, names));
            }
            // 3.1 has no place for other methods.
            (None, Version::V31) => {}
        }
    }
    paths.retain(|_, item| !item.known.is_empty() || !item.further.is_empty());
    Tree::object(paths.into_iter().map(|(path, Item { known, further })| {
        let mut item = Tree::object(known);
        if !further.is_empty() {
            item.set("additionalOperations", Tree::object(further));
        }
        (rooted(path), item)
    }))
}

/// The methods with a place of their own; the last one only since 3.2.
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];

fn rooted(path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    }
}

fn describe(api: &Api, operation: &Operation, names: &BTreeMap<&str, String>) -> Tree {
    let schemas = Schemas::new(api, "#/components/schemas/");
    let mut json = Tree::object([("operationId", Tree::from(&operation.id))]);
    if !operation.tags.is_empty() {
        json.set("tags", Tree::array(operation.tags.iter()));
    }
    json.set_text("summary", &operation.summary);
    json.set_text("description", &operation.description);
    if operation.deprecated {
        json.set("deprecated", true);
    }
    if let Some(url) = &operation.docs_url {
        json.set("externalDocs", Tree::object([("url", Tree::from(url))]));
    }
    json.set_some("x-aon-mcp-tool", operation.tool.as_ref());
    json.set_some("x-aon-a2a-skill", operation.skill.as_ref());
    let fields = fields(api, operation);
    let parameters = parameters(&schemas, operation, fields);
    if !parameters.is_empty() {
        json.set("parameters", Tree::Array(parameters));
    }
    json.set_some("requestBody", body(&schemas, operation, fields));
    json.set("responses", responses(api, &schemas, operation, names));
    json
}

fn fields<'a>(api: &'a Api, operation: &Operation) -> &'a [Field] {
    match operation
        .request
        .and_then(|id| api.definition(id))
        .map(|definition| &definition.shape)
    {
        Some(Shape::Object(object)) => &object.fields,
        _ => &[],
    }
}

fn parameters(schemas: &Schemas<'_>, operation: &Operation, fields: &[Field]) -> Vec<Tree> {
    let mut found = Vec::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for field in fields {
        let name = field.sent_as();
        let place = match field.location {
            Location::Path if operation.placeholders().any(|own| own == name) => "path",
            Location::Path | Location::Query => "query",
            Location::Header => "header",
            Location::Cookie => "cookie",
            Location::Body | Location::WholeBody => continue,
        };
        if place == "path" {
            named.insert(name);
        }
        let mut schema = schemas.of(&field.shape);
        schema.set_some("default", field.default().cloned());
        let mut json = Tree::object([("name", Tree::from(name)), ("in", Tree::from(place))]);
        json.set("required", field.required || place == "path");
        json.set_text("description", &field.full_description());
        if field.deprecated {
            json.set("deprecated", true);
        }
        json.set_some("x-choices-endpoint", field.choices_endpoint());
        if field.style() == Style::Json {
            let content = Tree::object([("schema", schema)]);
            json.set("content", Tree::object([("application/json", content)]));
        } else {
            if place == "query" {
                write_style(field.style(), &mut json);
            }
            json.set("schema", schema);
        }
        found.push(json);
    }
    for name in operation
        .placeholders()
        .filter(|name| !named.contains(name))
    {
        let schema = Tree::object([("type", Tree::from("string"))]);
        found.push(Tree::object([
            ("name", Tree::from(name)),
            ("in", Tree::from("path")),
            ("required", Tree::from(true)),
            ("schema", schema),
        ]));
    }
    found
}

/// How a list or an object is written, where that is not the usual way.
fn write_style(style: Style, json: &mut Tree) {
    let word = match style {
        // OpenAPI has no word for tabs.
        Style::Repeated | Style::Tab | Style::Json => return,
        Style::Comma => None,
        Style::Space => Some("spaceDelimited"),
        Style::Pipe => Some("pipeDelimited"),
        Style::Deep => Some("deepObject"),
    };
    json.set_some("style", word);
    json.set("explode", style == Style::Deep);
}

fn body(schemas: &Schemas<'_>, operation: &Operation, fields: &[Field]) -> Option<Tree> {
    let media = operation
        .media_type
        .as_deref()
        .unwrap_or("application/json");
    if let Some(whole) = fields
        .iter()
        .find(|field| field.location == Location::WholeBody)
    {
        let mut json = Tree::Object(Vec::new());
        json.set_text("description", &whole.description);
        json.set("required", whole.required);
        json.set(
            "content",
            Tree::object([(media, Tree::object([("schema", schemas.of(&whole.shape))]))]),
        );
        return Some(json);
    }
    let inner: Vec<Field> = fields
        .iter()
        .filter(|field| field.location == Location::Body)
        .cloned()
        .collect();
    if inner.is_empty() {
        return None;
    }
    let required = operation.body_required || inner.iter().any(|field| field.required);
    let object = Object {
        fields: inner,
        ..Object::default()
    };
    let mut json = Tree::object([("required", Tree::from(required))]);
    json.set(
        "content",
        Tree::object([(media, Tree::object([("schema", schemas.object(&object))]))]),
    );
    Some(json)
}

fn responses(
    api: &Api,
    schemas: &Schemas<'_>,
    operation: &Operation,
    names: &BTreeMap<&str, String>,
) -> Tree {
    let mut json = Tree::Object(Vec::new());
    for response in &operation.responses {
        json.set(&response.status, success(schemas, response));
    }
    let mut by_status: BTreeMap<u16, Vec<&Problem>> = BTreeMap::new();
    for problem in api.problems_of(operation) {
        by_status
            .entry(problem.record.status)
            .or_default()
            .push(problem);
    }
    for (status, problems) in by_status {
        json.set(&status.to_string(), failure(&problems, names));
    }
    if json.members().is_empty() {
        json.set(
            "default",
            Tree::object([(
                "description",
                Tree::from("Nothing is said about the answer."),
            )]),
        );
    }
    json
}

fn success(schemas: &Schemas<'_>, response: &Response) -> Tree {
    let text = if response.description.is_empty() {
        "Success"
    } else {
        &response.description
    };
    let mut json = Tree::object([("description", Tree::from(text))]);
    if let Some(body) = &response.body {
        let media = response.media_type.as_deref().unwrap_or("application/json");
        let schema = if *body == Type::Any {
            Tree::Object(Vec::new())
        } else {
            schemas.of(body)
        };
        json.set(
            "content",
            Tree::object([(media, Tree::object([("schema", schema)]))]),
        );
    }
    json
}

fn failure(problems: &[&Problem], names: &BTreeMap<&str, String>) -> Tree {
    let titles: Vec<&str> = problems
        .iter()
        .map(|problem| problem.record.title.as_str())
        .filter(|title| !title.is_empty())
        .collect();
    let text = if titles.is_empty() {
        "A problem".to_owned()
    } else {
        titles.join(", or: ")
    };
    let reference = |problem: &&Problem| {
        let name = names
            .get(problem.record.code.as_str())
            .map_or("", String::as_str);
        Tree::object([("$ref", Tree::from(format!("#/components/schemas/{name}")))])
    };
    let schema = match problems {
        [only] => reference(only),
        _ => Tree::object([("oneOf", Tree::array(problems.iter().map(reference)))]),
    };
    let examples = problems.iter().map(|problem| {
        (
            problem.record.code.as_str(),
            Tree::object([("value", problem.example.clone())]),
        )
    });
    let content = Tree::object([("schema", schema), ("examples", Tree::object(examples))]);
    Tree::object([
        ("description", Tree::from(text)),
        (
            "content",
            Tree::object([("application/problem+json", content)]),
        ),
        (
            "x-aon-errors",
            Tree::array(problems.iter().map(|problem| entry(problem))),
        ),
    ])
}

/// The error as a native manifest writes it.
fn entry(problem: &Problem) -> Tree {
    let record = &problem.record;
    let mut json = Tree::object([
        ("code", Tree::from(&record.code)),
        ("type", Tree::from(&record.type_uri)),
    ]);
    json.set("title", &record.title);
    json.set_text("description", &record.summary);
    for member in [
        "valid_values",
        "remediation",
        "docs_url",
        "mcp_tool",
        "a2a_skill",
    ] {
        json.set_some(member, problem.example.get(member).cloned());
    }
    json
}

fn components(api: &Api, names: &BTreeMap<&str, String>) -> Tree {
    let schemas = Schemas::new(api, "#/components/schemas/");
    let mut members: Vec<(String, Tree)> = api
        .types
        .iter()
        .map(|definition| {
            (
                schema::key(&definition.name),
                schemas.definition(definition),
            )
        })
        .collect();
    for problem in &api.problems {
        if let Some(name) = names.get(problem.record.code.as_str()) {
            members.push((
                name.clone(),
                schema::problem(Some(&problem.record), "docs_url"),
            ));
        }
    }
    Tree::object([("schemas", Tree::Object(members))])
}
