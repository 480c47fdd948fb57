//! A scenario is data alone: what the server offers and knows, how calls fail, the careless call, and what counts as recovered.
//! The format is described in `tests/recovery/README.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    #[serde(default)]
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
    #[serde(default)]
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
    pub is: Option<Value>,
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
    #[serde(default)]
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

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

fn done() -> Value {
    serde_json::json!({"ok": true})
}

fn any_object() -> Value {
    serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false})
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

    /// The path on REST: its name unless one is given.
    pub fn path(&self) -> String {
        self.path
            .clone()
            .unwrap_or_else(|| format!("/{}", self.name))
    }
}

/// Every scenario of a folder, its subfolders included, in order of their files. A file holds one scenario or an array of them.
pub fn read_all(folder: &Path) -> Result<Vec<Scenario>, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    let mut out: Vec<Scenario> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let value: Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let items = match value {
            Value::Array(items) => items,
            one => vec![one],
        };
        for (at, item) in items.into_iter().enumerate() {
            let name = item["name"].as_str().unwrap_or_default().to_owned();
            let scenario: Scenario = serde_json::from_value(item)
                .map_err(|error| format!("{}: scenario {at} `{name}`: {error}", file.display()))?;
            check(&scenario)
                .map_err(|why| format!("{}: scenario {at} `{name}`: {why}", file.display()))?;
            if out.iter().any(|known| known.name == scenario.name) {
                return Err(format!(
                    "{}: two scenarios are called `{name}`",
                    file.display()
                ));
            }
            out.push(scenario);
        }
    }
    if out.is_empty() {
        return Err(format!(
            "{}: there are no scenarios (*.json) in it",
            folder.display()
        ));
    }
    Ok(out)
}

fn find(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry
            .map_err(|error| format!("{}: {error}", folder.display()))?
            .path();
        if path.is_dir() {
            find(&path, out)?;
        } else if path.extension().is_some_and(|ending| ending == "json") {
            out.push(path);
        }
    }
    Ok(())
}

fn check(scenario: &Scenario) -> Result<(), String> {
    if scenario.operations.is_empty() {
        return Err("it has no operations".to_owned());
    }
    for operation in &scenario.operations {
        let path = operation.path();
        if !path.starts_with('/') {
            return Err(format!("the path `{path}` must start with `/`"));
        }
        for fail in &operation.fails {
            let said = fail.answer.is_some() || fail.lost || fail.crash;
            if !said && !(400..600).contains(&fail.status) {
                return Err(format!(
                    "a failure of `{}` needs a status from 400 to 599, or `answer`, `lost` or `crash`",
                    operation.name
                ));
            }
        }
    }
    if !scenario.call.arguments.is_object() {
        return Err("the arguments of the call must be an object".to_owned());
    }
    Ok(())
}
