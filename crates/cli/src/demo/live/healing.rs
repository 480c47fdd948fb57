//! `{"do": "step", …}`: a step that fails as the script says, is healed, and asks a person.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aon::{Code, Failure, ProblemDetails, Status};
use aon_live::Session;
use aon_live::heal::{
    Ask, Backoff, Breaker, Correct, Failed, Fallback, Refresh, Remedy, Rename, Strategy,
};
use serde_json::Value;

mod read;
mod shape;

pub(super) use read::read;
use shape::Shape;

/// A step as a script describes it.
#[derive(Debug)]
pub(in crate::demo::live) struct Healing {
    name: String,
    fail: Fail,
    heal: Vec<Means>,
    ask: Option<Question>,
}

/// How it fails.
#[derive(Debug)]
enum Fail {
    /// With these, one after the other.
    With(Vec<ProblemDetails>),
    /// Until somebody has changed the payload.
    UntilPatched,
}

/// A strategy by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Backoff,
    Refresh,
    Rename,
    Correct,
    Fallback,
    Breaker,
}

/// What a person is asked.
#[derive(Debug)]
struct Question {
    paths: Vec<String>,
    removable: Vec<String>,
    show: Vec<String>,
    within: Duration,
    waits: Option<bool>,
    shape: Shape,
}

/// Runs the step; what it gives is the payload in the end.
pub(super) async fn run(
    session: &Session,
    healing: Healing,
    payload: Value,
) -> Result<Value, Failure> {
    let Healing {
        name,
        fail,
        heal,
        ask,
    } = healing;
    // What a person changed last: seen when their answer is found good, which is when it is taken.
    let patched: Arc<Mutex<Option<Value>>> = Arc::default();
    let mut before: Option<Value> = None;
    let mut problems = match &fail {
        Fail::With(problems) => problems.clone().into_iter(),
        Fail::UntilPatched => Vec::new().into_iter(),
    };
    let fields = names(ask.as_ref(), &fail);
    let unfit = mismatch(ask.as_ref());
    let means = heal
        .iter()
        .filter_map(|means| Tool::of(*means, &fields, &payload))
        .collect();
    let mut step = session.step(&name, &payload).heal(Tools(means));
    if heal.contains(&Means::Breaker) {
        step = step.through(&Breaker::new(3, Duration::from_millis(500)));
    }
    if let Some(question) = ask {
        step = step.ask(question.into_ask(Arc::clone(&patched)));
    }
    step.run(|payload: Value, _attempt| {
        let failure = match &fail {
            Fail::With(_) => problems.next(),
            Fail::UntilPatched => {
                let patched = patched.lock().unwrap_or_else(PoisonError::into_inner);
                let changed =
                    patched.as_ref() == Some(&payload) && before.as_ref() != Some(&payload);
                (!changed).then(|| unfit.clone())
            }
        };
        before = Some(payload.clone());
        std::future::ready(match failure {
            Some(problem) => Err(problem),
            None => Ok(payload),
        })
    })
    .await
}

/// The members that the payload should have: those that have a type, and those that a listed failure points at.
fn names(ask: Option<&Question>, fail: &Fail) -> Vec<String> {
    let mut names = ask.map_or_else(Vec::new, |ask| ask.shape.names());
    let problems = match fail {
        Fail::With(problems) => problems.as_slice(),
        Fail::UntilPatched => &[],
    };
    for at in problems.iter().flat_map(ProblemDetails::field_paths) {
        let mut steps = aon::pointer::tokens(&at).map(Cow::into_owned);
        if let (Some(name), None) = (steps.next(), steps.next())
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// What a step says that fails until somebody has changed its payload: where, and what may stand there.
fn mismatch(ask: Option<&Question>) -> ProblemDetails {
    let status = Status::from_static(422);
    let mut problem = ProblemDetails::new(status, Code::from_static("schema_mismatch"))
        .with_title("Schema mismatch")
        .with_detail("The payload does not fit. A person has to change it.");
    for pointer in ask.into_iter().flat_map(|ask| &ask.paths) {
        if !pointer.contains('*') {
            problem = problem.with_pointer(pointer, None);
        }
    }
    for (field, choices) in ask.into_iter().flat_map(|ask| ask.shape.choices()) {
        problem = problem.with_valid_values(field, choices);
    }
    problem
}

impl Question {
    fn into_ask(self, patched: Arc<Mutex<Option<Value>>>) -> Ask {
        let Self {
            paths,
            removable,
            show,
            within,
            waits,
            shape,
        } = self;
        let mut ask = Ask::about(paths)
            .removable(removable)
            .showing(show)
            .within(within);
        if let Some(waits) = waits {
            ask = ask.in_black_box(waits);
        }
        ask.check(move |payload| {
            shape.check(payload)?;
            *patched.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload.clone());
            Ok(())
        })
    }
}

/// Strategies in the order of the script.
struct Tools(Vec<Tool>);

/// A renewal that always works.
type Renew = fn() -> std::future::Ready<Result<(), Infallible>>;

enum Tool {
    Backoff(Backoff),
    Refresh(Refresh<Renew>),
    Rename(Rename),
    Correct(Correct),
    Fallback(Fallback<aon_live::heal::Given<Value>>),
}

impl Tool {
    fn of(means: Means, fields: &[String], payload: &Value) -> Option<Self> {
        Some(match means {
            Means::Backoff => Self::Backoff(Backoff::attempts(3)),
            Means::Refresh => Self::Refresh(Refresh::new(|| std::future::ready(Ok(())))),
            Means::Rename => Self::Rename(Rename::to_fields(fields.iter().cloned())),
            Means::Correct => Self::Correct(Correct::new()),
            Means::Fallback => Self::Fallback(Fallback::value(payload.clone())),
            Means::Breaker => return None,
        })
    }
}

impl Strategy<Value> for Tools {
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<Value> {
        for tool in &mut self.0 {
            let remedy = match tool {
                Tool::Backoff(tool) => tool.heal(failed).await,
                Tool::Refresh(tool) => tool.heal(failed).await,
                Tool::Rename(tool) => tool.heal(failed).await,
                Tool::Correct(tool) => tool.heal(failed).await,
                Tool::Fallback(tool) => tool.heal(failed).await,
            };
            if !remedy.is_declined() {
                return remedy;
            }
        }
        Remedy::decline()
    }
}
