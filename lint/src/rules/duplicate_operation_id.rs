//! AON603.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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
    // Ids of one API begin alike, so numbers are compared before texts.
    let mut first: BTreeMap<(u64, &str), Node<'a>> = BTreeMap::new();
    let (own, outgoing) = (subject.api.operations.iter(), subject.api.outgoing());
    let outgoing = outgoing.map(|call| (call, true));
    for (operation, is_call) in own.map(|operation| (operation, false)).chain(outgoing) {
        let Some(id) = operation.id else {
            continue;
        };
        let node = id.node();
        let key = (number(node.text()), node.text());
        match first.get(&key) {
            // A webhook and a callback may share one description.
            Some(earlier) if is_call && *earlier == node => {}
            Some(earlier) => {
                let source = earlier.tree().source();
                let line = source.position(earlier.span().start()).line;
                findings
                    .report(
                        node,
                        format!("operation id `{}` is used twice", node.text()),
                    )
                    .label(format!("first used in line {line}"))
                    .fix("give one of them another id");
            }
            None => {
                first.insert(key, node);
            }
        }
    }
}

fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
