//! What held and what is missing, with places.

use aon_manifest::Node;
use serde::Serialize;

use super::decimal::Decimal;
use crate::rules;

/// What a predicate counted: how often its line held, how often not, and the first places where it did not.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    pub(super) held: usize,
    pub(super) missed: usize,
    pub(super) shortfalls: Vec<Shortfall<'a>>,
    /// Whether one thing that holds is enough for the line.
    one_is_enough: bool,
    /// What to say instead of counts, when there was nothing to count and there should be.
    lack: Option<&'static str>,
    /// What counts as the share of a line that does not hold, when it is not what was counted.
    partial: Option<(usize, usize)>,
    /// Operations that say nothing about what the line counts. They lower the share of a line that does not hold.
    silent: usize,
    /// How much keeps the line from holding beside what is counted.
    broken: usize,
}

/// One place where a line of the rubric does not hold.
#[derive(Debug)]
pub(super) struct Shortfall<'a> {
    pub(super) node: Node<'a>,
    pub(super) what: String,
    pub(super) rule: &'static str,
    pub(super) fix: String,
}

impl<'a> Tally<'a> {
    /// A line that one thing is enough for.
    pub(super) fn one_is_enough() -> Tally<'a> {
        Tally {
            one_is_enough: true,
            ..Tally::default()
        }
    }

    /// The share of the line as long as it does not hold.
    pub(super) fn partial(&mut self, part: usize, whole: usize) {
        self.partial = Some((part, whole));
    }

    /// Operations that say nothing about what the line counts.
    pub(super) fn silent(&mut self, count: usize) {
        self.silent = count;
    }

    /// One more of them, which keeps the line from holding.
    pub(super) fn break_by_silence(
        &mut self,
        node: Node<'a>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) {
        self.silent += 1;
        self.fail(node, rule, words);
    }

    /// Something keeps the line from holding that is none of the things it counts.
    pub(super) fn fail(
        &mut self,
        node: Node<'a>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) {
        self.broken += 1;
        self.keep(node, rule, words);
    }

    /// There is nothing to count, and so the line does not hold.
    pub(super) fn lack(
        &mut self,
        instead: &'static str,
        node: Node<'a>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) {
        self.lack = Some(instead);
        self.keep(node, rule, words);
    }

    /// Counts one thing the line speaks about. The words are only made for the few that are kept.
    pub(super) fn judge(
        &mut self,
        holds: bool,
        node: Node<'a>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) {
        if holds {
            self.held += 1;
        } else {
            self.miss(node, rule, words);
        }
    }

    /// Counts one thing for which the line does not hold.
    pub(super) fn miss(
        &mut self,
        node: Node<'a>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) {
        self.missed += 1;
        self.keep(node, rule, words);
    }

    fn keep(
        &mut self,
        node: Node<'a>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) {
        if self.shortfalls.len() < KEPT {
            let (what, fix) = words();
            self.shortfalls.push(Shortfall {
                node,
                what,
                rule,
                fix,
            });
        }
    }

    /// Everything the line speaks about.
    pub(super) fn counted(&self) -> usize {
        self.held + self.missed
    }

    /// Whether the line holds.
    pub(super) fn holds(&self) -> bool {
        let held = self.missed == 0 || (self.one_is_enough && self.held > 0);
        held && self.lack.is_none() && self.broken == 0
    }

    /// How much of the line holds.
    pub(super) fn share(&self) -> Decimal {
        if self.holds() {
            return Decimal::ONE;
        }
        let (part, whole) = self.partial.unwrap_or((self.held, self.counted()));
        // A silent operation counts as one more thing that does not hold.
        let each = whole.checked_div(self.counted()).unwrap_or(1).max(1);
        Decimal::share(part, whole + each * self.silent).min(Decimal::ALMOST)
    }

    /// How many things have to be put right before the line holds.
    pub(super) fn wanting(&self) -> usize {
        if self.holds() {
            0
        } else if self.one_is_enough {
            1
        } else {
            (self.missed + self.broken).max(1)
        }
    }

    /// The counts in words.
    pub(super) fn told(&self, what: &str) -> String {
        let told = match self.lack {
            Some(instead) => instead.to_owned(),
            None if self.one_is_enough && self.held > 0 => format!("{} {what}", self.held),
            None if self.counted() == 0 => "nothing to count".to_owned(),
            None => format!("{} of {} {what}", self.held, self.counted()),
        };
        match self.silent {
            0 => told,
            _ if self.lack.is_some() || self.holds() => told,
            1 => format!("{told}; 1 operation does not say how it fails"),
            count => format!("{told}; {count} operations do not say how they fail"),
        }
    }
}

/// One line of the rubric, and how much of it holds.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineScore {
    /// The level.
    pub level: u8,
    /// What the rubric says.
    pub says: String,
    /// Whether it holds.
    pub holds: bool,
    /// How much of it holds, from 0.0 to 1.0. The four shares add up to the decimal.
    pub share: Decimal,
    /// What was counted.
    pub counted: String,
}

/// A line that held.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// The level.
    pub level: u8,
    /// What the rubric says.
    pub says: String,
    /// What was counted.
    pub held: String,
}

/// The first thing that is missing for the next level.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Missing {
    /// The level that is not reached.
    pub level: u8,
    /// What the rubric says about it.
    pub says: String,
    /// What is missing, in one sentence.
    pub what: String,
    /// What to do about it.
    pub fix: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The JSON Pointer.
    pub pointer: String,
    /// The code of the rule that reports it, or would.
    pub rule: String,
    /// The name of that rule.
    pub rule_name: String,
    /// How many such things are missing.
    pub count: usize,
}

/// What stands between a level and the one below it, for `--explain` and `--next`.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Step {
    /// The level.
    pub level: u8,
    /// How many things are missing; none when the line holds already.
    pub count: usize,
    /// The first of them; empty after [`score_briefly`](super::score_briefly).
    pub first: Vec<Missing>,
}

impl Missing {
    pub(super) fn new(level: u8, says: &str, count: usize, from: &Shortfall<'_>) -> Missing {
        let source = from.node.tree().source();
        let position = source.position(from.node.span().start());
        let rule = rules::find(from.rule);
        Missing {
            level,
            says: says.to_owned(),
            what: from.what.clone(),
            fix: from.fix.clone(),
            file: source.name().to_owned(),
            line: position.line,
            column: position.column,
            pointer: from.node.pointer(),
            rule: rule.map_or(from.rule, |rule| rule.code()).to_owned(),
            rule_name: rule.map_or(from.rule, |rule| rule.name()).to_owned(),
            count,
        }
    }
}

/// How many places are kept for each line.
const KEPT: usize = 3;
