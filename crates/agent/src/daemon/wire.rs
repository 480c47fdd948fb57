//! The messages of the daemon (W2): bodies of requests, and the nine events.

use aon_live::ApplicationEvent;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The types of events on the wire of a daemon.
pub const EVENTS: &[&str] = &[
    "token",
    "action",
    "plan",
    "ask",
    "exec_log",
    "research_result",
    "observe",
    "done",
    "error",
];

/// What `POST /agent/sessions` takes; an empty body will do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NewSession {
    /// What the worker may want to know.
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// What `POST /agent/generate` takes: `prompt`, or `objective`, which says the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Generate {
    /// The session; without it, one is made for this request.
    #[serde(default)]
    pub session_id: Option<String>,
    /// What to say to the model.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The other name of `prompt`.
    #[serde(default)]
    pub objective: Option<String>,
}

/// What `POST /agent/abort` takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Abort {
    /// The session.
    #[serde(default)]
    pub session_id: Option<String>,
}

/// One event of a stream, as JSON. On the wire it has the members of every event of a hub too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// Some text of the model.
    Token(Token),
    /// The model wants something done.
    Action(Action),
    /// What the model means to do.
    Plan(Plan),
    /// The model asks a person.
    Ask(Ask),
    /// What an action writes, as it writes it.
    ExecLog(ExecLog),
    /// What research found.
    ResearchResult(ResearchResult),
    /// A remark.
    Observe(Observe),
    /// The end.
    Done(Done),
    /// The end, because something failed.
    Error(Failed),
}

macro_rules! events {
    ($($name:ident $kind:literal $about:literal { $($(#[$attribute:meta])* $field:ident: $type:ty, $words:literal;)* })*) => {$(
        #[doc = $about]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[expect(clippy::exhaustive_structs, reason = "the specification lists the members")]
        pub struct $name {
            $(#[doc = $words] $(#[$attribute])* pub $field: $type,)*
        }

        impl ApplicationEvent for $name {
            const TYPE: &'static str = $kind;
        }
    )*};
}

events! {
    Token "token" "`token`: some text of the model. Blanks count." {
        text: String, "The text.";
    }
    Action "action" "`action`: the model wants something done." {
        action: String, "What: `plan`, `shell`, `research`, `tool_spec` or `use_tool`.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action_id: Option<String>, "Its id, as the log has it.";
        #[serde(flatten)]
        members: Map<String, Value>, "What the model said about it: `command`, `name`, `args` and so on.";
    }
    Plan "plan" "`plan`: what the model means to do." {
        steps: Vec<Value>, "The steps, mostly sentences.";
    }
    Ask "ask" "`ask`: the model asks a person." {
        question: String, "The question.";
        options: Vec<Value>, "The answers to choose from; none means any answer.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer_url: Option<String>, "Where to send the answer, as a JSON Patch of `/answer`.";
    }
    ExecLog "exec_log" "`exec_log`: what an action writes, as it writes it." {
        stream: String, "`stdout` or `stderr`.";
        chunk: String, "Some of it.";
    }
    ResearchResult "research_result" "`research_result`: what research found." {
        docs: Vec<Value>, "Documents with `title` and `url`.";
    }
    Observe "observe" "`observe`: a remark." {
        note: String, "The remark.";
    }
    Done "done" "`done`: the end." {
        result: Value, "What came of it.";
    }
}

/// `error`: the end, because something failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(
    clippy::exhaustive_structs,
    reason = "the specification lists the members"
)]
pub struct Failed {
    /// What, in a sentence.
    pub message: String,
    /// The problem whole.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "aon_core::ProblemDetails"))]
    pub problem: Value,
}
