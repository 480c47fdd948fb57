//! Carries decisions out: a thin loop over a transport and a caller of yours.

use std::future::Future;

use serde_json::Value;

use super::{Allowed, Budget, Call, Decision, Operation, Recovery, Seen, Step};

/// How calls reach the server.
pub trait Transport {
    /// Sends a call: its result, or how it failed.
    fn send(&mut self, call: &Call) -> impl Future<Output = Result<Value, Seen>>;

    /// Reads a place with GET; `None` when there is nothing.
    fn fetch(&mut self, url: &str) -> impl Future<Output = Option<Value>>;

    /// Waits.
    fn wait(&mut self, millis: u64) -> impl Future<Output = ()>;

    /// Milliseconds since some moment.
    fn now(&self) -> u64;
}

/// Who the call is made for. By default nothing is chosen and nothing is granted.
pub trait Caller {
    /// Chooses a value for a field; `None` when none of them will do.
    fn choose(&mut self, field: &str, values: &[Value]) -> Option<Value> {
        let (_, _) = (field, values);
        None
    }

    /// Gets a scope; whether the next call has it.
    fn elevate(&mut self, scope: &str) -> bool {
        let _ = scope;
        false
    }

    /// Becomes another user; whether the next call is made by that one.
    fn switch_user(&mut self) -> bool {
        false
    }

    /// Is told of each decision, for a log or for the glass box.
    fn decided(&mut self, decision: &Decision) {
        let _ = decision;
    }
}

/// How a call ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The result; `None` when the caller gave up.
    pub result: Option<Value>,
    /// What was decided on the way.
    pub decisions: Vec<Decision>,
}

/// Sends a call and recovers from its failures as far as allowed.
pub async fn recover<T: Transport, C: Caller>(
    call: Call,
    known: &[Operation],
    allowed: Allowed,
    budget: Budget,
    transport: &mut T,
    caller: &mut C,
) -> Ended {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut started = transport.now();
    let mut answer = transport.send(&call).await;
    let mut recovery = Recovery::new(call, known, allowed, budget);
    loop {
        let seen = match answer {
            Ok(result) => {
                return Ended {
                    result: Some(result),
                    decisions,
                };
            }
            Err(seen) => seen,
        };
        let now = transport.now();
        let mut decision = recovery.failed(seen, now.saturating_sub(started));
        started = now;
        answer = loop {
            caller.decided(&decision);
            decisions.push(decision.clone());
            decision = match decision.step {
                Step::Send(call) => break transport.send(&call).await,
                Step::GiveUp { .. } => {
                    return Ended {
                        result: None,
                        decisions,
                    };
                }
                Step::Choose { field, values } => {
                    recovery.chosen(caller.choose(&field, &values).as_ref())
                }
                Step::Wait { millis } => {
                    transport.wait(millis).await;
                    // The wait was paid for when it was decided.
                    started = transport.now();
                    recovery.waited()
                }
                Step::Elevate { scope } => recovery.granted(caller.elevate(&scope)),
                Step::SwitchUser => recovery.granted(caller.switch_user()),
                Step::Call(call) => recovery.helped(transport.send(&call).await.ok().as_ref()),
                Step::Fetch { url } => recovery.helped(transport.fetch(&url).await.as_ref()),
            };
        };
    }
}
