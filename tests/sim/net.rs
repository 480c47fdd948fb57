//! The way between nodes and engine, and inside the engine: requests, answers, replication, wake-ups.

use crate::engine::{Cmd, Owner, Rep, Wait, Word};
use crate::node::Item;
use crate::options::{Kind, Plant};
use crate::world::{Event, Place, World};

/// How long a node waits for an answer of the engine before it closes the connection.
const PATIENCE: u64 = 400;
/// How long `WAIT` waits.
const WAIT: u64 = 250;

impl World {
    /// Sends commands from a node to the server it takes for the primary.
    pub fn send(&mut self, node: usize, items: Vec<Item>, cmds: Vec<Cmd>, wait: bool) {
        let it = &mut self.nodes[node];
        it.numbers += 1;
        let (call, conn, server, from) = (it.numbers, it.conn, it.primary, (node, it.life));
        it.calls.insert(call, items);
        self.soon(PATIENCE, Event::Late { to: from, call });
        if self.cut(Place::Node(node), Place::Server(server)) || self.lost(Kind::Requests, 60) {
            return;
        }
        let (delay, again) = (self.delay(), self.lost(Kind::Repeats, 60));
        let arrive = Event::Arrive {
            server,
            from,
            conn,
            call,
            cmds,
            wait,
        };
        if again {
            let later = self.delay() * 3;
            self.checker.counts.repeats += 1;
            self.soon(later, arrive.clone());
        }
        self.soon(delay, arrive);
    }

    pub fn arrive(
        &mut self,
        at: usize,
        from: Owner,
        conn: u32,
        call: u64,
        cmds: Vec<Cmd>,
        wait: bool,
    ) {
        let server = &self.servers[at];
        let replicated = self.options.replicated;
        let writes = |cmd: &Cmd| {
            !matches!(
                cmd,
                Cmd::Look { .. } | Cmd::Letters { .. } | Cmd::Sweep | Cmd::Publish(_)
            )
        };
        let refused = self.options.min_replicas && !self.follows(at) && cmds.iter().any(writes);
        if !server.alive || !server.primary || refused {
            return self.answer(at, from, conn, call, None);
        }
        let (now, ring, plant) = (
            self.now + server.clock,
            self.options.ring,
            self.options.plant,
        );
        let mut reps = Vec::new();
        let mut words = Vec::new();
        let mut free = wait;
        for cmd in cmds {
            let server = &mut self.servers[at];
            let (rep, wrote) = server.db.run(&cmd, now, ring, plant);
            if wrote {
                let unreplicated = match &cmd {
                    Cmd::Read { .. } => plant == Some(Plant::ReadUnreplicated),
                    Cmd::Claim { .. } => plant == Some(Plant::ClaimUnreplicated),
                    _ => false,
                };
                server.ops.push((cmd.clone(), now));
                if !unreplicated {
                    free = false;
                    server.written.insert((from, conn), server.ops.len());
                }
            }
            match (&cmd, &rep) {
                (Cmd::Publish(word), _) => words.push(word.clone()),
                (Cmd::Append { sid, frames, .. }, Rep::Append(_))
                    if plant == Some(Plant::WakeInScript) && wrote =>
                {
                    let epoch = server.db.logs.get(sid).map(|log| log.epoch);
                    words.extend(epoch.into_iter().flat_map(|epoch| {
                        frames
                            .iter()
                            .map(move |frame| Word::Event(*sid, epoch, frame.clone()))
                    }));
                }
                (Cmd::Post(letter), Rep::Posted(true)) => words.push(Word::Letter(letter.sid)),
                _ => {}
            }
            reps.push(rep);
        }
        self.publish(at, &words);
        let upto = self.servers[at].ops.len();
        if at == self.sentinel {
            self.ship(upto);
        }
        let server = &mut self.servers[at];
        let offset = server.written.get(&(from, conn)).copied().unwrap_or(0);
        if !wait || !replicated || free || offset <= server.known {
            return self.answer(at, from, conn, call, Some(reps));
        }
        self.count += 1;
        let id = self.count;
        server.waits.push(Wait {
            id,
            offset,
            node: from,
            conn,
            call,
            reps,
        });
        self.soon(WAIT, Event::WaitDue { server: at, id });
    }

    /// Whether the other server follows this one.
    pub fn follows(&self, at: usize) -> bool {
        let other = &self.servers[1 - at];
        at == self.sentinel && other.alive && other.attached && !other.primary
    }

    pub fn ship(&mut self, upto: usize) {
        // Where nobody waits for the replica it may lag further, so that a failover loses something.
        let most = match (self.healed, self.options.replicated) {
            (true, _) => 1,
            (false, false) => 700,
            (false, true) if self.options.has(Kind::Delays) => 80,
            (false, true) => 1,
        };
        let lag = self.delay() + self.net.below(most);
        let era = self.era;
        self.soon(lag, Event::Replicate { era, upto });
    }

    pub fn replicate(&mut self, era: u64, upto: usize) {
        let primary = self.sentinel;
        let replica = 1 - primary;
        let cut = self.cut(Place::Server(primary), Place::Server(replica));
        let it = &self.servers[replica];
        if era != self.era || !it.alive || !it.attached || it.primary {
            return;
        }
        if cut
            || it.paused_until > self.now
            || self.servers[primary].paused_until > self.now
            || !self.servers[primary].alive
        {
            // The stream goes on where it stopped; what a dead primary did not send is lost with it.
            if self.servers[primary].alive {
                self.soon(50, Event::Replicate { era, upto });
            }
            return;
        }
        let (ring, plant) = (self.options.ring, self.options.plant);
        let applied = self.servers[replica].applied;
        if upto > applied {
            let ops = self.servers[primary].ops[applied..upto].to_vec();
            let it = &mut self.servers[replica];
            for (cmd, now) in ops {
                it.db.run(&cmd, now, ring, plant);
            }
            it.applied = upto;
        }
        if !self.cut(Place::Server(replica), Place::Server(primary)) {
            let delay = self.delay();
            self.soon(delay, Event::Replicated { era, upto });
        }
    }

    /// Answers what waited for the replica.
    pub fn release(&mut self, at: usize) {
        let known = self.servers[at].known;
        let waits = std::mem::take(&mut self.servers[at].waits);
        let (done, still): (Vec<_>, Vec<_>) =
            waits.into_iter().partition(|wait| wait.offset <= known);
        self.servers[at].waits = still;
        for wait in done {
            self.answer(at, wait.node, wait.conn, wait.call, Some(wait.reps));
        }
    }

    pub fn answer(&mut self, from: usize, to: Owner, conn: u32, call: u64, reps: Option<Vec<Rep>>) {
        if self.cut(Place::Server(from), Place::Node(to.0)) || self.lost(Kind::Answers, 60) {
            return;
        }
        let (delay, again) = (self.delay(), self.lost(Kind::Repeats, 30));
        let answer = Event::Answer {
            to,
            conn,
            call,
            reps,
        };
        if again {
            let later = self.delay() * 2;
            self.soon(later, answer.clone());
        }
        self.soon(delay, answer);
    }

    pub fn publish(&mut self, at: usize, words: &[Word]) {
        for word in words {
            for node in 0..self.nodes.len() {
                let it = &self.nodes[node];
                let to = (node, it.life);
                let deaf = it.primary != at || self.cut(Place::Server(at), Place::Node(node));
                if deaf || self.lost(Kind::Wakes, 250) {
                    continue;
                }
                let delay = self.delay();
                if self.lost(Kind::Repeats, 60) {
                    self.soon(
                        delay * 2,
                        Event::Wake {
                            to,
                            word: word.clone(),
                        },
                    );
                }
                self.soon(
                    delay,
                    Event::Wake {
                        to,
                        word: word.clone(),
                    },
                );
            }
        }
    }
}
