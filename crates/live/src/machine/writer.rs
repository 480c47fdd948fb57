//! The way of a session's events into the store: numbered, stored, acknowledged, and only then shown.
//!
//! One batch of a session is under way at a time; what is published meanwhile is the next one. A batch whose fate is unknown
//! is sent again exactly as it was: the store takes it whole, or finds its numbers taken. Then the bytes decide. The same
//! bytes are a success, other bytes are those of another owner.
//!
//! What the store must keep to: a repeated batch also *writes* something on its connection (it extends the expiry), so that
//! waiting for replicas covers the first attempt as well. Wake-ups are published after the acknowledgement, and a read waits
//! for replicas as an append does, so what is not acknowledged is shown by nobody.

use std::collections::VecDeque;

use crate::frame::Frame;
use crate::id::{Seq, Term};
use crate::time::Tick;

mod group;

pub use group::{Group, GroupRules};

/// What a route wants when the store does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenGone {
    /// Events wait, and nobody sees them before they are stored. New glass boxes are refused.
    Wait,
    /// Events are shown from memory to the readers of this node, which learn about it.
    GoOn,
}

/// Lengths in milliseconds, and how much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterRules {
    /// How long to wait for an answer before the batch is sent again.
    pub patience: u64,
    /// After how long without an answer the store counts as gone.
    pub gone: u64,
    /// What then.
    pub when_gone: WhenGone,
    /// How many events may wait to be stored.
    pub pending: usize,
    /// How many go in one batch.
    pub batch: usize,
}

/// A batch on its way: the same number and the same frames each time it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// Comes back with the answer.
    pub number: u64,
    /// Under which term.
    pub term: Term,
    /// Contiguous numbers.
    pub frames: Vec<Frame>,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is stored, and replicated as promised.
    Acked,
    /// Its numbers are taken by these frames, and those are replicated as promised.
    Exists(Vec<Frame>),
    /// A later owner was here, or the numbering is another one.
    Fenced,
    /// The session has ended.
    Closed,
    /// The session is gone, or numbers before this batch are missing.
    Gone,
    /// It may have happened or not.
    Unknown,
}

/// What happens to a writer.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The next event, numbered.
    Publish(Frame),
    /// An answer about the batch with this number.
    Replied(u64, Reply),
    /// Time passed.
    Tick,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Store this batch.
    Store(Append),
    /// Show this event everywhere: it is stored.
    Show(Frame),
    /// Show this event to the readers of this node, though it is not stored.
    ShowUnstored(Frame),
    /// The store is gone: say that the session lives in memory for now.
    Gone,
    /// The store is back, and has everything again.
    Back,
    /// Nothing more can be stored.
    Stop(Stop),
}

/// Why nothing more can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Another node owns the session.
    Fenced,
    /// The session has ended or is gone.
    Closed,
    /// Too much waits: the store was gone for too long.
    Full,
}

#[derive(Debug)]
struct Flight {
    number: u64,
    frames: usize,
    /// When to send it again.
    again: Tick,
}

/// The events of one session that are not stored yet.
#[derive(Debug)]
pub struct Writer {
    rules: WriterRules,
    term: Term,
    pending: VecDeque<Frame>,
    /// How many of the pending were shown unstored.
    unstored: usize,
    flight: Option<Flight>,
    numbers: u64,
    /// Since when there is something to store and no answer came.
    silent: Option<Tick>,
    gone: bool,
    stopped: Option<Stop>,
    output: VecDeque<Output>,
}

impl Writer {
    /// Writes under a term.
    pub const fn new(rules: WriterRules, term: Term) -> Self {
        Self {
            rules,
            term,
            pending: VecDeque::new(),
            unstored: 0,
            flight: None,
            numbers: 0,
            silent: None,
            gone: false,
            stopped: None,
            output: VecDeque::new(),
        }
    }

    /// How many events wait.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Whether the store counts as gone.
    pub const fn is_gone(&self) -> bool {
        self.gone
    }

    /// Why nothing more is stored, if so.
    pub const fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// When a tick is wanted.
    pub fn deadline(&self) -> Option<Tick> {
        let gone = self.silent.filter(|_| !self.gone);
        let gone = gone.map(|since| since.plus(self.rules.gone));
        let again = self.flight.as_ref().map(|flight| flight.again);
        again.into_iter().chain(gone).min()
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// Takes in what happened.
    pub fn handle(&mut self, now: Tick, input: Input) {
        if self.stopped.is_some() {
            return;
        }
        match input {
            Input::Publish(frame) => self.publish(now, frame),
            Input::Replied(number, reply) => {
                if self.flight.as_ref().is_some_and(|it| it.number == number) {
                    self.replied(now, reply);
                }
            }
            Input::Tick => self.tick(now),
        }
    }

    fn publish(&mut self, now: Tick, frame: Frame) {
        if self.pending.len() >= self.rules.pending {
            return self.stop(Stop::Full);
        }
        self.pending.push_back(frame);
        if self.gone {
            self.show_unstored();
        }
        self.send(now);
    }

    fn tick(&mut self, now: Tick) {
        if let Some(flight) = &mut self.flight
            && now >= flight.again
        {
            flight.again = now.plus(self.rules.patience.max(1));
            let (number, count) = (flight.number, flight.frames);
            self.store(number, count);
        }
        if let Some(since) = self.silent
            && !self.gone
            && now.since(since) >= self.rules.gone
        {
            self.gone = true;
            self.output.push_back(Output::Gone);
            self.show_unstored();
        }
    }

    fn replied(&mut self, now: Tick, reply: Reply) {
        let count = self.flight.as_ref().map_or(0, |flight| flight.frames);
        match reply {
            Reply::Acked => self.acked(now, count),
            Reply::Exists(stored) => {
                let same = stored.len() == count && self.pending.iter().zip(&stored).all(same);
                if same {
                    self.acked(now, count);
                } else {
                    self.stop(Stop::Fenced);
                }
            }
            Reply::Fenced => self.stop(Stop::Fenced),
            Reply::Closed | Reply::Gone => self.stop(Stop::Closed),
            // Sent again when its time is up, so that a store in trouble is not stormed.
            Reply::Unknown => {}
        }
    }

    fn acked(&mut self, now: Tick, count: usize) {
        self.flight = None;
        self.silent = None;
        for frame in self.pending.drain(..count.min(self.pending.len())) {
            if self.unstored > 0 {
                self.unstored -= 1;
            } else {
                self.output.push_back(Output::Show(frame));
            }
        }
        if self.gone && self.unstored == 0 {
            self.gone = false;
            self.output.push_back(Output::Back);
        }
        self.send(now);
    }

    fn send(&mut self, now: Tick) {
        if self.flight.is_some() || self.pending.is_empty() {
            return;
        }
        self.numbers += 1;
        let frames = self.pending.len().min(self.rules.batch.max(1));
        self.flight = Some(Flight {
            number: self.numbers,
            frames,
            again: now.plus(self.rules.patience.max(1)),
        });
        self.silent.get_or_insert(now);
        self.store(self.numbers, frames);
    }

    fn store(&mut self, number: u64, count: usize) {
        self.output.push_back(Output::Store(Append {
            number,
            term: self.term,
            frames: self.pending.iter().take(count).cloned().collect(),
        }));
    }

    fn show_unstored(&mut self) {
        if self.rules.when_gone == WhenGone::GoOn {
            for frame in self.pending.iter().skip(self.unstored) {
                self.output.push_back(Output::ShowUnstored(frame.clone()));
            }
            self.unstored = self.pending.len();
        }
    }

    fn stop(&mut self, why: Stop) {
        self.stopped = Some(why);
        self.flight = None;
        self.silent = None;
        self.output.push_back(Output::Stop(why));
    }

    /// The first number that is not acknowledged, where something waits.
    pub fn oldest(&self) -> Option<Seq> {
        self.pending.front().map(Frame::seq)
    }
}

/// The same number and the same bytes.
fn same((ours, stored): (&Frame, &Frame)) -> bool {
    ours == stored
}

#[cfg(test)]
mod tests;
