//! Push notifications: addresses that are told what becomes of a task.
//!
//! Whoever may see a task may name addresses for it, and the node that runs the task posts its updates there. A server that calls
//! whatever its callers name can be made to call what only it can reach, so it calls only where its operator allows.

use std::fmt;
use std::sync::{Arc, Weak};

use aon::Failure;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::fault::AgentFault;
use super::task::Entry;
use super::{Agent, Asked};
use crate::channel::heal::{forward, runs_elsewhere};
use crate::fault::TaskNotFound;
use crate::hub::inbox::Letter;
use crate::hub::live::Live;
use crate::surface::a2a::Tracker;
use crate::sync::{Mutex, locked};

mod allow;
mod config;
mod send;

pub(crate) use config::Config;
pub(super) use config::inline;
pub use send::{Deliver, Delivering, Notification};

use allow::Allowed;

/// The most addresses that are told of one task.
const MOST: usize = 10;

/// Where an agent may send push notifications, and how.
///
/// ```
/// # #[cfg(feature = "client")]
/// let push = aon_live::a2a::Push::to(["https://hooks.example.com", "http://127.0.0.1:*"]);
/// ```
#[derive(Clone)]
pub struct Push {
    allowed: Arc<[Allowed]>,
    deliver: Arc<dyn Deliver>,
}

impl Push {
    /// Posts to these origins: a scheme, a host, and a port, or `*` for every port. Anything else is refused when a caller
    /// names it, and no redirect is followed. An origin that cannot be read allows nothing.
    #[cfg(feature = "client")]
    pub fn to<T: AsRef<str>>(origins: impl IntoIterator<Item = T>) -> Self {
        Self::through(send::Post, origins)
    }

    /// The same through a way of your own.
    pub fn through<T: AsRef<str>>(
        deliver: impl Deliver,
        origins: impl IntoIterator<Item = T>,
    ) -> Self {
        let read = |origin: T| {
            let read = Allowed::read(origin.as_ref());
            if read.is_none() {
                let origin = origin.as_ref();
                tracing::error!(
                    origin,
                    "is not an origin such as https://hooks.example.com, so it allows nothing"
                );
            }
            read
        };
        Self {
            allowed: origins.into_iter().filter_map(read).collect(),
            deliver: Arc::new(deliver),
        }
    }

    fn allows(&self, url: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed.covers(url))
    }
}

impl fmt::Debug for Push {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Push")
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}

/// What is asked about the addresses of a task, by whichever node was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub(crate) enum Errand {
    Create {
        config: Box<Config>,
    },
    /// The one of that id; without one, the first.
    Get {
        id: Option<String>,
    },
    List,
    Delete {
        id: String,
    },
}

/// What can be asked, by the methods of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Get,
    List,
    Delete,
}

impl Agent {
    /// Answers one of the four methods.
    pub(super) async fn push(
        &self,
        verb: Verb,
        asked: &Asked,
        params: &Value,
    ) -> Result<Value, Failure> {
        let Some(push) = &self.0.push else {
            return Err(AgentFault::PushNotificationNotSupported.failure());
        };
        let (task, errand) = config::read(verb, params, asked.dialect)?;
        if let Errand::Create { config } = &errand
            && !push.allows(config.url())
        {
            return Err(config::not_allowed(asked.dialect));
        }
        let entry = self.find(asked, &task).await?;
        let told = self.hook(&entry.live, asked, errand).await?;
        Ok(config::answer(verb, &told, &task, asked.dialect))
    }

    /// Asks the node that runs the task.
    pub(super) async fn hook(
        &self,
        live: &Arc<Live>,
        asked: &Asked,
        mut errand: Errand,
    ) -> Result<Value, Failure> {
        if let Errand::Create { config } = &mut errand {
            config.detail = asked.detail;
        }
        if runs_elsewhere(live) {
            let letter = Letter::Push(Box::new(errand));
            let told = forward(&self.0.hub, live, letter).await;
            return told.map_err(|rejection| Failure::built_in(*rejection.problem));
        }
        heard(live, errand).await.map_err(|fault| fault.failure())
    }
}

/// Does what is asked about the addresses of a task that runs here.
pub(crate) async fn heard(live: &Live, errand: Errand) -> Result<Value, AgentFault> {
    let hooks = live.hooks.get();
    match (errand, hooks) {
        (Errand::Create { config }, Some(hooks)) => hooks.create(*config).await,
        // What is told of tasks went with the node that ran it.
        (Errand::Create { .. }, None) => Err(AgentFault::TaskEnded),
        (Errand::Get { id }, hooks) => hooks
            .and_then(|hooks| hooks.get(id.as_deref()))
            .ok_or(AgentFault::TaskNotFound(TaskNotFound::PUSH_CONFIGURATION)),
        (Errand::List, hooks) => Ok(hooks.map_or_else(|| json!([]), Hooks::list)),
        (Errand::Delete { id }, hooks) => {
            if let Some(hooks) = hooks {
                hooks.delete(&id);
            }
            Ok(json!({}))
        }
    }
}

/// The addresses that are told of one task.
#[derive(Debug)]
pub(crate) struct Hooks {
    push: Push,
    entry: Weak<Entry>,
    all: Mutex<Vec<Hook>>,
}

#[derive(Debug)]
struct Hook {
    config: Arc<Config>,
    /// There while something may follow.
    work: Option<AbortHandle>,
}

impl Hooks {
    /// Those of a task that begins, with the one that came with its message.
    pub(super) fn of(push: &Push, entry: &Arc<Entry>, first: Option<Config>) -> Self {
        let hooks = Self {
            push: push.clone(),
            entry: Arc::downgrade(entry),
            all: Mutex::default(),
        };
        if let Some(config) = first {
            // The first one always fits.
            let _: Result<Value, AgentFault> =
                hooks.tell(&entry.live, entry.opening.clone(), config);
        }
        hooks
    }

    /// Tells an address from now on. One of the same id is replaced.
    async fn create(&self, config: Config) -> Result<Value, AgentFault> {
        let entry = self.entry.upgrade().ok_or(AgentFault::TaskEnded)?;
        let tracker = entry.now().await.clone();
        self.tell(&entry.live, tracker, config)
    }

    /// Tells an address what follows the task as it is in that tracker.
    fn tell(&self, live: &Arc<Live>, from: Tracker, config: Config) -> Result<Value, AgentFault> {
        let mut all = locked(&self.all);
        let known = all.iter().position(|hook| hook.config.id == config.id);
        if known.is_none() && all.len() >= MOST {
            return Err(AgentFault::TooManyPushConfigs { most: MOST });
        }
        let config = Arc::new(config);
        let ended = from.task().status.state.is_terminal();
        let work = (!ended).then(|| {
            let (live, push) = (Arc::clone(live), self.push.clone());
            tokio::spawn(send::follow(live, from, push, Arc::clone(&config))).abort_handle()
        });
        let told = config.shown();
        let hook = Hook { config, work };
        match known.and_then(|at| all.get_mut(at)) {
            Some(known) => drop(std::mem::replace(known, hook)),
            None => all.push(hook),
        }
        Ok(told)
    }

    fn get(&self, id: Option<&str>) -> Option<Value> {
        let all = locked(&self.all);
        let mut fits = all
            .iter()
            .filter(|hook| id.is_none_or(|id| hook.config.id == id));
        fits.next().map(|hook| hook.config.shown())
    }

    fn list(&self) -> Value {
        locked(&self.all)
            .iter()
            .map(|hook| hook.config.shown())
            .collect()
    }

    fn delete(&self, id: &str) {
        locked(&self.all).retain(|hook| hook.config.id != id);
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        if let Some(work) = &self.work {
            work.abort();
        }
    }
}
