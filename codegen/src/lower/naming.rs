//! Which type gets which name.
//!
//! A name that somebody wrote is kept, in the case the languages like. Of two that become the same, the one that is written that
//! way already keeps it; the other gets a number, and a note says so. Names we make up step aside: they get longer, and at last
//! a number.

use std::collections::BTreeMap;

use aon_manifest::Node;

use super::issue::{LowerIssue, LowerIssueKind, place};
use super::types::{Draft, Owner, Types, Wish};
use crate::ir::{Object, Others, Shape, Type, TypeDef, TypeId};
use crate::names::{self, Unique};
use crate::target::Options;

/// The types with their names, sorted by them.
pub(super) struct Named<'a> {
    pub(super) definitions: Vec<TypeDef>,
    /// Where each stands.
    pub(super) nodes: Vec<Node<'a>>,
    /// From the place in the drafts to the place here.
    pub(super) map: Vec<TypeId>,
    /// The names that are given.
    pub(super) taken: Unique,
}

pub(super) fn decide<'a>(
    types: Types<'a>,
    options: &Options,
    notes: &mut Vec<LowerIssue>,
) -> Named<'a> {
    let drafts = types.drafts;
    let mut names: Vec<String> = vec![String::new(); drafts.len()];
    let mut taken = Unique::default();
    written(&drafts, &mut names, &mut taken, options, notes);
    for (draft, name) in drafts.iter().zip(&mut names) {
        if let Wish::Request(operation) = &draft.wish {
            // The underscore kept the name apart from a reserved word; with more behind it there is no need.
            let pascal = operation_name(operation, options);
            let pascal = pascal.trim_end_matches('_');
            let wish = format!("{pascal}Request");
            *name = if taken.has(&wish) {
                taken.take(format!("{pascal}Arguments"))
            } else {
                taken.take(wish)
            };
        }
    }
    parts(&drafts, &mut names, &mut taken, options);

    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_unstable_by(|a, b| names.get(*a).cmp(&names.get(*b)));
    let mut map = vec![TypeId(0); drafts.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(slot) = map.get_mut(*old) {
            *slot = TypeId(new);
        }
    }
    let mut drafts: Vec<Option<Draft<'a>>> = drafts.into_iter().map(Some).collect();
    let mut named = Named {
        definitions: Vec::with_capacity(drafts.len()),
        nodes: Vec::with_capacity(drafts.len()),
        map,
        taken,
    };
    for at in order {
        let (Some(name), Some(draft)) = (
            names.get_mut(at).map(std::mem::take),
            drafts.get_mut(at).and_then(Option::take),
        ) else {
            continue;
        };
        let Draft {
            wish,
            description,
            deprecated,
            shape,
            one_of,
            discriminator,
            node,
        } = draft;
        let wire = match wish {
            Wish::Written(wire) => Some(wire),
            Wish::Request(_) | Wish::Part { .. } => None,
        };
        let shape = reshape(shape, &named.map);
        named.nodes.push(node);
        named.definitions.push(TypeDef {
            name,
            wire,
            description,
            deprecated,
            shape,
            one_of,
            discriminator,
            cycle: None,
        });
    }
    named
}

/// The name of an operation as a type.
pub(super) fn operation_name(id: &str, options: &Options) -> String {
    options
        .name_of(id)
        .map_or_else(|| names::pascal(id), names::pascal)
}

fn written(
    drafts: &[Draft<'_>],
    names: &mut [String],
    taken: &mut Unique,
    options: &Options,
    notes: &mut Vec<LowerIssue>,
) {
    let mut wishes: Vec<(String, &str, usize)> = Vec::with_capacity(drafts.len());
    for (at, draft) in drafts.iter().enumerate() {
        if let Wish::Written(wire) = &draft.wish {
            let wanted = options
                .name_of(wire)
                .map_or_else(|| names::pascal(wire), names::pascal);
            taken.reserve(&wanted);
            wishes.push((wanted, wire, at));
        }
    }
    // Which of two gets the number must not depend on the order of the document.
    wishes.sort_unstable_by(|(a, x, i), (b, y, j)| (a, a != x, x, i).cmp(&(b, b != y, y, j)));
    let mut before: Option<(String, usize)> = None;
    for (wanted, wire, at) in wishes {
        let first = before
            .as_ref()
            .and_then(|(name, first)| (*name == wanted).then_some(*first));
        let Some(slot) = names.get_mut(at) else {
            continue;
        };
        let Some(other) = first.and_then(|first| drafts.get(first)) else {
            slot.clone_from(&wanted);
            before = Some((wanted, at));
            continue;
        };
        *slot = taken.take(wanted.clone());
        if let (Wish::Written(kept), Some(own)) = (&other.wish, drafts.get(at)) {
            notes.push(LowerIssue::new(
                LowerIssueKind::Collision,
                [place(key(other.node)), place(key(own.node))],
                format!("the schemas `{kept}` and `{wire}` would both be called `{wanted}`, so `{wire}` is called `{slot}`"),
                format!("choose another name in aon.toml: [gen.names] \"{wire}\" = \"…\""),
            ));
        }
    }
}

/// Names for types that have none. A choice is called like its field when no other choice of that name exists.
fn parts(drafts: &[Draft<'_>], names: &mut [String], taken: &mut Unique, options: &Options) {
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    for draft in drafts {
        if let Some(part) = short_name(draft) {
            *alike.entry(names::pascal(part)).or_default() += 1;
        }
    }
    for (at, draft) in drafts.iter().enumerate() {
        let Wish::Part { owner, part } = &draft.wish else {
            continue;
        };
        let pascal = names::pascal(part);
        let is_short =
            short_name(draft).is_some() && alike.get(&pascal) == Some(&1) && !taken.has(&pascal);
        let wish = match owner {
            _ if is_short => pascal,
            Owner::Nobody => pascal,
            Owner::Type(id) => {
                let owner = names.get(id.0).map_or("", String::as_str);
                [owner.trim_end_matches('_'), pascal.trim_end_matches('_')].concat()
            }
            Owner::Operation(id) => {
                let owner = operation_name(id, options);
                [owner.trim_end_matches('_'), pascal.trim_end_matches('_')].concat()
            }
        };
        if let Some(name) = names.get_mut(at) {
            *name = taken.take(wish);
        }
    }
}

/// The field that a choice may be called like.
fn short_name<'d>(draft: &'d Draft<'_>) -> Option<&'d str> {
    match (&draft.wish, &draft.shape) {
        (
            Wish::Part {
                owner: Owner::Type(_) | Owner::Operation(_),
                part,
            },
            Shape::Choice(_),
        ) => Some(part),
        _ => None,
    }
}

fn reshape(shape: Shape, map: &[TypeId]) -> Shape {
    match shape {
        Shape::Choice(choices) => Shape::Choice(choices),
        Shape::Object(Object { mut fields, others }) => {
            for field in &mut fields {
                renumber(&mut field.shape, map);
            }
            let others = match others {
                Others::Of(mut inner) => {
                    renumber(&mut inner, map);
                    Others::Of(inner)
                }
                Others::Unsaid | Others::Forbidden => others,
            };
            Shape::Object(Object { fields, others })
        }
        Shape::Union(mut branches) => {
            for branch in &mut branches {
                renumber(branch, map);
            }
            Shape::Union(branches)
        }
        Shape::All(mut parts) => {
            for part in &mut parts {
                renumber(part, map);
            }
            Shape::All(parts)
        }
        Shape::Alias(mut inner) => {
            renumber(&mut inner, map);
            Shape::Alias(inner)
        }
    }
}

/// Points the names in a type at their final places.
pub(super) fn renumber(shape: &mut Type, map: &[TypeId]) {
    match shape {
        Type::Named(id) => {
            if let Some(new) = map.get(id.0) {
                *id = *new;
            }
        }
        Type::List(inner, _) | Type::Map(inner) | Type::Nullable(inner) => renumber(inner, map),
        Type::Tuple(places) => places.iter_mut().for_each(|place| renumber(place, map)),
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_) => {}
    }
}

fn key(node: Node<'_>) -> Node<'_> {
    node.key().unwrap_or(node)
}
