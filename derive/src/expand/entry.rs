//! The static entry of a variant, its pre-escaped JSON, and the record in the program's own section.

use aon_core::json::ObjectWriter;
use aon_core::{NoneReason, RemediationKind};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{numbered, option, values_json};
use crate::check::proven::{Declared, Input, Kind, Remediation, Role, Source, Variant};

/// The name of the static.
pub(super) fn name(at: usize) -> Ident {
    numbered("__ENTRY", at)
}

/// Everything constant about one variant.
pub(super) fn statics(input: &Input<'_>, variant: &Variant<'_>, at: usize) -> TokenStream {
    let Kind::Declared(declared) = &variant.kind else {
        return TokenStream::new();
    };
    let Declared {
        code,
        status,
        type_uri,
        urn,
        title,
        detail: _,
        template,
        summary,
        docs_url,
        mcp_tool,
        a2a_skill,
        remediation,
        values,
        pointers,
        retry_after,
        challenge,
    } = &**declared;
    let entry = name(at);
    let type_uri = type_uri.as_ref().map_or_else(
        || quote!(__aon::join!(__NAMESPACE.0, #code)),
        |uri| quote!(#uri),
    );
    let urn = urn
        .as_ref()
        .map_or_else(|| quote!(__NAMESPACE.1), |urn| quote!(#urn));
    let remedy = numbered("__REMEDIATION", at);
    let record = numbered("__RECORD", at);
    let remedy_static = remediation.as_ref().map(|remediation| {
        let value = remediation_value(remediation);
        quote!(static #remedy: __aon::Remediation = #value;)
    });
    let remedy_ref = option(remediation.as_ref().map(|_| quote!(&#remedy)));
    let values = values.iter().map(|values| {
        let field = &values.field;
        let json = values_json(&values.source);
        let varies = matches!(values.source, Source::RunTime);
        let choices = match &values.source {
            Source::Type(ty) => quote!(<#ty as __aon::Choices>::CHOICES),
            Source::Words(words) => {
                quote!(&[#(__aon::Choice::constant(#words, __aon::None, __aon::None)),*])
            }
            Source::Json(_) | Source::RunTime => quote!(&[]),
        };
        quote!(__aon::FieldValues { field: #field, choices: #choices, json: #json, varies: #varies })
    });
    let seconds = option(*retry_after);
    let varies = variant
        .fields
        .iter()
        .any(|field| matches!(field.role, Role::RetryAfter));
    let (docs, tool) = (option(docs_url.as_deref()), option(mcp_tool.as_deref()));
    let (skill, challenge) = (option(a2a_skill.as_deref()), option(challenge.as_deref()));
    let extensions = extensions(variant);
    let types = extension_types(variant);
    let types = types.iter().map(|(name, shape)| quote!((#name, #shape)));
    let type_name = crate::attr::unraw(&input.original.ident);
    let variant_name = variant.ident.map(crate::attr::unraw).unwrap_or_default();
    let json = entry_json(declared);
    let parts = record_parts(declared, variant, &type_name, &variant_name);
    quote! {
        #remedy_static
        __aon::embed! { #record [#(#parts),*] }
        static #entry: __aon::Entry = __aon::Entry {
            code: #code,
            status: #status,
            type_uri: #type_uri,
            title: #title,
            urn: #urn,
            detail: #template,
            summary: #summary,
            docs_url: #docs,
            mcp_tool: #tool,
            a2a_skill: #skill,
            remediation: #remedy_ref,
            valid_values: &[#(#values),*],
            pointers: &[#(#pointers),*],
            retry_after: #seconds,
            retry_after_varies: #varies,
            challenge: #challenge,
            extensions: &[#(#extensions),*],
            extension_types: &[#(#types),*],
            origin: __aon::Origin {
                package: __aon::package!(),
                type_name: #type_name,
                variant: #variant_name,
            },
            json: __aon::Some(#json),
            embedded: #record,
        };
    }
}

fn extensions<'a>(variant: &'a Variant<'_>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for field in &variant.fields {
        if let Role::Extension(name) = &field.role {
            names.push(name.as_str());
        }
    }
    names
}

/// The types of the extensions, where they are known.
fn extension_types<'a>(variant: &'a Variant<'_>) -> Vec<(&'a str, String)> {
    let mut types = Vec::new();
    for field in &variant.fields {
        if let Role::Extension(name) = &field.role
            && let Some(shape) = crate::shape::of(field.ty)
        {
            types.push((name.as_str(), shape));
        }
    }
    types
}

fn remediation_value(remediation: &Remediation) -> TokenStream {
    let Remediation {
        kind,
        message,
        next_action,
        example,
        auto_fix,
        json,
    } = remediation;
    let kind = match kind {
        RemediationKind::WaitForProvisioning => quote!(WaitForProvisioning),
        RemediationKind::RequestScopeElevation => quote!(RequestScopeElevation),
        RemediationKind::SwitchUser => quote!(SwitchUser),
        RemediationKind::RegisterCustomDomain => quote!(RegisterCustomDomain),
        RemediationKind::None(reason) => {
            let reason = match reason {
                NoneReason::NoPublicEquivalentExists => quote!(NoPublicEquivalentExists),
                NoneReason::AuthRequiredForSafety => quote!(AuthRequiredForSafety),
                NoneReason::NotYetImplemented => quote!(NotYetImplemented),
            };
            quote!(None(__aon::NoneReason::#reason))
        }
    };
    let message = option(message.as_deref());
    let next_action = option(next_action.as_ref().map(|parts| {
        let parts = parts.each_ref().map(|part| option(part.as_deref()));
        quote!(__aon::NextAction::constant([#(#parts),*]))
    }));
    let example = option(example.as_ref().map(|example| {
        let (method, path) = (&example.method, &example.path);
        let body = option(example.body.as_deref());
        let headers = example.headers.iter().map(
            |(name, value)| quote!((__aon::Cow::Borrowed(#name), __aon::Cow::Borrowed(#value))),
        );
        quote!(__aon::ExampleRequest::constant(#method, #path, &[#(#headers),*], #body))
    }));
    quote! {
        __aon::Remediation::constant(
            __aon::RemediationKind::#kind, #message, #next_action, #example, #auto_fix, #json,
        )
    }
}

/// An object's members without its braces.
fn members(write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    write(&mut object);
    object.end();
    let text = String::from_utf8(out).unwrap_or_default();
    text.strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or_default()
        .to_owned()
}

/// The same with a comma in front, unless there are none.
fn continued(write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let text = members(write);
    if text.is_empty() {
        text
    } else {
        format!(",{text}")
    }
}

fn entry_json(declared: &Declared) -> TokenStream {
    let rest = continued(|object| {
        object.string("title", &declared.title);
        object.number("status", u64::from(declared.status));
    });
    let (start, prefix, end) = type_parts(declared);
    let head = quote!(__aon::join!(#start, #prefix #end, #rest));
    let code = continued(|object| object.string("code", &declared.code));
    let remediation = continued(|object| {
        if let Some(remediation) = &declared.remediation {
            object.raw("remediation", &remediation.json);
        }
    });
    let tail = continued(|object| links(object, declared));
    let advice = continued(|object| advice(object, declared));
    quote!(__aon::EntryJson { head: #head, code: #code, remediation: #remediation, tail: #tail, advice: #advice })
}

/// `"type":…` in three parts, of which the second is known only in the crate: a namespace holds nothing to escape.
fn type_parts(declared: &Declared) -> (&'static str, TokenStream, String) {
    if let Some(uri) = &declared.type_uri {
        ("\"type\":", TokenStream::new(), crate::check::quoted(uri))
    } else {
        let end = format!("{}\"", declared.code);
        ("\"type\":\"", quote!(__NAMESPACE.0,), end)
    }
}

fn links(object: &mut ObjectWriter<'_>, declared: &Declared) {
    let links = [
        ("docs_url", &declared.docs_url),
        ("mcp_tool", &declared.mcp_tool),
        ("a2a_skill", &declared.a2a_skill),
    ];
    for (name, link) in links {
        if let Some(link) = link {
            object.string(name, link);
        }
    }
}

fn advice(object: &mut ObjectWriter<'_>, declared: &Declared) {
    if let Some(seconds) = declared.retry_after {
        object.number("retry_after", seconds);
    }
    if let Some(challenge) = &declared.challenge {
        object.string("challenge", challenge);
    }
}

/// The catalog record as JSON, in parts: some are constants of other types.
fn record_parts(
    declared: &Declared,
    variant: &Variant<'_>,
    type_name: &str,
    variant_name: &str,
) -> Vec<TokenStream> {
    let text = |out: &mut Vec<u8>, text: &str| aon_core::json::write_string(out, text);
    let head = members(|object| {
        object.string("code", &declared.code);
        object.number("status", u64::from(declared.status));
    });
    let rest = continued(|object| {
        object.string("title", &declared.title);
        object.string("detail", &declared.template);
        object.string("summary", &declared.summary);
        if let Some(remediation) = &declared.remediation {
            object.raw("remediation", &remediation.json);
        }
        links(object, declared);
        advice(object, declared);
        let varies = variant
            .fields
            .iter()
            .any(|field| matches!(field.role, Role::RetryAfter));
        if varies && declared.retry_after.is_none() {
            object.raw("retry_after", "null");
        }
        object.array("pointers", &declared.pointers, |out, pointer| {
            text(out, pointer);
        });
        object.array("extensions", extensions(variant), text);
        let types = extension_types(variant);
        if !types.is_empty() {
            let types = members(|object| {
                for (name, shape) in &types {
                    object.string(name, shape);
                }
            });
            object.raw("extension_types", &format!("{{{types}}}"));
        }
    });
    let origin = members(|object| {
        object.string("type", type_name);
        object.string("variant", variant_name);
    });
    let (type_start, _, type_end) = type_parts(declared);
    let start = format!("{{{head},{type_start}");
    let rest = format!("{type_end}{rest},\"origin\":{{\"package\":\"");
    let next = format!("\",{origin}}},\"valid_values\":{{");
    let mut parts = vec![quote!(#start)];
    if declared.type_uri.is_none() {
        parts.push(quote!(__NAMESPACE.0));
    }
    parts.extend([quote!(#rest), quote!(__aon::package!()), quote!(#next)]);
    for (at, values) in declared.values.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let key = format!("{comma}{}:", crate::check::quoted(&values.field));
        parts.push(quote!(#key));
        parts.push(match values.source {
            Source::RunTime => quote!("null"),
            Source::Type(_) | Source::Words(_) | Source::Json(_) => values_json(&values.source),
        });
    }
    parts.push(quote!("}}"));
    parts
}
