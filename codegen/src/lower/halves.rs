//! The types of a large document, collected by two threads: one reads the named schemas, the other the operations.
//!
//! The second only needs to know which schemas have names, so neither waits for the other. What comes out is what one thread would
//! have found, in the same order: the named schemas, the types of the operations, the types inside the schemas.

use std::thread;

use aon_manifest::model;

use super::issue::LowerIssue;
use super::operations::{self, Draft};
use super::types::{Owner, Types, Wish};
use crate::ir::{Shape, TypeId};

/// Whose ids a draft names: those of all, or those of the collector of the schemas.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Half {
    #[default]
    All,
    Schemas,
}

/// All types and operations.
pub(super) struct Collected<'a> {
    pub(super) types: Types<'a>,
    pub(super) operations: Vec<Draft<'a>>,
    /// From the ids of the collector of the schemas to those of all; empty when there was one collector.
    pub(super) moved: Vec<TypeId>,
}

pub(super) fn collect<'a>(apis: &[&model::Api<'a>], issues: &mut Vec<LowerIssue>) -> Collected<'a> {
    let operations: usize = apis.iter().map(|api| api.operations.len()).sum();
    let types = Types::new(apis);
    if types.drafts.len().min(operations) < WORTH_A_THREAD {
        return alone(apis, types, issues);
    }
    apart(apis, types, issues).unwrap_or_else(|| alone(apis, Types::new(apis), issues))
}

fn alone<'a>(
    apis: &[&model::Api<'a>],
    mut types: Types<'a>,
    issues: &mut Vec<LowerIssue>,
) -> Collected<'a> {
    let operations = operations::collect(apis, &mut types, issues);
    types.settle();
    types.report(issues);
    Collected {
        types,
        operations,
        moved: Vec::new(),
    }
}

/// From here on a thread costs less than it saves.
const WORTH_A_THREAD: usize = 200;

/// As much as a main thread has: schemas are read as deep as they are nested.
const STACK: usize = 8 << 20;

/// None when there is no second thread, or when a reference leads to a schema without a name: its place in the order depends on
/// who comes across it first.
fn apart<'a>(
    apis: &[&model::Api<'a>],
    mut schemas: Types<'a>,
    issues: &mut Vec<LowerIssue>,
) -> Option<Collected<'a>> {
    let named = schemas.drafts.len();
    let mut others = Types::behind(named, schemas.by_node.clone());
    let (others, operations, mut found) = thread::scope(|scope| {
        let second = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, move || {
                let mut found = Vec::new();
                let operations = operations::collect(apis, &mut others, &mut found);
                (others, operations, found)
            });
        let second = second.ok()?;
        schemas.settle();
        second.join().ok()
    })?;
    if schemas.by_node.len() != named || others.by_node.len() != named || !others.open.is_empty() {
        return None;
    }
    let (mut types, moved) = join(schemas, others, named);
    issues.append(&mut found);
    types.report(issues);
    Some(Collected {
        types,
        operations,
        moved,
    })
}

/// Puts the types of the operations between the named schemas and the types inside them.
fn join<'a>(
    mut schemas: Types<'a>,
    mut others: Types<'a>,
    named: usize,
) -> (Types<'a>, Vec<TypeId>) {
    // A choice of the same values under the same name is one type, that of the operations because those come first.
    let mut twins: Vec<(usize, TypeId)> = Vec::new();
    for (key, ids) in &schemas.by_values {
        for id in ids {
            let shape = schemas.drafts.get(id.0).map(|draft| &draft.shape);
            let Some(Shape::Choice(choices)) = shape else {
                continue;
            };
            let same = others.by_values.get(key).into_iter().flatten().find(|id| {
                let draft = others.drafts.get(id.0.wrapping_sub(named));
                matches!(draft.map(|draft| &draft.shape), Some(Shape::Choice(known)) if known == choices)
            });
            twins.extend(same.map(|same| (id.0, *same)));
        }
    }
    twins.sort_unstable();
    let mut late = schemas.drafts.split_off(named);
    let mut drafts = schemas.drafts;
    for draft in drafts.iter_mut().chain(&mut late) {
        draft.half = Half::Schemas;
    }
    drafts.reserve_exact(others.drafts.len() + late.len());
    drafts.append(&mut others.drafts);
    let mut moved: Vec<TypeId> = (0..named).map(TypeId).collect();
    for (at, mut draft) in late.into_iter().enumerate() {
        if let Ok(twin) = twins.binary_search_by_key(&(named + at), |(id, _)| *id) {
            moved.extend(twins.get(twin).map(|(_, id)| *id));
            continue;
        }
        moved.push(TypeId(drafts.len()));
        // An owner comes before its parts, so it has moved already.
        if let Wish::Part {
            owner: Owner::Type(id),
            ..
        } = &mut draft.wish
            && let Some(new) = moved.get(id.0)
        {
            *id = *new;
        }
        drafts.push(draft);
    }
    let mut unresolved = others.unresolved;
    unresolved.append(&mut schemas.unresolved);
    let mut types = Types::behind(0, schemas.by_node);
    types.drafts = drafts;
    types.unresolved = unresolved;
    (types, moved)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use aon_manifest::Document;

    use super::*;
    use crate::lower::naming;
    use crate::target::Options;

    /// Schemas and operations with types of their own, some of them the same on both sides.
    fn text(detour: &str) -> String {
        let mut text = String::from("slug: a\noperations:\n");
        for at in 0..20 {
            let _ = writeln!(
                text,
                "  - {{ id: op{at}, method: POST, path: /p{at}, parameters: [{{ name: sort, in: body, type: string, enum: [up, down, v{}] }}], responses: [{{ status: 200, schema: {{ type: object, properties: {{ a: {{ $ref: '#/schemas/S{}{detour}' }}, b: {{ type: object, properties: {{ c: {{ type: string }} }} }} }} }} }}] }}",
                at % 3,
                at % 7,
            );
        }
        text.push_str("schemas:\n");
        for at in 0..7 {
            let _ = writeln!(
                text,
                "  S{at}: {{ type: object, properties: {{ sort: {{ enum: [up, down, v{}] }}, order: {{ enum: [x, y{at}] }}, next: {{ $ref: '#/schemas/S{}' }}, deep: {{ type: object, properties: {{ sort: {{ enum: [up, down, v0] }}, no: {{ $ref: '#/nowhere' }} }} }} }} }}",
                at % 4,
                (at + 1) % 7,
            );
        }
        text
    }

    fn told(collected: Collected<'_>) -> String {
        let mut issues = Vec::new();
        let mut types = collected.types;
        types.report(&mut issues);
        let named = naming::decide(types, &collected.moved, &Options::default(), &mut issues);
        let operations: Vec<_> = collected
            .operations
            .iter()
            .map(|draft| (&draft.operation.request, &draft.operation.responses))
            .collect();
        format!(
            "{:#?}\n{operations:#?}\n{:?}",
            named.definitions,
            named.map.len()
        )
    }

    #[test]
    fn two_threads_find_what_one_finds() {
        let text = text("");
        let document = Document::from_text("a.aon.yaml", &text);
        let apis = document.apis();
        let apis: Vec<_> = apis.iter().collect();
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let alone = alone(&apis, Types::new(&apis), &mut one);
        let apart = apart(&apis, Types::new(&apis), &mut two).unwrap();
        assert!(alone.types.drafts.len() > 40);
        assert_eq!(told(alone), told(apart));
        let said = |issues: &[LowerIssue]| -> Vec<String> {
            issues.iter().map(ToString::to_string).collect()
        };
        assert!(!one.is_empty(), "there is a reference to nothing");
        assert_eq!(said(&one), said(&two));
    }

    #[test]
    fn a_reference_into_a_schema_is_left_to_one_thread() {
        let text = text("/properties/deep");
        let document = Document::from_text("a.aon.yaml", &text);
        let apis = document.apis();
        let apis: Vec<_> = apis.iter().collect();
        assert!(apart(&apis, Types::new(&apis), &mut Vec::new()).is_none());
    }
}
