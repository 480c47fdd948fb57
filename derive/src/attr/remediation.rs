//! `remediation(…)` as written.

use proc_macro2::{TokenStream, TokenTree};

use super::{Item, Once, Text, Value, items};
use crate::errors::Errors;

/// `remediation(KIND, reason = WORD, message = "…", next_action(…), example_request(…), auto_fix)`.
#[derive(Default)]
pub(crate) struct Remediation {
    pub(crate) kind: Option<Text>,
    pub(crate) reason: Once<Text>,
    pub(crate) message: Once<Text>,
    pub(crate) next_action: Once<NextAction>,
    pub(crate) example_request: Once<ExampleRequest>,
    pub(crate) auto_fix: Once<()>,
}

/// `next_action(endpoint_url = "…", …)`.
#[derive(Default)]
pub(crate) struct NextAction {
    pub(crate) endpoint_xri: Once<Text>,
    pub(crate) endpoint_url: Once<Text>,
    pub(crate) required_scope: Once<Text>,
    pub(crate) guide_xri: Once<Text>,
}

/// `example_request(method = "…", path = "…", headers("A" = "b"), body = "…")`.
#[derive(Default)]
pub(crate) struct ExampleRequest {
    pub(crate) method: Once<Text>,
    pub(crate) path: Once<Text>,
    pub(crate) headers: Once<Vec<(Text, Text)>>,
    pub(crate) body: Once<Text>,
}

const WORDS: [&str; 5] = [
    "reason",
    "message",
    "next_action",
    "example_request",
    "auto_fix",
];
const ACTION_WORDS: [&str; 4] = [
    "endpoint_xri",
    "endpoint_url",
    "required_scope",
    "guide_xri",
];
const EXAMPLE_WORDS: [&str; 4] = ["method", "path", "headers", "body"];

pub(crate) fn read(item: &Item, errors: &mut Errors) -> Option<Remediation> {
    let tokens = item.list(errors)?;
    let mut read = Remediation::default();
    for (at, part) in items(tokens, errors).into_iter().enumerate() {
        match part.name.as_str() {
            "reason" => {
                let word = part_word(&part, errors);
                read.reason.set(&part, word, errors);
            }
            "message" => read.message.set(&part, part.text(errors), errors),
            "next_action" => read
                .next_action
                .set(&part, next_action(&part, errors), errors),
            "example_request" => {
                read.example_request
                    .set(&part, example_request(&part, errors), errors);
            }
            "auto_fix" => read.auto_fix.set(&part, part.flag(errors), errors),
            _ if at == 0 && matches!(part.value, Value::Nothing) => {
                read.kind = Some(Text {
                    value: part.name,
                    span: part.span,
                });
            }
            _ => {
                let _meant = part.unknown("part of remediation", &WORDS, errors);
            }
        }
    }
    Some(read)
}

/// `reason = word` or `reason = "word"`.
fn part_word(item: &Item, errors: &mut Errors) -> Option<Text> {
    if let Value::Equals(tokens) = &item.value {
        let mut trees = tokens.clone().into_iter();
        if let (Some(TokenTree::Ident(word)), None) = (trees.next(), trees.next()) {
            return Some(Text {
                value: super::unraw(&word),
                span: word.span(),
            });
        }
    }
    item.text(errors)
}

fn next_action(item: &Item, errors: &mut Errors) -> Option<NextAction> {
    let tokens = item.list(errors)?;
    let mut read = NextAction::default();
    if tokens.is_empty() {
        let expected = super::listed(&ACTION_WORDS);
        errors.at(
            item.span,
            format!("`next_action` names no action; give at least one of {expected}"),
        );
        return None;
    }
    for part in items(tokens, errors) {
        let slot = match part.name.as_str() {
            "endpoint_xri" => &mut read.endpoint_xri,
            "endpoint_url" => &mut read.endpoint_url,
            "required_scope" => &mut read.required_scope,
            "guide_xri" => &mut read.guide_xri,
            _ => {
                let _meant = part.unknown("part of next_action", &ACTION_WORDS, errors);
                continue;
            }
        };
        slot.set(&part, part.text(errors), errors);
    }
    Some(read)
}

fn example_request(item: &Item, errors: &mut Errors) -> Option<ExampleRequest> {
    let tokens = item.list(errors)?;
    let mut read = ExampleRequest::default();
    for part in items(tokens, errors) {
        match part.name.as_str() {
            "method" => read.method.set(&part, part.text(errors), errors),
            "path" => read.path.set(&part, part.text(errors), errors),
            "body" => read.body.set(&part, part.text(errors), errors),
            "headers" => {
                let headers = part.list(errors).and_then(|tokens| headers(tokens, errors));
                read.headers.set(&part, headers, errors);
            }
            _ => match part.unknown("part of example_request", &EXAMPLE_WORDS, errors) {
                Some("method") => read.method.excuse(&part),
                Some("path") => read.path.excuse(&part),
                _ => {}
            },
        }
    }
    for (name, missing) in [
        ("method", read.method.given().is_none()),
        ("path", read.path.given().is_none()),
    ] {
        if missing {
            errors.at(item.span, format!("`example_request` needs `{name}`"));
        }
    }
    Some(read)
}

/// `headers("Name" = "value", …)`.
fn headers(tokens: TokenStream, errors: &mut Errors) -> Option<Vec<(Text, Text)>> {
    use syn::parse::{ParseStream, Parser};
    use syn::punctuated::Punctuated;
    use syn::{LitStr, Token};

    let pair = |input: ParseStream<'_>| {
        let name: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        let value: LitStr = input.parse()?;
        Ok((Text::from(name), Text::from(value)))
    };
    let parser = |input: ParseStream<'_>| {
        Punctuated::<(Text, Text), Token![,]>::parse_terminated_with(input, pair)
    };
    match parser.parse2(tokens) {
        Ok(pairs) => Some(pairs.into_iter().collect()),
        Err(error) => {
            errors.at(error.span(), "expected `headers(\"Name\" = \"value\")`");
            None
        }
    }
}
