//! Reads scenarios, and says of a mistake in which file and at which place it is, and the way out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aon::ProblemDetails;
use aon::recovery::Effect;
use serde_json::Value;

use super::scenario::{Failing, Operation, Scenario, When};
use super::server;
use super::world::{World, argument};

mod templates;

/// The methods an operation may have.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/// Paths of the bench itself.
const TAKEN: [&str; 4] = [
    "/openapi.json",
    "/.well-known/agent-card.json",
    "/a2a",
    "/mcp",
];

/// Scenarios, and what in them is left out although somebody wrote it.
#[derive(Debug, Default)]
pub struct Loaded {
    pub scenarios: Vec<Scenario>,
    pub warnings: Vec<String>,
}

/// Every scenario of a folder, its subfolders included, in order of their files. A file holds one scenario or an array of them.
pub fn read_all(folder: &Path) -> Result<Loaded, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    let mut out = Loaded::default();
    let mut mistakes: Vec<String> = Vec::new();
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for file in files {
        if let Err(what) = read_one(&file, &mut out, &mut places, &mut mistakes) {
            mistakes.push(what);
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes.join("\n"));
    }
    if out.scenarios.is_empty() {
        return Err(format!(
            "{}: there are no scenarios (*.json) in it. The format is in tests/recovery/README.md.",
            folder.display()
        ));
    }
    Ok(out)
}

/// One file: a scenario, an array of them, or an object that holds such an array as `scenarios`.
fn read_one(
    file: &Path,
    out: &mut Loaded,
    places: &mut BTreeMap<String, String>,
    mistakes: &mut Vec<String>,
) -> Result<(), String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let value: Value = serde_json::from_str(text).map_err(|error| {
        format!(
            "{shown}: it is not valid JSON: {error}. A file holds one scenario or an array of them; comments and commas at the end are not allowed."
        )
    })?;
    let (items, many) = match value {
        Value::Array(items) => (items, true),
        Value::Object(mut members) if members.len() == 1 && members.contains_key("scenarios") => {
            match members.remove("scenarios") {
                Some(Value::Array(items)) => (items, true),
                other => (vec![other.unwrap_or_default()], false),
            }
        }
        one => (vec![one], false),
    };
    for (at, item) in items.into_iter().enumerate() {
        let name = item["name"].as_str().unwrap_or_default().to_owned();
        let place = match (many, name.as_str()) {
            (true, name) => format!("{shown}: scenario {at} `{name}`"),
            (false, "") => shown.to_string(),
            (false, name) => format!("{shown}: `{name}`"),
        };
        match checked(item) {
            Ok((scenario, left_out)) => {
                let left_out = left_out.into_iter();
                out.warnings
                    .extend(left_out.map(|what| format!("{place}: {what}")));
                out.scenarios.push(scenario);
            }
            Err(why) => {
                mistakes.push(format!("{place}: {why}"));
                continue;
            }
        }
        if let Some(first) = places.insert(name, place.clone()) {
            mistakes.push(format!(
                "{place}: the name is taken by {first}. Names are unique in all files."
            ));
        }
    }
    Ok(())
}

/// A scenario that can be run, and what is left out of it.
fn checked(item: Value) -> Result<(Scenario, Vec<String>), String> {
    let scenario: Scenario =
        serde_path_to_error::deserialize(item).map_err(|error| unreadable(&error))?;
    let scenario = settled(scenario)?;
    check(&scenario)?;
    let left_out = left_out(&scenario)?;
    Ok((scenario, left_out))
}

fn find(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.is_file() {
        out.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            find(&path, out)?;
        } else if path.extension().is_some_and(|ending| ending == "json") {
            out.push(path);
        }
    }
    Ok(())
}

/// What serde says, with its place and the member that was meant.
fn unreadable(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let place = error.path().to_string();
    let words = error.inner().to_string();
    let place = if place == "." {
        String::new()
    } else {
        format!("at `{place}`: ")
    };
    let mut quoted = words.split('`').skip(1).step_by(2);
    let meant = quoted
        .next()
        .filter(|_| words.starts_with("unknown field"))
        .and_then(|given| aon::suggest::nearest(given, quoted));
    match meant {
        Some(meant) => format!("{place}{words}. Did you mean `{meant}`?"),
        None => format!("{place}{words}"),
    }
}

fn check(scenario: &Scenario) -> Result<(), String> {
    if scenario.name.trim().is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if scenario.operations.is_empty() {
        return Err("it has no operations. Give at least one in `operations`.".to_owned());
    }
    if !scenario.state.is_object() {
        return Err("`state` must be an object".to_owned());
    }
    let mut routes: BTreeMap<(String, String), &str> = BTreeMap::new();
    for (at, operation) in scenario.operations.iter().enumerate() {
        let place = format!("operations[{at}] `{}`", operation.name);
        operation_is_sound(operation).map_err(|why| format!("{place}: {why}"))?;
        let same = scenario.operations.iter().take(at);
        if same.clone().any(|other| other.name == operation.name) {
            return Err(format!("{place}: another operation has this name"));
        }
        let route = (operation.method().to_owned(), operation.route());
        if let Some(other) = routes.insert(route, &operation.name) {
            return Err(format!(
                "{place}: `{} {}` is where `{other}` is already. Give one of them another `path` or `method`.",
                operation.method(),
                operation.path()
            ));
        }
    }
    if !scenario.call.arguments.is_object() {
        return Err("call.arguments must be an object, such as {\"id\": \"7\"}".to_owned());
    }
    if let Some(path) = scenario
        .call
        .path
        .as_ref()
        .filter(|path| !path.starts_with('/'))
    {
        return Err(format!("call.path `{path}` must start with `/`"));
    }
    for pointer in scenario.caller.wants.keys() {
        is_pointer(pointer, "caller.wants")?;
    }
    for pointer in scenario.recovered.result.keys() {
        is_pointer(pointer, "recovered.result")?;
    }
    Ok(())
}

fn is_pointer(text: &str, place: &str) -> Result<(), String> {
    if text.is_empty() || text.starts_with('/') {
        return Ok(());
    }
    Err(format!(
        "{place}: `{text}` is not a JSON Pointer. Write `/{text}`."
    ))
}

fn operation_is_sound(operation: &Operation) -> Result<(), String> {
    let path = operation.path();
    if !path.starts_with('/') {
        return Err(format!("the path `{path}` must start with `/`"));
    }
    if TAKEN.contains(&path.as_str()) {
        return Err(format!(
            "the path `{path}` belongs to the bench. Choose another."
        ));
    }
    if path.contains(['?', '#', ' ']) {
        return Err(format!(
            "the path `{path}` must not have a query. Arguments of a GET go into the query by themselves."
        ));
    }
    let method = operation.method();
    if !METHODS.contains(&method) {
        return Err(format!(
            "the method `{method}` must be one of {}",
            METHODS.join(", ")
        ));
    }
    if !operation.input.is_object() {
        return Err("`input` must be a JSON Schema of an object".to_owned());
    }
    for hole in path
        .split('/')
        .filter(|segment| segment.contains(['{', '}']))
    {
        let name = hole
            .strip_prefix('{')
            .and_then(|hole| hole.strip_suffix('}'));
        let known = name.is_some_and(|name| operation.input["properties"].get(name).is_some());
        if !known {
            return Err(format!(
                "`{hole}` in the path must be a whole segment and the name of a property of `input`"
            ));
        }
    }
    if operation.effect == Effect::Safe && !operation.does.is_empty() {
        return Err("a safe operation does nothing. Remove `does`, or give `effect` as `idempotent` or `unsafe`.".to_owned());
    }
    for (at, change) in operation.does.iter().enumerate() {
        is_pointer(&change.at, &format!("does[{at}].at"))?;
        if let Some(add) = &change.add {
            let text = add
                .as_str()
                .map(|text| text.strip_prefix('-').unwrap_or(text));
            let named = text.is_some_and(|text| argument(text).is_some() || text.starts_with("@/"));
            if !add.is_number() && !named {
                return Err(format!(
                    "does[{at}].add: it must be a number, `$name` or `-$name`"
                ));
            }
        }
        if change.value.is_some() && change.add.is_some() {
            return Err(format!("does[{at}]: give `value` or `add`, not both"));
        }
    }
    for (at, fail) in operation.fails.iter().enumerate() {
        failing_is_sound(fail).map_err(|why| format!("fails[{at}]: {why}"))?;
    }
    Ok(())
}

fn failing_is_sound(fail: &Failing) -> Result<(), String> {
    let said = fail.answer.is_some() || fail.lost || fail.crash;
    if !said && !(400..600).contains(&fail.status) {
        return Err(
            "it needs a `status` from 400 to 599, or `answer`, `lost` or `crash`".to_owned(),
        );
    }
    if !fail.code.is_empty() && aon::Code::parse(fail.code.clone()).is_err() {
        return Err(format!(
            "the code `{}` must be small letters, digits and `_`, and start with a letter",
            fail.code
        ));
    }
    if !fail.problem.is_object() {
        return Err("`problem` must be an object: members of the problem".to_owned());
    }
    for (name, value) in &fail.headers {
        let sound =
            name.parse::<http::HeaderName>().is_ok() && value.parse::<http::HeaderValue>().is_ok();
        if !sound {
            return Err(format!("the header `{name}: {value}` is not a valid one"));
        }
    }
    condition_is_sound(&fail.when, "when")
}

fn condition_is_sound(when: &When, place: &str) -> Result<(), String> {
    let tested = when.absent.is_some()
        || when.is.is_some()
        || when.is_not.is_some()
        || when.one_of.is_some()
        || when.not_in.is_some()
        || when.over.is_some()
        || when.under.is_some();
    let looked_at = when.arg.is_some() || when.state.is_some();
    if tested && !looked_at {
        return Err(format!(
            "{place}: a test needs `arg` or `state`, the place it looks at"
        ));
    }
    if looked_at && !tested {
        return Err(format!(
            "{place}: `arg` and `state` need a test: `absent`, `is`, `is_not`, `in`, `not_in`, `over` or `under`"
        ));
    }
    if when.arg.is_some() && when.state.is_some() {
        return Err(format!(
            "{place}: give `arg` or `state`, not both. Two conditions go into `all`."
        ));
    }
    for pointer in when.arg.iter().chain(&when.state) {
        is_pointer(pointer, place)?;
    }
    let lists = [("all", &when.all), ("any", &when.any)];
    for (name, list) in lists {
        for (at, inner) in list.iter().flatten().enumerate() {
            condition_is_sound(inner, &format!("{place}.{name}[{at}]"))?;
        }
    }
    match &when.not {
        Some(inner) => condition_is_sound(inner, &format!("{place}.not")),
        None => Ok(()),
    }
}

/// With short forms written out: a list of valid values is about the one field that `errors` names.
fn settled(mut scenario: Scenario) -> Result<Scenario, String> {
    for operation in &mut scenario.operations {
        operation.method = operation.method.take().map(|method| method.to_uppercase());
        for (at, fail) in operation.fails.iter_mut().enumerate() {
            let Some(values) = fail
                .problem
                .get("valid_values")
                .filter(|values| values.is_array())
            else {
                continue;
            };
            let errors = fail.problem["errors"].as_array().map(Vec::as_slice);
            let pointer = match errors.unwrap_or_default() {
                [only] => only["pointer"].as_str(),
                _ => None,
            };
            let field = pointer.and_then(|pointer| pointer.rsplit('/').next());
            let Some(field) = field.filter(|field| !field.is_empty()) else {
                return Err(format!(
                    "operations `{}`: fails[{at}].problem.valid_values must say for which field: {{\"field\": [\"a\", \"b\"]}}. A list alone is enough where `errors` names one field.",
                    operation.name
                ));
            };
            let by_field = serde_json::json!({field: values});
            fail.problem["valid_values"] = by_field;
        }
    }
    Ok(scenario)
}

/// Members of problems that every reader leaves out, because they are not what they should be.
fn left_out(scenario: &Scenario) -> Result<Vec<String>, String> {
    let world = World::new(scenario.clone());
    let mut out = Vec::new();
    for operation in &scenario.operations {
        let strange = templates::strange(operation).into_iter();
        out.extend(strange.map(|what| format!("operations `{}`: {what}", operation.name)));
        for (at, fail) in operation.fails.iter().enumerate() {
            if fail.answer.is_some() || fail.lost || fail.crash {
                continue;
            }
            let place = format!("operations `{}`: fails[{at}].problem", operation.name);
            let mut shown = fail.clone();
            shown.problem = world.rendered(&fail.problem, &scenario.call.arguments);
            let problem = server::problem(&shown).map_err(|why| format!("{place}: {why}"))?;
            out.extend(
                strange_errors(&fail.problem)
                    .into_iter()
                    .map(|what| format!("{place}.errors{what}")),
            );
            out.extend(
                lost_members(&problem, &shown)
                    .into_iter()
                    .map(|what| format!("{place}.{what}")),
            );
        }
    }
    Ok(out)
}

/// Why nobody finds a field in `errors`.
fn strange_errors(problem: &Value) -> Option<String> {
    let errors = problem.get("errors")?;
    let form = "it is a list such as [{\"pointer\": \"#/size\", \"detail\": \"…\"}]";
    let Some(items) = errors.as_array() else {
        return Some(format!(" names no field: {form}."));
    };
    let at = items.iter().position(|item| {
        let pointer = item["pointer"].as_str().unwrap_or("-");
        let pointer = pointer.strip_prefix('#').unwrap_or(pointer);
        !pointer.is_empty() && !pointer.starts_with('/')
    })?;
    Some(format!("[{at}] names no field: {form}."))
}

fn lost_members(problem: &ProblemDetails, fail: &Failing) -> Vec<String> {
    let read: Value = serde_json::from_slice(&problem.to_vec()).unwrap_or_default();
    let members = fail.problem.as_object().into_iter().flatten();
    let lost =
        members.filter(|(name, value)| !value.is_null() && read.get(name.as_str()).is_none());
    lost.map(|(name, _)| {
        let way_out = match name.as_str() {
            "remediation" => "its `type` is one of wait_for_provisioning, request_scope_elevation, switch_user, register_custom_domain and none; `none`, and no other, has a `reason`; `next_action` is an object",
            "valid_values" => "it maps each field to a list of values, or of {\"value\", \"label\"}",
            "retry_after" => "it is a number of seconds",
            _ => "it has another type, or its name is not allowed",
        };
        format!("{name} is left out, as every reader would: {way_out}.")
    })
    .collect()
}
