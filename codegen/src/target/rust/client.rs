//! The client: a method for each operation, which gives a value or an error that holds the problem.
//!
//! It is written as text, laid out as rustfmt does; the tokens of an async method would be laid out otherwise.

use super::{doc_lines, text, types};
use crate::ir::{Api, Operation, Shape, Type};
use crate::names::{Unique, rust_field};
use crate::writer::Writer;

/// The whole file: the methods, and what is the same for every API.
pub(super) fn emit(api: &Api, head: &str) -> String {
    let mut names = Unique::default();
    // What the client has already.
    for own in [
        "new",
        "with_http",
        "with_header",
        "send",
        "send_for_bytes",
        "answer",
    ] {
        names.reserve(own);
    }
    let mut out = Writer::new(head.to_owned(), "    ");
    out.blank();
    out.line(format!(
        "//! Calls {} over HTTP.",
        crate::target::one_line(&api.title)
    ));
    let mut any = false;
    for operation in &api.operations {
        let (Some(method), Some(path)) = (&operation.method, &operation.path) else {
            continue;
        };
        out.blank();
        if !any {
            out.open("impl Client {");
        }
        any = true;
        let name = names.take(rust_field(&operation.snake));
        call(api, operation, &name, method, path, &mut out);
    }
    if any {
        out.close("}");
    }
    out.finish() + include_str!("client_runtime.rs")
}

fn call(api: &Api, operation: &Operation, name: &str, method: &str, path: &str, out: &mut Writer) {
    let about = doc_lines(&[
        operation.title(),
        &operation.description,
        "# Errors",
        "The problem the server answers with, or why there is no answer.",
    ]);
    for line in about {
        out.line(format!("///{line}"));
    }
    if operation.deprecated {
        out.line("#[deprecated]");
    }
    let parts = operation.parts.and_then(|id| api.definition(id));
    let request = parts.map(|parts| format!("request: &super::types::{}", parts.name));
    let answer = answer(api, operation);
    let more = request
        .as_deref()
        .map(|request| format!(", {request}"))
        .unwrap_or_default();
    let line = format!("pub async fn {name}(&self{more}) -> Result<{answer}, Error> {{");
    if line.chars().count() + 4 <= WIDTH {
        out.open(line);
    } else {
        out.open(format!("pub async fn {name}("));
        out.line("&self,");
        if let Some(request) = &request {
            out.line(format!("{request},"));
        }
        out.close("");
        out.open(format!(") -> Result<{answer}, Error> {{"));
    }
    let media = match operation.media_type.as_deref() {
        Some(media) if !["", "*/*"].contains(&media) => media,
        _ => "application/json",
    };
    out.open("let call = Call {");
    out.line(format!("method: {},", text(method)));
    out.line(format!("path: {},", text(path)));
    out.line(format!("media: {},", text(media)));
    let styles = styles(api, operation);
    list("styles", &styles, out);
    let files: Vec<String> = operation
        .files(api)
        .into_iter()
        .map(|name| text(name).to_string())
        .collect();
    list("files", &files, out);
    out.close("};");
    let sent = if request.is_some() {
        "Some(request)"
    } else {
        "None::<&()>"
    };
    let send = if is_bytes(operation) {
        "send_for_bytes"
    } else {
        "send"
    };
    out.line(format!("self.{send}(&call, {sent}).await"));
    out.close("}");
}

/// A list as rustfmt lays it out.
fn list(name: &str, items: &[String], out: &mut Writer) {
    let line = items.join(", ");
    if line.chars().count() <= LIST {
        out.line(format!("{name}: &[{line}],"));
        return;
    }
    out.open(format!("{name}: &["));
    for item in items {
        out.line(format!("{item},"));
    }
    out.close("],");
}

/// Whether its answers are bytes.
fn is_bytes(operation: &Operation) -> bool {
    let (bodies, _) = operation.answers();
    !bodies.is_empty() && bodies.iter().all(|body| body.is_binary())
}

/// How wide rustfmt lets a line become.
const WIDTH: usize = 100;

/// How wide rustfmt lets a list on one line become.
const LIST: usize = 58;

/// What it answers with. Where there are several types, only the status tells them apart, so it stays JSON.
fn answer(api: &Api, operation: &Operation) -> String {
    let (bodies, may_be_empty) = operation.answers();
    match bodies.as_slice() {
        _ if is_bytes(operation) => "Vec<u8>".to_owned(),
        [only] => {
            let inner = outside(api, only);
            if may_be_empty {
                format!("Option<{inner}>")
            } else {
                inner
            }
        }
        _ => "::serde_json::Value".to_owned(),
    }
}

/// A type as it is written outside of the module of types.
fn outside(api: &Api, found: &Type) -> String {
    match found {
        Type::Named(id) => format!("super::types::{}", api.type_name(*id)),
        Type::List(inner, _) => format!("Vec<{}>", outside(api, inner)),
        Type::Map(inner) => format!(
            "::std::collections::BTreeMap<String, {}>",
            outside(api, inner)
        ),
        Type::Nullable(inner) => format!("Option<{}>", outside(api, inner)),
        Type::Tuple(places) => {
            let places: Vec<String> = places.iter().map(|place| outside(api, place)).collect();
            match places.as_slice() {
                [only] => format!("({only},)"),
                all => format!("({})", all.join(", ")),
            }
        }
        Type::Text(_) if found.is_binary() => "super::types::binary::Binary".to_owned(),
        Type::Text(_) => "String".to_owned(),
        Type::Any | Type::Null | Type::Boolean | Type::Integer(_) | Type::Number(_) => {
            types::scalar(found).to_string().replace(' ', "")
        }
    }
}

fn styles(api: &Api, operation: &Operation) -> Vec<String> {
    let flat = operation.request.and_then(|id| api.definition(id));
    let Some(Shape::Object(object)) = flat.map(|flat| &flat.shape) else {
        return Vec::new();
    };
    let told = object.fields.iter().filter_map(|field| {
        let word = field.style().word()?;
        Some(format!("({}, {})", text(field.sent_as()), text(word)))
    });
    told.collect()
}
