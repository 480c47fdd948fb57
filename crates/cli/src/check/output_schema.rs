//! Whether an error result fits a tool's output schema, as far as strict clients stumble over it.

use serde_json::Value;

use crate::check::{holds, short};

/// Judges the keywords that decide between the success shape and the error shape: `type`, `required`, `properties`,
/// `additionalProperties: false`, `anyOf`, `oneOf`, `allOf`, `not`, `const`, `enum` and local references. Others are not judged.
pub(crate) fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    Judge { root: schema }.fits(schema, value, 0)
}

struct Judge<'a> {
    root: &'a Value,
}

impl Judge<'_> {
    fn fits(&self, schema: &Value, value: &Value, depth: usize) -> Result<(), String> {
        if depth > 24 {
            return Ok(());
        }
        let Value::Object(keywords) = schema else {
            return holds(schema != &Value::Bool(false), || {
                "nothing is allowed here".to_owned()
            });
        };
        if let Some(target) = keywords
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| self.root.pointer(reference.strip_prefix('#')?))
        {
            self.fits(target, value, depth + 1)?;
        }
        if let Some(kinds) = keywords.get("type") {
            let allowed = match kinds {
                Value::Array(kinds) => kinds.iter().any(|kind| is_kind(value, kind)),
                kind => is_kind(value, kind),
            };
            holds(allowed, || {
                format!("{} is not of type {kinds}", short(value))
            })?;
        }
        if let Some(constant) = keywords.get("const") {
            holds(constant == value, || {
                format!("{} is not {constant}", short(value))
            })?;
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            holds(values.contains(value), || {
                format!("{} is not in the enum", short(value))
            })?;
        }
        if let Value::Object(members) = value {
            self.members(keywords, members, depth)?;
        }
        self.branches(keywords, value, depth)
    }

    fn members(
        &self,
        keywords: &serde_json::Map<String, Value>,
        members: &serde_json::Map<String, Value>,
        depth: usize,
    ) -> Result<(), String> {
        for name in keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str().unwrap_or_default();
            holds(members.contains_key(name), || format!("{name} is required"))?;
        }
        let properties = keywords.get("properties").and_then(Value::as_object);
        let closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
        for (name, value) in members {
            match properties.and_then(|properties| properties.get(name)) {
                Some(schema) => self
                    .fits(schema, value, depth + 1)
                    .map_err(|why| format!("{name}: {why}"))?,
                None => holds(!closed, || format!("{name} is not allowed"))?,
            }
        }
        Ok(())
    }

    fn branches(
        &self,
        keywords: &serde_json::Map<String, Value>,
        value: &Value,
        depth: usize,
    ) -> Result<(), String> {
        let list = |name: &str| keywords.get(name).and_then(Value::as_array);
        for schema in list("allOf").into_iter().flatten() {
            self.fits(schema, value, depth + 1)?;
        }
        let fitting = |branches: &[Value]| {
            branches
                .iter()
                .filter(|branch| self.fits(branch, value, depth + 1).is_ok())
                .count()
        };
        if let Some(branches) = list("anyOf") {
            holds(fitting(branches) > 0, || {
                "no branch of anyOf fits".to_owned()
            })?;
        }
        if let Some(branches) = list("oneOf") {
            let count = fitting(branches);
            holds(count == 1, || format!("{count} branches of oneOf fit"))?;
        }
        if let Some(not) = keywords.get("not") {
            holds(self.fits(not, value, depth + 1).is_err(), || {
                "`not` fits".to_owned()
            })?;
        }
        Ok(())
    }
}

fn is_kind(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_strict_success_schema_refuses_errors_and_a_composed_one_takes_them() {
        let error = json!({"error": {"code": "x"}});
        let success =
            json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
        assert!(fits(&success, &error).is_err());
        assert!(fits(&success, &json!({"id": "a"})).is_ok());
        let composed = json!({"type": "object", "anyOf": [success, {"required": ["error"]}]});
        assert!(fits(&composed, &error).is_ok());
        let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert!(fits(&closed, &error).is_err());
        let referred = json!({"$ref": "#/$defs/E", "$defs": {"E": {"required": ["error"]}}});
        assert!(fits(&referred, &error).is_ok() && fits(&referred, &json!({})).is_err());
        let cyclic = json!({"$ref": "#"});
        assert!(fits(&cyclic, &error).is_ok());
    }
}
