//! Readers: the client of production on one side of a connection, the reader of the hub on the other.

use std::time::Duration;

use aon_live::Frame;
use aon_live::client::{self as wire, Channel, Cut, Notice, Outcome, Received, Rules};
use aon_live::id::{Cursor, Epoch, EventId, Seq};
use aon_live::machine::follow;
use aon_live::machine::reader::{Item, Reader, Then};
use aon_live::store::Budget;

use crate::checker::View;
use crate::engine::{Letter, Sid};
use crate::node::Conn;
use crate::options::{Kind, Plant};
use crate::world::{Event, World};

/// What comes over a connection.
#[derive(Clone, Debug)]
pub enum Said {
    Opened,
    Event(String),
    Status(u16),
    Closed,
}

impl Said {
    pub fn label(&self) -> String {
        match self {
            Self::Event(json) => json.clone(),
            other => format!("{other:?}"),
        }
    }
}

pub struct Client {
    pub sid: Sid,
    /// Whether its own call began the session.
    pub caller: bool,
    pub follow: Option<wire::Follow>,
    pub conn: Option<(u64, usize)>,
    pub view: View,
    pub done: bool,
    pub nudge_at: u64,
}

fn rules() -> Rules {
    let mut rules = Rules::default();
    rules.first_wait = Duration::from_millis(100);
    rules.longest_wait = Duration::from_millis(800);
    rules.attempts = 10_000;
    rules.interval = Duration::from_millis(crate::node::BEAT);
    rules
}

impl World {
    fn wall(&self) -> Duration {
        Duration::from_millis(self.now)
    }

    /// The session begins on a node that lives, and its caller reads the response.
    pub fn start(&mut self, sid: Sid) {
        let node = self.rng.pick(self.nodes.len());
        let up = self.nodes[node].alive && self.nodes[node].paused_until <= self.now;
        if !up {
            return self.soon(50, Event::Start { sid });
        }
        self.started.insert(sid);
        let events = self.rng.range(2, self.options.events);
        let ask = self.rng.chance(500);
        self.open(node, sid, events, ask);
        self.conns += 1;
        let conn = self.conns;
        let caller = self
            .clients
            .iter()
            .position(|client| client.sid == sid && client.caller);
        if let Some(client) = caller {
            self.clients[client].follow = Some(wire::Follow::call(rules(), self.wall()));
            self.clients[client].conn = Some((conn, node));
            let (at, slow) = (self.now, self.slow());
            self.nodes[node].conns.insert(
                conn,
                Conn {
                    client,
                    sid,
                    reader: Some(Reader::responder(Seq::FIRST)),
                    since: None,
                    slow,
                    at,
                    reads: 0,
                },
            );
            self.tell(node, conn, Said::Opened);
            self.pump_later(node, conn, slow);
        }
        let to = self.nodes[node].owner();
        self.soon(1, Event::Act { to, sid });
        self.settle(node);
    }

    fn slow(&mut self) -> bool {
        self.rng.chance(400) && self.options.has(Kind::Slow)
    }

    /// A reader begins from the start.
    pub fn begin(&mut self, client: usize) {
        if self.clients[client].done {
            return;
        }
        let sid = self.clients[client].sid;
        let follow =
            wire::Follow::session(rules(), Channel::Sse, format!("/{sid}"), None, self.wall());
        self.clients[client].follow = Some(follow);
        self.listen(client);
    }

    pub fn heard(&mut self, client: usize, conn: u64, said: Said) {
        let it = &mut self.clients[client];
        if it.conn.map(|(number, _)| number) != Some(conn) {
            return;
        }
        let input = match said {
            Said::Opened => wire::Input::Opened,
            Said::Event(json) => match Received::read(&json, None, None) {
                Ok(event) => wire::Input::Event(event),
                Err(fault) => wire::Input::Bad(fault),
            },
            Said::Status(status) => wire::Input::Answered(status, String::new()),
            Said::Closed => wire::Input::Lost("closed".to_owned()),
        };
        self.tell_client(client, input);
    }

    pub fn nudge(&mut self, client: usize) {
        self.tell_client(client, wire::Input::Tick);
    }

    fn tell_client(&mut self, client: usize, input: wire::Input) {
        let (now, jitter) = (self.wall(), self.rng.fraction());
        if let Some(follow) = &mut self.clients[client].follow {
            follow.handle(now, jitter, input);
        }
        self.listen(client);
    }

    /// Does what a client wants done.
    fn listen(&mut self, client: usize) {
        let sid = self.clients[client].sid;
        while let Some(output) = self.clients[client]
            .follow
            .as_mut()
            .and_then(wire::Follow::poll)
        {
            match output {
                wire::Output::Show(event) => self.shown(client, sid, &event),
                wire::Output::Tell(Notice::Gap { reason, .. }) => {
                    let view = &mut self.clients[client].view;
                    self.checker.gap(client, sid, view, &reason);
                }
                wire::Output::Tell(Notice::Hole { from, to }) => {
                    self.checker.fail("safety", format!("reader {client} of session {sid}: {from} to {to} are missing, and nothing was told"));
                }
                wire::Output::Tell(_) => {}
                wire::Output::Open(opening) => {
                    self.conns += 1;
                    let (conn, node) = (self.conns, self.rng.pick(self.nodes.len()));
                    self.clients[client].conn = Some((conn, node));
                    let delay = self.delay();
                    self.soon(
                        delay,
                        Event::Join {
                            client,
                            conn,
                            node,
                            since: opening.since,
                        },
                    );
                }
                wire::Output::Close => {
                    if let Some((conn, node)) = self.clients[client].conn.take() {
                        self.nodes[node].conns.remove(&conn);
                    }
                }
                wire::Output::End(outcome) => self.over(client, &outcome),
                _ => {}
            }
        }
        let deadline = self.clients[client]
            .follow
            .as_ref()
            .and_then(wire::Follow::deadline);
        if let Some(deadline) = deadline {
            let at = u64::try_from(deadline.as_millis()).unwrap_or(0) + 1;
            let it = &mut self.clients[client];
            if it.nudge_at <= self.now || at < it.nudge_at {
                it.nudge_at = at;
                self.at(at, Event::Nudge { client });
            }
        }
    }

    fn over(&mut self, client: usize, outcome: &Outcome) {
        let it = &mut self.clients[client];
        let (sid, seen, ended) = (it.sid, it.view.events, it.view.ended);
        if let Outcome::Cut(cut) = outcome {
            let early = matches!(cut, Cut::Gone) && seen == 0;
            if early && !self.healed {
                // It asked before the session was there.
                it.follow = None;
                return self.soon(300, Event::Follow { client });
            }
            let wrong = match cut {
                Cut::Over => !ended,
                Cut::Gone => seen > 0,
                _ => false,
            };
            if wrong && self.options.replicated {
                self.checker.fail("safety", format!("reader {client} of session {sid}: {cut:?} after {seen} events without the end"));
            }
        }
        self.clients[client].done = true;
    }

    fn shown(&mut self, client: usize, sid: Sid, event: &Received) {
        let (epoch, seq) = (event.epoch(), event.seq());
        let mut view = std::mem::take(&mut self.clients[client].view);
        self.checker
            .show(client, sid, &mut view, epoch, seq, event.is_terminal());
        self.clients[client].view = view;
        let id = epoch
            .zip(seq)
            .and_then(|(epoch, seq)| EventId::parse(&format!("{epoch}-{seq}")));
        if let Some(id) = id {
            let frame = Frame::restore(id.epoch, id.seq, event.kind(), event.json().as_bytes());
            self.stored(sid, id.epoch, &frame, "shown");
        }
        if event.kind() == "interactive_healing_request"
            && let Some(round) = event.member::<u32>("round")
            && self.asked.insert((sid, round.into()))
        {
            for _ in 0..self.rng.below(4) {
                self.letters += 1;
                let letter = Letter {
                    id: self.letters,
                    sid,
                    round,
                    deny: self.rng.chance(150),
                    cancel: self.rng.chance(60),
                };
                let wait = self.rng.range(1, 1500);
                self.soon(wait, Event::Person { letter, tries: 6 });
            }
        }
    }

    pub fn join(&mut self, client: usize, conn: u64, node: usize, since: Option<String>) {
        let sid = self.clients[client].sid;
        if !self.nodes[node].alive {
            let delay = self.delay();
            return self.soon(
                delay,
                Event::Say {
                    client,
                    conn,
                    said: Said::Closed,
                },
            );
        }
        self.mirror(node, sid, true);
        let slow = self.slow();
        let it = &mut self.nodes[node];
        let reads = it
            .mirrors
            .get(&sid)
            .and_then(|mirror| mirror.follow.as_ref())
            .map_or(0, follow::Follow::reads);
        it.conns.insert(
            conn,
            Conn {
                client,
                sid,
                reader: None,
                since,
                slow,
                at: self.now,
                reads,
            },
        );
        let to = it.owner();
        self.soon(1500, Event::JoinDue { to, conn });
        self.settle(node);
    }

    /// Lets a reader in, if this node knows enough to say where it is.
    fn let_in(&mut self, node: usize, conn: u64) {
        let trusting = self.planted(Plant::TrustMirror);
        let late = self.planted(Plant::ReplayFromNext);
        let now = self.nodes[node].local(self.now);
        let it = &mut self.nodes[node];
        let Some(place) = it.conns.get(&conn).filter(|place| place.reader.is_none()) else {
            return;
        };
        let sid = place.sid;
        let mut cursor = place.since.as_deref().map_or(Cursor::Start, Cursor::parse);
        let Some((epoch, ring)) = it.rings.get(&sid) else {
            return;
        };
        let mut newest = ring.newest();
        if let Some(own) = it.owned.get(&sid) {
            // Readers elsewhere may have read what is stored here without our having heard of it.
            newest = newest.max(own.newest);
        } else {
            let Some(mirror) = it.mirrors.get_mut(&sid) else {
                return;
            };
            let Some(follow) = mirror.follow.as_mut() else {
                return;
            };
            if follow.answered() == 0 {
                return;
            }
            newest = newest.max(follow.newest());
            let ahead =
                matches!(&cursor, Cursor::After(id) if id.epoch != *epoch || id.seq > newest);
            let settled = follow.is_over() || follow.answered() > place.reads;
            if ahead && !settled && !trusting {
                if follow.reads() <= place.reads {
                    follow.handle(now, follow::Input::Claimed);
                }
                return;
            }
        }
        if let (Cursor::After(id), true) = (&mut cursor, late) {
            id.seq = id.seq.next();
        }
        let reader = Reader::join(&cursor, *epoch, newest);
        let past = reader.is_past(ring.newest(), ring.terminal().is_some());
        if past {
            self.tell(node, conn, Said::Status(204));
            self.nodes[node].conns.remove(&conn);
            return;
        }
        if let Some(place) = it.conns.get_mut(&conn) {
            place.reader = Some(reader);
        }
        let slow = it.conns.get(&conn).is_some_and(|place| place.slow);
        self.tell(node, conn, Said::Opened);
        self.pump_later(node, conn, slow);
    }

    /// The store did not say anything about the session in time.
    pub fn join_due(&mut self, node: usize, conn: u64) {
        let waits = self.nodes[node]
            .conns
            .get(&conn)
            .is_some_and(|place| place.reader.is_none());
        if waits {
            self.tell(node, conn, Said::Status(503));
            self.nodes[node].conns.remove(&conn);
        }
    }

    pub fn gone(&mut self, node: usize, sid: Sid) {
        let it = &mut self.nodes[node];
        it.mirrors.remove(&sid);
        it.rings.remove(&sid);
        let conns: Vec<u64> = it
            .conns
            .iter()
            .filter(|(_, conn)| conn.sid == sid)
            .map(|(number, _)| *number)
            .collect();
        for conn in conns {
            self.tell(node, conn, Said::Status(404));
            self.nodes[node].conns.remove(&conn);
        }
    }

    /// A new numbering began: every reader of this node is told.
    pub fn rejoin(&mut self, node: usize, sid: Sid, old: Option<Epoch>) {
        let it = &mut self.nodes[node];
        let (Some(old), Some((epoch, ring))) = (old, it.rings.get(&sid)) else {
            return;
        };
        for conn in it.conns.values_mut().filter(|conn| conn.sid == sid) {
            if let Some(reader) = &mut conn.reader {
                let seq = Seq::new(reader.next().get() - 1);
                *reader = Reader::join(
                    &Cursor::After(EventId { epoch: old, seq }),
                    *epoch,
                    ring.newest(),
                );
            }
        }
    }

    fn tell(&mut self, node: usize, conn: u64, said: Said) {
        let delay = self.delay();
        let now = self.now;
        if let Some(place) = self.nodes[node].conns.get_mut(&conn) {
            place.at = place.at.max(now + delay);
            let (at, client) = (place.at, place.client);
            self.at(at, Event::Say { client, conn, said });
        }
    }

    pub fn hang_up(&mut self, number: u64, conn: &Conn) {
        let delay = self.delay();
        let at = conn.at.max(self.now + delay);
        self.at(
            at,
            Event::Say {
                client: conn.client,
                conn: number,
                said: Said::Closed,
            },
        );
    }

    pub fn cut_reader(&mut self, which: usize) {
        let client = which % self.clients.len();
        if let Some((conn, node)) = self.clients[client].conn
            && let Some(place) = self.nodes[node].conns.remove(&conn)
        {
            self.hang_up(conn, &place);
        }
    }

    pub fn heartbeat(&mut self, node: usize) {
        let conns: Vec<u64> = self.nodes[node].conns.keys().copied().collect();
        for conn in conns {
            if self.nodes[node]
                .conns
                .get(&conn)
                .is_some_and(|place| place.reader.is_some())
            {
                self.tell(
                    node,
                    conn,
                    Said::Event(r#"{"type":"status","message":"heartbeat"}"#.to_owned()),
                );
            }
        }
    }

    fn pump_later(&mut self, node: usize, conn: u64, slow: bool) {
        if slow {
            let (to, wait) = (self.nodes[node].owner(), self.rng.range(100, 1200));
            self.soon(wait, Event::Pump { to, conn });
        }
    }

    pub fn pump_slow(&mut self, node: usize, conn: u64) {
        self.pump_one(node, conn);
        let wait = if self.healed {
            50
        } else {
            self.rng.range(100, 1200)
        };
        if self.nodes[node].conns.contains_key(&conn) {
            let to = self.nodes[node].owner();
            self.soon(wait, Event::Pump { to, conn });
        }
    }

    /// Shows the readers of a node what is new.
    pub fn pump(&mut self, node: usize) {
        let conns: Vec<(u64, bool, bool)> = self.nodes[node]
            .conns
            .iter()
            .map(|(number, conn)| (*number, conn.reader.is_none(), conn.slow))
            .collect();
        for (conn, outside, slow) in conns {
            if outside {
                self.let_in(node, conn);
            }
            if !slow {
                self.pump_one(node, conn);
            }
        }
    }

    fn pump_one(&mut self, node: usize, conn: u64) {
        loop {
            let it = &mut self.nodes[node];
            let now = it.local(self.now);
            let Some(place) = it.conns.get_mut(&conn) else {
                return;
            };
            let (Some(reader), Some((_, ring))) = (&mut place.reader, it.rings.get(&place.sid))
            else {
                return;
            };
            let page = ring.page(reader.next(), Budget::new(4, usize::MAX));
            let mut said = Vec::new();
            let then = reader.take(page, now, &mut |item| {
                said.push(match item {
                    Item::Frame(frame) => String::from_utf8_lossy(&frame.json()).into_owned(),
                    Item::Gap(gap) => serde_json::json!({
                        "type": "gap", "requested": gap.requested, "oldest": gap.oldest, "newest": gap.newest, "reason": gap.reason,
                    })
                    .to_string(),
                    Item::ReplayComplete(seq) => format!(r#"{{"type":"replay_complete","last_seq":{seq}}}"#),
                });
            });
            for json in said {
                self.tell(node, conn, Said::Event(json));
            }
            match then {
                Then::More => {}
                Then::Wait => return,
                Then::End | Then::Slow => {
                    self.tell(node, conn, Said::Closed);
                    self.nodes[node].conns.remove(&conn);
                    return;
                }
            }
        }
    }
}
