//! A question to a person as an elicitation: the form, and what is filled in as a JSON Patch. Pure.
//!
//! MCP's forms are flat objects of texts, numbers and yes or no, so a field of the form is one place an answer may change.
//! What kind of field it is comes from the payload's type, from `valid_values` of the problem and from the value that is there.
//! Where nothing fits into such a form, the form has one field for a JSON Patch.

use aon_core::redact::REDACTED;
use aon_core::{ProblemDetails, pointer};
use serde_json::{Map, Value, json};

use crate::event::InteractiveHealingRequest;

/// The name of the field for a whole patch.
const PATCH: &str = "patch";
/// The most fields of a form.
const MOST: usize = 32;

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
        }
    }

    /// The kind of a value; lists and objects have none.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(_) => Some(Self::Text),
            Value::Bool(_) => Some(Self::Boolean),
            Value::Number(number) if number.is_f64() => Some(Self::Number),
            Value::Number(_) => Some(Self::Integer),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
            }
            Self::Boolean => value.is_boolean(),
        }
    }
}

/// What the payload's type says about one place: found out by trying a value it cannot take.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Wanted {
    /// What is refused there, as a problem; it names valid values.
    pub problem: Option<ProblemDetails>,
}

impl Wanted {
    /// What the type says.
    pub fn new(problem: Option<ProblemDetails>) -> Self {
        Self { problem }
    }

    fn kind(&self) -> Option<Kind> {
        let words = self.problem.as_ref()?.detail()?;
        let has = |text: &str| words.contains(text);
        if has("a string") || has("a text") || has("a character") {
            Some(Kind::Text)
        } else if has("a whole number") {
            Some(Kind::Integer)
        } else if has("a number") {
            Some(Kind::Number)
        } else if has("true or false") || has("a boolean") {
            Some(Kind::Boolean)
        } else {
            None
        }
    }

    fn is_composite(&self) -> bool {
        let words = self.problem.as_ref().and_then(ProblemDetails::detail);
        words.is_some_and(|words| words.contains("an array") || words.contains("an object"))
    }
}

/// One place an answer may change.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    name: String,
    pointer: String,
    kind: Kind,
    /// Valid values and their labels.
    choices: Vec<(Value, Option<String>)>,
    current: Option<Value>,
    required: bool,
}

/// The form of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    message: String,
    fields: Vec<Field>,
}

/// What was filled in does not fit the form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfit {
    /// What is wrong, for the person.
    pub words: String,
}

impl Form {
    /// The form of a question as it is shown. `wanted` says what the payload's type takes at a pointer.
    pub fn of(request: &InteractiveHealingRequest, wanted: &dyn Fn(&str) -> Wanted) -> Self {
        let problem = request.problem.as_ref();
        let snapshot = request.snapshot.as_ref().unwrap_or(&Value::Null);
        let named = problem.map_or_else(Vec::new, |problem| {
            let read = ProblemDetails::from_slice(problem.to_string().as_bytes());
            read.map_or_else(|_| Vec::new(), |problem| problem.field_paths())
        });
        let mut fields: Vec<Field> = Vec::new();
        for pointer in places(&request.allowed_patch_paths, snapshot) {
            if fields.len() >= MOST {
                break;
            }
            let wanted = wanted(&pointer);
            let current = snapshot.pointer(&pointer).filter(|value| !value.is_null());
            let told = problem.and_then(|problem| problem.get("valid_values"));
            let mut choices = told.map_or_else(Vec::new, |told| choices(told, &pointer));
            if choices.is_empty()
                && let Some(problem) = &wanted.problem
            {
                let written: Value = serde_json::from_str(&problem.to_string()).unwrap_or_default();
                choices = self::choices(&written["valid_values"], &pointer);
            }
            let by_value = current.and_then(Kind::of);
            let kind = if choices.is_empty() {
                wanted.kind().or(by_value)
            } else if choices.iter().all(|(value, _)| value.is_boolean()) {
                choices.clear();
                Some(Kind::Boolean)
            } else {
                Some(Kind::Text)
            };
            let composite = wanted.is_composite()
                || current.is_some_and(|value| value.is_array() || value.is_object());
            let kind = match kind {
                Some(kind) => kind,
                None if composite => continue,
                None => Kind::Text,
            };
            let shown = |value: &&Value| value.as_str().is_none_or(|text| !text.contains(REDACTED));
            let required = named.contains(&pointer);
            let name = name(&pointer);
            let taken = fields.iter().any(|field| field.name == name);
            fields.push(Field {
                name: if taken { pointer.clone() } else { name },
                current: current.filter(shown).cloned(),
                pointer,
                kind,
                choices,
                required,
            });
        }
        // Where nothing is named, or one place is all there is, that is what has to be filled in.
        if !fields.iter().any(|field| field.required)
            && let [only] = fields.as_mut_slice()
        {
            only.required = true;
        }
        Self {
            message: message(request),
            fields,
        }
    }

    /// The form after an answer that was refused: it says why.
    #[must_use]
    pub fn again(mut self, why: &str) -> Self {
        self.message = format!("{why} {}", self.message);
        self
    }

    /// The parameters of `elicitation/create`.
    pub fn params(&self) -> Value {
        let mut properties = Map::new();
        for field in &self.fields {
            properties.insert(field.name.clone(), field.schema());
        }
        let mut required: Vec<&str> = self
            .fields
            .iter()
            .filter(|field| field.required)
            .map(|field| field.name.as_str())
            .collect();
        if self.fields.is_empty() {
            let what = "A JSON Patch (RFC 6902): a list of operations, as text.";
            properties.insert(
                PATCH.to_owned(),
                json!({"type": "string", "title": "JSON Patch", "description": what}),
            );
            required.push(PATCH);
        }
        json!({
            "mode": "form",
            "message": self.message,
            "requestedSchema": {"type": "object", "properties": properties, "required": required},
        })
    }

    /// The JSON Patch of what was filled in; `None` where nothing is changed. What is not in the form is passed over.
    ///
    /// # Errors
    ///
    /// When it does not fit the form.
    pub fn patch(&self, content: &Value) -> Result<Option<Vec<u8>>, Misfit> {
        let misfit = |words: String| Misfit { words };
        let Some(content) = content.as_object() else {
            return Err(misfit("The form was not filled in.".to_owned()));
        };
        if self.fields.is_empty() {
            let patch = content.get(PATCH).and_then(Value::as_str);
            let patch = patch.ok_or_else(|| misfit(format!("{PATCH} is missing.")))?;
            return Ok(Some(patch.as_bytes().to_vec()));
        }
        let mut operations = Vec::new();
        for field in &self.fields {
            let given = content
                .get(&field.name)
                .or_else(|| content.get(&field.pointer));
            let Some(given) = given else {
                if field.required {
                    return Err(misfit(format!("{} is missing.", field.name)));
                }
                continue;
            };
            let value = field.value(given)?;
            if field.current.as_ref() == Some(&value) {
                continue;
            }
            operations.push((field, value));
        }
        if operations.is_empty() {
            return Ok(None);
        }
        let operations: Vec<Value> = operations
            .into_iter()
            .map(|(field, value)| {
                // `add` would put a value into a list instead of replacing it.
                let last = field.pointer.rsplit('/').next().unwrap_or_default();
                let in_list = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
                let op = if in_list { "replace" } else { "add" };
                json!({"op": op, "path": field.pointer, "value": value})
            })
            .collect();
        Ok(Some(Value::Array(operations).to_string().into_bytes()))
    }
}

impl Field {
    fn schema(&self) -> Value {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(self.kind.as_str()));
        schema.insert("title".to_owned(), json!(self.name));
        if !self.choices.is_empty() {
            if self.choices.iter().any(|(_, label)| label.is_some()) {
                let titled = |(value, label): &(Value, Option<String>)| {
                    let word = word(value);
                    json!({"const": word, "title": label.as_deref().unwrap_or(&word)})
                };
                let all: Vec<Value> = self.choices.iter().map(titled).collect();
                schema.insert("oneOf".to_owned(), Value::Array(all));
            } else {
                let all: Vec<String> = self.choices.iter().map(|(value, _)| word(value)).collect();
                schema.insert("enum".to_owned(), json!(all));
            }
        }
        if let Some(current) = &self.current {
            let valid = self.choices.is_empty() || self.choices.iter().any(|(v, _)| v == current);
            let fits = self.kind.takes(current) || !self.choices.is_empty();
            if valid && fits {
                let default = if self.choices.is_empty() {
                    current.clone()
                } else {
                    json!(word(current))
                };
                schema.insert("default".to_owned(), default);
            }
        }
        Value::Object(schema)
    }

    /// What was filled in, as it stands in the payload.
    fn value(&self, given: &Value) -> Result<Value, Misfit> {
        if !self.choices.is_empty() {
            let meant = word(given);
            let found = self.choices.iter().find(|(value, _)| word(value) == meant);
            let all = || {
                let all: Vec<String> = self.choices.iter().map(|(value, _)| word(value)).collect();
                all.join(", ")
            };
            return found.map(|(value, _)| value.clone()).ok_or_else(|| Misfit {
                words: format!("{} must be one of {}.", self.name, all()),
            });
        }
        if self.kind.takes(given) {
            return Ok(given.clone());
        }
        // Some clients send whatever was typed.
        let typed = given
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok());
        typed
            .filter(|value| self.kind.takes(value))
            .ok_or_else(|| Misfit {
                words: format!("{} must be a {}.", self.name, self.kind.as_str()),
            })
    }
}

/// A choice as text: forms know no other.
fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The places that are allowed: exact ones as they are, patterns as far as there is something.
fn places(allowed: &[String], snapshot: &Value) -> Vec<String> {
    let mut places = Vec::new();
    let mut add = |place: String| {
        if !places.contains(&place) {
            places.push(place);
        }
    };
    for path in allowed {
        let stem = path.strip_suffix("/**").or_else(|| path.strip_suffix("/*"));
        let Some(stem) = stem else {
            add(path.clone());
            continue;
        };
        match snapshot.pointer(stem) {
            Some(Value::Object(members)) => members
                .keys()
                .for_each(|key| add(format!("{stem}/{}", pointer::escape(key)))),
            Some(Value::Array(items)) => {
                (0..items.len()).for_each(|at| add(format!("{stem}/{at}")));
            }
            _ => {}
        }
    }
    places
}

/// The name of a field: the steps of its pointer with dots between.
fn name(pointer: &str) -> String {
    let steps: Vec<_> = pointer::tokens(pointer).collect();
    steps.join(".")
}

/// The valid values a problem names for a place, by its pointer, its path or its last step.
fn choices(told: &Value, pointer: &str) -> Vec<(Value, Option<String>)> {
    let dotted = name(pointer);
    let last = dotted.rsplit('.').next().unwrap_or_default().to_owned();
    let found = [pointer, &dotted, &last]
        .into_iter()
        .find_map(|key| told.get(key));
    let list = found.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|choice| {
            let Some(members) = choice.as_object() else {
                return (choice.clone(), None);
            };
            let label = members.get("label").and_then(Value::as_str);
            let value = members.get("value").cloned().unwrap_or_default();
            (value, label.map(str::to_owned))
        })
        .collect()
}

fn message(request: &InteractiveHealingRequest) -> String {
    let why = request.error["message"].as_str().unwrap_or_default();
    let step = request.step.as_deref().unwrap_or("A step");
    format!("{step} could not be done: {why} What should it be instead?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(allowed: &[&str], snapshot: Value, problem: Value) -> InteractiveHealingRequest {
        InteractiveHealingRequest {
            step: Some("store_user".to_owned()),
            error: json!({"code": "invalid", "message": "The plan is not known."}),
            problem: Some(problem),
            allowed_patch_paths: allowed.iter().map(|&path| path.to_owned()).collect(),
            snapshot: Some(snapshot),
            ..InteractiveHealingRequest::default()
        }
    }

    fn form(request: &InteractiveHealingRequest) -> Form {
        Form::of(request, &|_| Wanted::default())
    }

    #[test]
    fn a_form_has_what_may_be_changed_and_nothing_else() {
        let request = question(
            &["/plan", "/seats", "/tags/*", "/address"],
            json!({"plan": "gold", "seats": 3, "tags": ["a", "b"], "address": {"city": "x"}, "name": "Ann"}),
            json!({"valid_values": {"plan": ["free", {"value": "pro", "label": "Professional"}]}, "errors": [{"pointer": "#/plan"}]}),
        );
        let params = form(&request).params();
        let schema = &params["requestedSchema"];
        let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["plan", "seats", "tags.0", "tags.1"]);
        assert_eq!(
            schema["properties"]["plan"]["oneOf"],
            json!([{"const": "free", "title": "free"}, {"const": "pro", "title": "Professional"}])
        );
        assert!(schema["properties"]["plan"].get("default").is_none());
        assert_eq!(schema["properties"]["seats"]["type"], "integer");
        assert_eq!(schema["properties"]["seats"]["default"], 3);
        assert_eq!(schema["required"], json!(["plan"]));
    }

    #[test]
    fn what_is_filled_in_becomes_a_patch_of_what_changed() {
        let request = question(
            &["/plan", "/seats", "/tags/*"],
            json!({"plan": "gold", "seats": 3, "tags": ["a"]}),
            json!({"valid_values": {"plan": ["free", "pro"]}}),
        );
        let form = form(&request);
        let patch = form.patch(&json!({"plan": "pro", "seats": 3, "tags.0": "z", "role": "admin"}));
        let patch: Value = serde_json::from_slice(&patch.unwrap().unwrap()).unwrap();
        let wanted = json!([
            {"op": "add", "path": "/plan", "value": "pro"},
            {"op": "replace", "path": "/tags/0", "value": "z"},
        ]);
        assert_eq!(patch, wanted);
        let same = question(&["/seats"], json!({"seats": 3}), json!({}));
        assert_eq!(self::form(&same).patch(&json!({"seats": 3})), Ok(None));
        for bad in [
            json!({"plan": "gold"}),
            json!({"plan": "pro", "seats": "many"}),
            json!({"seats": 4}),
            json!(7),
            Value::Null,
        ] {
            assert!(form.patch(&bad).is_err(), "{bad}");
        }
        let typed = form
            .patch(&json!({"plan": "pro", "seats": "4"}))
            .unwrap()
            .unwrap();
        assert!(String::from_utf8(typed).unwrap().contains(r#""value":4"#));
    }

    #[test]
    fn a_secret_is_not_the_default_and_a_list_is_asked_for_as_a_patch() {
        let hidden = question(&["/token"], json!({"token": "[redacted]"}), json!({}));
        let params = form(&hidden).params();
        let token = &params["requestedSchema"]["properties"]["token"];
        assert_eq!(token, &json!({"type": "string", "title": "token"}));
        let list = question(&["/tags"], json!({"tags": ["a"]}), json!({}));
        let form = form(&list);
        assert_eq!(
            form.params()["requestedSchema"]["required"],
            json!(["patch"])
        );
        let given = json!({"patch": "[{\"op\":\"remove\",\"path\":\"/tags\"}]"});
        assert!(form.patch(&given).unwrap().is_some());
    }
}
