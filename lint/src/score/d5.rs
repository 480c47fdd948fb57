//! D5, parity: do all surfaces say the same?

use std::collections::BTreeSet;

use aon_manifest::model::{Location, Operation, Schema, Surface};

use super::blame::{DOCS, PARITY};
use super::evidence::Tally;
use super::group::{Group, Joined};
use super::words;

/// Parity is owed to outsiders; where every operation is internal there is nobody to owe it to. Nor is it owed by an API that
/// declares itself REST-only.
pub(super) fn nothing_public(group: &Group<'_>) -> Option<String> {
    if group.operations.iter().all(|joined| !joined.is_public()) {
        return Some("no operation is public".to_owned());
    }
    group.rest_only.then(|| {
        format!(
            "the API is meant to stay on REST; to be measured, name `mcp` and `a2a` in {} and expose operations with {} and {}",
            group.spelled("surfaces"),
            group.spelled("mcp"),
            group.spelled("a2a")
        )
    })
}

/// Level 1.
pub(super) fn two_surfaces<'a>(group: &Group<'a>) -> Tally<'a> {
    surfaces(group, 2)
}

/// Level 2.
pub(super) fn three_surfaces<'a>(group: &Group<'a>) -> Tally<'a> {
    surfaces(group, 3)
}

fn surfaces<'a>(group: &Group<'a>, wanted: usize) -> Tally<'a> {
    let mut tally = Tally::default();
    let on = |surface: Surface| group.operations.iter().any(|joined| joined.is_on(surface));
    let (present, absent): (Vec<Surface>, Vec<Surface>) =
        MACHINE.into_iter().partition(|surface| on(*surface));
    tally.held = present.len().min(wanted);
    if present.len() >= wanted {
        return tally;
    }
    let shown = |list: &[Surface]| list.iter().copied().map(shown).collect::<Vec<_>>();
    let (present, absent) = (shown(&present), shown(&absent));
    if let Some(operation) = group.operations.iter().find_map(Joined::first) {
        tally.miss(operation.anchor, PARITY, || {
            let only = if present.is_empty() {
                "not on any surface".to_owned()
            } else {
                format!("only on {}", present.join(" and "))
            };
            let what = format!("the API is {only}; {} missing", listing(&absent));
            (what, way_out(group, &present, &absent))
        });
    }
    // What is missing counts once for each surface.
    tally.missed = wanted - tally.held;
    // One surface is not parity. What counts is how many operations are on the further ones.
    let taken: usize = public(group)
        .map(|joined| MACHINE.into_iter().filter(|at| joined.is_on(*at)).count())
        .map(|count| count.saturating_sub(1))
        .sum();
    tally.partial(taken, public(group).count() * (MACHINE.len() - 1));
    tally
}

/// How the API gets to a surface it is not on, or says that it does not want to.
fn way_out(group: &Group<'_>, present: &[&str], absent: &[&str]) -> String {
    let ways: Vec<String> = absent
        .iter()
        .map(|surface| match *surface {
            "REST" => "the paths that are called".to_owned(),
            "MCP" => format!("{} on operations, or a tool list", group.spelled("mcp")),
            _ => format!("{} on operations, or an agent card", group.spelled("a2a")),
        })
        .collect();
    let add = format!("describe the other surfaces: {}", ways.join("; "));
    if present == ["REST"] {
        let declared = group.spelled("surfaces");
        return format!(
            "{add}. If the API is meant to stay on REST, say so: {declared} with `[rest]`"
        );
    }
    add
}

/// Level 3. Operations of several documents are one by their names, so what is matched here is derived or could be.
pub(super) fn every_operation<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for joined in public(group) {
        let absent: Vec<_> = MACHINE
            .into_iter()
            .filter(|surface| !joined.is_on(*surface))
            .map(shown)
            .collect();
        let Some(operation) = joined.first() else {
            continue;
        };
        tally.judge(absent.is_empty(), operation.anchor, PARITY, || {
            (
                format!("`{}` is not on {}", joined.name(), absent.join(" and ")),
                format!(
                    "expose it under a name of its own ({}, {})",
                    group.spelled("mcp"),
                    group.spelled("a2a")
                ),
            )
        });
    }
    tally
}

/// Level 4.
pub(super) fn four_equal<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let whole = group
        .apis
        .iter()
        .any(|api| api.docs_url.is_some() || api.declares().contains(Surface::Human));
    for joined in public(group) {
        let Some(operation) = joined.first() else {
            continue;
        };
        let fault = fault(group, joined, whole);
        let rule = fault.as_ref().map_or(PARITY, |fault| fault.0);
        tally.judge(fault.is_none(), operation.anchor, rule, || {
            fault.map(|(_, what, fix)| (what, fix)).unwrap_or_default()
        });
    }
    tally
}

/// What keeps an operation from being the same on all four surfaces: the rule, what, and the way out.
fn fault(
    group: &Group<'_>,
    joined: &Joined<'_>,
    documented: bool,
) -> Option<(&'static str, String, String)> {
    let name = joined.name();
    if !MACHINE.into_iter().all(|surface| joined.is_on(surface)) {
        return Some((
            PARITY,
            format!("`{name}` is not on all three surfaces"),
            "expose it on REST, MCP and A2A".to_owned(),
        ));
    }
    let operations = || joined.members.iter().map(|member| member.operation);
    let linked = |operation: &Operation<'_>| {
        operation.docs_url.is_some()
            || operation
                .errors
                .iter()
                .any(|error| error.docs_url.is_some())
    };
    if !documented && !operations().any(linked) {
        return Some((
            DOCS,
            format!("`{name}` has no page for people"),
            format!(
                "add {} to the API, the operation or its errors",
                group.spelled("docs_url")
            ),
        ));
    }
    let names: BTreeSet<String> = joined.names().map(|name| words::plain(&name)).collect();
    if names.len() > 1 {
        let written: BTreeSet<&str> = joined.names().map(|name| name.node().text()).collect();
        let written: Vec<_> = written
            .into_iter()
            .map(|name| format!("`{name}`"))
            .collect();
        return Some((
            PARITY,
            format!("`{name}` goes by different names: {}", written.join(", ")),
            "give operation, tool and skill the same name".to_owned(),
        ));
    }
    for error in operations().flat_map(|operation| &operation.errors) {
        let tool = error.mcp_tool.filter(|tool| group.tool(tool).is_none());
        let skill = error.a2a_skill.filter(|skill| group.skill(skill).is_none());
        if let Some(lost) = tool.or(skill) {
            return Some((
                PARITY,
                format!(
                    "an error of `{name}` names `{lost}`, but no operation here is exposed under that name"
                ),
                "name a tool or skill of this API".to_owned(),
            ));
        }
    }
    let mut inputs: Vec<BTreeSet<String>> = operations()
        .map(input_names)
        .filter(|names| !names.is_empty())
        .collect();
    inputs.dedup();
    if inputs.len() > 1 {
        return Some((
            PARITY,
            format!("`{name}` takes different inputs on different surfaces"),
            "give it the same inputs everywhere".to_owned(),
        ));
    }
    None
}

/// What a caller hands in, by name; headers and cookies belong to one surface only.
fn input_names(operation: &Operation<'_>) -> BTreeSet<String> {
    let parameters = operation
        .parameters
        .iter()
        .filter(|parameter| !matches!(parameter.location, Location::Header | Location::Cookie))
        .map(|parameter| words::plain(parameter.name()));
    let bodies = operation
        .request_body
        .iter()
        .flat_map(|body| &body.contents);
    let properties = bodies
        .filter_map(|content| content.schema)
        .flat_map(Schema::all_properties)
        .filter(|property| !property.schema.is_read_only())
        .map(|property| words::plain(property.name()));
    parameters.chain(properties).collect()
}

fn public<'g, 'a>(group: &'g Group<'a>) -> impl Iterator<Item = &'g Joined<'a>> {
    group.operations.iter().filter(|joined| joined.is_public())
}

fn shown(surface: Surface) -> &'static str {
    match surface {
        Surface::Rest => "REST",
        Surface::Mcp => "MCP",
        Surface::A2a => "A2A",
        Surface::Human => "pages for people",
    }
}

fn listing(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(" and "))
}

const MACHINE: [Surface; 3] = [Surface::Rest, Surface::Mcp, Surface::A2a];
