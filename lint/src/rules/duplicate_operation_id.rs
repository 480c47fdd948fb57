//! AON603.

use aon_manifest::Node;

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// Two operations with one id.
    ///
    /// ## Why
    ///
    /// Tools, clients and references find an operation by its id; of two with the same one, one is lost.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get: { operationId: listPets }
    ///   /animals:
    ///     get: { operationId: listPets }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get: { operationId: listPets }
    ///   /animals:
    ///     get: { operationId: listAnimals }
    /// ```
    "duplicate-operation-id" { code: "AON603", category: Manifest, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    let (own, outgoing) = (subject.api.operations.iter(), subject.api.outgoing());
    let outgoing = outgoing.map(|call| (call, true));
    let all = own.map(|operation| (operation, false)).chain(outgoing);
    let with_id = all.filter_map(|(operation, is_call)| Some((operation.id?.node(), is_call)));
    let mut ids: Vec<Id<'a>> = with_id
        .enumerate()
        .map(|(order, (node, is_call))| Id {
            number: number(node.text()),
            order,
            node,
            is_call,
        })
        .collect();
    // Ids of one API begin alike, so numbers are compared before texts.
    ids.sort_unstable_by(|a, b| {
        let texts = || a.node.text().cmp(b.node.text());
        let numbers = a.number.cmp(&b.number);
        numbers.then_with(texts).then(a.order.cmp(&b.order))
    });
    let same = |a: &Id<'a>, b: &Id<'a>| a.number == b.number && a.node.text() == b.node.text();
    for same in ids.chunk_by(same) {
        let Some((first, more)) = same.split_first() else {
            continue;
        };
        // A webhook and a callback may share one description.
        for id in more
            .iter()
            .filter(|id| !(id.is_call && id.node == first.node))
        {
            let source = first.node.tree().source();
            let line = source.position(first.node.span().start()).line;
            findings
                .report(
                    id.node,
                    format!("operation id `{}` is used twice", id.node.text()),
                )
                .label(format!("first used in line {line}"))
                .fix("give one of them another id");
        }
    }
}

/// The id of one operation.
struct Id<'a> {
    number: u64,
    /// The place among all operations.
    order: usize,
    node: Node<'a>,
    is_call: bool,
}

/// A number that is the same for equal texts, and hardly ever for others.
fn number(text: &str) -> u64 {
    let (chunks, rest) = text.as_bytes().as_chunks();
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(SEED);
    let words = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk));
    let hash = words.fold(text.len() as u64, mix);
    rest.iter()
        .fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
