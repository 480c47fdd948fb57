//! What must hold, looked at after every event.

use std::collections::{BTreeMap, BTreeSet};

use aon_live::Frame;
use aon_live::id::{Epoch, Seq};

use crate::engine::{Db, Letter, Sid};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub class: &'static str,
    pub what: String,
}

/// What one reader has seen.
#[derive(Debug, Default)]
pub struct View {
    pub last: Option<(String, u64)>,
    pub jump: bool,
    pub ended: bool,
    pub events: u64,
    pub gaps: u64,
}

#[derive(Debug, Default)]
pub struct Counts {
    pub shown: u64,
    pub gaps: u64,
    pub epochs: u64,
    pub promotions: u64,
    pub orphans: u64,
    pub answers: u64,
    pub effects: u64,
    pub tickets: u64,
    pub repeats: u64,
    pub fenced: u64,
    pub checks: u64,
}

#[derive(Debug, Default)]
pub struct Checker {
    pub replicated: bool,
    /// What anybody was shown or told to be stored, by its place.
    pub seen: BTreeMap<(Sid, u64, u64), Frame>,
    /// Sessions whose end was acknowledged or shown.
    pub ended: BTreeSet<Sid>,
    /// The last claim that was granted to somebody, and where the log ended when that was known.
    pub claims: BTreeMap<Sid, (u64, u64)>,
    pub accepted: BTreeMap<(Sid, u32), u64>,
    pub effects: BTreeSet<(Sid, u32)>,
    pub posted: BTreeMap<u64, Letter>,
    pub granted: BTreeMap<u64, u64>,
    pub counts: Counts,
    pub failure: Option<Failure>,
}

fn key(sid: Sid, epoch: Epoch, seq: Seq) -> (Sid, u64, u64) {
    (
        sid,
        u64::from_str_radix(&epoch.to_string(), 16).unwrap_or(0),
        seq.get(),
    )
}

impl Checker {
    pub fn fail(&mut self, class: &'static str, what: String) {
        if self.failure.is_none() {
            self.failure = Some(Failure { class, what });
        }
    }

    fn unsafe_if(&mut self, wrong: bool, what: impl FnOnce() -> String) {
        self.counts.checks += 1;
        if wrong {
            self.fail("safety", what());
        }
    }

    /// An event was shown to somebody, or acknowledged: one place, one event, and the engine has it.
    pub fn stored(
        &mut self,
        sid: Sid,
        epoch: Epoch,
        frame: &Frame,
        db: &Db,
        replica: Option<&Db>,
        how: &str,
    ) {
        if frame.is_terminal() {
            self.ended.insert(sid);
        }
        if !self.replicated {
            return;
        }
        let place = key(sid, epoch, frame.seq());
        let before = self.seen.insert(place, frame.clone());
        self.unsafe_if(before.is_some_and(|before| before != *frame), || {
            format!(
                "session {sid} event {}: two events under one number",
                frame.seq()
            )
        });
        if let Some((term, newest)) = self.claims.get(&sid).copied() {
            let late = frame.seq().get() > newest && term_of(frame) < term;
            self.unsafe_if(late, || {
                format!("session {sid} event {}: of a term before {term}, and stored after that was claimed", frame.seq())
            });
        }
        let lacks = replica.is_some_and(|replica| !has(replica, place, frame));
        self.unsafe_if(lacks, || {
            format!(
                "session {sid} event {}: {how}, and the replica does not have it",
                frame.seq()
            )
        });
        let has = has(db, place, frame);
        self.unsafe_if(!has, || {
            format!(
                "session {sid} event {}: {how}, and the primary does not have it",
                frame.seq()
            )
        });
    }

    /// A server was made the primary, or it is over: nothing that was shown or promised is missing.
    pub fn promoted(&mut self, db: &Db) {
        self.counts.promotions += 1;
        if !self.replicated {
            return;
        }
        let missing = self
            .seen
            .iter()
            .find(|(place, frame)| !has(db, **place, frame));
        let missing = missing.map(|((sid, _, seq), _)| {
            format!("session {sid} event {seq}: shown, and lost in a failover")
        });
        self.unsafe_if(missing.is_some(), || missing.unwrap_or_default());
        let letter = self.posted.values().find(|letter| {
            let log = db.logs.get(&letter.sid);
            log.is_none_or(|log| !log.letters.contains(letter))
        });
        let lost =
            letter.map(|letter| format!("letter {}: accepted, and lost in a failover", letter.id));
        self.unsafe_if(lost.is_some(), || lost.unwrap_or_default());
    }

    /// A reader is shown an event.
    pub fn show(
        &mut self,
        who: usize,
        sid: Sid,
        view: &mut View,
        epoch: Option<&str>,
        seq: Option<u64>,
        terminal: bool,
    ) {
        self.counts.shown += 1;
        self.unsafe_if(view.ended, || {
            format!("reader {who} of session {sid}: something after the end")
        });
        let (Some(epoch), Some(seq)) = (epoch, seq) else {
            return;
        };
        view.events += 1;
        let next = match &view.last {
            Some((known, last)) if known == epoch => Some(last + 1),
            Some(_) => None,
            None => Some(1),
        };
        let wrong = next.is_some_and(|next| if view.jump { seq < next } else { seq != next });
        self.unsafe_if(wrong, || {
            format!("reader {who} of session {sid}: event {seq} where {next:?} follows, and nothing was told")
        });
        view.jump = false;
        view.last = Some((epoch.to_owned(), seq));
        view.ended = terminal;
    }

    /// A reader is told that events are lost to it.
    pub fn gap(&mut self, who: usize, sid: Sid, view: &mut View, reason: &str) {
        self.counts.gaps += 1;
        view.gaps += 1;
        view.jump = true;
        let wrong = self.replicated && reason != "evicted";
        self.unsafe_if(wrong, || {
            format!("reader {who} of session {sid}: a gap by `{reason}` where nothing was lost")
        });
    }

    /// A node was told that it has this term.
    pub fn claimed(&mut self, sid: Sid, term: u64, db: &Db) {
        let newest = db.logs.get(&sid).map_or(u64::MAX, |log| log.newest.get());
        let before = self.claims.get(&sid).map_or(0, |(term, _)| *term);
        if term > before {
            self.claims.insert(sid, (term, newest));
        }
    }

    pub fn accepted(&mut self, sid: Sid, round: u32, letter: u64) {
        self.counts.answers += 1;
        let before = self.accepted.insert((sid, round), letter);
        self.unsafe_if(before.is_some(), || {
            format!("session {sid} question {round}: two answers were accepted")
        });
    }

    pub fn effect(&mut self, sid: Sid, round: u32, db: &Db) {
        self.counts.effects += 1;
        let first = self.effects.insert((sid, round));
        self.unsafe_if(!first, || {
            format!("session {sid} question {round}: its step ran twice")
        });
        if self.replicated {
            let kept = db.logs.get(&sid).is_some_and(|log| {
                let text = format!("\"accepted\":{round}");
                log.oldest() > Seq::FIRST
                    || log
                        .frames
                        .iter()
                        .any(|frame| String::from_utf8_lossy(&frame.json()).contains(&text))
            });
            self.unsafe_if(!kept, || {
                format!(
                    "session {sid} question {round}: its step ran before the acceptance was stored"
                )
            });
        }
    }

    pub fn granted(&mut self, ticket: u64) {
        self.counts.tickets += 1;
        let times = self.granted.entry(ticket).or_default();
        *times += 1;
        let twice = *times > 1 && self.replicated;
        self.unsafe_if(twice, || format!("ticket {ticket}: it was good twice"));
    }

    /// The log itself: numbers without a hole, terms that never fall, one end, and that is the last.
    pub fn log(&mut self, sid: Sid, frames: &[&Frame]) {
        let mut term = 0;
        let mut last: Option<u64> = None;
        for (at, frame) in frames.iter().enumerate() {
            let of = term_of(frame);
            let seq = frame.seq().get();
            self.unsafe_if(of < term, || {
                format!("session {sid} event {seq}: term {of} after term {term}")
            });
            self.unsafe_if(last.is_some_and(|last| seq != last + 1), || {
                format!("session {sid} event {seq}: a hole in the log")
            });
            let end = frame.is_terminal() && at + 1 < frames.len();
            self.unsafe_if(end, || {
                format!("session {sid} event {seq}: something after the end in the log")
            });
            term = of;
            last = Some(seq);
        }
    }
}

fn term_of(frame: &Frame) -> u64 {
    let json = frame.json();
    let text = String::from_utf8_lossy(&json);
    let of = text
        .split("\"term\":")
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    of.and_then(|of| of.parse().ok()).unwrap_or(0)
}

fn has(db: &Db, (sid, epoch, seq): (Sid, u64, u64), frame: &Frame) -> bool {
    let Some(log) = db.logs.get(&sid) else {
        return false;
    };
    if key(sid, log.epoch, Seq::new(seq)).1 != epoch || log.newest.get() < seq {
        return false;
    }
    log.get(Seq::new(seq)).is_none_or(|kept| kept == frame)
}

impl Counts {
    fn all(&self) -> [(&'static str, u64); 11] {
        [
            ("events shown", self.shown),
            ("gaps told", self.gaps),
            ("new numberings", self.epochs),
            ("promotions", self.promotions),
            ("orphans ended", self.orphans),
            ("answers accepted", self.answers),
            ("steps run", self.effects),
            ("tickets used", self.tickets),
            ("messages repeated", self.repeats),
            ("owners fenced", self.fenced),
            ("checks", self.checks),
        ]
    }

    pub fn add(&mut self, other: &Self) {
        self.shown += other.shown;
        self.gaps += other.gaps;
        self.epochs += other.epochs;
        self.promotions += other.promotions;
        self.orphans += other.orphans;
        self.answers += other.answers;
        self.effects += other.effects;
        self.tickets += other.tickets;
        self.repeats += other.repeats;
        self.fenced += other.fenced;
        self.checks += other.checks;
    }

    pub fn line(&self) -> String {
        let parts: Vec<_> = self
            .all()
            .iter()
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        parts.join(", ")
    }

    /// A run that never met one of them checked nothing about it.
    pub fn covers_everything(&self) -> bool {
        self.all().iter().all(|(_, count)| *count > 0)
    }
}
