//! An A2A server to embed: skills are functions, tasks are sessions of the hub.
//!
//! ```
//! use aon_live::a2a::{Agent, Skill};
//! use aon_live::{Hub, Session};
//!
//! async fn greet(session: Session, name: String) -> Result<String, aon::ProblemDetails> {
//!     session.status("looking for words");
//!     Ok(format!("Hello, {name}!"))
//! }
//!
//! let hub = Hub::new();
//! let agent = Agent::new(&hub, "Greeter", "Greets people.", "http://127.0.0.1:3000/a2a")
//!     .skill(Skill::new("greet", "Greet", "Greets somebody by name.", greet).tags(["greeting"]))
//!     .build();
//! let app: axum::Router = axum::Router::new().merge(agent.routes()).merge(hub.routes());
//! # let _ = app;
//! ```
//!
//! It speaks JSON-RPC in the words of 1.0 and of 0.3, and HTTP+JSON in those of 1.0, at one address; [`Agent::handle`] does the same
//! for a server that is not axum. A skill that ends before it publishes anything is answered at once: with a message, or
//! with an error ([S6]). One that publishes is a task: its events are updates ([`surface::a2a`](crate::surface::a2a)), its questions
//! to people are `input-required` and `auth-required`, and the next message with its `taskId` is the answer. Everybody who
//! may see its session may follow it there too.
//!
//! A stream that broke off goes on where it was: every event has an id, and `SubscribeToTask` takes it back in the header
//! `Last-Event-ID`. The specification has nothing for that (a2aproject/A2A#1986 asks for it), so the card declares it as an
//! extension.
//!
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use aon::door::{Door, Scope};
use aon::jsonrpc::Endpoint;
use aon::surface::a2a::Profiles;
use serde_json::{Map, Value};

mod answer;
mod card;
mod fault;
mod http;
mod list;
mod method;
mod push;
mod send;
mod skill;
mod stream;
mod task;

use crate::access::Caller;
use crate::hub::Hub;
use crate::id::{Cursor, TraceId};

pub use crate::surface::a2a::{
    Artifact, Content, Dialect, Made, Message, Part, Role, SESSION_EXTENSION, Task, TaskState,
};
pub use fault::AgentFault;
pub use push::{Deliver, Delivering, Notification, Push};
pub(crate) use push::{Errand, Hooks, heard as hooked};
pub(crate) use send::heard;
pub use skill::Skill;
pub use stream::Reply;

/// Where agents have their card.
pub const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// An A2A server. Cheap to clone: clones are the same agent.
#[derive(Clone, Debug)]
pub struct Agent(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    hub: Hub,
    name: String,
    description: String,
    version: String,
    url: String,
    path: String,
    skills: Vec<Skill>,
    /// The skill that takes messages that name none.
    speaks: Option<usize>,
    extensions: Vec<Value>,
    more: Map<String, Value>,
    push: Option<Push>,
    extended: Option<card::Extend>,
    endpoint: Endpoint,
    tasks: task::Tasks,
    card_text: Box<CardText>,
}

/// The card as it is sent.
#[derive(Debug, Default)]
struct CardText {
    text: String,
    tag: String,
    since: String,
}

/// What an agent is made of.
#[derive(Clone, Debug)]
#[must_use = "an agent does nothing until it is built"]
pub struct Building {
    hub: Hub,
    name: String,
    description: String,
    version: String,
    url: String,
    skills: Vec<Skill>,
    speaks: Option<usize>,
    extensions: Vec<Value>,
    more: Map<String, Value>,
    push: Option<Push>,
    extended: Option<card::Extend>,
    door: Door,
    profiles: Profiles,
}

impl Agent {
    /// An agent whose tasks are sessions of that hub. The address is that of JSON-RPC; HTTP+JSON is below it.
    #[expect(clippy::new_ret_no_self, reason = "an agent is built from its parts")]
    pub fn new(
        hub: &Hub,
        name: impl Into<String>,
        description: impl Into<String>,
        url: impl Into<String>,
    ) -> Building {
        Building {
            hub: hub.clone(),
            name: name.into(),
            description: description.into(),
            version: "1.0.0".to_owned(),
            url: url.into(),
            skills: Vec::new(),
            speaks: None,
            extensions: Vec::new(),
            more: Map::new(),
            push: None,
            extended: None,
            door: Door::new(),
            profiles: Profiles::new(),
        }
    }
}

impl Building {
    /// Adds a skill.
    pub fn skill(mut self, skill: Skill) -> Self {
        self.skills.push(skill);
        self
    }

    /// Adds a skill that also takes messages that name no skill: text and files.
    pub fn fallback(mut self, skill: Skill) -> Self {
        self.speaks = Some(self.skills.len());
        self.skill(skill)
    }

    /// The version of the agent: `1.0.0`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Declares an extension in the card, beside ours.
    pub fn extension(mut self, declaration: Value) -> Self {
        self.extensions.push(declaration);
        self
    }

    /// Adds a member to the card, or replaces one: `provider`, `securitySchemes`.
    pub fn card_member(mut self, name: impl Into<String>, value: Value) -> Self {
        self.more.insert(name.into(), value);
        self
    }

    /// Offers an extended card to callers that the hub knows: the public card, with what this changes in it for the caller. Say in
    /// `securitySchemes` of the public one ([`card_member`](Self::card_member)) how a caller is known.
    pub fn extended_card(
        mut self,
        extend: impl Fn(&Caller, &mut Value) + Send + Sync + 'static,
    ) -> Self {
        self.extended = Some(card::Extend(Arc::new(extend)));
        self
    }

    /// Offers push notifications: callers name addresses for their tasks, within what this allows.
    pub fn push(mut self, push: Push) -> Self {
        self.push = Some(push);
        self
    }

    /// The door failures leave through.
    pub fn door(mut self, door: Door) -> Self {
        self.door = door;
        self
    }

    /// Which numbers a request gets. An absent `A2A-Version` means 0.3, unless this says otherwise.
    pub fn profiles(mut self, profiles: Profiles) -> Self {
        self.profiles = profiles;
        self
    }

    /// The agent.
    pub fn build(self) -> Agent {
        let after_scheme = self
            .url
            .split_once("://")
            .map_or(&*self.url, |(_, rest)| rest);
        let path = after_scheme
            .find('/')
            .and_then(|at| after_scheme.get(at..))
            .unwrap_or("/")
            .to_owned();
        let endpoint = Endpoint::new()
            .with_door(self.door)
            .with_profiles(self.profiles)
            .with_skills(self.skills.iter().map(|skill| skill.id.clone()));
        let mut inner = Inner {
            hub: self.hub,
            name: self.name,
            description: self.description,
            version: self.version,
            url: self.url,
            path,
            skills: self.skills,
            speaks: self.speaks,
            extensions: self.extensions,
            more: self.more,
            push: self.push,
            extended: self.extended,
            endpoint,
            tasks: task::Tasks::default(),
            card_text: Box::default(),
        };
        let text = inner.card().to_string();
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        let tag = format!("\"{:016x}\"", hasher.finish());
        let since = Duration::from_millis(inner.hub.0.clock.now().wall.get());
        let since = httpdate::fmt_http_date(UNIX_EPOCH + since);
        inner.card_text = Box::new(CardText { text, tag, since });
        Agent(Arc::new(inner))
    }
}

/// What a request brings beside its parameters.
#[derive(Debug)]
struct Asked {
    dialect: Dialect,
    caller: Option<Caller>,
    /// Whether its caller sees details.
    detail: bool,
    scope: Scope,
    trace: Option<TraceId>,
    /// What a subscriber has seen last.
    cursor: Option<Cursor>,
}

/// A `historyLength`.
fn history(value: Option<&Value>, place: &str) -> Result<Option<usize>, aon::Failure> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(length) => Ok(Some(usize::try_from(length).unwrap_or(usize::MAX))),
            None => Err(fault::invalid(
                place,
                "historyLength must be a number of messages, 0 or more",
            )),
        },
    }
}
