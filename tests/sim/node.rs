//! One node: the machines of production, and the shell that does what they say.

use std::collections::BTreeMap;

use aon_live::Frame;
use aon_live::id::{Epoch, Seq, Term};
use aon_live::machine::Tick;
use aon_live::machine::follow::{self, Follow};
use aon_live::machine::lease::{self, Lease, LeaseRules};
use aon_live::machine::orphan::{self, Orphan};
use aon_live::machine::reader::Reader;
use aon_live::machine::request::Request;
use aon_live::machine::ring::{Ring, RingLimits};
use aon_live::machine::session::Session;
use aon_live::machine::writer::{self, Group, GroupRules, Writer};

use crate::engine::{Cmd, Letter, Owner, Rep, Sid, Word};
use crate::options::{Kind, Options, Plant};
use crate::rng::Rng;
use crate::world::{Event, World};

/// Milliseconds between two signs of life.
pub const BEAT: u64 = 500;

/// What a node asked the engine for, with what the answer has to know.
#[derive(Clone, Debug)]
pub enum Item {
    Append(Sid, writer::Append),
    Claim(Sid, u64, Term),
    End(Sid, u64, Term),
    Read(Sid, u64, Seq),
    Restart(Sid, Epoch, Epoch),
    Post(Letter),
    Take(u64),
    Look(Sid, u64),
    Renew(u64),
    Letters(Sid, usize),
    Sweep,
    Word,
}

/// A session that runs here.
pub struct Own {
    pub epoch: Epoch,
    pub rules: Session,
    pub writer: Writer,
    pub term: Term,
    /// Events the handler still wants to publish, and before which of them it asks.
    pub left: u64,
    pub ask_at: u64,
    pub question: Option<Question>,
    pub letters: usize,
    /// The last number that was given.
    pub newest: Seq,
    pub ended: bool,
}

pub struct Question {
    pub request: Request,
    pub round: u32,
    pub until: Tick,
    /// The event that says that an answer was accepted, until it is stored.
    pub accepted: Option<Seq>,
    /// It is stored: the step may run.
    pub run: bool,
}

/// A session that runs elsewhere, as this node follows it.
pub struct Mirror {
    pub follow: Option<Follow>,
    pub orphan: Option<Orphan>,
    /// The end this node writes, made once.
    pub end: Option<Frame>,
    pub fresh: bool,
}

pub struct Conn {
    pub client: usize,
    pub sid: Sid,
    pub reader: Option<Reader>,
    pub since: Option<String>,
    pub slow: bool,
    /// When what was sent last arrives: a connection keeps its order.
    pub at: u64,
    /// How many reads had been sent when it joined.
    pub reads: u64,
}

pub struct Node {
    pub at: usize,
    pub life: u32,
    pub alive: bool,
    pub paused_until: u64,
    rate: u64,
    offset: u64,
    pub primary: usize,
    pub conn: u32,
    pub numbers: u64,
    pub calls: BTreeMap<u64, Vec<Item>>,
    pub queue: Group<Item>,
    pub flying: Option<u64>,
    pub lease: Lease,
    pub owned: BTreeMap<Sid, Own>,
    pub mirrors: BTreeMap<Sid, Mirror>,
    pub rings: BTreeMap<Sid, (Epoch, Ring)>,
    pub conns: BTreeMap<u64, Conn>,
    pub beat: Tick,
    pub tick_at: u64,
}

impl Node {
    pub fn new(at: usize, life: u32, options: &Options, rng: &mut Rng) -> Self {
        let skew = options.has(Kind::Skew);
        let (rate, offset) = (rng.range(960, 1040), rng.below(100_000));
        let mut node = Self {
            at,
            life,
            alive: true,
            paused_until: 0,
            rate: if skew { rate } else { 1000 },
            offset,
            primary: 0,
            conn: 0,
            numbers: 0,
            calls: BTreeMap::new(),
            queue: Group::new(GroupRules {
                items: 8,
                bytes: 100_000,
                flights: 1,
            }),
            flying: None,
            lease: Lease::made(LeaseRules::of(options.lease), Tick(0)),
            owned: BTreeMap::new(),
            mirrors: BTreeMap::new(),
            rings: BTreeMap::new(),
            conns: BTreeMap::new(),
            beat: Tick(0),
            tick_at: 0,
        };
        // It has no lease before the engine says so.
        node.lease = Lease::claim(LeaseRules::of(options.lease), Term::new(0), node.local(0));
        node
    }

    pub fn local(&self, now: u64) -> Tick {
        Tick(self.offset + now * self.rate / 1000)
    }

    fn world(&self, tick: Tick) -> u64 {
        tick.0.saturating_sub(self.offset) * 1000 / self.rate + 1
    }

    pub fn owner(&self) -> Owner {
        (self.at, self.life)
    }

    fn deadline(&self) -> Tick {
        let mirrors = self.mirrors.values().flat_map(|mirror| {
            let follow = mirror.follow.as_ref().and_then(Follow::deadline);
            follow
                .into_iter()
                .chain(mirror.orphan.as_ref().and_then(Orphan::deadline))
        });
        let owned = self.owned.values().flat_map(|own| {
            let question = own.question.as_ref().map(|question| question.until);
            own.writer.deadline().into_iter().chain(question)
        });
        mirrors
            .chain(owned)
            .chain(self.lease.deadline())
            .chain([self.beat])
            .min()
            .unwrap_or(self.beat)
    }
}

pub fn limits(options: &Options) -> RingLimits {
    RingLimits {
        events: options.ring,
        bytes: 1 << 20,
    }
}

impl World {
    /// Puts a command into the next group, which waits for the replica.
    pub fn group(&mut self, node: usize, item: Item) {
        let size = match &item {
            Item::Append(_, append) => append.frames.iter().map(Frame::size).sum(),
            _ => 100,
        };
        self.nodes[node].queue.push(item, size);
    }

    fn cmd(&self, node: usize, item: &Item) -> Cmd {
        let it = &self.nodes[node];
        let owner = it.owner();
        match item {
            Item::Append(sid, append) => {
                let create = it
                    .owned
                    .get(sid)
                    .filter(|_| append.number == 1)
                    .map(|own| own.epoch);
                Cmd::Append {
                    sid: *sid,
                    owner,
                    term: append.term,
                    frames: append.frames.clone(),
                    create,
                }
            }
            Item::Claim(sid, _, over) => Cmd::Claim {
                sid: *sid,
                owner,
                over: *over,
            },
            Item::End(sid, _, term) => {
                let end = it.mirrors.get(sid).and_then(|mirror| mirror.end.clone());
                Cmd::Append {
                    sid: *sid,
                    owner,
                    term: *term,
                    frames: end.into_iter().collect(),
                    create: None,
                }
            }
            Item::Read(sid, _, from) => Cmd::Read {
                sid: *sid,
                from: *from,
            },
            Item::Restart(sid, over, to) => Cmd::Restart {
                sid: *sid,
                over: *over,
                to: *to,
            },
            Item::Post(letter) => Cmd::Post(letter.clone()),
            Item::Take(ticket) => Cmd::Take(*ticket),
            Item::Look(sid, _) => Cmd::Look {
                sid: *sid,
                by: owner,
            },
            Item::Renew(_) => Cmd::Renew {
                owner,
                length: self.options.lease,
            },
            Item::Letters(sid, from) => Cmd::Letters {
                sid: *sid,
                from: *from,
            },
            Item::Sweep | Item::Word => Cmd::Sweep,
        }
    }

    /// Sends at once, without waiting for the replica.
    pub fn direct(&mut self, node: usize, item: Item) {
        let cmd = self.cmd(node, &item);
        self.send(node, vec![item], vec![cmd], false);
    }

    pub fn say(&mut self, node: usize, word: Word) {
        self.send(node, vec![Item::Word], vec![Cmd::Publish(word)], false);
    }

    pub fn answered(&mut self, node: usize, conn: u32, call: u64, reps: Option<Vec<Rep>>) {
        let it = &mut self.nodes[node];
        // What an old connection says is not heard any more.
        if it.conn != conn {
            return;
        }
        let Some(items) = it.calls.remove(&call) else {
            return;
        };
        if it.flying == Some(call) {
            it.flying = None;
            it.queue.landed();
        }
        match reps {
            Some(reps) => {
                for (item, rep) in items.into_iter().zip(reps) {
                    self.done(node, item, Some(rep));
                }
            }
            None => {
                for item in items {
                    self.done(node, item, None);
                }
                self.reconnect(node);
            }
        }
    }

    /// No answer: what became of it is not known.
    pub fn late(&mut self, node: usize, call: u64) {
        let Some(items) = self.nodes[node].calls.remove(&call) else {
            return;
        };
        if self.nodes[node].flying == Some(call) {
            self.nodes[node].flying = None;
            self.nodes[node].queue.landed();
        }
        for item in items {
            self.done(node, item, None);
        }
        self.reconnect(node);
    }

    /// Asks the sentinels, and begins a new connection; everything under way on the old one is unknown.
    fn reconnect(&mut self, node: usize) {
        let sentinel = self.sentinel;
        let it = &mut self.nodes[node];
        it.primary = sentinel;
        it.conn += 1;
        it.flying = None;
        it.queue.landed();
        let open = std::mem::take(&mut it.calls);
        for item in open.into_values().flatten() {
            self.done(node, item, None);
        }
    }

    fn done(&mut self, node: usize, item: Item, rep: Option<Rep>) {
        let now = self.nodes[node].local(self.now);
        let it = &mut self.nodes[node];
        match (item, rep) {
            (Item::Append(sid, append), rep) => {
                let reply = match rep {
                    Some(Rep::Append(reply)) => reply,
                    _ => writer::Reply::Unknown,
                };
                if let Some(own) = it.owned.get_mut(&sid) {
                    own.writer
                        .handle(now, writer::Input::Replied(append.number, reply));
                }
            }
            (Item::Claim(sid, number, _), rep) => {
                let reply = match rep {
                    Some(Rep::Lease(reply)) => reply,
                    _ => lease::Reply::Unknown,
                };
                if let lease::Reply::Held(term) = reply {
                    let db = std::mem::take(&mut self.servers[self.sentinel].db);
                    self.checker.claimed(sid, term.get(), &db);
                    self.servers[self.sentinel].db = db;
                }
                self.orphan(node, sid, orphan::Input::Claimed(number, reply));
            }
            (Item::End(sid, number, _), Some(Rep::Append(reply))) => {
                let end = self.nodes[node]
                    .mirrors
                    .get(&sid)
                    .and_then(|mirror| mirror.end.clone());
                let appended = match reply {
                    writer::Reply::Acked => orphan::Appended::Acked,
                    writer::Reply::Exists(stored) if stored.first() == end.as_ref() => {
                        orphan::Appended::Acked
                    }
                    writer::Reply::Unknown => return,
                    _ => orphan::Appended::Refused,
                };
                if appended == orphan::Appended::Acked {
                    self.checker.counts.orphans += 1;
                    self.ended_orphan(node, sid);
                }
                self.orphan(node, sid, orphan::Input::Appended(number, appended));
            }
            (Item::Read(sid, number, _), rep) => {
                let mirror = it.mirrors.get_mut(&sid);
                let Some(follow) = mirror.and_then(|mirror| mirror.follow.as_mut()) else {
                    return;
                };
                match rep {
                    Some(Rep::Page(page)) => {
                        follow.handle(now, follow::Input::Page(number, page));
                    }
                    _ => follow.handle(now, follow::Input::Failed(number)),
                }
            }
            (Item::Look(sid, number), Some(Rep::Seen(seen))) => {
                self.orphan(node, sid, orphan::Input::Seen(number, seen))
            }
            (Item::Renew(number), Some(Rep::Lease(reply))) => {
                it.lease.handle(now, lease::Input::Replied(number, reply))
            }
            (Item::Letters(sid, from), Some(Rep::Letters(letters))) => {
                self.letters(node, sid, from, letters)
            }
            (Item::Post(letter), Some(Rep::Posted(true))) => {
                self.checker.posted.insert(letter.id, letter);
            }
            (Item::Take(ticket), Some(Rep::Taken(true))) => self.checker.granted(ticket),
            (Item::Take(ticket), None) if self.planted(Plant::TicketInDoubt) => {
                self.checker.granted(ticket)
            }
            (Item::Sweep, Some(Rep::Sids(sids))) => {
                for sid in sids {
                    self.mirror(node, sid, false);
                }
            }
            (_, _) => {}
        }
    }

    pub fn stored(&mut self, sid: Sid, epoch: Epoch, frame: &Frame, how: &str) {
        let [first, second] = &self.servers;
        let (primary, other) = if self.sentinel == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let replica = other.alive && other.attached && !other.primary;
        let replica = replica.then_some(&other.db);
        self.checker
            .stored(sid, epoch, frame, &primary.db, replica, how);
    }

    pub fn woken(&mut self, node: usize, word: Word) {
        let now = self.nodes[node].local(self.now);
        let it = &mut self.nodes[node];
        match word {
            Word::Event(sid, epoch, frame) => {
                let mirror = it
                    .mirrors
                    .get_mut(&sid)
                    .and_then(|mirror| mirror.follow.as_mut());
                if let Some(follow) = mirror {
                    follow.handle(now, follow::Input::Wake(epoch, frame));
                }
            }
            Word::Letter(sid) => {
                if let Some(from) = it.owned.get(&sid).map(|own| own.letters) {
                    self.direct(node, Item::Letters(sid, from));
                }
            }
        }
    }

    pub fn ticked(&mut self, node: usize) {
        let now = self.nodes[node].local(self.now);
        let it = &mut self.nodes[node];
        it.lease.handle(now, lease::Input::Tick);
        for own in it.owned.values_mut() {
            own.writer.handle(now, writer::Input::Tick);
        }
        for mirror in it.mirrors.values_mut() {
            if let Some(follow) = &mut mirror.follow {
                follow.handle(now, follow::Input::Tick);
            }
            if let Some(orphan) = &mut mirror.orphan {
                orphan.handle(now, orphan::Input::Tick);
            }
        }
        if now >= it.beat {
            it.beat = now.plus(BEAT);
            let asking: Vec<_> = it
                .owned
                .iter()
                .map(|(sid, own)| (*sid, own.letters))
                .collect();
            for (sid, from) in asking {
                self.direct(node, Item::Letters(sid, from));
            }
            self.direct(node, Item::Sweep);
            self.heartbeat(node);
        }
        self.questions(node);
    }

    /// Does what the machines say until they say nothing, then shows readers what is new.
    pub fn settle(&mut self, node: usize) {
        loop {
            let mut busy = false;
            while let Some(call) = self.nodes[node].lease.poll() {
                busy = true;
                self.direct(node, Item::Renew(call.number));
            }
            for sid in self.nodes[node].owned.keys().copied().collect::<Vec<_>>() {
                while let Some(output) = self.nodes[node]
                    .owned
                    .get_mut(&sid)
                    .and_then(|own| own.writer.poll())
                {
                    busy = true;
                    self.written(node, sid, output);
                }
            }
            for sid in self.nodes[node].mirrors.keys().copied().collect::<Vec<_>>() {
                busy |= self.followed(node, sid);
                busy |= self.watched(node, sid);
            }
            while self.nodes[node].flying.is_none()
                && let Some(items) = self.nodes[node].queue.poll()
            {
                busy = true;
                let cmds = items.iter().map(|item| self.cmd(node, item)).collect();
                self.nodes[node].flying = Some(self.nodes[node].numbers + 1);
                self.send(node, items, cmds, true);
            }
            if !busy {
                break;
            }
        }
        self.questions(node);
        self.pump(node);
        let it = &mut self.nodes[node];
        let at = it.world(it.deadline()).max(self.now + 1);
        if it.tick_at <= self.now || at < it.tick_at {
            it.tick_at = at;
            let to = it.owner();
            self.at(at, Event::Tick { to });
        }
    }

    fn written(&mut self, node: usize, sid: Sid, output: writer::Output) {
        match output {
            writer::Output::Store(append) => self.group(node, Item::Append(sid, append)),
            writer::Output::Show(frame) => {
                let Some(own) = self.nodes[node].owned.get_mut(&sid) else {
                    return;
                };
                let epoch = own.epoch;
                if let Some(question) = &mut own.question
                    && question.accepted == Some(frame.seq())
                {
                    question.run = true;
                }
                own.ended |= frame.is_terminal();
                self.stored(sid, epoch, &frame, "acknowledged");
                if !self.planted(Plant::ShowBeforeStore) {
                    self.keep(node, sid, frame.clone());
                    self.say(node, Word::Event(sid, epoch, frame));
                }
            }
            writer::Output::ShowUnstored(_) | writer::Output::Gone | writer::Output::Back => {}
            writer::Output::Stop(_) => {
                // Another node has it: from here on this one only follows.
                self.checker.counts.fenced += 1;
                self.nodes[node].owned.remove(&sid);
                self.mirror(node, sid, true);
            }
        }
    }

    /// Puts an event where the readers of this node find it.
    pub fn keep(&mut self, node: usize, sid: Sid, frame: Frame) {
        let seq = frame.seq();
        let limit = self.options.ring;
        let Some((_, ring)) = self.nodes[node].rings.get_mut(&sid) else {
            return;
        };
        if ring.push(frame).is_err() && self.options.replicated {
            self.checker.fail(
                "safety",
                format!("session {sid} event {seq}: node {node} has another one"),
            );
        } else if let Some((_, ring)) = self.nodes[node].rings.get(&sid)
            && ring.newest().get() + 1 - ring.oldest().get() > limit as u64 + 1
        {
            self.checker.fail(
                "safety",
                format!("session {sid}: node {node} keeps too much"),
            );
        }
    }
}
