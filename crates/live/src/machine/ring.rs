//! The events of one session that are kept: the newest, bounded in number and bytes, and the end, which is pinned.

use std::collections::VecDeque;

use crate::frame::Frame;
use crate::id::{Cursor, Epoch, Seq};

/// How much a ring keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingLimits {
    pub events: usize,
    pub bytes: usize,
}

/// Acknowledged frames, in order and without a hole.
#[derive(Debug)]
pub struct Ring {
    epoch: Epoch,
    limits: RingLimits,
    frames: VecDeque<Frame>,
    bytes: usize,
    newest: Seq,
    /// Not counted, never evicted.
    terminal: Option<Frame>,
    /// What the response itself has still to read: it goes by bytes alone, so that a burst is not lost to its caller.
    held_from: Option<Seq>,
}

/// Why a frame was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The session has ended.
    Closed,
    /// The number is taken by other bytes, or is not the next one.
    Fenced,
}

/// A run of frames, and what there is around it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page {
    /// The numbering.
    pub epoch: Epoch,
    /// The first number that is kept; one more than `newest` where nothing is.
    pub oldest: Seq,
    /// The last number there is.
    pub newest: Seq,
    /// Whether nothing will follow `newest`.
    pub ended: bool,
    /// Frames from the place that was asked for, or from `oldest` where that is later.
    pub frames: Vec<Frame>,
}

/// How much to read at once.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Budget {
    /// At most that many frames.
    pub frames: usize,
    /// No further frame once that many bytes are there.
    pub bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            frames: 1024,
            bytes: 256 * 1024,
        }
    }
}

impl Budget {
    /// At most that many frames and about that many bytes.
    pub const fn new(frames: usize, bytes: usize) -> Self {
        Self { frames, bytes }
    }
}

impl Ring {
    pub fn new(epoch: Epoch, limits: RingLimits) -> Self {
        Self {
            epoch,
            limits,
            frames: VecDeque::new(),
            bytes: 0,
            newest: Seq::ZERO,
            terminal: None,
            held_from: None,
        }
    }

    /// Takes the next frame. The same frame again is taken as before; other bytes under its number are refused.
    pub fn push(&mut self, frame: Frame) -> Result<(), Refused> {
        if frame.seq() <= self.newest {
            // Of one that was evicted nobody knows any more whether it was the same.
            let same = self.get(frame.seq()) == Some(&frame);
            return if same { Ok(()) } else { Err(Refused::Fenced) };
        }
        if self.terminal.is_some() {
            return Err(Refused::Closed);
        }
        if frame.seq() != self.newest.next() {
            return Err(Refused::Fenced);
        }
        self.newest = frame.seq();
        if frame.is_terminal() {
            self.terminal = Some(frame);
            return Ok(());
        }
        self.bytes += frame.size();
        self.frames.push_back(frame);
        // The newest stays whatever its size, so that a reader that keeps up misses nothing.
        self.shrink(self.limits.bytes);
        Ok(())
    }

    /// Whether all of these frames would be taken, so that a batch is there whole or not at all.
    pub fn takes(&self, frames: &[Frame]) -> bool {
        let mut newest = self.newest;
        let mut ended = self.terminal.is_some();
        frames.iter().all(|frame| {
            if frame.seq() <= self.newest {
                return self.get(frame.seq()) == Some(frame);
            }
            let fits = !ended && frame.seq() == newest.next();
            newest = frame.seq();
            ended |= frame.is_terminal();
            fits
        })
    }

    /// Lets the oldest go until the rest fits; the newest and the end stay.
    pub fn shrink(&mut self, bytes: usize) {
        while let (Some(first), true) = (self.frames.front(), self.frames.len() > 1) {
            let unread = self.held_from.is_some_and(|from| first.seq() >= from);
            let many = self.frames.len() > self.limits.events && !unread;
            if !many && self.bytes <= bytes {
                break;
            }
            self.bytes = self.bytes.saturating_sub(first.size());
            self.frames.pop_front();
        }
        // Room that a burst once took is given back.
        if self.frames.capacity() > 64 && self.frames.len() * 4 < self.frames.capacity() {
            self.frames.shrink_to(self.frames.len() * 2);
        }
    }

    /// Says from where on the response itself has still to read; `None` when there is no such response any more.
    pub fn hold(&mut self, from: Option<Seq>) {
        self.held_from = from;
        self.shrink(self.limits.bytes);
    }

    /// Begins again after a number: what came before it was trimmed elsewhere, or belongs to another numbering.
    pub fn restart(&mut self, epoch: Epoch, newest: Seq) {
        *self = Self {
            newest,
            held_from: self.held_from,
            ..Self::new(epoch, self.limits)
        };
    }

    /// A run of frames from `from`.
    pub fn page(&self, from: Seq, budget: Budget) -> Page {
        let oldest = self.oldest();
        let skip = usize::try_from(from.max(oldest).get() - oldest.get()).unwrap_or(usize::MAX);
        let kept = self.frames.len() + usize::from(self.terminal.is_some());
        // Mostly a single one, so room for several would be the larger part of what a page costs.
        let mut frames = Vec::with_capacity(kept.saturating_sub(skip).min(budget.frames));
        let mut bytes = 0;
        for frame in self.frames.iter().chain(&self.terminal).skip(skip) {
            if frames.len() >= budget.frames || bytes >= budget.bytes {
                break;
            }
            bytes += frame.size();
            frames.push(frame.clone());
        }
        Page {
            epoch: self.epoch,
            oldest,
            newest: self.newest,
            ended: self.terminal.is_some(),
            frames,
        }
    }

    /// The first number that is kept.
    pub fn oldest(&self) -> Seq {
        let first = self.frames.front().or(self.terminal.as_ref());
        first.map_or_else(|| self.newest.next(), Frame::seq)
    }

    pub const fn newest(&self) -> Seq {
        self.newest
    }

    pub const fn terminal(&self) -> Option<&Frame> {
        self.terminal.as_ref()
    }

    /// What it holds, the end included.
    pub fn held(&self) -> usize {
        self.bytes + self.terminal.as_ref().map_or(0, Frame::size)
    }

    fn get(&self, seq: Seq) -> Option<&Frame> {
        if let Some(terminal) = &self.terminal
            && terminal.seq() == seq
        {
            return Some(terminal);
        }
        let first = self.frames.front()?.seq();
        let at = seq.get().checked_sub(first.get())?;
        self.frames.get(usize::try_from(at).ok()?)
    }
}

/// Where a reader that claims `cursor` has to start, and the reason where that is not where it wanted to.
pub fn seek(cursor: &Cursor, epoch: Epoch, newest: Seq) -> (Seq, Option<crate::event::GapReason>) {
    use crate::event::GapReason;
    match cursor {
        Cursor::Start => (Seq::FIRST, None),
        Cursor::After(id) if id.epoch != epoch => (Seq::FIRST, Some(GapReason::Epoch)),
        Cursor::After(id) if id.seq > newest => (Seq::FIRST, Some(GapReason::Ahead)),
        Cursor::After(id) => (id.seq.next(), None),
        Cursor::Foreign(_) => (Seq::FIRST, Some(GapReason::Epoch)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::tests::{frame, last};

    fn ring(events: usize, bytes: usize) -> Ring {
        Ring::new(Epoch::new(10), RingLimits { events, bytes })
    }

    fn numbers(page: &Page) -> Vec<u64> {
        page.frames.iter().map(|frame| frame.seq().get()).collect()
    }

    #[test]
    fn it_is_bounded_in_number_and_in_bytes() {
        let mut few = ring(3, usize::MAX);
        let mut small = ring(usize::MAX, 3 * frame(1, "x").size());
        for seq in 1..=10 {
            few.push(frame(seq, "x")).unwrap();
            small.push(frame(seq, "x")).unwrap();
        }
        assert_eq!(
            numbers(&few.page(Seq::FIRST, Budget::default())),
            [8, 9, 10]
        );
        assert!(small.page(Seq::FIRST, Budget::default()).frames.len() <= 3);
        small.push(frame(11, &"y".repeat(10_000))).unwrap();
        assert_eq!(numbers(&small.page(Seq::FIRST, Budget::default())), [11]);
    }

    #[test]
    fn what_the_response_has_still_to_read_goes_by_bytes_alone() {
        let size = frame(1, "x").size();
        let mut ring = ring(3, 10 * size);
        ring.hold(Some(Seq::FIRST));
        for seq in 1..=8 {
            ring.push(frame(seq, "x")).unwrap();
        }
        assert_eq!(ring.oldest(), Seq::FIRST);
        ring.hold(Some(Seq::new(5)));
        assert_eq!(ring.oldest(), Seq::new(5));
        ring.hold(Some(Seq::new(9)));
        assert_eq!(ring.oldest(), Seq::new(6));
        ring.hold(Some(Seq::new(6)));
        for seq in 9..=40 {
            ring.push(frame(seq, "x")).unwrap();
        }
        assert!(ring.held() <= 10 * size + size);
        ring.hold(None);
        assert_eq!(ring.oldest(), Seq::new(38));
    }

    #[test]
    fn the_end_is_pinned_and_nothing_follows_it() {
        let mut ring = ring(2, usize::MAX);
        for seq in 1..=5 {
            ring.push(frame(seq, "x")).unwrap();
        }
        ring.push(last(6)).unwrap();
        assert_eq!(ring.push(frame(7, "x")), Err(Refused::Closed));
        assert_eq!(ring.push(last(7)), Err(Refused::Closed));
        let page = ring.page(Seq::FIRST, Budget::default());
        assert_eq!(numbers(&page), [4, 5, 6]);
        assert!(page.ended);
        ring.shrink(0);
        assert_eq!(numbers(&ring.page(Seq::FIRST, Budget::default())), [5, 6]);
    }

    #[test]
    fn a_repeat_is_taken_and_another_under_the_same_number_is_not() {
        let mut ring = ring(8, usize::MAX);
        ring.push(frame(1, "x")).unwrap();
        assert_eq!(ring.push(frame(1, "x")), Ok(()));
        assert_eq!(ring.push(frame(1, "y")), Err(Refused::Fenced));
        assert_eq!(ring.push(frame(3, "x")), Err(Refused::Fenced));
        ring.push(last(2)).unwrap();
        assert_eq!(ring.push(last(2)), Ok(()));
        assert_eq!(ring.newest(), Seq::new(2));
    }

    #[test]
    fn it_begins_again_after_a_number_and_under_another_numbering() {
        let mut ring = ring(3, usize::MAX);
        ring.push(last(1)).unwrap();
        ring.restart(Epoch::new(11), Seq::new(6));
        assert_eq!((ring.oldest(), ring.newest()), (Seq::new(7), Seq::new(6)));
        assert_eq!(ring.push(frame(6, "x")), Err(Refused::Fenced));
        ring.push(frame(7, "x")).unwrap();
        let page = ring.page(Seq::FIRST, Budget::default());
        assert_eq!((page.epoch, numbers(&page)), (Epoch::new(11), vec![7]));
    }

    #[test]
    fn a_page_keeps_to_its_budget() {
        let mut ring = ring(100, usize::MAX);
        for seq in 1..=50 {
            ring.push(frame(seq, "x")).unwrap();
        }
        assert_eq!(
            numbers(&ring.page(Seq::new(10), Budget::new(3, usize::MAX))),
            [10, 11, 12]
        );
        assert_eq!(numbers(&ring.page(Seq::new(10), Budget::new(9, 1))), [10]);
        assert_eq!(
            numbers(&ring.page(Seq::new(51), Budget::default())),
            [] as [u64; 0]
        );
        assert_eq!(
            numbers(&ring.page(Seq::new(u64::MAX), Budget::default())),
            [] as [u64; 0]
        );
    }
}
