//! The content of a problem, whatever surface it came by (S9).

use serde_json::{Map, Value};

/// Members that the MCP and A2A envelopes have beside the problem.
const OWN: [&str; 8] = [
    "@type",
    "schema",
    "surface",
    "suggested_tools",
    "suggested_skills",
    "corrected_args",
    "corrected_params",
    "machine_hints",
];

/// The problem in an envelope, by the names that REST has: what one surface renames is undone.
pub fn content(envelope: &Value) -> Map<String, Value> {
    let mut members = envelope
        .as_object()
        .unwrap_or_else(|| panic!("no object: {envelope}"))
        .clone();
    for own in OWN {
        members.remove(own);
    }
    if let Some(uri) = members.remove("documentation_uri") {
        assert!(
            members.insert("docs_url".to_owned(), uri).is_none(),
            "both names at once: {envelope}"
        );
    }
    members
}

/// Takes out the id of the request, and holds that it and the instance are there and agree.
pub fn take_request_id(members: &mut Map<String, Value>) -> String {
    let id = members.remove("request_id");
    let id = id
        .as_ref()
        .and_then(Value::as_str)
        .expect("a request id")
        .to_owned();
    let instance = members.remove("instance");
    let wanted = format!("urn:pspace:request:{id}");
    assert_eq!(
        instance.as_ref().and_then(Value::as_str),
        Some(wanted.as_str())
    );
    id
}

/// Every valid value of a problem, as text.
pub fn valid_values(problem: &Value) -> Vec<String> {
    let fields = problem["valid_values"].as_object().into_iter().flatten();
    fields
        .flat_map(|(_, values)| values.as_array().into_iter().flatten())
        .map(|value| value.get("value").unwrap_or(value))
        .map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
        .collect()
}

/// What both envelopes have beside the problem: the name of the schema, the surface, hints.
pub fn assert_envelope(envelope: &Value, surface: &str) {
    assert_eq!(
        envelope["schema"],
        format!("pspace.{surface}.error.v1"),
        "{envelope}"
    );
    assert_eq!(envelope["surface"], surface, "{envelope}");
    let hints = &envelope["machine_hints"];
    assert!(hints["retryable"].is_boolean(), "{envelope}");
    assert!(
        hints["severity"].is_string() && hints["category"].is_string(),
        "{envelope}"
    );
    assert!(hints["field_paths"].is_array(), "{envelope}");
    let others = if surface == "mcp" {
        "suggested_tools"
    } else {
        "suggested_skills"
    };
    assert!(envelope[others].is_array(), "{envelope}");
    assert!(
        envelope.get("docs_url").is_none(),
        "the name of another surface: {envelope}"
    );
}
