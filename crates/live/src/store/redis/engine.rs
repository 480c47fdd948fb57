//! The same engine for scripts that are not the hub's: one connection, and what a script wrote is stored as promised when it returns.

use std::time::Duration;

use redis::{Value, cmd};

use super::address::RedisSettings;
use super::calls::{self, Calls};
use super::health::Pulse;
use super::link::{Link, bytes};

/// Runs scripts at whichever engine is the primary at the moment. Clones are the same.
#[derive(Clone, Debug)]
pub struct Engine {
    calls: Calls,
    pulse: Pulse,
    prefix: String,
    lease: Duration,
}

impl Engine {
    /// Begins to run; a connection is made when something is asked. It ends when the last clone is dropped.
    ///
    /// `None` outside a runtime of tokio.
    pub fn start(settings: RedisSettings) -> Option<Self> {
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let mut random = [0; 8];
        getrandom::fill(&mut random).ok()?;
        let (prefix, lease) = (settings.prefix.clone(), settings.lease);
        let mark = format!("{prefix}mark:{:016x}", u64::from_be_bytes(random));
        let (calls, asked) = Calls::new();
        let pulse = Pulse::default();
        let work = calls::run(Link::new(settings), asked, pulse.clone(), mark.into_bytes());
        runtime.spawn(work);
        Some(Self {
            calls,
            pulse,
            prefix,
            lease,
        })
    }

    /// What all keys begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// For how long somebody who is not heard of is believed to live.
    pub const fn lease(&self) -> Duration {
        self.lease
    }

    /// Why it cannot be used at the moment.
    pub fn broken(&self) -> Option<String> {
        self.pulse.broken()
    }

    /// Runs a script that gives a list of texts. It is sent again when its answer was lost, so running it twice has to do no harm.
    ///
    /// `None` when there was no answer in time; then nobody knows whether it ran.
    pub async fn eval(
        &self,
        script: &str,
        keys: &[&str],
        arguments: &[&[u8]],
        patience: Duration,
    ) -> Option<Vec<Vec<u8>>> {
        let mut call = cmd("EVAL");
        call.arg(script).arg(keys.len());
        for key in keys {
            call.arg(*key);
        }
        for argument in arguments {
            call.arg(*argument);
        }
        let answer = tokio::time::timeout(patience, self.calls.ask(call)).await;
        let Value::Array(values) = answer.ok()?? else {
            return None;
        };
        let text = |value| bytes(Some(value)).unwrap_or_default().to_vec();
        Some(values.iter().map(text).collect())
    }
}
