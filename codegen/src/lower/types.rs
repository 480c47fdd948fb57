//! From JSON Schema to types. Every schema is looked at once; references become names, so cycles are harmless here.

use std::collections::BTreeMap;
use std::sync::Arc;

use aon_manifest::Node;
use aon_manifest::model::{self, Schema};

use super::choices::{Literals, literals};
use super::facets::{self, Formats};
pub(super) use super::fields::named_fields;
use super::gather::{Alternative, Gathered, Key, node_key, principal, record};
use super::issue::{LowerIssue, LowerIssueKind, place};
use super::keys::Keys;
use super::unions::{Flat, discriminator, flatten, or_null};
use crate::ir::{Discriminator, Field, Location, Object, Others, Shape, Type, TypeId};
use crate::json::Tree;
use crate::names;

/// All named types, while they are collected. The id of a type is its place in `drafts` until names are decided.
pub(super) struct Types<'a> {
    pub(super) drafts: Vec<Draft<'a>>,
    by_node: BTreeMap<Key, TypeId>,
    by_values: BTreeMap<String, Vec<TypeId>>,
    open: Vec<(TypeId, Schema<'a>)>,
    unresolved: Vec<Node<'a>>,
    formats: Formats<'a>,
}

/// A type that has no name yet.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) wish: Wish,
    pub(super) description: String,
    pub(super) deprecated: bool,
    pub(super) shape: Shape,
    pub(super) one_of: bool,
    pub(super) discriminator: Option<Discriminator>,
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
    Operation(Arc<str>),
}

/// Where a type stands that may need a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'s> {
    pub(super) owner: &'s Owner,
    pub(super) part: &'s str,
}

impl Spot<'_> {
    fn wish(&self) -> Wish {
        Wish::Part {
            owner: self.owner.clone(),
            part: self.part.to_owned(),
        }
    }
}

impl<'a> Types<'a> {
    /// Starts with the schemas that have names.
    pub(super) fn new(apis: &[&model::Api<'a>]) -> Types<'a> {
        let mut types = Types {
            drafts: Vec::with_capacity(256),
            by_node: BTreeMap::new(),
            by_values: BTreeMap::new(),
            open: Vec::new(),
            unresolved: Vec::new(),
            formats: Vec::new(),
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

    /// Works off what references brought in.
    pub(super) fn settle(&mut self) {
        while let Some((id, schema)) = self.open.pop() {
            let shape = self.shape(schema, id);
            if let Some(draft) = self.draft(id) {
                draft.shape = shape;
            }
        }
    }

    /// Reports references that lead nowhere.
    pub(super) fn report(&mut self, issues: &mut Vec<LowerIssue>) {
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
            discriminator: None,
            node,
        });
        TypeId(self.drafts.len() - 1)
    }

    /// A type while it is put together.
    pub(super) fn draft(&mut self, id: TypeId) -> Option<&mut Draft<'a>> {
        self.drafts.get_mut(id.0)
    }

    /// The type of a schema that is used somewhere.
    pub(super) fn lower(&mut self, schema: Schema<'a>, spot: &Spot<'_>) -> Type {
        self.lower_keys(schema, &Keys::of(schema.node()), spot)
    }

    fn lower_keys(&mut self, schema: Schema<'a>, keys: &Keys<'a>, spot: &Spot<'_>) -> Type {
        if keys
            .reference
            .is_some_and(|reference| reference.as_str().is_some())
        {
            return self.referred(schema);
        }
        if let Some(literals) = literals(keys) {
            return self.choice(literals, schema, keys, spot);
        }
        let nullable = keys.types().contains("null");
        let found = if let Some(parts) = record(schema, keys) {
            let id = self.add(
                spot.wish(),
                keys.describe(),
                Shape::Alias(Type::Any),
                schema.node(),
            );
            let shape = self.composed(schema, &parts, id);
            if let Some(draft) = self.draft(id) {
                draft.shape = shape;
            }
            Type::Named(id)
        } else if let Some(list) = keys.branches().filter(|list| !list.is_empty()) {
            let branches = self.branches(list, schema, spot);
            self.union(branches, schema, keys, spot)
        } else if let Some(part) = principal(keys) {
            self.lower(schema.with(part), spot)
        } else {
            self.plain(schema, keys, spot)
        };
        if nullable { or_null(found) } else { found }
    }

    fn referred(&mut self, schema: Schema<'a>) -> Type {
        let Some(target) = schema.document().resolve(schema.node()) else {
            self.unresolved.push(schema.node());
            return Type::Any;
        };
        let target = schema.with(target);
        if let Some(id) = self.by_node.get(&node_key(target)) {
            return Type::Named(*id);
        }
        let wish = Wish::Part {
            owner: Owner::Nobody,
            part: schema.reference_name().unwrap_or("").to_owned(),
        };
        Type::Named(self.named(target, wish))
    }

    /// The type of a schema that others refer to.
    fn named(&mut self, schema: Schema<'a>, wish: Wish) -> TypeId {
        let key = node_key(schema);
        if let Some(id) = self.by_node.get(&key) {
            return *id;
        }
        let node = schema.node();
        let keys = Keys::of(node);
        let id = self.add(wish, keys.describe(), Shape::Alias(Type::Any), node);
        if let Some(draft) = self.draft(id) {
            draft.deprecated = keys.is_deprecated();
        }
        self.by_node.insert(key, id);
        self.open.push((id, schema));
        id
    }

    fn shape(&mut self, schema: Schema<'a>, id: TypeId) -> Shape {
        let keys = Keys::of(schema.node());
        let owner = Owner::Type(id);
        let spot = Spot {
            owner: &owner,
            part: "value",
        };
        if schema.node().is_object() && keys.reference.is_none() && !keys.types().contains("null") {
            match literals(&keys) {
                Some(literals) if !literals.nullable && !literals.is_boolean() => {
                    if let Some(draft) = self.draft(id) {
                        draft.one_of = literals.one_of;
                    }
                    return Shape::Choice(literals.into_choices());
                }
                Some(_) => {}
                None => {
                    if let Some(parts) = record(schema, &keys) {
                        return self.composed(schema, &parts, id);
                    }
                    if let Some(list) = keys.branches().filter(|list| !list.is_empty()) {
                        let all = self.branches(list, schema, &spot);
                        let tags = discriminator(&keys, list, &all);
                        let Flat { branches, nullable } = flatten(all);
                        if branches.len() > 1 && !nullable {
                            if let Some(draft) = self.draft(id) {
                                draft.one_of = keys.one_of.is_some();
                                draft.discriminator =
                                    tags.filter(|tags| tags.values.len() == branches.len());
                            }
                            return Shape::Union(branches);
                        }
                        return Shape::Alias(
                            self.union_of(branches, nullable, schema, &keys, &spot),
                        );
                    }
                }
            }
        }
        Shape::Alias(self.lower_keys(schema, &keys, &spot))
    }

    /// A choice: the one that exists already when field and values are the same.
    fn choice(
        &mut self,
        literals: Literals<'a>,
        schema: Schema<'a>,
        keys: &Keys<'a>,
        spot: &Spot<'_>,
    ) -> Type {
        let (nullable, one_of) = (literals.nullable, literals.one_of);
        let found = if literals.is_boolean() {
            Type::Boolean
        } else {
            let mut key = names::snake(spot.part);
            key.push(if one_of { '|' } else { ' ' });
            literals.push_key(&mut key);
            let known = self.by_values.get(&key).into_iter().flatten().copied();
            let same = known.into_iter().find(|id| {
                let draft = self.drafts.get(id.0);
                matches!(draft.map(|draft| &draft.shape), Some(Shape::Choice(known)) if literals.is_same(known))
            });
            let id = same.unwrap_or_else(|| {
                let (node, shape) = (schema.node(), Shape::Choice(literals.into_choices()));
                let id = self.add(spot.wish(), keys.describe(), shape, node);
                if let Some(draft) = self.draft(id) {
                    draft.one_of = one_of;
                }
                self.by_values.entry(key).or_default().push(id);
                id
            });
            Type::Named(id)
        };
        if nullable { or_null(found) } else { found }
    }

    /// An object, and the alternatives that hold beside its members.
    fn composed(&mut self, schema: Schema<'a>, parts: &Gathered<'a>, id: TypeId) -> Shape {
        let owner = Owner::Type(id);
        let mut all = Vec::new();
        for alternative in &parts.alternatives {
            let spot = Spot {
                owner: &owner,
                part: "alternative",
            };
            let found = match alternative {
                Alternative::Part(part) => self.lower(*part, &spot),
                Alternative::Own(list) => {
                    let branches = self.branches(*list, schema, &spot);
                    let keys = Keys::of(schema.node()).without_words();
                    self.union(branches, schema, &keys, &spot)
                }
            };
            if found != Type::Any && !all.contains(&found) {
                all.push(found);
            }
        }
        if all.is_empty() {
            return Shape::Object(self.object(schema, parts, id));
        }
        if !parts.properties.is_empty() {
            let wish = Wish::Part {
                owner,
                part: "base".to_owned(),
            };
            let base = self.add(wish, String::new(), Shape::Alias(Type::Any), schema.node());
            let object = self.object(schema, parts, base);
            if let Some(draft) = self.draft(base) {
                draft.shape = Shape::Object(object);
            }
            all.insert(0, Type::Named(base));
        }
        match all.len() {
            1 => Shape::Alias(all.swap_remove(0)),
            _ => Shape::All(all),
        }
    }

    /// The object a schema describes, `allOf` included.
    fn object(&mut self, schema: Schema<'a>, parts: &Gathered<'a>, id: TypeId) -> Object {
        let owner = Owner::Type(id);
        let mut fields = Vec::with_capacity(parts.properties.len());
        for (name, property) in &parts.properties {
            let spot = Spot {
                owner: &owner,
                part: name,
            };
            fields.push(self.field(name, *property, parts.requires(name), &spot));
        }
        let others = match parts.others {
            Some(node) if node.as_bool() == Some(false) => Others::Forbidden,
            Some(node) if node.is_object() && !node.is_empty() => {
                let spot = Spot {
                    owner: &owner,
                    part: "additional",
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
        spot: &Spot<'_>,
    ) -> Field {
        let keys = Keys::of(schema.node());
        let mut field = Field {
            wire: Box::from(name),
            required,
            shape: self.lower_keys(schema, &keys, spot),
            description: keys.remark(),
            deprecated: keys.is_deprecated(),
            location: Location::Body,
            rare: None,
        };
        if let Some(value) = keys.default.filter(|value| !value.is_null()) {
            field.rare().default = Some(Tree::of_node(value));
        }
        if let Some(endpoint) = keys.endpoint() {
            field.rare().choices_endpoint = Some(endpoint);
        }
        field
    }

    /// The alternatives of `oneOf` or `anyOf`.
    fn branches(&mut self, list: Node<'a>, schema: Schema<'a>, spot: &Spot<'_>) -> Vec<Type> {
        let mut found = Vec::with_capacity(list.len());
        for (at, branch) in list.items().enumerate() {
            let keys = Keys::of(branch);
            let title = keys
                .title
                .and_then(Node::as_str)
                .filter(|title| title.len() <= 40);
            let part = match title {
                Some(title) => format!("{} {title}", spot.part),
                None if list.len() == 1
                    || !branch.is_object()
                    || keys.reference.is_some()
                    || record(schema.with(branch), &keys).is_none() =>
                {
                    spot.part.to_owned()
                }
                None => format!("{} variant {}", spot.part, at + 1),
            };
            let spot = Spot {
                owner: spot.owner,
                part: &part,
            };
            found.push(self.lower_keys(schema.with(branch), &keys, &spot));
        }
        found
    }

    /// One of several types, under a name of its own when there is more than one.
    fn union(
        &mut self,
        all: Vec<Type>,
        schema: Schema<'a>,
        keys: &Keys<'a>,
        spot: &Spot<'_>,
    ) -> Type {
        let tags = keys
            .branches()
            .and_then(|list| discriminator(keys, list, &all));
        let Flat { branches, nullable } = flatten(all);
        let count = branches.len();
        let found = self.union_of(branches, nullable, schema, keys, spot);
        if count > 1
            && let Type::Named(id) = found
            && let Some(draft) = self.draft(id)
        {
            draft.one_of = keys.one_of.is_some();
            draft.discriminator = tags.filter(|tags| tags.values.len() == count);
        }
        found
    }

    fn union_of(
        &mut self,
        mut branches: Vec<Type>,
        nullable: bool,
        schema: Schema<'a>,
        keys: &Keys<'a>,
        spot: &Spot<'_>,
    ) -> Type {
        let found = match branches.len() {
            0 => return Type::Null,
            1 => branches.swap_remove(0),
            _ => Type::Named(self.add(
                spot.wish(),
                keys.describe(),
                Shape::Union(branches),
                schema.node(),
            )),
        };
        if nullable { or_null(found) } else { found }
    }

    /// A scalar, a list, a map, or anything.
    fn plain(&mut self, schema: Schema<'a>, keys: &Keys<'a>, spot: &Spot<'_>) -> Type {
        let types = keys.types();
        let mut all = types
            .names()
            .filter(|name| *name != "null")
            .map(|name| match name {
                "boolean" => Type::Boolean,
                "integer" => Type::Integer(facets::of_number(keys)),
                "number" => Type::Number(facets::of_number(keys)),
                "array" => self.list(schema, keys, spot),
                "object" => self.map(schema, keys, spot),
                // Swagger 2.0.
                "file" => Type::binary(),
                _ if keys.holds_bytes() => Type::binary(),
                _ => Type::Text(facets::of_text(keys, &mut self.formats)),
            });
        // Nearly every schema names one type, and needs no list.
        if let Some(first) = all.next() {
            let Some(second) = all.next() else {
                return first;
            };
            let mut found = vec![first, second];
            found.extend(all);
            return self.union(found, schema, keys, spot);
        }
        drop(all);
        if types.contains("null") {
            return Type::Null;
        }
        if keys.items.is_some() || keys.prefix_items.is_some() {
            return self.list(schema, keys, spot);
        }
        if keys.additional.is_some_and(Node::is_object) {
            return self.map(schema, keys, spot);
        }
        if keys.pattern.is_some() || keys.min_length.is_some() || keys.max_length.is_some() {
            return Type::Text(facets::of_text(keys, &mut self.formats));
        }
        Type::Any
    }

    /// A list; of several types where the places in it have types of their own.
    fn list(&mut self, schema: Schema<'a>, keys: &Keys<'a>, spot: &Spot<'_>) -> Type {
        let prefix = keys
            .prefix_items
            .or(keys.items)
            .filter(|list| list.is_array() && !list.is_empty());
        let rest = keys.items.filter(|items| items.is_object());
        let Some(prefix) = prefix else {
            let item = rest.map_or(Type::Any, |items| self.lower(schema.with(items), spot));
            return Type::List(Box::new(item), facets::of_list(keys));
        };
        let mut places = Vec::new();
        for (at, place) in prefix.items().enumerate() {
            let part = format!("{} {}", spot.part, at + 1);
            let spot = Spot {
                owner: spot.owner,
                part: &part,
            };
            places.push(self.lower(schema.with(place), &spot));
        }
        let count = |node: Option<Node<'_>>| node.and_then(Node::as_i64).unwrap_or(-1);
        let length = i64::try_from(places.len()).unwrap_or(i64::MAX);
        let closed =
            count(keys.max_items) == length || keys.items.and_then(Node::as_bool) == Some(false);
        if closed && count(keys.min_items) == length {
            return Type::Tuple(places);
        }
        // Some places may be missing, or more may follow: every item is one of what the places say.
        if let Some(items) = rest {
            places.push(self.lower(schema.with(items), spot));
        } else if !closed {
            places.push(Type::Any);
        }
        let item = self.union(places, schema, &Keys::default(), spot);
        Type::List(Box::new(item), facets::of_list(keys))
    }

    fn map(&mut self, schema: Schema<'a>, keys: &Keys<'a>, spot: &Spot<'_>) -> Type {
        let values = keys.additional.filter(|values| values.is_object());
        let value = match values {
            Some(values) if !values.is_empty() => self.lower(schema.with(values), spot),
            _ => Type::Any,
        };
        Type::Map(Box::new(value))
    }
}
