//! What a hub tells whoever measures it. One trait over a closed set of signals; without an observer nothing is built, read
//! or counted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use crate::event::{Body, GapReason};
use crate::hub::{Hub, Inner, Stats};
use crate::id::{SessionId, TraceId};

/// Sees what a hub does. Set one with [`Settings::observe`](crate::Settings::observe).
///
/// It is called on the path of events, outside of every lock, and must be quick. One that panics is ignored.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use aon_live::observer::{Observer, Signal};
/// use aon_live::{Hub, Settings};
///
/// #[derive(Default)]
/// struct Events(AtomicU64);
/// impl Observer for Events {
///     fn seen(&self, signal: &Signal<'_>) {
///         if let Signal::Published { .. } = signal {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let hub = Hub::with(Settings::new().observe(Events::default()));
/// # let _ = hub;
/// ```
pub trait Observer: Send + Sync + 'static {
    /// A hub has this observer now: keep the handle to ask for its figures later.
    fn attached(&self, _hub: WeakHub) {}

    /// Something happened.
    fn seen(&self, signal: &Signal<'_>);
}

/// A hub that may be gone.
#[derive(Clone, Debug)]
pub struct WeakHub(Weak<Inner>);

impl WeakHub {
    /// The figures of this moment, while the hub is there.
    pub fn stats(&self) -> Option<Stats> {
        self.0.upgrade().map(|inner| Hub(inner).stats())
    }

    /// After how much silence the hub sends a heartbeat, in milliseconds.
    pub fn heartbeat_ms(&self) -> Option<u64> {
        let inner = self.0.upgrade()?;
        Some(crate::clock::milliseconds(inner.settings.heartbeat))
    }
}

/// How a reader is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Channel {
    /// The response of the request itself.
    Response,
    /// NDJSON from elsewhere.
    Ndjson,
    /// Server-sent events.
    Sse,
    /// WebSocket.
    WebSocket,
}

impl Channel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Response, Self::Ndjson, Self::Sse, Self::WebSocket];

    /// The word for it in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Ndjson => "ndjson",
            Self::Sse => "sse",
            Self::WebSocket => "websocket",
        }
    }
}

/// What happened. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Signal<'a> {
    /// A session was opened.
    SessionStarted {
        /// Its id.
        session: SessionId,
        /// Its trace.
        trace: TraceId,
        /// When.
        at: u64,
    },
    /// A session has its end.
    SessionEnded {
        /// Its id.
        session: SessionId,
        /// Its trace.
        trace: TraceId,
        /// When it was opened.
        started: u64,
        /// When it ended.
        at: u64,
        /// The status of its answer.
        status: u16,
        /// The code of its problem, where it failed.
        code: Option<&'a str>,
        /// How many events were left out because there were too many.
        left_out: u64,
    },
    /// An event was published.
    Published {
        /// Its type.
        kind: &'a str,
    },
    /// A reader came.
    ReaderJoined {
        /// How.
        channel: Channel,
        /// How many events it had to catch up with.
        behind: u64,
        /// When.
        at: u64,
    },
    /// A reader left.
    ReaderLeft {
        /// How it was connected.
        channel: Channel,
    },
    /// A reader was sent events, or a heartbeat in their place.
    Sign {
        /// How it is connected.
        channel: Channel,
        /// Whether it was only a heartbeat.
        heartbeat: bool,
        /// How many events are waiting for it still.
        behind: u64,
        /// When.
        at: u64,
    },
    /// A reader was told that it lost events.
    Gap {
        /// How it is connected.
        channel: Channel,
        /// Why.
        reason: GapReason,
    },
    /// Something was repaired, or that was tried.
    Healing {
        /// What was done.
        action: &'a str,
        /// What became of it, where the event says so.
        outcome: Option<&'a str>,
        /// Which attempt it was, where the event says so.
        attempt: Option<u64>,
        /// The trace, as far as it is known.
        trace: Option<TraceId>,
        /// When.
        at: u64,
    },
    /// A step began.
    StepStarted {
        /// Its name.
        step: &'a str,
        /// The trace, as far as it is known.
        trace: Option<TraceId>,
    },
    /// A step was tried once.
    Attempted {
        /// Its name.
        step: &'a str,
        /// Which attempt, from 1.
        attempt: u32,
        /// The code of the failure, where it failed.
        code: Option<&'a str>,
        /// The trace, as far as it is known.
        trace: Option<TraceId>,
        /// When it began.
        started: u64,
        /// When it ended.
        at: u64,
    },
    /// A step has ended, or was given up.
    StepEnded {
        /// Its name.
        step: &'a str,
        /// How often it was tried.
        attempts: u32,
        /// Whether the last attempt succeeded.
        success: bool,
        /// The trace, as far as it is known.
        trace: Option<TraceId>,
        /// When it began.
        started: u64,
        /// When it ended.
        at: u64,
    },
    /// A person was asked.
    HumanAsked {
        /// The id of the request.
        request: &'a str,
        /// The step that failed.
        step: Option<&'a str>,
        /// The trace.
        trace: Option<TraceId>,
        /// When.
        at: u64,
    },
    /// A request to a person has changed its state.
    HumanAnswered {
        /// The id of the request.
        request: &'a str,
        /// `accepted`, `consumed`, `denied`, `expired`.
        outcome: &'a str,
        /// The trace.
        trace: Option<TraceId>,
        /// When.
        at: u64,
    },
}

/// What an event says beside having been published.
pub(crate) fn of_body(body: &Body, trace: Option<TraceId>, at: u64) -> Option<Signal<'_>> {
    match body {
        Body::Healing(healing) => Some(Signal::Healing {
            action: &healing.action,
            outcome: healing.metadata.get("outcome").and_then(|it| it.as_str()),
            attempt: healing
                .metadata
                .get("attempt")
                .and_then(serde_json::Value::as_u64),
            trace,
            at,
        }),
        Body::InteractiveHealingRequest(asked) => Some(Signal::HumanAsked {
            request: &asked.request_id,
            step: asked.step.as_deref(),
            trace,
            at,
        }),
        Body::InteractiveHealingResult(result) => Some(Signal::HumanAnswered {
            request: &result.request_id,
            outcome: &result.outcome,
            trace,
            at,
        }),
        Body::Session(_)
        | Body::IntentAnalysis(_)
        | Body::Status(_)
        | Body::Gap(_)
        | Body::ReplayComplete(_)
        | Body::Heartbeat(_)
        | Body::Result(_)
        | Body::Error(_)
        | Body::Other(_) => None,
    }
}

impl Inner {
    /// Whether somebody measures.
    #[inline]
    pub(crate) fn is_observed(&self) -> bool {
        self.settings.observer.is_some()
    }

    /// Tells whoever measures; the signal is made only then.
    #[inline]
    pub(crate) fn tell<'a>(&self, signal: impl FnOnce() -> Signal<'a>) {
        if let Some(observer) = &self.settings.observer {
            call(&**observer, &signal());
        }
    }

    /// What an event says beside having been published.
    pub(crate) fn tell_body(&self, body: &Body, trace: Option<TraceId>) {
        if self.is_observed()
            && let Some(signal) = of_body(body, trace, self.clock.now().wall.get())
        {
            self.tell(|| signal);
        }
    }

    /// Hands itself to whoever measures.
    pub(crate) fn attach(self: &Arc<Self>) {
        if let Some(observer) = &self.settings.observer {
            observer.attached(WeakHub(Arc::downgrade(self)));
        }
    }
}

fn call(observer: &dyn Observer, signal: &Signal<'_>) {
    // An observer that panics must not end the work it watches.
    let _: Result<(), _> = catch_unwind(AssertUnwindSafe(|| observer.seen(signal)));
}

/// A step that is being run, and says when it ends; there only while somebody measures.
#[derive(Debug)]
pub(crate) struct Stepping<'s> {
    hub: Hub,
    step: &'s str,
    trace: Option<TraceId>,
    started: u64,
    /// When the attempt that runs began.
    began: u64,
    attempts: u32,
    success: bool,
}

impl<'s> Stepping<'s> {
    pub(crate) fn begin(hub: &Hub, step: &'s str, trace: Option<TraceId>) -> Option<Self> {
        hub.0.is_observed().then(|| {
            hub.0.tell(|| Signal::StepStarted { step, trace });
            let started = hub.0.clock.now().wall.get();
            Self {
                hub: hub.clone(),
                step,
                trace,
                started,
                began: started,
                attempts: 0,
                success: false,
            }
        })
    }

    /// An attempt begins.
    pub(crate) fn attempt(&mut self) {
        self.attempts += 1;
        self.began = self.hub.0.clock.now().wall.get();
    }

    /// It has ended, with this code where it failed.
    pub(crate) fn attempted(&mut self, failed: Option<&aon_core::ProblemDetails>) {
        self.success = failed.is_none();
        let at = self.hub.0.clock.now().wall.get();
        self.hub.0.tell(|| Signal::Attempted {
            step: self.step,
            attempt: self.attempts,
            code: failed.map(|problem| problem.code().map_or("", aon_core::Code::as_str)),
            trace: self.trace,
            started: self.began,
            at,
        });
    }
}

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        let at = self.hub.0.clock.now().wall.get();
        self.hub.0.tell(|| Signal::StepEnded {
            step: self.step,
            attempts: self.attempts,
            success: self.success,
            trace: self.trace,
            started: self.started,
            at,
        });
    }
}

/// A reader that was announced, and says when it leaves.
#[derive(Debug)]
pub(crate) struct Watched {
    hub: Hub,
    channel: Channel,
}

impl Watched {
    /// Announces a reader, where somebody measures.
    pub(crate) fn join(hub: &Hub, channel: Channel, behind: u64) -> Option<Self> {
        hub.0.is_observed().then(|| {
            let at = hub.0.clock.now().wall.get();
            hub.0.tell(|| Signal::ReaderJoined {
                channel,
                behind,
                at,
            });
            let hub = hub.clone();
            Self { hub, channel }
        })
    }

    /// It was sent something.
    pub(crate) fn sign(&self, heartbeat: bool, behind: u64) {
        let at = self.hub.0.clock.now().wall.get();
        let channel = self.channel;
        self.hub.0.tell(|| Signal::Sign {
            channel,
            heartbeat,
            behind,
            at,
        });
    }

    /// It was told of a loss.
    pub(crate) fn gap(&self, reason: GapReason) {
        let channel = self.channel;
        self.hub.0.tell(|| Signal::Gap { channel, reason });
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let channel = self.channel;
        self.hub.0.tell(|| Signal::ReaderLeft { channel });
    }
}
