//! The call that was meant, where that is clear, and the values to choose from, where it is not.

use aon_core::{Choice, Json, Pointer, ProblemDetails, pointer, suggest};
use serde_json::{Map, Value};

use super::{Allowed, Call, Effect, Operation, Seen};
use crate::arguments::{self, Fault, What};
use crate::surface::correct::Correction;

mod keys;
mod words;

/// Changed arguments, and what was changed: pointer, and the new value where there is one.
#[derive(Clone, Debug)]
pub(super) struct Fix {
    pub(super) arguments: Value,
    pub(super) changed: Vec<(String, Option<Value>)>,
}

/// What is known of a call that failed.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) seen: &'a Seen,
    pub(super) call: &'a Call,
    pub(super) operation: Option<&'a Operation>,
    pub(super) allowed: &'a Allowed,
    pub(super) tried: &'a [String],
}

impl Case<'_> {
    /// The corrected call: what the server says, then what its words mean, then what the caller's own schema tells.
    pub(super) fn fix(&self) -> Option<Fix> {
        if !self.may_change() {
            return None;
        }
        let given = &self.call.arguments;
        let told = || {
            let corrected = self.seen.corrected.clone()?;
            self.admit(corrected, &self.named())
        };
        let by_values = || {
            let problem = self.seen.problem.as_ref()?;
            let correction = Correction::of(problem, &Json::of(given).ok()?)?;
            self.admit(correction.arguments().to_value(), &self.named())
        };
        let by_words = || self.mended(&self.told_faults());
        let by_schema = || self.mended(&self.own_faults());
        let (only, unwrapped) = (|| self.only(), || self.unwrapped());
        let ways: [&dyn Fn() -> Option<Fix>; 6] =
            [&told, &by_values, &by_words, &by_schema, &only, &unwrapped];
        let guarded = |fix: &Fix| {
            let mut changed = fix.changed.iter();
            changed
                .any(|(place, new)| self.is_guarded(place) || self.is_another(place, new.as_ref()))
        };
        ways.iter()
            .find_map(|way| way().filter(|fix| !guarded(fix)))
    }

    /// Whether a field says which version the call is based on, after a conflict: with another one the call would overwrite what it
    /// never saw, so only the owner changes it.
    pub(super) fn is_guarded(&self, place: &str) -> bool {
        matches!(self.seen.status(), Some(409 | 412 | 428))
            && !self.is_safe()
            && suggest::is_version(&pointer::tokens(place).next_back().unwrap_or_default())
    }

    /// Whether a call that does something would do it with the number of another account, card or record.
    fn is_another(&self, place: &str, new: Option<&Value>) -> bool {
        let old = self.call.arguments.pointer(place).and_then(Value::as_str);
        let new = new.and_then(Value::as_str);
        let numbers = old.zip(new);
        !self.is_safe() && numbers.is_some_and(|(old, new)| suggest::are_other(old, new))
    }

    /// The call with the values that are clear, and with the only ones there are, where they may be taken unasked.
    fn only(&self) -> Option<Fix> {
        let open = self.choices();
        if open.is_empty() {
            return None;
        }
        let unclear = open.iter().filter(|open| !open.clear);
        let only = unclear.map(|open| match open.values.as_slice() {
            [only] => {
                let only = only.value().to_value();
                let may = self.may_take(&open.field, &only, true);
                may.then(|| (open.field.clone(), only))
            }
            _ => None,
        });
        let only: Vec<(String, Value)> = only.collect::<Option<_>>()?;
        self.with(&only)
    }

    /// Whether the only value there is may be taken: where the call only reads, or where the one thing that was told or read
    /// fills a field that is missing. Nobody gives a consent unasked.
    pub(super) fn may_take(&self, field: &str, only: &Value, alone: bool) -> bool {
        let missing = self.call.arguments.pointer(field).is_none() && !self.is_guarded(field);
        let text = only.as_str();
        let consent = suggest::is_consent(field) || text.is_some_and(suggest::is_consent);
        self.is_safe() || (missing && alone && text.is_some() && !consent)
    }

    /// The fields of which nobody told the values: those that are missing or wrong, and those that the problem names.
    pub(super) fn free(&self) -> Vec<String> {
        let about = !matches!(self.seen.status(), Some(401 | 403 | 429));
        let refused = self.seen.refused() || self.complains_of_arguments();
        if self.seen.lost.is_some() || !about || !refused {
            return Vec::new();
        }
        let mut faults = self.told_faults();
        if faults.is_empty() {
            faults = self.own_faults();
        }
        // Where a name is not known, no value helps.
        let strange = faults
            .iter()
            .filter(|fault| matches!(fault.what, What::Unknown(_)));
        let strange: Vec<Fault> = strange.cloned().collect();
        if self
            .mend(self.call.arguments.clone(), &strange, &mut Vec::new())
            .is_none()
        {
            return Vec::new();
        }
        let told = self.choices();
        let named = self.seen.named();
        let values = faults.iter().filter_map(|fault| match &fault.what {
            What::Missing(_) | What::Wrong { .. } | What::NotOneOf(_) => Some(&fault.pointer),
            What::Unknown(_) | What::Duplicate | What::Other(_) => None,
        });
        let others = named
            .iter()
            .filter(|place| faults.iter().all(|fault| fault.pointer != **place));
        let mut out: Vec<String> = Vec::new();
        for place in values.chain(others) {
            let open = told.iter().any(|open| open.field == *place);
            let may = self.allowed.field(place) && self.is_argument(place);
            if may && !open && !out.contains(place) {
                out.push(place.clone());
            }
        }
        out
    }

    /// The fields that wait for a choice, pointer and values: first those of which nothing clear was given.
    pub(super) fn choices(&self) -> Vec<Open> {
        if !self.may_change() {
            return Vec::new();
        }
        let named = self.seen.named();
        let told = self.seen.problem.iter().flat_map(|problem| {
            let fields = problem.valid_values().iter();
            fields.map(|(field, choices)| (place_of(field, &named), choices.to_vec()))
        });
        let faults = self.told_faults().into_iter().chain(self.own_faults());
        let faults = faults.map(|fault| {
            let given = self.call.arguments.pointer(&fault.pointer);
            let limit = given.and_then(|given| words::limit(given, &fault.what));
            let choices = limit.map_or_else(|| fault.choices().to_vec(), |limit| vec![limit]);
            (fault.pointer, choices)
        });
        let suggested = self.suggested().into_iter();
        let open = told.chain(faults).chain(suggested);
        let open = open.filter(|(pointer, choices)| {
            let given = self.call.arguments.pointer(pointer);
            let fits = |given: &Value| {
                choices
                    .iter()
                    .any(|choice| choice.value().to_value() == *given)
            };
            !choices.is_empty()
                && !given.is_some_and(fits)
                && self.allowed.field(pointer)
                && self.is_argument(pointer)
        });
        let mut out: Vec<Open> = Vec::new();
        for (field, values) in open {
            if out.iter().all(|known| known.field != field) {
                let clear = !self.is_guarded(&field)
                    && meant_of(&self.call.arguments, &field, &values).is_some();
                out.push(Open {
                    field,
                    values,
                    clear,
                });
            }
        }
        out.sort_by_key(|open| open.clear);
        out
    }

    /// The values that are suggested for the one field that is named.
    fn suggested(&self) -> Option<(String, Vec<Choice>)> {
        let mut faults = self.told_faults().into_iter().chain(self.own_faults());
        let names = faults.any(|fault| matches!(fault.what, What::Unknown(_)));
        let field = match self.seen.named().as_slice() {
            [only] if !names => only.clone(),
            _ => return None,
        };
        let mut told = ["suggestion", "did_you_mean"].iter();
        let told = told.find_map(|name| self.seen.extension(name))?;
        let one = std::slice::from_ref(&told);
        let told = told.as_array().map_or(one, Vec::as_slice);
        // An address is a place to go to, and not a value.
        let is_place = |told: &Value| told.as_str().is_some_and(|told| told.starts_with('/'));
        let values = told.iter().filter(|told| !is_place(told));
        let values = values.map(super::learn::choice).collect::<Option<_>>()?;
        Some((field, values))
    }

    /// The call with the values that were chosen, and what else is clear by the problem or the schema.
    pub(super) fn with(&self, chosen: &[(String, Value)]) -> Option<Fix> {
        let mut changed = self.call.arguments.clone();
        let mut named = Vec::new();
        for (pointer, value) in chosen {
            put(&mut changed, pointer, value.clone())?;
            named.push(pointer.clone());
        }
        let clear = self.choices().into_iter().filter(|open| open.clear);
        for Open { field, values, .. } in clear {
            if named.contains(&field) {
                continue;
            }
            if let Some(meant) = meant_of(&changed, &field, &values) {
                changed = meant;
                named.push(field);
            }
        }
        self.admit(changed, &named)
    }

    /// A changed call is another call: it may be sent where the first one was refused, or does no harm.
    fn may_change(&self) -> bool {
        let harmless = self
            .operation
            .is_some_and(|operation| operation.effect != Effect::Unsafe);
        self.seen.lost.is_none()
            && (self.seen.refused() || harmless || self.complains_of_arguments())
    }

    /// Whether words without a status are about the arguments, which are read before anything is done: words of a
    /// reader, or about the very fields that the schema says are wrong.
    fn complains_of_arguments(&self) -> bool {
        if self.seen.status().is_some() {
            return false;
        }
        let Some(text) = &self.seen.text else {
            return false;
        };
        let faults = self.own_faults();
        let mentioned = |fault: &Fault| {
            let field = fault.field();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            !field.is_empty() && words.any(|word| word == field)
        };
        !self.told_faults().is_empty() || (!faults.is_empty() && faults.iter().all(mentioned))
    }

    /// Whether a pointer can be one of the operation's arguments, as far as that is known.
    fn is_argument(&self, pointer: &str) -> bool {
        let first = pointer::tokens(pointer).next().unwrap_or_default();
        if self.call.arguments.get(&*first).is_some() {
            return true;
        }
        let schema = self.operation.map(|operation| &operation.schema);
        match schema.and_then(|schema| schema.get("properties")) {
            Some(properties) => properties.get(&*first).is_some(),
            None => !matches!(
                &*first,
                "" | "field" | "method" | "route" | "tool" | "skill" | "content-type"
            ),
        }
    }

    fn named(&self) -> Vec<String> {
        let mut named = self.seen.named();
        let keys = self
            .seen
            .problem
            .iter()
            .flat_map(|problem| problem.valid_values().iter());
        named.extend(keys.map(|(key, _)| key.to_owned()));
        named
    }

    /// What the words of the server say is wrong.
    fn told_faults(&self) -> Vec<Fault> {
        let told = self.seen.problem.as_ref().map(words::faults);
        if let Some(told) = told.filter(|told| !told.is_empty()) {
            return told;
        }
        let text = self.seen.text.as_deref().unwrap_or_default();
        let Some(text) = words::of_serde(text) else {
            return Vec::new();
        };
        let fault = Fault::from_message(&self.call.arguments, text);
        if matches!(fault.what, What::Other(_)) {
            return Vec::new();
        }
        vec![fault]
    }

    /// What the caller's own schema says is wrong, where the failure can be about that.
    fn own_faults(&self) -> Vec<Fault> {
        let about = matches!(self.seen.status(), None | Some(400 | 404 | 422));
        match self.operation.filter(|_| about) {
            Some(operation) => arguments::check(&self.call.arguments, &operation.schema),
            None => Vec::new(),
        }
    }

    fn mended(&self, faults: &[Fault]) -> Option<Fix> {
        if faults.is_empty() {
            return None;
        }
        let mut named = Vec::new();
        let mended = self.mend(self.call.arguments.clone(), faults, &mut named)?;
        self.admit(mended, &named)
    }

    fn mend(&self, mut value: Value, faults: &[Fault], named: &mut Vec<String>) -> Option<Value> {
        // A field that is missing may be there under a name that is not known.
        let is_unknown = |fault: &&Fault| matches!(fault.what, What::Unknown(_));
        let unknown = faults.iter().filter(is_unknown);
        let others = faults.iter().filter(|fault| !is_unknown(fault));
        for fault in unknown.chain(others) {
            named.push(fault.pointer.clone());
            value = self.mend_one(value, fault, named)?;
        }
        Some(value)
    }

    /// One fault mended; `None` when what was meant is not clear.
    fn mend_one(&self, mut value: Value, fault: &Fault, named: &mut Vec<String>) -> Option<Value> {
        let at = fault.pointer.as_str();
        if let Some(without) = self.without_null(&value, at) {
            return Some(without);
        }
        match &fault.what {
            What::Unknown(known) => self.known_as(value, at, known, named),
            What::Missing(choices) => {
                // A field whose name was mistyped is there by now.
                if value.pointer(at).is_some() {
                    return Some(value);
                }
                if let Some(renamed) = self.misnamed(&value, at) {
                    named.push(renamed.1);
                    return Some(renamed.0);
                }
                let default = self.schema_at(at).and_then(|schema| schema.get("default"));
                // The only value may be a consent that nobody gave: then the caller is asked.
                let only = match choices.as_slice() {
                    [only] => Some(only.value()).filter(|only| match only.as_str() {
                        Some(text) => !suggest::is_consent(text) && !suggest::is_consent(at),
                        None => self.is_safe(),
                    }),
                    _ => None,
                };
                let only = only.map(aon_core::ChoiceValue::to_value);
                put(&mut value, at, default.cloned().or(only)?)?;
                Some(value)
            }
            What::NotOneOf(_) | What::Wrong { .. } => {
                let problem = arguments::problem(std::slice::from_ref(fault))?;
                let given = Json::of(&value).ok()?;
                if let Some(correction) = Correction::of(&problem, &given) {
                    return Some(correction.arguments().to_value());
                }
                if let Some(truth) = words::truth(value.pointer(at)?, fault) {
                    put(&mut value, at, Value::from(truth))?;
                    return Some(value);
                }
                let What::Wrong { expected, .. } = &fault.what else {
                    return None;
                };
                let meant = words::meant(value.pointer(at)?, expected, self.is_safe())?;
                put(&mut value, at, meant)?;
                Some(value)
            }
            What::Duplicate | What::Other(_) => None,
        }
    }

    fn is_safe(&self) -> bool {
        self.operation
            .is_some_and(|operation| operation.effect == Effect::Safe)
    }

    /// The schema of a place, as far as `properties` leads there.
    fn schema_at(&self, at: &str) -> Option<&Value> {
        let mut schema = &self.operation?.schema;
        for token in pointer::tokens(at) {
            schema = match schema.get("properties").and_then(|all| all.get(&*token)) {
                Some(found) => found,
                None => schema.get("items")?,
            };
        }
        Some(schema)
    }

    /// Takes changed arguments if they are an object, were not sent before, change only what is named and allowed, and fit the
    /// schema; what else the schema corrects is corrected too.
    fn admit(&self, mut changed: Value, named: &[String]) -> Option<Fix> {
        if !changed.is_object() {
            return None;
        }
        let mut named = named.to_vec();
        if let Some(operation) = self.operation {
            let faults = arguments::check(&changed, &operation.schema);
            if !faults.is_empty() {
                changed = self.mend(changed, &faults, &mut named)?;
                if !arguments::check(&changed, &operation.schema).is_empty() {
                    return None;
                }
            }
        }
        let mut changes = Vec::new();
        compare(
            &self.call.arguments,
            &changed,
            &mut String::new(),
            &mut changes,
        );
        let covered = changes.iter().all(|(pointer, _)| {
            named.iter().any(|name| covers(name, pointer))
                && self.allowed.field(pointer)
                && self.is_argument(pointer)
        });
        let call = Call::new(self.call.operation.clone(), changed);
        let is_new = !self.tried.contains(&call.key());
        (!changes.is_empty() && covered && is_new).then_some(Fix {
            arguments: call.arguments,
            changed: changes,
        })
    }
}

/// A field that takes one of some values.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// JSON Pointer.
    pub(super) field: String,
    pub(super) values: Vec<Choice>,
    /// Whether the one that was meant is clear.
    pub(super) clear: bool,
}

/// The arguments with the value of a field that is clearly meant.
fn meant_of(arguments: &Value, field: &str, values: &[Choice]) -> Option<Value> {
    let problem = values_problem(field, values.to_vec());
    let correction = Correction::of(&problem, &Json::of(arguments).ok()?)?;
    Some(correction.arguments().to_value())
}

/// Where a field of `valid_values` stands: at the pointer that is named for it, or at the top.
fn place_of(field: &str, named: &[String]) -> String {
    let own: String = Pointer::of_key(field).into();
    let ends = named.iter().find(|pointer| pointer.ends_with(&own));
    match (ends, named) {
        (Some(pointer), _) => pointer.clone(),
        _ => own,
    }
}

/// Whether a name, a pointer or the key of `valid_values`, speaks of a place.
fn covers(name: &str, place: &str) -> bool {
    let under = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if name.starts_with('/') || name.is_empty() {
        return !name.is_empty() && (under(name, place) || under(place, name));
    }
    pointer::tokens(place).any(|token| token == name)
}

/// Every place where two values differ.
fn compare(old: &Value, new: &Value, at: &mut String, out: &mut Vec<(String, Option<Value>)>) {
    let length = at.len();
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                at.push('/');
                at.push_str(&pointer::escape(name));
                match new.get(name) {
                    Some(other) => compare(value, other, at, out),
                    None => out.push((at.clone(), None)),
                }
                at.truncate(length);
            }
            for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                out.push((
                    format!("{at}/{}", pointer::escape(name)),
                    Some(value.clone()),
                ));
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                at.push('/');
                at.push_str(&index.to_string());
                compare(old, new, at, out);
                at.truncate(length);
            }
        }
        _ if old == new => {}
        _ => out.push((at.clone(), Some(new.clone()))),
    }
}

/// Sets the value at a pointer, making objects on the way; `None` when something else is in the way.
pub(super) fn put(value: &mut Value, pointer: &str, new: Value) -> Option<()> {
    let mut at = value;
    for token in pointer::tokens(pointer) {
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        at = match at {
            Value::Object(members) => members.entry(token.into_owned()).or_insert(Value::Null),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    *at = new;
    Some(())
}

/// The problem that says no more than which values a field may take.
pub(super) fn values_problem(pointer: &str, choices: Vec<Choice>) -> ProblemDetails {
    ProblemDetails::new(
        aon_core::Status::from_static(422),
        aon_core::Code::from_static("invalid_value"),
    )
    .with_valid_values(pointer.to_owned(), choices)
    .with_pointer(pointer, None)
}
