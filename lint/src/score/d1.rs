//! D1, choices: can a caller find the valid values without guessing?

use aon_manifest::Node;
use aon_manifest::model::{CarrierKind, Status};

use super::blame::{DEFAULT, ENDPOINT, PARITY, UNDECLARED, VALID_VALUES};
use super::choices::{self, Choice};
use super::evidence::Tally;
use super::group::{Group, Joined};
use super::words;

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
                "add `enum` with the allowed values, or `choices_endpoint` when they change"
                    .to_owned(),
            )
        });
    }
    tally
}

/// Level 2.
pub(super) fn has_carrier<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for choice in &group.choices {
        tally.judge(
            !choice.carriers.is_empty(),
            choice.input.name_node,
            UNDECLARED,
            || {
                (
                    format!(
                        "`{}` has no `enum`, `oneOf` or `choices_endpoint`",
                        choice.name()
                    ),
                    "declare the values in `enum`, or where to look them up in `choices_endpoint`"
                        .to_owned(),
                )
            },
        );
    }
    tally
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
                format!("`{name}` has no carrier that could bound it"),
                "declare the values in `enum`".to_owned(),
            )
        });
    }
    if let Some((node, rule, what)) = choice.malformed() {
        let fix = "leave one carrier with distinct values of the declared type".to_owned();
        return tally.miss(node, rule, || (what, fix));
    }
    let dangling = choice.carriers.iter().find(|carrier| {
        carrier.kind == CarrierKind::ChoicesEndpoint
            && carrier
                .endpoint()
                .is_none_or(|endpoint| group.at_address(Some("GET"), &endpoint).is_none())
    });
    if let Some(carrier) = dangling {
        return tally.miss(carrier.node, ENDPOINT, || {
            let endpoint = carrier.endpoint().map_or("", |text| text.node().text());
            (
                format!(
                    "the choices endpoint `{endpoint}` of `{name}` is no GET operation of this API"
                ),
                "describe the operation that lists the choices, or correct the path".to_owned(),
            )
        });
    }
    if choice.input.is_required() {
        tally.held += 1;
        return;
    }
    let Some(default) = choice.default() else {
        return tally.miss(anchor, DEFAULT, || {
            (
                format!("`{name}` is optional and says no default"),
                "add `default` with one of the values, or make it required".to_owned(),
            )
        });
    };
    tally.judge(choice.holds_default(default), default, DEFAULT, || {
        (
            format!("the default of `{name}` is not in its set"),
            "use one of the declared values as default".to_owned(),
        )
    });
}

/// Level 4.
pub(super) fn tied_to_recovery<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let exposed = group.operations.iter().any(Joined::is_on_agent_surface);
    let named = group
        .variants()
        .any(|variant| variant.error.valid_values.is_some());
    if !exposed || !named {
        for choice in &group.choices {
            tally.miss(choice.input.name_node, VALID_VALUES, || {
                unrecovered(choice.name(), exposed)
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
                .any(|joined| joined.is_public() && !joined.is_on_agent_surface());
            let silent = joined.iter().any(|joined| !recovers(joined, choice));
            let rule = if hidden { PARITY } else { VALID_VALUES };
            tally.judge(!hidden && !silent, choice.input.name_node, rule, || {
                unrecovered(choice.name(), !hidden)
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
        .filter(|error| error.status.is_some_and(Status::is_client_error))
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

fn unrecovered(name: &str, exposed: bool) -> (String, String) {
    if exposed {
        (
            format!(
                "no 4xx error names `valid_values` for `{name}`, or it names others than the set"
            ),
            format!("add `valid_values: {{{name}: […]}}` to the error that a wrong value gets"),
        )
    } else {
        (
            format!("`{name}` is on no agent surface"),
            "expose the operation as an MCP tool (`mcp.tool`) or an A2A skill (`a2a.skill`)"
                .to_owned(),
        )
    }
}
