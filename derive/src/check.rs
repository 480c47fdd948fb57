//! From the tree as written to a tree that is proven right. Every mistake is reported, at its tokens (D3).

use aon_core::{
    Code, ExtensionName, Namespace, Pointer, SkillId, Status, ToolName, UriRef, redact,
};
use proc_macro2::Span;
use syn::Member;

use crate::ast;
use crate::attr::problem::{OfType, OfVariant, Role as RawRole};
use crate::attr::{Once, Text};
use crate::errors::Errors;
use crate::format::{self, Detail, FieldView};

pub(crate) mod proven;
mod remediation;
mod values;

pub(crate) use values::quoted;

use proven::{Adapters, Declared, Field, Input, Kind, Role, Variant};

impl<'a> ast::Input<'a> {
    /// Checks everything; a tree comes out where nothing stood in the way, mistakes go into `errors`.
    pub(crate) fn check(self, errors: &mut Errors) -> Input<'a> {
        let krate = self.krate();
        let Self {
            original,
            of_type,
            variants,
        } = self;
        let OfType {
            namespace,
            krate: _,
            no_axum,
            no_rmcp,
            no_jsonrpsee,
        } = of_type;
        let namespace = match namespace.take() {
            Some(text) => parsed(&text, Namespace::parse(&text.value), errors),
            None => None,
        };
        let mut codes: Vec<(String, String)> = Vec::new();
        let variants = variants
            .into_iter()
            .filter_map(|variant| check_variant(variant, namespace.as_ref(), &mut codes, errors))
            .collect();
        Input {
            original,
            krate,
            adapters: Adapters {
                axum: no_axum.take().is_none(),
                rmcp: no_rmcp.take().is_none(),
                jsonrpsee: no_jsonrpsee.take().is_none(),
            },
            variants,
        }
    }
}

fn check_variant<'a>(
    raw: ast::Variant<'a>,
    namespace: Option<&Namespace>,
    codes: &mut Vec<(String, String)>,
    errors: &mut Errors,
) -> Option<Variant<'a>> {
    let ast::Variant {
        ident,
        name,
        docs,
        attrs,
        display,
        fields,
    } = raw;
    let fields: Vec<Field<'a>> = fields
        .iter()
        .map(|field| check_field(field, errors))
        .collect();
    let kind = if let Some(place) = attrs.transparent.given() {
        // One that could not be read is reported already; what it would have meant is not known.
        attrs.transparent.get()?;
        check_transparent(&attrs, &fields, place, errors);
        Some(Kind::Transparent)
    } else {
        let about = About {
            name: crate::attr::unraw(name),
            span: name.span(),
            is_enum: ident.is_some(),
            docs,
            display,
        };
        check_declared(attrs, about, &fields, namespace, codes, errors)
            .map(|declared| Kind::Declared(Box::new(declared)))
    };
    Some(Variant {
        ident,
        fields,
        kind: kind?,
    })
}

fn check_transparent(attrs: &OfVariant, fields: &[Field<'_>], place: Span, errors: &mut Errors) {
    if let Some((name, span)) = &attrs.other {
        errors.at(
            *span,
            format!("`{name}` has no effect beside `transparent`: the inner problem decides"),
        );
    }
    if fields.len() != 1 {
        errors.at(
            place,
            format!(
                "`transparent` forwards to the only field; there are {}",
                fields.len()
            ),
        );
    }
}

fn check_field<'a>(raw: &ast::Field<'a>, errors: &mut Errors) -> Field<'a> {
    let name = raw.name();
    let mut roles = raw.attrs.roles.iter();
    let first = roles.next();
    for (_, span) in roles {
        errors.at(
            *span,
            "a field has one part to play; another is named already",
        );
    }
    if let (true, Some((_, span))) = (raw.source, first) {
        errors.at(
            *span,
            "the source of an error is never public; put what callers may know into a field of its own",
        );
    }
    let role = match first {
        None => Role::Private,
        Some((RawRole::Public, _)) => Role::Public,
        Some((RawRole::RetryAfter, _)) => Role::RetryAfter,
        Some((RawRole::Challenge, _)) => Role::Challenge,
        Some((RawRole::Extension(given), span)) => {
            extension(given.as_ref(), raw, *span, errors).map_or(Role::Private, Role::Extension)
        }
        Some((RawRole::Values(given), span)) => {
            let named = given.as_ref().map(|text| text.value.clone());
            if named.is_none() && raw.original.ident.is_none() {
                errors.at(*span, "a field without a name needs `valid_values = \"…\"`");
            }
            Role::Values(named.unwrap_or_else(|| name.clone()))
        }
    };
    Field {
        member: match &raw.original.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::from(raw.index),
        },
        name,
        ty: &raw.original.ty,
        role,
        source: raw.source,
    }
}

/// Members our own attributes write.
const TAKEN: [(&str, &str); 3] = [
    ("retry_after", "mark the field `#[problem(retry_after)]`"),
    ("challenge", "mark the field `#[problem(challenge)]`"),
    ("errors", "use `pointer = \"…\"` on the variant"),
];

fn extension(
    given: Option<&Text>,
    field: &ast::Field<'_>,
    span: Span,
    errors: &mut Errors,
) -> Option<String> {
    let text = match (given, &field.original.ident) {
        (Some(text), _) => text.clone(),
        (None, Some(_)) => Text {
            value: field.name(),
            span: field.span(),
        },
        (None, None) => {
            errors.at(span, "a field without a name needs `extension = \"…\"`");
            return None;
        }
    };
    if let Some((name, instead)) = TAKEN.iter().find(|(name, _)| *name == text.value) {
        errors.at(
            text.span,
            format!("the member `{name}` has its own way in: {instead}"),
        );
        return None;
    }
    parsed(&text, ExtensionName::parse(text.value.clone()), errors)?;
    Some(text.value)
}

/// What is known about a variant besides its attributes.
struct About {
    name: String,
    span: Span,
    is_enum: bool,
    docs: String,
    display: ast::Display,
}

fn check_declared(
    attrs: OfVariant,
    about: About,
    fields: &[Field<'_>],
    namespace: Option<&Namespace>,
    codes: &mut Vec<(String, String)>,
    errors: &mut Errors,
) -> Option<Declared> {
    let OfVariant {
        status,
        code,
        title,
        type_uri,
        detail,
        docs_url,
        mcp_tool,
        a2a_skill,
        retry_after,
        challenge,
        methods,
        remediation,
        transparent: _,
        pointers,
        values,
        other: _,
    } = attrs;
    let status = check_status(status, &about, errors);
    let code = check_code(code, &about, codes, errors);
    let type_uri = match type_uri.take() {
        Some(text) => parsed(&text, UriRef::parse(text.value.clone()), errors)
            .filter(|_uri| holds_no_secret(&text, errors))
            .map(|_uri| text.value),
        None => code
            .as_ref()
            .zip(namespace)
            .map(|(code, namespace)| namespace.type_of(code)),
    };
    let docs_url = docs_url
        .take()
        .filter(|text| is_web_url(text, errors) && holds_no_secret(text, errors))
        .map(|text| text.value);
    let mcp_tool = mcp_tool.take().filter(|text| holds_no_secret(text, errors));
    let mcp_tool = mcp_tool.and_then(|text| {
        parsed(&text, ToolName::parse(text.value.clone()), errors).map(|_tool| text.value)
    });
    let a2a_skill = a2a_skill
        .take()
        .filter(|text| holds_no_secret(text, errors));
    let a2a_skill = a2a_skill.and_then(|text| {
        parsed(&text, SkillId::parse(text.value.clone()), errors).map(|_skill| text.value)
    });
    let remediation_place = remediation.given();
    let remediation = remediation.take().and_then(|raw| {
        let tools = remediation::Tools {
            mcp_tool: mcp_tool.as_deref(),
            a2a_skill: a2a_skill.as_deref(),
        };
        remediation::check(raw, remediation_place.unwrap_or(about.span), &tools, errors)
    });
    check_roles(
        fields,
        retry_after.given(),
        challenge.given(),
        about.span,
        errors,
    );
    let challenge_given = challenge.given().is_some();
    let challenge = challenge
        .take()
        .filter(|text| is_challenge(text, errors) && holds_no_secret(text, errors))
        .map(|text| text.value);
    let has_methods = methods.given().is_some();
    let values = values::check(values, methods.take(), fields, errors);
    let title = title
        .take()
        .filter(|text| holds_no_secret(text, errors))
        .map_or_else(|| crate::case::sentence(&about.name), |text| text.value);
    if let Some(status) = status {
        let field_challenge = fields
            .iter()
            .any(|field| matches!(field.role, Role::Challenge));
        if status == 401 && !challenge_given && !field_challenge {
            errors.at(
                about.span,
                "a 401 says how to authenticate: add `challenge = \"Bearer\"`, or mark a field `#[problem(challenge)]`",
            );
        }
        if status == 405 && !has_methods && !values.iter().any(|values| values.field == "method") {
            errors.at(
                about.span,
                "a 405 says what is allowed: add `methods(\"GET\", …)`, or mark a field \
                 `#[problem(valid_values = \"method\")]`",
            );
        }
    }
    let pointers = pointers
        .into_iter()
        .filter(|text| is_pointer(text, errors))
        .map(|text| text.value)
        .collect();
    let retry_after = check_delay(retry_after, errors);
    let (detail, template) = check_detail(detail, about.display, fields, &title, errors);
    Some(Declared {
        code: code?,
        status: status?,
        type_uri,
        urn: namespace.map(|namespace| namespace.urn_name().to_owned()),
        title,
        detail: detail?,
        template,
        summary: about.docs,
        docs_url,
        mcp_tool,
        a2a_skill,
        remediation,
        values,
        pointers,
        retry_after,
        challenge,
    })
}

fn check_status(status: Once<(u64, Span)>, about: &About, errors: &mut Errors) -> Option<u16> {
    if status.given().is_none() {
        let what = if about.is_enum { "variant" } else { "struct" };
        let name = &about.name;
        errors.at(
            about.span,
            format!("{what} `{name}` has no status; add `#[problem(status = …)]` with 400..=599"),
        );
        return None;
    }
    let (number, span) = status.take()?;
    match u16::try_from(number).map(Status::new) {
        Ok(Ok(status)) => Some(status.as_u16()),
        Ok(Err(error)) => {
            errors.at(span, error);
            None
        }
        Err(_) => {
            errors.at(
                span,
                format!("status {number} is not an error status; use 400..=599"),
            );
            None
        }
    }
}

fn check_code(
    code: Once<Text>,
    about: &About,
    codes: &mut Vec<(String, String)>,
    errors: &mut Errors,
) -> Option<String> {
    let given = code.given().is_some();
    let text = match code.take() {
        Some(text) => text,
        None if given => return None,
        None => Text {
            value: crate::case::snake(&about.name),
            span: about.span,
        },
    };
    if let Err(error) = Code::parse(text.value.clone()) {
        let hint = if given {
            ""
        } else {
            "; give one with `code = \"…\"`"
        };
        errors.at(text.span, format!("{error}{hint}"));
        return None;
    }
    if let Some((_, first)) = codes.iter().find(|(kept, _)| *kept == text.value) {
        errors.at(
            text.span,
            format!(
                "code `{}` belongs to `{first}` already; a code names one problem",
                text.value
            ),
        );
        return None;
    }
    codes.push((text.value.clone(), about.name.clone()));
    Some(text.value)
}

/// What may be given once for a variant, by attribute or by field.
fn check_roles(
    fields: &[Field<'_>],
    retry_after: Option<Span>,
    challenge: Option<Span>,
    span: Span,
    errors: &mut Errors,
) {
    let delays = fields
        .iter()
        .filter(|field| matches!(field.role, Role::RetryAfter))
        .count();
    let challenges = fields
        .iter()
        .filter(|field| matches!(field.role, Role::Challenge))
        .count();
    for (word, given, count) in [
        ("retry_after", retry_after, delays),
        ("challenge", challenge, challenges),
    ] {
        if count + usize::from(given.is_some()) > 1 {
            errors.at(given.unwrap_or(span), format!("`{word}` is given twice"));
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for field in fields {
        if let Role::Extension(name) = &field.role {
            if names.contains(&name.as_str()) {
                use syn::spanned::Spanned;
                errors.at(
                    field.member.span(),
                    format!("extension `{name}` is given twice"),
                );
            }
            names.push(name);
        }
    }
}

fn check_detail(
    given: Once<Text>,
    display: ast::Display,
    fields: &[Field<'_>],
    title: &str,
    errors: &mut Errors,
) -> (Option<Detail>, String) {
    let views: Vec<FieldView> = fields
        .iter()
        .map(|field| FieldView {
            name: field.name.clone(),
            public: !matches!(field.role, Role::Private),
            source: field.source,
        })
        .collect();
    if given.given().is_some() {
        let Some(text) = given.take() else {
            return (None, String::new());
        };
        let detail = match format::of_attribute(&text.value, &views) {
            Ok(detail) => holds_no_secret(&text, errors).then_some(detail),
            Err(messages) => {
                for message in messages {
                    errors.at(text.span, message);
                }
                None
            }
        };
        return (detail, text.value);
    }
    let all_public = views.iter().all(|view| view.public);
    let hidden = || Detail::Text(title.to_owned());
    let (detail, template) = match display {
        ast::Display::ByHand => (Detail::Display, String::new()),
        ast::Display::Function if all_public => (Detail::Display, String::new()),
        ast::Display::Transparent | ast::Display::Function => (hidden(), title.to_owned()),
        ast::Display::Format { text, args } => {
            let template = text.value();
            match format::of_display(&template, args, &views) {
                Ok(detail) => {
                    holds_no_secret(&Text::from(text), errors);
                    (detail, template)
                }
                Err(messages) => {
                    for message in messages {
                        errors.at(text.span(), message);
                    }
                    return (None, template);
                }
            }
        }
    };
    (Some(detail), template)
}

fn check_delay(retry_after: Once<(u64, Span)>, errors: &mut Errors) -> Option<u64> {
    let (seconds, span) = retry_after.take()?;
    if (1..=86_400).contains(&seconds) {
        return Some(seconds);
    }
    errors.at(span, "`retry_after` is in seconds, 1 to 86400 (a day)");
    None
}

fn is_web_url(text: &Text, errors: &mut Errors) -> bool {
    let url = parsed(text, UriRef::parse(text.value.clone()), errors);
    let Some(url) = url else { return false };
    if !url.is_web_url() {
        let message = format!("{:?} is not an absolute http or https URL", text.value);
        errors.at(text.span, message);
    }
    url.is_web_url()
}

fn is_pointer(text: &Text, errors: &mut Errors) -> bool {
    // The URI form is not for source code: one spelling of a pointer is enough.
    let plain = if text.value.starts_with('#') { "#" } else { "" };
    parsed(
        text,
        Pointer::parse(&format!("{plain}{}", text.value)),
        errors,
    )
    .is_some()
}

/// A literal that holds a secret would be published with every answer (P7, P9).
pub(super) fn holds_no_secret(text: &Text, errors: &mut Errors) -> bool {
    let secret = redact::is_secret(&text.value);
    if secret {
        errors.at(
            text.span,
            "callers read this, so it must not hold a secret; write a placeholder such as `<token>` instead",
        );
    }
    !secret
}

fn is_challenge(text: &Text, errors: &mut Errors) -> bool {
    let letters = text
        .value
        .bytes()
        .all(|byte| byte.is_ascii_graphic() || byte == b' ');
    let good = letters && text.value.starts_with(|c: char| c.is_ascii_alphabetic());
    if !good {
        errors.at(text.span, "a challenge is a scheme and its parameters in ASCII, such as \"Bearer realm=\\\"api\\\"\"");
    }
    good
}

/// What core's parser says, reported at the literal.
fn parsed<T, E: std::fmt::Display>(
    text: &Text,
    result: Result<T, E>,
    errors: &mut Errors,
) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            errors.at(text.span, error);
            None
        }
    }
}
