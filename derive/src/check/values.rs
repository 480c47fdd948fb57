//! Checks of `valid_values` and `methods` (P4).

use aon_core::json::write_string;
use syn::Lit;
use syn::spanned::Spanned;

use super::proven::{Field, Role, Source, Values};
use crate::attr::{self, Text};
use crate::errors::Errors;

pub(super) fn check(
    raw: Vec<attr::Values>,
    methods: Option<Vec<Text>>,
    fields: &[Field<'_>],
    errors: &mut Errors,
) -> Vec<Values> {
    let mut kept: Vec<Values> = Vec::new();
    for attr::Values { field, source } in raw {
        let source = match source {
            attr::Source::Type(ty) => Some(Source::Type(ty)),
            attr::Source::Literals(literals, span) => {
                if literals.is_empty() {
                    errors.at(span, "a closed set has at least one value");
                }
                of_literals(&literals, errors)
            }
        };
        add(&mut kept, &field, source, errors);
    }
    if let Some(methods) = methods {
        let place = methods
            .first()
            .map_or_else(proc_macro2::Span::call_site, |text| text.span);
        if methods.is_empty() {
            errors.at(place, "`methods` names no method");
        }
        for method in &methods {
            let good =
                !method.value.is_empty() && method.value.bytes().all(|b| b.is_ascii_uppercase());
            if !good {
                errors.at(
                    method.span,
                    "a method is written in capitals, such as \"PATCH\"",
                );
            }
        }
        let field = Text {
            value: "method".to_owned(),
            span: place,
        };
        let words = methods.into_iter().map(|text| text.value).collect();
        add(&mut kept, &field, Some(Source::Words(words)), errors);
    }
    for field in fields {
        if let Role::Values(name) = &field.role {
            let name = Text {
                value: name.clone(),
                span: field.member.span(),
            };
            add(&mut kept, &name, Some(Source::RunTime), errors);
        }
    }
    kept
}

fn add(kept: &mut Vec<Values>, field: &Text, source: Option<Source>, errors: &mut Errors) {
    if kept.iter().any(|values| values.field == field.value) {
        errors.at(
            field.span,
            format!("the valid values of `{}` are given twice", field.value),
        );
    }
    if let Some(source) = source {
        kept.push(Values {
            field: field.value.clone(),
            source,
        });
    }
}

/// Literals as text, or as JSON where there are numbers or booleans among them.
fn of_literals(literals: &[Lit], errors: &mut Errors) -> Option<Source> {
    let mut words = Vec::new();
    let mut json: Vec<String> = Vec::new();
    for literal in literals {
        let one = match literal {
            Lit::Str(text) => {
                super::holds_no_secret(&Text::from(text.clone()), errors);
                words.push(text.value());
                quoted(&text.value())
            }
            Lit::Bool(value) => value.value.to_string(),
            Lit::Int(number) => number.base10_digits().to_owned(),
            Lit::Float(number) => number.base10_digits().to_owned(),
            other => {
                errors.on(other, "a valid value is text, a number or a boolean");
                return None;
            }
        };
        if json.contains(&one) {
            errors.on(literal, format!("value {one} is given twice"));
        }
        json.push(one);
    }
    if words.len() == literals.len() {
        return Some(Source::Words(words));
    }
    let text = format!("[{}]", json.join(","));
    let json = aon_core::Json::parse(&text).ok();
    if json.is_none() {
        let place = literals
            .first()
            .map_or_else(proc_macro2::Span::call_site, Spanned::span);
        errors.at(place, "a number here is written as in JSON");
    }
    json.map(|json| Source::Json(json.to_string()))
}

/// Text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}
