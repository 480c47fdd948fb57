//! Types that contain themselves: which ones, and whether a value of them can ever end.

use aon_manifest::Node;

use super::issue::{LowerIssue, LowerIssueKind, place};
use crate::ir::{Object, Shape, Type, TypeDef};
use crate::order::names_in;

/// Marks the circles, and reports types that no finite value can have.
pub(super) fn mark(
    mut types: Vec<TypeDef>,
    nodes: &[Node<'_>],
    issues: &mut Vec<LowerIssue>,
) -> Vec<TypeDef> {
    let edges: Vec<Vec<usize>> = types
        .iter()
        .map(|definition| names_in(&definition.shape))
        .collect();
    for (number, circle) in circles(&edges).into_iter().enumerate() {
        for at in circle {
            if let Some(definition) = types.get_mut(at) {
                definition.cycle = Some(number);
            }
        }
    }
    for at in endless(&types) {
        let (Some(definition), Some(node)) = (types.get(at), nodes.get(at)) else {
            continue;
        };
        issues.push(LowerIssue::new(
            LowerIssueKind::Endless,
            [place(node.key().unwrap_or(*node))],
            format!(
                "`{}` contains itself without an end, so no value can have this type",
                definition.name
            ),
            "make the field that leads back optional or a list, or add a branch that ends",
        ));
    }
    types
}

/// The types that cannot be built: a value would have to contain another of the same type for ever.
fn endless(types: &[TypeDef]) -> Vec<usize> {
    let mut ends = vec![false; types.len()];
    loop {
        let mut changed = false;
        for (at, definition) in types.iter().enumerate() {
            // Outside of circles the answer of the parts decides, and an unfinished part is reported itself.
            let done = match &definition.shape {
                Shape::Choice(_) => true,
                Shape::Object(Object { fields, .. }) => fields
                    .iter()
                    .all(|field| !field.required || finite(&field.shape, &ends)),
                Shape::Union(branches) => branches.iter().any(|branch| finite(branch, &ends)),
                Shape::All(parts) => parts.iter().all(|part| finite(part, &ends)),
                Shape::Alias(inner) => finite(inner, &ends),
            };
            if let Some(slot) = ends.get_mut(at)
                && done
                && !*slot
            {
                *slot = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let stuck = |at: &usize| {
        ends.get(*at) == Some(&false) && types.get(*at).is_some_and(|t| t.cycle.is_some())
    };
    (0..types.len()).filter(stuck).collect()
}

fn finite(shape: &Type, ends: &[bool]) -> bool {
    match shape {
        Type::Named(id) => ends.get(id.0) == Some(&true),
        Type::Tuple(places) => places.iter().all(|place| finite(place, ends)),
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Text(_)
        | Type::List(_, _)
        | Type::Map(_)
        | Type::Nullable(_) => true,
    }
}

/// The strongly connected groups with more than one member, or with a member that leads to itself: Tarjan's algorithm with its own
/// stack, because documents can be deeper than the machine's.
fn circles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut found = Vec::new();
    let mut order = vec![UNSEEN; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut waiting = vec![false; edges.len()];
    let mut stack = Vec::new();
    let mut next = 0;
    for start in 0..edges.len() {
        if order.get(start) != Some(&UNSEEN) {
            continue;
        }
        let mut calls = vec![(start, 0)];
        while let Some((at, edge)) = calls.pop() {
            let (Some(own), Some(targets)) = (order.get_mut(at), edges.get(at)) else {
                continue;
            };
            if *own == UNSEEN {
                *own = next;
                set(&mut low, at, next);
                next += 1;
                stack.push(at);
                set(&mut waiting, at, true);
            }
            if let Some(&target) = targets.get(edge) {
                calls.push((at, edge + 1));
                match order.get(target) {
                    Some(&UNSEEN) => calls.push((target, 0)),
                    Some(&seen) if waiting.get(target) == Some(&true) => lower(&mut low, at, seen),
                    _ => {}
                }
                continue;
            }
            let own_low = low.get(at).copied().unwrap_or_default();
            if let Some((parent, _)) = calls.last() {
                lower(&mut low, *parent, own_low);
            }
            if order.get(at) == Some(&own_low) {
                let mut group = Vec::new();
                while let Some(member) = stack.pop() {
                    set(&mut waiting, member, false);
                    group.push(member);
                    if member == at {
                        break;
                    }
                }
                if group.len() > 1 || targets.contains(&at) {
                    found.push(group);
                }
            }
        }
    }
    found
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

fn lower(low: &mut [usize], at: usize, value: usize) {
    if let Some(slot) = low.get_mut(at) {
        *slot = (*slot).min(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_and_trees_are_not() {
        let edges = vec![vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5]];
        let mut found: Vec<Vec<usize>> = circles(&edges)
            .into_iter()
            .map(|mut group| {
                group.sort_unstable();
                group
            })
            .collect();
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![5]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges: Vec<Vec<usize>> = (0..200_000)
            .map(|at| vec![at + 1])
            .chain([vec![]])
            .collect();
        assert!(circles(&edges).is_empty());
    }
}
