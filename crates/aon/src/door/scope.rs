//! One request or message, from before it is served until its answer has left.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aon_core::ids;
use uuid::Uuid;

use super::{Door, Facts, Occurrence, log};
use crate::accept::Accept;
use crate::surface::a2a::Profile;

/// One request or message: its id and trace, what its caller accepts, and the failures on their way to its edge.
///
/// A handle: clones are the same scope. It is opened by an adapter before anybody serves the request, and found with
/// [`Scope::current`] inside.
#[derive(Clone, Debug)]
pub struct Scope(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    door: Door,
    facts: Facts,
    fresh_id: OnceLock<String>,
    held: Mutex<Vec<(Ticket, Occurrence)>>,
    in_call: AtomicBool,
}

/// Stands for a failure that was [handed over](hand_over), where a framework's types cannot carry the value.
///
/// It is as good as unguessable, and means something only to the scope that gave it: a foreign answer is never taken
/// for a placeholder, and a failure that was thrown away shows up in no other answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

impl Ticket {
    /// It as a number, to be carried.
    pub fn number(self) -> u64 {
        self.0
    }

    /// It from what was carried.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
}

impl Scope {
    /// Opens the scope of a request. Cheap: ids and headers are looked at when somebody asks.
    pub fn open(door: &Door, facts: Facts) -> Self {
        Self(Arc::new(Inner {
            door: door.clone(),
            facts,
            fresh_id: OnceLock::new(),
            held: Mutex::default(),
            in_call: AtomicBool::new(false),
        }))
    }

    /// The same request, answered on another surface.
    #[must_use]
    pub fn on(&self, surface: &'static str) -> Self {
        let mut facts = self.0.facts.clone();
        facts.surface = surface;
        let scope = Self::open(&self.0.door, facts);
        if self.brought_id().is_none() {
            let _: Result<(), String> = scope.0.fresh_id.set(self.request_id().to_owned());
        }
        scope
    }

    /// The door it leads to.
    pub fn door(&self) -> &Door {
        &self.0.door
    }

    /// The surface the request came in on.
    pub fn surface(&self) -> &'static str {
        self.0.facts.surface
    }

    /// The id of the request ([P3]): what it brought and is well-formed, or else a new UUID of version 7, the same each time.
    ///
    /// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
    pub fn request_id(&self) -> &str {
        match self.brought_id() {
            Some(id) => id,
            None => self.0.fresh_id.get_or_init(|| Uuid::now_v7().to_string()),
        }
    }

    /// The id the request brought: a well-formed request id, or the trace id of a valid `traceparent`.
    pub fn brought_id(&self) -> Option<&str> {
        let facts = &self.0.facts;
        ids::brought(facts.request_id.get(), facts.trace_parent.get())
    }

    /// The trace id of the W3C `traceparent` the request brought.
    pub fn trace_id(&self) -> Option<&str> {
        ids::trace_id(self.0.facts.trace_parent.get()?)
    }

    /// The `traceparent` the request brought, where it is well-formed.
    pub fn trace_parent(&self) -> Option<&str> {
        let header = self.0.facts.trace_parent.get()?;
        ids::trace_id(header).map(|_| header)
    }

    /// Whether a call that a hook watches is served in it.
    pub(super) fn in_call(&self) -> bool {
        self.0.in_call.load(Ordering::Relaxed)
    }

    pub(super) fn mark_call(&self) {
        self.0.in_call.store(true, Ordering::Relaxed);
    }

    /// What the caller accepts.
    pub fn accept(&self) -> Accept {
        Accept::parse(self.0.facts.accept.get())
    }

    /// The method that was asked for; empty where there is none.
    pub fn method(&self) -> &str {
        self.0.facts.method.get().unwrap_or_default()
    }

    /// The path, tool or skill that was asked for; empty where there is none.
    pub fn path(&self) -> &str {
        self.0.facts.path.get().unwrap_or_default()
    }

    /// The A2A profile of the answer, where one was chosen.
    pub fn profile(&self) -> Option<&Profile> {
        self.0.facts.profile.as_deref()
    }

    /// Keeps a failure until the edge asks for it.
    pub fn hold(&self, failure: Occurrence) -> Ticket {
        // Keyed anew each time, so that nobody outside can name a ticket.
        let ticket = Ticket(RandomState::new().build_hasher().finish());
        self.held().push((ticket, failure));
        ticket
    }

    /// Gives the failure a ticket stands for, once.
    pub fn redeem(&self, ticket: Ticket) -> Option<Occurrence> {
        let mut held = self.held();
        let at = held.iter().position(|(kept, _)| *kept == ticket)?;
        Some(held.swap_remove(at).1)
    }

    /// Whether a failure waits for the edge.
    #[cfg(feature = "rmcp")]
    pub(crate) fn holds_any(&self) -> bool {
        !self.held().is_empty()
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Vec<(Ticket, Occurrence)>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Failures nobody asked for were replaced on the way by something else. They are told to the log all the same: the cause
/// of what left instead may be among them.
impl Drop for Inner {
    fn drop(&mut self) {
        let held = std::mem::take(self.held.get_mut().unwrap_or_else(PoisonError::into_inner));
        if held.is_empty() {
            return;
        }
        let inner = Self {
            door: self.door.clone(),
            facts: self.facts.clone(),
            fresh_id: std::mem::take(&mut self.fresh_id),
            held: Mutex::default(),
            in_call: AtomicBool::new(false),
        };
        let scope = Scope(Arc::new(inner));
        for (_, failure) in held {
            log::unsent(&failure, &scope);
        }
    }
}

/// Hands a failure to the edge of this surface: its placeholder must carry the ticket there.
///
/// # Errors
///
/// The failure comes back where no such edge is around. Then the caller is the edge, and lets it pass through the scope
/// that comes with it.
pub fn hand_over(
    surface: &'static str,
    failure: Occurrence,
) -> Result<Ticket, (Scope, Occurrence)> {
    match edge_around(surface) {
        Ok(scope) => Ok(scope.hold(failure)),
        Err(scope) => Err((scope, failure)),
    }
}

/// The scope of the edge that is around on this surface.
///
/// # Errors
///
/// A scope to be the edge with, where there is none.
pub(crate) fn edge_around(surface: &'static str) -> Result<Scope, Scope> {
    match Scope::current() {
        Some(scope) if scope.surface() == surface => Ok(scope),
        // Another protocol is around this one: the request is the same, but its edge looks for other placeholders.
        Some(scope) => Err(scope.on(surface)),
        None => Err(Scope::open(&Door::new(), Facts::new(surface))),
    }
}
