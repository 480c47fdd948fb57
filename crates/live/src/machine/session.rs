//! The rules of a session: numbers, the one end, and how much may be said.

use crate::id::Seq;
use crate::time::Tick;

/// What kind of event asks to be taken; later ones are dropped later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// `status`.
    Status,
    /// `intent_analysis`.
    Analysis,
    /// The program's own events.
    Application,
    /// `session`, `healing`, questions to people: never dropped.
    Kept,
}

/// What becomes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It has this number.
    Take(Seq),
    /// There were too many already.
    Drop,
    /// The session has ended.
    Closed,
}

/// How much a session may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// In all.
    pub events: u64,
    /// Within one second.
    pub per_second: u64,
}

/// The state of one session that decides.
#[derive(Debug)]
pub struct Session {
    newest: Seq,
    ended: bool,
    telemetry: u64,
    caps: Caps,
    /// When the second began that is being counted, and what was taken in it.
    second: (Tick, u64),
    dropped: u64,
    late: u64,
}

impl Session {
    /// A session that takes about that many events before it starts to leave some out.
    pub const fn new(caps: Caps) -> Self {
        Self {
            newest: Seq::ZERO,
            ended: false,
            telemetry: 0,
            caps,
            second: (Tick(0), 0),
            dropped: 0,
            late: 0,
        }
    }

    /// The rules of a session that another machine began: numbers go on behind this one.
    pub const fn after(newest: Seq, caps: Caps) -> Self {
        let mut this = Self::new(caps);
        this.newest = newest;
        this
    }

    /// Decides about one event that is not the end.
    pub const fn admit(&mut self, weight: Weight, now: Tick) -> Admission {
        if !self.fits(weight, now) {
            return if self.ended {
                Admission::Closed
            } else {
                Admission::Drop
            };
        }
        self.newest = self.newest.next();
        Admission::Take(self.newest)
    }

    /// The number behind which an event is shown that takes none itself: one that stays on this machine. Nothing when there is no
    /// room for it.
    pub const fn admit_local(&mut self, now: Tick) -> Option<Seq> {
        if self.fits(Weight::Status, now) {
            Some(self.newest)
        } else {
            None
        }
    }

    /// Whether one more event may be said, which is counted.
    const fn fits(&mut self, weight: Weight, now: Tick) -> bool {
        if self.ended {
            self.late += 1;
            return false;
        }
        // `status` goes first; what says more goes later; what must not be lost never goes.
        let quarters = match weight {
            Weight::Status => 0,
            Weight::Analysis => 1,
            Weight::Application => 2,
            Weight::Kept => u64::MAX,
        };
        if quarters != u64::MAX {
            if now.since(self.second.0) >= SECOND {
                self.second = (now, 0);
            }
            if self.telemetry >= wider(self.caps.events, quarters)
                || self.second.1 >= wider(self.caps.per_second, quarters)
            {
                self.dropped += 1;
                return false;
            }
            self.telemetry += 1;
            self.second.1 += 1;
        }
        true
    }

    /// The number of the end: given once, and to the first that asks.
    pub const fn finish(&mut self) -> Option<Seq> {
        if self.ended {
            self.late += 1;
            return None;
        }
        self.ended = true;
        self.newest = self.newest.next();
        Some(self.newest)
    }

    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// How many events were left out.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many came after the end.
    pub const fn late(&self) -> u64 {
        self.late
    }
}

const SECOND: u64 = 1000;

/// A cap, so many quarters wider.
const fn wider(cap: u64, quarters: u64) -> u64 {
    cap.saturating_add((cap / 4).saturating_mul(quarters))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Tick = Tick(5000);

    fn session(events: u64, per_second: u64) -> Session {
        Session::new(Caps { events, per_second })
    }

    fn taken(session: &mut Session, weight: Weight, now: Tick) -> usize {
        let take = |_: &u32| matches!(session.admit(weight, now), Admission::Take(_));
        (0..10).filter(take).count()
    }

    #[test]
    fn a_second_takes_so_many_and_the_next_one_again() {
        let mut session = session(1000, 4);
        assert_eq!(taken(&mut session, Weight::Status, NOW), 4);
        assert_eq!(taken(&mut session, Weight::Status, NOW.plus(999)), 0);
        assert_eq!(taken(&mut session, Weight::Analysis, NOW.plus(999)), 1);
        assert_eq!(taken(&mut session, Weight::Kept, NOW.plus(999)), 10);
        assert_eq!(taken(&mut session, Weight::Status, NOW.plus(1000)), 4);
        assert_eq!(session.dropped(), 6 + 10 + 9 + 6);
    }

    #[test]
    fn what_stays_here_takes_no_number_and_is_counted_all_the_same() {
        let mut session = session(2, 10);
        assert_eq!(session.admit_local(NOW), Some(Seq::ZERO));
        let first = Admission::Take(Seq::FIRST);
        assert_eq!(session.admit(Weight::Status, NOW), first);
        assert_eq!(session.admit_local(NOW), None);
        assert_eq!(session.admit(Weight::Status, NOW), Admission::Drop);
        assert_eq!(session.dropped(), 2);
        assert_eq!(session.finish(), Some(Seq::new(2)));
        assert_eq!(session.admit_local(NOW), None);
    }

    #[test]
    fn the_first_end_wins_and_nothing_follows() {
        let mut session = session(10, 10);
        assert_eq!(
            session.admit(Weight::Kept, NOW),
            Admission::Take(Seq::new(1))
        );
        assert_eq!(session.finish(), Some(Seq::new(2)));
        assert_eq!(session.finish(), None);
        assert_eq!(session.admit(Weight::Kept, NOW), Admission::Closed);
        assert_eq!(session.late(), 2);
    }

    #[test]
    fn status_is_dropped_first_and_healing_never() {
        let mut session = session(4, 1000);
        let weights = [
            Weight::Status,
            Weight::Analysis,
            Weight::Application,
            Weight::Kept,
        ];
        let taken = weights.map(|weight| taken(&mut session, weight, NOW));
        assert_eq!(taken, [4, 1, 1, 10]);
        assert_eq!(session.dropped(), 24);
        assert_eq!(session.finish(), Some(Seq::new(17)));
    }
}
