//! One reader: a place in the log, and what it is told.

use crate::event::{Gap, GapReason};
use crate::frame::Frame;
use crate::id::{Cursor, Epoch, EventId, Seq};
use crate::time::Tick;

use super::ring::{Page, seek};

/// How often a reader may be overtaken within a minute before it is closed.
const OVERTAKES: usize = 3;
const MINUTE: u64 = 60_000;

/// Who follows a session: nothing but a position.
#[derive(Debug)]
pub struct Reader {
    /// The number it gets next.
    next: Seq,
    /// The number up to which it is being shown the past; `None` once it is live.
    replay: Option<Seq>,
    /// What it claimed, where that cannot be granted: it is told before anything else.
    refused: Option<(String, GapReason)>,
    /// Whether it may be closed for being slow.
    patience: bool,
    overtaken: [Option<Tick>; OVERTAKES],
}

/// What a reader is shown.
#[derive(Debug)]
pub enum Item {
    Frame(Frame),
    Gap(Gap),
    /// From here on it is live.
    ReplayComplete(Seq),
}

/// What comes after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// There is more to read.
    More,
    /// Wait for the tail to move.
    Wait,
    /// The terminal event was shown.
    End,
    /// It is too slow: close it.
    Slow,
}

impl Reader {
    /// The response of the request itself: live from the first event, and never closed for being slow.
    pub const fn responder(next: Seq) -> Self {
        Self {
            next,
            replay: None,
            refused: None,
            patience: true,
            overtaken: [None; OVERTAKES],
        }
    }

    /// A reader that comes with a cursor, while the log ends at `newest`.
    pub fn join(cursor: &Cursor, epoch: Epoch, newest: Seq) -> Self {
        let (next, reason) = seek(cursor, epoch, newest);
        Self {
            next,
            replay: Some(newest),
            refused: reason.map(|reason| (cursor.to_string(), reason)),
            patience: false,
            overtaken: [None; OVERTAKES],
        }
    }

    /// The number to read from.
    pub const fn next(&self) -> Seq {
        self.next
    }

    /// How many events wait for it.
    pub const fn behind(&self, newest: Seq) -> u64 {
        newest
            .get()
            .saturating_add(1)
            .saturating_sub(self.next.get())
    }

    /// Whether the terminal event is behind it: what is left is nothing.
    pub fn is_past(&self, newest: Seq, ended: bool) -> bool {
        ended && self.refused.is_none() && self.next > newest
    }

    /// Takes a page as it is: the next frames of a reader that is live and was told everything. Any other page is given back.
    pub fn take_whole(&mut self, page: Page) -> Result<(Vec<Frame>, Then), Page> {
        let told = self.refused.is_none() && self.replay.is_none();
        let fits = page.frames.first().map(Frame::seq) == Some(self.next);
        if !(told && fits && page.oldest <= self.next) {
            return Err(page);
        }
        if let Some(last) = page.frames.last() {
            self.next = last.seq().next();
        }
        let then = self.then(page.newest, page.ended);
        Ok((page.frames, then))
    }

    const fn then(&self, newest: Seq, ended: bool) -> Then {
        if self.next.get() <= newest.get() {
            Then::More
        } else if ended {
            Then::End
        } else {
            Then::Wait
        }
    }

    /// Shows a page that was read from [`Reader::next`].
    pub fn take(&mut self, page: Page, now: Tick, show: &mut impl FnMut(Item)) -> Then {
        if let Some((requested, reason)) = self.refused.take() {
            show(Item::Gap(Gap {
                requested,
                oldest: page.oldest.get(),
                newest: page.newest.get(),
                reason,
            }));
        } else if self.next < page.oldest {
            let live = self.replay.is_none();
            let seen = Seq::new(self.next.get().saturating_sub(1));
            let epoch = page.epoch;
            show(Item::Gap(Gap {
                requested: EventId { epoch, seq: seen }.to_string(),
                oldest: page.oldest.get(),
                newest: page.newest.get(),
                reason: GapReason::Evicted,
            }));
            if live && !self.patience && self.overtaken_too_often(now) {
                return Then::Slow;
            }
        }
        self.next = self.next.max(page.oldest);
        for frame in page.frames {
            if frame.seq() != self.next {
                continue;
            }
            self.replayed(page.ended, show);
            self.next = frame.seq().next();
            show(Item::Frame(frame));
        }
        self.replayed(page.ended, show);
        self.then(page.newest, page.ended)
    }

    /// Says once that the past is over. A session that has ended has nothing live, and nothing follows its end.
    fn replayed(&mut self, ended: bool, show: &mut impl FnMut(Item)) {
        if let Some(until) = self.replay
            && self.next > until
        {
            self.replay = None;
            if !ended {
                show(Item::ReplayComplete(until));
            }
        }
    }

    fn overtaken_too_often(&mut self, now: Tick) -> bool {
        self.overtaken.rotate_left(1);
        let [.., newest] = &mut self.overtaken;
        *newest = Some(now);
        matches!(self.overtaken, [Some(first), ..] if now.since(first) < MINUTE)
    }
}
