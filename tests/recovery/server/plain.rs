//! What frameworks say by themselves.

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

/// The words serde has for the first thing that is wrong with the arguments.
pub fn serde_words(arguments: &Value, schema: &Value) -> String {
    let faults = aon::arguments::check(arguments, schema);
    let Some(fault) = faults.first() else {
        return "bad arguments".to_owned();
    };
    let pointer = fault.pointer();
    let (parent, last) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    let holder = schema_at(schema, parent);
    let properties = holder.and_then(|holder| holder["properties"].as_object());
    let own = properties.and_then(|properties| properties.get(last));
    let given = arguments.pointer(pointer);
    let listed = |names: Vec<String>| match names.as_slice() {
        [only] => format!("expected `{only}`"),
        [one, other] => format!("expected `{one}` or `{other}`"),
        many => {
            let many: Vec<String> = many.iter().map(|name| format!("`{name}`")).collect();
            format!("expected one of {}", many.join(", "))
        }
    };
    match (given, own) {
        (None, _) => format!("missing field `{last}`"),
        (Some(_), None) => {
            let known = properties.map(|properties| properties.keys().cloned().collect());
            format!(
                "unknown field `{last}`, {}",
                listed(known.unwrap_or_default())
            )
        }
        (Some(given), Some(own)) => match (own["enum"].as_array(), given) {
            (Some(values), Value::String(text)) => {
                let values = values
                    .iter()
                    .map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
                format!("unknown variant `{text}`, {}", listed(values.collect()))
            }
            _ => {
                let wanted = match own["type"].as_str() {
                    Some("integer") => "i64",
                    Some("number") => "f64",
                    Some("boolean") => "a boolean",
                    Some("array") => "a sequence",
                    Some("object") => "a map",
                    Some("string") => "a string",
                    _ => "another value",
                };
                match given {
                    // Limits are checked by the program, in words of its own.
                    Value::Number(_) if matches!(wanted, "i64" | "f64") => fault.to_string(),
                    Value::String(_) if wanted == "a string" => fault.to_string(),
                    Value::String(text) => {
                        format!("invalid type: string {text:?}, expected {wanted}")
                    }
                    Value::Number(number) => {
                        format!("invalid type: integer `{number}`, expected {wanted}")
                    }
                    Value::Bool(value) => {
                        format!("invalid type: boolean `{value}`, expected {wanted}")
                    }
                    Value::Array(_) => format!("invalid type: sequence, expected {wanted}"),
                    Value::Object(_) => format!("invalid type: map, expected {wanted}"),
                    Value::Null => format!("invalid type: null, expected {wanted}"),
                }
            }
        },
    }
}

fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut at = schema;
    for token in pointer.split('/').skip(1) {
        at = at["properties"].get(token).or_else(|| at.get("items"))?;
    }
    Some(at)
}

fn status(number: u16) -> StatusCode {
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A status and a text, as handlers return them.
pub fn text_response(number: u16, message: &str, headers: &BTreeMap<String, String>) -> Response {
    let mut response = (status(number), message.to_owned()).into_response();
    add(&mut response, headers);
    response
}

/// The members of RFC 9457 and no more.
pub fn problem(number: u16, message: &str) -> Value {
    let title = status(number).canonical_reason().unwrap_or("Error");
    json!({"type": "about:blank", "title": title, "status": number, "detail": message})
}

pub fn problem_response(
    number: u16,
    message: &str,
    headers: &BTreeMap<String, String>,
) -> Response<axum::body::Body> {
    let mut response = (status(number), problem(number, message).to_string()).into_response();
    let media = HeaderValue::from_static("application/problem+json");
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, media);
    add(&mut response, headers);
    response
}

pub fn add(response: &mut Response, headers: &BTreeMap<String, String>) {
    for (name, value) in headers {
        let name: HeaderName = name.parse().expect("the name of a header");
        response
            .headers_mut()
            .insert(name, value.parse().expect("the value of a header"));
    }
}
