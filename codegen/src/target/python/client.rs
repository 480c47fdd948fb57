//! The clients: a method for each operation, which gives a value or a problem; one that blocks and one that is awaited.

use super::{docstring, models, text};
use crate::ir::{Api, Operation, Shape};
use crate::names::{self, Unique};
use crate::writer::Writer;

/// Whether there is an operation to call over HTTP.
pub(super) fn has_calls(api: &Api) -> bool {
    calls(api).next().is_some()
}

fn calls(api: &Api) -> impl Iterator<Item = &Operation> {
    let is_call = |operation: &&Operation| operation.method.is_some() && operation.path.is_some();
    api.operations.iter().filter(is_call)
}

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "    ");
    docstring(&mut out, &["Calls the operations over HTTP with httpx."]);
    let text = include_str!("client.py");
    out.line(text.trim_end());
    let is_used = calls(api).any(|operation| {
        let (bodies, _) = operation.answers();
        let names = bodies
            .iter()
            .any(|body| models::outside(api, body).contains("models."));
        operation.parts.is_some() || names
    });
    let mut text = out.finish();
    if !is_used {
        text = text.replace("from . import models\n", "");
    }
    let mut out = Writer::new(text, "    ");
    class(api, false, &mut out);
    class(api, true, &mut out);
    out.finish()
}

fn class(api: &Api, awaited: bool, out: &mut Writer) {
    out.blank();
    out.blank();
    let (name, base) = if awaited {
        ("AsyncClient", "_AsyncBase")
    } else {
        ("Client", "_Base")
    };
    out.open(format!("class {name}({base}):"));
    let about = format!("Calls {} over HTTP.", api.title);
    docstring(out, &[&about, &api.description]);
    if let Some(server) = api.servers.first() {
        out.blank();
        out.line(format!("_default_url = {}", text(server)));
    }
    let mut taken = Unique::default();
    for operation in calls(api) {
        let name = taken.take(names::python_field(&operation.snake));
        method(api, operation, awaited, &name, out);
    }
    out.close("");
}

fn method(api: &Api, operation: &Operation, awaited: bool, name: &str, out: &mut Writer) {
    let (Some(method), Some(path)) = (&operation.method, &operation.path) else {
        return;
    };
    let definition = operation.parts.and_then(|id| api.definition(id));
    let request = definition.map_or_else(String::new, |definition| {
        let needed = match &definition.shape {
            Shape::Object(object) => object.fields.iter().any(|field| field.required),
            Shape::Choice(_) | Shape::Union(_) | Shape::All(_) | Shape::Alias(_) => true,
        };
        let more = if needed { "" } else { " | None = None" };
        format!(", request: models.{}{more}", definition.name)
    });
    let (bodies, may_be_empty) = operation.answers();
    let mut bodies: Vec<String> = bodies
        .into_iter()
        .map(|body| models::outside(api, body))
        .collect();
    bodies.dedup();
    if may_be_empty && !bodies.is_empty() {
        bodies.push("None".to_owned());
    }
    let answer = match bodies.as_slice() {
        [] => "object".to_owned(),
        [only] => only.clone(),
        several => format!("typing.Union[{}]", several.join(", ")),
    };
    let (word, wait) = if awaited {
        ("async def", "await ")
    } else {
        ("def", "")
    };
    out.blank();
    out.open(format!(
        "{word} {name}(self{request}, *, headers: collections.abc.Mapping[str, str] | None = None) -> Result[{answer}]:"
    ));
    docstring(out, &[operation.title(), &operation.description]);
    let mut parts = vec![text(&operation.id), text(method), text(path)];
    parts.push(
        if definition.is_some() {
            "request"
        } else {
            "None"
        }
        .to_owned(),
    );
    parts.push(answer);
    parts.push("headers".to_owned());
    if let Some(media) = &operation.media_type {
        let essence = media.split(';').next().unwrap_or(media).trim();
        if !["", "application/json", "*/*"].contains(&essence) {
            parts.push(format!("media={}", text(media)));
        }
    }
    let files: Vec<String> = operation.files(api).into_iter().map(text).collect();
    if !files.is_empty() {
        parts.push(format!("files=[{}]", files.join(", ")));
    }
    let styles = styles(api, operation);
    if !styles.is_empty() {
        parts.push(format!("styles={{{}}}", styles.join(", ")));
    }
    out.line(format!("return {wait}self._call({})", parts.join(", ")));
    out.close("");
}

fn styles(api: &Api, operation: &Operation) -> Vec<String> {
    let flat = operation.request.and_then(|id| api.definition(id));
    let Some(Shape::Object(object)) = flat.map(|flat| &flat.shape) else {
        return Vec::new();
    };
    let told = object.fields.iter().filter_map(|field| {
        let word = field.style().word()?;
        Some(format!("{}: {}", text(field.sent_as()), text(word)))
    });
    told.collect()
}
