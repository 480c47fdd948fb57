//! Names of arguments that the schema does not know, and arguments that say nothing.

use aon_core::{pointer, suggest};
use serde_json::Value;

use super::super::{Effect, required};
use super::{Case, Fix};
use crate::arguments;

/// What agents wrap arguments in. Inside another name they may mean something else: `{"preview": {…}}`.
const WRAPPERS: [&str; 10] = [
    "params",
    "parameters",
    "arguments",
    "args",
    "kwargs",
    "input",
    "data",
    "body",
    "payload",
    "request",
];

impl Case<'_> {
    /// The arguments with one that is not known under the name that was meant; where the call only reads, without it if no name was.
    pub(super) fn known_as(
        &self,
        mut value: Value,
        at: &str,
        known: &[String],
        named: &mut Vec<String>,
    ) -> Option<Value> {
        let (parent, name) = at.rsplit_once('/')?;
        let name = pointer::unescape(name).into_owned();
        let lacking = self.lacking(&value, parent);
        let rivals = self.strangers(&value, parent).len();
        let reads = self.is_safe();
        let holder = value.pointer_mut(parent)?.as_object_mut()?;
        if !holder.contains_key(&name) {
            // It was taken for a required field that was missing.
            return Some(value);
        }
        let free = known.iter().filter(|known| !holder.contains_key(*known));
        let free: Vec<&str> = free.map(String::as_str).collect();
        let required = || lacking.iter().map(String::as_str);
        let remaining = || match lacking.as_slice() {
            [only] if reads && rivals == 1 => Some(only.as_str()),
            _ => None,
        };
        let meant = suggest::field(&name, free.iter().copied())
            .or_else(|| suggest::meant(&name, &free))
            .or_else(|| suggest::shortened(&name, required()).filter(|_| reads))
            .or_else(remaining)
            .map(str::to_owned);
        let moved = holder.remove(&name)?;
        match meant {
            Some(meant) => {
                named.push(format!("{parent}/{}", pointer::escape(&meant)));
                holder.insert(meant, moved);
                Some(value)
            }
            None => (reads && lacking.is_empty()).then_some(value),
        }
    }

    /// A required field that is there under a name the schema does not know.
    pub(super) fn misnamed(&self, value: &Value, at: &str) -> Option<(Value, String)> {
        let (parent, name) = at.rsplit_once('/')?;
        let name = pointer::unescape(name).into_owned();
        let strangers = self.strangers(value, parent);
        let strangers: Vec<&str> = strangers.iter().map(String::as_str).collect();
        let stranger = suggest::field(&name, strangers.iter().copied())
            .or_else(|| suggest::meant(&name, &strangers))?
            .to_owned();
        let mut value = value.clone();
        let holder = value.pointer_mut(parent)?.as_object_mut()?;
        let moved = holder.remove(&stranger)?;
        holder.insert(name, moved);
        Some((value, format!("{parent}/{}", pointer::escape(&stranger))))
    }

    /// The names at a place that the schema does not know.
    fn strangers(&self, value: &Value, parent: &str) -> Vec<String> {
        let schema = self.schema_at(parent);
        let known = schema.and_then(|schema| schema.get("properties")?.as_object());
        let Some((known, holder)) = known.zip(value.pointer(parent).and_then(Value::as_object))
        else {
            return Vec::new();
        };
        let names = holder.keys().filter(|name| !known.contains_key(*name));
        names.cloned().collect()
    }

    /// The names at a place that the schema requires and that are not there.
    fn lacking(&self, value: &Value, parent: &str) -> Vec<String> {
        let required = self.schema_at(parent).into_iter().flat_map(required);
        let holder = value.pointer(parent);
        let missing =
            required.filter(|name| holder.is_none_or(|holder| holder.get(name).is_none()));
        missing.map(str::to_owned).collect()
    }

    /// The arguments without a `null` that stands for nothing: the field may be left out.
    pub(super) fn without_null(&self, value: &Value, at: &str) -> Option<Value> {
        value.pointer(at).filter(|given| given.is_null())?;
        let (parent, name) = at.rsplit_once('/')?;
        let name = pointer::unescape(name);
        let schema = self.schema_at(parent)?;
        schema.get("properties")?.get(&*name)?;
        if required(schema).any(|required| *required == *name) {
            return None;
        }
        let mut value = value.clone();
        value.pointer_mut(parent)?.as_object_mut()?.remove(&*name)?;
        Some(value)
    }

    /// The arguments that stand inside the only one, which the operation does not know: `{"params": {…}}`.
    pub(super) fn unwrapped(&self) -> Option<Fix> {
        let operation = self.operation?;
        let known = operation.schema.get("properties")?.as_object()?;
        let mut given = self.call.arguments.as_object()?.iter();
        let (name, inner) = given
            .next()
            .filter(|(name, _)| !known.contains_key(*name))?;
        if given.next().is_some() || self.own_faults().is_empty() {
            return None;
        }
        let inner = match inner.as_str() {
            Some(text) => serde_json::from_str(text).ok()?,
            None => inner.clone(),
        };
        let names = inner.as_object()?.keys().chain([name]);
        let named: Vec<String> = names
            .map(|name| format!("/{}", pointer::escape(name)))
            .collect();
        let fits = arguments::check(&inner, &operation.schema).is_empty();
        let sure = (fits && WRAPPERS.contains(&name.as_str())) || operation.effect == Effect::Safe;
        self.admit(inner, &named).filter(|_| sure)
    }
}
