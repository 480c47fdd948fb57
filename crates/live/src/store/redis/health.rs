//! Whether the engine can be used, part by part.

use std::fmt::Display;
use std::sync::Arc;

use tokio::sync::watch;

use crate::sync::{Mutex, locked};

/// What can be broken by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Events are stored.
    Writer,
    /// Everything else is asked.
    Calls,
    /// What other nodes say is heard.
    Ear,
}

const NAMES: [&str; 3] = ["writer", "calls", "subscription"];

#[derive(Clone, Debug)]
pub(super) struct Pulse(Arc<State>);

#[derive(Debug)]
struct State {
    /// Why it does not work.
    broken: Mutex<[Option<String>; 3]>,
    /// Whether events can be stored, as far as is known.
    stores: watch::Sender<bool>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self(Arc::new(State {
            broken: Mutex::default(),
            stores: watch::Sender::new(true),
        }))
    }
}

impl Pulse {
    pub(super) fn good(&self, part: Part) {
        let mut broken = locked(&self.0.broken);
        let at = part as usize;
        if broken[at].take().is_some() {
            tracing::info!(part = NAMES[at], "the engine is back");
            self.tell(&broken);
        }
    }

    pub(super) fn bad(&self, part: Part, why: &impl Display) {
        let mut broken = locked(&self.0.broken);
        let at = part as usize;
        let new = broken[at].replace(why.to_string()).is_none();
        if new {
            tracing::warn!(part = NAMES[at], %why, "the engine cannot be used");
            self.tell(&broken);
        }
    }

    /// Events are stored where the writer and everything else that is asked gets an answer.
    fn tell(&self, broken: &[Option<String>; 3]) {
        let works = |part: Part| broken[part as usize].is_none();
        let now = works(Part::Writer) && works(Part::Calls);
        self.0.stores.send_if_modified(|stores| {
            let changed = *stores != now;
            *stores = now;
            changed
        });
    }

    /// What does not work, and why.
    pub(super) fn broken(&self) -> Option<String> {
        let broken = locked(&self.0.broken);
        let all = NAMES.iter().zip(broken.iter());
        let broken: Vec<String> = all
            .filter_map(|(name, why)| Some(format!("{name}: {}", why.as_ref()?)))
            .collect();
        (!broken.is_empty()).then(|| broken.join("; "))
    }

    /// Whether events can be stored, as far as is known.
    pub(super) fn stores(&self) -> bool {
        *self.0.stores.borrow()
    }

    /// Says when that changes.
    pub(super) fn outages(&self) -> watch::Receiver<bool> {
        self.0.stores.subscribe()
    }
}
