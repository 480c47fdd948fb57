//! What held and what is missing, with places.

use aon_manifest::Node;
use serde::Serialize;

use crate::rules;

/// What a predicate counted: how often its line held, how often not, and the first places where it did not.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    pub(super) held: usize,
    pub(super) missed: usize,
    pub(super) shortfalls: Vec<Shortfall<'a>>,
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
    /// A line that one thing is enough for, and how many there are.
    pub(super) fn holding(held: usize) -> Tally<'a> {
        Tally {
            held,
            ..Tally::default()
        }
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

    /// Whether the line holds.
    pub(super) fn holds(&self) -> bool {
        self.missed == 0
    }
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
