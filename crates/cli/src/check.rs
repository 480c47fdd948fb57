//! What `aon check` probes, one file per surface, and the table it fills (L12).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::http::{Answer, Client};

pub(crate) mod a2a;
pub(crate) mod daemon;
pub(crate) mod live;
pub(crate) mod mcp;
pub(crate) mod parity;
pub(crate) mod rest;
#[cfg(unix)]
pub(crate) mod southbound;
#[cfg(unix)]
pub(crate) mod worker;

mod envelope;
mod leak;
mod output_schema;

/// Whose duty a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Duty {
    /// What the standard of the surface demands from everybody who speaks it.
    Protocol,
    /// What AON promises beyond it. Judged where a server speaks it.
    Contract,
    /// What helps callers, and nobody demands. It is advice.
    Practice,
}

impl Duty {
    pub(crate) const ALL: [Self; 3] = [Self::Protocol, Self::Contract, Self::Practice];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Contract => "contract",
            Self::Practice => "practice",
        }
    }
}

/// What is asked of a server: whose duty it is, where that stands, what was sent, what should come back, and what to do otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    duty: Duty,
    source: &'static str,
    what: String,
    sent: String,
    expected: String,
    fix: &'static str,
}

impl Ask {
    fn new(duty: Duty, source: &'static str, what: impl Into<String>) -> Self {
        Self {
            duty,
            source,
            what: what.into(),
            sent: String::new(),
            expected: String::new(),
            fix: "",
        }
    }

    pub(crate) fn protocol(source: &'static str, what: impl Into<String>) -> Self {
        Self::new(Duty::Protocol, source, what)
    }

    pub(crate) fn contract(source: &'static str, what: impl Into<String>) -> Self {
        Self::new(Duty::Contract, source, what)
    }

    pub(crate) fn practice(source: &'static str, what: impl Into<String>) -> Self {
        Self::new(Duty::Practice, source, what)
    }

    /// What was sent, in a line.
    #[must_use]
    pub(crate) fn sent(mut self, sent: impl Into<String>) -> Self {
        self.sent = clip(&sent.into());
        self
    }

    /// What should have come back; without it, what is asked says it.
    #[must_use]
    pub(crate) fn expects(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// How to fix it.
    #[must_use]
    pub(crate) fn fix(mut self, fix: &'static str) -> Self {
        self.fix = fix;
        self
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Row {
    pub(crate) surface: &'static str,
    pub(crate) duty: Duty,
    /// Where the duty stands: a section of a standard, or a clause of the contract.
    pub(crate) source: &'static str,
    pub(crate) what: String,
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) sent: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) came: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) expected: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) fix: Cow<'static, str>,
    /// Why it could not be tested.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) why: String,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Pass,
    Fail,
    /// A practice that is not followed. Nobody demands it, so it is not a failure.
    Advice,
    Untested,
}

impl Outcome {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::Advice => "advice",
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
    /// Whether an answer carried what only the contract knows.
    pub(crate) speaks_contract: bool,
}

impl Table {
    pub(crate) const fn new(surface: &'static str) -> Self {
        Self {
            surface,
            rows: Vec::new(),
            answers: Vec::new(),
            speaks_contract: false,
        }
    }

    /// Notes that a clause of the contract holds, or why it does not.
    pub(crate) fn claim(
        &mut self,
        clause: &'static str,
        what: impl Into<String>,
        result: Result<(), String>,
    ) {
        self.judge(Ask::contract(clause, what), result);
    }

    /// Notes that a clause of the contract could not be tested, and why.
    pub(crate) fn untested(
        &mut self,
        clause: &'static str,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.skip(Ask::contract(clause, what), why);
    }

    /// Notes that what was asked holds, or what came instead.
    pub(crate) fn judge(&mut self, ask: Ask, result: Result<(), String>) {
        let (outcome, came) = match (result, ask.duty) {
            (Ok(()), _) => (Outcome::Pass, String::new()),
            (Err(came), Duty::Practice) => (Outcome::Advice, came),
            (Err(came), Duty::Protocol | Duty::Contract) => (Outcome::Fail, came),
        };
        self.push(ask, outcome, came, String::new());
    }

    /// Notes that what was asked could not be tested, and why.
    pub(crate) fn skip(&mut self, ask: Ask, why: impl Into<String>) {
        self.push(ask, Outcome::Untested, String::new(), why.into());
    }

    fn push(&mut self, ask: Ask, outcome: Outcome, came: String, why: String) {
        let Ask {
            duty,
            source,
            what,
            sent,
            expected,
            fix,
        } = ask;
        let is_told = matches!(outcome, Outcome::Fail | Outcome::Advice);
        let expected = if expected.is_empty() {
            what.clone()
        } else {
            expected
        };
        self.rows.push(Row {
            surface: self.surface,
            duty,
            source,
            what,
            outcome,
            sent,
            came,
            expected: if is_told { expected } else { String::new() },
            fix: match (is_told, fix) {
                (false, _) => Cow::Borrowed(""),
                (true, "") => default_fix(duty, source),
                (true, fix) => Cow::Borrowed(fix),
            },
            why,
        });
    }

    /// Keeps an answer for [`Table::leaks`].
    pub(crate) fn saw(&mut self, what: impl Into<String>, answer: &Answer) {
        self.answers.push((what.into(), answer.clone()));
    }

    /// The answers that were kept, each with the call.
    pub(crate) fn answers(&self) -> &[(String, Answer)] {
        &self.answers
    }

    /// No answer that was an error shows an internal of the program (P9).
    pub(crate) fn leaks(&mut self) {
        let what = "no error shows internals: a stack trace, a source file, a query or a secret";
        let fix = "log the cause with the request id, and send the caller a sentence of its own";
        let asks = [
            Ask::contract("P9", what).fix(fix),
            Ask::practice("CWE-209", what).fix(fix),
        ];
        let found = self.answers.iter().find_map(|(call, answer)| {
            let text = String::from_utf8_lossy(&answer.body);
            leak::find(&text).map(|word| (call.clone(), format!("{word:?} in the answer")))
        });
        for ask in asks {
            match &found {
                _ if self.answers.is_empty() => self.skip(ask, "no error was met"),
                Some((call, word)) => {
                    let ask = ask.sent(call.clone());
                    self.judge(ask, Err(word.clone()));
                }
                None => self.judge(ask, Ok(())),
            }
        }
    }
}

fn default_fix(duty: Duty, source: &str) -> Cow<'static, str> {
    match duty {
        Duty::Protocol => Cow::Borrowed("read the source that the row names"),
        Duty::Contract => {
            format!("`aon explain {source}` prints the clause; the adapters of AON keep it").into()
        }
        Duty::Practice => Cow::Borrowed(""),
    }
}

/// What one surface told the others: a failing call that is safe to repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// REST method and path of an operation with a body.
    pub(crate) route: Option<(String, String)>,
    /// A tool call that is refused with the envelope.
    pub(crate) tool: Option<ToolCall>,
    /// Whether MCP is spoken.
    pub(crate) mcp: bool,
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
