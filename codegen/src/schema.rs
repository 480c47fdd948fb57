//! Types as JSON Schema 2020-12, for every target that writes schemas.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::ir::{Api, Choice, Facets, Field, Object, Others, Shape, Type, TypeDef, TypeId};
use crate::json::Tree;
use crate::order::{named, names_in};

/// How schemas refer to named types.
pub(crate) struct Schemas<'a> {
    api: &'a Api,
    /// What comes before the name in a `$ref`.
    prefix: &'static str,
    /// Whether choices are written where they are used: a model that reads a tool should not have to follow references.
    inline_choices: bool,
}

impl<'a> Schemas<'a> {
    pub(crate) fn new(api: &'a Api, prefix: &'static str) -> Schemas<'a> {
        Schemas {
            api,
            prefix,
            inline_choices: false,
        }
    }

    pub(crate) fn with_inline_choices(mut self) -> Schemas<'a> {
        self.inline_choices = true;
        self
    }

    /// The schema of a type where it is used.
    pub(crate) fn of(&self, shape: &Type) -> Tree {
        match shape {
            Type::Any => Tree::Object(Vec::new()),
            Type::Null => typed("null"),
            Type::Boolean => typed("boolean"),
            Type::Integer(facets) => with_facets(typed("integer"), facets),
            Type::Number(facets) => with_facets(typed("number"), facets),
            Type::Text(facets) => with_facets(typed("string"), facets),
            Type::List(item, facets) => {
                let mut json = typed("array");
                if **item != Type::Any {
                    json.set("items", self.of(item));
                }
                with_facets(json, facets)
            }
            Type::Tuple(places) => {
                let mut json = typed("array");
                json.set(
                    "prefixItems",
                    Tree::array(places.iter().map(|place| self.of(place))),
                );
                json.set("items", false);
                let count = u64::try_from(places.len()).unwrap_or(u64::MAX);
                json.set("minItems", count);
                json.set("maxItems", count);
                json
            }
            Type::Map(value) => {
                let mut json = typed("object");
                if **value != Type::Any {
                    json.set("additionalProperties", self.of(value));
                }
                json
            }
            Type::Nullable(inner) => self.nullable(inner),
            Type::Named(id) => match self.api.definition(*id) {
                Some(definition) if self.is_inline(definition) => self.definition(definition),
                _ => Tree::object([(
                    "$ref",
                    Tree::from(format!("{}{}", self.prefix, key(self.api.type_name(*id)))),
                )]),
            },
        }
    }

    fn nullable(&self, inner: &Type) -> Tree {
        let mut json = self.of(inner);
        let plain = json.get("type").and_then(Tree::as_str).map(str::to_owned);
        if let (Some(name), None) = (plain, json.get("enum")) {
            json.set("type", Tree::array([name.as_str(), "null"]));
            return json;
        }
        Tree::object([("anyOf", Tree::Array(vec![json, typed("null")]))])
    }

    /// The schema of a named type.
    pub(crate) fn definition(&self, definition: &TypeDef) -> Tree {
        let mut json = match &definition.shape {
            Shape::Choice(choices) => choice(choices, definition.one_of),
            Shape::Object(object) => self.object(object),
            Shape::Union(branches) => self.union(definition, branches),
            Shape::All(parts) => {
                Tree::object([("allOf", Tree::array(parts.iter().map(|part| self.of(part))))])
            }
            Shape::Alias(inner) => self.of(inner),
        };
        json.set_text("description", &definition.description);
        if definition.deprecated {
            json.set("deprecated", true);
        }
        json
    }

    fn union(&self, definition: &TypeDef, branches: &[Type]) -> Tree {
        let word = if definition.one_of { "oneOf" } else { "anyOf" };
        let mut all: Vec<Tree> = branches.iter().map(|branch| self.of(branch)).collect();
        let Some(told) = &definition.discriminator else {
            return Tree::object([(word, Tree::Array(all))]);
        };
        if self.prefix.starts_with("#/components") {
            let pairs = told.values.iter().zip(&all).flat_map(|(values, branch)| {
                let target = branch.get("$ref").cloned();
                values
                    .iter()
                    .filter_map(move |value| Some((value.clone(), target.clone()?)))
            });
            let mut mapping: Vec<(String, Tree)> = pairs.collect();
            mapping.sort_by(|(a, _), (b, _)| a.cmp(b));
            let told = Tree::object([
                ("propertyName", Tree::from(&told.property)),
                ("mapping", Tree::Object(mapping)),
            ]);
            return Tree::object([(word, Tree::Array(all)), ("discriminator", told)]);
        }
        // `discriminator` is OpenAPI's. Here the values stand beside the branch.
        for (branch, values) in all.iter_mut().zip(&told.values) {
            let property = Tree::object([("enum", Tree::array(values.iter()))]);
            let mut tag = typed("object");
            tag.set(
                "properties",
                Tree::object([(told.property.as_str(), property)]),
            );
            tag.set("required", Tree::array([told.property.as_str()]));
            let whole = std::mem::replace(branch, Tree::Null);
            *branch = Tree::object([("allOf", Tree::Array(vec![whole, tag]))]);
        }
        Tree::object([(word, Tree::Array(all))])
    }

    /// The schema of an object.
    pub(crate) fn object(&self, object: &Object) -> Tree {
        let mut json = typed("object");
        if !object.fields.is_empty() {
            let fields = object
                .fields
                .iter()
                .map(|field| (&*field.wire, self.field(field)));
            json.set("properties", Tree::object(fields));
        }
        let required: Vec<&str> = object
            .fields
            .iter()
            .filter(|field| field.required)
            .map(|field| &*field.wire)
            .collect();
        if !required.is_empty() {
            json.set("required", Tree::array(required));
        }
        match &object.others {
            Others::Unsaid => {}
            Others::Forbidden => json.set("additionalProperties", false),
            Others::Of(inner) => json.set("additionalProperties", self.of(inner)),
        }
        json
    }

    /// The schema of a field, with what is said about it here.
    pub(crate) fn field(&self, field: &Field) -> Tree {
        let mut json = self.of(&field.shape);
        let description = field.full_description();
        if !description.is_empty() {
            json.set("description", &*description);
        }
        json.set_some("default", field.default().cloned());
        if field.deprecated {
            json.set("deprecated", true);
        }
        json.set_some("x-choices-endpoint", field.choices_endpoint());
        json
    }

    /// The named types that a type needs, with all they need themselves.
    pub(crate) fn reachable<'t>(
        &self,
        roots: impl IntoIterator<Item = &'t Type>,
    ) -> BTreeSet<TypeId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> = roots.into_iter().flat_map(named).collect();
        while let Some(id) = open.pop().map(TypeId) {
            let Some(definition) = self.api.definition(id) else {
                continue;
            };
            if found.insert(id) {
                names_in(&definition.shape, &mut open);
            }
        }
        found
    }

    /// `$defs` for these types, without those that are written in place; none when nothing is left.
    pub(crate) fn definitions(&self, ids: &BTreeSet<TypeId>) -> Option<Tree> {
        let wanted = ids
            .iter()
            .filter_map(|id| self.api.definition(*id))
            .filter(|definition| !self.is_inline(definition));
        let members: Vec<(String, Tree)> = wanted
            .map(|definition| (key(&definition.name), self.definition(definition)))
            .collect();
        (!members.is_empty()).then_some(Tree::Object(members))
    }

    fn is_inline(&self, definition: &TypeDef) -> bool {
        self.inline_choices && matches!(definition.shape, Shape::Choice(_))
    }
}

fn typed(name: &str) -> Tree {
    Tree::object([("type", Tree::from(name))])
}

fn with_facets(mut json: Tree, facets: &Facets) -> Tree {
    for (keyword, value) in facets.keywords() {
        json.set(keyword, value.clone());
    }
    json
}

/// `enum`, or `oneOf` where the source says so or the values have labels.
fn choice(choices: &[Choice], one_of: bool) -> Tree {
    let labelled = choices
        .iter()
        .any(|choice| !choice.label.is_empty() || !choice.description.is_empty());
    if one_of || labelled {
        let branches = choices.iter().map(|choice| {
            let mut branch = Tree::object([("const", choice.value.clone())]);
            branch.set_text("title", &choice.label);
            branch.set_text("description", &choice.description);
            branch
        });
        return Tree::object([("oneOf", Tree::array(branches))]);
    }
    let mut json = Tree::Object(Vec::new());
    if choices.iter().all(|choice| choice.value.as_str().is_some()) {
        json.set("type", "string");
    }
    json.set(
        "enum",
        Tree::array(choices.iter().map(|choice| choice.value.clone())),
    );
    json
}

/// The name of a type as a key of `$defs` or `components`: ASCII letters, digits, `.`, `-` and `_`, so that a reference to it
/// needs no escapes.
pub(crate) fn key(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let mut key = String::with_capacity(name.len());
    for c in name.chars() {
        if fits(c) {
            key.push(c);
        } else {
            let _: std::fmt::Result = write!(key, "_{:x}", u32::from(c));
        }
    }
    key
}

/// The schema of a problem with this code; without one, of any problem.
pub(crate) fn problem(record: Option<&aon_core::catalog::Record>, docs: &str) -> Tree {
    let text = |format: Option<&str>| {
        let mut json = typed("string");
        json.set_some("format", format);
        json
    };
    let mut properties = Tree::Object(Vec::new());
    let constant = |value: Tree| Tree::object([("const", value)]);
    if let Some(record) = record {
        properties.set("type", constant(Tree::from(&record.type_uri)));
        properties.set("title", typed("string"));
        properties.set("status", constant(Tree::from(record.status)));
    } else {
        properties.set("type", text(Some("uri-reference")));
        properties.set("title", typed("string"));
        let mut status = typed("integer");
        status.set("minimum", 400_u16);
        status.set("maximum", 599_u16);
        properties.set("status", status);
    }
    properties.set("detail", typed("string"));
    properties.set("instance", text(Some("uri-reference")));
    match record {
        Some(record) => properties.set("code", constant(Tree::from(&record.code))),
        None => properties.set(
            "code",
            Tree::object([
                ("type", Tree::from("string")),
                ("pattern", Tree::from("^[a-z][a-z0-9_]*$")),
            ]),
        ),
    }
    properties.set("request_id", typed("string"));
    properties.set("valid_values", valid_values(record));
    properties.set("remediation", remediation());
    properties.set(docs, text(Some("uri-reference")));
    properties.set("mcp_tool", typed("string"));
    properties.set("a2a_skill", typed("string"));
    let mut json = typed("object");
    if let Some(record) = record {
        json.set_text("title", &record.title);
        json.set_text("description", &record.summary);
    }
    json.set("properties", properties);
    json.set("required", Tree::array(["type", "title", "status", "code"]));
    json
}

fn valid_values(record: Option<&aon_core::catalog::Record>) -> Tree {
    let mut json = typed("object");
    json.set("additionalProperties", typed("array"));
    if let Some(record) = record
        && !record.valid_values.is_empty()
    {
        let fields = record
            .valid_values
            .keys()
            .map(|field| (field.as_str(), typed("array")));
        json.set("properties", Tree::object(fields));
    }
    json
}

fn remediation() -> Tree {
    use aon_core::{NoneReason, RemediationType};
    let words = |words: Vec<&str>| {
        let mut json = typed("string");
        json.set("enum", Tree::array(words));
        json
    };
    let mut action = typed("object");
    let parts = [
        "endpoint_xri",
        "endpoint_url",
        "required_scope",
        "guide_xri",
    ];
    action.set(
        "properties",
        Tree::object(parts.map(|part| (part, typed("string")))),
    );
    let mut request = typed("object");
    request.set(
        "properties",
        Tree::object([
            ("method", typed("string")),
            ("path", typed("string")),
            ("headers", typed("object")),
            ("body", Tree::Object(Vec::new())),
        ]),
    );
    request.set("required", Tree::array(["method", "path"]));
    let mut json = typed("object");
    json.set(
        "properties",
        Tree::object([
            (
                "type",
                words(
                    RemediationType::ALL
                        .iter()
                        .map(|kind| kind.as_str())
                        .collect(),
                ),
            ),
            (
                "reason",
                words(
                    NoneReason::ALL
                        .iter()
                        .map(|reason| reason.as_str())
                        .collect(),
                ),
            ),
            ("message", typed("string")),
            ("next_action", action),
            ("example_request", request),
            ("auto_fix_available", typed("boolean")),
        ]),
    );
    json.set("required", Tree::array(["type"]));
    json
}
