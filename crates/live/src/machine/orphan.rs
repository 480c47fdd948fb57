//! Who notices that a session has lost its owner, and gives it an end.
//!
//! Any node may watch any session. The store says whether a lease runs. If none does at two looks in a row, the node claims the next term, which
//! fences the old owner out, looks where the log ends now, and appends the terminal `session_orphaned` there. Several nodes
//! may try: the store gives a term once.
//!
//! The second look is for owners that live: when a store comes back after longer than a lease, no lease runs in it, and the
//! first to look must not end every session before their owners have renewed.

use std::collections::VecDeque;

use crate::id::{Seq, Term};
use crate::time::Tick;

use super::lease;

/// Lengths in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrphanRules {
    /// How often to look.
    pub every: u64,
    /// How long after a look that found no lease the next one is, which decides.
    pub confirm: u64,
    /// How long to wait for an answer before asking again.
    pub patience: u64,
}

impl OrphanRules {
    /// For leases of that length: every client gets its end within two.
    pub const fn of(lease: u64) -> Self {
        Self {
            every: lease / 3,
            confirm: lease / 3,
            patience: lease / 8,
        }
    }
}

/// How the store sees a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The term it is at.
    pub term: Term,
    /// Whether somebody's lease runs.
    pub held: bool,
    /// The last number that is stored, acknowledged or not.
    pub stored: Seq,
    /// Whether that is the terminal event.
    pub ended: bool,
}

/// What happens to a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Time passed.
    Tick,
    /// How the session is, asked for with this number; `None` when it is gone.
    Seen(u64, Option<Seen>),
    /// What became of the claim with this number.
    Claimed(u64, lease::Reply),
    /// What became of the end with this number.
    Appended(u64, Appended),
    /// Readers of this node were shown the end: there is nothing to watch any more.
    Ended,
}

/// What became of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is stored, now or before.
    Acked,
    /// Somebody was faster.
    Refused,
}

/// What is to be done. Each carries a number that comes back with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Look how the session is.
    Look(u64),
    /// Claim the term after this one, as [`lease::Ask::Claim`] says.
    Claim(u64, Term),
    /// Append the terminal event, made once: the same bytes whenever it is asked for again.
    End(u64, Term, Seq),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Looks from time to time.
    Watching,
    /// No lease ran under this term.
    Doubting(Term),
    Claiming(Term),
    /// Has the term, and looks where the log ends.
    Owning(Term),
    Ending(Term, Seq),
    Done,
}

/// One node's watch over one session that it does not own.
#[derive(Debug)]
pub struct Orphan {
    rules: OrphanRules,
    state: State,
    /// Whether the answer to the last number is still awaited.
    asked: bool,
    number: u64,
    due: Tick,
    output: VecDeque<Output>,
}

impl Orphan {
    /// Watches from now on. `spread` is below 1000 and moves the first look, so that nodes do not look together.
    pub const fn watch(rules: OrphanRules, spread: u64, now: Tick) -> Self {
        Self {
            rules,
            state: State::Watching,
            asked: false,
            number: 0,
            due: now.plus(rules.every * (500 + spread % 500) / 1000),
            output: VecDeque::new(),
        }
    }

    /// Whether the session has its end, or is gone.
    pub const fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// The term this node has taken, while it gives the session its end.
    pub const fn term(&self) -> Option<Term> {
        match self.state {
            State::Owning(term) | State::Ending(term, _) => Some(term),
            State::Watching | State::Doubting(_) | State::Claiming(_) | State::Done => None,
        }
    }

    /// When a tick is wanted.
    pub fn deadline(&self) -> Option<Tick> {
        (!self.is_done()).then_some(self.due)
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// Takes in what happened.
    pub fn handle(&mut self, now: Tick, input: Input) {
        match (self.state, input) {
            (State::Done, _) => {}
            (_, Input::Tick) => {
                if now >= self.due {
                    self.ask(now);
                }
            }
            // What was asked before the state changed says nothing about it now.
            (
                _,
                Input::Seen(number, _) | Input::Claimed(number, _) | Input::Appended(number, _),
            ) if !self.asked || number != self.number => {}
            (_, Input::Seen(_, seen)) => self.seen(now, seen),
            (State::Claiming(_), Input::Claimed(_, reply)) => match reply {
                lease::Reply::Held(term) => self.turn(State::Owning(term), now),
                lease::Reply::Taken(_) => self.rest(now),
                lease::Reply::Gone => self.state = State::Done,
                lease::Reply::Unknown => {}
            },
            (_, Input::Ended) | (State::Ending(..), Input::Appended(_, Appended::Acked)) => {
                self.state = State::Done;
            }
            (State::Ending(..), Input::Appended(_, Appended::Refused)) => self.rest(now),
            (_, Input::Claimed(..) | Input::Appended(..)) => {}
        }
    }

    fn seen(&mut self, now: Tick, seen: Option<Seen>) {
        let Some(seen) = seen.filter(|seen| !seen.ended) else {
            self.state = State::Done;
            return;
        };
        match self.state {
            State::Watching if !seen.held => {
                self.rest(now);
                self.state = State::Doubting(seen.term);
                self.due = now.plus(self.rules.confirm.max(1));
            }
            State::Doubting(term) if !seen.held && seen.term == term => {
                self.turn(State::Claiming(term), now);
            }
            State::Owning(term) if seen.term == term => {
                self.turn(State::Ending(term, seen.stored.next()), now);
            }
            State::Watching | State::Doubting(_) | State::Owning(_) => self.rest(now),
            State::Claiming(_) | State::Ending(..) | State::Done => {}
        }
    }

    fn turn(&mut self, state: State, now: Tick) {
        self.state = state;
        self.ask(now);
    }

    fn rest(&mut self, now: Tick) {
        self.state = State::Watching;
        self.asked = false;
        self.due = now.plus(self.rules.every.max(1));
    }

    fn ask(&mut self, now: Tick) {
        self.number += 1;
        self.asked = true;
        self.due = now.plus(self.rules.patience.max(1));
        self.output.extend(match self.state {
            State::Watching | State::Doubting(_) | State::Owning(_) => {
                Some(Output::Look(self.number))
            }
            State::Claiming(over) => Some(Output::Claim(self.number, over)),
            State::Ending(term, seq) => Some(Output::End(self.number, term, seq)),
            State::Done => None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: OrphanRules = OrphanRules {
        every: 1000,
        confirm: 500,
        patience: 250,
    };

    fn seen(term: u64, held: bool, stored: u64, ended: bool) -> Seen {
        Seen {
            term: Term::new(term),
            held,
            stored: Seq::new(stored),
            ended,
        }
    }

    fn watch() -> Orphan {
        let mut orphan = Orphan::watch(RULES, 0, Tick(0));
        orphan.handle(Tick(499), Input::Tick);
        assert_eq!(orphan.poll(), None);
        orphan.handle(Tick(500), Input::Tick);
        assert_eq!(orphan.poll(), Some(Output::Look(1)));
        orphan
    }

    /// At 1010 it claims, with the number 3.
    fn claiming() -> Orphan {
        let mut orphan = watch();
        orphan.handle(Tick(510), Input::Seen(1, Some(seen(1, false, 7, false))));
        assert_eq!((orphan.poll(), orphan.deadline()), (None, Some(Tick(1010))));
        orphan.handle(Tick(1010), Input::Tick);
        assert_eq!(orphan.poll(), Some(Output::Look(2)));
        orphan.handle(Tick(1010), Input::Seen(2, Some(seen(1, false, 8, false))));
        assert_eq!(orphan.poll(), Some(Output::Claim(3, Term::new(1))));
        orphan
    }

    #[test]
    fn a_session_without_an_owner_gets_an_end_where_its_log_ends_after_the_claim() {
        let mut orphan = claiming();
        // A look of before the claim is answered late: it does not say where the log ends now.
        orphan.handle(Tick(1025), Input::Seen(2, Some(seen(1, false, 8, false))));
        orphan.handle(
            Tick(1030),
            Input::Claimed(3, lease::Reply::Held(Term::new(2))),
        );
        assert_eq!(orphan.poll(), Some(Output::Look(4)));
        assert_eq!(orphan.term(), Some(Term::new(2)));
        orphan.handle(Tick(1040), Input::Seen(4, Some(seen(2, true, 9, false))));
        let end = |number| Some(Output::End(number, Term::new(2), Seq::new(10)));
        assert_eq!(orphan.poll(), end(5));
        // The answer is lost: the same again.
        orphan.handle(Tick(1290), Input::Tick);
        assert_eq!(orphan.poll(), end(6));
        orphan.handle(Tick(1300), Input::Appended(6, Appended::Acked));
        assert!(orphan.is_done());
        assert_eq!(orphan.deadline(), None);
    }

    #[test]
    fn an_owner_that_renews_after_an_outage_keeps_its_session() {
        let mut orphan = watch();
        orphan.handle(Tick(510), Input::Seen(1, Some(seen(1, false, 7, false))));
        orphan.handle(Tick(1010), Input::Tick);
        orphan.handle(Tick(1020), Input::Seen(2, Some(seen(1, true, 7, false))));
        assert_eq!(orphan.deadline(), Some(Tick(2020)));
        // And one that changed hands in between is watched anew.
        orphan.handle(Tick(2020), Input::Tick);
        orphan.handle(Tick(2030), Input::Seen(3, Some(seen(1, false, 7, false))));
        orphan.handle(Tick(2530), Input::Tick);
        orphan.handle(Tick(2540), Input::Seen(4, Some(seen(2, false, 7, false))));
        assert_eq!(orphan.deadline(), Some(Tick(3540)));
    }

    #[test]
    fn who_is_slower_watches_on_and_an_end_is_enough() {
        let mut orphan = claiming();
        orphan.handle(
            Tick(1020),
            Input::Claimed(3, lease::Reply::Taken(Term::new(2))),
        );
        assert_eq!(orphan.deadline(), Some(Tick(2020)));
        orphan.handle(Tick(2020), Input::Tick);
        assert_eq!(orphan.poll(), Some(Output::Look(4)));
        orphan.handle(Tick(2030), Input::Seen(4, Some(seen(2, false, 8, true))));
        assert!(orphan.is_done());
        let mut gone = watch();
        gone.handle(Tick(510), Input::Seen(1, None));
        assert!(gone.is_done());
        let mut told = watch();
        told.handle(Tick(510), Input::Ended);
        assert!(told.is_done());
    }

    #[test]
    fn who_loses_the_term_before_the_end_is_written_watches_on() {
        let mut orphan = claiming();
        orphan.handle(
            Tick(1020),
            Input::Claimed(3, lease::Reply::Held(Term::new(2))),
        );
        orphan.handle(Tick(1030), Input::Seen(4, Some(seen(3, true, 7, false))));
        assert_eq!((orphan.term(), orphan.deadline()), (None, Some(Tick(2030))));
    }
}
