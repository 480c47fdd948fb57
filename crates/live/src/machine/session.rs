//! The rules of a session: numbers, the one end, and how much may be said.

use crate::id::Seq;

/// What kind of event asks to be taken; later ones are dropped later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
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
pub(crate) enum Admission {
    /// It has this number.
    Take(Seq),
    /// There were too many already.
    Drop,
    /// The session has ended.
    Closed,
}

/// The state of one session that decides.
#[derive(Debug)]
pub(crate) struct Session {
    newest: Seq,
    ended: bool,
    telemetry: u64,
    cap: u64,
    dropped: u64,
    late: u64,
}

impl Session {
    /// A session that takes about that many events before it starts to leave some out.
    pub(crate) const fn new(cap: u64) -> Self {
        Self {
            newest: Seq::ZERO,
            ended: false,
            telemetry: 0,
            cap,
            dropped: 0,
            late: 0,
        }
    }

    /// Decides about one event that is not the end.
    pub(crate) const fn admit(&mut self, weight: Weight) -> Admission {
        if self.ended {
            self.late += 1;
            return Admission::Closed;
        }
        // `status` goes first; what says more goes later; what must not be lost never goes.
        let cap = match weight {
            Weight::Status => Some(self.cap),
            Weight::Analysis => Some(self.cap + self.cap / 4),
            Weight::Application => Some(self.cap + self.cap / 2),
            Weight::Kept => None,
        };
        if let Some(cap) = cap {
            if self.telemetry >= cap {
                self.dropped += 1;
                return Admission::Drop;
            }
            self.telemetry += 1;
        }
        self.newest = self.newest.next();
        Admission::Take(self.newest)
    }

    /// The number of the end: given once, and to the first that asks.
    pub(crate) const fn finish(&mut self) -> Option<Seq> {
        if self.ended {
            self.late += 1;
            return None;
        }
        self.ended = true;
        self.newest = self.newest.next();
        Some(self.newest)
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// How many events were left out.
    pub(crate) const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many came after the end.
    pub(crate) const fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_end_wins_and_nothing_follows() {
        let mut session = Session::new(10);
        assert_eq!(session.admit(Weight::Kept), Admission::Take(Seq::new(1)));
        assert_eq!(session.finish(), Some(Seq::new(2)));
        assert_eq!(session.finish(), None);
        assert_eq!(session.admit(Weight::Kept), Admission::Closed);
        assert_eq!(session.late(), 2);
    }

    #[test]
    fn status_is_dropped_first_and_healing_never() {
        let mut session = Session::new(4);
        let mut taken = Vec::new();
        for weight in [
            Weight::Status,
            Weight::Analysis,
            Weight::Application,
            Weight::Kept,
        ] {
            let count = (0..10)
                .filter(|_| matches!(session.admit(weight), Admission::Take(_)))
                .count();
            taken.push(count);
        }
        assert_eq!(taken, [4, 1, 1, 10]);
        assert_eq!(session.dropped(), 24);
        assert_eq!(session.finish(), Some(Seq::new(17)));
    }
}
