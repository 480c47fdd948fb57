//! What `aon check` probes, one file per surface, and the table it fills (L12).

use serde::Serialize;
use serde_json::Value;

use crate::http::{Answer, Client};

pub(crate) mod a2a;
pub(crate) mod live;
pub(crate) mod mcp;
pub(crate) mod parity;
pub(crate) mod rest;

mod envelope;
mod leak;
mod output_schema;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Row {
    pub(crate) surface: &'static str,
    pub(crate) clause: &'static str,
    pub(crate) what: String,
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) why: String,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Pass,
    Fail,
    Untested,
}

impl Outcome {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::Untested => "untested",
        }
    }
}

/// The rows of one surface, and everything that was answered, for the leak check.
#[derive(Debug)]
pub(crate) struct Table {
    surface: &'static str,
    pub(crate) rows: Vec<Row>,
    answers: Vec<(String, Answer)>,
}

impl Table {
    pub(crate) const fn new(surface: &'static str) -> Self {
        Self {
            surface,
            rows: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Notes that `what` holds, or why it does not.
    pub(crate) fn claim(
        &mut self,
        clause: &'static str,
        what: impl Into<String>,
        result: Result<(), String>,
    ) {
        let (outcome, why) = match result {
            Ok(()) => (Outcome::Pass, String::new()),
            Err(why) => (Outcome::Fail, why),
        };
        self.push(clause, what.into(), outcome, why);
    }

    /// Notes that `what` could not be tested, and why.
    pub(crate) fn untested(
        &mut self,
        clause: &'static str,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.push(clause, what.into(), Outcome::Untested, why.into());
    }

    fn push(&mut self, clause: &'static str, what: String, outcome: Outcome, why: String) {
        self.rows.push(Row {
            surface: self.surface,
            clause,
            what,
            outcome,
            why,
        });
    }

    /// Keeps an answer for [`Table::leaks`].
    pub(crate) fn saw(&mut self, what: impl Into<String>, answer: &Answer) {
        self.answers.push((what.into(), answer.clone()));
    }

    /// No answer that was an error shows an internal of the program (P9).
    pub(crate) fn leaks(&mut self) {
        let what = "no error shows an internal: stack, source file, query, secret";
        if self.answers.is_empty() {
            return self.untested("P9", what, "no error was answered");
        }
        let found = self.answers.iter().find_map(|(call, answer)| {
            let text = String::from_utf8_lossy(&answer.body);
            leak::find(&text).map(|word| format!("{call} shows {word:?}"))
        });
        self.claim("P9", what, found.map_or(Ok(()), Err));
    }
}

/// What one surface told the others: a failing call that is safe to repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// REST method and path of an operation with a body.
    pub(crate) route: Option<(String, String)>,
    /// A tool call that is refused with the envelope.
    pub(crate) tool: Option<ToolCall>,
    /// The path of the JSON-RPC endpoint of A2A.
    pub(crate) endpoint: Option<String>,
    /// The ids of the skills in the agent card.
    pub(crate) skills: Vec<String>,
}

impl Found {
    /// The operation to send bodies to: the one that was named, or the example of the refused tool call.
    pub(crate) fn learn_route(&mut self) {
        if self.route.is_some() {
            return;
        }
        let example = self.tool.as_ref().and_then(|tool| {
            let example = tool.error.pointer("/remediation/example_request")?;
            Some((
                example.get("method")?.as_str()?.to_owned(),
                example.get("path")?.as_str()?.to_owned(),
            ))
        });
        self.route = example;
    }
}

/// A tool call that is refused, and how.
#[derive(Clone, Debug)]
pub(crate) struct ToolCall {
    pub(crate) arguments: Value,
    pub(crate) error: Value,
}

/// `Ok` when it holds, else the reason.
pub(crate) fn holds(condition: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(why()) }
}

/// The value, short enough for a line of a table.
pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    clip(&text)
}

pub(crate) fn clip(text: &str) -> String {
    const MOST: usize = 120;
    let one_line = text.replace(['\n', '\r', '\t'], " ");
    if one_line.chars().count() <= MOST {
        return one_line;
    }
    one_line.chars().take(MOST).chain(['…']).collect()
}

/// Probes that every surface shares need the client and a place for rows.
#[derive(Debug)]
pub(crate) struct Probe<'a> {
    pub(crate) client: &'a Client,
    pub(crate) table: Table,
}
