//! The flattened problem that MCP and A2A carry, judged member by member (S5, S6, P10).

use aon::{Category, Severity};
use serde_json::Value;

use crate::check::{holds, short};

/// Whether `error` is the envelope of that surface.
pub(crate) fn check(error: &Value, schema: &str, surface: &str) -> Result<(), String> {
    holds(error.is_object(), || {
        format!("{} is not an object", short(error))
    })?;
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    holds(text("schema") == Some(schema), || {
        format!("schema is {:?}, not {schema:?}", text("schema"))
    })?;
    holds(text("surface") == Some(surface), || {
        format!("surface is {:?}", text("surface"))
    })?;
    for member in ["type", "title", "code"] {
        holds(text(member).is_some(), || format!("no {member}"))?;
    }
    holds(
        error
            .get("status")
            .and_then(Value::as_u64)
            .is_some_and(|status| (400..600).contains(&status)),
        || "no status from 400 to 599".to_owned(),
    )?;
    holds(error.get("docs_url").is_none(), || {
        "docs_url is called documentation_uri here".to_owned()
    })?;
    hints(error.get("machine_hints"))
}

fn hints(hints: Option<&Value>) -> Result<(), String> {
    let hints = hints.ok_or_else(|| "no machine_hints".to_owned())?;
    holds(
        hints.get("retryable").is_some_and(Value::is_boolean),
        || "machine_hints.retryable is not a boolean".to_owned(),
    )?;
    let word = |name: &str| hints.get(name).and_then(Value::as_str).unwrap_or_default();
    holds(Severity::from_word(word("severity")).is_some(), || {
        format!("machine_hints.severity is {:?}", word("severity"))
    })?;
    holds(Category::from_word(word("category")).is_some(), || {
        format!("machine_hints.category is {:?}", word("category"))
    })?;
    holds(
        hints.get("field_paths").is_some_and(Value::is_array),
        || "machine_hints.field_paths is not an array".to_owned(),
    )
}

/// What must be equal on every surface (S9), by the name it has on REST.
pub(crate) fn differences(rest: &Value, other: &Value) -> Vec<String> {
    let same = [
        ("type", "type"),
        ("title", "title"),
        ("status", "status"),
        ("detail", "detail"),
        ("code", "code"),
        ("valid_values", "valid_values"),
        ("remediation", "remediation"),
        ("docs_url", "documentation_uri"),
        ("mcp_tool", "mcp_tool"),
        ("a2a_skill", "a2a_skill"),
    ];
    same.iter()
        .filter(|(here, there)| rest.get(here) != other.get(there))
        .map(|(here, there)| {
            let show = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), short);
            format!(
                "{here} is {} here and {} there",
                show(rest.get(here)),
                show(other.get(there))
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_envelope_is_judged_whole() {
        let good = json!({
            "schema": "pspace.mcp.error.v1", "surface": "mcp", "type": "a", "title": "b", "status": 404, "code": "c",
            "machine_hints": {"retryable": false, "severity": "low", "category": "not_found", "field_paths": []},
        });
        assert_eq!(check(&good, "pspace.mcp.error.v1", "mcp"), Ok(()));
        assert!(check(&good, "pspace.a2a.error.v1", "a2a").is_err());
        for member in [
            "schema",
            "surface",
            "type",
            "title",
            "status",
            "code",
            "machine_hints",
        ] {
            let mut bad = good.clone();
            bad.as_object_mut().unwrap().remove(member);
            assert!(
                check(&bad, "pspace.mcp.error.v1", "mcp").is_err(),
                "{member}"
            );
        }
    }

    #[test]
    fn parity_names_what_differs() {
        let rest = json!({"code": "a", "docs_url": "u"});
        assert!(differences(&rest, &json!({"code": "a", "documentation_uri": "u"})).is_empty());
        assert_eq!(differences(&rest, &json!({"code": "b"})).len(), 2);
    }
}
