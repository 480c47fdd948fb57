//! The boundary of what is tried again.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::ask::Ask;
use super::breaker::Breaker;
use super::key::IdempotencyKey;
use super::strategy::{NoStrategy, Then};
use crate::session::Session;

/// A step without a session: healing as a plain call, for commands and jobs.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// use aon::{Code, ProblemDetails, Status};
/// use aon_live::heal::{Backoff, step};
///
/// let answer = step("fetch", 7)
///     .heal(Backoff::attempts(3))
///     .run(async |n: u32, attempt| {
///         if attempt.number() < 3 {
///             return Err(ProblemDetails::new(Status::from_static(503), Code::from_static("busy")));
///         }
///         Ok(n * 6)
///     })
///     .await;
/// assert_eq!(answer.ok(), Some(42));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn step(name: &str, payload: impl Serialize) -> Step<'_> {
    Step::new(None, name, &payload)
}

impl Session {
    /// A step: what is tried again when it fails. See [`heal`](crate::heal).
    pub fn step<'a>(&'a self, name: &'a str, payload: impl Serialize) -> Step<'a> {
        Step::new(Some(self), name, &payload)
    }
}

/// What is tried again when it fails: a name, a payload, and what repairs it.
#[must_use = "a step does nothing until it is run"]
pub struct Step<'a, H = NoStrategy> {
    pub(super) session: Option<&'a Session>,
    pub(super) name: &'a str,
    pub(super) payload: Payload,
    pub(super) strategies: H,
    pub(super) ask: Option<Ask>,
    pub(super) breaker: Option<Breaker>,
    pub(super) time_limit: Option<Duration>,
}

pub(super) struct Payload(Option<Result<Value, serde_json::Error>>);

impl Payload {
    pub(super) fn take(&mut self) -> Result<Value, serde_json::Error> {
        self.0.take().unwrap_or(Ok(Value::Null))
    }
}

impl<'a> Step<'a> {
    fn new<P: Serialize + ?Sized>(
        session: Option<&'a Session>,
        name: &'a str,
        payload: &P,
    ) -> Self {
        Self {
            session,
            name,
            payload: Payload(Some(serde_json::to_value(payload))),
            strategies: NoStrategy,
            ask: None,
            breaker: None,
            time_limit: None,
        }
    }
}

impl<'a, H> Step<'a, H> {
    /// Adds a strategy; they are asked in order, and the first that does something ends the round.
    pub fn heal<S>(self, strategy: S) -> Step<'a, Then<H, S>> {
        Step {
            session: self.session,
            name: self.name,
            payload: self.payload,
            strategies: Then(self.strategies, strategy),
            ask: self.ask,
            breaker: self.breaker,
            time_limit: self.time_limit,
        }
    }

    /// Asks a person when no strategy helps.
    pub fn ask(mut self, ask: Ask) -> Self {
        self.ask = Some(ask);
        self
    }

    /// Spares a service that does not work.
    pub fn through(mut self, breaker: &Breaker) -> Self {
        self.breaker = Some(breaker.clone());
        self
    }

    /// How long one attempt may take; then it is dropped, and has failed with `step_timed_out`.
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }
}

impl<H> fmt::Debug for Step<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Which attempt of a step this is.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    number: u32,
    key: IdempotencyKey,
}

impl Attempt {
    pub(super) const fn new(number: u32, key: IdempotencyKey) -> Self {
        Self { number, key }
    }

    /// Its number, from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The same for all attempts of a step: send it along, and the other side can tell a repeat from a second call.
    pub const fn idempotency_key(&self) -> IdempotencyKey {
        self.key
    }
}
