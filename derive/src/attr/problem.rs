//! `#[problem(…)]` on a type, a variant and a field, as written.

use proc_macro2::Span;
use syn::{Attribute, Path};

use super::remediation::{self, Remediation};
use super::{Item, Once, Text, Value, Values, items_of, valid_values};
use crate::errors::Errors;

/// What `#[problem(…)]` says about the whole type.
#[derive(Default)]
pub(crate) struct OfType {
    pub(crate) namespace: Once<Text>,
    pub(crate) krate: Once<Path>,
    pub(crate) no_axum: Once<()>,
    pub(crate) no_rmcp: Once<()>,
    pub(crate) no_jsonrpsee: Once<()>,
}

/// What it says about one variant, or about a struct.
#[derive(Default)]
pub(crate) struct OfVariant {
    pub(crate) status: Once<(u64, Span)>,
    pub(crate) code: Once<Text>,
    pub(crate) title: Once<Text>,
    pub(crate) type_uri: Once<Text>,
    pub(crate) detail: Once<Text>,
    pub(crate) docs_url: Once<Text>,
    pub(crate) mcp_tool: Once<Text>,
    pub(crate) a2a_skill: Once<Text>,
    pub(crate) retry_after: Once<(u64, Span)>,
    pub(crate) challenge: Once<Text>,
    pub(crate) methods: Once<Vec<Text>>,
    pub(crate) remediation: Once<Remediation>,
    pub(crate) transparent: Once<()>,
    pub(crate) pointers: Vec<Text>,
    pub(crate) values: Vec<Values>,
    /// The first item that is not `transparent`.
    pub(crate) other: Option<(String, Span)>,
}

/// What it says about a field; nothing makes it private.
#[derive(Default)]
pub(crate) struct OfField {
    pub(crate) roles: Vec<(Role, Span)>,
}

/// Why a field may be seen.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// May stand in the detail.
    Public,
    /// Is a member, under this name or that of the field.
    Extension(Option<Text>),
    /// Holds the valid values of a field, named here or like the field.
    Values(Option<Text>),
    /// Says when to try again.
    RetryAfter,
    /// Is the challenge of a 401.
    Challenge,
}

pub(crate) const TYPE_WORDS: [&str; 5] =
    ["namespace", "crate", "no_axum", "no_rmcp", "no_jsonrpsee"];
pub(crate) const VARIANT_WORDS: [&str; 15] = [
    "status",
    "code",
    "title",
    "type",
    "detail",
    "docs_url",
    "mcp_tool",
    "a2a_skill",
    "retry_after",
    "pointer",
    "challenge",
    "methods",
    "valid_values",
    "remediation",
    "transparent",
];
pub(crate) const FIELD_WORDS: [&str; 5] = [
    "extension",
    "public",
    "valid_values",
    "retry_after",
    "challenge",
];

/// The attributes of an enum: only what is about the whole type.
pub(crate) fn of_enum(attrs: &[Attribute], errors: &mut Errors) -> OfType {
    let mut of_type = OfType::default();
    for item in items_of(attrs, "problem", errors) {
        if !type_item(&item, &mut of_type, errors) {
            if VARIANT_WORDS.contains(&item.name.as_str()) {
                errors.at(item.span, format!("`{}` belongs on a variant", item.name));
            } else {
                let _meant = item.unknown("attribute", &TYPE_WORDS, errors);
            }
        }
    }
    of_type
}

/// The attributes of a struct: the whole type and its one problem.
pub(crate) fn of_struct(attrs: &[Attribute], errors: &mut Errors) -> (OfType, OfVariant) {
    let (mut of_type, mut variant) = (OfType::default(), OfVariant::default());
    let known = [&VARIANT_WORDS[..], &TYPE_WORDS].concat();
    for item in items_of(attrs, "problem", errors) {
        if !type_item(&item, &mut of_type, errors) {
            variant_item(&item, &mut variant, &known, errors);
        }
    }
    (of_type, variant)
}

/// The attributes of a variant.
pub(crate) fn of_variant(attrs: &[Attribute], errors: &mut Errors) -> OfVariant {
    let mut variant = OfVariant::default();
    for item in items_of(attrs, "problem", errors) {
        if TYPE_WORDS.contains(&item.name.as_str()) {
            errors.at(item.span, format!("`{}` belongs on the enum", item.name));
        } else {
            variant_item(&item, &mut variant, &VARIANT_WORDS, errors);
        }
    }
    variant
}

/// The attributes of a field.
pub(crate) fn of_field(attrs: &[Attribute], errors: &mut Errors) -> OfField {
    let mut field = OfField::default();
    for item in items_of(attrs, "problem", errors) {
        let role = match item.name.as_str() {
            "public" => item.flag(errors).map(|()| Role::Public),
            "extension" => named(&item, errors).map(Role::Extension),
            "valid_values" => named(&item, errors).map(Role::Values),
            "retry_after" => item.flag(errors).map(|()| Role::RetryAfter),
            "challenge" => item.flag(errors).map(|()| Role::Challenge),
            _ => {
                let _meant = item.unknown("attribute of a field", &FIELD_WORDS, errors);
                None
            }
        };
        field.roles.extend(role.map(|role| (role, item.span)));
    }
    field
}

/// `word` alone, or `word = "name"`.
#[expect(
    clippy::option_option,
    reason = "outside: whether it could be read; inside: whether a name is given"
)]
fn named(item: &Item, errors: &mut Errors) -> Option<Option<Text>> {
    match item.value {
        Value::Nothing => Some(None),
        Value::Equals(_) | Value::List(_) => item.text(errors).map(Some),
    }
}

fn type_item(item: &Item, of_type: &mut OfType, errors: &mut Errors) -> bool {
    match item.name.as_str() {
        "namespace" => of_type.namespace.set(item, item.text(errors), errors),
        "crate" => {
            let path = item.equals("expected `crate = path`", errors);
            of_type.krate.set(item, path, errors);
        }
        "no_axum" => of_type.no_axum.set(item, item.flag(errors), errors),
        "no_rmcp" => of_type.no_rmcp.set(item, item.flag(errors), errors),
        "no_jsonrpsee" => of_type.no_jsonrpsee.set(item, item.flag(errors), errors),
        _ => return false,
    }
    true
}

fn variant_item(item: &Item, variant: &mut OfVariant, known: &[&str], errors: &mut Errors) {
    if item.name != "transparent" && variant.other.is_none() {
        variant.other = Some((item.name.clone(), item.span));
    }
    match item.name.as_str() {
        "status" => variant.status.set(item, item.number(errors), errors),
        "code" => variant.code.set(item, item.text(errors), errors),
        "title" => variant.title.set(item, item.text(errors), errors),
        "type" => variant.type_uri.set(item, item.text(errors), errors),
        "detail" => variant.detail.set(item, item.text(errors), errors),
        "docs_url" => variant.docs_url.set(item, item.text(errors), errors),
        "mcp_tool" => variant.mcp_tool.set(item, item.text(errors), errors),
        "a2a_skill" => variant.a2a_skill.set(item, item.text(errors), errors),
        "retry_after" => variant.retry_after.set(item, item.number(errors), errors),
        "challenge" => variant.challenge.set(item, item.text(errors), errors),
        "methods" => variant.methods.set(item, item.texts(errors), errors),
        "pointer" => variant
            .pointers
            .extend(item.texts(errors).unwrap_or_default()),
        "valid_values" => {
            variant
                .values
                .extend(valid_values(item, errors).unwrap_or_default());
        }
        "remediation" => {
            let read = remediation::read(item, errors);
            variant.remediation.set(item, read, errors);
        }
        "transparent" => variant.transparent.set(item, item.flag(errors), errors),
        _ => match item.unknown("attribute", known, errors) {
            Some("status") => variant.status.excuse(item),
            Some("challenge") => variant.challenge.excuse(item),
            Some("methods") => variant.methods.excuse(item),
            _ => {}
        },
    }
}
