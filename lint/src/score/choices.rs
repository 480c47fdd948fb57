//! Which inputs are choices: what declares a set, and what the rules of R1 would report.

use std::collections::{BTreeMap, BTreeSet};

use aon_manifest::model::{Carrier, CarrierKind, Input, Reach, Types};
use aon_manifest::{Api, Node};

use super::blame::{EMPTY_SET, ENDPOINT, REPEATED, TWO_CARRIERS, WRONG_TYPE};
use crate::choice::Classifier;
use crate::finding::Confidence;
use crate::rules::undeclared_choice;
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
}

pub(super) fn find<'a>(apis: &[&'a Api<'a>], settings: &Settings) -> Vec<Choice<'a>> {
    let mut classifier = Classifier::new(settings.names().to_vec(), settings.open_names().to_vec());
    let mut found = Vec::new();
    for (at, api) in apis.iter().enumerate() {
        let named = undeclared_choice::Named::new(api);
        for input in api.inputs() {
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
                    });
                }
                continue;
            }
            let carriers: Vec<_> = all.into_iter().filter(offers_choice).collect();
            if !carriers.is_empty() {
                found.push(Choice {
                    api: at,
                    input,
                    carriers,
                    listed: false,
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

    /// What is wrong with its carriers, if something is.
    pub(super) fn malformed(&self) -> Option<(Node<'a>, &'static str, String)> {
        let own = |carrier: &&Carrier<'a>| carrier.reach != Reach::Items;
        let mut declared = self.carriers.iter().filter(own);
        if let (Some(_), Some(second)) = (declared.next(), declared.next()) {
            let what = format!(
                "`{}` has two carriers, and only one can be right",
                self.name()
            );
            return Some((second.node, TWO_CARRIERS, what));
        }
        self.carriers.iter().find_map(|carrier| {
            let (rule, fault) = fault_of(carrier)?;
            Some((
                carrier.node,
                rule,
                format!("the set of `{}` {fault}", self.name()),
            ))
        })
    }

    /// The default, wherever it is written.
    pub(super) fn default(&self) -> Option<Node<'a>> {
        self.input.schema.default().or_else(|| {
            self.carriers
                .iter()
                .find_map(|carrier| carrier.schema.default())
        })
    }

    /// Whether the default is one of the values (all of it, for a list). A set that is looked up cannot be checked here.
    pub(super) fn holds_default(&self, default: Node<'a>) -> bool {
        let values = self.values();
        if values.is_empty() {
            return true;
        }
        let inside = |value: Node<'a>| values.iter().any(|own| own.same_value(value));
        if default.is_array() && !inside(default) {
            return default.items().all(inside);
        }
        inside(default)
    }
}

fn fault_of(carrier: &Carrier<'_>) -> Option<(&'static str, String)> {
    if carrier.kind == CarrierKind::ChoicesEndpoint {
        let named = carrier
            .endpoint()
            .is_some_and(|text| !text.trim().is_empty());
        return (!named).then(|| (ENDPOINT, "names no endpoint".to_owned()));
    }
    if carrier.node.is_empty() {
        return Some((EMPTY_SET, "is empty".to_owned()));
    }
    if !carrier.is_literal() {
        return None;
    }
    let types = carrier.schema.types();
    let mut seen = BTreeSet::new();
    for choice in carrier.choices() {
        let value = choice.value;
        if !seen.insert((Types::of(value), value.text())) && !value.is_object() && !value.is_array()
        {
            return Some((
                REPEATED,
                format!("lists {} twice", value.source_text().trim()),
            ));
        }
        if !fits(value, types) {
            return Some((
                WRONG_TYPE,
                format!(
                    "lists {}, which does not fit its type",
                    value.source_text().trim()
                ),
            ));
        }
    }
    None
}

fn fits(value: Node<'_>, types: Types) -> bool {
    let kind = Types::of(value);
    types.is_empty()
        || types.contains(kind)
        || (kind == "integer" && types.contains("number"))
        || kind == "null"
}

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
