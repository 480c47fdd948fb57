//! D1, choices: can a caller find the valid values without guessing?

use aon_manifest::model::CarrierKind;
use aon_manifest::{Node, extension};

use super::blame::{DEFAULT, ENDPOINT, PARITY, UNDECLARED, VALID_VALUES};
use super::choices::{self, Choice};
use super::evidence::Tally;
use super::group::{Group, Joined};
use super::words;
use crate::failures;

pub(super) fn nothing_to_choose(group: &Group<'_>) -> Option<String> {
    group
        .choices
        .is_empty()
        .then(|| "no operation takes a value from a closed set".to_owned())
}

/// Level 1. What has a carrier is named by it.
pub(super) fn named_in_prose<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for choice in &group.choices {
        let holds = !choice.carriers.is_empty() || choice.listed;
        tally.judge(holds, choice.input.name_node, UNDECLARED, || {
            (
                format!("the values of `{}` must be guessed", choice.name()),
                declare(group, choice),
            )
        });
    }
    tally
}

/// Level 2.
pub(super) fn has_carrier<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for choice in &group.choices {
        let holds = !choice.carriers.is_empty();
        tally.judge(holds, choice.input.name_node, UNDECLARED, || {
            (
                format!("nothing declares the values of `{}`", choice.name()),
                declare(group, choice),
            )
        });
    }
    tally
}

fn declare(group: &Group<'_>, choice: &Choice<'_>) -> String {
    let lookup = extension::spelled(group.format(choice.api), "choices_endpoint");
    format!("list the values in `enum`, or name the operation that lists them in {lookup}")
}

/// Level 3.
pub(super) fn bounded_and_defaulted<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for choice in &group.choices {
        judge_bounds(group, choice, &mut tally);
    }
    tally
}

fn judge_bounds<'a>(group: &Group<'a>, choice: &Choice<'a>, tally: &mut Tally<'a>) {
    let (name, anchor) = (choice.name(), choice.input.name_node);
    if choice.carriers.is_empty() {
        return tally.miss(anchor, UNDECLARED, || {
            (
                format!("nothing declares the values of `{name}`, so nothing bounds it"),
                declare(group, choice),
            )
        });
    }
    if let Some(rule) = choice.fault {
        return tally.miss(anchor, rule, || {
            (
                format!("the set of `{name}` {}", choices::fault_words(rule)),
                "leave one declaration, with distinct values of the declared type and the default among them".to_owned(),
            )
        });
    }
    let dangling = choice.carriers.iter().find(|carrier| {
        carrier.kind == CarrierKind::ChoicesEndpoint
            && carrier
                .endpoint()
                .is_none_or(|endpoint| !group.lists_choices(endpoint.node().text()))
    });
    if let Some(carrier) = dangling {
        return tally.miss(carrier.node, ENDPOINT, || {
            let endpoint = carrier.endpoint().map_or("", |text| text.node().text());
            (
                format!("`{endpoint}`, where the values of `{name}` should be, is not an operation of this API"),
                "describe the operation that lists the choices, or correct the path".to_owned(),
            )
        });
    }
    let bounded = choice.input.is_required() || choice.default().is_some();
    tally.judge(bounded, anchor, DEFAULT, || {
        (
            format!("`{name}` is optional and has no default"),
            "add `default` with one of the values, or make it required".to_owned(),
        )
    });
}

/// Level 4.
pub(super) fn tied_to_recovery<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    // An API that is meant to stay on REST is not asked for an agent surface.
    let reachable = |joined: &Joined<'a>| group.rest_only || joined.is_on_agent_surface();
    let exposed = group.operations.iter().any(reachable);
    let named = group
        .variants()
        .any(|variant| variant.error.valid_values.is_some());
    if !exposed || !named {
        let rule = if exposed { VALID_VALUES } else { PARITY };
        for choice in &group.choices {
            tally.miss(choice.input.name_node, rule, || {
                unrecovered(group, choice, exposed)
            });
        }
        return tally;
    }
    for (at, api) in group.apis.iter().enumerate() {
        let takers = choices::takers(api);
        for choice in group.choices.iter().filter(|choice| choice.api == at) {
            let operations = takers
                .get(&choices::key(&choice.input))
                .into_iter()
                .flatten();
            let joined: Vec<&Joined<'a>> = operations
                .filter_map(|index| {
                    let node = api.operations.get(*index)?.node;
                    let is_it = |joined: &&Joined<'a>| {
                        joined
                            .members
                            .iter()
                            .any(|member| member.operation.node == node)
                    };
                    group.operations.iter().find(is_it)
                })
                .collect();
            let hidden = joined
                .iter()
                .any(|joined| joined.is_public() && !reachable(joined));
            let silent = joined.iter().any(|joined| !recovers(joined, choice));
            let rule = if hidden { PARITY } else { VALID_VALUES };
            tally.judge(!hidden && !silent, choice.input.name_node, rule, || {
                unrecovered(group, choice, !hidden)
            });
        }
    }
    tally
}

/// Whether a 4xx of the operation names the valid values of a choice.
fn recovers(joined: &Joined<'_>, choice: &Choice<'_>) -> bool {
    let values = choice.values();
    let errors = joined
        .members
        .iter()
        .flat_map(|member| &member.operation.errors);
    let mut named = errors
        .filter(|error| failures::is_client_failure(error))
        .filter_map(|error| error.valid_values)
        .flat_map(Node::members)
        .filter(|member| {
            let field = member.name().rsplit(['/', '.']).next().unwrap_or("");
            words::same(field, choice.name()) || words::same(member.name(), choice.name())
        });
    named.any(|member| {
        if !member.value.is_array() {
            return !member.value.is_null() && !member.value.text().is_empty()
                || member.value.is_object();
        }
        let known = |item: Node<'_>| {
            let value = item.get("value").unwrap_or(item);
            values.is_empty() || values.iter().any(|own| own.same_value(value))
        };
        !member.value.is_empty() && member.value.items().all(known)
    })
}

fn unrecovered(group: &Group<'_>, choice: &Choice<'_>, exposed: bool) -> (String, String) {
    let (name, format) = (choice.name(), group.format(choice.api));
    if exposed {
        let word = extension::spelled(format, "valid_values");
        (
            format!("no 4xx error names the valid values of `{name}`"),
            format!("add {word} with the values of `{name}` to the error that a wrong value gets"),
        )
    } else {
        let (mcp, a2a) = (
            extension::spelled(format, "mcp"),
            extension::spelled(format, "a2a"),
        );
        (
            format!("`{name}` is not on an agent surface"),
            format!("expose the operation as an MCP tool ({mcp}) or an A2A skill ({a2a})"),
        )
    }
}
