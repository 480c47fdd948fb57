//! What a seed draws: how large the world is, which faults exist in it, and which mistake is planted.

use crate::rng::Rng;

/// A kind of fault. Each can be switched off, so that a failing seed gets smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A node dies and comes back empty.
    Crash,
    /// A node stops for a while, and wakes up believing what it believed.
    Pause,
    /// The primary dies and its replica is promoted.
    Failover,
    /// The primary stops; its replica is promoted; it wakes up and still takes itself for the primary.
    Stale,
    /// The replica dies and comes back.
    Replica,
    /// One direction between a node and the engine, or inside the engine, is cut.
    Cut,
    /// Requests get lost.
    Requests,
    /// Answers get lost.
    Answers,
    /// Messages come twice.
    Repeats,
    /// Messages overtake one another.
    Delays,
    /// Wake-ups get lost.
    Wakes,
    /// Readers are cut off.
    Readers,
    /// Readers are slow.
    Slow,
    /// Clocks run at different speeds.
    Skew,
}

pub const KINDS: [Kind; 14] = [
    Kind::Crash,
    Kind::Pause,
    Kind::Failover,
    Kind::Stale,
    Kind::Replica,
    Kind::Cut,
    Kind::Requests,
    Kind::Answers,
    Kind::Repeats,
    Kind::Delays,
    Kind::Wakes,
    Kind::Readers,
    Kind::Slow,
    Kind::Skew,
];

/// A classic mistake, made on purpose: the simulation has to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The owner shows events when they are published.
    ShowBeforeStore,
    /// The engine does not look at the term.
    NoFencing,
    /// Followers never read again after the first page.
    PubSubOnly,
    /// A reader that comes back begins one event too late.
    ReplayFromNext,
    /// The append script publishes the wake-up, before any replica has the event.
    WakeInScript,
    /// A range read does not wait for the replicas.
    ReadUnreplicated,
    /// A repeated append writes nothing, so waiting for the replicas waits for nothing.
    HollowRepeat,
    /// A claim counts before any replica has it.
    ClaimUnreplicated,
    /// A cursor beyond what this node has seen counts as ahead.
    TrustMirror,
    /// An answer is acted on before its acceptance is stored.
    ActBeforeStore,
    /// A node that gets no answer for a ticket lets its holder in.
    TicketInDoubt,
}

pub const PLANTS: [Plant; 11] = [
    Plant::ShowBeforeStore,
    Plant::NoFencing,
    Plant::PubSubOnly,
    Plant::ReplayFromNext,
    Plant::WakeInScript,
    Plant::ReadUnreplicated,
    Plant::HollowRepeat,
    Plant::ClaimUnreplicated,
    Plant::TrustMirror,
    Plant::ActBeforeStore,
    Plant::TicketInDoubt,
];

#[derive(Clone, Debug)]
pub struct Options {
    pub seed: u64,
    pub plant: Option<Plant>,
    pub nodes: usize,
    pub sessions: usize,
    /// Readers of each session, beside its caller.
    pub readers: usize,
    /// At most that many events before the end.
    pub events: u64,
    /// Events a ring keeps.
    pub ring: usize,
    /// Whether an event counts as stored once a replica has it. Otherwise a failover loses events, and that has to be told.
    pub replicated: bool,
    /// Whether a primary without a replica refuses writes.
    pub min_replicas: bool,
    pub lease: u64,
    /// How long faults go on.
    pub trouble: u64,
    pub faults: Vec<Kind>,
    /// How many of the last events are printed.
    pub trace: usize,
}

impl Options {
    pub fn draw(seed: u64, plant: Option<Plant>, off: &[Kind]) -> Self {
        let mut rng = Rng::new(seed).fork(1);
        // Some worlds have nearly every fault, some only one or two: each finds what the others hide.
        let density = rng.range(1, 9) * 100;
        let faults = KINDS
            .into_iter()
            .filter(|_| rng.chance(density))
            .collect::<Vec<_>>();
        Self {
            seed,
            plant,
            nodes: rng.pick(3) + 2,
            sessions: rng.pick(3) + 1,
            readers: rng.pick(3) + 1,
            events: rng.range(3, 24),
            ring: rng.pick(6) + 3,
            replicated: rng.chance(850),
            min_replicas: rng.chance(600),
            lease: rng.range(6, 20) * 100,
            trouble: rng.range(20, 80) * 100,
            faults: faults
                .into_iter()
                .filter(|kind| !off.contains(kind))
                .collect(),
            trace: 40,
        }
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.faults.contains(&kind)
    }
}
