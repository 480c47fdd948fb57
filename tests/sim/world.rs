//! Everything there is, in one thread and from one seed: nodes, engine, network, clocks, readers, people.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use aon_live::id::Epoch;

use crate::checker::{Checker, Failure};
use crate::client::{Client, Said};
use crate::engine::{Cmd, Letter, Owner, Rep, Server, Sid, Word};
use crate::node::{Item, Node};
use crate::options::{Kind, Options, Plant};
use crate::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Node(usize),
    Server(usize),
}

#[derive(Clone, Debug)]
pub enum Event {
    Arrive {
        server: usize,
        from: Owner,
        conn: u32,
        call: u64,
        cmds: Vec<Cmd>,
        wait: bool,
    },
    WaitDue {
        server: usize,
        id: u64,
    },
    Replicate {
        era: u64,
        upto: usize,
    },
    Replicated {
        era: u64,
        upto: usize,
    },
    Answer {
        to: Owner,
        conn: u32,
        call: u64,
        reps: Option<Vec<Rep>>,
    },
    Late {
        to: Owner,
        call: u64,
    },
    Wake {
        to: Owner,
        word: Word,
    },
    Tick {
        to: Owner,
    },
    /// The handler of a session goes on.
    Act {
        to: Owner,
        sid: Sid,
    },
    Join {
        client: usize,
        conn: u64,
        node: usize,
        since: Option<String>,
    },
    JoinDue {
        to: Owner,
        conn: u64,
    },
    Pump {
        to: Owner,
        conn: u64,
    },
    Say {
        client: usize,
        conn: u64,
        said: Said,
    },
    Nudge {
        client: usize,
    },
    Person {
        letter: Letter,
        tries: u32,
    },
    Ticket {
        ticket: u64,
        node: usize,
    },
    /// Somebody calls, and a session begins.
    Start {
        sid: Sid,
    },
    Follow {
        client: usize,
    },
    Fault(Fault),
}

#[derive(Clone, Copy, Debug)]
pub enum Fault {
    Crash(usize),
    Restart(usize),
    Pause(usize, u64),
    /// The server that is the primary dies; after a while its replica is promoted; later it comes back.
    KillPrimary {
        promote: u64,
        back: u64,
    },
    PausePrimary {
        promote: u64,
        back: u64,
        demote: u64,
    },
    KillReplica {
        back: u64,
    },
    Promote(usize),
    Back(usize),
    Demote(usize),
    /// A server that is not the primary becomes a copy of it, as soon as it can.
    Attach(usize),
    Cut(Place, Place, u64),
    Mend(Place, Place),
    CutReader(usize),
    Heal,
}

pub struct World {
    pub options: Options,
    pub now: u64,
    queue: BTreeMap<(u64, u64), Event>,
    pub count: u64,
    pub net: Rng,
    pub rng: Rng,
    pub nodes: Vec<Node>,
    pub servers: [Server; 2],
    /// Who the sentinels say is the primary.
    pub sentinel: usize,
    pub clients: Vec<Client>,
    pub checker: Checker,
    pub cuts: BTreeSet<(Place, Place)>,
    pub healed: bool,
    pub era: u64,
    pub conns: u64,
    pub letters: u64,
    pub steps: u64,
    pub asked: BTreeSet<(Sid, u64)>,
    pub started: BTreeSet<Sid>,
    trace: VecDeque<String>,
    pub digest: u64,
}

impl World {
    pub fn new(options: Options) -> Self {
        let root = Rng::new(options.seed);
        let mut rng = root.fork(2);
        let nodes = (0..options.nodes)
            .map(|at| Node::new(at, 0, &options, &mut rng))
            .collect();
        let mut servers = [Server::default(), Server::default()];
        for (at, server) in servers.iter_mut().enumerate() {
            server.alive = true;
            server.attached = true;
            server.primary = at == 0;
            if options.has(Kind::Skew) {
                server.clock = rng.below(200);
            }
        }
        let checker = Checker {
            replicated: options.replicated,
            ..Checker::default()
        };
        let mut world = Self {
            now: 0,
            queue: BTreeMap::new(),
            count: 0,
            net: root.fork(3),
            rng,
            nodes,
            servers,
            sentinel: 0,
            clients: Vec::new(),
            checker,
            cuts: BTreeSet::new(),
            healed: false,
            era: 0,
            conns: 0,
            letters: 0,
            steps: 0,
            asked: BTreeSet::new(),
            started: BTreeSet::new(),
            trace: VecDeque::new(),
            digest: 0xcbf2_9ce4_8422_2325,
            options,
        };
        world.plan(root.fork(4));
        world
    }

    /// Which faults come when.
    fn plan(&mut self, mut rng: Rng) {
        let trouble = self.options.trouble;
        for node in 0..self.options.nodes {
            self.at(1, Event::Tick { to: (node, 0) });
        }
        for kind in self.options.faults.clone() {
            // Each kind draws from numbers of its own, so that switching one off leaves the others as they are.
            let mut rng = rng.fork(kind as u64 + 10);
            for _ in 0..rng.range(1, 3) {
                let at = rng.range(50, trouble);
                let lease = self.options.lease;
                let node = rng.pick(self.options.nodes);
                let fault = match kind {
                    Kind::Crash => Fault::Crash(node),
                    Kind::Pause => Fault::Pause(node, rng.range(100, 3 * lease)),
                    Kind::Failover => Fault::KillPrimary {
                        promote: rng.range(100, 900),
                        back: rng.range(300, 2500),
                    },
                    Kind::Stale => Fault::PausePrimary {
                        promote: rng.range(100, 900),
                        back: rng.range(200, 2500),
                        demote: rng.range(1, 600),
                    },
                    Kind::Replica => Fault::KillReplica {
                        back: rng.range(100, 1500),
                    },
                    Kind::Cut => {
                        let server = Place::Server(rng.pick(2));
                        let other = if rng.chance(250) {
                            Place::Server(rng.pick(2))
                        } else {
                            Place::Node(node)
                        };
                        let (from, to) = if rng.chance(500) {
                            (server, other)
                        } else {
                            (other, server)
                        };
                        Fault::Cut(from, to, rng.range(100, 2 * lease))
                    }
                    Kind::Readers => Fault::CutReader(rng.pick(64)),
                    Kind::Requests
                    | Kind::Answers
                    | Kind::Repeats
                    | Kind::Delays
                    | Kind::Wakes
                    | Kind::Slow
                    | Kind::Skew => break,
                };
                self.at(at, Event::Fault(fault));
                if let Fault::Crash(node) = fault {
                    self.at(
                        at + rng.range(100, 3000),
                        Event::Fault(Fault::Restart(node)),
                    );
                }
            }
        }
        self.at(trouble, Event::Fault(Fault::Heal));
        let _ = rng.next();
    }

    pub fn at(&mut self, when: u64, event: Event) {
        self.count += 1;
        self.queue.insert((when.max(self.now), self.count), event);
    }

    pub fn soon(&mut self, wait: u64, event: Event) {
        self.at(self.now + wait, event);
    }

    pub fn planted(&self, plant: Plant) -> bool {
        self.options.plant == Some(plant)
    }

    pub fn note(&mut self, line: &str) {
        for byte in line.bytes().chain([b'\n']) {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if self.trace.len() >= self.options.trace {
            self.trace.pop_front();
        }
        self.trace.push_back(format!("{:>6} {line}", self.now));
    }

    pub fn trace(&self) -> String {
        let mut out = String::new();
        for line in &self.trace {
            let _ = writeln!(out, "    {line}");
        }
        out
    }

    /// One event. `false` when there is none left.
    pub fn step(&mut self) -> bool {
        while self.put_off() {}
        let Some(((when, _), event)) = self.queue.pop_first() else {
            return false;
        };
        self.now = when;
        self.steps += 1;
        self.note(&label(&event));
        self.happen(event);
        true
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.checker.failure.as_ref()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrive {
                server,
                from,
                conn,
                call,
                cmds,
                wait,
            } => self.arrive(server, from, conn, call, cmds, wait),
            Event::WaitDue { server, id } => {
                let at = self.servers[server]
                    .waits
                    .iter()
                    .position(|wait| wait.id == id);
                if let Some(at) = at {
                    let wait = self.servers[server].waits.remove(at);
                    self.answer(server, wait.node, wait.conn, wait.call, None);
                }
            }
            Event::Replicate { era, upto } => self.replicate(era, upto),
            Event::Replicated { era, upto } => {
                let primary = self.sentinel;
                if era == self.era && self.servers[primary].primary {
                    let known = &mut self.servers[primary].known;
                    *known = upto.max(*known);
                    self.release(primary);
                }
            }
            Event::Answer {
                to,
                conn,
                call,
                reps,
            } => self.node_event(to, |world, node| world.answered(node, conn, call, reps)),
            Event::Late { to, call } => self.node_event(to, |world, node| world.late(node, call)),
            Event::Wake { to, word } => self.node_event(to, |world, node| world.woken(node, word)),
            Event::Tick { to } => self.node_event(to, World::ticked),
            Event::Act { to, sid } => self.node_event(to, |world, node| world.act(node, sid)),
            Event::Join {
                client,
                conn,
                node,
                since,
            } => self.join(client, conn, node, since),
            Event::JoinDue { to, conn } => {
                self.node_event(to, |world, node| world.join_due(node, conn))
            }
            Event::Pump { to, conn } => {
                self.node_event(to, |world, node| world.pump_slow(node, conn))
            }
            Event::Say { client, conn, said } => self.heard(client, conn, said),
            Event::Nudge { client } => self.nudge(client),
            Event::Person { letter, tries } => self.person(letter, tries),
            Event::Ticket { ticket, node } => {
                let to = (node, self.nodes[node].life);
                self.node_event(to, |world, node| world.group(node, Item::Take(ticket)));
            }
            Event::Start { sid } => self.start(sid),
            Event::Follow { client } => self.begin(client),
            Event::Fault(fault) => self.fault(fault),
        }
    }

    /// Something for a node: a dead one does not get it, one that is paused gets it when it goes on.
    fn node_event(&mut self, (node, life): Owner, what: impl FnOnce(&mut Self, usize)) {
        let it = &self.nodes[node];
        if !it.alive || it.life != life {
            return;
        }
        what(self, node);
        self.settle(node);
    }

    /// Whether the node of this event is paused: then it is put off.
    fn put_off(&mut self) -> bool {
        let Some((&at, event)) = self.queue.first_key_value() else {
            return false;
        };
        let to = match event {
            Event::Answer { to, .. }
            | Event::Late { to, .. }
            | Event::Wake { to, .. }
            | Event::Tick { to }
            | Event::Act { to, .. }
            | Event::JoinDue { to, .. }
            | Event::Pump { to, .. } => to.0,
            Event::Join { node, .. } | Event::Ticket { node, .. } => *node,
            Event::Arrive { server, .. } => {
                let until = self.servers[*server].paused_until;
                return self.put_off_until(at, until);
            }
            _ => return false,
        };
        let until = self.nodes[to].paused_until;
        self.put_off_until(at, until)
    }

    fn put_off_until(&mut self, at: (u64, u64), until: u64) -> bool {
        if at.0 >= until {
            return false;
        }
        if let Some(event) = self.queue.remove(&at) {
            self.at(until, event);
        }
        true
    }

    pub fn cut(&self, from: Place, to: Place) -> bool {
        self.cuts.contains(&(from, to))
    }

    pub fn delay(&mut self) -> u64 {
        let most = if self.options.has(Kind::Delays) && !self.healed {
            60
        } else {
            4
        };
        self.net.range(1, most)
    }

    pub fn lost(&mut self, kind: Kind, per_mille: u64) -> bool {
        let chance = self.net.chance(per_mille);
        chance && self.options.has(kind) && !self.healed
    }

    pub fn epoch(&mut self) -> Epoch {
        Epoch::new(u32::try_from(self.rng.next() >> 32).unwrap_or(1))
    }
}

/// A few words about an event, for the trace.
fn label(event: &Event) -> String {
    match event {
        Event::Arrive {
            server,
            from,
            call,
            cmds,
            ..
        } => {
            let mut line = format!("arrive at server {server} from {from:?} call {call}:");
            for cmd in cmds {
                let _ = match cmd {
                    Cmd::Append {
                        sid, term, frames, ..
                    } => {
                        let numbers = (
                            frames.first().map(|it| it.seq().get()),
                            frames.last().map(|it| it.seq().get()),
                        );
                        write!(line, " append {sid} term {} {numbers:?}", term.get())
                    }
                    Cmd::Publish(Word::Event(sid, _, frame)) => {
                        write!(line, " publish {sid} {}", frame.seq())
                    }
                    Cmd::Publish(Word::Letter(sid)) => write!(line, " publish letter {sid}"),
                    other => write!(line, " {other:?}"),
                };
            }
            line
        }
        Event::Answer { to, call, reps, .. } => {
            format!(
                "answer to {to:?} call {call}: {}",
                if reps.is_some() { "yes" } else { "unknown" }
            )
        }
        Event::Wake {
            to,
            word: Word::Event(sid, _, frame),
        } => format!("wake {to:?} {sid} {}", frame.seq()),
        Event::Say { client, conn, said } => {
            format!("reader {client} conn {conn} hears {}", said.label())
        }
        other => format!("{other:?}"),
    }
}
