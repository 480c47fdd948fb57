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
    let edges = Edges::of(&types);
    let mut ends = vec![false; types.len()];
    let mut number = 0;
    let mut stuck = Vec::new();
    // What a group needs comes before it, so each group is looked at when the answer for its parts is known.
    let groups = edges.groups();
    for group in (0..groups.ends.len()).map(|at| groups.get(at)) {
        if !edges.is_circle(group)
            && let [only] = group
        {
            let done = types.get(*only).is_some_and(|part| is_finite(part, &ends));
            set(&mut ends, *only, done);
            continue;
        }
        while settle(group, &types, &mut ends) {}
        for &at in group {
            if let Some(definition) = types.get_mut(at) {
                definition.cycle = Some(number);
            }
            if ends.get(at) == Some(&false) {
                stuck.push(at);
            }
        }
        number += 1;
    }
    stuck.sort_unstable();
    for at in stuck {
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

/// Marks the types of a circle that can be built from what is known to end; whether there was a new one.
fn settle(circle: &[usize], types: &[TypeDef], ends: &mut [bool]) -> bool {
    let mut changed = false;
    for &at in circle {
        if ends.get(at) == Some(&false) && types.get(at).is_some_and(|part| is_finite(part, ends)) {
            set(ends, at, true);
            changed = true;
        }
    }
    changed
}

/// Whether a value can be built when these types end. A type that does not would have to contain another of itself for ever.
fn is_finite(definition: &TypeDef, ends: &[bool]) -> bool {
    match &definition.shape {
        Shape::Choice(_) => true,
        Shape::Object(Object { fields, .. }) => fields
            .iter()
            .all(|field| !field.required || finite(&field.shape, ends)),
        Shape::Union(branches) => branches.iter().any(|branch| finite(branch, ends)),
        Shape::All(parts) => parts.iter().all(|part| finite(part, ends)),
        Shape::Alias(inner) => finite(inner, ends),
    }
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

/// Which types name which.
struct Edges(Lists);

/// Lists of numbers, one behind the other in memory.
#[derive(Default)]
struct Lists {
    items: Vec<usize>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Lists {
    /// Ends the list that items were added to.
    fn end(&mut self) {
        self.ends.push(self.items.len());
    }

    fn get(&self, at: usize) -> &[usize] {
        let start = at.checked_sub(1).and_then(|at| self.ends.get(at)).copied();
        let end = self.ends.get(at).copied().unwrap_or_default();
        self.items
            .get(start.unwrap_or_default()..end)
            .unwrap_or_default()
    }
}

impl Edges {
    fn of(types: &[TypeDef]) -> Edges {
        let mut lists = Lists::default();
        for definition in types {
            names_in(&definition.shape, &mut lists.items);
            lists.end();
        }
        Edges(lists)
    }

    fn from(&self, at: usize) -> &[usize] {
        self.0.get(at)
    }

    /// Whether a group leads back to itself.
    fn is_circle(&self, group: &[usize]) -> bool {
        match group {
            [only] => self.from(*only).contains(only),
            _ => true,
        }
    }

    /// The strongly connected groups, each after those it leads to: Tarjan's algorithm with its own stack, because documents can
    /// be deeper than the machine's.
    fn groups(&self) -> Lists {
        const UNSEEN: usize = usize::MAX;
        let count = self.0.ends.len();
        let mut found = Lists::default();
        let mut order = vec![UNSEEN; count];
        let mut low = vec![0; count];
        let mut waiting = vec![false; count];
        let (mut stack, mut calls) = (Vec::new(), Vec::new());
        let mut next = 0;
        for start in 0..count {
            if order.get(start) != Some(&UNSEEN) {
                continue;
            }
            calls.push((start, 0));
            while let Some((at, edge)) = calls.pop() {
                let Some(own) = order.get_mut(at) else {
                    continue;
                };
                if *own == UNSEEN {
                    *own = next;
                    set(&mut low, at, next);
                    next += 1;
                    stack.push(at);
                    set(&mut waiting, at, true);
                }
                if let Some(&target) = self.from(at).get(edge) {
                    calls.push((at, edge + 1));
                    match order.get(target) {
                        Some(&UNSEEN) => calls.push((target, 0)),
                        Some(&seen) if waiting.get(target) == Some(&true) => {
                            lower(&mut low, at, seen);
                        }
                        _ => {}
                    }
                    continue;
                }
                let own_low = low.get(at).copied().unwrap_or_default();
                if let Some((parent, _)) = calls.last() {
                    lower(&mut low, *parent, own_low);
                }
                if order.get(at) == Some(&own_low) {
                    while let Some(member) = stack.pop() {
                        set(&mut waiting, member, false);
                        found.items.push(member);
                        if member == at {
                            break;
                        }
                    }
                    found.end();
                }
            }
        }
        found
    }
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

    fn circles(edges: impl IntoIterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
        let mut lists = Lists::default();
        for mut targets in edges {
            lists.items.append(&mut targets);
            lists.end();
        }
        let edges = Edges(lists);
        let groups = edges.groups();
        let mut found: Vec<Vec<usize>> = (0..groups.ends.len())
            .map(|at| groups.get(at))
            .filter(|group| edges.is_circle(group))
            .map(|group| {
                let mut group = group.to_vec();
                group.sort_unstable();
                group
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn circles_are_found_and_trees_are_not() {
        let found = circles([vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5]]);
        assert_eq!(found, [vec![0, 1, 2], vec![5]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges = (0..200_000).map(|at| vec![at + 1]).chain([vec![]]);
        assert!(circles(edges).is_empty());
    }
}
