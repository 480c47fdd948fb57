//! Where the text of a run comes from: the worker, or the fallback.

use aon::door::Failure;
use futures_util::StreamExt as _;
use serde_json::{Map, Value};

use super::Daemon;
use crate::fault::Fault;
use crate::provider::{Generation, Item};
use crate::worker::{Ask, Tokens};

/// One generation.
pub(super) enum Source {
    Worker(Generation),
    Fallback(Tokens),
}

impl Source {
    pub(super) async fn next(&mut self) -> Result<Option<Item>, Failure> {
        match self {
            Self::Worker(generation) => generation.item().await.map_err(Fault::into_failure),
            Self::Fallback(tokens) => Ok(tokens.next().await.transpose()?.map(Item::Token)),
        }
    }
}

impl Daemon {
    /// A session of the worker; none when there is no worker and the fallback answers.
    pub(super) async fn worker_session(
        &self,
        params: &Map<String, Value>,
    ) -> Result<Option<String>, Fault> {
        match self.provider.create_session(params.clone()).await {
            Ok(session) => Ok(Some(session)),
            Err(Fault::WorkerUnavailable { .. }) if self.fallback.is_some() => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Starts a generation in a session. A worker that was restarted does not know its sessions any more, and gets a new one.
    pub(super) async fn source(&self, session: &str, prompt: &str) -> Result<Source, Fault> {
        let known = {
            let sessions = self.sessions();
            let known = sessions.known.get(session);
            let known = known.ok_or(Fault::SessionNotFound)?;
            (known.worker.clone(), known.params.clone())
        };
        let (worker, params) = known;
        if let Some(worker) = worker {
            match self.provider.generate(&worker, prompt).await {
                Ok(mut generation) => match generation.peek().await {
                    Ok(()) => return Ok(Source::Worker(generation)),
                    Err(fault) if is_unknown(&fault) => {}
                    Err(fault) => return Err(fault),
                },
                Err(Fault::WorkerUnavailable { .. }) if self.fallback.is_some() => {}
                Err(fault) => return Err(fault),
            }
        }
        let fresh = self.worker_session(&params).await?;
        if let Some(known) = self.sessions().known.get_mut(session) {
            known.worker.clone_from(&fresh);
        }
        match (fresh, &self.fallback) {
            (Some(worker), _) => {
                let generation = self.provider.generate(&worker, prompt).await?;
                Ok(Source::Worker(generation))
            }
            (None, Some(fallback)) => {
                let ask = Ask::new(session, prompt).with_params(params);
                Ok(Source::Fallback(fallback.generate(ask)))
            }
            (None, None) => Err(Fault::WorkerUnavailable {
                path: self.provider.path().display().to_string(),
                reason: "there is no worker and no fallback".to_owned(),
            }),
        }
    }
}

/// Whether the worker does not know the session.
fn is_unknown(fault: &Fault) -> bool {
    let problem = aon::Problem::to_problem(fault);
    problem
        .status()
        .is_some_and(|status| status.as_u16() == 404)
}
