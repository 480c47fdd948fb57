//! What goes wrong, and how it is mended.

use crate::node::Node;
use crate::world::{Event, Fault, Place, World};

impl World {
    /// A node dies, and with it everything it had not stored.
    pub fn crash(&mut self, node: usize) {
        let it = &mut self.nodes[node];
        if !it.alive {
            return;
        }
        it.alive = false;
        it.paused_until = 0;
        let conns = std::mem::take(&mut it.conns);
        it.calls.clear();
        for (number, conn) in conns {
            self.hang_up(number, &conn);
        }
    }
    pub fn fault(&mut self, fault: Fault) {
        self.note(&format!("fault {fault:?}"));
        if self.healed
            && !matches!(
                fault,
                Fault::Restart(_)
                    | Fault::Back(_)
                    | Fault::Promote(_)
                    | Fault::Demote(_)
                    | Fault::Attach(_)
                    | Fault::Mend(..)
            )
        {
            return;
        }
        match fault {
            Fault::Crash(node) => self.crash(node),
            Fault::Restart(node) => {
                if !self.nodes[node].alive {
                    let life = self.nodes[node].life + 1;
                    self.nodes[node] = Node::new(node, life, &self.options, &mut self.rng);
                    self.nodes[node].primary = self.sentinel;
                    self.soon(1, Event::Tick { to: (node, life) });
                }
            }
            Fault::Pause(node, time) => self.nodes[node].paused_until = self.now + time,
            Fault::KillPrimary { promote, back } => {
                let at = self.sentinel;
                if self.servers[at].alive {
                    self.servers[at].alive = false;
                    self.servers[at].waits.clear();
                    self.soon(promote, Event::Fault(Fault::Promote(1 - at)));
                    self.soon(promote.max(back) + 1, Event::Fault(Fault::Back(at)));
                }
            }
            Fault::PausePrimary {
                promote,
                back,
                demote,
            } => {
                let at = self.sentinel;
                if self.servers[at].alive && self.servers[at].paused_until <= self.now {
                    self.servers[at].paused_until = self.now + back;
                    if back > promote {
                        self.soon(promote, Event::Fault(Fault::Promote(1 - at)));
                        // It wakes up, and for a while takes itself for the primary.
                        self.soon(back + demote, Event::Fault(Fault::Demote(at)));
                    }
                }
            }
            Fault::KillReplica { back } => {
                let at = 1 - self.sentinel;
                if self.servers[at].alive && !self.servers[at].primary {
                    self.servers[at].alive = false;
                    self.servers[at].attached = false;
                    self.soon(back, Event::Fault(Fault::Back(at)));
                }
            }
            Fault::Promote(at) => self.promote(at),
            Fault::Back(at) => {
                if !self.servers[at].alive {
                    let it = &mut self.servers[at];
                    it.alive = true;
                    it.written.clear();
                    it.primary = self.sentinel == at;
                    if it.primary {
                        // It was not replaced: it goes on with what it had.
                        let upto = it.ops.len();
                        self.ship(upto);
                    } else {
                        it.attached = false;
                        self.soon(1, Event::Fault(Fault::Attach(at)));
                    }
                }
            }
            Fault::Demote(at) => {
                let it = &mut self.servers[at];
                if self.sentinel != at && it.alive && it.primary {
                    it.primary = false;
                    it.attached = false;
                    it.waits.clear();
                    self.soon(1, Event::Fault(Fault::Attach(at)));
                }
            }
            Fault::Attach(at) => {
                let primary = &self.servers[self.sentinel];
                let there = primary.alive && primary.paused_until <= self.now;
                let link = !self.cut(Place::Server(self.sentinel), Place::Server(at));
                if self.sentinel == at || !self.servers[at].alive || self.servers[at].attached {
                } else if there && link {
                    self.copy(at);
                } else {
                    self.soon(100, Event::Fault(Fault::Attach(at)));
                }
            }
            Fault::Cut(from, to, time) => {
                self.cuts.insert((from, to));
                self.soon(time, Event::Fault(Fault::Mend(from, to)));
            }
            Fault::Mend(from, to) => {
                self.cuts.remove(&(from, to));
            }
            Fault::CutReader(which) => self.cut_reader(which),
            Fault::Heal => self.heal(),
        }
    }

    /// The sentinels make the replica the primary, if it is a whole copy.
    pub fn promote(&mut self, at: usize) {
        let old = 1 - at;
        let gone = !self.servers[old].alive || self.servers[old].paused_until > self.now;
        let it = &self.servers[at];
        if self.sentinel != old || !gone || !it.alive || !it.attached || it.paused_until > self.now
        {
            return;
        }
        self.sentinel = at;
        self.era += 1;
        let it = &mut self.servers[at];
        it.primary = true;
        it.ops.clear();
        it.known = 0;
        it.written.clear();
        it.waits.clear();
        self.servers[old].attached = false;
        self.note(&format!("server {at} is the primary"));
        let db = std::mem::take(&mut self.servers[at].db);
        self.checker.promoted(&db);
        self.servers[at].db = db;
    }

    /// A server becomes a copy of the primary.
    pub fn copy(&mut self, at: usize) {
        let primary = self.sentinel;
        self.era += 1;
        let db = self.servers[primary].db.clone();
        let it = &mut self.servers[at];
        it.primary = false;
        it.attached = true;
        it.applied = 0;
        it.db = db;
        it.waits.clear();
        let it = &mut self.servers[primary];
        it.ops.clear();
        it.known = 0;
        it.written.clear();
        for wait in &mut it.waits {
            wait.offset = 0;
        }
        self.release(primary);
    }

    pub fn heal(&mut self) {
        self.healed = true;
        self.cuts.clear();
        for node in &mut self.nodes {
            node.paused_until = node.paused_until.min(self.now);
        }
        for server in &mut self.servers {
            server.paused_until = server.paused_until.min(self.now);
        }
    }
}
