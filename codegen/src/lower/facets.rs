//! Keywords that say more about a scalar or a list than its type.

use aon_manifest::Node;

use crate::ir::Facets;
use crate::json::Json;

/// The keywords of a kind that are there and well-formed.
pub(super) fn facets(node: Node<'_>, keywords: &[&'static str]) -> Facets {
    let mut found = Vec::new();
    for keyword in keywords {
        let Some(value) = node.get(keyword) else {
            continue;
        };
        let json = Json::of_node(value);
        let fits = match *keyword {
            "format" | "pattern" => json.as_str().is_some(),
            "uniqueItems" => json == Json::Bool(true),
            "minLength" | "maxLength" | "minItems" | "maxItems" => {
                value.as_i64().is_some_and(|count| count >= 0)
            }
            _ => value.as_f64().is_some_and(f64::is_finite),
        };
        if fits {
            found.push((*keyword, json));
        }
        // OpenAPI 3.0 says `exclusiveMinimum: true` beside `minimum`.
        if value.as_bool() == Some(true) && keyword.starts_with("exclusive") {
            let (plain, bound) = match *keyword {
                "exclusiveMinimum" => (
                    "minimum",
                    found.iter().position(|(name, _)| *name == "minimum"),
                ),
                _ => (
                    "maximum",
                    found.iter().position(|(name, _)| *name == "maximum"),
                ),
            };
            if let Some(at) = bound
                && let Some(json) = node.get(plain).map(Json::of_node)
            {
                found.remove(at);
                found.push((*keyword, json));
            }
        }
    }
    Facets { keywords: found }
}

pub(super) const TEXT: &[&str] = &["format", "minLength", "maxLength", "pattern"];
pub(super) const NUMBER: &[&str] = &[
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];
pub(super) const LIST: &[&str] = &["minItems", "maxItems", "uniqueItems"];
