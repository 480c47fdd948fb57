//! A message comes in: it begins a task, is answered at once, or answers the question of a task.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use aon::door::Scope;
use aon::{Failure, Problem as _};
use aon_core::{Json, redact};
use futures_util::FutureExt as _;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::fault::{AgentFault, invalid};
use super::push::{self, Errand, Hooks};
use super::skill::{Skill, Work};
use super::task::Entry;
use super::{Agent, Asked, answer};
use crate::access::Caller;
use crate::channel::heal::{forward, runs_elsewhere};
use crate::event::{Body, ResultBody};
use crate::fault::Fault;
use crate::heal::{HealFault, Question, Receipt, Rejection, Responder};
use crate::hub::inbox::{Letter, Spoken};
use crate::hub::live::{Live, Stop};
use crate::id::SessionId;
use crate::machine::session::Weight;
use crate::outcome;
use crate::session::{Session, draft};
use crate::surface::a2a::{
    Content, Dialect, MESSAGE, Message, Part, Role, SESSION_EXTENSION, Said, TASK, message,
};

/// What became of a message.
pub(super) enum Sent {
    /// It was answered at once.
    Answered(Message),
    /// It began a task.
    Began(Arc<Entry>),
    /// It answered the question of a task.
    Went(Arc<Entry>),
}

/// How the caller wants it.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish {
    pub(super) history: Option<usize>,
    pub(super) at_once: bool,
    /// An address that is to be told.
    push: Option<push::Config>,
}

/// How long a message that streams may be answered without a task.
const SETTLE: Duration = Duration::from_millis(100);
/// The longest part that is kept in a history as it is.
const LONGEST: usize = 4096;

pub(super) async fn send(
    agent: &Agent,
    asked: &Asked,
    params: &Value,
    streams: bool,
) -> Result<(Sent, Wish), Failure> {
    let (message, mut wish) = read(agent, params, asked)
        .map_err(|failure| failure.with_arguments(data_of(params).map(Json::from)))?;
    if let Some(task) = &message.task_id {
        let entry = follow_up(agent, asked, task, &message, wish.push.take()).await?;
        return Ok((Sent::Went(entry), wish));
    }
    let (skill, arguments) = choose(agent, &message)
        .map_err(|failure| failure.with_arguments(data_of(params).map(Json::from)))?;
    let room = agent.0.hub.reserve(None)?;
    let context = message.context_id.clone().unwrap_or_else(fresh);
    let said = Said {
        context_id: &context,
        skill: Some(&skill.id),
        message: shortened(&message),
    };
    let session = Session::glass(&agent.0.hub, room, asked.trace, asked.caller.clone())
        .opening_with(TASK, &said);
    let work = (skill.run)(session.clone(), message.clone(), arguments);
    let settle = match (streams, wish.at_once) {
        (true, _) => Some(SETTLE),
        (false, true) => Some(Duration::ZERO),
        (false, false) => None,
    };
    let (tell, told) = oneshot::channel();
    tokio::spawn(drive(
        agent.clone(),
        session,
        asked.scope.clone(),
        work,
        settle,
        wish.push.take(),
        tell,
    ));
    match told.await {
        Ok(Started::Task(entry)) => Ok((Sent::Began(entry), wish)),
        Ok(Started::Answered(Ok(value))) => {
            let message = Message {
                context_id: Some(context),
                ..Message::new(
                    asked.scope.request_id(),
                    Role::Agent,
                    vec![Part::of(&value)],
                )
            };
            Ok((Sent::Answered(message), wish))
        }
        Ok(Started::Answered(Err(failure))) => {
            Err(failure.with_arguments(message.data().map(Json::from)))
        }
        Err(_) => Err(Fault::Abandoned.into()),
    }
}

/// Reads a message and how its answer is wanted.
fn read(agent: &Agent, params: &Value, asked: &Asked) -> Result<(Message, Wish), Failure> {
    use crate::surface::a2a::kind;
    if !params.is_object() {
        return Err(invalid(
            "",
            &format!("params must be an object, not {}", kind(params)),
        ));
    }
    let given = params
        .get("message")
        .ok_or_else(|| invalid("/message", "message is required"))?;
    let message = message(given, asked.dialect).map_err(|wrong| {
        let place = format!("/message{}", wrong.pointer);
        let mut problem = aon::jsonrpc::invalid_params(wrong.reason.as_str())
            .with_pointer(&place, Some(&wrong.reason));
        if !wrong.valid.is_empty() {
            problem = problem.with_valid_values("role", wrong.valid.iter().copied());
        }
        Failure::built_in(problem)
    })?;
    let mut wish = Wish::default();
    match params.get("configuration") {
        None | Some(Value::Null) => {}
        Some(Value::Object(configuration)) => {
            wish.push = push::inline(agent, configuration, asked)?;
            let flag = |name: &str| match configuration.get(name) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::Bool(flag)) => Ok(Some(*flag)),
                Some(_) => Err(invalid(
                    &format!("/configuration/{name}"),
                    &format!("{name} must be a boolean"),
                )),
            };
            wish.at_once =
                flag("returnImmediately")?.unwrap_or(false) || flag("blocking")? == Some(false);
            wish.history = super::history(
                configuration.get("historyLength"),
                "/configuration/historyLength",
            )?;
        }
        Some(_) => return Err(invalid("/configuration", "configuration must be an object")),
    }
    Ok((message, wish))
}

/// The first data part of a message that could not be read.
fn data_of(params: &Value) -> Option<&Value> {
    let parts = params.pointer("/message/parts")?.as_array()?;
    parts.iter().find_map(|part| part.get("data"))
}

/// The skill of a message, and its arguments.
fn choose<'a>(agent: &'a Agent, message: &Message) -> Result<(&'a Skill, Value), Failure> {
    use crate::surface::a2a::kind;
    let skills = &agent.0.skills;
    for part in &message.parts {
        let media = part.media_type();
        if !skills.iter().any(|skill| skill.takes(media)) {
            return Err(foreign(media, skills.iter()));
        }
    }
    let mut found = message
        .parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match &part.content {
            Content::Data(data) => Some((at, data)),
            Content::Text(_) | Content::Raw(_) | Content::Url(_) => None,
        });
    let data = found.next();
    if found.next().is_some() {
        return Err(invalid(
            "/message/parts",
            "there is more than one data part",
        ));
    }
    let named = message.metadata.get("skill").and_then(Value::as_str);
    let (name, place, arguments) = match (data, named) {
        (Some((_, data)), Some(name)) => (
            Some(name),
            "/message/metadata/skill".to_owned(),
            data.clone(),
        ),
        (Some((at, data)), None) => {
            let place = format!("/message/parts/{at}/data");
            let Value::Object(members) = data else {
                let reason = format!("the data part must be an object, not {}", kind(data));
                return Err(invalid(&place, &reason));
            };
            let place = format!("{place}/skill");
            let mut arguments = members.clone();
            let name = match (
                arguments.remove("skill"),
                members.get("skill").and_then(Value::as_str),
            ) {
                (_, Some(name)) => Some(name),
                (Some(other), None) => {
                    let reason = format!("skill must be a string, not {}", kind(&other));
                    return Err(unnamed(agent, &place, &reason));
                }
                // Where there is one skill, it is that one.
                (None, None) if skills.len() == 1 => None,
                // Beside text it may be about anything.
                (None, None) if agent.0.speaks.is_some() && message.parts.len() > 1 => None,
                (None, None) => return Err(unnamed(agent, &place, "skill is required")),
            };
            (name, place, Value::Object(arguments))
        }
        (None, named) => {
            let text = message.text().map_or(Value::Null, Value::from);
            (named, "/message/metadata/skill".to_owned(), text)
        }
    };
    let skill = match name {
        Some(name) => skills
            .iter()
            .find(|skill| skill.id == name)
            .ok_or_else(|| {
                let known = skills.iter().map(|skill| skill.id.as_str());
                let problem = aon::jsonrpc::unknown_operation("skill", name, known);
                let reason = problem.detail().unwrap_or_default().to_owned();
                Failure::built_in(problem.with_pointer(&place, Some(&reason)))
            })?,
        None => match (
            agent.0.speaks.and_then(|at| skills.get(at)),
            skills.as_slice(),
        ) {
            (Some(skill), _) | (None, [skill]) => skill,
            _ => {
                return Err(unnamed(
                    agent,
                    &place,
                    "a data part that names a skill is required",
                ));
            }
        },
    };
    match message
        .parts
        .iter()
        .find(|part| !skill.takes(part.media_type()))
    {
        Some(part) => Err(foreign(part.media_type(), std::iter::once(skill))),
        None => Ok((skill, arguments)),
    }
}

fn unnamed(agent: &Agent, place: &str, reason: &str) -> Failure {
    let skills = agent.0.skills.iter().map(|skill| skill.id.clone());
    let problem = aon::jsonrpc::invalid_params(reason).with_pointer(place, Some(reason));
    Failure::built_in(problem.with_valid_values("skill", skills.collect::<Vec<_>>()))
}

fn foreign<'a>(media: &str, skills: impl Iterator<Item = &'a Skill>) -> Failure {
    let mut accepted: Vec<String> = skills
        .flat_map(|skill| skill.input_modes.iter().cloned())
        .collect();
    accepted.sort_unstable();
    accepted.dedup();
    AgentFault::ContentTypeNotSupported {
        media: redact::echo(media).into_owned(),
        accepted,
    }
    .failure()
}

/// What became of the work at first.
enum Started {
    Answered(Result<Value, Failure>),
    Task(Arc<Entry>),
}

/// Runs a skill: until its end, or until it is a task, and then until its end all the same.
async fn drive(
    agent: Agent,
    session: Session,
    scope: Scope,
    work: Work,
    settle: Option<Duration>,
    told: Option<push::Config>,
    mut tell: oneshot::Sender<Started>,
) {
    let inside = scope.clone();
    let work = async move { inside.enter(AssertUnwindSafe(work).catch_unwind()).await };
    let mut work = Box::pin(async move {
        work.await.unwrap_or_else(|panic| {
            let words = panic
                .downcast_ref::<&str>()
                .map(|words| (*words).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Failure::internal(format!(
                "the skill panicked: {}",
                words.unwrap_or_default()
            )))
        })
    });
    let settled = async {
        match settle {
            Some(Duration::ZERO) => {}
            Some(time) => sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let early = tokio::select! {
        biased;
        outcome = &mut work => Some(outcome),
        () = session.begun() => None,
        () = settled => None,
        // Nobody waits any more, and nobody could find it.
        () = tell.closed() => return,
    };
    let early = match early {
        Some(outcome) if !session.has_begun() => {
            // Whoever asked may have gone; there is nobody else to tell.
            let _: Result<(), Started> = tell.send(Started::Answered(outcome));
            return;
        }
        early => early,
    };
    let Some(live) = session.opened() else {
        return;
    };
    let unfinished = Unfinished(Arc::clone(&live));
    // What a task is stands in its log, so the log has it first.
    live.stored().await;
    let Some(entry) = Entry::of(&live).await.map(Arc::new) else {
        return;
    };
    agent.0.tasks.insert(&entry, &agent.0.hub);
    if let Some(push) = &agent.0.push {
        live.hooks.get_or_init(|| Hooks::of(push, &entry, told));
    }
    let _: Result<(), Started> = tell.send(Started::Task(Arc::clone(&entry)));
    let outcome = match early {
        Some(outcome) => Ok(outcome),
        None => ended(&mut work, &live, &entry).await,
    };
    // The work is over before its end is told.
    drop(work);
    let body = match outcome {
        Ok(Ok(value)) => result(&value, &live, &scope),
        Ok(Err(failure)) => outcome::error(&failure, &scope),
        Err(fault) => outcome::failed(&fault, &scope),
    };
    live.finish(&body);
    drop(unfinished);
    live.log.hold(None);
    drop(entry.now().await);
}

/// The end of the work: its own, or one from outside. Meanwhile the task keeps up with its session.
async fn ended(
    work: &mut (impl Future<Output = Result<Value, Failure>> + Unpin),
    live: &Arc<Live>,
    entry: &Entry,
) -> Result<Result<Value, Failure>, Fault> {
    let mut tail = live.log.tail();
    let keep_up = async {
        loop {
            tail.see();
            let seen = entry.now().await.seq();
            live.log.hold(Some(crate::id::Seq::new(seen + 1)));
            if tail.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        biased;
        outcome = &mut *work => Ok(outcome),
        stop = live.stopped() => {
            // Who watches may end by itself; who does not would not know that it should.
            if live.is_watched() && stop != Stop::Expired
                && let Ok(outcome) = timeout(live.grace(), work).await {
                return Ok(outcome);
            }
            Err(stop.fault())
        }
        () = keep_up => Err(Fault::Abandoned),
    }
}

fn result(value: &Value, live: &Live, scope: &Scope) -> Body {
    match to_raw_value(value) {
        Ok(data) if data.get().len() <= live.max_result() => Body::Result(ResultBody {
            status: 200,
            content_type: None,
            encoding: None,
            data,
        }),
        Ok(_) => outcome::failed(&Fault::ResultTooLarge, scope),
        Err(_) => outcome::failed(&Fault::ResultUnreadable, scope),
    }
}

/// Says `abandoned` when the work was dropped before it had an outcome.
struct Unfinished(Arc<Live>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.fail(&Fault::Abandoned);
    }
}

/// A message to a task is the answer to its question.
async fn follow_up(
    agent: &Agent,
    asked: &Asked,
    task: &str,
    message: &Message,
    told: Option<push::Config>,
) -> Result<Arc<Entry>, Failure> {
    let entry = agent.find(asked, task).await?;
    let context = entry.opening.task().context_id.clone();
    if message
        .context_id
        .as_ref()
        .is_some_and(|named| *named != context)
    {
        let reason = "contextId must be that of the task, or be left out";
        return Err(invalid("/message/contextId", reason));
    }
    if entry.now().await.task().status.state.is_terminal() {
        return Err(AgentFault::TaskEnded.failure());
    }
    let live = &entry.live;
    if !Caller::may_heal(asked.caller.as_ref(), live.owner.as_ref()) {
        return Err(HealFault::NotAllowed.into());
    }
    if let Some(config) = told {
        let config = Box::new(config);
        agent.hook(live, asked, Errand::Create { config }).await?;
    }
    let spoken = Spoken {
        message: message.to_json(Dialect::V10),
        context_id: context,
        who: asked.caller.as_ref().map(|caller| caller.subject.clone()),
    };
    let taken = if runs_elsewhere(live) {
        let letter = Letter::Message(Box::new(spoken));
        forward(&agent.0.hub, live, letter).await.map(drop)
    } else {
        said(live, message, &spoken).map(drop)
    };
    taken.map_err(|rejection| Failure::built_in(*rejection.problem))?;
    Ok(entry)
}

/// A message to a task that runs here, which another node took.
pub(crate) fn heard(live: &Arc<Live>, spoken: &Spoken) -> Result<Receipt, Rejection> {
    let message = message(&spoken.message, Dialect::V10)
        .map_err(|_garbled| Rejection::fault(&HealFault::Invalid))?;
    said(live, &message, spoken)
}

/// Takes a message as the answer to a question of a task that runs here.
fn said(live: &Arc<Live>, message: &Message, spoken: &Spoken) -> Result<Receipt, Rejection> {
    let question = question(live, message)?;
    let by = Responder::new("a2a");
    let by = match &spoken.who {
        Some(who) => by.known(who),
        None => by,
    };
    let answer = answer::of(&question, message, &by)?;
    if question.check(&answer).is_ok() {
        // Said before it is taken, so that it stands before what follows from it.
        let said = Said {
            context_id: &spoken.context_id,
            skill: None,
            message: shortened(message),
        };
        live.publish(&draft(MESSAGE, &said), Weight::Kept);
    }
    question.offer(answer, &by, None)
}

/// The question a message answers: the one it names, or the one that is open.
fn question(live: &Live, message: &Message) -> Result<Question, Rejection> {
    let mut open = live.desk.open();
    let named = message
        .metadata
        .get(SESSION_EXTENSION)
        .and_then(|ours| ours.get("request_id"));
    let named = named
        .or_else(|| message.metadata.get("request_id"))
        .and_then(Value::as_str);
    if let Some(id) = named {
        open.retain(|question| question.id() == id);
    }
    match (open.pop(), open.is_empty()) {
        (Some(question), true) => Ok(question),
        (Some(_), false) => Err(Rejection::fault(&HealFault::Ambiguous)),
        (None, _) => Err(Rejection::of_problem(
            AgentFault::TaskNotWaiting.to_problem(),
        )),
    }
}

/// A message as it is kept: without what is too large to be kept.
fn shortened(message: &Message) -> Value {
    let mut kept = message.clone();
    for part in &mut kept.parts {
        let size = match &part.content {
            Content::Text(text) | Content::Url(text) => text.len(),
            Content::Raw(bytes) => bytes.len(),
            Content::Data(data) => data.to_string().len(),
        };
        if size > LONGEST {
            part.metadata
                .insert("original_bytes".to_owned(), json!(size));
            part.content = match &part.content {
                Content::Text(text) => {
                    let end = text
                        .char_indices()
                        .map(|(at, _)| at)
                        .take_while(|at| *at <= LONGEST)
                        .last();
                    Content::Text(text.get(..end.unwrap_or(0)).unwrap_or_default().to_owned())
                }
                Content::Raw(_) => Content::Raw(Vec::new()),
                Content::Url(_) => Content::Url(String::new()),
                Content::Data(_) => Content::Data(Value::Null),
            };
        }
    }
    kept.parts.truncate(16);
    kept.metadata.clear();
    kept.to_json(Dialect::V10)
}

/// A name nobody can guess.
pub(super) fn fresh() -> String {
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::error!(%error, "the system gave no random numbers");
    }
    SessionId::from_bytes(bytes).to_string()
}
