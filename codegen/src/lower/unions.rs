//! Alternatives: without repetition, and told apart by a member where the document says which.

use aon_manifest::Node;

use super::keys::Keys;
use crate::ir::{Discriminator, Type};

/// Alternatives without repetition; `null` stands aside.
pub(super) struct Flat {
    pub(super) branches: Vec<Type>,
    pub(super) nullable: bool,
}

pub(super) fn flatten(all: Vec<Type>) -> Flat {
    let mut flat = Flat {
        branches: Vec::with_capacity(all.len()),
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

pub(super) fn or_null(found: Type) -> Type {
    if matches!(found, Type::Any | Type::Null | Type::Nullable(_)) {
        return found;
    }
    Type::Nullable(Box::new(found))
}

/// Which values of which member stand for which branch. None unless every branch is a reference with values of its own.
pub(super) fn discriminator(
    keys: &Keys<'_>,
    list: Node<'_>,
    branches: &[Type],
) -> Option<Discriminator> {
    let told = keys.discriminator?;
    let property = told.get_str("propertyName")?;
    let mapping = told.get("mapping");
    let mut values: Vec<Vec<String>> = Vec::new();
    for (branch, found) in list.items().zip(branches) {
        if !matches!(found, Type::Named(_)) {
            return None;
        }
        let reference = branch.get_str("$ref")?;
        let name = reference.rsplit(['/', '#']).next().unwrap_or(reference);
        let mut own: Vec<String> = mapping
            .into_iter()
            .flat_map(Node::members)
            .filter(|member| {
                let target = member.value.text();
                target == reference || target == name
            })
            .map(|member| member.name().to_owned())
            .collect();
        if own.is_empty() {
            own.push(name.to_owned());
        }
        own.sort();
        if own
            .iter()
            .any(|value| values.iter().flatten().any(|known| known == value))
        {
            return None;
        }
        values.push(own);
    }
    Some(Discriminator {
        property: property.to_owned(),
        values,
    })
}
