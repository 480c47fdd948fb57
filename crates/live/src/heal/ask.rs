//! Asking a person: what may be changed, how long it may take, and who asks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aon_core::ProblemDetails;
use serde_json::Value;

use super::question::{Question, Responder};
use crate::machine::patch::{AllowList, PatchLimits, PatchRules};
use crate::machine::request::Answer;

/// An answer on its way.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// Puts a question to a person: the request goes in, an answer comes out, and dropping it takes the question back.
///
/// An answer that is refused is asked for again; [`Question::check`] tells beforehand. The POST address and the WebSocket of a
/// session, a webhook and a terminal are implementations, and so can be any other wire.
pub trait Asker: Send + Sync + 'static {
    /// Asks, and waits for an answer.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;
}

/// An answer, and whose it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// What was answered.
    pub answer: Answer,
    /// Who answered, and how.
    pub by: Responder,
}

impl Reply {
    /// An answer that came over this channel.
    pub fn new(answer: Answer, by: Responder) -> Self {
        Self { answer, by }
    }
}

/// What a validator says about a patched payload.
pub(super) type Check = Arc<dyn Fn(&Value) -> Result<(), ProblemDetails> + Send + Sync>;

/// Asks a person when no strategy helped: which places of the payload an answer may change, and until when.
///
/// ```
/// use aon_live::heal::Ask;
/// use std::time::Duration;
///
/// let ask = Ask::about(["/email", "/tags/*"]).showing(["/name"]).removable(["/nick"]).within(Duration::from_secs(120));
/// # let _ = ask;
/// ```
#[derive(Clone)]
pub struct Ask {
    pub(super) rules: PatchRules,
    pub(super) within: Duration,
    pub(super) rounds: u32,
    pub(super) rejections: u32,
    pub(super) check: Option<Check>,
    pub(super) askers: Vec<Arc<dyn Asker>>,
    pub(super) in_black_box: Option<bool>,
}

/// The longest time a person may have.
const LONGEST: Duration = Duration::from_secs(15 * 60);

impl Ask {
    /// The places an answer may set, as JSON Pointers; see [`AllowList`]. One that is not a pointer allows nothing, and is
    /// told to the log.
    pub fn about(paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let rules = PatchRules {
            allow: list(paths),
            ..PatchRules::default()
        };
        Self {
            rules,
            within: Duration::from_secs(120),
            rounds: 3,
            rejections: 0,
            check: None,
            askers: Vec::new(),
            in_black_box: None,
        }
    }

    /// Places an answer may remove.
    #[must_use]
    pub fn removable(mut self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.rules.removable = list(paths);
        self
    }

    /// Places that are shown, and may be tested, but not changed.
    #[must_use]
    pub fn showing(mut self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.rules.readable = list(paths);
        self
    }

    /// Takes `move` and `copy` too, between places that may be changed.
    #[must_use]
    pub const fn moves(mut self) -> Self {
        self.rules.moves = true;
        self
    }

    /// How large an answer may be.
    #[must_use]
    pub const fn limits(mut self, limits: PatchLimits) -> Self {
        self.rules.limits = limits;
        self
    }

    /// How long to wait for an answer: two minutes, at most fifteen.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = time.min(LONGEST);
        self
    }

    /// How often the question is offered, when the step fails again after an answer: three times.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds.max(1);
        self
    }

    /// Gives up after so many refused answers. Without it, a refused answer uses nothing up.
    #[must_use]
    pub const fn rejections(mut self, rejections: u32) -> Self {
        self.rejections = rejections;
        self
    }

    /// Looks at a patched payload before it is taken, beside the type of the step.
    #[must_use]
    pub fn check(
        mut self,
        check: impl Fn(&Value) -> Result<(), ProblemDetails> + Send + Sync + 'static,
    ) -> Self {
        self.check = Some(Arc::new(check));
        self
    }

    /// Somebody else who asks, beside the channels of the session.
    #[must_use]
    pub fn through(mut self, asker: impl Asker) -> Self {
        self.askers.push(Arc::new(asker));
        self
    }

    /// Whether a black box waits for an answer (`true`), or fails at once. Without it the layer decides.
    #[must_use]
    pub const fn in_black_box(mut self, waits: bool) -> Self {
        self.in_black_box = Some(waits);
        self
    }
}

fn list(paths: impl IntoIterator<Item = impl AsRef<str>>) -> AllowList {
    let (list, invalid) = AllowList::lenient(paths);
    for error in invalid {
        tracing::error!(%error, "a path of a healing request allows nothing");
    }
    list
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("rules", &self.rules)
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}
