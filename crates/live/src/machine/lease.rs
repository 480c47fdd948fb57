//! One node's right to a session, as far as that node may believe in it.
//!
//! The store decides whose the session is, and fences by the term; a lease only says when an owner stops by itself and when
//! another may take over. The store counts a lease from when a claim arrives, the owner from when it was sent, less a margin:
//! so the owner stops first, and the clocks of two machines are never compared.

use std::collections::VecDeque;

use crate::id::Term;
use crate::time::Tick;

/// Lengths in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRules {
    /// How long a claim or a renewal counts at the store.
    pub length: u64,
    /// How much earlier the owner stops, for clocks that run at different speeds.
    pub margin: u64,
    /// How long after a renewal was sent the next one is.
    pub renew: u64,
    /// How long to wait for an answer before asking again.
    pub patience: u64,
}

impl LeaseRules {
    /// A lease of this length: renewed three times in it, and left a tenth early.
    pub const fn of(length: u64) -> Self {
        Self {
            length,
            margin: length / 10,
            renew: length / 3,
            patience: length / 6,
        }
    }
}

/// What to ask the store for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The term after this one, if that is the current one and nobody's lease runs. A node that asks for a term it has got
    /// already gets it again. Counts when it is replicated.
    Claim {
        /// The term that was seen.
        over: Term,
    },
    /// The full length again.
    Renew(Term),
    /// An end at once, so that nobody has to wait for it.
    Release(Term),
}

/// A question to the store, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Comes back with the answer.
    pub number: u64,
    /// The question.
    pub ask: Ask,
}

/// What the store says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is this node's, with this term.
    Held(Term),
    /// It is at this term, and that is another node's or its lease still runs.
    Taken(Term),
    /// There is no such session any more.
    Gone,
    /// No answer came: it may have happened or not.
    Unknown,
}

/// What happens to a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Time passed.
    Tick,
    /// An answer to the call with this number.
    Replied(u64, Reply),
    /// The session has ended here.
    Release,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Claiming {
        over: Term,
    },
    Held {
        term: Term,
        /// When the last call was sent that was granted.
        since: Tick,
    },
    Over(Over),
}

/// Why a lease is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// It was given back.
    Released,
    /// Another node has it.
    Taken(Term),
    /// The session is gone.
    Gone,
}

/// One node's belief about one session.
#[derive(Debug)]
pub struct Lease {
    rules: LeaseRules,
    state: State,
    /// The call that is under way: its number, and when it was sent.
    open: Option<(u64, Tick)>,
    /// When the next call is due.
    due: Tick,
    calls: u64,
    output: VecDeque<Call>,
}

impl Lease {
    /// Of a session that this node made: creating it was the claim.
    pub const fn made(rules: LeaseRules, sent: Tick) -> Self {
        Self {
            rules,
            state: State::Held {
                term: Term::FIRST,
                since: sent,
            },
            open: None,
            due: sent.plus(rules.renew),
            calls: 0,
            output: VecDeque::new(),
        }
    }

    /// Of a session whose owner is lost.
    pub fn claim(rules: LeaseRules, over: Term, now: Tick) -> Self {
        let mut lease = Self::made(rules, now);
        lease.state = State::Claiming { over };
        lease.ask(now);
        lease
    }

    /// The term under which this node may act at this moment.
    pub fn may_act(&self, now: Tick) -> Option<Term> {
        match self.state {
            State::Held { term, since }
                if now < since.plus(self.rules.length.saturating_sub(self.rules.margin)) =>
            {
                Some(term)
            }
            State::Held { .. } | State::Claiming { .. } | State::Over(_) => None,
        }
    }

    /// Why it will not come back, if so.
    pub const fn over(&self) -> Option<Over> {
        match self.state {
            State::Over(over) => Some(over),
            State::Held { .. } | State::Claiming { .. } => None,
        }
    }

    /// When a tick is wanted.
    pub fn deadline(&self) -> Option<Tick> {
        self.over().is_none().then_some(self.due)
    }

    /// The next question to the store.
    pub fn poll(&mut self) -> Option<Call> {
        self.output.pop_front()
    }

    /// Takes in what happened.
    pub fn handle(&mut self, now: Tick, input: Input) {
        if self.over().is_some() {
            return;
        }
        match input {
            Input::Tick if now >= self.due => self.ask(now),
            Input::Tick => {}
            Input::Replied(number, reply) => self.replied(number, reply),
            Input::Release => {
                if let State::Held { term, .. } = self.state {
                    self.calls += 1;
                    self.output.push_back(Call {
                        number: self.calls,
                        ask: Ask::Release(term),
                    });
                }
                self.state = State::Over(Over::Released);
            }
        }
    }

    fn ask(&mut self, now: Tick) {
        let ask = match self.state {
            State::Claiming { over } => Ask::Claim { over },
            State::Held { term, .. } => Ask::Renew(term),
            State::Over(_) => return,
        };
        self.calls += 1;
        self.open = Some((self.calls, now));
        self.due = now.plus(self.rules.patience.max(1));
        self.output.push_back(Call {
            number: self.calls,
            ask,
        });
    }

    fn replied(&mut self, number: u64, reply: Reply) {
        let sent = self.open.filter(|(open, _)| *open == number);
        match (self.state, reply) {
            (_, Reply::Gone) => self.state = State::Over(Over::Gone),
            // A refusal holds whenever it was asked for: terms only grow. That of our own term is an old answer.
            (State::Claiming { over }, Reply::Taken(by)) if by >= over => {
                self.state = State::Over(Over::Taken(by));
            }
            (State::Held { term, .. }, Reply::Taken(by)) if by > term || sent.is_some() => {
                self.state = State::Over(Over::Taken(by));
            }
            (State::Claiming { .. }, Reply::Held(term)) => {
                // Of a call that was given up nobody knows any more when it was sent; the next one will tell.
                if let Some((_, since)) = sent {
                    self.grant(term, since);
                }
            }
            (State::Held { term, .. }, Reply::Held(granted)) if term == granted => {
                if let Some((_, since)) = sent {
                    self.grant(term, since);
                }
            }
            // Without an answer it is asked again when its time is up.
            (_, Reply::Unknown | Reply::Held(_) | Reply::Taken(_)) => {}
        }
    }

    fn grant(&mut self, term: Term, since: Tick) {
        self.open = None;
        self.due = since.plus(self.rules.renew);
        self.state = State::Held { term, since };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: LeaseRules = LeaseRules::of(3000);

    fn asks(lease: &mut Lease) -> Vec<Ask> {
        std::iter::from_fn(|| lease.poll().map(|call| call.ask)).collect()
    }

    #[test]
    fn it_is_counted_from_sending_and_less_a_margin() {
        let mut lease = Lease::claim(RULES, Term::new(4), Tick(1000));
        let call = lease.poll().unwrap();
        assert_eq!(call.ask, Ask::Claim { over: Term::new(4) });
        lease.handle(
            Tick(1400),
            Input::Replied(call.number, Reply::Held(Term::new(5))),
        );
        assert_eq!(lease.may_act(Tick(3699)), Some(Term::new(5)));
        assert_eq!(lease.may_act(Tick(3700)), None);
        assert_eq!(lease.deadline(), Some(Tick(2000)));
    }

    #[test]
    fn a_renewal_without_an_answer_is_sent_again_and_may_still_save_it() {
        let mut lease = Lease::made(RULES, Tick(0));
        lease.handle(Tick(999), Input::Tick);
        assert_eq!(asks(&mut lease), []);
        lease.handle(Tick(1000), Input::Tick);
        lease.handle(Tick(1499), Input::Tick);
        lease.handle(Tick(1500), Input::Tick);
        assert_eq!(asks(&mut lease), [Ask::Renew(Term::FIRST); 2]);
        // The first answer is late: it says nothing about when.
        lease.handle(Tick(2800), Input::Replied(1, Reply::Held(Term::FIRST)));
        assert_eq!(lease.may_act(Tick(2800)), None);
        lease.handle(Tick(2900), Input::Replied(2, Reply::Held(Term::FIRST)));
        assert_eq!(lease.may_act(Tick(2900)), Some(Term::FIRST));
        assert_eq!(lease.may_act(Tick(1500 + 2700)), None);
    }

    #[test]
    fn what_is_taken_or_gone_or_released_does_not_come_back() {
        for (reply, over) in [
            (Reply::Taken(Term::new(2)), Over::Taken(Term::new(2))),
            (Reply::Gone, Over::Gone),
        ] {
            let mut lease = Lease::made(RULES, Tick(0));
            lease.handle(Tick(1000), Input::Tick);
            lease.handle(Tick(1001), Input::Replied(1, reply));
            assert_eq!((lease.over(), lease.deadline()), (Some(over), None));
            lease.handle(Tick(1002), Input::Replied(1, Reply::Held(Term::FIRST)));
            assert_eq!(lease.may_act(Tick(1002)), None);
        }
        let mut lease = Lease::made(RULES, Tick(0));
        lease.handle(Tick(10), Input::Release);
        assert_eq!(asks(&mut lease), [Ask::Release(Term::FIRST)]);
        assert_eq!(lease.may_act(Tick(10)), None);
    }

    proptest! {
        /// The store counts from arrival, the owner from sending: the owner is never the last to know.
        #[test]
        fn the_owner_stops_before_the_store_lets_another_in(
            steps in prop::collection::vec((1..900_u64, 0..400_u64, 0..400_u64, 0..4_u8), 1..60),
        ) {
            let mut lease = Lease::made(RULES, Tick(0));
            let mut now = 0;
            let mut until = RULES.length;
            let mut late: Vec<(u64, u64)> = Vec::new();
            for (wait, there, back, fate) in steps {
                now += wait;
                lease.handle(Tick(now), Input::Tick);
                while let Some(call) = lease.poll() {
                    // Lost on the way there, lost on the way back, late by a long time, or answered.
                    if fate > 0 && now + there < until {
                        until = until.max(now + there + RULES.length);
                        match fate {
                            1 => {}
                            2 => late.push((now + 2 * wait, call.number)),
                            _ => late.push((now + there + back, call.number)),
                        }
                    }
                }
                late.retain(|&(at, number)| {
                    if at <= now {
                        lease.handle(Tick(now), Input::Replied(number, Reply::Held(Term::FIRST)));
                    }
                    at > now
                });
                prop_assert!(lease.may_act(Tick(now)).is_none() || now < until);
                prop_assert!(lease.deadline().is_some());
            }
        }
    }
}
