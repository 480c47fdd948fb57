//! Templates that do not stand for what their author may think.

use serde_json::Value;

use super::super::scenario::Operation;
use super::super::world::argument;

/// What is strange about the templates of an operation, place by place.
pub fn strange(operation: &Operation) -> Vec<String> {
    let mut out = Vec::new();
    for (at, change) in operation.does.iter().enumerate() {
        for hole in change.at.split('{').skip(1) {
            let name = hole.split('}').next().unwrap_or(hole);
            out.extend(unknown(name, operation).map(|why| format!("does[{at}].at: {why}")));
        }
        for (name, template) in [("value", &change.value), ("add", &change.add)] {
            if let Some(template) = template {
                look(template, operation, &format!("does[{at}].{name}"), &mut out);
            }
        }
    }
    look(&operation.returns, operation, "returns", &mut out);
    for (at, fail) in operation.fails.iter().enumerate() {
        look(
            &fail.problem,
            operation,
            &format!("fails[{at}].problem"),
            &mut out,
        );
        if let Some(answer) = &fail.answer {
            look(answer, operation, &format!("fails[{at}].answer"), &mut out);
        }
    }
    out
}

fn look(template: &Value, operation: &Operation, place: &str, out: &mut Vec<String>) {
    match template {
        Value::String(text) => {
            let bare = text.strip_prefix('-').unwrap_or(text);
            if let Some(name) = argument(bare) {
                out.extend(
                    unknown(name, operation)
                        .map(|why| format!("{place}: {why}, so `{text}` is null.")),
                );
                return;
            }
            let mixed = text.split('$').skip(1).any(|after| {
                let name = after
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next();
                name.is_some_and(|name| operation.input["properties"].get(name).is_some())
            });
            if mixed {
                out.push(format!(
                    "{place}: `{text}` stays as it is. A template is the whole text: `$name`, or `$name/inside` for a part of one."
                ));
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| look(item, operation, place, out)),
        Value::Object(members) => members
            .values()
            .for_each(|item| look(item, operation, place, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Why a name is not an argument of the operation.
fn unknown(name: &str, operation: &Operation) -> Option<String> {
    let first = name.split('/').next().unwrap_or(name);
    let known = operation.input["properties"].as_object();
    let open = operation.input["additionalProperties"] != false;
    if open || known.is_some_and(|known| known.contains_key(first)) {
        return None;
    }
    let names: Vec<&str> = known
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    Some(match aon::suggest::nearest(first, names.iter().copied()) {
        Some(meant) => {
            format!("`{first}` is not an argument of the operation; did you mean `{meant}`?")
        }
        None if names.is_empty() => format!("`{first}` is not an argument: `input` declares none"),
        None => format!(
            "`{first}` is not an argument of the operation: they are {}",
            names.join(", ")
        ),
    })
}
