//! Operations, their requests and their answers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aon_manifest::Node;
use aon_manifest::model::{self, Content};

use super::gather::record;
use super::issue::{LowerIssue, LowerIssueKind, place};
use super::keys::Keys;
use super::media;
use super::naming::{operation_name, renumber};
use super::problems;
use super::types::{Owner, Spot, Types, Wish, named_fields};
use crate::ir::{Field, Location, Object, Operation, Response, Shape, Style, Type, TypeId};
use crate::names::{self, Unique};
use crate::target::Options;

/// An operation whose types have no final places yet.
pub(super) struct Draft<'a> {
    pub(super) operation: Operation,
    pub(super) node: Node<'a>,
    /// Whether somebody wrote the id.
    written: bool,
    /// Which document it is from.
    api: usize,
}

/// All operations of all documents; those that are the same are one.
pub(super) fn collect<'a>(
    apis: &[&model::Api<'a>],
    types: &mut Types<'a>,
    issues: &mut Vec<LowerIssue>,
) -> Vec<Draft<'a>> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let (mut by_id, mut by_tool, mut by_skill) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut made = Unique::default();
    for (number, api) in apis.iter().enumerate() {
        let mut operations: Vec<(String, String, &model::Operation<'a>)> = api
            .operations
            .iter()
            .map(|operation| {
                let call = method_path(operation);
                (id_of(operation, &call), call, operation)
            })
            .collect();
        operations.sort_by(|(a, x, _), (b, y, _)| (a, x).cmp(&(b, y)));
        for (id, _, operation) in operations {
            let written = operation.id.is_some();
            let id = if written { id } else { made.take(id) };
            let (tool, skill) = (operation.tool_name(), operation.skill());
            let known = by_id
                .get(&id)
                .or_else(|| by_tool.get(tool.as_deref()?))
                .or_else(|| by_skill.get(skill?.as_str()).filter(|_| tool.is_none()))
                .copied();
            let known = known.and_then(|at: usize| drafts.get_mut(at));
            match known {
                Some(known) if known.api != number => {
                    contradict(known, operation, issues);
                    merge(known, api, operation, types);
                }
                Some(known) if known.operation.id == id && known.written && written => {
                    issues.push(LowerIssue::new(
                        LowerIssueKind::Collision,
                        [place(known.node), place(operation.anchor)],
                        format!("two operations have the id `{id}`"),
                        "give one of them another id",
                    ));
                }
                _ => {
                    let at = drafts.len();
                    by_id.insert(id.clone(), at);
                    if let Some(tool) = tool {
                        by_tool.entry(tool.into_owned()).or_insert(at);
                    }
                    if let Some(skill) = skill {
                        by_skill.entry(skill.as_str().to_owned()).or_insert(at);
                    }
                    let node = operation.anchor;
                    drafts.push(Draft {
                        operation: read(id, api, operation, types),
                        node,
                        written,
                        api: number,
                    });
                }
            }
        }
    }
    drafts
}

/// Decides the names, and puts the operations in order.
pub(super) fn finish(
    mut drafts: Vec<Draft<'_>>,
    map: &[TypeId],
    options: &Options,
    issues: &mut Vec<LowerIssue>,
    shared_routes: &mut Vec<LowerIssue>,
    notes: &mut Vec<LowerIssue>,
) -> Vec<Operation> {
    drafts.sort_by(|a, b| a.operation.id.cmp(&b.operation.id));
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut taken = Unique::default();
    for draft in &drafts {
        taken.reserve(&operation_name(&draft.operation.id, options));
    }
    let mut tools: BTreeMap<String, usize> = BTreeMap::new();
    let mut calls: BTreeMap<(String, String), usize> = BTreeMap::new();
    for at in 0..drafts.len() {
        let Some(draft) = drafts.get(at) else {
            continue;
        };
        let mut pascal = operation_name(&draft.operation.id, options);
        if let Some(other) = names.get(&pascal).and_then(|other| drafts.get(*other)) {
            let (a, b) = (&other.operation.id, &draft.operation.id);
            let given = taken.take(pascal.clone());
            notes.push(LowerIssue::new(
                LowerIssueKind::Collision,
                [place(other.node), place(draft.node)],
                format!("the operations `{a}` and `{b}` would both be called `{pascal}`, so `{b}` is called `{given}`"),
                format!("choose another name in aon.toml: [gen.names] \"{b}\" = \"…\""),
            ));
            pascal = given;
        } else {
            names.insert(pascal.clone(), at);
        }
        if let Some(tool) = &draft.operation.tool
            && let Some(other) = tools
                .insert(tool.clone(), at)
                .and_then(|other| drafts.get(other))
        {
            issues.push(LowerIssue::new(
                LowerIssueKind::Collision,
                [place(other.node), place(draft.node)],
                format!("two operations are exposed as the tool `{tool}`"),
                "give one of them another tool name",
            ));
        }
        if let (Some(method), Some(path)) = (&draft.operation.method, &draft.operation.path)
            && let Some(other) = calls
                .insert((method.to_ascii_uppercase(), path.clone()), at)
                .and_then(|other| drafts.get(other))
        {
            let (a, b) = (&other.operation.id, &draft.operation.id);
            shared_routes.push(LowerIssue::new(
                LowerIssueKind::Collision,
                [place(other.node), place(draft.node)],
                format!("the operations `{a}` and `{b}` are both `{method} {path}`"),
                "give one of them another method or path, or make one operation of them",
            ));
        }
        if let Some(draft) = drafts.get_mut(at) {
            let operation = &mut draft.operation;
            operation.snake = names::snake(&pascal);
            operation.camel = names::camel(&pascal);
            operation.pascal = pascal;
            if let Some(id) = &mut operation.request
                && let Some(new) = map.get(id.0)
            {
                *id = *new;
            }
            let answers = operation
                .responses
                .iter_mut()
                .map(|answer| &mut answer.body);
            for body in answers.chain([&mut operation.body]).flatten() {
                renumber(body, map);
            }
        }
    }
    drafts.into_iter().map(|draft| draft.operation).collect()
}

fn read<'a>(
    id: String,
    api: &model::Api<'a>,
    operation: &model::Operation<'a>,
    types: &mut Types<'a>,
) -> Operation {
    let text =
        |text: Option<model::Text<'_>>| text.map_or("", |text| text.as_str()).trim().to_owned();
    let (request, named_body) = request(&id, api, operation, types);
    let body = operation.request_body.as_ref();
    let content = body.and_then(|body| preferred(&body.contents));
    let mut tags: Vec<String> = operation
        .tags
        .iter()
        .map(|tag| tag.as_str().to_owned())
        .collect();
    tags.sort();
    tags.dedup();
    Operation {
        pascal: String::new(),
        camel: String::new(),
        snake: String::new(),
        method: operation.method.map(|method| method.as_str().to_owned()),
        path: operation.path.map(|path| path.as_str().to_owned()),
        summary: text(operation.summary),
        description: text(operation.description),
        tags,
        deprecated: operation.deprecated,
        docs_url: operation.docs_url.map(|url| url.as_str().to_owned()),
        request,
        parts: None,
        body: named_body,
        media_type: content
            .and_then(|content| content.media_type)
            .map(|text| text.as_str().to_owned())
            .or_else(|| media::of_form(api, operation)),
        body_required: body.is_some_and(|body| body.required),
        responses: responses(&id, operation, types),
        problems: codes(operation),
        tool: operation.tool_name().map(Cow::into_owned),
        skill: operation.skill().map(|skill| skill.as_str().to_owned()),
        id,
    }
}

/// Reports two documents that send the same operation to different places.
fn contradict(known: &Draft<'_>, other: &model::Operation<'_>, issues: &mut Vec<LowerIssue>) {
    let (Some(method), Some(path)) = (&known.operation.method, &known.operation.path) else {
        return;
    };
    let (Some(other_method), Some(other_path)) = (other.method, other.path) else {
        return;
    };
    if method.eq_ignore_ascii_case(other_method.as_str()) && path == other_path.as_str() {
        return;
    }
    issues.push(LowerIssue::new(
        LowerIssueKind::Collision,
        [place(known.node), place(other.anchor)],
        format!(
            "`{}` is `{method} {path}` in one document and `{} {}` in the other",
            known.operation.id,
            other_method.as_str(),
            other_path.as_str()
        ),
        "make both say the same, or give one of them another id",
    ));
}

/// Adds what a second document says about an operation.
fn merge<'a>(
    known: &mut Draft<'a>,
    api: &model::Api<'a>,
    other: &model::Operation<'a>,
    types: &mut Types<'a>,
) {
    let operation = &mut known.operation;
    let text =
        |text: Option<model::Text<'_>>| text.map_or("", |text| text.as_str()).trim().to_owned();
    if operation.request.is_none() {
        (operation.request, operation.body) = request(&operation.id, api, other, types);
    }
    if operation.responses.is_empty() {
        operation.responses = responses(&operation.id, other, types);
    }
    if operation.summary.is_empty() {
        operation.summary = text(other.summary);
    }
    if operation.description.is_empty() {
        operation.description = text(other.description);
    }
    operation.tool = operation
        .tool
        .take()
        .or_else(|| other.tool_name().map(Cow::into_owned));
    operation.skill = operation
        .skill
        .take()
        .or_else(|| other.skill().map(|skill| skill.as_str().to_owned()));
    operation.problems.extend(codes(other));
    operation.problems.sort();
    operation.problems.dedup();
}

fn codes(operation: &model::Operation<'_>) -> Vec<String> {
    let codes: BTreeSet<String> = operation
        .errors
        .iter()
        .filter_map(problems::code_of)
        .collect();
    codes.into_iter().collect()
}

/// Everything a caller sends as one object: the parameters, and the members of a body that is an object; and the type of the body
/// where it has a name and may be sent as it is.
fn request<'a>(
    id: &str,
    api: &model::Api<'a>,
    operation: &model::Operation<'a>,
    types: &mut Types<'a>,
) -> (Option<TypeId>, Option<Type>) {
    let content = operation
        .request_body
        .as_ref()
        .and_then(|body| preferred(&body.contents));
    let body = content.and_then(|content| content.schema);
    let parameters: Vec<_> = operation
        .parameters
        .iter()
        .filter(|parameter| is_sent(parameter))
        .collect();
    if parameters.is_empty() && body.is_none() {
        return (None, None);
    }
    let mut named_body = None;
    let wish = Wish::Request(id.to_owned());
    let description = operation
        .summary
        .or(operation.description)
        .map_or("", |text| text.as_str())
        .trim()
        .to_owned();
    let owner = types.add(
        wish,
        description,
        Shape::Object(Object::default()),
        operation.node,
    );
    let mut fields: Vec<Field> = Vec::with_capacity(parameters.len());
    let mut used: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    let mut sorted = parameters;
    sorted.sort_by_key(|parameter| (parameter.name(), parameter.location));
    let part_of = Owner::Type(owner);
    for parameter in sorted {
        let name = parameter.name();
        let spot = Spot {
            owner: &part_of,
            part: name,
        };
        let mut field = types.field(name, parameter.schema, parameter.required, &spot);
        field.location = location(parameter.location);
        if let Some(description) = parameter.description {
            field.description = Box::from(description.as_str().trim());
        }
        field.deprecated |= parameter.deprecated;
        let style = media::style(api, parameter);
        if style != Style::Repeated {
            field.rare().style = style;
        }
        if field.choices_endpoint().is_none()
            && let Some(endpoint) = Keys::of(parameter.node).endpoint()
        {
            field.rare().choices_endpoint = Some(endpoint);
        }
        if !used.insert(Cow::Borrowed(name)) {
            field.rare().sent_as = Some(name.to_owned());
            let wire = distinct(&format!("{}_{name}", word(field.location)), &mut used);
            field.wire = wire.into_boxed_str();
        }
        fields.push(field);
    }
    if let (Some(schema), Some(request_body)) = (body, operation.request_body.as_ref()) {
        let resolved = schema.resolved();
        let parts = record(resolved, &Keys::of(resolved.node())).filter(|parts| {
            let clash = |(name, _): &(&str, _)| used.contains(*name);
            parts.alternatives.is_empty() && !parts.properties.iter().any(clash)
        });
        if let Some(parts) = parts {
            let is_whole = !parts.properties.iter().any(|(_, own)| own.is_read_only());
            if is_whole && schema.node().get("$ref").is_some() {
                let spot = Spot {
                    owner: &part_of,
                    part: "body",
                };
                named_body = Some(types.lower(schema, &spot));
            }
            for (name, property) in &parts.properties {
                if property.is_read_only() {
                    continue;
                }
                let spot = Spot {
                    owner: &part_of,
                    part: name,
                };
                let required = request_body.required && parts.requires(name);
                fields.push(types.field(name, *property, required, &spot));
            }
        } else {
            let wire = distinct("body", &mut used);
            let spot = Spot {
                owner: &part_of,
                part: "body",
            };
            let mut field = types.field(&wire, schema, request_body.required, &spot);
            field.location = Location::WholeBody;
            if let Some(description) = request_body.description {
                field.description = Box::from(description.as_str().trim());
            }
            fields.push(field);
        }
    }
    if let Some(draft) = types.draft(owner) {
        draft.shape = Shape::Object(Object {
            fields: named_fields(fields),
            ..Object::default()
        });
    }
    (Some(owner), named_body)
}

fn responses<'a>(
    id: &str,
    operation: &model::Operation<'a>,
    types: &mut Types<'a>,
) -> Vec<Response> {
    let owner = Owner::Operation(Arc::from(id));
    let mut found: Vec<Response> = Vec::new();
    let mut sorted: Vec<_> = operation
        .responses
        .iter()
        .filter(|response| response.status.is_some())
        .collect();
    sorted.sort_by_key(|response| response.status);
    for response in sorted {
        let status = response
            .status
            .map(|status| status.to_string())
            .unwrap_or_default();
        if found.iter().any(|known| known.status == status) {
            continue;
        }
        let content = preferred(&response.contents);
        let part = if found.is_empty() {
            "response".to_owned()
        } else {
            format!("response {status}")
        };
        let spot = Spot {
            owner: &owner,
            part: &part,
        };
        found.push(Response {
            description: response
                .description
                .map_or("", |text| text.as_str())
                .trim()
                .to_owned(),
            media_type: content
                .and_then(|content| content.media_type)
                .map(|text| text.as_str().to_owned()),
            body: content
                .and_then(|content| content.schema)
                .map(|schema| types.lower(schema, &spot)),
            value: None,
            status,
        });
    }
    found
}

/// The representation that is generated: JSON when there is one.
fn preferred<'c, 'a>(contents: &'c [Content<'a>]) -> Option<&'c Content<'a>> {
    let is_json = |content: &&Content<'a>| {
        let essence = content.essence();
        essence.is_empty()
            || essence == "application/json"
            || essence.ends_with("+json")
            || essence == "*/*"
    };
    contents.iter().find(is_json).or_else(|| contents.first())
}

/// OpenAPI says that parameters of these names are not parameters.
fn is_sent(parameter: &model::Parameter<'_>) -> bool {
    let header = parameter.location == model::Location::Header;
    let taken = ["accept", "content-type", "authorization"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(parameter.name()));
    parameter.name_node.is_some() && !(header && taken)
}

fn location(location: model::Location) -> Location {
    match location {
        model::Location::Path => Location::Path,
        model::Location::Query => Location::Query,
        model::Location::Header => Location::Header,
        model::Location::Cookie => Location::Cookie,
        model::Location::Body
        | model::Location::Form
        | model::Location::Argument
        | model::Location::Property
        | model::Location::Other => Location::Body,
    }
}

fn word(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
        Location::Body | Location::WholeBody => "body",
    }
}

fn distinct(name: &str, used: &mut BTreeSet<Cow<'_, str>>) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2;
    while !used.insert(Cow::Owned(candidate.clone())) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

fn id_of(operation: &model::Operation<'_>, call: &str) -> String {
    match operation.id {
        Some(id) => id.as_str().to_owned(),
        None => names::snake(call),
    }
}

fn method_path(operation: &model::Operation<'_>) -> String {
    let method = operation
        .method
        .map_or("", model::Method::as_str)
        .to_lowercase();
    format!(
        "{method} {}",
        operation.path.map_or("", |path| path.as_str())
    )
}
