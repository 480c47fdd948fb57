//! Applying a patch to a copy: whole, or not at all.

use serde_json::{Number, Value};

use super::allow::{get, index, may_insert};
use super::{Kind, Operation, PatchRules, Refused, Why};

/// What is shown of a document.
type Shows<'a> = &'a dyn Fn(&Value) -> Value;

/// Applies all operations in order. With `shows`, a value that is not shown as it is can neither be looked at nor carried
/// elsewhere.
pub(super) fn all(
    operations: &[Operation],
    document: &Value,
    rules: &PatchRules,
    shows: Option<Shows<'_>>,
) -> Result<Value, Refused> {
    let limits = rules.limits;
    let mut patched = document.clone();
    // What copies could double at every operation is counted on the way, the rest by the size of the patch.
    let mut copied = 0_usize;
    let mut shown = None;
    let mut shifted: Vec<&[String]> = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let refused = |why| Refused::at(at, why, &operation.path);
        if names_other_items(operation, &shifted) {
            return Err(refused(Why::MovesOthers));
        }
        if let (Some(place), Some(shows)) = (operation.looks_at(), shows) {
            // Asked of the document as it is by now: an operation before this one may have moved a hidden item here.
            let shown = shown.get_or_insert_with(|| shows(&patched));
            if get(&patched, place) != get(shown, place) {
                return Err(refused(Why::Hidden));
            }
        }
        if operation.kind == Kind::Copy {
            let value = get(&patched, &operation.from).ok_or_else(|| refused(Why::NoSuchPlace))?;
            copied = copied.saturating_add(size(value));
            if copied > limits.document {
                return Err(refused(Why::ResultTooLarge));
            }
        }
        one(&mut patched, operation, rules).map_err(refused)?;
        if operation.kind != Kind::Test {
            shown = None;
        }
        shifted.extend(shifts(operation, &patched, rules));
    }
    let last = operations.len().saturating_sub(1);
    if !operations.is_empty() {
        let deepest = depth(document).max(limits.depth);
        if size(&patched) > limits.document.max(size(document)) {
            return Err(Refused::unread(last, Why::ResultTooLarge));
        }
        if depth(&patched) > deepest {
            return Err(Refused::unread(last, Why::TooDeep));
        }
    }
    Ok(patched)
}

/// The array whose items have other indices now, because one that was named exactly was taken out of it.
fn shifts<'o>(
    operation: &'o Operation,
    patched: &Value,
    rules: &PatchRules,
) -> Option<&'o [String]> {
    let taken = match operation.kind {
        Kind::Remove => &operation.path,
        Kind::Move => &operation.from,
        Kind::Add | Kind::Replace | Kind::Copy | Kind::Test => return None,
    };
    let (last, array) = taken.split_last()?;
    let items = get(patched, array)?.as_array()?;
    let moved = index(last).is_some_and(|at| at < items.len());
    (moved && !rules.removable.may_shift(taken)).then_some(array)
}

/// Whether an operation names an item by the index another one had when that index was allowed.
fn names_other_items(operation: &Operation, shifted: &[&[String]]) -> bool {
    let within = |path: &[String]| {
        shifted.iter().any(|array| {
            let item = path.strip_prefix(*array).and_then(<[String]>::first);
            item.is_some_and(|item| item != "-")
        })
    };
    within(&operation.path) || within(&operation.from)
}

fn one(document: &mut Value, operation: &Operation, rules: &PatchRules) -> Result<(), Why> {
    let Operation {
        kind,
        path,
        from,
        value,
    } = operation;
    match kind {
        Kind::Add => add(document, path, value.clone(), rules),
        Kind::Remove => remove(document, path).map(drop),
        Kind::Replace => {
            *find(document, path).ok_or(Why::NoSuchPlace)? = value.clone();
            Ok(())
        }
        Kind::Move => {
            if path.len() > from.len() && path.starts_with(from) {
                return Err(Why::IntoItself);
            }
            let moved = remove(document, from)?;
            add(document, path, moved, rules)
        }
        Kind::Copy => {
            let copied = get(document, from).ok_or(Why::NoSuchPlace)?.clone();
            add(document, path, copied, rules)
        }
        Kind::Test => {
            let found = get(document, path).ok_or(Why::NoSuchPlace)?;
            if equal(found, value) {
                Ok(())
            } else {
                Err(Why::TestFailed)
            }
        }
    }
}

fn add(document: &mut Value, path: &[String], value: Value, rules: &PatchRules) -> Result<(), Why> {
    let Some((last, parents)) = path.split_last() else {
        *document = value;
        return Ok(());
    };
    match find(document, parents).ok_or(Why::NoSuchPlace)? {
        Value::Object(members) => {
            members.insert(last.clone(), value);
            Ok(())
        }
        Value::Array(items) => {
            if !may_insert(path, rules) {
                return Err(Why::MovesOthers);
            }
            let at = if last == "-" {
                items.len()
            } else {
                index(last).ok_or(Why::NoSuchPlace)?
            };
            if at > items.len() {
                return Err(Why::NoSuchPlace);
            }
            items.insert(at, value);
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(Why::NoSuchPlace),
    }
}

fn remove(document: &mut Value, path: &[String]) -> Result<Value, Why> {
    let Some((last, parents)) = path.split_last() else {
        return Ok(document.take());
    };
    match find(document, parents).ok_or(Why::NoSuchPlace)? {
        Value::Object(members) => members.remove(last).ok_or(Why::NoSuchPlace),
        Value::Array(items) => {
            let at = index(last).filter(|at| *at < items.len());
            at.map(|at| items.remove(at)).ok_or(Why::NoSuchPlace)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(Why::NoSuchPlace),
    }
}

fn find<'a>(document: &'a mut Value, steps: &[String]) -> Option<&'a mut Value> {
    let mut at = document;
    for step in steps {
        at = match at {
            Value::Object(members) => members.get_mut(step)?,
            Value::Array(items) => items.get_mut(index(step)?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    Some(at)
}

/// Equality as RFC 6902 section 4.6 means it: numbers by their value, members in any order.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    if a == b {
        return true;
    }
    if !a.is_f64() && !b.is_f64() {
        return false;
    }
    match (a.as_f64(), b.as_f64()) {
        // The same value in another notation; 0 and -0 are the same number.
        (Some(a), Some(b)) => a.partial_cmp(&b) == Some(std::cmp::Ordering::Equal),
        _ => false,
    }
}

/// About how many bytes a value has as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 20,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| name.len() + size(value) + 4;
            members.iter().map(member).sum::<usize>() + 2
        }
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(depth).max().unwrap_or(0) + 1,
        Value::Object(members) => members.values().map(depth).max().unwrap_or(0) + 1,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
