//! Schemas of a document as one JSON Schema each, so that they can be held against a value without the document.

use std::collections::BTreeMap;

use aon_manifest::{Document, Node, Place};
use serde_json::{Map, Value, json};

/// Deeper schemas are taken for anything.
const DEEPEST: usize = 64;

/// Named schemas that were met, each once.
#[derive(Default)]
pub(super) struct Definitions {
    names: BTreeMap<Place, usize>,
    all: Vec<Value>,
}

impl Definitions {
    /// A schema with everything it refers to under `$defs`.
    pub(super) fn close(&self, mut schema: Value) -> Value {
        if let Value::Object(members) = &mut schema
            && !self.all.is_empty()
        {
            let all = self.all.iter().enumerate();
            let all: Map<String, Value> = all
                .map(|(at, schema)| (at.to_string(), schema.clone()))
                .collect();
            members.insert("$defs".to_owned(), Value::Object(all));
        }
        schema
    }

    /// A schema of the document; references lead to `$defs`.
    pub(super) fn convert(&mut self, document: &Document, node: Node<'_>) -> Value {
        self.schema(document, node, 0)
    }

    fn schema(&mut self, document: &Document, node: Node<'_>, depth: usize) -> Value {
        if !node.is_object() || depth > DEEPEST {
            return if node.is_object() {
                json!({})
            } else {
                node.to_json()
            };
        }
        if node.get_str("$ref").is_some() {
            return self.reference(document, node, depth);
        }
        let mut out = Map::new();
        for member in node.members() {
            let (key, value) = (member.key.text(), member.value);
            let converted = match key {
                "properties" | "$defs" | "definitions" | "dependentSchemas" => {
                    let members = value.members().map(|member| {
                        let schema = self.schema(document, member.value, depth + 1);
                        (member.key.text().to_owned(), schema)
                    });
                    Value::Object(members.collect())
                }
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                    let items = value.items();
                    Value::Array(
                        items
                            .map(|item| self.schema(document, item, depth + 1))
                            .collect(),
                    )
                }
                "items" | "additionalProperties" => self.schema(document, value, depth + 1),
                _ => value.to_json(),
            };
            out.insert(key.to_owned(), converted);
        }
        self.ease(&mut out);
        Value::Object(out)
    }

    fn reference(&mut self, document: &Document, node: Node<'_>, depth: usize) -> Value {
        let Some(target) = document.resolve(node) else {
            return json!({});
        };
        let place = target.place();
        let at = if let Some(at) = self.names.get(&place) {
            *at
        } else {
            let at = self.all.len();
            self.names.insert(place, at);
            self.all.push(json!({}));
            let schema = self.schema(document, target, depth + 1);
            if let Some(slot) = self.all.get_mut(at) {
                *slot = schema;
            }
            at
        };
        json!({"$ref": format!("#/$defs/{at}")})
    }

    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let at = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|name| name.strip_prefix("#/$defs/")?.parse::<usize>().ok());
        at.and_then(|at| self.all.get(at)).unwrap_or(schema)
    }

    /// What OpenAPI says in its own way, and what would refuse requests the document means to allow.
    fn ease(&self, schema: &mut Map<String, Value>) {
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            if let Some(Value::String(kind)) = schema.get("type").cloned() {
                schema.insert("type".to_owned(), json!([kind, "null"]));
            }
            if let Some(Value::Array(values)) = schema.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
        }
        for (flag, limit) in [
            ("exclusiveMinimum", "minimum"),
            ("exclusiveMaximum", "maximum"),
        ] {
            if let Some(Value::Bool(on)) = schema.get(flag) {
                let on = *on;
                schema.remove(flag);
                if let Some(value) = schema.get(limit).cloned().filter(|_| on) {
                    schema.remove(limit);
                    schema.insert(flag.to_owned(), value);
                }
            }
        }
        if schema.contains_key("patternProperties") {
            schema.remove("additionalProperties");
        }
        // What is closed inside `allOf` would refuse what the other branches ask for.
        if let Some(Value::Array(branches)) = schema.get_mut("allOf") {
            for branch in branches {
                if let Value::Object(branch) = branch {
                    branch.remove("additionalProperties");
                }
            }
        }
        if schema.contains_key("allOf") {
            schema.remove("additionalProperties");
        }
        // The server fills in what is read-only.
        let read_only: Vec<String> = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter(|(_, property)| self.resolved(property).get("readOnly") == Some(&json!(true)))
            .map(|(name, _)| name.clone())
            .collect();
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| !read_only.iter().any(|own| name == own));
        }
    }
}
