//! Which of the operations the caller knows is meant, by a name or by a path.

use aon_core::recovery::Rule;
use aon_core::suggest;
use serde_json::Value;

use super::{Decision, Effect, Operation, Recovery};
use crate::arguments;

impl<'a> Recovery<'a> {
    pub(super) fn is_unknown_operation(&self) -> bool {
        let code = self.last.problem().and_then(|problem| problem.code());
        code.is_some_and(|code| code.as_str() == "unknown_operation") || self.operation().is_none()
    }

    /// The nearest operation the caller knows, or one that is suggested and allowed.
    pub(super) fn other_name(&mut self) -> Option<Decision> {
        if !self.is_unknown_operation() || self.last.lost.is_some() {
            return None;
        }
        let names = self.known.iter().map(|known| known.name.as_str());
        let own = suggest::nearest(&self.call.operation, names).or_else(|| self.synonym());
        let own = own.or_else(|| self.permitted());
        let suggested = self.last.suggestion().and_then(|word| self.resolve(&word));
        let suggested = suggested.filter(|known| {
            own == Some(&known.name) || self.allowed.operation(&known.name, known.effect)
        });
        let own = self
            .known
            .iter()
            .find(|known| Some(known.name.as_str()) == own);
        let meant = suggested.or(own)?;
        if meant.name == self.call.operation || self.is_spent(Rule::Name, &meant.name) {
            return None;
        }
        self.spent.push((Rule::Name, meant.name.clone()));
        self.call.operation.clone_from(&meant.name);
        if let Some(fix) = self.case().fix() {
            self.call.arguments = fix.arguments;
        }
        let words = format!("send {}", self.call.operation);
        Some(self.send(Rule::Name, &words))
    }

    /// The one operation that does the same by its name, and takes the arguments that were given.
    fn synonym(&self) -> Option<&'a str> {
        let given = suggest::without_namespace(&self.call.operation);
        let names = || self.known.iter().map(|known| known.name.as_str());
        let bare = suggest::nearest(given, names()).filter(|_| given != self.call.operation);
        let meant = bare
            .or_else(|| suggest::operation(&self.call.operation, names()))
            .or_else(|| suggest::operation(given, names()))?;
        let known = self.known.iter().find(|known| known.name == meant);
        known
            .filter(|known| self.takes(known, true))
            .map(|known| known.name.as_str())
    }

    /// The one operation that does the same and was allowed by its name, or reads the same, if it takes these arguments.
    fn permitted(&self) -> Option<&'a str> {
        let takes = |known: &&Operation| self.takes(known, false);
        let named = |known: &&Operation| self.allowed.operations.contains(&known.name);
        let names = |known: &'a Operation| known.name.as_str();
        let known = || self.known.iter().filter(takes);
        let given = &self.call.operation;
        suggest::allowed_operation(given, known().filter(named).map(names)).or_else(|| {
            let reads = known().filter(|known| known.effect == Effect::Safe);
            suggest::reading(given, reads.map(names))
        })
    }

    /// Whether an operation takes the arguments that were given; where its schema is not known, `otherwise`.
    pub(super) fn takes(&self, known: &Operation, otherwise: bool) -> bool {
        let given = self.call.arguments.as_object().into_iter().flatten();
        match known.schema.get("properties") {
            Some(Value::Object(properties)) => {
                let mut names = given.map(|(name, _)| name);
                names.all(|name| properties.contains_key(name))
                    && arguments::check(&self.call.arguments, &known.schema).is_empty()
            }
            _ => otherwise,
        }
    }

    /// The operation a word stands for: its name, or its path.
    fn resolve(&self, word: &str) -> Option<&'a Operation> {
        let by_name = self.known.iter().find(|known| known.name == word);
        by_name.or_else(|| self.at_path(word))
    }

    /// The one operation at a path, as it is written or filled in.
    pub(super) fn at_path(&self, url: &str) -> Option<&'a Operation> {
        if !self.allowed.url(url) {
            return None;
        }
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..))?,
            None => url,
        };
        let path = path.split(['?', '#']).next().unwrap_or(path);
        let found = self.known.iter().filter(|known| {
            known
                .path
                .as_deref()
                .is_some_and(|own| same_path(own, path))
        });
        let mut found: Vec<&Operation> = found.collect();
        // A list of tools or skills has no paths.
        if found.is_empty() && self.known.iter().all(|known| known.path.is_none()) {
            let names: Vec<&str> = self.known.iter().map(|known| known.name.as_str()).collect();
            let spoken = suggest::at_path(path, &names);
            let named = |known: &&Operation| spoken.contains(&known.name.as_str());
            found = self.known.iter().filter(named).collect();
        }
        // Of several at one path the caller may have allowed one.
        let named = |known: &&&Operation| self.allowed.operations.contains(&known.name);
        let mut allowed = found.iter().filter(named);
        match (found.as_slice(), allowed.next(), allowed.next()) {
            ([only], _, _) | (_, Some(only), None) => Some(only),
            _ => None,
        }
    }
}

/// Whether a template and a path are the same, holes apart.
fn same_path(template: &str, path: &str) -> bool {
    let hole = |segment: &str| segment.starts_with('{');
    let (mut a, mut b) = (template.split('/'), path.split('/'));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(own), Some(other)) if own == other || hole(own) || hole(other) => {}
            _ => return false,
        }
    }
}
