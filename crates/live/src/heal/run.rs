//! Running a step: attempts, strategies, a person, and what is told of all that.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aon::Failure;
use aon_core::{Code, ExtensionName, MachineHints, ProblemDetails};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::ask::{Ask, Asker};
use super::fault::HealFault;
use super::question::{Asked, Channels, Question};
use super::step::{Attempt, Step};
use super::strategy::{Act, Failed, Kind, Strategy};
use super::{IdempotencyKey, key};
use crate::clock::Clock;
use crate::event::Body;
use crate::hub::live::Live;
use crate::machine::request::State;
use crate::machine::session::Weight;
use crate::session::Session;

/// The most attempts of one step, whatever its strategies say.
const ATTEMPTS: u32 = 100;
/// How often one asker is asked again after an answer of its that was refused.
const AGAIN: usize = 16;

/// What was tried.
#[derive(Debug, Default)]
pub(super) struct Trail(Vec<Tried>);

#[derive(Debug, Serialize)]
struct Tried {
    action: String,
    attempt: u32,
    outcome: &'static str,
    code: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<String>,
}

impl Trail {
    pub(super) fn times(&self, action: &str) -> usize {
        self.0.iter().filter(|tried| tried.action == action).count()
    }

    /// Tells what became of an action: to the session, to the log, and to the problem in the end.
    pub(super) fn tell(
        &mut self,
        session: Option<&Session>,
        step: &str,
        hints: &MachineHints,
        problem: &ProblemDetails,
        act: &Act,
        outcome: &'static str,
    ) {
        let attempt = u32::try_from(self.times(&act.action)).unwrap_or(u32::MAX) + 1;
        let code = problem.code().map(|code| code.as_str().to_owned());
        if let Some(session) = session {
            let mut event = session
                .healing(hints.severity, &act.action)
                .metadata("step", step)
                .metadata("attempt", &attempt)
                .metadata("outcome", outcome);
            if let Some(why) = &act.why {
                event = event.description(why);
            }
            if let Some(code) = &code {
                event = event.metadata("code", code);
            }
            if !act.changed.is_empty() {
                event = event.metadata("changed", &act.changed);
            }
            drop(event);
        }
        let (action, code) = (&*act.action, code);
        tracing::debug!(target: "aon::healing", step, action, attempt, outcome, code = code.as_deref());
        self.0.push(Tried {
            action: action.to_owned(),
            attempt,
            outcome,
            code,
            changed: act.changed.clone(),
        });
    }
}

/// An action whose outcome is not known yet.
struct Pending {
    act: Act,
    hints: MachineHints,
    problem: ProblemDetails,
}

/// Who asks, beside the channels of a session.
type Askers = Vec<Arc<dyn Asker>>;

/// How asking a person ended, when it did not help.
enum Unanswered {
    /// There was nobody to ask.
    NotAsked,
    Denied,
    Expired,
    /// It was answered as often as it may be.
    Exhausted,
}

/// Takes a question back when the step is dropped, or has failed for good.
struct Held(Question);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<H> Step<'_, H> {
    /// Runs the body, and again after each repair, until it succeeds or nothing helps any more.
    ///
    /// # Errors
    ///
    /// With the last failure; its problem says what was tried.
    pub async fn run<T, R, E, F, Fut>(mut self, mut body: F) -> Result<R, Failure>
    where
        T: DeserializeOwned,
        E: Into<Failure>,
        F: FnMut(T, Attempt) -> Fut,
        Fut: Future<Output = Result<R, E>>,
        H: Strategy<R>,
    {
        let mut payload = match self.payload.take() {
            Ok(payload) => payload,
            Err(error) => {
                let cause = error.to_string();
                return Err(Failure::from(HealFault::PayloadNotJson)
                    .with_cause("a payload has no JSON form", cause));
            }
        };
        let key = IdempotencyKey::fresh();
        let mut trail = Trail::default();
        let mut pending: Option<Pending> = None;
        let mut question: Option<Held> = None;
        let mut number = 0;
        let mut watched = self.session.and_then(|session| session.stepping(self.name));
        loop {
            number += 1;
            let began = key::moment();
            let attempt = Attempt::new(number, key);
            if let Some(watched) = &mut watched {
                watched.attempt();
            }
            // What the breaker refuses is not run, so nothing can have helped.
            let refused = self
                .breaker
                .as_ref()
                .and_then(|breaker| breaker.ask().err());
            let ran = refused.is_none();
            let outcome = match refused {
                Some(failure) => Err(failure),
                None => self.attempt(&payload, attempt, &mut body).await,
            };
            if let Some(watched) = &mut watched {
                watched.attempted(outcome.as_ref().err().map(Failure::problem));
            }
            if let Some(Pending {
                act,
                hints,
                problem,
            }) = pending.take()
            {
                // Another failure than the one it was for: that one is healed.
                let same = |failure: &Failure| {
                    MachineHints::of(failure.problem()).fingerprint == hints.fingerprint
                };
                let told = if !ran || outcome.as_ref().is_err_and(same) {
                    "failed"
                } else {
                    "healed"
                };
                trail.tell(self.session, self.name, &hints, &problem, &act, told);
            }
            let failure = match outcome {
                Ok(value) => {
                    if let Some(question) = &question {
                        question.0.commit();
                    }
                    return Ok(value);
                }
                Err(failure) => failure,
            };
            if number >= ATTEMPTS {
                return Err(told_of(failure, &self, number, &trail));
            }
            let hints = MachineHints::of(failure.problem());
            let remedy = self
                .strategies
                .heal(&mut Failed {
                    step: self.name,
                    attempt: number,
                    began,
                    problem: failure.problem(),
                    hints: &hints,
                    payload: &payload,
                    session: self.session,
                    trail: &mut trail,
                })
                .await;
            match remedy.0 {
                Kind::Decline => {}
                Kind::Give(act, value) => {
                    let problem = failure.problem();
                    trail.tell(self.session, self.name, &hints, problem, &act, "healed");
                    if let Some(question) = &question {
                        question.0.commit();
                    }
                    return Ok(value);
                }
                Kind::Act(mut act) => {
                    if let Some(changed) = act.payload.take() {
                        payload = changed;
                    }
                    self.wait(&act).await;
                    pending = Some(Pending {
                        act,
                        hints,
                        problem: failure.problem().clone(),
                    });
                    continue;
                }
            }
            match self
                .consult::<T>(&mut question, &mut payload, number, &failure)
                .await
            {
                Ok(()) => {}
                Err(Unanswered::NotAsked | Unanswered::Exhausted) => {
                    return Err(told_of(failure, &self, number, &trail));
                }
                Err(Unanswered::Denied) => {
                    let failure = in_vain(&failure, self.name, DENIED);
                    return Err(told_of(failure, &self, number, &trail));
                }
                Err(Unanswered::Expired) => {
                    let failure = in_vain(&failure, self.name, TIMEOUT);
                    return Err(told_of(failure, &self, number, &trail));
                }
            }
        }
    }

    async fn attempt<T, R, E, F, Fut>(
        &self,
        payload: &Value,
        attempt: Attempt,
        body: &mut F,
    ) -> Result<R, Failure>
    where
        T: DeserializeOwned,
        E: Into<Failure>,
        F: FnMut(T, Attempt) -> Fut,
        Fut: Future<Output = Result<R, E>>,
    {
        let input = match T::deserialize(payload) {
            Ok(input) => input,
            Err(_misfit) => return Err(misfit::<T>(payload)),
        };
        let outcome = match self.time_limit {
            None => body(input, attempt).await.map_err(Into::into),
            Some(limit) => match tokio::time::timeout(limit, body(input, attempt)).await {
                Ok(outcome) => outcome.map_err(Into::into),
                // The body was dropped: nothing of the attempt goes on.
                Err(_elapsed) => Err(Failure::from(HealFault::StepTimedOut)),
            },
        };
        if let Some(breaker) = &self.breaker {
            breaker.tell(outcome.as_ref().err());
        }
        outcome
    }

    /// Waits as an action says, and says so.
    async fn wait(&self, act: &Act) {
        if act.after.is_zero() {
            return;
        }
        if let Some(session) = self.session {
            session
                .status(format!("Waiting before {} is tried again.", self.name))
                .phase("healing")
                .estimated_delay(act.after);
        }
        tokio::time::sleep(act.after).await;
    }

    /// Asks a person, and waits; the payload is the one of the answer then.
    async fn consult<T: DeserializeOwned>(
        &self,
        question: &mut Option<Held>,
        payload: &mut Value,
        attempt: u32,
        failure: &Failure,
    ) -> Result<(), Unanswered> {
        let Some(ask) = &self.ask else {
            return Err(Unanswered::NotAsked);
        };
        let problem = failure.problem();
        let place = self.place(ask);
        let (live, mut askers) = place.ok_or(Unanswered::NotAsked)?;
        let asked = if let Some(held) = question {
            if !held.0.again(attempt, payload, problem) {
                return Err(Unanswered::Exhausted);
            }
            held.0.clone()
        } else {
            {
                let session = self.session;
                let address = |id: &str| session.and_then(|session| session.patch_url(id));
                let address = |id: &str| address(id).unwrap_or_default();
                let asked = Question::open(Asked {
                    step: self.name,
                    attempt,
                    ask,
                    fits: |value| fits::<T>(value),
                    payload,
                    problem,
                    address: live.is_some().then_some(&address),
                    live: live.clone(),
                    clock: Clock::start(),
                    sink: session.and_then(Session::audit),
                });
                *question = Some(Held(asked.clone()));
                asked
            }
        };
        if let Some(live) = live {
            // Findable first, and told then: whoever reads it can answer.
            live.desk.put(&asked);
            askers.push(Arc::new(Channels(live)));
        }
        answered(&asked, &askers, self.session, ask.within).await?;
        if let Some(changed) = asked.take_payload() {
            *payload = changed;
        }
        Ok(())
    }

    /// Where a question can be put: the session whose channels carry it, and who else asks.
    fn place(&self, ask: &Ask) -> Option<(Option<Arc<Live>>, Askers)> {
        let mut askers = ask.askers.clone();
        let Some(session) = self.session else {
            return (!askers.is_empty()).then_some((None, askers));
        };
        let waits = session.is_read() || ask.in_black_box.unwrap_or(session.waits());
        if !waits && askers.is_empty() {
            return None;
        }
        askers.extend(session.askers());
        let live = if waits { session.opened() } else { None };
        (live.is_some() || !askers.is_empty()).then_some((live, askers))
    }
}

/// Waits for an answer from anybody who asks, until the time is over.
async fn answered(
    question: &Question,
    askers: &[Arc<dyn Asker>],
    session: Option<&Session>,
    within: Duration,
) -> Result<(), Unanswered> {
    let mut asking: FuturesUnordered<_> = askers
        .iter()
        .map(|asker| async move {
            for _ in 0..AGAIN {
                let reply = asker.ask(question).await;
                if question.offer(reply.answer, &reply.by, None).is_ok() {
                    return;
                }
            }
            std::future::pending::<()>().await;
        })
        .collect();
    if let Some(session) = session {
        let shown = Box::new(question.request());
        session.publish(&Body::InteractiveHealingRequest(shown), Weight::Kept);
        if let Some(live) = session.live() {
            question.told_by(live.newest());
        }
    }
    tokio::select! {
        biased;
        () = question.settled() => {}
        Some(()) = asking.next() => {}
        () = tokio::time::sleep(within) => {
            question.expire();
        }
    }
    // An answer counts once it is stored: a node that has lost the session does not act on it.
    if let Some(session) = session
        && !session.stored().await
    {
        return Err(Unanswered::Expired);
    }
    match question.state() {
        State::Accepted | State::Consumed => Ok(()),
        State::Denied => Err(Unanswered::Denied),
        State::Offered | State::Expired | State::Closed => Err(Unanswered::Expired),
    }
}

const DENIED: (&str, &str, &str) = (
    "healing_denied",
    "Healing denied",
    "A person declined to repair it",
);
const TIMEOUT: (&str, &str, &str) = (
    "healing_timeout",
    "Healing timed out",
    "Nobody repaired it in time",
);

/// The problem of a question that did not help: the status of the failure, and the failure inside.
fn in_vain(failure: &Failure, step: &str, words: (&'static str, &'static str, &str)) -> Failure {
    let (code, title, what) = words;
    let cause = failure.problem();
    let status = cause.status().unwrap_or(aon_core::Status::from_static(500));
    let why = cause.detail().or_else(|| cause.title()).unwrap_or_default();
    let mut problem = ProblemDetails::new(status, Code::from_static(code))
        .with_title(title)
        .with_detail(format!("{what}: step {step}. {why}"));
    for (field, choices) in cause.valid_values().iter() {
        problem = problem.with_valid_values(field.to_owned(), choices.iter().cloned());
    }
    for pointer in cause.field_paths().iter().take(16) {
        problem = problem.with_pointer(pointer, None);
    }
    if let Some(docs) = cause.docs_url() {
        problem = problem.with_docs_url(docs.clone());
    }
    let inside: Value = serde_json::from_str(&cause.to_string()).unwrap_or_default();
    Failure::built_in(extended(problem, "cause", &inside))
}

fn extended(problem: ProblemDetails, name: &'static str, value: &Value) -> ProblemDetails {
    let with = problem
        .clone()
        .with_extension(ExtensionName::from_static(name), value);
    with.unwrap_or(problem)
}

/// The failure, and what was tried before.
fn told_of<H>(failure: Failure, step: &Step<'_, H>, attempts: u32, trail: &Trail) -> Failure {
    let nothing_to_say = attempts <= 1 && trail.0.is_empty() && step.ask.is_none();
    if nothing_to_say {
        return failure;
    }
    let told = json!({"step": step.name, "attempts": attempts, "tried": trail.0});
    failure.map(|problem| extended(problem, "healing", &told))
}

/// The failure of a payload that is not what the body takes.
#[cold]
fn misfit<T: DeserializeOwned>(payload: &Value) -> Failure {
    let problem = aon::arguments::explain::<T>(payload).unwrap_or_else(|| {
        ProblemDetails::new(
            aon_core::Status::from_static(422),
            Code::from_static("invalid_value"),
        )
    });
    Failure::built_in(problem)
}

fn fits<T: DeserializeOwned>(payload: &Value) -> Result<(), ProblemDetails> {
    match T::deserialize(payload) {
        Ok(_) => Ok(()),
        Err(_misfit) => Err(aon::arguments::explain::<T>(payload).unwrap_or_else(|| {
            ProblemDetails::new(
                aon_core::Status::from_static(422),
                Code::from_static("invalid_value"),
            )
        })),
    }
}
