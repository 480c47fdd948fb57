//! The engine as its documentation describes it: scripts that run alone, a replica that lags, and `WAIT`, which looks only at what
//! its own connection has written.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use aon_live::Frame;
use aon_live::id::{Epoch, Seq, Term};
use aon_live::machine::follow::Looked;
use aon_live::machine::orphan::Seen;
use aon_live::machine::{lease, writer};

use crate::options::Plant;

pub type Sid = usize;
/// A node and which of its lives: what a restarted node did before is not its own.
pub type Owner = (usize, u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub id: u64,
    pub sid: Sid,
    pub round: u32,
    pub deny: bool,
    pub cancel: bool,
}

#[derive(Clone, Debug)]
pub enum Cmd {
    /// `create` is the epoch of a session that may not be there yet.
    Append {
        sid: Sid,
        owner: Owner,
        term: Term,
        frames: Vec<Frame>,
        create: Option<Epoch>,
    },
    Claim {
        sid: Sid,
        owner: Owner,
        over: Term,
    },
    Renew {
        owner: Owner,
        length: u64,
    },
    Look {
        sid: Sid,
        by: Owner,
    },
    Read {
        sid: Sid,
        from: Seq,
    },
    Restart {
        sid: Sid,
        over: Epoch,
        to: Epoch,
    },
    Post(Letter),
    Letters {
        sid: Sid,
        from: usize,
    },
    Take(u64),
    /// Sessions that have lost their owner.
    Sweep,
    Publish(Word),
}

/// What travels over pub/sub.
#[derive(Clone, Debug)]
pub enum Word {
    Event(Sid, Epoch, Frame),
    Letter(Sid),
}

#[derive(Clone, Debug)]
pub enum Rep {
    Append(writer::Reply),
    Lease(lease::Reply),
    Seen(Option<Seen>),
    Page(Option<Looked>),
    Letters(Vec<Letter>),
    Posted(bool),
    Taken(bool),
    Sids(Vec<Sid>),
    Done,
}

#[derive(Clone, Debug)]
pub struct Log {
    pub epoch: Epoch,
    pub term: Term,
    pub owner: Option<Owner>,
    pub frames: VecDeque<Frame>,
    pub newest: Seq,
    pub letters: Vec<Letter>,
}

impl Log {
    pub fn oldest(&self) -> Seq {
        self.frames
            .front()
            .map_or_else(|| self.newest.next(), Frame::seq)
    }

    pub fn ended(&self) -> bool {
        self.frames.back().is_some_and(Frame::is_terminal)
    }

    pub fn get(&self, seq: Seq) -> Option<&Frame> {
        let at = seq.get().checked_sub(self.oldest().get())?;
        self.frames.get(usize::try_from(at).ok()?)
    }
}

/// What one server has.
#[derive(Clone, Debug, Default)]
pub struct Db {
    pub logs: BTreeMap<Sid, Log>,
    pub leases: BTreeMap<Owner, u64>,
    pub used: BTreeSet<u64>,
}

impl Db {
    fn held(&self, log: &Log, now: u64) -> bool {
        log.owner
            .is_some_and(|owner| self.leases.get(&owner).is_some_and(|until| *until > now))
    }

    /// Runs a command; whether it wrote something.
    pub fn run(&mut self, cmd: &Cmd, now: u64, ring: usize, plant: Option<Plant>) -> (Rep, bool) {
        match cmd {
            Cmd::Append {
                sid,
                owner,
                term,
                frames,
                create,
            } => {
                let (reply, wrote) = self.append(*sid, *owner, *term, frames, *create, ring, plant);
                (Rep::Append(reply), wrote)
            }
            Cmd::Claim { sid, owner, over } => {
                let Some(held) = self.logs.get(sid).map(|log| self.held(log, now)) else {
                    return (Rep::Lease(lease::Reply::Gone), false);
                };
                let Some(log) = self.logs.get_mut(sid) else {
                    return (Rep::Lease(lease::Reply::Gone), false);
                };
                if log.owner == Some(*owner) && log.term == over.next() {
                    // Asked before, and the answer was lost. It writes, so that waiting covers it.
                    return (Rep::Lease(lease::Reply::Held(log.term)), true);
                }
                if held && log.owner != Some(*owner) || log.term != *over {
                    return (Rep::Lease(lease::Reply::Taken(log.term)), false);
                }
                log.term = over.next();
                log.owner = Some(*owner);
                (Rep::Lease(lease::Reply::Held(log.term)), true)
            }
            Cmd::Renew { owner, length } => {
                self.leases.insert(*owner, now + length);
                (Rep::Lease(lease::Reply::Held(Term::FIRST)), true)
            }
            Cmd::Look { sid, by } => {
                let seen = self.logs.get(sid).map(|log| Seen {
                    term: log.term,
                    // A node that looks at a session of its own has given it up.
                    held: self.held(log, now) && log.owner != Some(*by),
                    stored: log.newest,
                    ended: log.ended(),
                });
                (Rep::Seen(seen), false)
            }
            Cmd::Read { sid, from } => {
                let looked = self.logs.get(sid).map(|log| Looked {
                    epoch: log.epoch,
                    oldest: log.oldest(),
                    newest: log.newest,
                    frames: log
                        .frames
                        .iter()
                        .filter(|frame| frame.seq() >= *from)
                        .take(5)
                        .cloned()
                        .collect(),
                });
                let wrote = looked.is_some();
                (Rep::Page(looked), wrote)
            }
            Cmd::Restart { sid, over, to } => {
                if let Some(log) = self.logs.get_mut(sid).filter(|log| log.epoch == *over) {
                    log.epoch = *to;
                    log.frames.clear();
                    log.term = log.term.next();
                    log.owner = None;
                }
                (Rep::Done, true)
            }
            Cmd::Post(letter) => {
                let Some(log) = self.logs.get_mut(&letter.sid).filter(|log| !log.ended()) else {
                    return (Rep::Posted(false), false);
                };
                if !log.letters.contains(letter) {
                    log.letters.push(letter.clone());
                }
                (Rep::Posted(true), true)
            }
            Cmd::Letters { sid, from } => {
                let letters = self.logs.get(sid).and_then(|log| log.letters.get(*from..));
                (Rep::Letters(letters.unwrap_or_default().to_vec()), false)
            }
            Cmd::Take(ticket) => (Rep::Taken(self.used.insert(*ticket)), true),
            Cmd::Sweep => {
                let lost = self
                    .logs
                    .iter()
                    .filter(|(_, log)| !log.ended() && !self.held(log, now));
                (Rep::Sids(lost.map(|(sid, _)| *sid).collect()), false)
            }
            Cmd::Publish(_) => (Rep::Done, false),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments of the script")]
    fn append(
        &mut self,
        sid: Sid,
        owner: Owner,
        term: Term,
        frames: &[Frame],
        create: Option<Epoch>,
        ring: usize,
        plant: Option<Plant>,
    ) -> (writer::Reply, bool) {
        if let (None, Some(epoch)) = (self.logs.get(&sid), create) {
            let log = Log {
                epoch,
                term,
                owner: Some(owner),
                frames: VecDeque::new(),
                newest: Seq::ZERO,
                letters: Vec::new(),
            };
            self.logs.insert(sid, log);
        }
        let Some(log) = self.logs.get_mut(&sid) else {
            return (writer::Reply::Gone, false);
        };
        let ours = log.owner == Some(owner) && log.term == term;
        if !ours && plant != Some(Plant::NoFencing) {
            return (writer::Reply::Fenced, false);
        }
        let (Some(first), Some(last)) = (frames.first(), frames.last()) else {
            return (writer::Reply::Gone, false);
        };
        if first.seq() <= log.newest {
            let stored = log
                .frames
                .iter()
                .filter(|it| it.seq() >= first.seq() && it.seq() <= last.seq());
            let stored: Vec<Frame> = stored.cloned().collect();
            // What this owner wrote and what was trimmed since then was written by nobody else.
            if ours
                && last.seq() <= log.newest
                && stored.len() < frames.len()
                && log.oldest() > first.seq()
            {
                let same = frames
                    .iter()
                    .rev()
                    .zip(stored.iter().rev())
                    .all(|(ours, kept)| ours == kept);
                if same {
                    return (writer::Reply::Acked, plant != Some(Plant::HollowRepeat));
                }
            }
            return (
                writer::Reply::Exists(stored),
                plant != Some(Plant::HollowRepeat),
            );
        }
        if log.ended() {
            return (writer::Reply::Closed, false);
        }
        if first.seq() != log.newest.next() {
            return (writer::Reply::Gone, false);
        }
        for frame in frames {
            log.newest = frame.seq();
            log.frames.push_back(frame.clone());
        }
        let pinned = usize::from(log.ended());
        while log.frames.len() > ring + pinned {
            log.frames.pop_front();
        }
        (writer::Reply::Acked, true)
    }
}

/// A group that waits for the replica.
#[derive(Debug)]
pub struct Wait {
    pub id: u64,
    pub offset: usize,
    pub node: Owner,
    pub conn: u32,
    pub call: u64,
    pub reps: Vec<Rep>,
}

#[derive(Debug, Default)]
pub struct Server {
    pub alive: bool,
    pub paused_until: u64,
    pub primary: bool,
    pub db: Db,
    /// Writes since the replica was last made a copy, and how many of them it is known to have.
    pub ops: Vec<(Cmd, u64)>,
    pub known: usize,
    /// As a replica: how many of the primary's writes were taken in.
    pub applied: usize,
    /// As a primary: whether a replica follows. As a replica: whether it is a whole copy.
    pub attached: bool,
    /// What each connection wrote last.
    pub written: BTreeMap<(Owner, u32), usize>,
    pub waits: Vec<Wait>,
    /// How wrong its clock is, in milliseconds.
    pub clock: u64,
}
