//! The server behind every surface: a state, a clock, and operations that do what their scenario says.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use aon::recovery::Effect;
use serde_json::{Value, json};

use super::scenario::{Change, Failing, Operation, Scenario, When};

/// What a call came to.
#[derive(Clone, Debug)]
pub enum Outcome {
    Answer(Value),
    /// The arguments do not fit the schema.
    Arguments(Value),
    Failed(Box<Failing>),
    /// There is no such operation.
    Unknown,
    Crash,
}

/// The server's side of a scenario.
#[derive(Debug)]
pub struct World {
    pub scenario: Scenario,
    inner: Mutex<Inner>,
    /// Milliseconds; waits of the caller move it on.
    pub clock: Arc<AtomicU64>,
    /// The next answer is lost.
    pub cut: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Inner {
    state: Value,
    calls: BTreeMap<String, u64>,
    user: String,
    scopes: Vec<String>,
    /// What is wrong with the scenario itself.
    mistake: Option<String>,
}

impl World {
    pub fn new(scenario: Scenario) -> Self {
        let inner = Inner {
            state: scenario.state.clone(),
            calls: BTreeMap::new(),
            user: String::new(),
            scopes: Vec::new(),
            mistake: None,
        };
        Self {
            scenario,
            inner: Mutex::new(inner),
            clock: Arc::default(),
            cut: Arc::default(),
        }
    }

    pub fn state(&self) -> Value {
        self.inner.lock().unwrap().state.clone()
    }

    /// What is wrong with the scenario, as far as it was seen.
    pub fn mistake(&self) -> Option<String> {
        self.inner.lock().unwrap().mistake.clone()
    }

    /// A template filled from the state and these arguments.
    pub fn rendered(&self, template: &Value, arguments: &Value) -> Value {
        self.inner.lock().unwrap().render(template, arguments)
    }

    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.scenario
            .operations
            .iter()
            .find(|operation| operation.name == name)
    }

    /// Who makes the next call: `user; scope scope`.
    pub fn identify(&self, header: &str) {
        let (user, scopes) = header.split_once(';').unwrap_or((header, ""));
        let mut inner = self.inner.lock().unwrap();
        inner.user = user.trim().to_owned();
        inner.scopes = scopes.split_whitespace().map(str::to_owned).collect();
    }

    /// One call.
    pub fn call(&self, name: &str, arguments: &Value) -> Outcome {
        let Some(operation) = self.operation(name) else {
            return Outcome::Unknown;
        };
        if !aon::arguments::check(arguments, &operation.input).is_empty() {
            return Outcome::Arguments(operation.input.clone());
        }
        let now = self.clock.load(Ordering::SeqCst);
        let mut inner = self.inner.lock().unwrap();
        let before = inner.calls.get(name).copied().unwrap_or_default();
        inner.calls.insert(name.to_owned(), before + 1);
        let facts = Facts {
            arguments,
            now,
            before,
        };
        let failing = operation
            .fails
            .iter()
            .find(|failing| inner.holds(&failing.when, &facts));
        if failing.is_none_or(|failing| failing.after_effect) && operation.effect != Effect::Safe {
            for change in &operation.does {
                inner.change(change, arguments);
            }
        }
        match failing {
            Some(failing) if failing.crash => Outcome::Crash,
            Some(failing) if failing.lost => {
                self.cut.store(true, Ordering::SeqCst);
                Outcome::Answer(inner.render(&operation.returns, arguments))
            }
            Some(Failing {
                answer: Some(answer),
                ..
            }) => Outcome::Answer(inner.render(answer, arguments)),
            Some(failing) => {
                let mut failing = failing.clone();
                failing.problem = inner.render(&failing.problem, arguments);
                Outcome::Failed(Box::new(failing))
            }
            None => Outcome::Answer(inner.render(&operation.returns, arguments)),
        }
    }
}

struct Facts<'a> {
    arguments: &'a Value,
    now: u64,
    before: u64,
}

impl Inner {
    fn holds(&self, when: &When, facts: &Facts<'_>) -> bool {
        let When {
            arg,
            state,
            absent,
            is,
            is_not,
            one_of,
            not_in,
            over,
            under,
            user_not_in,
            lacks_scope,
            before_ms,
            first_calls,
            all,
            any,
            not,
        } = when;
        let value = match (arg, state) {
            (Some(pointer), _) => facts.arguments.pointer(pointer).cloned(),
            (None, Some(pointer)) => self.state.pointer(&fill(pointer, facts.arguments)).cloned(),
            (None, None) => None,
        };
        let number = value.as_ref().and_then(Value::as_f64);
        let one = |wanted: &Value| {
            let wanted = self.render(wanted, facts.arguments);
            value.as_ref().is_some_and(|value| same(value, &wanted))
        };
        // A test of a value that is not there holds only for `absent` and what it is not.
        let tests = [
            absent.map(|absent| value.is_none() == absent),
            is.as_ref().map(one),
            is_not.as_ref().map(|wanted| !one(wanted)),
            one_of.as_ref().map(|wanted| wanted.iter().any(one)),
            not_in.as_ref().map(|wanted| !wanted.iter().any(one)),
            over.map(|limit| number.is_some_and(|number| number > limit)),
            under.map(|limit| number.is_some_and(|number| number < limit)),
            user_not_in
                .as_ref()
                .map(|users| !users.contains(&self.user)),
            lacks_scope
                .as_ref()
                .map(|scope| !self.scopes.contains(scope)),
            before_ms.map(|limit| facts.now < limit),
            first_calls.map(|limit| facts.before < limit),
            all.as_ref()
                .map(|all| all.iter().all(|when| self.holds(when, facts))),
            any.as_ref()
                .map(|any| any.iter().any(|when| self.holds(when, facts))),
            not.as_ref().map(|when| !self.holds(when, facts)),
        ];
        tests.into_iter().flatten().all(|holds| holds)
    }

    fn change(&mut self, change: &Change, arguments: &Value) {
        let at = fill(&change.at, arguments);
        let (parent, last) = at.rsplit_once('/').unwrap_or(("", &at));
        let last = last.replace("~1", "/").replace("~0", "~");
        let value = change
            .value
            .as_ref()
            .map(|value| self.render(value, arguments));
        let minus = change
            .add
            .as_ref()
            .and_then(|add| add.as_str()?.strip_prefix('-'));
        let add = minus.map(Value::from);
        let add = add.as_ref().or(change.add.as_ref());
        let add = add.map(|add| self.render(add, arguments));
        match (self.state.pointer_mut(parent), value, add) {
            (Some(Value::Array(items)), Some(value), _) if last == "-" => items.push(value),
            (Some(Value::Array(items)), value, None)
                if last.parse::<usize>().is_ok_and(|at| at < items.len()) =>
            {
                let at = last.parse::<usize>().unwrap_or_default();
                match value {
                    Some(value) => items[at] = value,
                    None => drop(items.remove(at)),
                }
            }
            (Some(Value::Object(members)), None, Some(add)) => {
                let new = sum(members.get(&last), &add, minus.is_some());
                members.insert(last, new);
            }
            (Some(Value::Object(members)), Some(value), None) => {
                members.insert(last, value);
            }
            (Some(Value::Object(members)), None, None) => {
                members.remove(&last);
            }
            _ => {
                self.mistake = Some(format!(
                    "`does` changes `{at}`, which is not in the state. Put the object or array around it into `state`."
                ));
            }
        }
    }

    /// `$name` is an argument, `@/pointer` a part of the state; everything else is itself.
    fn render(&self, template: &Value, arguments: &Value) -> Value {
        match template {
            Value::String(text) => match (argument(text), text.starts_with("@/")) {
                (Some(name), _) => arguments
                    .pointer(&format!("/{name}"))
                    .cloned()
                    .unwrap_or_default(),
                (_, true) => self
                    .state
                    .pointer(&fill(&text[1..], arguments))
                    .cloned()
                    .unwrap_or_default(),
                _ => template.clone(),
            },
            Value::Array(items) => items
                .iter()
                .map(|item| self.render(item, arguments))
                .collect(),
            Value::Object(members) => {
                let rendered = members
                    .iter()
                    .map(|(name, value)| (name.clone(), self.render(value, arguments)));
                Value::Object(rendered.collect())
            }
            other => other.clone(),
        }
    }
}

/// The argument that a template stands for: `$name`, `$name/inside`. Prices and other texts with a `$` are themselves.
pub fn argument(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let is_name = |letter: char| letter.is_alphanumeric() || "_-/".contains(letter);
    (name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(is_name))
    .then_some(name)
}

/// Whether two values are the same; 3 and 3.0 are.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// The sum, whole where both are.
fn sum(old: Option<&Value>, add: &Value, minus: bool) -> Value {
    let zero = json!(0);
    let old = old.unwrap_or(&zero);
    if let (Some(old), Some(add)) = (old.as_i64(), add.as_i64()) {
        return json!(if minus { old - add } else { old + add });
    }
    let (old, add) = (
        old.as_f64().unwrap_or_default(),
        add.as_f64().unwrap_or_default(),
    );
    json!(if minus { old - add } else { old + add })
}

/// A pointer with its `{name}` filled by arguments.
fn fill(pointer: &str, arguments: &Value) -> String {
    let mut out = String::new();
    let mut rest = pointer;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        match &arguments[name] {
            Value::String(text) => out.push_str(&text.replace('~', "~0").replace('/', "~1")),
            other => out.push_str(&other.to_string()),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
