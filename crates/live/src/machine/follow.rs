//! One node's follower of a session that another node runs: what came is shown in order, and every hole is filled or told.
//!
//! Wake-ups carry the event and may be lost, repeated or out of order; they only make things fast. A hole is read from the
//! store, and at each heartbeat the tail is read whether something was missed or not. That read begins with the last event
//! that was shown: if the store no longer has it, or has other bytes there, the store lost what it had acknowledged. Then
//! the numbering ends, everybody begins a new one, and readers are told.

use std::collections::{BTreeMap, VecDeque};

use crate::frame::Frame;
use crate::id::{Epoch, Seq};
use crate::time::Tick;

/// Lengths in milliseconds, and how much may wait for a hole to be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowRules {
    /// How often the tail is read whatever came.
    pub heartbeat: u64,
    /// How long to wait for a page before asking again.
    pub patience: u64,
    /// How many events may wait behind a hole; further ones are read again.
    pub stash: usize,
}

/// What the store has from a number on.
#[derive(Clone, Debug)]
pub struct Looked {
    /// The numbering.
    pub epoch: Epoch,
    /// The first number that is kept.
    pub oldest: Seq,
    /// The last number that is stored. Everything up to it is replicated as promised: the read has written something on its
    /// connection and waited for the replicas like an append.
    pub newest: Seq,
    /// A run from the number that was asked for, or from `oldest`.
    pub frames: Vec<Frame>,
}

/// What happens to a follower.
#[derive(Clone, Debug)]
pub enum Input {
    /// A wake-up.
    Wake(Epoch, Frame),
    /// What the read with this number found; `None` when the session is gone.
    Page(u64, Option<Looked>),
    /// The read with this number failed.
    Failed(u64),
    /// A reader claims to have seen more than was shown here. Only a read that is sent from now on, one with a number above
    /// [`Follow::reads`], says whether it is ahead; [`Follow::answered`] says when it has.
    Claimed,
    /// Time passed.
    Tick,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Read from this number on; the first number comes back with the answer.
    Read(u64, Seq),
    /// Show this event.
    Show(Frame),
    /// These numbers, the last included, were trimmed before they could be read here.
    Trimmed(Seq, Seq),
    /// The store has lost what was shown: begin a new numbering, unless this is not the current one any more.
    Restart(Epoch),
    /// A new numbering began: what was shown belongs to the old one. Everything that is kept follows, from this number on.
    Began(Epoch, Seq),
    /// The terminal event was shown.
    End,
    /// The session is gone.
    Gone,
}

#[derive(Debug)]
struct Reading {
    number: u64,
    until: Tick,
    /// What had been shown last when it was sent.
    last: Option<Frame>,
}

/// The place of one node in the log of one session.
#[derive(Debug)]
pub struct Follow {
    rules: FollowRules,
    epoch: Epoch,
    next: Seq,
    newest: Seq,
    last: Option<Frame>,
    stash: BTreeMap<Seq, Frame>,
    reading: Option<Reading>,
    reads: u64,
    answered: u64,
    /// Whether to read once more after the read that is under way.
    again: bool,
    beat: Tick,
    /// What was shown is gone, and the new numbering is awaited.
    lost: bool,
    over: bool,
    output: VecDeque<Output>,
}

impl Follow {
    /// Follows from the first event that is kept, or after the last one that was shown here: an owner that is fenced out goes
    /// on as a follower. It begins with a read.
    pub fn new(rules: FollowRules, epoch: Epoch, last: Option<Frame>, now: Tick) -> Self {
        let mut follow = Self {
            rules,
            epoch,
            next: last.as_ref().map_or(Seq::FIRST, |last| last.seq().next()),
            newest: last.as_ref().map_or(Seq::ZERO, Frame::seq),
            last,
            stash: BTreeMap::new(),
            reading: None,
            reads: 0,
            answered: 0,
            again: false,
            beat: now,
            lost: false,
            over: false,
            output: VecDeque::new(),
        };
        follow.read(now);
        follow
    }

    /// The number that is shown next.
    pub const fn next(&self) -> Seq {
        self.next
    }

    /// The numbering.
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The last number that the store is known to have. A page is bounded, so this may be ahead of what was shown; a reader
    /// that claims no more than this is not ahead.
    pub const fn newest(&self) -> Seq {
        self.newest
    }

    /// How many reads were sent.
    pub const fn reads(&self) -> u64 {
        self.reads
    }

    /// The number of the last read that was answered in time.
    pub const fn answered(&self) -> u64 {
        self.answered
    }

    /// Whether nothing follows.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// When a tick is wanted.
    pub fn deadline(&self) -> Option<Tick> {
        let until = self.reading.as_ref().map_or(self.beat, |read| read.until);
        (!self.over).then_some(until)
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// Takes in what happened.
    pub fn handle(&mut self, now: Tick, input: Input) {
        if self.over {
            return;
        }
        match input {
            Input::Wake(epoch, frame) => self.wake(now, epoch, frame),
            Input::Page(number, looked) => {
                if let Some(reading) = self.reading.take_if(|read| read.number == number) {
                    self.answered = number;
                    match looked {
                        Some(looked) => self.page(now, reading.last.as_ref(), looked),
                        None => self.finish(Output::Gone),
                    }
                }
            }
            // Asked again after a while, so that a store in trouble is not stormed.
            Input::Failed(_) => {}
            Input::Claimed => {
                self.again = self.reading.is_some();
                self.read(now);
            }
            Input::Tick => {
                let late = self.reading.take_if(|read| now >= read.until).is_some();
                if late || self.reading.is_none() && now >= self.beat {
                    self.read(now);
                }
            }
        }
    }

    fn wake(&mut self, now: Tick, epoch: Epoch, frame: Frame) {
        if epoch != self.epoch || self.lost {
            // The page says what this is about.
            return self.read(now);
        }
        if frame.seq() < self.next {
            return;
        }
        self.newest = self.newest.max(frame.seq());
        if self.stash.len() < self.rules.stash || frame.seq() == self.next {
            self.stash.insert(frame.seq(), frame);
        }
        self.show();
        if !self.stash.is_empty() {
            self.read(now);
        }
    }

    fn page(&mut self, now: Tick, last: Option<&Frame>, looked: Looked) {
        if looked.epoch != self.epoch {
            self.epoch = looked.epoch;
            self.next = looked.oldest;
            self.newest = looked.newest;
            self.last = None;
            self.lost = false;
            self.stash.clear();
            self.output
                .push_back(Output::Began(looked.epoch, looked.oldest));
        } else if self.lost || last.is_some_and(|last| is_lost(last, &looked)) {
            self.lost = true;
            self.stash.clear();
            self.output.push_back(Output::Restart(self.epoch));
            return;
        }
        self.newest = self.newest.max(looked.newest);
        if looked.oldest > self.next {
            let before = Seq::new(looked.oldest.get().saturating_sub(1));
            self.output.push_back(Output::Trimmed(self.next, before));
            self.next = looked.oldest;
            self.stash = self.stash.split_off(&self.next);
        }
        let before = self.next;
        for frame in looked.frames {
            if frame.seq() >= self.next {
                self.stash.insert(frame.seq(), frame);
                self.show();
            }
        }
        // A page is bounded, and a wake-up may have gone further than it.
        let again = std::mem::take(&mut self.again);
        if !self.over && (again || looked.newest >= self.next || !self.stash.is_empty()) {
            if again || self.next > before {
                self.read(now);
            } else {
                self.beat = self.beat.min(now.plus(self.rules.patience.max(1)));
            }
        }
    }

    fn show(&mut self) {
        while let Some(frame) = self.stash.remove(&self.next) {
            self.next = self.next.next();
            self.last = Some(frame.clone());
            let end = frame.is_terminal();
            self.output.push_back(Output::Show(frame));
            if end {
                return self.finish(Output::End);
            }
        }
    }

    fn read(&mut self, now: Tick) {
        if self.reading.is_some() {
            return;
        }
        self.reads += 1;
        self.beat = now.plus(self.rules.heartbeat.max(1));
        self.reading = Some(Reading {
            number: self.reads,
            until: now.plus(self.rules.patience.max(1)),
            last: self.last.clone(),
        });
        let from = self.last.as_ref().map_or(self.next, Frame::seq);
        self.output.push_back(Output::Read(self.reads, from));
    }

    fn finish(&mut self, how: Output) {
        self.over = true;
        self.stash.clear();
        self.reading = None;
        self.output.push_back(how);
    }
}

/// Whether the store no longer has what was shown, though it did not trim it.
fn is_lost(last: &Frame, looked: &Looked) -> bool {
    looked.newest < last.seq()
        || looked
            .frames
            .first()
            .is_some_and(|first| first.seq() == last.seq() && first != last)
}

#[cfg(test)]
mod tests;
