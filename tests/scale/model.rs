//! How much n nodes and their engines carry, from what each thing costs. Pure arithmetic.

/// What things cost: microseconds of one core, and bytes.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// The engine appends an event in a group, its replica and its file included.
    pub append: f64,
    /// The engine takes a wake-up, and hands it to one node.
    pub publish: f64,
    pub hand: f64,
    /// The engine answers the read of a tail.
    pub read: f64,
    /// The engine takes the renewal of a lease and the looks of a node at the others.
    pub renew: f64,
    /// A node publishes an event: encoding, redaction, its part of a group, the wake-up.
    pub node_publish: f64,
    /// A node hears of an event of another node.
    pub node_hear: f64,
    /// A node writes an event to one reader.
    pub node_deliver: f64,
    /// A node reads the tail of a session that it follows.
    pub node_read: f64,
    /// Bytes in the engine for a session, and for an event beyond its own bytes.
    pub session_bytes: f64,
    pub event_bytes: f64,
    /// Bytes on a node for a session and for a reader.
    pub node_session_bytes: f64,
    pub node_reader_bytes: f64,
}

/// The engine's are measured, and so is `node_deliver`; the other costs of a node are estimates (`docs/operating.md`).
pub const MEASURED: Costs = Costs {
    append: 15.2,
    publish: 1.3,
    hand: 0.3,
    read: 11.2,
    renew: 12.0,
    node_publish: 40.0,
    node_hear: 6.0,
    node_deliver: 3.8,
    node_read: 40.0,
    session_bytes: 4_700.0,
    event_bytes: 10.0,
    node_session_bytes: 4_096.0,
    node_reader_bytes: 25_600.0,
};

/// What is asked of a deployment, for each session.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub nodes: u32,
    pub engines: u32,
    /// Events a second.
    pub rate: f64,
    pub bytes: f64,
    /// Readers beside the caller, on whatever node the balancer picks.
    pub readers: f64,
    /// Seconds a session is open, and kept afterwards.
    pub life: f64,
    pub kept: f64,
    /// Events that are kept of each.
    pub ring: f64,
    /// Seconds between two reads of a tail that is followed.
    pub heartbeat: f64,
    pub lease: f64,
}

/// What a machine has.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Cores of a node; an engine uses one for commands.
    pub cores: f64,
    /// How much of a core may be used, so that waits stay short.
    pub busy: f64,
    /// Bytes of memory for sessions.
    pub memory: f64,
    /// Bytes a second that an engine may send.
    pub network: f64,
}

/// What can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    EngineCpu,
    EngineMemory,
    EngineNetwork,
    NodeCpu,
    NodeMemory,
}

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Self::EngineCpu => "engine: CPU",
            Self::EngineMemory => "engine: memory",
            Self::EngineNetwork => "engine: network",
            Self::NodeCpu => "nodes: CPU",
            Self::NodeMemory => "nodes: memory",
        }
    }
}

/// Seconds of CPU a second, bytes, and bytes a second, with that many sessions open.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub engine_cpu: f64,
    pub engine_memory: f64,
    pub engine_network: f64,
    pub node_cpu: f64,
    pub node_memory: f64,
}

/// How many nodes beside its owner follow a session.
pub fn followers(load: &Load) -> f64 {
    let n = f64::from(load.nodes);
    // Each reader is on the node of the owner with a chance of 1/n; a node follows once however many readers it has.
    (n - 1.0) * (1.0 - (1.0 - 1.0 / n).powf(load.readers))
}

pub fn needs(costs: &Costs, load: &Load, sessions: f64) -> Use {
    let (nodes, engines) = (f64::from(load.nodes), f64::from(load.engines));
    let events = sessions * load.rate;
    let follows = sessions * followers(load);
    let micro = 1e-6;
    let leases = nodes * 3.0 / load.lease;
    let engine = events * (costs.append + costs.publish + nodes * costs.hand)
        + follows / load.heartbeat * costs.read
        + leases * engines * nodes * costs.renew;
    let kept = sessions * (1.0 + load.kept / load.life);
    let ring = load.ring.min(load.rate * load.life).max(2.0);
    let node = events / nodes * costs.node_publish
        + events * (nodes - 1.0) / nodes * costs.node_hear
        + events * (load.readers + 1.0) / nodes * costs.node_deliver
        + follows / nodes / load.heartbeat * costs.node_read;
    Use {
        engine_cpu: engine * micro / engines,
        engine_memory: kept * (costs.session_bytes + ring * (load.bytes + costs.event_bytes))
            / engines,
        // To the replica, and to every node.
        engine_network: events * load.bytes * (1.0 + nodes) / engines,
        node_cpu: node * micro,
        node_memory: (kept + follows) / nodes * (costs.node_session_bytes + ring * load.bytes)
            + sessions * (load.readers + 1.0) / nodes * costs.node_reader_bytes,
    }
}

/// How many sessions may be open at once, and what runs out with one more.
pub fn capacity(costs: &Costs, load: &Load, node: &Machine, engine: &Machine) -> (f64, Limit) {
    let share = |sessions: f64| {
        let needs = needs(costs, load, sessions);
        [
            (needs.engine_cpu / engine.busy, Limit::EngineCpu),
            (needs.engine_memory / engine.memory, Limit::EngineMemory),
            (needs.engine_network / engine.network, Limit::EngineNetwork),
            (needs.node_cpu / (node.cores * node.busy), Limit::NodeCpu),
            (needs.node_memory / node.memory, Limit::NodeMemory),
        ]
    };
    let fits = |sessions: f64| share(sessions).iter().all(|(share, _)| *share <= 1.0);
    let (mut low, mut high) = (0.0, 1e9);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if fits(middle) {
            low = middle
        } else {
            high = middle
        }
    }
    let first = share(low * 1.000_001)
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0));
    (low, first.map_or(Limit::EngineCpu, |(_, limit)| limit))
}

pub const NODE: Machine = Machine {
    cores: 4.0,
    busy: 0.7,
    memory: 4e9,
    network: 125e6,
};
pub const ENGINE: Machine = Machine {
    cores: 1.0,
    busy: 0.7,
    memory: 8e9,
    network: 125e6,
};

/// A program that reports: two events a second, half a minute, one reader beside the caller.
pub const USUAL: Load = Load {
    nodes: 2,
    engines: 1,
    rate: 2.0,
    bytes: 330.0,
    readers: 1.0,
    life: 30.0,
    kept: 60.0,
    ring: 256.0,
    heartbeat: 15.0,
    lease: 5.0,
};

/// The table of the book: lines of Markdown.
pub fn table(costs: &Costs, load: &Load) -> Vec<String> {
    let mut lines = vec![
        "| nodes | engines | sessions open | events/s | deliveries/s | what runs out first |"
            .to_owned(),
        "| ---: | ---: | ---: | ---: | ---: | --- |".to_owned(),
    ];
    for (nodes, engines) in [
        (1, 1),
        (2, 1),
        (4, 1),
        (8, 1),
        (16, 1),
        (8, 2),
        (16, 2),
        (16, 4),
        (32, 4),
    ] {
        let load = Load {
            nodes,
            engines,
            ..*load
        };
        let (sessions, limit) = capacity(costs, &load, &NODE, &ENGINE);
        let events = sessions * load.rate;
        lines.push(format!(
            "| {nodes} | {engines} | {} | {} | {} | {} |",
            round(sessions),
            round(events),
            round(events * (load.readers + 1.0)),
            limit.name()
        ));
    }
    lines
}

/// Two digits are what such figures are worth.
fn round(value: f64) -> String {
    let digits = value.max(1.0).log10().floor() - 1.0;
    let unit = 10_f64.powf(digits.max(0.0));
    let number = (value / unit).round() * unit;
    let text = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in text.chars().enumerate() {
        if at > 0 && (text.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}
