//! The lines of the table, one function each.

use aon_core::recovery::Rule;
use aon_core::{RemediationType, pointer, suggest};
use serde_json::{Map, Value};

use super::machine::Pending;
use super::mend::Fix;
use super::{Call, Decision, Effect, Operation, Recovery, Step, learn, required};
use crate::arguments;

/// The first wait where no delay is told, in milliseconds; it doubles.
const FIRST_WAIT: u64 = 500;
const LONGEST_WAIT: u64 = 8_000;

impl<'a> Recovery<'a> {
    /// The decision of one line, if it applies.
    pub(super) fn apply(&mut self, rule: Rule) -> Option<Decision> {
        let about_arguments = matches!(rule, Rule::Corrected | Rule::Values | Rule::Ask);
        if about_arguments && self.is_unknown_operation() {
            return None;
        }
        match rule {
            Rule::Budget => {
                let spent = self.left.calls == 0 || self.left.millis == 0;
                spent.then(|| self.give_up(rule))
            }
            Rule::Loop => self.looping.then(|| self.give_up(rule)),
            Rule::None => {
                let none = self.last.remediation() == Some(RemediationType::None);
                (none && self.last.delay().is_none()).then(|| self.give_up(rule))
            }
            Rule::Corrected => {
                let fix = self.case().fix()?;
                // Where the values of another field are in a list, one call has both.
                let listed = self.list_beside(&fix);
                listed.or_else(|| Some(self.send_fixed(rule, fix)))
            }
            Rule::Name => self.other_name(),
            Rule::Delay => self.delay(),
            Rule::Scope => self.scope(),
            Rule::SignIn => {
                let asked = self.last.status() == Some(401);
                (asked && self.may_switch()).then(|| self.switch(rule))
            }
            Rule::Values => {
                let open = self.open()?;
                Some(self.choose(rule, open.field, open.values))
            }
            Rule::Choices => self.choices_endpoint(),
            Rule::Tool => self.tool(),
            Rule::NextAction => self.next_action(),
            Rule::OtherUser => {
                let asked = self.last.remediation() == Some(RemediationType::SwitchUser);
                (asked && self.may_switch()).then(|| self.switch(rule))
            }
            Rule::Ask => {
                let free = self.case().free();
                let field = free
                    .into_iter()
                    .find(|field| !self.is_spent(Rule::Values, field))?;
                Some(self.choose(rule, field, Vec::new()))
            }
            Rule::Unknown => {
                let unknown = self.effect() == Effect::Unsafe && !self.last.refused();
                unknown.then(|| self.give_up(rule))
            }
            Rule::Passing => {
                let harmless = self.last.may_repeat(self.effect());
                if !harmless || !self.last.passing() {
                    return None;
                }
                let millis = self.last.delay().unwrap_or_else(|| self.backoff());
                Some(self.wait(rule, millis))
            }
            Rule::Nothing => Some(self.give_up(rule)),
        }
    }

    pub(super) fn give_up(&mut self, rule: Rule) -> Decision {
        let refused = self.last.refused();
        self.decision(rule, Step::GiveUp { refused })
    }

    fn backoff(&self) -> u64 {
        let doubled = FIRST_WAIT.checked_shl(self.waits).unwrap_or(LONGEST_WAIT);
        doubled.min(LONGEST_WAIT)
    }

    fn wait(&mut self, rule: Rule, millis: u64) -> Decision {
        if millis > self.left.millis {
            return self.give_up(Rule::Budget);
        }
        self.waits += 1;
        self.left.millis -= millis;
        self.decision(rule, Step::Wait { millis })
    }

    fn delay(&mut self) -> Option<Decision> {
        let told = self.last.delay();
        let harmless = self.effect() != Effect::Unsafe;
        let applies = self.last.says_repeat() || (harmless && told.is_some());
        if !applies {
            return None;
        }
        // What nobody says how long it takes is done by the operation that is named for it.
        let provisioning =
            self.last.remediation() == Some(RemediationType::WaitForProvisioning) && told.is_none();
        let acts = |known: &&Operation| known.effect != Effect::Safe;
        if provisioning
            && self.suggested().iter().all(acts)
            && let Some(decision) = self.tool()
        {
            return Some(decision);
        }
        let millis = told.unwrap_or_else(|| self.backoff());
        Some(self.wait(Rule::Delay, millis))
    }

    fn scope(&mut self) -> Option<Decision> {
        let scope = self.missing_scope()?;
        if !self.allowed.scope(&scope) || self.is_spent(Rule::Scope, &scope) {
            return None;
        }
        self.spent.push((Rule::Scope, scope.clone()));
        Some(self.decision(Rule::Scope, Step::Elevate { scope }))
    }

    fn missing_scope(&self) -> Option<String> {
        if !matches!(self.last.status(), Some(401 | 403)) {
            return None;
        }
        let told = self.last.next_action("required_scope").map(str::to_owned);
        told.or_else(|| self.last.scopes())
            .or_else(|| {
                let challenge = self.last.challenge.as_deref()?;
                let (_, scope) = challenge.split_once("scope=\"")?;
                Some(scope.split('"').next()?.to_owned())
            })
            .or_else(|| self.spoken_scope())
            .filter(|scope| !scope.trim().is_empty())
    }

    /// The scopes that the caller allowed and the words of the server name.
    fn spoken_scope(&self) -> Option<String> {
        let words = self.last.words();
        let scopes = self.allowed.scopes.iter();
        let named: Vec<&str> = scopes
            .map(String::as_str)
            .filter(|scope| mentions(&words, scope))
            .collect();
        (!named.is_empty()).then(|| named.join(" "))
    }

    fn may_switch(&self) -> bool {
        self.allowed.users && self.last.refused() && !self.is_spent(Rule::OtherUser, "")
    }

    fn switch(&mut self, rule: Rule) -> Decision {
        self.spent.push((Rule::OtherUser, String::new()));
        self.decision(rule, Step::SwitchUser)
    }

    /// The list of values that the problem tells for a field which it names and the fix does not change.
    fn list_beside(&mut self, fix: &Fix) -> Option<Decision> {
        let told = self.last.extension("choices_endpoint")?;
        let mut left = self.last.named();
        left.retain(|field| {
            let name = pointer::tokens(field).next_back().unwrap_or_default();
            told.get(&*name).is_some() && fix.changed.iter().all(|(place, _)| place != field)
        });
        self.list_of(&left)
    }

    /// The list of values that the problem, or the schema of a field it names, leads to.
    fn choices_endpoint(&mut self) -> Option<Decision> {
        let fields = self.fields();
        self.list_of(&fields)
    }

    fn list_of(&mut self, fields: &[String]) -> Option<Decision> {
        if !self.last.refused() {
            return None;
        }
        let told = self.last.extension("choices_endpoint");
        let (field, url) = fields.iter().find_map(|field| {
            let name = pointer::tokens(field).next_back()?;
            let url = match &told {
                Some(Value::String(url)) => Some(url.clone()),
                Some(by_field) => by_field
                    .get(&*name)
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                None => None,
            };
            let url = url.or_else(|| endpoint_in(self.operation()?, &name))?;
            Some((field.clone(), url))
        })?;
        let url = url.strip_prefix("GET ").unwrap_or(&url);
        if let Some(list) = self.known.iter().find(|known| known.name == url) {
            let lists = list.effect == Effect::Safe && !self.is_spent(Rule::Choices, url);
            let arguments = self.arguments_for(list, false).filter(|_| lists)?;
            self.spent.push((Rule::Choices, url.to_owned()));
            let call = Call::new(list.name.clone(), arguments);
            return Some(self.first(
                Rule::Choices,
                call,
                Pending::List {
                    fields: vec![field],
                },
            ));
        }
        let url = fill(url, &self.call.arguments)?;
        self.fetch(Rule::Choices, url, vec![field])
    }

    /// Another call before the one that failed.
    fn first(&mut self, rule: Rule, call: Call, pending: Pending) -> Decision {
        self.left.calls = self.left.calls.saturating_sub(1);
        let decision = self.decision(rule, Step::Call(call));
        self.pending = pending;
        decision
    }

    /// Reads a place that is allowed, once; where it is an operation the caller knows, that is called.
    fn fetch(&mut self, rule: Rule, url: String, fields: Vec<String>) -> Option<Decision> {
        if !self.allowed.url(&url) || self.is_spent(rule, &url) {
            return None;
        }
        self.spent.push((rule, url.clone()));
        self.left.calls = self.left.calls.saturating_sub(1);
        let decision = self.decision(rule, Step::Fetch { url });
        self.pending = Pending::List { fields };
        Some(decision)
    }

    /// The suggested operation.
    fn tool(&mut self) -> Option<Decision> {
        let effect = self.effect();
        if !self.last.refused() && !self.last.may_repeat(effect) {
            return None;
        }
        let target = self.suggested().into_iter().find(|target| {
            target.name != self.call.operation
                && self.allowed.operation(&target.name, target.effect)
                && !self.is_spent(Rule::Tool, &target.name)
        })?;
        let (name, helps) = (target.name.clone(), target.effect == Effect::Safe);
        // What is gone is the operation, or the thing that a field names.
        let gone = match self.last.status() {
            Some(405 | 501) => true,
            Some(410) => self.last.named().is_empty(),
            _ => false,
        };
        let replaced = gone && !(helps && effect != Effect::Safe);
        // What is there already is changed, and not made once more.
        let exists = self.last.status() == Some(409)
            && suggest::changes(&self.call.operation, &target.name)
            && self.takes(target, false);
        let instead = replaced || exists || (helps && self.reads_the_same(target));
        let arguments = self.arguments_for(target, instead)?;
        self.spent.push((Rule::Tool, name.clone()));
        if instead {
            self.call = Call::new(name, arguments);
            let words = format!("send {} instead", self.call.operation);
            return Some(self.send(Rule::Tool, &words));
        }
        let pending = if helps {
            Pending::List {
                fields: self.fields(),
            }
        } else {
            Pending::Done
        };
        Some(self.first(Rule::Tool, Call::new(name, arguments), pending))
    }

    /// Whether a safe operation takes the very arguments of a safe call of which no field is said to be wrong: then the other
    /// operation was meant.
    fn reads_the_same(&self, target: &Operation) -> bool {
        let about_fields =
            !self.last.named().is_empty() || self.last.extension("choices_endpoint").is_some();
        let given = self.call.arguments.as_object();
        self.effect() == Effect::Safe
            && !about_fields
            && given.is_some_and(|given| !given.is_empty())
            && self.takes(target, false)
    }

    /// The operations the problem suggests, as far as the caller knows them.
    fn suggested(&self) -> Vec<&'a Operation> {
        let problem = self.last.problem();
        let names = problem.into_iter().flat_map(|problem| {
            let tool = problem.mcp_tool().map(aon_core::ToolName::as_str);
            let skill = problem.a2a_skill().map(aon_core::SkillId::as_str);
            [tool, skill].into_iter().flatten()
        });
        let named = names.filter_map(|name| self.known.iter().find(|known| known.name == name));
        let next = self.last.next_action("endpoint_url");
        let named: Vec<&Operation> = named
            .chain(next.and_then(|url| self.at_path(url)))
            .collect();
        if !named.is_empty() {
            return named;
        }
        // A name of several words is not a word of a sentence.
        let words = self.last.words();
        let is_name = |name: &str| name.contains(['_', '-', '.']);
        let known = self.known.iter();
        known
            .filter(|known| is_name(&known.name) && mentions(&words, &known.name))
            .collect()
    }

    /// The arguments of another operation, from those of the call and from what the problem tells; `None` when one it
    /// requires is not known.
    fn arguments_for(&self, target: &Operation, instead: bool) -> Option<Value> {
        let properties = target.schema.get("properties").and_then(Value::as_object);
        let required: Vec<&str> = required(&target.schema).collect();
        let mut out = Map::new();
        // Where nobody says which are required, those that both have are.
        let guessed = properties.is_some() && target.schema.get("required").is_none();
        if instead || (guessed && target.effect != Effect::Safe) {
            for (name, value) in self.call.arguments.as_object().into_iter().flatten() {
                if properties.is_none_or(|known| known.contains_key(name)) {
                    out.insert(name.clone(), value.clone());
                }
            }
        }
        if guessed && target.effect != Effect::Safe {
            for name in properties.into_iter().flat_map(Map::keys) {
                if let Some(told) = self
                    .last
                    .extension(name)
                    .filter(|_| !out.contains_key(name))
                {
                    out.insert(name.clone(), told);
                }
            }
        }
        let open = required.iter().filter(|name| !out.contains_key(**name));
        let open = open.count();
        for name in required {
            if out.contains_key(name) {
                continue;
            }
            let schema = properties.and_then(|properties| properties.get(name));
            let default = || schema?.get("default").cloned();
            let own = self.call.arguments.get(name).cloned();
            let own = own.or_else(|| {
                let given = self.call.arguments.as_object()?;
                let mut alike = given.iter().filter(|(own, _)| learn::same_name(own, name));
                let (_, value) = alike.next().filter(|_| alike.next().is_none())?;
                let fits = arguments::check(value, schema.unwrap_or(&Value::Null)).is_empty();
                fits.then(|| value.clone())
            });
            let asked = || {
                let schema = schema.unwrap_or(&Value::Null);
                let looks_up = target.effect == Effect::Safe && open == 1;
                let sought = self.sought().filter(|_| looks_up)?;
                arguments::check(&sought, schema)
                    .is_empty()
                    .then_some(sought)
            };
            let told = own.or_else(|| self.last.extension(name)).or_else(default);
            let value = told.or_else(asked)?;
            out.insert(name.to_owned(), value);
        }
        Some(Value::Object(out))
    }

    fn next_action(&mut self) -> Option<Decision> {
        if !self.last.refused() {
            return None;
        }
        let url = self.last.next_action("endpoint_url")?;
        if self.at_path(url).is_some() {
            return None;
        }
        let url = fill(url, &self.call.arguments)?;
        let fields = self.fields();
        self.fetch(Rule::NextAction, url, fields)
    }

    /// The fields the failure is about: those it names, or the argument its words or extensions repeat, or the only one.
    fn fields(&self) -> Vec<String> {
        let named = self.last.named();
        let arguments = self.call.arguments.as_object();
        let names = || arguments.into_iter().flat_map(Map::keys);
        let place = |name: &String| format!("/{}", pointer::escape(name));
        if !named.is_empty() {
            return named;
        }
        let text = self.last.text.as_deref().unwrap_or_default();
        let told = |name: &&String| self.last.extension(name).is_some();
        let repeated = |name: &&String| {
            let value = self.call.arguments.get(*name).and_then(Value::as_str);
            value.is_some_and(|value| value.len() > 2 && text.contains(value))
        };
        let ways: [&dyn Fn(&&String) -> bool; 2] = [&told, &repeated];
        for way in ways {
            let found: Vec<String> = names().filter(way).map(place).collect();
            if !found.is_empty() {
                return found;
            }
        }
        // The thing that the code, the list or the operation speaks of.
        let spoken = self.spoken();
        let about = |name: &&String| {
            let name = learn::fold(name);
            let thing = name.strip_suffix("id").unwrap_or(&name);
            thing.len() > 3 && spoken.contains(thing)
        };
        let told: Vec<String> = names().filter(about).map(place).collect();
        if told.len() == 1 {
            return told;
        }
        let ends = ["_id", "-id", "Id"];
        let is_id = |name: &&String| *name == "id" || ends.iter().any(|end| name.ends_with(end));
        let ids: Vec<String> = names().filter(is_id).map(place).collect();
        match (ids.len(), names().count()) {
            (1, _) => ids,
            (_, 1) => names().map(place).collect(),
            _ => Vec::new(),
        }
    }

    /// The text in the one field the failure is about: what another operation is asked to look for.
    fn sought(&self) -> Option<Value> {
        match self.fields().as_slice() {
            [only] => self
                .call
                .arguments
                .pointer(only)
                .filter(|text| text.is_string())
                .cloned(),
            _ => None,
        }
    }

    fn spoken(&self) -> String {
        let problem = self.last.problem();
        let code = problem.and_then(|problem| Some(problem.code()?.as_str()));
        let tool = problem.and_then(|problem| Some(problem.mcp_tool()?.as_str()));
        let skill = problem.and_then(|problem| Some(problem.a2a_skill()?.as_str()));
        let list = self.last.extension("choices_endpoint");
        let list = list.as_ref().and_then(Value::as_str);
        let told = [code, list, tool, skill].into_iter().flatten();
        learn::fold(&told.collect::<Vec<_>>().join(" "))
    }

    /// What the problem asks for and the caller did not allow, in words.
    pub(super) fn barred(&self) -> Option<String> {
        if let Some(scope) = self.missing_scope()
            && !self.allowed.scope(&scope)
        {
            return Some(format!(
                "the scope {} is not allowed",
                aon_core::redact::echo(&scope)
            ));
        }
        if self.last.status() == Some(401) && !self.allowed.users {
            return Some("another user is not allowed".to_owned());
        }
        let suggested = self.suggested().into_iter();
        let mut suggested = suggested.filter(|target| target.name != self.call.operation);
        if let Some(target) =
            suggested.find(|target| !self.allowed.operation(&target.name, target.effect))
        {
            return Some(format!("{} is not allowed", target.name));
        }
        let url = self.last.next_action("endpoint_url")?;
        (!self.allowed.url(url)).then(|| format!("{} is not allowed", aon_core::redact::echo(url)))
    }
}

/// The `choices_endpoint` of an argument, in its schema or at the end of its description.
fn endpoint_in(operation: &Operation, name: &str) -> Option<String> {
    let schema = operation.schema.get("properties")?.get(name)?;
    let keys = [
        "choices_endpoint",
        "x-choices-endpoint",
        "x-aon-choices-endpoint",
    ];
    let told = keys.iter().find_map(|key| schema.get(key)?.as_str());
    let described = || {
        let (_, url) = schema
            .get("description")?
            .as_str()?
            .rsplit_once("Valid choices: GET ")?;
        url.split_whitespace().next()
    };
    told.or_else(described)
        .map(|url| url.trim_end_matches('.').to_owned())
}

/// A place with its `{holes}` filled by arguments; `None` when one is not known, or would lead elsewhere.
fn fill(url: &str, arguments: &Value) -> Option<String> {
    let mut out = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        let value = match arguments.get(name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        if !value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
            || value.starts_with('.')
        {
            return None;
        }
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Whether words name something, not as a part of another word or name: `pages:write` does not name `pages`.
fn mentions(words: &str, name: &str) -> bool {
    let joins = |next: Option<char>, then: Option<char>| match next {
        Some(':' | '.' | '/') => then.is_some_and(char::is_alphanumeric),
        next => next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '-')),
    };
    !name.is_empty()
        && words.match_indices(name).any(|(at, found)| {
            let (before, rest) = words.split_at(at);
            let mut before = before.chars().rev();
            let mut after = rest.strip_prefix(found).unwrap_or_default().chars();
            !joins(before.next(), before.next()) && !joins(after.next(), after.next())
        })
}
