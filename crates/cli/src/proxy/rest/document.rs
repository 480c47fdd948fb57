//! What a document says of its operations, in a form that is quick to ask for each request.

use std::collections::BTreeMap;

use aon::ProblemDetails;
use aon_manifest::model::{self, Location};
use aon_manifest::{Document, Format};
use http::HeaderMap;
use http_body::Body as _;
use serde_json::{Value, json};

use super::schema::Definitions;
use crate::fault::Fault;
use crate::proxy::judge;
use crate::proxy::tools::Tool;
use crate::proxy::wire::{self, Body};

/// An API.
#[derive(Debug)]
pub(super) struct Api {
    operations: Vec<Operation>,
    /// By method and number of segments.
    index: BTreeMap<(String, usize), Vec<usize>>,
    /// Paths that may stand before those of the document.
    bases: Vec<String>,
}

/// One operation.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) method: String,
    pub(super) template: String,
    pub(super) parameters: Vec<Parameter>,
    /// The parameters as members of one object.
    pub(super) schema: Value,
    /// The representations of the body: media type, and its schema.
    bodies: Vec<(String, Option<Value>)>,
    body_required: bool,
    /// All that may be given, as the arguments of one call.
    pub(super) tool: Tool,
    /// What errors the document names: status, code, what it means.
    pub(super) errors: Vec<(u16, Option<String>, Option<String>)>,
}

/// A parameter that is checked.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) location: Location,
    /// Several values stand in one, with this between them; `None` where the name comes again.
    pub(super) separator: Option<char>,
    /// The kinds of value it may have.
    pub(super) kinds: Vec<String>,
    /// Those of each, where it is a list.
    pub(super) of_items: Vec<String>,
}

impl Api {
    pub(super) fn read(document: &Document, base: &str) -> Result<Self, Fault> {
        let apis = document.apis();
        let wrong =
            |why: String| Fault::usage(why, "Name an OpenAPI or Swagger document with --manifest.");
        let name = document.entry().source().name().to_owned();
        match document.format() {
            Some(Format::OpenApi | Format::Swagger | Format::Native) => {}
            Some(_) | None => return Err(wrong(format!("{name} is not a valid OpenAPI document"))),
        }
        let mut bases = vec![base.trim_end_matches('/').to_owned()];
        let mut operations = Vec::new();
        for api in &apis {
            for server in &api.servers {
                let path = path_of(server.as_str()).trim_end_matches('/').to_owned();
                if !bases.contains(&path) && !path.contains('{') {
                    bases.push(path);
                }
            }
            operations.extend(
                api.operations
                    .iter()
                    .filter_map(|one| Operation::read(document, one)),
            );
        }
        if operations.is_empty() {
            return Err(wrong(format!(
                "{name} has no operations with a method and a path"
            )));
        }
        let mut index: BTreeMap<(String, usize), Vec<usize>> = BTreeMap::new();
        for (at, operation) in operations.iter().enumerate() {
            let key = (
                operation.method.clone(),
                segments(&operation.template).count(),
            );
            index.entry(key).or_default().push(at);
        }
        if !bases.iter().any(String::is_empty) {
            bases.push(String::new());
        }
        // The longest that fits is meant.
        bases.sort_by_key(|base| std::cmp::Reverse(base.len()));
        Ok(Self {
            operations,
            index,
            bases,
        })
    }

    /// The path as the document writes it, without what stands before.
    pub(super) fn rest_of<'a>(&self, path: &'a str) -> &'a str {
        let rest = |base: &String| {
            path.strip_prefix(base.as_str())
                .filter(|rest| rest.starts_with('/'))
        };
        self.bases.iter().find_map(rest).unwrap_or(path)
    }

    /// What stands before the path as the document writes it.
    pub(super) fn base_of<'a>(&self, path: &'a str) -> &'a str {
        path.strip_suffix(self.rest_of(path)).unwrap_or_default()
    }

    /// The operation a request means: of those that fit, the one with the fewest parameters in its path.
    pub(super) fn find(&self, method: &str, path: &str) -> Option<&Operation> {
        self.bases.iter().find_map(|base| {
            let rest = path.strip_prefix(base.as_str())?;
            let key = (method.to_owned(), segments(rest).count());
            let found = self.index.get(&key)?.iter();
            let found = found.filter_map(|at| self.operations.get(*at));
            found
                .filter(|operation| fits(&operation.template, rest))
                .min_by_key(|operation| operation.template.matches('{').count())
        })
    }

    /// The methods the document has for a path.
    pub(super) fn methods(&self, path: &str) -> Vec<String> {
        let at_path = self
            .operations
            .iter()
            .filter(|operation| fits(&operation.template, path));
        at_path.map(|operation| operation.method.clone()).collect()
    }

    pub(super) fn templates(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().map(|operation| &*operation.template)
    }

    /// The operation that lists what a path names one of, if it needs nothing else.
    pub(super) fn lister(&self, template: &str) -> Option<&Operation> {
        let (parent, last) = template.trim_end_matches('/').rsplit_once('/')?;
        if !last.starts_with('{') || parent.is_empty() || parent.contains('{') {
            return None;
        }
        self.operations.iter().find(|operation| {
            let required = operation.schema.get("required").and_then(Value::as_array);
            operation.method == "GET"
                && operation.template.trim_end_matches('/') == parent
                && required.is_none_or(Vec::is_empty)
        })
    }
}

impl Operation {
    fn read(document: &Document, from: &model::Operation<'_>) -> Option<Self> {
        let method = from.method?.as_str().to_ascii_uppercase();
        let template = from.path?.as_str().to_owned();
        let mut definitions = Definitions::default();
        let (mut parameters, mut properties, mut required) = (Vec::new(), json!({}), Vec::new());
        for parameter in &from.parameters {
            let place = parameter.location;
            let name = parameter.name();
            let ignored = ["accept", "content-type", "authorization"];
            let checked = matches!(place, Location::Path | Location::Query)
                || (place == Location::Header
                    && !ignored.contains(&name.to_ascii_lowercase().as_str()));
            if !checked || name.is_empty() {
                continue;
            }
            let mut schema = definitions.convert(document, parameter.schema.node());
            if let Value::Object(members) = &mut schema {
                // In Swagger the parameter is the schema, and `required` says something else.
                members.remove("required");
                members.remove("in");
            }
            let closed = definitions.close(schema.clone());
            let (kinds, of_items) = (kinds(&closed, &closed), items(&closed));
            if kinds.iter().any(|kind| kind == "object") {
                // Written in ways of their own; the server reads them.
                continue;
            }
            properties[name] = schema;
            if parameter.required {
                required.push(json!(name));
            }
            parameters.push(Parameter {
                name: name.to_owned(),
                location: place,
                separator: separator(parameter),
                kinds,
                of_items,
            });
        }
        let mut bodies = Vec::new();
        for content in from.request_body.iter().flat_map(|body| &body.contents) {
            let schema = content
                .schema
                .map(|schema| definitions.convert(document, schema.node()));
            bodies.push((content.essence(), schema));
        }
        let mut all = json!({"type": "object", "properties": properties, "required": required});
        let schema = definitions.close(all.clone());
        let bodies: Vec<(String, Option<Value>)> = bodies
            .into_iter()
            .map(|(media, schema)| (media, schema.map(|schema| definitions.close(schema))))
            .collect();
        let body = bodies.iter().find(|(media, _)| is_json(media));
        if let Some(Value::Object(own)) =
            body.and_then(|(_, schema)| properties_of(schema.as_ref()?))
        {
            for (name, property) in own {
                all["properties"][name] = property;
            }
        }
        let body_required = from.request_body.as_ref().is_some_and(|body| body.required);
        let reads = matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS");
        Some(Self {
            name: from.name().into_owned(),
            tool: Tool::of(definitions.close(all), reads),
            errors: errors(from),
            method,
            template,
            parameters,
            schema,
            bodies,
            body_required,
        })
    }

    /// The schema of a JSON body, where the request has one and the document describes it.
    pub(super) fn json_schema(&self, headers: &HeaderMap) -> Option<&Value> {
        let media = wire::media_type(headers);
        if !is_json(&media) {
            return None;
        }
        let exact = self.bodies.iter().find(|(own, _)| *own == media);
        let found = exact.or_else(|| self.bodies.iter().find(|(own, _)| accepts(own, &media)));
        found.and_then(|(_, schema)| schema.as_ref())
    }

    /// A body where the document wants another media type, or none where it wants one.
    pub(super) fn refuses_media(&self, headers: &HeaderMap, body: &Body) -> Option<ProblemDetails> {
        let types = self.media_types();
        if types.is_empty() || types.iter().any(String::is_empty) {
            return None;
        }
        if body.is_end_stream() {
            return self.body_required.then(|| {
                judge::problem(400, "missing_body")
                    .with_detail(format!(
                        "This operation needs a body: {}.",
                        types.join(" or ")
                    ))
                    .with_valid_values("content-type", types)
            });
        }
        let media = wire::media_type(headers);
        let fits = media.is_empty() || types.iter().any(|own| accepts(own, &media));
        (!fits).then(|| {
            judge::problem(415, "unsupported_media_type")
                .with_detail(format!("The body must be {}.", types.join(" or ")))
                .with_valid_values("content-type", types)
        })
    }

    /// The media types of the body.
    pub(super) fn media_types(&self) -> Vec<String> {
        self.bodies.iter().map(|(media, _)| media.clone()).collect()
    }

    /// The values of the parameters in a path, by name.
    pub(super) fn in_path<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = segments(&self.template).zip(segments(path));
        pairs.filter_map(|(own, given)| {
            let name = own.strip_prefix('{')?.strip_suffix('}')?;
            Some((name, given))
        })
    }
}

pub(super) fn is_json(media: &str) -> bool {
    media == "application/json" || media.ends_with("+json")
}

/// Whether a media type of a document, which may be a range, takes one.
fn accepts(own: &str, media: &str) -> bool {
    match own.strip_suffix('*') {
        Some("*/") => true,
        Some(kind) => media.starts_with(kind),
        None => own == media,
    }
}

fn separator(parameter: &model::Parameter<'_>) -> Option<char> {
    let node = parameter.node;
    let style = node
        .get_str("style")
        .or_else(|| node.get_str("collectionFormat"));
    let explode = node.get("explode").and_then(aon_manifest::Node::as_bool);
    match (style, parameter.location) {
        (Some("spaceDelimited" | "ssv"), _) => Some(' '),
        (Some("pipeDelimited" | "pipes"), _) => Some('|'),
        (Some("multi"), _) => None,
        (Some("csv"), _) | (_, Location::Path | Location::Header) => Some(','),
        _ if explode == Some(false) => Some(','),
        // Swagger joins by commas unless it says otherwise.
        _ if node.get("type").is_some() => Some(','),
        _ => None,
    }
}

/// The kinds of value a schema takes; none where it does not say.
fn kinds(root: &Value, schema: &Value) -> Vec<String> {
    fn add(root: &Value, schema: &Value, depth: usize, out: &mut Vec<String>) {
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|name| root.pointer(name.strip_prefix('#')?));
        if depth > 8 {
            return;
        }
        if let Some(target) = target {
            return add(root, target, depth + 1, out);
        }
        match schema.get("type") {
            Some(Value::String(kind)) => out.push(kind.clone()),
            Some(Value::Array(kinds)) => {
                out.extend(kinds.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
        let values = schema
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for value in values.chain(schema.get("const")) {
            out.push(match value {
                Value::Number(_) => "number".to_owned(),
                Value::Bool(_) => "boolean".to_owned(),
                _ => "string".to_owned(),
            });
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for branch in schema
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                add(root, branch, depth + 1, out);
            }
        }
    }
    let mut out = Vec::new();
    add(root, schema, 0, &mut out);
    out.sort();
    out.dedup();
    out
}

/// The kinds of value the items of a list may have.
fn items(root: &Value) -> Vec<String> {
    let target = root.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|name| root.pointer(name.strip_prefix('#')?));
    let items = target.unwrap_or(root).get("items");
    items.map(|items| kinds(root, items)).unwrap_or_default()
}

/// The properties of an object schema, through one reference.
fn properties_of(schema: &Value) -> Option<Value> {
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|name| schema.pointer(name.strip_prefix('#')?));
    target.unwrap_or(schema).get("properties").cloned()
}

fn errors(from: &model::Operation<'_>) -> Vec<(u16, Option<String>, Option<String>)> {
    let errors = from.errors.iter().filter_map(|error| {
        let status = error.status?.code()?;
        let code = error.code.map(|code| code.as_str().to_owned());
        let means = error.title.or(error.description);
        Some((status, code, means.map(|means| means.as_str().to_owned())))
    });
    errors.collect()
}

/// The path of an address.
fn path_of(url: &str) -> &str {
    match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| rest.get(at..).unwrap_or("")),
        None => url,
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.trim_matches('/').split('/')
}

fn fits(template: &str, path: &str) -> bool {
    let mut given = segments(path);
    let all = segments(template).all(|own| {
        given.next().is_some_and(|given| {
            own == given || (own.starts_with('{') && own.ends_with('}') && !given.is_empty())
        })
    });
    all && given.next().is_none()
}
