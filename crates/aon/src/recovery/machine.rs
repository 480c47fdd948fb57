//! The state of one recovery: what was sent, what came back, what is left, and what is waited for.

use aon_core::recovery::{Rule, TABLE};
use aon_core::{Choice, Json, pointer, redact};
use serde_json::Value;

use super::mend::{Case, Fix, Open, values_problem};
use super::{Allowed, Budget, Call, Decision, Effect, Operation, Seen, Step, learn, required};
use crate::surface::correct::Correction;

/// How often the same problem may answer the same call when the caller waits in between.
const MOST_WAITS: usize = 3;

/// One call on its way to a result.
///
/// Tell it what happened, do what it decides. It sends nothing and reads no clock.
#[derive(Debug)]
pub struct Recovery<'a> {
    pub(super) known: &'a [Operation],
    pub(super) allowed: Allowed,
    pub(super) left: Budget,
    pub(super) call: Call,
    /// What came back last.
    pub(super) last: Seen,
    pub(super) looping: bool,
    /// How often the caller waited.
    pub(super) waits: u32,
    /// What was tried and is not tried again: a rule, and what it was about.
    pub(super) spent: Vec<(Rule, String)>,
    pub(super) pending: Pending,
    /// What was chosen for the next call.
    picked: Vec<(String, Value)>,
    /// The calls that were sent.
    pub(super) sent: Vec<String>,
    /// Which problem answered which call.
    answers: Vec<(String, String)>,
    waited: bool,
    rule: Rule,
}

/// What the answer to a step is for.
#[derive(Debug)]
pub(super) enum Pending {
    Nothing,
    /// The value of a field.
    Value {
        field: String,
        choices: Vec<Choice>,
    },
    /// A list in which the value of one of these fields stands.
    List {
        fields: Vec<String>,
    },
    /// It only had to be done.
    Done,
}

impl<'a> Recovery<'a> {
    /// The recovery of a call that was sent, by a caller that knows these operations.
    pub fn new(call: Call, known: &'a [Operation], allowed: Allowed, budget: Budget) -> Self {
        let sent = vec![call.key()];
        Self {
            known,
            allowed,
            left: budget,
            call,
            last: Seen::default(),
            looping: false,
            waits: 0,
            spent: Vec::new(),
            pending: Pending::Nothing,
            picked: Vec::new(),
            sent,
            answers: Vec::new(),
            waited: false,
            rule: Rule::Nothing,
        }
    }

    /// The call failed, so many milliseconds after the last step was taken.
    pub fn failed(&mut self, seen: Seen, millis: u64) -> Decision {
        self.left.millis = self.left.millis.saturating_sub(millis);
        let answer = (seen.fingerprint(), self.call.key());
        let before = self
            .answers
            .iter()
            .filter(|known| **known == answer)
            .count();
        self.looping = before > 0 && (!self.waited || before >= MOST_WAITS);
        self.answers.push(answer);
        self.last = seen;
        self.waited = false;
        self.decide()
    }

    /// The wait is over.
    pub fn waited(&mut self) -> Decision {
        self.waited = true;
        self.again()
    }

    /// Whether the scope, or the other user, was granted.
    pub fn granted(&mut self, granted: bool) -> Decision {
        if granted { self.again() } else { self.decide() }
    }

    /// The value that was chosen; `None` when none of them will do. A value that was not offered is none of them.
    pub fn chosen(&mut self, value: Option<&Value>) -> Decision {
        let Pending::Value { field, choices } =
            std::mem::replace(&mut self.pending, Pending::Nothing)
        else {
            return self.decide();
        };
        let offered = value.filter(|value| {
            // Where no values were told, any will do.
            choices.is_empty() && !value.is_null()
                || choices
                    .iter()
                    .any(|choice| choice.value().to_value() == **value)
        });
        let Some(value) = offered else {
            return self.decide();
        };
        self.picked.push((field, value.clone()));
        // All that is open is asked before the call is sent.
        if let Some(open) = self.open().filter(|open| !open.clear) {
            return self.choose(Rule::Values, open.field, open.values);
        }
        match self.case().with(&self.picked) {
            Some(fix) => self.send_fixed(self.rule, fix),
            None => self.decide(),
        }
    }

    /// What the call for help, or the place that was read, gave; `None` when it failed.
    pub fn helped(&mut self, result: Option<&Value>) -> Decision {
        let pending = std::mem::replace(&mut self.pending, Pending::Nothing);
        match (pending, result) {
            (Pending::Done, Some(result)) => match self.made(result) {
                Some(fix) => self.send_fixed(self.rule, fix),
                None => self.again(),
            },
            (Pending::List { fields }, Some(result)) => {
                for field in fields {
                    if let Some(decision) = self.learned(&field, result) {
                        return decision;
                    }
                }
                self.decide()
            }
            _ => self.decide(),
        }
    }

    /// The first line of the table that applies.
    fn decide(&mut self) -> Decision {
        self.pending = Pending::Nothing;
        let decided = TABLE.iter().find_map(|line| self.apply(line.rule));
        decided.unwrap_or_else(|| self.give_up(Rule::Nothing))
    }

    /// The value of a field by what was read: the one that is meant, or a choice.
    fn learned(&mut self, field: &str, result: &Value) -> Option<Decision> {
        let (choices, alone) = learn::choices(result, field);
        let given = self.call.arguments.pointer(field);
        if choices
            .iter()
            .all(|choice| Some(&choice.value().to_value()) == given)
        {
            return None;
        }
        let problem = values_problem(field, choices.clone());
        let given = Json::of(&self.call.arguments).ok()?;
        let meant = Correction::of(&problem, &given);
        let meant = meant.and_then(|meant| meant.arguments().to_value().pointer(field).cloned());
        let meant = meant.or_else(|| {
            let given = self.call.arguments.pointer(field)?.as_str()?;
            learn::by_member(result, field, given)
        });
        let only = || match choices.as_slice() {
            [only] => Some(only.value().to_value())
                .filter(|only| self.case().may_take(field, only, alone)),
            _ => None,
        };
        let meant = meant
            .or_else(only)
            .filter(|_| !self.case().is_guarded(field));
        let fixed = meant.and_then(|value| {
            let mut picked = self.picked.clone();
            picked.push((field.to_owned(), value));
            self.case().with(&picked)
        });
        if let Some(fix) = fixed {
            return Some(self.send_fixed(self.rule, fix));
        }
        Some(self.choose(Rule::Values, field.to_owned(), choices))
    }

    /// The call with what another operation made for it: the fields that the problem names, or that are required and missing.
    fn made(&self, result: &Value) -> Option<Fix> {
        let missing = required(&self.operation()?.schema)
            .filter(|name| self.call.arguments.get(name).is_none())
            .map(|name| format!("/{}", pointer::escape(name)));
        let fields = self.last.named().into_iter().chain(missing);
        let made: Vec<(String, Value)> = fields
            .filter_map(|field| {
                let made = learn::alone(result, &field)?.clone();
                (self.call.arguments.pointer(&field) != Some(&made)).then_some((field, made))
            })
            .collect();
        if made.is_empty() {
            return None;
        }
        self.case().with(&made)
    }

    /// A field that waits for a choice and was not asked for yet.
    pub(super) fn open(&self) -> Option<Open> {
        let mut open = self.case().choices().into_iter();
        open.find(|open| !self.is_spent(Rule::Values, &open.field))
    }

    pub(super) fn choose(&mut self, rule: Rule, field: String, choices: Vec<Choice>) -> Decision {
        self.spent.push((Rule::Values, field.clone()));
        let values = choices
            .iter()
            .filter_map(|choice| serde_json::to_value(choice).ok())
            .collect();
        let step = Step::Choose {
            field: field.clone(),
            values,
        };
        self.pending = Pending::Value { field, choices };
        self.decision(rule, step)
    }

    /// The changed call.
    pub(super) fn send_fixed(&mut self, rule: Rule, fix: Fix) -> Decision {
        let shown: Vec<String> = fix.changed.iter().map(shown).collect();
        self.call.arguments = fix.arguments;
        let words = format!("send {} with {}", self.call.operation, shown.join(", "));
        self.send(rule, &words)
    }

    /// The same call once more, for the reason that was decided.
    fn again(&mut self) -> Decision {
        self.pending = Pending::Nothing;
        let words = format!("send {} again", self.call.operation);
        self.send(self.rule, &words)
    }

    pub(super) fn send(&mut self, rule: Rule, words: &str) -> Decision {
        self.left.calls = self.left.calls.saturating_sub(1);
        self.sent.push(self.call.key());
        self.picked.clear();
        self.explained(rule, Step::Send(self.call.clone()), words)
    }

    pub(super) fn explained(&mut self, rule: Rule, step: Step, words: &str) -> Decision {
        self.rule = rule;
        let because = format!("{words}: {}", rule.line().because);
        Decision {
            rule,
            step,
            because,
        }
    }

    pub(super) fn decision(&mut self, rule: Rule, step: Step) -> Decision {
        let words = self.describe(&step);
        self.explained(rule, step, &words)
    }

    pub(super) fn case(&self) -> Case<'_> {
        Case {
            seen: &self.last,
            call: &self.call,
            operation: self.operation(),
            allowed: &self.allowed,
            tried: &self.sent,
        }
    }

    /// The operation that was called, where it is known.
    pub(super) fn operation(&self) -> Option<&'a Operation> {
        self.known
            .iter()
            .find(|known| known.name == self.call.operation)
    }

    /// What the call does to the world; one that is not known does the worst.
    pub(super) fn effect(&self) -> Effect {
        self.operation()
            .map_or(Effect::Unsafe, |operation| operation.effect)
    }

    pub(super) fn is_spent(&self, rule: Rule, about: &str) -> bool {
        self.spent
            .iter()
            .any(|(known, what)| *known == rule && what == about)
    }

    fn describe(&self, step: &Step) -> String {
        match step {
            Step::Send(call) => format!("send {}", call.operation),
            Step::Choose { field, values } if values.is_empty() => {
                format!("ask for the value of {field}")
            }
            Step::Choose { field, values } => {
                format!("choose one of {} values for {field}", values.len())
            }
            Step::Wait { millis } => format!("wait {millis} ms"),
            Step::Elevate { scope } => format!("ask for the scope {}", redact::echo(scope)),
            Step::SwitchUser => "switch the user".to_owned(),
            Step::Call(call) => format!("call {} first", call.operation),
            Step::Fetch { url } => format!("read {}", redact::echo(url)),
            Step::GiveUp { .. } => match self.barred() {
                Some(barred) => format!("give up ({barred})"),
                None => "give up".to_owned(),
            },
        }
    }
}

fn shown((pointer, value): &(String, Option<Value>)) -> String {
    match value {
        Some(value) => format!("{pointer} = {}", redact::echo(&value.to_string())),
        None => format!("no {pointer}"),
    }
}
