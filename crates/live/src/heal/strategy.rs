//! What repairs a failing step: a trait with one method, and what it is told.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use aon_core::{MachineHints, ProblemDetails};
use serde_json::Value;

use super::key;
use super::run::Trail;
use crate::session::Session;

/// Repairs a failing step, or says that it is not its business. `R` is what the step gives.
///
/// ```
/// use aon_live::heal::{Failed, Remedy, Strategy};
///
/// struct RestartWorker;
///
/// impl<R> Strategy<R> for RestartWorker {
///     async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
///         if failed.problem().code().is_some_and(|code| code.as_str() == "worker_gone") && failed.times("restart_worker") == 0 {
///             return Remedy::retry("restart_worker");
///         }
///         Remedy::decline()
///     }
/// }
/// ```
pub trait Strategy<R>: Send {
    /// Looks at a failure. Whatever it does must be safe to drop at any point.
    fn heal(&mut self, failed: &mut Failed<'_>) -> impl Future<Output = Remedy<R>> + Send;
}

/// A failed attempt, as a strategy sees it.
#[derive(Debug)]
pub struct Failed<'a> {
    pub(super) step: &'a str,
    pub(super) attempt: u32,
    /// The moment at which the attempt began.
    pub(super) began: u64,
    pub(super) problem: &'a ProblemDetails,
    pub(super) hints: &'a MachineHints,
    pub(super) payload: &'a Value,
    pub(super) session: Option<&'a Session>,
    pub(super) trail: &'a mut Trail,
}

impl Failed<'_> {
    /// The name of the step.
    pub fn step(&self) -> &str {
        self.step
    }

    /// Which attempt failed, from 1.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// What went wrong.
    pub const fn problem(&self) -> &ProblemDetails {
        self.problem
    }

    /// What a machine may conclude from it.
    pub const fn hints(&self) -> &MachineHints {
        self.hints
    }

    /// The payload of the attempt.
    pub const fn payload(&self) -> &Value {
        self.payload
    }

    /// A number for chance.
    pub fn random(&self) -> u64 {
        key::random()
    }

    /// How often this action was taken in this step.
    pub fn times(&self, action: &str) -> usize {
        self.trail.times(action)
    }

    /// Tells that something was tried and did not work, so that another strategy has its turn.
    pub fn tried(&mut self, action: impl Into<Cow<'static, str>>, why: &str) {
        let act = Act::new(action.into()).because(why.to_owned());
        self.trail.tell(
            self.session,
            self.step,
            self.hints,
            self.problem,
            &act,
            "failed",
        );
    }
}

/// What a strategy does about a failure.
#[derive(Debug)]
#[must_use]
pub struct Remedy<R>(pub(super) Kind<R>);

#[derive(Debug)]
pub(super) enum Kind<R> {
    Decline,
    Act(Act),
    Give(Act, R),
}

/// Something that was done.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) action: Cow<'static, str>,
    pub(super) why: Option<String>,
    pub(super) after: Duration,
    pub(super) payload: Option<Value>,
    pub(super) changed: Vec<String>,
}

impl Act {
    fn new(action: Cow<'static, str>) -> Self {
        Self {
            action,
            why: None,
            after: Duration::ZERO,
            payload: None,
            changed: Vec::new(),
        }
    }

    fn because(mut self, why: String) -> Self {
        self.why = Some(why);
        self
    }
}

impl<R> Remedy<R> {
    /// It is not this strategy's business; the next one is asked.
    pub const fn decline() -> Self {
        Self(Kind::Decline)
    }

    /// Whether it is not this strategy's business.
    pub const fn is_declined(&self) -> bool {
        matches!(self.0, Kind::Decline)
    }

    /// The step runs again. The action is one word for the event, such as `refresh_token`.
    pub fn retry(action: impl Into<Cow<'static, str>>) -> Self {
        Self(Kind::Act(Act::new(action.into())))
    }

    /// The step is given up, and this is what it gives.
    pub fn give(action: impl Into<Cow<'static, str>>, value: R) -> Self {
        Self(Kind::Give(Act::new(action.into()), value))
    }

    /// Waits before the step runs again.
    pub fn after(mut self, wait: Duration) -> Self {
        if let Some(act) = self.act() {
            act.after = wait;
        }
        self
    }

    /// Says in a sentence what was done. No values: it is shown.
    pub fn because(mut self, why: impl Into<String>) -> Self {
        if let Some(act) = self.act() {
            act.why = Some(why.into());
        }
        self
    }

    /// Runs the step with another payload; `changed` names what is different, by pointer and never by value.
    pub fn with_payload(
        mut self,
        payload: Value,
        changed: impl IntoIterator<Item = String>,
    ) -> Self {
        if let Some(act) = self.act() {
            act.payload = Some(payload);
            act.changed = changed.into_iter().collect();
        }
        self
    }

    const fn act(&mut self) -> Option<&mut Act> {
        match &mut self.0 {
            Kind::Decline => None,
            Kind::Act(act) | Kind::Give(act, _) => Some(act),
        }
    }
}

/// No strategy at all.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing in it")]
pub struct NoStrategy;

impl<R: Send> Strategy<R> for NoStrategy {
    async fn heal(&mut self, _: &mut Failed<'_>) -> Remedy<R> {
        Remedy::decline()
    }
}

/// One strategy, and another when that declines.
#[derive(Clone, Copy, Debug)]
pub struct Then<A, B>(pub(super) A, pub(super) B);

impl<R: Send, A: Strategy<R>, B: Strategy<R>> Strategy<R> for Then<A, B> {
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        let first = self.0.heal(failed).await;
        if first.is_declined() {
            return self.1.heal(failed).await;
        }
        first
    }
}
