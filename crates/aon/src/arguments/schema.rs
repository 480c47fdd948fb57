//! The walk over value and schema together.

use std::cell::Cell;

use aon_core::{Choice, pointer};
use serde_json::{Map, Value};

use super::serde_words::range;
use super::{Fault, What, choice};

mod branches;
pub(crate) mod pattern;

use branches::{Fit, Tried};

/// More is not read by anybody.
const MOST_FAULTS: usize = 32;
/// Deeper than any argument that was not made to hurt.
const DEEPEST: usize = 64;
/// Alternatives inside alternatives multiply; beyond this the program's own reading decides.
const MOST_STEPS: usize = 20_000;

/// With `strict`, `2.0` is not a whole number: serde does not take it for one.
pub(super) fn check(value: &Value, schema: &Value, strict: bool) -> Vec<Fault> {
    let walk = Walk {
        root: schema,
        strict,
        steps: Cell::new(0),
    };
    let mut faults = Vec::new();
    walk.value(value, schema, &Path::Root, 0, &mut faults);
    faults.truncate(MOST_FAULTS);
    faults
}

struct Walk<'a> {
    root: &'a Value,
    strict: bool,
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
                format!("{}/{}", parent.pointer(), pointer::escape(name))
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
            faults.push(Fault::new(path.pointer(), what).with_given(value.as_str()));
        };
        if let Some(choices) = self.choices(schema) {
            if !choices.iter().any(|(allowed, _)| same(allowed, value)) {
                let choices = choices.into_iter().filter_map(|(_, choice)| choice);
                report(What::NotOneOf(choices.collect()));
            }
            return;
        }
        if let Some(expected) = wrong_type(value, schema, self.strict) {
            report(What::Wrong {
                expected,
                received: Some(kind(value).to_owned()),
            });
            return;
        }
        if let Some(expected) =
            out_of_bounds(value, schema).or_else(|| pattern::unmatched(value, schema))
        {
            let received = None;
            report(What::Wrong { expected, received });
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
                let what = What::Missing(choices.filter_map(|(_, choice)| choice).collect());
                faults.push(Fault::new(Path::Member(path, name).pointer(), what));
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
                    let what = What::Unknown(known.unwrap_or_default());
                    let pointer = Path::Member(path, name).pointer();
                    faults.push(Fault::new(pointer, what).with_given(Some(name)));
                }
                Some(schema @ Value::Object(_)) => {
                    self.value(value, schema, &Path::Member(path, name), depth + 1, faults);
                }
                _ => {}
            }
        }
    }

    /// One branch without a fault is enough; else those that fit best tell what is wrong.
    fn any_of(
        &self,
        value: &Value,
        branches: &'a [Value],
        path: &Path<'_>,
        depth: usize,
        faults: &mut Vec<Fault>,
    ) {
        let place = path.pointer();
        let mut tried = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut own = Vec::new();
            self.value(value, branch, path, depth + 1, &mut own);
            if own.is_empty() {
                return;
            }
            let fit = self.fit(value, branch, &own, &place);
            tried.push(Tried { branch, fit, own });
        }
        faults.extend(self.told(value, &place, tried));
    }

    /// What the branches that fit best say together.
    fn told(&self, value: &Value, place: &str, mut tried: Vec<Tried<'a>>) -> Vec<Fault> {
        let best = tried.iter().map(|tried| tried.fit).min();
        tried.retain(|tried| Some(tried.fit) == best);
        if let Some(word) = branches::shared_word(&tried) {
            return vec![word];
        }
        match best {
            Some(Fit::OtherTag) => {
                let known = tried
                    .iter()
                    .filter_map(|tried| self.only_name(tried.branch));
                if let Some(unknown) = branches::unknown_name(value, place, known.collect()) {
                    return vec![unknown];
                }
            }
            Some(Fit::OtherKind) => return vec![branches::other_kind(value, place, &tried)],
            Some(Fit::Tagged | Fit::Plain) | None => {}
        }
        let nearest = tried.into_iter().min_by_key(|tried| tried.own.len());
        nearest.map(|tried| tried.own).unwrap_or_default()
    }

    fn fit(&self, value: &Value, branch: &'a Value, own: &[Fault], place: &str) -> Fit {
        if own
            .iter()
            .any(|fault| fault.pointer == place && branches::is_other_kind(&fault.what, value))
        {
            return Fit::OtherKind;
        }
        let Some(members) = value.as_object() else {
            return Fit::Plain;
        };
        if let Some(name) = self.only_name(branch) {
            return if members.contains_key(name) {
                Fit::Tagged
            } else {
                Fit::OtherTag
            };
        }
        let mut fit = Fit::Plain;
        let properties = self.resolve(branch).get("properties");
        for (name, schema) in properties.and_then(Value::as_object).into_iter().flatten() {
            if let (Some(word), Some(given)) =
                (self.resolve(schema).get("const"), members.get(name))
            {
                if !same(word, given) {
                    return Fit::OtherTag;
                }
                fit = Fit::Tagged;
            }
        }
        fit
    }

    /// The name that alone makes an object of this branch: `{"circle": …}`.
    fn only_name(&self, branch: &'a Value) -> Option<&'a str> {
        let branch = self.resolve(branch).as_object()?;
        let closed = branch.get("additionalProperties") == Some(&Value::Bool(false));
        match (array(branch, "required"), branch.get("properties")) {
            ([Value::String(name)], Some(Value::Object(properties)))
                if closed && properties.len() == 1 =>
            {
                Some(name)
            }
            _ => None,
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

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if !number.is_f64() => "an integer",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What is expected, when the type is wrong.
fn wrong_type(value: &Value, schema: &Map<String, Value>, strict: bool) -> Option<String> {
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
                || (!strict && value.as_f64().is_some_and(|number| number.fract() == 0.0))
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
    let words: Vec<String> = types
        .iter()
        .map(|name| match *name {
            "boolean" => super::BOOLEAN.to_owned(),
            "integer" => whole_number(schema),
            "number" => "a number".to_owned(),
            "string" => "a string".to_owned(),
            "array" => "an array".to_owned(),
            "object" => "an object".to_owned(),
            other => other.to_owned(),
        })
        .collect();
    Some(words.join(" or "))
}

/// A whole number, with its limits where they are known: named by the schema, or those of its format.
fn whole_number(schema: &Map<String, Value>) -> String {
    // `uint8` is what Rust calls `u8`; a width that is not told is the widest.
    let format = schema.get("format").and_then(Value::as_str);
    let format = format.map(|name| match name {
        "uint" => "u64".to_owned(),
        "int" => "i64".to_owned(),
        _ => name.replace("uint", "u").replace("int", "i"),
    });
    let format = format.and_then(|name| range(&name));
    let limit = |key: &str, of_format: Option<i128>| match schema.get(key) {
        Some(Value::Number(limit)) => Some(limit.to_string()),
        _ => of_format.map(|limit| limit.to_string()),
    };
    let least = limit("minimum", format.map(|(least, _)| least));
    let most = limit("maximum", format.map(|(_, most)| most));
    match (least, most) {
        (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
        (Some(least), None) => format!("a whole number of at least {least}"),
        (None, Some(most)) => format!("a whole number of at most {most}"),
        (None, None) => "a whole number".to_owned(),
    }
}

/// ` character long`, ` characters long`, or nothing.
fn unit_of(unit: &str, number: f64) -> String {
    let plural = if (number - 1.0).abs() < f64::EPSILON {
        ""
    } else {
        "s"
    };
    if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}{plural} long")
    }
}

/// What is expected, when a limit is passed.
fn out_of_bounds(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    // Lengths beyond 32 bits are not told apart.
    let length = |count: usize| u32::try_from(count).map_or(f64::INFINITY, f64::from);
    let (size, least, most, unit) = match value {
        Value::Number(number) => (number.as_f64()?, "minimum", "maximum", ""),
        Value::String(text) => {
            let length = length(text.chars().count());
            (length, "minLength", "maxLength", "character")
        }
        Value::Array(items) => (length(items.len()), "minItems", "maxItems", "item"),
        Value::Null | Value::Bool(_) | Value::Object(_) => return None,
    };
    match (limit(least), limit(most)) {
        (Some(least), _) if size < least => {
            return Some(format!("at least {least}{}", unit_of(unit, least)));
        }
        (_, Some(most)) if size > most => {
            return Some(format!("at most {most}{}", unit_of(unit, most)));
        }
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
