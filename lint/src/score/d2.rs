//! D2, clarity: can a caller tell failures apart?

use std::collections::BTreeMap;

use aon_manifest::model::{ErrorResponse, Schema, Status};
use aon_manifest::{Format, Node};

use super::blame::{CODE, ENVELOPE, UNLISTED, UNTYPED, VALID_VALUES};
use super::evidence::Tally;
use super::group::{Group, Joined, Variant};
use crate::failures;

/// Every operation can fail, so there is always something to measure.
pub(super) fn always(_: &Group<'_>) -> Option<String> {
    None
}

/// Level 1. A `default` counts when it says something. An operation that only reads and takes nothing may be silent.
pub(super) fn statuses_listed<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    tally.held = group
        .operations
        .iter()
        .filter(|joined| joined.lists_failure())
        .count();
    for joined in group.silent() {
        if let Some(operation) = joined.first() {
            tally.miss(operation.anchor, UNLISTED, || silence(joined));
        }
    }
    needs_errors(group, &mut tally);
    tally
}

/// Level 2. What an operation keeps to itself is not structured.
pub(super) fn structured<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for variant in group.variants().filter(Variant::is_client_error) {
        let error = variant.error;
        tally.judge(error.has_envelope(), error.anchor(), ENVELOPE, || {
            let fix = match variant.format {
                Format::OpenApi | Format::Swagger => {
                    "describe the body as `application/problem+json`"
                }
                Format::Native | Format::Mcp | Format::A2a => "give it a `code` and a `type`",
            };
            (
                format!("{} is not a problem document", variant.name()),
                fix.to_owned(),
            )
        });
    }
    for joined in group.silent() {
        if let Some(operation) = joined.first() {
            tally.break_by_silence(operation.anchor, UNLISTED, || silence(joined));
        }
    }
    needs_errors(group, &mut tally);
    tally
}

fn silence(joined: &Joined<'_>) -> (String, String) {
    (
        format!("`{}` does not say how it can fail", joined.name()),
        "list the errors it can answer with, such as 400, 404 or 422".to_owned(),
    )
}

/// Level 3.
pub(super) fn discriminated<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let known = Codes::of(group);
    for variant in group.failures() {
        let fault = known.fault(&variant);
        tally.judge(fault.is_none(), variant.error.anchor(), CODE, || {
            (
                format!("{} {}", variant.name(), fault.unwrap_or_default()),
                format!(
                    "give each failure a code ({}) and a type ({}) that no other failure has",
                    variant.spelled("code"),
                    variant.spelled("type")
                ),
            )
        });
    }
    tally.silent(group.silent().count());
    needs_errors(group, &mut tally);
    tally
}

/// Level 4.
pub(super) fn typed<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let mut validates = false;
    for variant in group.failures() {
        let error = variant.error;
        if !failures::is_typed(error) {
            tally.miss(error.anchor(), UNTYPED, || {
                (
                    format!(
                        "the body of {} has neither schema nor example",
                        variant.name()
                    ),
                    "add an example of the problem, or its schema".to_owned(),
                )
            });
            continue;
        }
        let validation = is_validation(error);
        validates = validates || validation;
        tally.judge(
            !validation || is_layered(error),
            error.anchor(),
            VALID_VALUES,
            || {
                (
                    format!("{} does not say which field is wrong", variant.name()),
                    format!(
                        "name the field: {}, or a list `errors` in the body with a `pointer` for each field",
                        variant.spelled("valid_values")
                    ),
                )
            },
        );
    }
    if let (false, Some(choice)) = (validates, group.choices.first()) {
        tally.fail(choice.input.name_node, VALID_VALUES, || {
            (
                format!(
                    "no 400 or 422 describes what happens when `{}` is wrong",
                    choice.name()
                ),
                "add the validation error with its fields".to_owned(),
            )
        });
    }
    tally.silent(group.silent().count());
    needs_errors(group, &mut tally);
    tally
}

/// A line about errors does not hold for an API that lists none.
pub(super) fn needs_errors<'a>(group: &Group<'a>, tally: &mut Tally<'a>) {
    if tally.counted() > 0 || group.failures().next().is_some() {
        return;
    }
    let operation = group.operations.iter().find_map(Joined::first);
    if let Some(operation) = operation {
        tally.lack("no error is described", operation.anchor, UNLISTED, || {
            (
                "no operation says how it can fail".to_owned(),
                "list the errors that operations can answer with, such as 400, 404 or 422"
                    .to_owned(),
            )
        });
    }
}

/// Which codes and types go together.
struct Codes<'a> {
    type_of: BTreeMap<&'a str, Vec<&'a str>>,
    code_of: BTreeMap<&'a str, Vec<&'a str>>,
    statuses: BTreeMap<(usize, &'a str), Vec<Status>>,
}

impl<'a> Codes<'a> {
    fn of(group: &Group<'a>) -> Codes<'a> {
        let mut codes = Codes {
            type_of: BTreeMap::new(),
            code_of: BTreeMap::new(),
            statuses: BTreeMap::new(),
        };
        for variant in group.failures() {
            let error = variant.error;
            let (Some(code), Some(type_uri)) = (error.code, error.type_uri) else {
                continue;
            };
            let (code, type_uri) = (code.node().text(), type_uri.node().text());
            push(codes.type_of.entry(code).or_default(), type_uri);
            push(codes.code_of.entry(type_uri).or_default(), code);
            if let Some(status) = error.status {
                push(
                    codes.statuses.entry((variant.at, code)).or_default(),
                    status,
                );
            }
        }
        codes
    }

    /// Why a variant cannot be told from others.
    fn fault(&self, variant: &Variant<'a>) -> Option<String> {
        let error = variant.error;
        let (Some(code), Some(type_uri)) = (error.code, error.type_uri) else {
            let lacks = match (error.code, error.type_uri) {
                (None, None) => "neither code nor type",
                (None, Some(_)) => "no code",
                _ => "no type",
            };
            return Some(format!("has {lacks}"));
        };
        let (code, type_uri) = (code.node().text(), type_uri.node().text());
        if code.is_empty() || type_uri.is_empty() || type_uri == "about:blank" {
            return Some(format!("has the type `{type_uri}`, which tells nothing"));
        }
        let many = |list: Option<&Vec<&str>>| list.is_some_and(|list| list.len() > 1);
        if many(self.code_of.get(type_uri)) {
            return Some(format!("shares the type `{type_uri}` with another code"));
        }
        if many(self.type_of.get(code)) {
            return Some(format!(
                "has the code `{code}`, which has another type elsewhere"
            ));
        }
        let statuses = self.statuses.get(&(variant.at, code));
        if statuses.is_some_and(|statuses| statuses.len() > 1) {
            return Some(format!("shares the code `{code}` with another status"));
        }
        None
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

/// Whether an error is the outcome of validation.
fn is_validation(error: &ErrorResponse<'_>) -> bool {
    error.valid_values.is_some() || matches!(error.status, Some(Status::Code(400 | 422)))
}

/// Whether it says for each field what is wrong.
fn is_layered(error: &ErrorResponse<'_>) -> bool {
    let maps = |node: Node<'_>| node.is_object() && !node.is_empty();
    if error.valid_values.is_some_and(maps) {
        return true;
    }
    if error
        .examples
        .iter()
        .any(|example| names_fields(example.value))
    {
        return true;
    }
    let mut schemas = error.contents.iter().filter_map(|content| content.schema);
    schemas.any(schema_names_fields)
}

fn names_fields(body: Node<'_>) -> bool {
    FIELD_MEMBERS.iter().any(|name| {
        body.get(name).is_some_and(|list| {
            let entries = || {
                list.items()
                    .chain(list.members().map(|member| member.value))
            };
            !list.is_empty()
                && (*name == "valid_values" || list.is_object() || entries().any(names_one_field))
        })
    }) || body
        .get("machine_hints")
        .and_then(|hints| hints.get("field_paths"))
        .is_some_and(|paths| !paths.is_empty())
}

fn names_one_field(entry: Node<'_>) -> bool {
    FIELD_NAMES.iter().any(|name| entry.get(name).is_some())
}

fn schema_names_fields(schema: Schema<'_>) -> bool {
    let own = FIELD_MEMBERS.iter().any(|name| {
        schema.property(name).is_some_and(|list| {
            let Some(items) = list.schema.resolved().items() else {
                return true;
            };
            FIELD_NAMES
                .iter()
                .any(|name| items.property(name).is_some())
        })
    });
    own || ["oneOf", "anyOf"].iter().any(|keyword| {
        schema.resolved().branches(keyword).any(|branch| {
            FIELD_MEMBERS
                .iter()
                .any(|name| branch.property(name).is_some())
        })
    })
}

/// Members of a body that list what is wrong field by field.
const FIELD_MEMBERS: &[&str] = &[
    "valid_values",
    "errors",
    "invalid_params",
    "invalid-params",
    "violations",
    "field_errors",
    "fields",
    "issues",
    "details",
];

/// Members of one entry that name the field.
const FIELD_NAMES: &[&str] = &[
    "pointer",
    "field",
    "path",
    "name",
    "parameter",
    "loc",
    "property",
    "source",
    "location",
];
