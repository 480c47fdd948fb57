//! What is known about each operation: where it is, what it takes, what it answers with.

use super::{comment, types};
use crate::ir::{Api, Operation, Shape, Type};
use crate::json::quote;
use crate::order::named;
use crate::writer::Writer;

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(String::new(), "  ");
    if api.operations.is_empty() {
        out.line("export {};");
    }
    for operation in &api.operations {
        comment(
            &mut out,
            &[operation.title(), &operation.description],
            operation.deprecated,
        );
        let start = out.begin();
        start.push_str("export const ");
        start.push_str(&operation.camel);
        start.push_str(" = {");
        out.end_open();
        describe(api, operation, &mut out);
        out.close("} as const;");
        out.blank();
    }
    let body = out.finish();
    let mut out = Writer::new(head, "  ");
    out.blank();
    imports(api, &mut out);
    out.finish() + &body
}

fn describe(api: &Api, operation: &Operation, out: &mut Writer) {
    let is_json = |media: &&String| is_json(media);
    let told = [
        ("id", Some(&operation.id)),
        ("method", operation.method.as_ref()),
        ("path", operation.path.as_ref()),
        (
            "media",
            operation
                .media_type
                .as_ref()
                .filter(|media| !is_json(media)),
        ),
        ("tool", operation.tool.as_ref()),
        ("skill", operation.skill.as_ref()),
    ];
    for (name, value) in told {
        if let Some(value) = value {
            let line = out.begin();
            line.push_str(name);
            line.push_str(": ");
            quote(value, line);
            line.push(',');
            out.end();
        }
    }
    let files = operation.files(api);
    if !(files.is_empty() || files == [""]) {
        let files: Vec<String> = files.into_iter().map(super::text).collect();
        out.line(format!("files: [{}],", files.join(", ")));
    }
    styles(api, operation, out);
    if let Some(request) = operation.parts.or(operation.request) {
        let line = out.begin();
        line.push_str("request: types.");
        line.push_str(api.type_name(request));
        line.push(',');
        out.end();
    }
    let (bodies, may_be_empty) = operation.answers();
    if is_bytes(&bodies) {
        out.line("bytes: true,");
        out.line("response: runtime.Bytes,");
    } else if let Some((first, more)) = bodies.split_first() {
        let line = out.begin();
        line.push_str("response: ");
        if !more.is_empty() {
            line.push_str("z.union([");
        }
        types::schema(api, first, "types.", line);
        for body in more {
            line.push_str(", ");
            types::schema(api, body, "types.", line);
        }
        if !more.is_empty() {
            line.push_str("])");
        }
        if may_be_empty {
            line.push_str(".optional()");
        }
        line.push(',');
        out.end();
    }
    let line = out.begin();
    line.push_str("problems: [");
    for (at, code) in operation.problems.iter().enumerate() {
        line.push_str(if at > 0 { ", " } else { "" });
        quote(code, line);
    }
    line.push_str("],");
    out.end();
}

/// Whether an answer is read as bytes, whatever its status.
fn is_bytes(bodies: &[&Type]) -> bool {
    !bodies.is_empty() && bodies.iter().all(|body| body.is_binary())
}

/// Whether a media type is JSON, with or without parameters.
fn is_json(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or(media).trim();
    essence.is_empty() || essence == "application/json" || essence == "*/*"
}

/// How lists and objects are written in the query, where that is not the usual way.
fn styles(api: &Api, operation: &Operation, out: &mut Writer) {
    let flat = operation.request.and_then(|id| api.definition(id));
    let Some(Shape::Object(object)) = flat.map(|flat| &flat.shape) else {
        return;
    };
    let mut any = false;
    for field in &object.fields {
        let Some(word) = field.style().word() else {
            continue;
        };
        let line = if any { out.text() } else { out.begin() };
        line.push_str(if any { ", " } else { "styles: { " });
        line.push_str(&super::key(field.sent_as()));
        line.push_str(": ");
        quote(word, line);
        any = true;
    }
    if any {
        out.text().push_str(" },");
        out.end();
    }
}

/// The imports that the operations need: zod, what zod lacks, and the types.
fn imports(api: &Api, out: &mut Writer) {
    let answers = || api.operations.iter().map(Operation::answers);
    let bodies = || answers().flat_map(|(bodies, _)| bodies);
    let is_union = |(bodies, _): &(Vec<&Type>, bool)| bodies.len() > 1;
    let is_zod = |body: &Type| !(matches!(body, Type::Named(_)) || body.is_binary());
    if bodies().any(is_zod) || answers().any(|all| is_union(&all)) {
        out.line("import * as z from \"zod\";");
    }
    if bodies().any(types::is_beyond) {
        out.line("import * as runtime from \"./runtime.js\";");
    }
    let has_request = api
        .operations
        .iter()
        .any(|operation| operation.parts.or(operation.request).is_some());
    if has_request || bodies().any(|body| !named(body).is_empty()) {
        out.line("import * as types from \"./types.js\";");
        out.blank();
    }
}
