//! From JSON Schema to types. Every schema is looked at once; references become names, so cycles are harmless here.

use std::collections::BTreeMap;

use aon_manifest::model::{self, Schema};
use aon_manifest::{FileId, Node};

use super::choices::{Literals, literals};
use super::facets::{LIST, NUMBER, TEXT, facets};
use super::gather::{gather, node_key, principal};
use super::issue::{LowerIssue, LowerIssueKind, place};
use crate::ir::{Choice, Field, Location, Object, Others, Shape, Type, TypeId};
use crate::json::Json;
use crate::names::{self, Unique};

/// All named types, while they are collected. The id of a type is its place in `drafts` until names are decided.
pub(super) struct Types<'a> {
    pub(super) drafts: Vec<Draft<'a>>,
    by_node: BTreeMap<(usize, FileId, usize), TypeId>,
    by_values: BTreeMap<String, Vec<TypeId>>,
    open: Vec<(TypeId, Schema<'a>)>,
    unresolved: Vec<Node<'a>>,
}

/// A type that has no name yet.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) wish: Wish,
    pub(super) description: String,
    pub(super) deprecated: bool,
    pub(super) shape: Shape,
    pub(super) one_of: bool,
    pub(super) node: Node<'a>,
}

/// What a type would like to be called.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    /// The name somebody wrote.
    Written(String),
    /// The request of an operation, by its id.
    Request(String),
    /// A part of another type, or of an operation.
    Part { owner: Owner, part: String },
}

/// What a nameless type is part of.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    Nobody,
    Type(TypeId),
    Operation(String),
}

/// Where a type stands that may need a name.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) owner: Owner,
    pub(super) part: String,
}

impl<'a> Types<'a> {
    /// Starts with the schemas that have names.
    pub(super) fn new(apis: &[&model::Api<'a>]) -> Types<'a> {
        let mut types = Types {
            drafts: Vec::new(),
            by_node: BTreeMap::new(),
            by_values: BTreeMap::new(),
            open: Vec::new(),
            unresolved: Vec::new(),
        };
        for api in apis {
            let mut schemas = api.schemas();
            schemas.sort_by_key(|(name, _)| name.as_str());
            for (name, schema) in schemas {
                types.named(schema, Wish::Written(name.as_str().to_owned()));
            }
        }
        types
    }

    /// Works off what references brought in, and reports those that lead nowhere.
    pub(super) fn finish(&mut self, issues: &mut Vec<LowerIssue>) {
        while let Some((id, schema)) = self.open.pop() {
            let shape = self.shape(schema, id);
            if let Some(draft) = self.drafts.get_mut(id.0) {
                draft.shape = shape;
            }
        }
        for node in self.unresolved.drain(..) {
            issues.push(LowerIssue::new(
                LowerIssueKind::Unresolved,
                [place(node)],
                format!(
                    "the reference `{}` leads to nothing",
                    node.get("$ref").map_or("", Node::text)
                ),
                "correct the reference, or add what it names",
            ));
        }
    }

    /// Adds a type that is already known.
    pub(super) fn add(
        &mut self,
        wish: Wish,
        description: String,
        shape: Shape,
        node: Node<'a>,
    ) -> TypeId {
        self.drafts.push(Draft {
            wish,
            description,
            deprecated: false,
            shape,
            one_of: false,
            node,
        });
        TypeId(self.drafts.len() - 1)
    }

    /// The type of a schema that is used somewhere.
    pub(super) fn lower(&mut self, schema: Schema<'a>, spot: &Spot) -> Type {
        let node = schema.node();
        if !node.is_object() {
            return Type::Any;
        }
        if node
            .get("$ref")
            .is_some_and(|reference| reference.as_str().is_some())
        {
            let Some(target) = schema.document().resolve(node) else {
                self.unresolved.push(node);
                return Type::Any;
            };
            let part = schema.reference_name().unwrap_or("").to_owned();
            let wish = Wish::Part {
                owner: Owner::Nobody,
                part,
            };
            return Type::Named(self.named(schema.with(target), wish));
        }
        if let Some(literals) = literals(schema) {
            return self.choice(literals, schema, spot);
        }
        let nullable = schema.types().contains("null");
        let found = if is_record(schema) {
            let (part, owner) = (spot.part.clone(), spot.owner.clone());
            let id = self.add(
                Wish::Part { owner, part },
                describe(node),
                Shape::Alias(Type::Any),
                node,
            );
            let object = self.object(schema, id);
            if let Some(draft) = self.drafts.get_mut(id.0) {
                draft.shape = Shape::Object(object);
            }
            Type::Named(id)
        } else if let Some(branches) = self.branches(schema, spot) {
            self.union(branches, schema, spot)
        } else if let Some(part) = principal(schema) {
            self.lower(schema.with(part), spot)
        } else {
            self.plain(schema, spot)
        };
        if nullable { or_null(found) } else { found }
    }

    /// The type of a schema that others refer to.
    fn named(&mut self, schema: Schema<'a>, wish: Wish) -> TypeId {
        let key = node_key(schema);
        if let Some(id) = self.by_node.get(&key) {
            return *id;
        }
        let node = schema.node();
        let id = self.add(wish, describe(node), Shape::Alias(Type::Any), node);
        if let Some(draft) = self.drafts.get_mut(id.0) {
            draft.deprecated = node.get("deprecated").and_then(Node::as_bool) == Some(true);
        }
        self.by_node.insert(key, id);
        self.open.push((id, schema));
        id
    }

    fn shape(&mut self, schema: Schema<'a>, id: TypeId) -> Shape {
        let node = schema.node();
        let spot = Spot {
            owner: Owner::Type(id),
            part: "value".to_owned(),
        };
        if node.is_object() && node.get("$ref").is_none() && !schema.types().contains("null") {
            match literals(schema) {
                Some(Literals {
                    choices,
                    nullable: false,
                    one_of,
                }) if !is_boolean(&choices) => {
                    if let Some(draft) = self.drafts.get_mut(id.0) {
                        draft.one_of = one_of;
                    }
                    return Shape::Choice(choices);
                }
                Some(_) => {}
                None if is_record(schema) => return Shape::Object(self.object(schema, id)),
                None => {
                    if let Some(branches) = self.branches(schema, &spot) {
                        let Flat { branches, nullable } = flatten(branches);
                        if branches.len() > 1 && !nullable {
                            return Shape::Union(branches);
                        }
                        return Shape::Alias(self.union_of(branches, nullable, schema, &spot));
                    }
                }
            }
        }
        Shape::Alias(self.lower(schema, &spot))
    }

    /// A choice: the one that exists already when field and values are the same.
    fn choice(&mut self, literals: Literals, schema: Schema<'a>, spot: &Spot) -> Type {
        let Literals {
            choices,
            nullable,
            one_of,
        } = literals;
        let found = if is_boolean(&choices) {
            Type::Boolean
        } else {
            let values =
                Json::array(choices.iter().map(|choice| choice.value.clone())).to_compact();
            let key = format!("{} {one_of} {values}", names::snake(&spot.part));
            let known = self.by_values.get(&key).into_iter().flatten().copied();
            let same = known.into_iter().find(|id| {
                let draft = self.drafts.get(id.0).map(|draft| &draft.shape);
                matches!(draft, Some(Shape::Choice(known)) if *known == choices)
            });
            let id = same.unwrap_or_else(|| {
                let wish = Wish::Part {
                    owner: spot.owner.clone(),
                    part: spot.part.clone(),
                };
                let id = self.add(
                    wish,
                    describe(schema.node()),
                    Shape::Choice(choices),
                    schema.node(),
                );
                if let Some(draft) = self.drafts.get_mut(id.0) {
                    draft.one_of = one_of;
                }
                self.by_values.entry(key).or_default().push(id);
                id
            });
            Type::Named(id)
        };
        if nullable { or_null(found) } else { found }
    }

    /// The object a schema describes, `allOf` included.
    fn object(&mut self, schema: Schema<'a>, id: TypeId) -> Object {
        let parts = gather(schema);
        let mut fields = Vec::new();
        for (name, property) in parts.properties {
            let spot = Spot {
                owner: Owner::Type(id),
                part: name.to_owned(),
            };
            fields.push(self.field(name, property, parts.required.contains(name), &spot));
        }
        let others = match parts.others {
            Some(node) if node.as_bool() == Some(false) => Others::Forbidden,
            Some(node) if node.is_object() && !node.is_empty() => {
                let spot = Spot {
                    owner: Owner::Type(id),
                    part: "additional".to_owned(),
                };
                Others::Of(Box::new(self.lower(schema.with(node), &spot)))
            }
            _ => Others::Unsaid,
        };
        Object {
            fields: named_fields(fields),
            others,
        }
    }

    /// One field, with names still to be decided among its neighbours.
    pub(super) fn field(
        &mut self,
        name: &str,
        schema: Schema<'a>,
        required: bool,
        spot: &Spot,
    ) -> Field {
        let node = schema.node();
        Field {
            wire: name.to_owned(),
            sent_as: None,
            rust: String::new(),
            python: String::new(),
            required,
            shape: self.lower(schema, spot),
            description: node
                .get("description")
                .map_or("", Node::text)
                .trim()
                .to_owned(),
            default: node
                .get("default")
                .filter(|value| !value.is_null())
                .map(Json::of_node),
            deprecated: node.get("deprecated").and_then(Node::as_bool) == Some(true),
            location: Location::Body,
            choices_endpoint: endpoint(node),
        }
    }

    /// The alternatives of `oneOf` or `anyOf`; none when there are none that say what the value is.
    fn branches(&mut self, schema: Schema<'a>, spot: &Spot) -> Option<Vec<Type>> {
        let node = schema.node();
        let list = node
            .get("oneOf")
            .or_else(|| node.get("anyOf"))
            .filter(|list| list.is_array())?;
        let mut found = Vec::new();
        for (at, branch) in list.items().enumerate() {
            let title = branch.get_str("title").filter(|title| title.len() <= 40);
            let part = match title {
                Some(title) => format!("{} {title}", spot.part),
                None if list.len() == 1
                    || !branch.is_object()
                    || !is_record(schema.with(branch)) =>
                {
                    spot.part.clone()
                }
                None => format!("{} variant {}", spot.part, at + 1),
            };
            let spot = Spot {
                owner: spot.owner.clone(),
                part,
            };
            found.push(self.lower(schema.with(branch), &spot));
        }
        (!found.is_empty()).then_some(found)
    }

    /// One of several types, under a name of its own when there is more than one.
    fn union(&mut self, all: Vec<Type>, schema: Schema<'a>, spot: &Spot) -> Type {
        let Flat { branches, nullable } = flatten(all);
        self.union_of(branches, nullable, schema, spot)
    }

    fn union_of(
        &mut self,
        mut branches: Vec<Type>,
        nullable: bool,
        schema: Schema<'a>,
        spot: &Spot,
    ) -> Type {
        let found = match branches.len() {
            0 => return Type::Null,
            1 => branches.swap_remove(0),
            _ => {
                let wish = Wish::Part {
                    owner: spot.owner.clone(),
                    part: spot.part.clone(),
                };
                let node = schema.node();
                Type::Named(self.add(wish, describe(node), Shape::Union(branches), node))
            }
        };
        if nullable { or_null(found) } else { found }
    }

    /// A scalar, a list, a map, or anything.
    fn plain(&mut self, schema: Schema<'a>, spot: &Spot) -> Type {
        let node = schema.node();
        let mut found = Vec::new();
        for name in schema.types().names() {
            found.push(match name {
                "boolean" => Type::Boolean,
                "integer" => Type::Integer(facets(node, NUMBER)),
                "number" => Type::Number(facets(node, NUMBER)),
                "string" | "file" => Type::Text(facets(node, TEXT)),
                "array" => self.list(schema, spot),
                "object" => self.map(schema, spot),
                _ => continue,
            });
        }
        if found.is_empty() {
            if schema.types().contains("null") {
                return Type::Null;
            }
            if node.get("items").is_some() {
                return self.list(schema, spot);
            }
            if node
                .get("additionalProperties")
                .is_some_and(Node::is_object)
            {
                return self.map(schema, spot);
            }
            if node.get("pattern").is_some() || node.get("minLength").is_some() {
                return Type::Text(facets(node, TEXT));
            }
            return Type::Any;
        }
        self.union(found, schema, spot)
    }

    fn list(&mut self, schema: Schema<'a>, spot: &Spot) -> Type {
        let node = schema.node();
        let item = match node.get("items").filter(|items| items.is_object()) {
            Some(items) => self.lower(schema.with(items), spot),
            None => Type::Any,
        };
        Type::List(Box::new(item), facets(node, LIST))
    }

    fn map(&mut self, schema: Schema<'a>, spot: &Spot) -> Type {
        let values = schema
            .node()
            .get("additionalProperties")
            .filter(|values| values.is_object());
        let value = match values {
            Some(values) if !values.is_empty() => self.lower(schema.with(values), spot),
            _ => Type::Any,
        };
        Type::Map(Box::new(value))
    }
}

/// Sorts fields and gives each its name in each language.
pub(super) fn named_fields(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    let (mut rust, mut python) = (Unique::default(), Unique::default());
    for field in &mut fields {
        field.rust = rust.take(names::rust_field(&field.wire));
        field.python = python.take(names::python_field(&field.wire));
    }
    fields
}

/// Where the valid values can be asked for.
pub(super) fn endpoint(node: Node<'_>) -> Option<String> {
    let keys = [
        "choices_endpoint",
        "x-choices-endpoint",
        "x-aon-choices-endpoint",
    ];
    let value = keys
        .iter()
        .find_map(|key| node.get(key))
        .filter(|value| !value.is_null())?;
    if !value.is_object() {
        return Some(value.text().to_owned());
    }
    let path = ["path", "url", "endpoint", "href"]
        .iter()
        .find_map(|key| value.get(key))?
        .text();
    let method = value.get("method").map_or("", Node::text);
    Some(if method.is_empty() {
        path.to_owned()
    } else {
        format!("{} {path}", method.to_uppercase())
    })
}

/// Whether a schema describes an object with known fields.
pub(super) fn is_record(schema: Schema<'_>) -> bool {
    let node = schema.node();
    if node
        .get("properties")
        .is_some_and(|properties| !properties.is_empty())
    {
        return true;
    }
    let closed = node.get("additionalProperties").and_then(Node::as_bool) == Some(false);
    if closed && schema.types().is_only("object") && node.get("patternProperties").is_none() {
        return true;
    }
    let Some(parts) = node.get("allOf").filter(|parts| parts.is_array()) else {
        return false;
    };
    let several = parts.len() > 1 || node.get("oneOf").is_none() && node.get("anyOf").is_none();
    let alone = parts.len() == 1 && parts.item(0).is_some_and(|part| part.get("$ref").is_some());
    several && !alone && !gather(schema).properties.is_empty()
}

fn is_boolean(choices: &[Choice]) -> bool {
    choices.len() == 2
        && choices
            .iter()
            .all(|choice| matches!(choice.value, Json::Bool(_)))
}

fn describe(node: Node<'_>) -> String {
    let text = node.get("description").map_or("", Node::text).trim();
    if text.is_empty() {
        node.get("title").map_or("", Node::text).trim().to_owned()
    } else {
        text.to_owned()
    }
}

/// Alternatives without repetition; `null` stands aside.
struct Flat {
    branches: Vec<Type>,
    nullable: bool,
}

fn flatten(all: Vec<Type>) -> Flat {
    let mut flat = Flat {
        branches: Vec::new(),
        nullable: false,
    };
    for branch in all {
        if branch == Type::Null {
            flat.nullable = true;
            continue;
        }
        let branch = if let Type::Nullable(inner) = branch {
            flat.nullable = true;
            *inner
        } else {
            branch
        };
        if branch == Type::Any {
            return Flat {
                branches: vec![Type::Any],
                nullable: false,
            };
        }
        if !flat.branches.contains(&branch) {
            flat.branches.push(branch);
        }
    }
    flat
}

fn or_null(found: Type) -> Type {
    if matches!(found, Type::Any | Type::Null | Type::Nullable(_)) {
        return found;
    }
    Type::Nullable(Box::new(found))
}
