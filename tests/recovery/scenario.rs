//! A scenario is data alone: what the server offers and knows, how calls fail, the careless call, and what counts as recovered.
//! The format is described in `tests/recovery/README.md`.

use std::collections::BTreeMap;

use aon::recovery::{Allowed, Effect};
use serde::Deserialize;
use serde_json::Value;

/// One scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    #[serde(default)]
    pub about: String,
    pub kind: String,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// Whether a caller without a model can get there at all.
    #[serde(default, deserialize_with = "who")]
    pub recoverable: Recoverable,
    pub operations: Vec<Operation>,
    #[serde(default = "empty")]
    pub state: Value,
    pub call: Careless,
    #[serde(default)]
    pub caller: Caller,
    pub recovered: Recovered,
}

/// Who can get there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recoverable {
    /// A caller that is told what is wrong.
    #[default]
    Yes,
    /// Only one that can read the answer to its end after the connection broke.
    GlassBox,
    /// Nobody: giving up without harm is right.
    No,
}

/// What the server offers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub name: String,
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub effect: Effect,
    #[serde(default = "any_object")]
    pub input: Value,
    #[serde(default)]
    pub fails: Vec<Failing>,
    #[serde(default)]
    pub does: Vec<Change>,
    #[serde(default = "done")]
    pub returns: Value,
}

/// A way to fail, and when.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    #[serde(default)]
    pub when: When,
    #[serde(default)]
    pub status: u16,
    #[serde(default)]
    pub code: String,
    #[serde(default)]
    pub message: String,
    /// What the envelope says besides: members of a problem.
    #[serde(default = "empty")]
    pub problem: Value,
    /// Headers that any server sends here, such as `Retry-After`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The call has its effect before it fails.
    #[serde(default)]
    pub after_effect: bool,
    /// The connection breaks instead of an answer.
    #[serde(default)]
    pub lost: bool,
    /// The handler panics.
    #[serde(default)]
    pub crash: bool,
    /// It is answered as a success, with this: an implicit failure.
    #[serde(default, deserialize_with = "present")]
    pub answer: Option<Value>,
}

/// When a call fails; every part that is given must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// JSON Pointer into the arguments …
    pub arg: Option<String>,
    /// … or into the state, with `{name}` for an argument, which the tests below look at.
    pub state: Option<String>,
    pub absent: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    pub is: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub is_not: Option<Value>,
    #[serde(rename = "in")]
    pub one_of: Option<Vec<Value>>,
    pub not_in: Option<Vec<Value>>,
    pub over: Option<f64>,
    pub under: Option<f64>,
    /// The caller is none of these users.
    pub user_not_in: Option<Vec<String>>,
    /// The caller lacks this scope.
    pub lacks_scope: Option<String>,
    /// The clock of the server, which waits move on, shows less than this.
    pub before_ms: Option<u64>,
    /// The operation was called fewer times than this before.
    pub first_calls: Option<u64>,
    pub all: Option<Vec<When>>,
    pub any: Option<Vec<When>>,
    pub not: Option<Box<When>>,
}

/// A change of the state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// JSON Pointer with `{name}` for an argument; `/-` appends to an array.
    pub at: String,
    /// What is put there, with `$name` for an argument; absent removes it.
    #[serde(default, deserialize_with = "present")]
    pub value: Option<Value>,
    /// A number that is added instead: a number, or `$name`.
    #[serde(default)]
    pub add: Option<Value>,
}

/// The call of a careless agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Careless {
    pub operation: String,
    #[serde(default = "empty")]
    pub arguments: Value,
    /// Where it goes on REST, when there is no such operation.
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
}

/// Who calls, what they may do, and what they would choose.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Caller {
    pub user: String,
    pub scopes: Vec<String>,
    pub allowed: Allowed,
    /// Scopes that are granted when asked for.
    pub grants: Vec<String>,
    /// The user that can be switched to.
    pub other_user: Option<String>,
    /// What the caller wants, by JSON Pointer, in order of preference: the first that is offered is chosen.
    #[serde(deserialize_with = "in_order")]
    pub wants: BTreeMap<String, Vec<Value>>,
}

/// What counts as recovered: the effect, not the status.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recovered {
    /// The whole state afterwards; absent: as it was.
    pub state: Option<Value>,
    /// What the result must say, by JSON Pointer.
    pub result: BTreeMap<String, Value>,
    /// Other states that are no harm, such as a step that was done in vain.
    pub harmless: Vec<Value>,
}

/// `true` and `false` are taken for `yes` and `no`.
fn who<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Recoverable, D::Error> {
    let given = match Value::deserialize(input)? {
        Value::Bool(yes) => Value::from(if yes { "yes" } else { "no" }),
        other => other,
    };
    Recoverable::deserialize(given)
        .map_err(|_other| serde::de::Error::custom("it must be \"yes\", \"no\" or \"glass_box\""))
}

/// One value is a list of one.
fn in_order<'de, D: serde::Deserializer<'de>>(
    input: D,
) -> Result<BTreeMap<String, Vec<Value>>, D::Error> {
    let given = BTreeMap::<String, Value>::deserialize(input)?;
    let lists = given.into_iter().map(|(place, value)| match value {
        Value::Array(values) => (place, values),
        one => (place, vec![one]),
    });
    Ok(lists.collect())
}

/// A member that is there, `null` included.
fn present<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

fn done() -> Value {
    serde_json::json!({"ok": true})
}

fn any_object() -> Value {
    serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false})
}

impl Scenario {
    /// Whether the careless call is answered as a success although it failed: no envelope helps there.
    pub fn is_implicit(&self) -> bool {
        let called = self
            .operations
            .iter()
            .find(|operation| operation.name == self.call.operation);
        self.kind.starts_with("implicit")
            || self
                .tags
                .get("toolmaze")
                .is_some_and(|tag| tag.starts_with("implicit"))
            || called.is_some_and(|called| called.fails.iter().any(|fail| fail.answer.is_some()))
    }
}

impl Operation {
    /// The method on REST: that of its effect unless one is given.
    pub fn method(&self) -> &str {
        self.method.as_deref().unwrap_or(match self.effect {
            Effect::Safe => "GET",
            Effect::Idempotent => "PUT",
            Effect::Unsafe => "POST",
        })
    }

    /// The path as the router takes it: holes by their place, so that two operations may name them differently.
    pub fn route(&self) -> String {
        let path = self.path();
        let segments = path.split('/').enumerate().map(|(at, segment)| {
            if segment.starts_with('{') {
                format!("{{hole{at}}}")
            } else {
                segment.to_owned()
            }
        });
        segments.collect::<Vec<_>>().join("/")
    }

    /// The path on REST: its name unless one is given.
    pub fn path(&self) -> String {
        self.path
            .clone()
            .unwrap_or_else(|| format!("/{}", self.name))
    }
}
