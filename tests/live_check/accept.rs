//! Negotiation of the fixture: right, or wrong in one way.

use axum::http::HeaderMap;

use crate::defect::Defect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Black,
    Glass,
    Neither,
}

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";

pub fn mode(headers: &HeaderMap, defect: Defect) -> Mode {
    let mut lines: Vec<&str> = headers
        .get_all("accept")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    if defect == Defect::FirstLineOnly {
        lines.truncate(1);
    }
    let text = lines.join(",");
    if defect == Defect::SubstringAccept {
        return if text.contains(NDJSON) {
            Mode::Glass
        } else {
            Mode::Black
        };
    }
    if text.trim().is_empty() {
        return Mode::Black;
    }
    let ranges: Vec<(String, u32)> = split(&text, ',')
        .iter()
        .filter_map(|part| range(part, defect))
        .collect();
    if defect == Defect::WildcardGlass && ranges.iter().any(|(range, q)| range == "*/*" && *q > 0) {
        return Mode::Glass;
    }
    // The most specific range that fits decides: 2 for the name itself, 1 for a wildcard.
    let quality = |name: &str| {
        let exact = ranges
            .iter()
            .filter(|(range, _)| range == name)
            .map(|(_, q)| (2, *q))
            .max();
        let wild = |wanted: &str| {
            ranges
                .iter()
                .filter(|(range, _)| range == wanted)
                .map(|(_, q)| (1, *q))
                .max()
        };
        exact
            .or_else(|| wild("application/*"))
            .or_else(|| wild("*/*"))
            .unwrap_or((0, 0))
    };
    let (json_how, json) = quality(JSON);
    let (glass_how, glass) = quality(NDJSON);
    let named = glass_how == 2 && glass > 0;
    if named && (glass > json || (glass == json && json_how < 2)) {
        return Mode::Glass;
    }
    if json > 0 { Mode::Black } else { Mode::Neither }
}

fn range(part: &str, defect: Defect) -> Option<(String, u32)> {
    let mut parts = split(part, ';').into_iter();
    let name = parts.next()?.trim().to_ascii_lowercase();
    let valid = name
        .split_once('/')
        .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty() && !b.contains('/'));
    if !valid {
        return None;
    }
    let mut q = 1000;
    for parameter in parts {
        if let Some((key, value)) = parameter.split_once('=')
            && key.trim().eq_ignore_ascii_case("q")
        {
            q = (value.trim().parse::<f64>().ok()? * 1000.0) as u32;
        }
    }
    if defect == Defect::IgnoresQZero && q == 0 {
        q = 1000;
    }
    Some((name, q))
}

/// Splits outside quotes.
fn split(text: &str, at: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        if c == at && !quoted {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}
