//! The walk over value and schema together.

use std::cell::Cell;

use aon_core::Choice;
use serde_json::{Map, Value};

use super::{Fault, What, choice};

/// More is not read by anybody.
const MOST_FAULTS: usize = 32;
/// Deeper than any argument that was not made to hurt.
const DEEPEST: usize = 64;
/// Alternatives inside alternatives multiply; beyond this the program's own reading decides.
const MOST_STEPS: usize = 20_000;

pub(super) fn check(value: &Value, schema: &Value) -> Vec<Fault> {
    let walk = Walk {
        root: schema,
        steps: Cell::new(0),
    };
    let mut faults = Vec::new();
    walk.value(value, schema, &Path::Root, 0, &mut faults);
    faults.truncate(MOST_FAULTS);
    faults
}

struct Walk<'a> {
    root: &'a Value,
    steps: Cell<usize>,
}

enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => {
                format!(
                    "{}/{}",
                    parent.pointer(),
                    name.replace('~', "~0").replace('/', "~1")
                )
            }
            Self::Item(parent, at) => format!("{}/{at}", parent.pointer()),
        }
    }
}

impl<'a> Walk<'a> {
    fn value(
        &self,
        value: &Value,
        schema: &'a Value,
        path: &Path<'_>,
        depth: usize,
        faults: &mut Vec<Fault>,
    ) {
        let Value::Object(schema) = self.resolve(schema) else {
            return;
        };
        let steps = self.steps.get();
        self.steps.set(steps + 1);
        if steps > MOST_STEPS || depth > DEEPEST || faults.len() >= MOST_FAULTS {
            return;
        }
        let mut report = |what| {
            faults.push(Fault {
                pointer: path.pointer(),
                what,
            });
        };
        if let Some(choices) = self.choices(schema) {
            if !choices.iter().any(|(allowed, _)| same(allowed, value)) {
                let choices = choices.into_iter().filter_map(|(_, choice)| choice);
                report(What::NotOneOf(choices.collect()));
            }
            return;
        }
        if let Some(expected) = wrong_type(value, schema) {
            report(What::Wrong {
                expected,
                received: Some(kind(value).to_owned()),
            });
            return;
        }
        if let Some(expected) = out_of_bounds(value, schema) {
            report(What::Wrong {
                expected,
                received: None,
            });
            return;
        }
        for branch in array(schema, "allOf") {
            self.value(value, branch, path, depth + 1, faults);
        }
        for key in ["anyOf", "oneOf"] {
            self.any_of(value, array(schema, key), path, depth, faults);
        }
        match value {
            Value::Object(members) => self.members(members, schema, path, depth, faults),
            Value::Array(items) => {
                let prefix = array(schema, "prefixItems");
                for (at, item) in items.iter().enumerate() {
                    if let Some(schema) = prefix.get(at).or_else(|| schema.get("items")) {
                        self.value(item, schema, &Path::Item(path, at), depth + 1, faults);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn members(
        &self,
        members: &Map<String, Value>,
        schema: &'a Map<String, Value>,
        path: &Path<'_>,
        depth: usize,
        faults: &mut Vec<Fault>,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let property = |name: &str| properties.and_then(|properties| properties.get(name));
        for name in array(schema, "required").iter().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                let choices = property(name)
                    .and_then(|schema| self.resolve(schema).as_object())
                    .and_then(|schema| self.choices(schema));
                let choices = choices.unwrap_or_default().into_iter();
                faults.push(Fault {
                    pointer: Path::Member(path, name).pointer(),
                    what: What::Missing(choices.filter_map(|(_, choice)| choice).collect()),
                });
            }
        }
        for (name, value) in members {
            if let Some(schema) = property(name) {
                self.value(value, schema, &Path::Member(path, name), depth + 1, faults);
                continue;
            }
            match schema.get("additionalProperties") {
                Some(Value::Bool(false)) => {
                    let known = properties.map(|properties| properties.keys().cloned().collect());
                    faults.push(Fault {
                        pointer: Path::Member(path, name).pointer(),
                        what: What::Unknown {
                            given: name.clone(),
                            known: known.unwrap_or_default(),
                        },
                    });
                }
                Some(schema @ Value::Object(_)) => {
                    self.value(value, schema, &Path::Member(path, name), depth + 1, faults);
                }
                _ => {}
            }
        }
    }

    /// One branch without a fault is enough; else the branch that comes nearest tells what is wrong.
    fn any_of(
        &self,
        value: &Value,
        branches: &'a [Value],
        path: &Path<'_>,
        depth: usize,
        faults: &mut Vec<Fault>,
    ) {
        let mut nearest: Option<Vec<Fault>> = None;
        let mut tag: Option<Fault> = None;
        for (at, branch) in branches.iter().enumerate() {
            let mut own = Vec::new();
            self.value(value, branch, path, depth + 1, &mut own);
            if own.is_empty() {
                return;
            }
            tag = if at == 0 {
                own.iter().find(|fault| is_choice(fault)).cloned()
            } else {
                tag.and_then(|tag| with_choices_of(tag, &own))
            };
            // A branch that failed further inside is nearer than one that failed at once.
            let place = path.pointer();
            let at_once = |faults: &[Fault]| {
                faults
                    .iter()
                    .any(|fault| fault.pointer == place && !matches!(fault.what, What::NotOneOf(_)))
            };
            let better = nearest
                .as_ref()
                .is_none_or(|kept| (at_once(&own), own.len()) < (at_once(kept), kept.len()));
            if better {
                nearest = Some(own);
            }
        }
        // Where every branch wants another word at the same place, that word tells them apart, and any of them would do.
        match tag.filter(|_| branches.len() > 1) {
            Some(tag) => faults.push(tag),
            None => faults.extend(nearest.unwrap_or_default()),
        }
    }

    /// The closed set a schema describes: `enum`, `const`, or a choice between constants.
    fn choices(&self, schema: &'a Map<String, Value>) -> Option<Vec<(&'a Value, Option<Choice>)>> {
        if let Some(Value::Array(values)) = schema.get("enum") {
            let plain = Value::Null;
            return Some(
                values
                    .iter()
                    .map(|value| (value, choice(value, &plain)))
                    .collect(),
            );
        }
        if let Some(value) = schema.get("const") {
            return Some(vec![(value, choice(value, &Value::Object(schema.clone())))]);
        }
        let branches = ["oneOf", "anyOf"]
            .into_iter()
            .map(|key| array(schema, key))
            .find(|branches| !branches.is_empty())?;
        let mut all = Vec::new();
        for branch in branches {
            let branch = self.resolve(branch).as_object()?;
            if branch.get("type").and_then(Value::as_str) == Some("null") {
                all.push((&Value::Null, None));
                continue;
            }
            if branch.contains_key("oneOf") || branch.contains_key("anyOf") {
                return None;
            }
            all.extend(self.choices(branch)?);
        }
        Some(all)
    }

    /// Follows `$ref` inside the document, a few times.
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        let mut at = schema;
        for _ in 0..16 {
            let Some(pointer) = at.get("$ref").and_then(Value::as_str) else {
                break;
            };
            let found = pointer
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer));
            match found {
                Some(found) => at = found,
                None => break,
            }
        }
        at
    }
}

fn array<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    match schema.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

fn same(allowed: &Value, given: &Value) -> bool {
    allowed == given
        || matches!((allowed.as_f64(), given.as_f64()), (Some(a), Some(b)) if a.total_cmp(&b).is_eq())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What is expected, when the type is wrong.
fn wrong_type(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let fits = |name: &&str| match *name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if types.is_empty() || types.iter().any(fits) {
        return None;
    }
    let words: Vec<&str> = types
        .iter()
        .map(|name| match *name {
            "boolean" => "a boolean",
            "integer" => "a whole number",
            "number" => "a number",
            "string" => "a string",
            "array" => "an array",
            "object" => "an object",
            other => other,
        })
        .collect();
    Some(words.join(" or "))
}

/// What is expected, when a limit is passed.
fn out_of_bounds(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let size = match value {
        Value::Number(number) => number.as_f64()?,
        #[expect(
            clippy::cast_precision_loss,
            reason = "lengths this large are not compared exactly"
        )]
        Value::String(text) => text.chars().count() as f64,
        #[expect(
            clippy::cast_precision_loss,
            reason = "lengths this large are not compared exactly"
        )]
        Value::Array(items) => items.len() as f64,
        Value::Null | Value::Bool(_) | Value::Object(_) => return None,
    };
    let (least, most, unit) = match value {
        Value::Number(_) => ("minimum", "maximum", ""),
        Value::String(_) => ("minLength", "maxLength", " characters long"),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            ("minItems", "maxItems", " items long")
        }
    };
    match (limit(least), limit(most)) {
        (Some(least), _) if size < least => return Some(format!("at least {least}{unit}")),
        (_, Some(most)) if size > most => return Some(format!("at most {most}{unit}")),
        _ => {}
    }
    if !value.is_number() {
        return None;
    }
    match (limit("exclusiveMinimum"), limit("exclusiveMaximum")) {
        (Some(least), _) if size <= least => Some(format!("more than {least}")),
        (_, Some(most)) if size >= most => Some(format!("less than {most}")),
        _ => None,
    }
}

fn is_choice(fault: &Fault) -> bool {
    matches!(fault.what, What::NotOneOf(_))
}

/// The choice with what another branch would take at the same place; `None` when that is no choice there.
fn with_choices_of(mut tag: Fault, own: &[Fault]) -> Option<Fault> {
    let other = own
        .iter()
        .find(|fault| is_choice(fault) && fault.pointer == tag.pointer)?;
    if let (What::NotOneOf(known), What::NotOneOf(more)) = (&mut tag.what, &other.what) {
        for choice in more {
            if !known.contains(choice) {
                known.push(choice.clone());
            }
        }
    }
    Some(tag)
}
