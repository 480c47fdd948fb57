//! Answers: the shapes of the specification, with the problem beside the words ([W5]).
//!
//! [W5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w5

use aon::door::{Door, Facts, Occurrence, Scope};
use serde_json::{Map, Value, json};

use super::exec::Ran;
use super::exec::run::{End, Output};
use super::fault::SouthFault;
use super::keep::Stored;
use super::wire::Envelope;

/// What is answered, on either wire.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The HTTP status; 200 where it went well.
    pub status: u16,
    /// The JSON object.
    pub body: Map<String, Value>,
}

impl Answer {
    /// `{"ok": true, …}`.
    pub fn good(members: Value) -> Self {
        let mut body = Map::from_iter([("ok".to_owned(), Value::Bool(true))]);
        if let Value::Object(members) = members {
            body.extend(members);
        }
        Self { status: 200, body }
    }

    /// `{"ok": false, "error": …, "problem": …}`; it goes through the door.
    pub fn failed(fault: &SouthFault) -> Self {
        Self::failed_through(&Door::new(), fault)
    }

    /// The same through a door of yours, whose hook hears of it with the surface `southbound`.
    pub fn failed_through(door: &Door, fault: &SouthFault) -> Self {
        let mut failure = Occurrence::of(fault);
        if let Some(member) = fault.member() {
            failure = failure.map(|problem| problem.with_pointer(&format!("/{member}"), None));
        }
        Self::let_out(door, failure)
    }

    pub(super) fn let_out(door: &Door, failure: Occurrence) -> Self {
        let scope = Scope::open(door, Facts::new("southbound"));
        Self::of_problem(&scope.pass(failure, "southbound").into_problem())
    }

    /// The same for a problem that passed the door.
    pub fn of_problem(problem: &aon::ProblemDetails) -> Self {
        let status = problem.status().map_or(500, aon::Status::as_u16);
        let words = problem
            .detail()
            .or_else(|| problem.title())
            .unwrap_or("It failed");
        let body = json!({ "ok": false, "error": words, "problem": problem });
        let body = if let Value::Object(body) = body {
            body
        } else {
            Map::new()
        };
        Self { status, body }
    }

    /// What became of it in a word: `ok`, `replayed`, or the code of the problem.
    pub fn outcome(&self) -> &str {
        let is = |name| self.body.get(name) == Some(&Value::Bool(true));
        let problem = self.body.get("problem");
        let code = problem.and_then(|problem| problem.get("code"));
        match code.and_then(Value::as_str) {
            Some(code) => code,
            None if is("replayed") => "replayed",
            None if is("ok") => "ok",
            None => "failed",
        }
    }

    /// What a command did.
    pub fn of_exec(ran: Ran, timeout: u64, largest: u64) -> Self {
        Self::of_exec_through(&Door::new(), ran, timeout, largest)
    }

    pub(super) fn of_exec_through(door: &Door, ran: Ran, timeout: u64, largest: u64) -> Self {
        let Ran {
            end,
            mut stdout,
            mut stderr,
        } = ran;
        let mut answer = match end {
            End::Exited(code, signal) => {
                let mut answer = Self::good(json!({ "exit_code": code }));
                answer.maybe("signal", signal.map(Value::from));
                answer
            }
            End::TimedOut => Self::failed_through(door, &SouthFault::CommandTimedOut { timeout }),
            End::Cancelled => Self::failed_through(door, &SouthFault::Cancelled),
        };
        // What a text becomes in JSON can be six times as long; the policy counts that.
        let room = usize::try_from(largest)
            .unwrap_or(usize::MAX)
            .saturating_sub(ROOM);
        while escaped(&stdout.text) + escaped(&stderr.text) > room {
            let longer = if stdout.text.len() >= stderr.text.len() {
                &mut stdout
            } else {
                &mut stderr
            };
            let half = (0..=longer.text.len() / 2)
                .rev()
                .find(|at| longer.text.is_char_boundary(*at));
            longer.text.truncate(half.unwrap_or(0));
            longer.truncated = true;
        }
        let flag =
            |of: fn(&Output) -> bool| (of(&stdout) || of(&stderr)).then_some(Value::Bool(true));
        answer.maybe("truncated", flag(|output| output.truncated));
        answer.maybe("lossy", flag(|output| output.lossy));
        answer.maybe(
            "stdout_bytes",
            stdout.truncated.then(|| stdout.bytes.into()),
        );
        answer.maybe(
            "stderr_bytes",
            stderr.truncated.then(|| stderr.bytes.into()),
        );
        answer.body.insert("stdout".to_owned(), stdout.text.into());
        answer.body.insert("stderr".to_owned(), stderr.text.into());
        answer
    }

    fn maybe(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.body.insert(name.to_owned(), value);
        }
    }

    /// With what the message around the request said.
    #[must_use]
    pub fn to(mut self, envelope: &Envelope) -> Self {
        self.maybe("id", envelope.id.clone());
        self.maybe("action_id", envelope.action_id.clone().map(Value::from));
        self
    }

    /// An answer that came over HTTP; what is not an object is empty.
    pub fn read(status: u16, body: &[u8]) -> Self {
        Self {
            status,
            body: serde_json::from_slice(body).unwrap_or_default(),
        }
    }

    /// As it is stored.
    pub fn stored(&self) -> Stored {
        Stored::new(self.status, Value::Object(self.body.clone()).to_string())
    }

    /// The same answer a second time.
    pub fn replayed(stored: &Stored) -> Option<Self> {
        let mut body: Map<String, Value> = serde_json::from_str(&stored.body).ok()?;
        body.insert("replayed".to_owned(), Value::Bool(true));
        Some(Self {
            status: stored.status,
            body,
        })
    }

    /// How many seconds to wait, where the problem says so.
    pub fn retry_after(&self) -> Option<u64> {
        let problem = self.body.get("problem")?;
        let problem = aon::ProblemDetails::from_slice(problem.to_string().as_bytes()).ok()?;
        Some(problem.retry_after()?.as_secs().max(1))
    }

    /// The text that goes over the wire.
    pub fn text(&self) -> String {
        Value::Object(self.body.clone()).to_string()
    }
}

impl From<&SouthFault> for Answer {
    fn from(fault: &SouthFault) -> Self {
        Self::failed(fault)
    }
}

/// For the rest of an answer.
const ROOM: usize = 4096;

fn escaped(text: &str) -> usize {
    text.bytes()
        .map(|byte| {
            if byte < 0x20 {
                6
            } else if matches!(byte, b'"' | b'\\') {
                2
            } else {
                1
            }
        })
        .sum()
}
