//! Checks of `remediation(…)` (P5 to P8).

use aon_core::suggest::nearest;
use aon_core::{
    AutoFix, Code, ExampleRequest, Json, NextAction, NoneReason, ProblemDetails, RemediationKind,
    RemediationType, SkillId, Status, ToolName, redact,
};
use proc_macro2::Span;

use super::proven;
use crate::attr::remediation::{
    ExampleRequest as RawExample, NextAction as RawAction, Remediation as RawRemediation,
};
use crate::attr::{Once, Text, listed};
use crate::errors::Errors;

/// The tools that make an automatic fix possible.
pub(super) struct Tools<'a> {
    pub(super) mcp_tool: Option<&'a str>,
    pub(super) a2a_skill: Option<&'a str>,
}

pub(super) fn check(
    raw: RawRemediation,
    span: Span,
    tools: &Tools<'_>,
    errors: &mut Errors,
) -> Option<proven::Remediation> {
    let RawRemediation {
        kind,
        reason,
        message,
        next_action,
        example_request,
        auto_fix,
    } = raw;
    let kind = kind_of(kind, reason, span, errors);
    let next_action = next_action.take().map(|raw| action(raw, errors));
    let example = example_request
        .take()
        .map(|example| check_example(example, errors));
    let fix = auto_fix
        .given()
        .and_then(|place| fix(place, next_action.as_ref(), tools, errors));
    let message = message
        .take()
        .filter(|text| super::holds_no_secret(text, errors))
        .map(|text| text.value);
    let (kind, example) = (
        kind?,
        example.map_or(Some(None), |example| example.map(Some))?,
    );
    let json = json(
        kind,
        message.as_deref(),
        next_action.as_ref(),
        example.as_ref(),
        fix.as_ref(),
    );
    Some(proven::Remediation {
        kind,
        message,
        next_action,
        example,
        auto_fix: fix.is_some(),
        json,
    })
}

fn kind_of(
    kind: Option<Text>,
    reason: Once<Text>,
    span: Span,
    errors: &mut Errors,
) -> Option<RemediationKind> {
    let types: Vec<&str> = RemediationType::ALL
        .iter()
        .map(|kind| kind.as_str())
        .collect();
    let reasons: Vec<&str> = NoneReason::ALL
        .iter()
        .map(|reason| reason.as_str())
        .collect();
    let reason_place = reason.given();
    let reason = reason.take().and_then(|text| {
        let found = NoneReason::from_word(&text.value);
        if found.is_none() {
            unknown("reason", &text, &reasons, errors);
        }
        found
    });
    let Some(text) = kind else {
        let expected = listed(&types);
        errors.at(
            span,
            format!("`remediation` starts with its type, one of {expected}"),
        );
        return None;
    };
    let Some(kind) = RemediationType::from_word(&text.value) else {
        unknown("type of remediation", &text, &types, errors);
        return None;
    };
    match (kind, reason_place) {
        (RemediationType::None, None) => {
            let expected = listed(&reasons);
            errors.at(
                text.span,
                format!("`none` needs `reason = …`, one of {expected}"),
            );
            None
        }
        (RemediationType::None, Some(_)) => RemediationKind::of(kind, reason),
        (_, Some(place)) => {
            errors.at(
                place,
                format!("`reason` goes only with `none`, not with `{kind}`"),
            );
            None
        }
        (_, None) => RemediationKind::of(kind, None),
    }
}

fn unknown(what: &str, text: &Text, known: &[&str], errors: &mut Errors) {
    let hint = match nearest(&text.value, known.iter().copied()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("expected one of {}", listed(known)),
    };
    errors.at(
        text.span,
        format!("unknown {what} `{}`; {hint}", text.value),
    );
}

fn action(raw: RawAction, errors: &mut Errors) -> [Option<String>; 4] {
    let RawAction {
        endpoint_xri,
        endpoint_url,
        required_scope,
        guide_xri,
    } = raw;
    [endpoint_xri, endpoint_url, required_scope, guide_xri].map(|part| {
        part.take()
            .filter(|text| super::holds_no_secret(text, errors))
            .map(|text| text.value)
    })
}

/// The action an automatic fix promises (P8).
fn fix(
    place: Span,
    action: Option<&[Option<String>; 4]>,
    tools: &Tools<'_>,
    errors: &mut Errors,
) -> Option<AutoFix> {
    let tool = tools
        .mcp_tool
        .and_then(|tool| ToolName::parse(tool.to_owned()).ok());
    let skill = tools
        .a2a_skill
        .and_then(|skill| SkillId::parse(skill.to_owned()).ok());
    let endpoint = action.and_then(|[_, url, _, _]| url.clone());
    let fix = tool
        .map(AutoFix::Tool)
        .or_else(|| skill.map(AutoFix::Skill))
        .or_else(|| endpoint.map(|url| AutoFix::Endpoint(url.into())));
    if fix.is_none() {
        errors.at(
            place,
            "`auto_fix` promises an action; name it with `mcp_tool`, `a2a_skill` or `next_action(endpoint_url = …)`",
        );
    }
    fix
}

fn check_example(raw: RawExample, errors: &mut Errors) -> Option<proven::Example> {
    let RawExample {
        method,
        path,
        headers,
        body,
    } = raw;
    let method = method.take().filter(|method| {
        let good = !method.value.is_empty() && method.value.bytes().all(|b| b.is_ascii_uppercase());
        if !good {
            errors.at(
                method.span,
                "a method is written in capitals, such as \"PATCH\"",
            );
        }
        good
    });
    let path = path
        .take()
        .filter(|path| clean(path, &redact::text(&path.value), errors));
    let mut kept: Vec<(String, String)> = Vec::new();
    for (name, value) in headers.take().unwrap_or_default() {
        clean(&name, &redact::text(&name.value), errors);
        clean(&value, &redact::header(&name.value, &value.value), errors);
        if kept
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(&name.value))
        {
            errors.at(name.span, format!("header {:?} is given twice", name.value));
        }
        kept.push((name.value, value.value));
    }
    let body_given = body.given().is_some();
    let body = body.take().and_then(|text| match Json::parse(&text.value) {
        Ok(json) => clean(&text, &redact::json_text(&text.value), errors).then_some(json),
        Err(error) => {
            let why = std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), ToString::to_string);
            errors.at(text.span, format!("the body is not JSON: {why}"));
            None
        }
    });
    let body = match body {
        Some(json) => Some(json.as_str().to_owned()),
        None if body_given => return None,
        None => None,
    };
    Some(proven::Example {
        method: method?.value,
        path: path?.value,
        headers: kept,
        body,
    })
}

/// A secret in an example would be published (P7).
fn clean(text: &Text, redacted: &str, errors: &mut Errors) -> bool {
    if text.value == redacted {
        return true;
    }
    errors.at(
        text.span,
        "an example must not carry a secret; write a placeholder such as `<token>` instead",
    );
    false
}

/// The object as core writes it.
fn json(
    kind: RemediationKind,
    message: Option<&str>,
    action: Option<&[Option<String>; 4]>,
    example: Option<&proven::Example>,
    fix: Option<&AutoFix>,
) -> String {
    let mut built = aon_core::Remediation::new(kind);
    if let Some(message) = message {
        built = built.with_message(message.to_owned());
    }
    if let Some([xri, url, scope, guide]) = action {
        let mut next = NextAction::default();
        if let Some(text) = xri {
            next = next.with_endpoint_xri(text.clone());
        }
        if let Some(text) = url {
            next = next.with_endpoint_url(text.clone());
        }
        if let Some(text) = scope {
            next = next.with_required_scope(text.clone());
        }
        if let Some(text) = guide {
            next = next.with_guide_xri(text.clone());
        }
        built = built.with_next_action(next);
    }
    if let Some(example) = example {
        let mut request = ExampleRequest::new(example.method.clone(), example.path.clone());
        for (name, value) in &example.headers {
            request = request.with_header(name.clone(), value.clone());
        }
        if let Some(body) = example
            .body
            .as_deref()
            .and_then(|body| Json::parse(body).ok())
        {
            request = request.with_body(body);
        }
        built = built.with_example_request(request);
    }
    // The problem around it is only there because core lets nothing else claim an automatic fix.
    let problem = ProblemDetails::new(Status::from_static(500), Code::from_static("any"));
    let problem = match fix {
        Some(fix) => problem.with_auto_fix(built, fix.clone()),
        None => problem.with_remediation(built),
    };
    problem
        .remediation()
        .map_or_else(String::new, |remediation| remediation.to_json().to_string())
}
