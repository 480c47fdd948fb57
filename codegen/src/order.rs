//! The order in which types can be declared: what a type needs comes before it.

use crate::ir::{Api, Object, Others, Shape, Type, TypeDef, TypeId};

/// All types, each after those it uses; inside a circle, and where there is a choice, by name.
pub(crate) fn by_need(api: &Api) -> Vec<&TypeDef> {
    let mut placed = vec![false; api.types.len()];
    let mut order = Vec::with_capacity(api.types.len());
    for start in 0..api.types.len() {
        // A place on the stack is a type and how many of its parts are done.
        let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
        visit(api, start, &mut placed, &mut stack);
        while let Some((at, parts)) = stack.last_mut() {
            let at = *at;
            if let Some(next) = parts.pop() {
                visit(api, next, &mut placed, &mut stack);
            } else {
                stack.pop();
                order.extend(api.types.get(at));
            }
        }
    }
    order
}

fn visit(api: &Api, at: usize, placed: &mut [bool], stack: &mut Vec<(usize, Vec<usize>)>) {
    if let (Some(slot), Some(definition)) = (placed.get_mut(at), api.types.get(at))
        && !*slot
    {
        *slot = true;
        let mut parts = Vec::new();
        names_in(&definition.shape, &mut parts);
        parts.sort_unstable();
        parts.dedup();
        parts.reverse();
        stack.push((at, parts));
    }
}

/// What a program needs, in the order of need: all types but the flat forms of requests, then the requests part by part.
pub(crate) fn for_programs(api: &Api) -> Vec<&TypeDef> {
    let flat = api.flat_requests();
    let is_flat = |definition: &TypeDef| {
        // Types are sorted by name.
        let at = api
            .types
            .binary_search_by(|known| known.name.cmp(&definition.name));
        at.is_ok_and(|at| flat.get(at) == Some(&true))
    };
    let mut order = by_need(api);
    if flat.contains(&true) {
        order.retain(|definition| !is_flat(definition));
    }
    order.extend(&api.requests);
    order
}

/// Adds the places of the types that a shape names.
pub(crate) fn names_in(shape: &Shape, found: &mut Vec<usize>) {
    match shape {
        Shape::Choice(_) => {}
        Shape::Object(Object { fields, others }) => {
            for field in fields {
                collect(&field.shape, found);
            }
            if let Others::Of(inner) = others {
                collect(inner, found);
            }
        }
        Shape::Union(branches) | Shape::All(branches) => {
            for branch in branches {
                collect(branch, found);
            }
        }
        Shape::Alias(inner) => collect(inner, found),
    }
}

/// The places of the types that a type names.
pub(crate) fn named(shape: &Type) -> Vec<usize> {
    let mut found = Vec::new();
    collect(shape, &mut found);
    found
}

fn collect(shape: &Type, found: &mut Vec<usize>) {
    match shape {
        Type::Named(TypeId(at)) => found.push(*at),
        Type::List(inner, _) | Type::Map(inner) | Type::Nullable(inner) => collect(inner, found),
        Type::Tuple(places) => places.iter().for_each(|place| collect(place, found)),
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_) => {}
    }
}
