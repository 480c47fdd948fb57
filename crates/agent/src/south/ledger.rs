//! What was done already: the rules of `action_id`, without a store and without a clock ([W4]).
//!
//! An action is written down before it is done and once more with its answer. The same id with the same request gives the same
//! answer; with another request it is refused. What was begun and has no answer when the program starts is `unknown`, and stays so.
//!
//! [W4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w4

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An action of an agent.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ActionKey {
    /// Whose it is: two agents may use one id.
    pub agent: String,
    /// `action_id`.
    pub action: String,
}

impl ActionKey {
    /// The action of an agent.
    pub fn new(agent: impl Into<String>, action: impl Into<String>) -> Self {
        Self {
            agent: agent.into(),
            action: action.into(),
        }
    }
}

impl fmt::Debug for ActionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.action, self.agent)
    }
}

/// SHA-256 of what was asked for.
pub type RequestHash = [u8; 32];

/// Where an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the states are the contract")]
pub enum State {
    /// It was begun.
    Running,
    /// It has an answer.
    Done,
    /// It was begun, and nobody knows how it ended.
    Unknown,
}

/// One line of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// What was asked for.
    pub hash: RequestHash,
    /// Where it is.
    pub state: State,
    /// When it was begun, in unix milliseconds.
    pub since: u64,
    /// How large its answer is.
    pub bytes: u64,
}

impl Line {
    /// A line as it was stored.
    pub const fn new(hash: RequestHash, state: State, since: u64, bytes: u64) -> Self {
        Self {
            hash,
            state,
            since,
            bytes,
        }
    }
}

/// What to do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new verdict has to be decided everywhere"
)]
pub enum Verdict {
    /// Store that it begins, then do it.
    Run,
    /// Somebody does it.
    Running,
    /// Give the stored answer.
    Replay,
    /// Say that nobody knows.
    Unknown,
    /// The id belongs to another request.
    Reused,
    /// There is no room to remember it, so it is not done.
    Full,
}

/// What bounds a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "limits are set by name")]
pub struct Limits {
    /// How long a line is kept, in milliseconds.
    pub retention: u64,
    /// How many lines there are at most.
    pub lines: usize,
    /// How many bytes of answers there are at most.
    pub bytes: u64,
}

impl Limits {
    /// A day, 100 000 actions, 256 MiB of answers.
    pub const DEFAULT: Self = Self {
        retention: 24 * 3600 * 1000,
        lines: 100_000,
        bytes: 256 << 20,
    };
}

/// All lines, in memory; the answers are in the store.
#[derive(Debug)]
pub struct Ledger {
    lines: BTreeMap<ActionKey, Line>,
    by_age: BTreeSet<(u64, ActionKey)>,
    bytes: u64,
    limits: Limits,
}

impl Ledger {
    /// An empty one.
    pub fn new(limits: Limits) -> Self {
        Self {
            lines: BTreeMap::new(),
            by_age: BTreeSet::new(),
            bytes: 0,
            limits,
        }
    }

    /// Takes over what was stored. What was running belongs to a program that is gone: those that become unknown are returned, to be
    /// stored as such.
    pub fn restore(
        &mut self,
        stored: impl IntoIterator<Item = (ActionKey, Line)>,
    ) -> Vec<ActionKey> {
        let mut lost = Vec::new();
        for (key, mut line) in stored {
            if line.state == State::Running {
                line.state = State::Unknown;
                lost.push(key.clone());
            }
            self.bytes += line.bytes;
            self.by_age.insert((line.since, key.clone()));
            self.lines.insert(key, line);
        }
        lost
    }

    /// Decides about a request. After [`Verdict::Run`] the action is running.
    pub fn begin(&mut self, key: &ActionKey, hash: &RequestHash, now: u64) -> Verdict {
        if let Some(line) = self.lines.get(key) {
            return match line.state {
                _ if line.hash != *hash => Verdict::Reused,
                State::Running => Verdict::Running,
                State::Done => Verdict::Replay,
                State::Unknown => Verdict::Unknown,
            };
        }
        if self.lines.len() >= self.limits.lines || self.bytes >= self.limits.bytes {
            return Verdict::Full;
        }
        self.by_age.insert((now, key.clone()));
        self.lines
            .insert(key.clone(), Line::new(*hash, State::Running, now, 0));
        Verdict::Run
    }

    /// Takes back what was begun and then not done, because it could not be stored.
    pub fn withdraw(&mut self, key: &ActionKey) {
        if let Some(line) = self.lines.remove(key) {
            self.bytes -= line.bytes;
            self.by_age.remove(&(line.since, key.clone()));
        }
    }

    /// Notes that a running action has an answer, or that nobody knows.
    pub fn end(&mut self, key: &ActionKey, answer: Option<u64>) {
        if let Some(line) = self
            .lines
            .get_mut(key)
            .filter(|line| line.state == State::Running)
        {
            line.state = if answer.is_some() {
                State::Done
            } else {
                State::Unknown
            };
            line.bytes = answer.unwrap_or(0);
            self.bytes += line.bytes;
        }
    }

    /// Forgets what is older than the retention, at most so many at once. What runs is never forgotten.
    pub fn expire(&mut self, now: u64, most: usize) -> Vec<ActionKey> {
        let old = now.saturating_sub(self.limits.retention);
        let old: Vec<ActionKey> = self
            .by_age
            .iter()
            .take_while(|(since, _)| *since < old)
            .filter(|(_, key)| {
                self.lines
                    .get(key)
                    .is_some_and(|line| line.state != State::Running)
            })
            .map(|(_, key)| key.clone())
            .take(most)
            .collect();
        for key in &old {
            self.withdraw(key);
        }
        old
    }

    /// Where an action is.
    pub fn line(&self, key: &ActionKey) -> Option<Line> {
        self.lines.get(key).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        retention: 1000,
        lines: 3,
        bytes: 100,
    };

    fn key(action: &str) -> ActionKey {
        ActionKey::new("ops-1", action)
    }

    #[test]
    fn an_action_runs_once() {
        let mut ledger = Ledger::new(LIMITS);
        assert_eq!(ledger.begin(&key("a"), &[1; 32], 0), Verdict::Run);
        assert_eq!(ledger.begin(&key("a"), &[1; 32], 1), Verdict::Running);
        assert_eq!(ledger.begin(&key("a"), &[2; 32], 1), Verdict::Reused);
        ledger.end(&key("a"), Some(10));
        assert_eq!(ledger.begin(&key("a"), &[1; 32], 2), Verdict::Replay);
        assert_eq!(ledger.begin(&key("a"), &[2; 32], 2), Verdict::Reused);
        let other = ActionKey::new("ops-2", "a");
        assert_eq!(ledger.begin(&other, &[2; 32], 2), Verdict::Run);
    }

    #[test]
    fn what_ran_when_the_program_died_stays_unknown() {
        let mut ledger = Ledger::new(LIMITS);
        let line = |state| Line::new([1; 32], state, 0, 0);
        let lost = ledger.restore([
            (key("a"), line(State::Running)),
            (key("b"), line(State::Done)),
        ]);
        assert_eq!(lost, [key("a")]);
        assert_eq!(ledger.begin(&key("a"), &[1; 32], 1), Verdict::Unknown);
        assert_eq!(ledger.begin(&key("b"), &[1; 32], 1), Verdict::Replay);
        // An answer that comes too late changes nothing.
        ledger.end(&key("a"), Some(1));
        assert_eq!(ledger.begin(&key("a"), &[1; 32], 1), Verdict::Unknown);
    }

    #[test]
    fn a_full_ledger_refuses_and_forgets_only_what_is_old() {
        let mut ledger = Ledger::new(LIMITS);
        for (action, now) in [("a", 0), ("b", 10), ("c", 20)] {
            assert_eq!(ledger.begin(&key(action), &[1; 32], now), Verdict::Run);
        }
        assert_eq!(ledger.begin(&key("d"), &[1; 32], 30), Verdict::Full);
        ledger.end(&key("b"), Some(1));
        assert_eq!(ledger.expire(1010, 10), [], "still inside");
        assert_eq!(ledger.expire(1011, 10), [key("b")], "`a` still runs");
        assert_eq!(ledger.begin(&key("d"), &[1; 32], 1011), Verdict::Run);
        ledger.end(&key("d"), Some(100));
        ledger.withdraw(&key("c"));
        assert_eq!(
            ledger.begin(&key("e"), &[1; 32], 1012),
            Verdict::Full,
            "bytes"
        );
    }
}
