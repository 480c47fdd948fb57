//! The native manifest, field by field, from its JSON Schema.

use std::fmt::Write as _;

use serde_json::Value;

use super::cell;

/// A manifest that uses every member of the format.
pub const EXAMPLE: &str = include_str!("notes.aon.yaml");

/// One member of an object of the format.
#[derive(Clone, Debug)]
pub struct Field {
    /// The object, as the schema calls it.
    pub object: String,
    /// The member.
    pub name: String,
    /// What it takes.
    pub takes: String,
    /// Whether it must be there.
    pub required: bool,
    /// What it says.
    pub says: String,
}

/// The objects in the order a manifest has them, each with where it stands.
const OBJECTS: &[(&str, &str)] = &[
    ("Manifest", "The whole file."),
    ("Operation", "An entry of `operations`."),
    ("Parameter", "An entry of `parameters`."),
    ("Body", "`request_body`."),
    ("Response", "An entry of `responses`."),
    ("ErrorResponse", "An entry of `error_responses`."),
    (
        "Remediation",
        "`remediation` of an error, and `remediation_default`.",
    ),
    ("NextAction", "`next_action` of a remediation."),
    ("ExampleRequest", "`example_request` of a remediation."),
    ("Mcp", "`mcp` of an operation."),
    ("A2a", "`a2a` of an operation."),
];

/// Every member of every object.
pub fn fields() -> Vec<Field> {
    let schema = aon_manifest::native::json_schema();
    OBJECTS
        .iter()
        .flat_map(|(object, _)| members(&schema, object))
        .collect()
}

fn members(schema: &Value, object: &str) -> Vec<Field> {
    let own = match object {
        "Manifest" => schema,
        other => &schema["$defs"][other],
    };
    let required = own["required"].as_array().cloned().unwrap_or_default();
    let properties = own["properties"]
        .as_object()
        .unwrap_or_else(|| panic!("the schema has no {object}"));
    let field = |(name, value): (&String, &Value)| Field {
        object: object.to_owned(),
        name: name.clone(),
        takes: takes(schema, value),
        required: required.iter().any(|own| own == name),
        says: value["description"].as_str().unwrap_or("").to_owned(),
    };
    properties.iter().map(field).collect()
}

/// The type of a member in words.
fn takes(schema: &Value, value: &Value) -> String {
    if let Some(words) = value["enum"].as_array() {
        return words_of(words.iter());
    }
    if let Some(name) = value["$ref"]
        .as_str()
        .and_then(|at| at.strip_prefix("#/$defs/"))
    {
        let target = &schema["$defs"][name];
        return match target["oneOf"].as_array() {
            Some(branches) => words_of(branches.iter().map(|branch| &branch["const"])),
            None => format!("[{name}](#{})", anchor(name)),
        };
    }
    match value["type"].as_str() {
        Some("array") => match &value["items"] {
            Value::Object(items) => {
                format!("list of {}", takes(schema, &Value::Object(items.clone())))
            }
            _ => "list of values".to_owned(),
        },
        Some("object") => match &value["additionalProperties"] {
            Value::Object(inner) => {
                format!("{} by name", takes(schema, &Value::Object(inner.clone())))
            }
            _ => "values by name".to_owned(),
        },
        Some("integer") => match (value["minimum"].as_u64(), value["maximum"].as_u64()) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            _ => "number".to_owned(),
        },
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("string") => "text".to_owned(),
        _ => "any value".to_owned(),
    }
}

fn words_of<'v>(words: impl Iterator<Item = &'v Value>) -> String {
    let words: Vec<String> = words
        .map(|word| format!("`{}`", word.as_str().unwrap_or("")))
        .collect();
    words.join(", ")
}

fn anchor(object: &str) -> String {
    object.to_lowercase()
}

pub(super) fn page() -> String {
    let schema = aon_manifest::native::json_schema();
    let mut page = String::from(
        "# The native manifest\n\n\
         YAML or JSON, in a file that ends in `.aon.yaml`, `.aon.json` or `.kno`. Its [JSON Schema](../../manifests/schema/aon-manifest.schema.json) \
         is made from the same types as this page. Members that nothing here names, such as `taxonomy` or `provenance`, are kept and ignored; a \
         stated score is reported.\n",
    );
    for (object, place) in OBJECTS {
        let own = match *object {
            "Manifest" => &schema,
            other => &schema["$defs"][other],
        };
        let says = own["description"].as_str().unwrap_or("");
        let _ = write!(
            page,
            "\n## {object}\n\n{place} {says}\n\n| member | takes | required | what it says |\n|---|---|---|---|\n"
        );
        for field in members(&schema, object) {
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} |",
                field.name,
                cell(&field.takes),
                if field.required { "yes" } else { "" },
                cell(&field.says)
            );
        }
    }
    let _ = write!(
        page,
        "\n## A manifest with every member\n\nIt fits the schema, the linter reports nothing, and every dimension of the [score](../maturity.md) passes.\n\n```yaml\n{EXAMPLE}```\n"
    );
    page
}
