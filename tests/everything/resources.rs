//! Resources: a text, an image, one to watch, and a template.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, ReadResourceResult, Resource, ResourceTemplate};
use serde_json::{Value, json};

use crate::fixtures::{IMAGE, typed};

/// Every resource that has a fixed address.
pub(crate) fn all() -> Vec<Resource> {
    typed(json!([
        {"uri": "test://static-text", "name": "Text", "description": "A text that never changes", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "Image", "description": "An image of one pixel", "mimeType": "image/png"},
        {"uri": "test://watched-resource", "name": "Watched", "description": "A resource to subscribe to", "mimeType": "text/plain"},
    ]))
}

/// Every template.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    typed(json!([{
        "uriTemplate": "test://template/{id}/data",
        "name": "Data by id",
        "description": "The data of any id",
        "mimeType": "application/json",
    }]))
}

/// What a resource holds.
pub(crate) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let contents = match uri {
        "test://static-text" => text(
            uri,
            "text/plain",
            "This is the content of the static text resource.",
        ),
        "test://watched-resource" => text(uri, "text/plain", "Nothing has changed yet."),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": IMAGE}),
        _ => {
            let id = uri
                .strip_prefix("test://template/")
                .and_then(|rest| rest.strip_suffix("/data"));
            let id = id.filter(|id| !id.is_empty()).ok_or_else(|| missing(uri))?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text(uri, "application/json", &data.to_string())
        }
    };
    let result: ReadResourceResult =
        typed(json!({"contents": [contents], "resultType": "complete"}));
    Ok(ReadResourceResponse::Complete(result))
}

fn text(uri: &str, media: &str, text: &str) -> Value {
    json!({"uri": uri, "mimeType": media, "text": text})
}

fn missing(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such resource here", Some(json!({"uri": uri})))
}
