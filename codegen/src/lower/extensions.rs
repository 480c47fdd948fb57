//! The members that a problem has beside those of every problem, with their types.
//!
//! A schema of the error's body says most, an example says what sort of value it is, a catalog what the types of the program say.

use std::collections::BTreeMap;

use aon_manifest::model::{ErrorResponse, Schema};

use super::fields::named_fields;
use crate::ir::{Facets, Field, Location, Type};
use crate::json::Tree;

/// What every problem has; the rest is an extension of this one.
const COMMON: [&str; 16] = [
    "$schema",
    "a2a_skill",
    "code",
    "detail",
    "docs_url",
    "errors",
    "instance",
    "mcp_tool",
    "remediation",
    "request_id",
    "retry_after",
    "schema",
    "status",
    "title",
    "type",
    "valid_values",
];

/// The extensions that a catalog names, with the types that it tells.
pub(super) fn named(names: &[String], types: &BTreeMap<String, String>) -> Vec<Field> {
    let own = names.iter().filter(|name| is_own(name));
    own.map(|name| {
        let shape = types.get(name).map_or(Type::Any, |word| of_word(word));
        field(name, shape, "")
    })
    .collect()
}

/// The type that a word of a catalog stands for. An unknown word is anything.
fn of_word(word: &str) -> Type {
    let facets = Facets::default;
    if let Some(item) = word.strip_suffix("[]") {
        return Type::List(Box::new(of_word(item)), facets());
    }
    match word {
        "boolean" => Type::Boolean,
        "integer" => Type::Integer(facets()),
        "number" => Type::Number(facets()),
        "string" => Type::Text(facets()),
        _ => Type::Any,
    }
}

/// The members that the schema of an error's body names.
pub(super) fn of_schema(error: &ErrorResponse<'_>) -> Vec<Field> {
    let schema = error
        .contents
        .iter()
        .find_map(|content| content.schema.filter(|_| content.is_problem()));
    let Some(schema) = schema else {
        return Vec::new();
    };
    let all = schema.resolved().all_properties();
    let own = all.iter().filter(|property| is_own(property.name()));
    own.map(|property| {
        let about = property.schema.description();
        let about = about.map_or("", |text| text.as_str()).trim();
        field(property.name(), simple(property.schema, DEPTH), about)
    })
    .collect()
}

/// All extensions in order, those that only an example shows included.
pub(super) fn known(mut fields: Vec<Field>, example: &Tree) -> Vec<Field> {
    for (name, value) in example.members() {
        match fields.iter_mut().find(|field| *field.wire == **name) {
            Some(field) if field.shape == Type::Any => field.shape = of_value(value, DEPTH),
            None if is_own(name) => fields.push(field(name, of_value(value, DEPTH), "")),
            Some(_) | None => {}
        }
    }
    named_fields(fields)
}

fn is_own(name: &str) -> bool {
    COMMON.binary_search(&name).is_err()
}

/// Types are looked into this far; what is deeper may be anything.
const DEPTH: usize = 4;

/// A type without a name of its own. A problem is read by clients that must not fall over what a server adds to it, so objects stay
/// open.
fn simple(schema: Schema<'_>, depth: usize) -> Type {
    let schema = schema.resolved();
    let types = schema.types();
    let facets = Facets::default;
    let Some(depth) = depth.checked_sub(1) else {
        return Type::Any;
    };
    if types.is_only("string") {
        Type::Text(facets())
    } else if types.is_only("integer") {
        Type::Integer(facets())
    } else if types.is_only("number") {
        Type::Number(facets())
    } else if types.is_only("boolean") {
        Type::Boolean
    } else if types.is_only("array") {
        let item = schema.items().map_or(Type::Any, |item| simple(item, depth));
        Type::List(Box::new(item), facets())
    } else if types.is_only("object") {
        let inner = schema.additional_properties();
        Type::Map(Box::new(
            inner.map_or(Type::Any, |inner| simple(inner, depth)),
        ))
    } else {
        Type::Any
    }
}

fn of_value(value: &Tree, depth: usize) -> Type {
    let Some(depth) = depth.checked_sub(1) else {
        return Type::Any;
    };
    match value {
        Tree::Null => Type::Any,
        Tree::Bool(_) => Type::Boolean,
        // 5 may be 5.5 next time.
        Tree::Number(_) => Type::Number(Facets::default()),
        Tree::String(_) => Type::Text(Facets::default()),
        Tree::Array(items) => {
            let mut types = items.iter().map(|item| of_value(item, depth));
            let first = types.next().unwrap_or(Type::Any);
            let item = if types.all(|other| other == first) {
                first
            } else {
                Type::Any
            };
            Type::List(Box::new(item), Facets::default())
        }
        Tree::Object(_) => Type::Map(Box::new(Type::Any)),
    }
}

fn field(name: &str, shape: Type, description: &str) -> Field {
    Field {
        wire: Box::from(name),
        required: false,
        shape,
        description: Box::from(description),
        deprecated: false,
        location: Location::Body,
        rare: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_members_can_be_searched() {
        assert!(COMMON.is_sorted());
        assert!(is_own("balance") && !is_own("valid_values"));
    }

    #[test]
    fn an_example_tells_the_types_of_what_nobody_described() {
        let example = Tree::object([
            ("title", Tree::from("T")),
            ("balance", Tree::Number("30".into())),
            ("accounts", Tree::array(["/a", "/b"])),
        ]);
        let names = ["balance", "hint", "tags", "open"].map(str::to_owned);
        let types = [("tags", "string[]"), ("open", "boolean"), ("hint", "odd")];
        let types = types.map(|(name, word)| (name.to_owned(), word.to_owned()));
        let fields = known(named(&names, &types.into()), &example);
        let told: Vec<(&str, &Type)> = fields
            .iter()
            .map(|field| (&*field.wire, &field.shape))
            .collect();
        let list = Type::List(Box::new(Type::Text(Facets::default())), Facets::default());
        assert_eq!(
            told,
            [
                ("accounts", &list),
                ("balance", &Type::Number(Facets::default())),
                ("hint", &Type::Any),
                ("open", &Type::Boolean),
                ("tags", &list),
            ]
        );
    }
}
