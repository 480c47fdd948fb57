//! Adapters: a projection in the clothes of a framework.

#[cfg(feature = "axum")]
pub mod axum;
#[cfg(feature = "rmcp")]
pub mod rmcp;

#[cfg(feature = "jsonrpsee")]
pub mod jsonrpsee;

pub(crate) mod unwind;

/// As much of somebody else's words as belongs into an error, in characters.
pub(crate) fn brief(words: &str, most: usize) -> String {
    let words = words.trim();
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

/// What a message says that it is, in lower case and without parameters.
#[cfg(feature = "http")]
pub(crate) fn media_type(headers: &http::HeaderMap) -> Option<String> {
    let value = headers.get(http::header::CONTENT_TYPE)?;
    let essence = value.to_str().ok()?.split(';').next()?;
    Some(essence.trim().to_ascii_lowercase())
}

/// The words of a header that lists some, such as `Allow`.
#[cfg(any(feature = "axum", feature = "rmcp"))]
pub(crate) fn listed(headers: &http::HeaderMap, name: &http::HeaderName) -> Vec<String> {
    let text = headers.get(name).and_then(|value| value.to_str().ok());
    let words = text.unwrap_or_default().split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a media type is JSON of any kind.
#[cfg(feature = "http")]
pub(crate) fn is_json(media_type: &str) -> bool {
    media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}
