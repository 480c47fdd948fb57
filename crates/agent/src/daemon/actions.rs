//! What a model may want done, and who does it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aon::door::Failure;
use aon_live::Session;
use aon_live::heal::{self, Asker, Asking, Question};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::wire::{Ask, ExecLog, Observe, Plan, ResearchResult};
use crate::fault::Fault;

/// The actions of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification lists the actions"
)]
pub enum ActionKind {
    /// Says what will be done.
    Plan,
    /// Runs a command. It has effects.
    Shell,
    /// Looks something up.
    Research,
    /// Describes a tool that is to be made.
    ToolSpec,
    /// Uses a tool. It has effects.
    UseTool,
}

impl ActionKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Plan,
        Self::Shell,
        Self::Research,
        Self::ToolSpec,
        Self::UseTool,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Shell => "shell",
            Self::Research => "research",
            Self::ToolSpec => "tool_spec",
            Self::UseTool => "use_tool",
        }
    }

    /// The one of that name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether it changes something; an iteration has at most one that does.
    pub const fn has_effects(self) -> bool {
        matches!(self, Self::Shell | Self::UseTool)
    }
}

/// An action as the model asked for it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// What.
    pub kind: ActionKind,
    /// Its id, for logs and for what has to be done only once.
    pub action_id: String,
    /// The session of the caller.
    pub session_id: String,
    /// What the model said about it.
    pub members: Map<String, Value>,
}

impl Call {
    pub(super) fn new(
        kind: ActionKind,
        session_id: &str,
        members: Map<String, Value>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            kind,
            action_id: super::http::fresh_id()?,
            session_id: session_id.to_owned(),
            members,
        })
    }

    /// A member, or `null`.
    pub fn member(&self, name: &str) -> &Value {
        self.members.get(name).unwrap_or(&Value::Null)
    }
}

/// What an action comes to.
pub type Acting<'a> = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send + 'a>>;

/// Does an action. An async closure of a [`Call`] and a [`Voice`] is one.
pub trait Handler: Send + Sync + 'static {
    /// Does it, and says what came of it. It is dropped when the work is aborted or cancelled.
    fn act(&self, call: Call, voice: Voice) -> Acting<'_>;
}

impl<F, Fut> Handler for F
where
    F: Fn(Call, Voice) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Value, Failure>> + Send + 'static,
{
    fn act(&self, call: Call, voice: Voice) -> Acting<'_> {
        Box::pin(self(call, voice))
    }
}

/// What became of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acted<'a> {
    /// What was asked for.
    pub kind: ActionKind,
    /// `ok`, `no_handler` where nobody does it here, `abandoned` where the work ended before it, or the code of the problem.
    pub outcome: &'a str,
    /// How long it took.
    pub took: Duration,
    /// The trace of the session.
    pub trace_id: Option<&'a str>,
}

/// Hears what became of actions.
pub(super) type Hook = Arc<dyn Fn(&Acted<'_>) + Send + Sync>;

/// An action that is being done. Whoever listens hears of it once, also when it is dropped.
pub(super) struct Open<'a> {
    hook: Option<&'a Hook>,
    kind: ActionKind,
    session: &'a Session,
    since: Option<tokio::time::Instant>,
}

impl<'a> Open<'a> {
    pub(super) fn new(hook: Option<&'a Hook>, kind: ActionKind, session: &'a Session) -> Self {
        Self {
            hook,
            kind,
            session,
            since: hook.map(|_| tokio::time::Instant::now()),
        }
    }

    pub(super) fn ended(mut self, outcome: &str) {
        self.tell(outcome);
    }

    fn tell(&mut self, outcome: &str) {
        if let Some((hook, since)) = self.hook.take().zip(self.since) {
            let trace = self.session.trace_id().map(|trace| trace.to_string());
            hook(&Acted {
                kind: self.kind,
                outcome,
                took: since.elapsed(),
                trace_id: trace.as_deref(),
            });
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.tell("abandoned");
    }
}

/// Who does which action.
#[derive(Clone, Default)]
pub(super) struct Registry([Option<Arc<dyn Handler>>; 5]);

impl Registry {
    pub(super) fn set(&mut self, kind: ActionKind, handler: Arc<dyn Handler>) {
        if let Some(place) = self.0.get_mut(kind as usize) {
            *place = Some(handler);
        }
    }

    pub(super) fn get(&self, kind: ActionKind) -> Option<&Arc<dyn Handler>> {
        self.0.get(kind as usize)?.as_ref()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = ActionKind::ALL
            .into_iter()
            .filter(|kind| self.get(*kind).is_some());
        f.debug_list().entries(known).finish()
    }
}

/// What a handler says while it works.
#[derive(Clone, Debug)]
pub struct Voice {
    session: Session,
    patience: Duration,
}

/// The longest text of one event; longer ones are told in several.
const LONGEST: usize = 16 * 1024;

impl Voice {
    pub(super) const fn new(session: Session, patience: Duration) -> Self {
        Self { session, patience }
    }

    /// `exec_log`: what is written to `stdout` or `stderr`.
    pub fn exec_log(&self, stream: Stream, chunk: &str) {
        for chunk in pieces(chunk) {
            self.session.emit_flat(&ExecLog {
                stream: stream.as_str().to_owned(),
                chunk: chunk.to_owned(),
            });
        }
    }

    /// `observe`: a remark.
    pub fn observe(&self, note: &str) {
        self.session.emit_flat(&Observe {
            note: note.to_owned(),
        });
    }

    /// `plan`: the steps that are meant.
    pub fn plan(&self, steps: Vec<Value>) {
        self.session.emit_flat(&Plan { steps });
    }

    /// `research_result`: documents with `title` and `url`.
    pub fn research_result(&self, docs: Vec<Value>) {
        self.session.emit_flat(&ResearchResult { docs });
    }

    /// Asks a person, and waits for the answer: one of the options, if there are any. The answer comes as a JSON Patch of
    /// `/answer`, over POST or WebSocket of the session.
    ///
    /// # Errors
    ///
    /// When it is denied, or nobody answers in time.
    pub async fn ask(&self, question: &str, options: Vec<Value>) -> Result<Value, Failure> {
        let valid = options.clone();
        let ask = heal::Ask::about(["/answer"])
            .showing(["/question", "/options"])
            .within(self.patience)
            .rounds(1)
            .check(move |payload| {
                let answer = payload.get("answer").unwrap_or(&Value::Null);
                if answer.is_null() || !valid.is_empty() && !valid.contains(answer) {
                    return Err(aon::Problem::to_problem(&Fault::NotAnOption {
                        options: valid.iter().map(plain).collect(),
                    }));
                }
                Ok(())
            })
            .through(Announcer {
                session: self.session.clone(),
                question: question.to_owned(),
                options: options.clone(),
            });
        let payload = Asked {
            question: question.to_owned(),
            options,
            answer: Value::Null,
        };
        self.session
            .step("ask", payload)
            .ask(ask)
            .run(async |asked: Asked, _| match asked.answer {
                Value::Null => Err(Fault::AnswerNeeded.into_failure()),
                answer => Ok(answer),
            })
            .await
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Asked {
    question: String,
    options: Vec<Value>,
    answer: Value,
}

/// Says `ask` once the question can be answered. The answer comes over the channels of the session.
struct Announcer {
    session: Session,
    question: String,
    options: Vec<Value>,
}

impl Asker for Announcer {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        let address = self.session.address();
        self.session.emit_flat(&Ask {
            question: self.question.clone(),
            options: self.options.clone(),
            answer_url: address.map(|at| format!("{at}/healing/{}", question.id())),
        });
        Box::pin(std::future::pending())
    }
}

/// Where a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a program has two outputs")]
pub enum Stream {
    /// What it says.
    Stdout,
    /// What it complains about.
    Stderr,
}

impl Stream {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// An option as a person reads it.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Text in pieces that fit into an event, none of which splits a character.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(LONGEST);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// What an action did when nobody was there to do it.
pub(super) fn undone(kind: ActionKind) -> Value {
    json!({ "action": kind.as_str(), "done": false, "reason": "no handler" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_walked_there_and_back() {
        for kind in ActionKind::ALL {
            assert_eq!(ActionKind::from_word(kind.as_str()), Some(kind));
        }
        let effects = ActionKind::ALL
            .into_iter()
            .filter(|kind| kind.has_effects());
        assert_eq!(
            effects.collect::<Vec<_>>(),
            [ActionKind::Shell, ActionKind::UseTool]
        );
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let text = "é".repeat(LONGEST);
        let cut: Vec<&str> = pieces(&text).collect();
        assert_eq!(cut.concat(), text);
        assert!(cut.len() == 2 && cut.iter().all(|piece| piece.len() <= LONGEST));
        assert_eq!(pieces("").count(), 0);
    }
}
