//! One request: generations, actions between them, and one end.

use std::sync::Arc;

use aon::door::Failure;
use aon_live::Session;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::Daemon;
use super::actions::{ActionKind, Call, Open, Voice, pieces, undone};
use super::source::Source;
use super::turn::{Instruction, Said, Turn};
use super::wire::{Action, Done, Token};
use crate::fault::Fault;
use crate::provider::Item;

/// What runs in a session. Dropping it gives the session free and ends what the worker does.
pub(super) struct Run {
    daemon: Arc<Daemon>,
    session: Session,
    id: String,
    stop: watch::Receiver<bool>,
    /// Whether the session was made for this request alone.
    own: bool,
    over: bool,
}

/// How an iteration ended.
enum Ended {
    /// The model said so.
    Done(Value),
    /// An action was asked for, and this came of it.
    Acted(Value),
    /// There was only text.
    Said(String),
}

impl Run {
    pub(super) const fn new(
        daemon: Arc<Daemon>,
        session: Session,
        id: String,
        stop: watch::Receiver<bool>,
        own: bool,
    ) -> Self {
        Self {
            daemon,
            session,
            id,
            stop,
            own,
            over: false,
        }
    }

    /// Runs to the end; the result is what `done` says.
    pub(super) async fn run(mut self, prompt: String) -> Result<Value, Failure> {
        let mut stop = self.stop.clone();
        let limit = self.daemon.limits.run;
        let ended = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => Err(Fault::Aborted.into_failure()),
            ended = self.iterations(prompt) => ended,
            () = tokio::time::sleep(limit) => Err(Fault::TimedOut {
                operation: "the request",
                seconds: limit.as_secs(),
            }.into_failure()),
        };
        if ended.is_ok() {
            self.over = true;
        }
        let result = ended?;
        self.session.conclude_with(&Done {
            result: result.clone(),
        });
        Ok(result)
    }

    async fn iterations(&mut self, mut prompt: String) -> Result<Value, Failure> {
        let most = self.daemon.limits.iterations.max(1);
        for iteration in 1..=most {
            match self.iteration(&prompt).await? {
                Ended::Done(result) => return Ok(result),
                Ended::Said(text) => return Ok(Value::String(text)),
                Ended::Acted(result) if iteration == most => return Ok(result),
                Ended::Acted(result) => prompt = format!("Observation: {result}"),
            }
        }
        Ok(Value::Null)
    }

    /// One generation, and the actions it asks for as it asks for them.
    async fn iteration(&mut self, prompt: &str) -> Result<Ended, Failure> {
        let daemon = Arc::clone(&self.daemon);
        let source = daemon.source(&self.id, prompt).await;
        let mut source = source.map_err(Fault::into_failure)?;
        if let (Source::Fallback(_), Some(fallback)) = (&source, &daemon.fallback) {
            let path = daemon.provider.path().display();
            self.voice().observe(&format!(
                "No worker answers at {path}; the fallback `{}` does.",
                fallback.name()
            ));
        }
        let (mut turn, mut said, mut text) = (Turn::default(), Said::default(), String::new());
        let mut acted = None;
        loop {
            let (instructions, last) = match source.next().await? {
                Some(Item::Token(token)) => {
                    for piece in pieces(&token) {
                        self.session.emit_flat(&Token {
                            text: piece.to_owned(),
                        });
                    }
                    if text.len() < LONGEST_RESULT {
                        text.push_str(&token);
                    }
                    (said.push(&token), false)
                }
                Some(Item::Other(object)) => {
                    (Instruction::read(object).into_iter().collect(), false)
                }
                None => (said.finish().into_iter().collect(), true),
            };
            for instruction in instructions {
                match instruction {
                    Instruction::Done(result) => {
                        let result = if result.is_null() {
                            acted.take()
                        } else {
                            Some(result)
                        };
                        return Ok(Ended::Done(result.unwrap_or(Value::Null)));
                    }
                    Instruction::Observe(note) => self.voice().observe(&note),
                    Instruction::Found(docs) => self.voice().research_result(docs),
                    Instruction::Ask { question, options } => {
                        let answer = self.voice().ask(&question, options).await?;
                        acted = Some(json!({ "question": question, "answer": answer }));
                    }
                    Instruction::Unknown(name) => {
                        let known = ActionKind::ALL.map(ActionKind::as_str).join(", ");
                        let name: String = name.chars().take(64).collect();
                        self.voice().observe(&format!(
                            "{name:?} is not a valid action. The valid ones are {known}."
                        ));
                    }
                    Instruction::Act(kind, members) => {
                        acted = Some(self.act(&mut turn, kind, members).await?);
                    }
                }
            }
            if last {
                return Ok(acted.map_or(Ended::Said(text), Ended::Acted));
            }
        }
    }

    async fn act(
        &self,
        turn: &mut Turn,
        kind: ActionKind,
        members: Map<String, Value>,
    ) -> Result<Value, Failure> {
        let open = Open::new(self.daemon.hook.as_ref(), kind, &self.session);
        if !turn.permit(kind) {
            open.ended("effect_limit");
            tracing::warn!(target: "aon::agent", event = "effect_limit", session_id = %self.id, action = %kind, "a second action with effects was refused");
            return Err(Fault::EffectLimit {
                action: kind.as_str(),
            }
            .into_failure());
        }
        let call = Call::new(kind, &self.id, members).map_err(Fault::into_failure)?;
        tracing::info!(target: "aon::agent", event = "action", session_id = %self.id, action_id = %call.action_id, action = %kind, "an action begins");
        self.session.emit_flat(&Action {
            action: kind.as_str().to_owned(),
            action_id: Some(call.action_id.clone()),
            members: call.members.clone(),
        });
        let voice = self.voice();
        let Some(handler) = self.daemon.registry.get(kind) else {
            if kind == ActionKind::Plan {
                let steps = match call.member("steps") {
                    Value::Array(steps) => steps.clone(),
                    _ => Vec::new(),
                };
                voice.plan(steps.clone());
                open.ended("ok");
                return Ok(json!({ "steps": steps }));
            }
            voice.observe(&format!(
                "Nobody does {kind} here: no handler is registered."
            ));
            open.ended("no_handler");
            return Ok(undone(kind));
        };
        let action_id = call.action_id.clone();
        let result = handler.act(call, voice).await;
        open.ended(result.as_ref().map_or_else(Failure::code, |_| "ok"));
        let ok = result.is_ok();
        tracing::info!(target: "aon::agent", event = "action_ended", session_id = %self.id, action_id = %action_id, action = %kind, ok, "an action has ended");
        result
    }

    fn voice(&self) -> Voice {
        Voice::new(self.session.clone(), self.daemon.limits.answer)
    }
}

/// The longest text that is repeated as the result.
const LONGEST_RESULT: usize = 1024 * 1024;

impl Drop for Run {
    fn drop(&mut self) {
        let (worker, own) = {
            let mut sessions = self.daemon.sessions();
            sessions.finish(&self.id);
            let gone = self.own.then(|| sessions.known.remove(&self.id)).flatten();
            let known = gone.as_ref().or_else(|| sessions.known.get(&self.id));
            (known.and_then(|known| known.worker.clone()), self.own)
        };
        let Some(worker) = worker else {
            return;
        };
        if self.over && !own {
            return;
        }
        // A worker of ours ends when the connection is closed; another one may have to be told.
        let (provider, over) = (self.daemon.provider.clone(), self.over);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if !over {
                    let _: Result<(), Fault> = provider.abort(&worker).await;
                }
                if own {
                    let _: Result<(), Fault> = provider.close_session(&worker).await;
                }
            });
        }
    }
}
