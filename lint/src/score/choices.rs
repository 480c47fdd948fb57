//! Which inputs are choices: what declares a set, and what the rules of R1 would report.

use std::collections::BTreeMap;

use aon_manifest::model::{Carrier, CarrierKind, Input, Reach};
use aon_manifest::{Api, Node};

use super::blame::{DEFAULT, EMPTY_SET, REPEATED, TWO_CARRIERS, WRONG_TYPE};
use crate::choice::Classifier;
use crate::engine::Reported;
use crate::finding::Confidence;
use crate::rule::Rule;
use crate::rules::{self, undeclared_choice};
use crate::settings::Settings;

/// An input whose value comes from a set.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    /// Its document, as an index into the documents of the group.
    pub(super) api: usize,
    pub(super) input: Input<'a>,
    /// What declares the set; empty when nothing does.
    pub(super) carriers: Vec<Carrier<'a>>,
    /// Whether the description lists the values.
    pub(super) listed: bool,
    /// The first rule that finds fault with the carriers.
    pub(super) fault: Option<&'static str>,
}

pub(super) fn find<'a>(apis: &[&'a Api<'a>], settings: &Settings) -> Vec<Choice<'a>> {
    let mut classifier = Classifier::new(settings.names().to_vec(), settings.open_names().to_vec());
    let asked: Vec<&'static Rule> = FAULTS
        .iter()
        .filter_map(|(name, _)| rules::find(name))
        .collect();
    let mut found = Vec::new();
    for (at, api) in apis.iter().enumerate() {
        let named = undeclared_choice::Named::new(api);
        let inputs = api.inputs();
        let reported = Reported::by(api, &inputs, settings, &asked);
        for input in inputs {
            let all = input.carriers();
            if all.is_empty() {
                let verdict = named
                    .judge(&mut classifier, &input)
                    .filter(|(verdict, _)| verdict.confidence > Confidence::Possible);
                if let Some((verdict, _)) = verdict {
                    found.push(Choice {
                        api: at,
                        input,
                        carriers: Vec::new(),
                        listed: !verdict.values.is_empty(),
                        fault: None,
                    });
                }
                continue;
            }
            let carriers: Vec<_> = all.into_iter().filter(offers_choice).collect();
            if !carriers.is_empty() {
                let fault = fault(&asked, &reported, &input, &carriers);
                found.push(Choice {
                    api: at,
                    input,
                    carriers,
                    listed: false,
                    fault,
                });
            }
        }
    }
    found
}

/// Whether a carrier leaves something to choose. A constant does not, nor does one branch among open ones.
fn offers_choice(carrier: &Carrier<'_>) -> bool {
    if carrier.reach == Reach::Branch {
        return false;
    }
    match carrier.kind {
        CarrierKind::Const => false,
        CarrierKind::Enum => carrier.node.len() != 1,
        CarrierKind::ChoicesEndpoint => true,
        CarrierKind::OneOf => carrier.is_literal() || is_scalar_union(carrier),
    }
}

/// A `oneOf` whose branches are all plain values, such as a URL or an id.
fn is_scalar_union(carrier: &Carrier<'_>) -> bool {
    carrier.node.items().all(|branch| {
        let types = carrier.schema.with(branch).resolved().types();
        !types.is_empty() && !types.contains("object") && !types.contains("array")
    })
}

impl<'a> Choice<'a> {
    pub(super) fn name(&self) -> &'a str {
        self.input.name()
    }

    /// The declared values; empty for a set that is looked up or open.
    pub(super) fn values(&self) -> Vec<Node<'a>> {
        let literal = self.carriers.iter().filter(|carrier| carrier.is_literal());
        literal
            .flat_map(Carrier::choices)
            .map(|choice| choice.value)
            .collect()
    }

    /// The default, wherever it is written.
    pub(super) fn default(&self) -> Option<Node<'a>> {
        self.input.schema.default().or_else(|| {
            self.carriers
                .iter()
                .find_map(|carrier| carrier.schema.default())
        })
    }
}

/// The first rule that reports the input, or a schema that it shares with others.
fn fault(
    asked: &[&'static Rule],
    reported: &Reported,
    input: &Input<'_>,
    carriers: &[Carrier<'_>],
) -> Option<&'static str> {
    let shared = carriers.iter().map(|carrier| carrier.schema.node());
    let own = [input.node, input.schema.node()].into_iter();
    let places: Vec<Node<'_>> = own.chain(shared).collect();
    let faulty = |rule: &&Rule| places.iter().any(|node| reported.has(rule, *node));
    asked.iter().copied().find(faulty).map(Rule::name)
}

/// What is wrong with a carrier, in the words of a score.
pub(super) fn fault_words(rule: &str) -> &'static str {
    let known = FAULTS.iter().find(|(own, _)| *own == rule);
    known.map_or("is not well-formed", |(_, words)| words)
}

/// The rules about carriers, and what their findings mean for a set.
const FAULTS: [(&str, &str); 5] = [
    (
        TWO_CARRIERS,
        "is declared twice, and only one declaration can be right",
    ),
    (EMPTY_SET, "is empty"),
    (REPEATED, "lists a value twice"),
    (WRONG_TYPE, "lists a value that does not fit its type"),
    (DEFAULT, "does not contain its own default"),
];

/// For each input, the operations of its document that take it, as indices.
pub(super) fn takers(api: &Api<'_>) -> BTreeMap<(usize, usize), Vec<usize>> {
    let mut takers: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut alone = api.clone();
    for (at, operation) in api.operations.iter().enumerate() {
        alone.operations.clear();
        alone.operations.push(operation.clone());
        for input in alone.inputs() {
            takers.entry(key(&input)).or_default().push(at);
        }
    }
    takers
}

pub(super) fn key(input: &Input<'_>) -> (usize, usize) {
    (input.node.file().index(), input.node.index())
}
