//! A question to a person: offered, accepted, consumed; or offered again, denied, expired, closed.
//!
//! An answer is accepted first, and consumed when the step that runs again has committed. If that step fails, the question
//! is offered again. What is refused goes to its sender, and the question stays.

use super::patch::Patch;
use crate::time::Tick;

/// What a person answers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// Change the payload, and run the step again.
    Patch(Patch),
    /// Run the step again as it was.
    Retry,
    /// Give up.
    Deny,
}

/// Where a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Offered,
    Accepted,
    Consumed,
    Denied,
    Expired,
    /// Nobody waits for the answer any more.
    Closed,
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the first: look at what it says.
    First,
    /// It was given before, and that counts.
    Repeat,
    /// Somebody else answered.
    Second,
    /// It is too late.
    Late,
    /// It is based on another payload.
    OtherBase,
}

/// What follows when the step has run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    OfferAgain,
    GiveUp,
}

/// The state of one question that decides.
#[derive(Debug)]
pub struct Request {
    state: State,
    until: Tick,
    base: String,
    round: u32,
    rounds: u32,
    last: Option<(Answer, String)>,
    rejected: u32,
    rejections: u32,
}

impl Request {
    /// A question that is offered until then, at most so many times.
    pub const fn open(until: Tick, base: String, rounds: u32, rejections: u32) -> Self {
        Self {
            state: State::Offered,
            until,
            base,
            round: 1,
            rounds,
            last: None,
            rejected: 0,
            rejections,
        }
    }

    pub const fn state(&self) -> State {
        self.state
    }

    /// Until when it can be answered.
    pub const fn until(&self) -> Tick {
        self.until
    }

    pub const fn round(&self) -> u32 {
        self.round
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// What becomes of an answer that claims to be based on a payload; the state stays as it is.
    pub fn judge(&self, now: Tick, answer: &Answer, claimed: Option<&str>) -> Verdict {
        let repeated = self.last.as_ref().is_some_and(|(last, base)| {
            last == answer && claimed.is_none_or(|claim| claim == base)
        });
        match self.state {
            State::Accepted | State::Consumed | State::Denied if repeated => Verdict::Repeat,
            State::Accepted | State::Consumed | State::Denied => Verdict::Second,
            State::Expired | State::Closed => Verdict::Late,
            // Of a question that is offered again, an answer of before is known by what it was based on.
            State::Offered if repeated && claimed.is_some_and(|claim| claim != self.base) => {
                Verdict::Repeat
            }
            State::Offered if now >= self.until => Verdict::Late,
            State::Offered if claimed.is_some_and(|claim| claim != self.base) => Verdict::OtherBase,
            State::Offered => Verdict::First,
        }
    }

    /// Takes an answer that was judged to be the first, and was found good.
    pub fn accept(&mut self, answer: Answer) {
        self.state = match &answer {
            Answer::Patch(_) | Answer::Retry => State::Accepted,
            Answer::Deny => State::Denied,
        };
        self.last = Some((answer, self.base.clone()));
    }

    /// Takes note of an answer that was refused; whether that was one too many.
    pub const fn reject(&mut self) -> bool {
        self.rejected = self.rejected.saturating_add(1);
        let too_many = self.rejections > 0 && self.rejected >= self.rejections;
        if too_many && matches!(self.state, State::Offered) {
            self.state = State::Denied;
        }
        too_many
    }

    /// How many answers were refused.
    pub const fn rejected(&self) -> u32 {
        self.rejected
    }

    /// The time is over; whether nobody had answered.
    pub fn expire(&mut self) -> bool {
        let open = self.state == State::Offered;
        if open {
            self.state = State::Expired;
        }
        open
    }

    /// The step that ran again has committed.
    pub fn commit(&mut self) {
        if self.state == State::Accepted {
            self.state = State::Consumed;
        }
    }

    /// The step that ran again has failed.
    pub fn fail_again(&mut self, until: Tick, base: String) -> Next {
        if self.round >= self.rounds {
            self.close();
            return Next::GiveUp;
        }
        self.round += 1;
        self.until = until;
        self.base = base;
        self.state = State::Offered;
        Next::OfferAgain
    }

    /// Nobody waits any more.
    pub fn close(&mut self) {
        if matches!(self.state, State::Offered | State::Accepted) {
            self.state = State::Closed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Tick = Tick(1000);

    fn open() -> Request {
        Request::open(NOON, "base".to_owned(), 3, 0)
    }

    fn patch(path: &str) -> Answer {
        let json = format!(r#"[{{"op":"remove","path":"{path}"}}]"#);
        let rules = super::super::patch::PatchRules::everything();
        Answer::Patch(Patch::read(json.as_bytes(), &rules).unwrap())
    }

    #[test]
    fn the_first_answer_wins_and_its_repeat_is_not_another() {
        let mut request = open();
        let early = Tick(0);
        assert_eq!(request.judge(early, &patch("/a"), None), Verdict::First);
        request.accept(patch("/a"));
        assert_eq!(request.judge(early, &patch("/a"), None), Verdict::Repeat);
        assert_eq!(
            request.judge(early, &patch("/a"), Some("base")),
            Verdict::Repeat
        );
        assert_eq!(request.judge(early, &patch("/b"), None), Verdict::Second);
        assert_eq!(request.judge(early, &Answer::Deny, None), Verdict::Second);
        request.commit();
        assert_eq!(request.state(), State::Consumed);
        assert_eq!(request.judge(NOON, &patch("/a"), None), Verdict::Repeat);
        assert_eq!(request.judge(NOON, &patch("/b"), None), Verdict::Second);
    }

    #[test]
    fn late_is_late_and_another_base_is_another_base() {
        let mut request = open();
        assert_eq!(
            request.judge(Tick(0), &patch("/a"), Some("other")),
            Verdict::OtherBase
        );
        assert_eq!(request.judge(NOON, &patch("/a"), None), Verdict::Late);
        assert!(request.expire());
        assert!(!request.expire());
        assert_eq!(request.judge(Tick(0), &Answer::Deny, None), Verdict::Late);
    }

    #[test]
    fn a_step_that_fails_again_is_offered_again_and_not_for_ever() {
        let mut request = open();
        for round in 2..=3 {
            request.accept(patch("/a"));
            let next = request.fail_again(Tick(2000), format!("base{round}"));
            assert_eq!(next, Next::OfferAgain);
            assert_eq!(request.round(), round);
        }
        // The answer of before, sent again because its reply was lost.
        assert_eq!(
            request.judge(Tick(0), &patch("/a"), Some("base2")),
            Verdict::Repeat
        );
        assert_eq!(request.judge(Tick(0), &patch("/a"), None), Verdict::First);
        request.accept(patch("/a"));
        assert_eq!(request.fail_again(Tick(3000), String::new()), Next::GiveUp);
        assert_eq!(request.judge(Tick(0), &patch("/a"), None), Verdict::Late);
    }

    #[test]
    fn refusals_use_nothing_up_unless_that_was_asked_for() {
        let mut patient = open();
        assert!((0..1000).all(|_| !patient.reject()));
        assert_eq!(patient.state(), State::Offered);
        let mut strict = Request::open(NOON, String::new(), 3, 5);
        assert_eq!((0..5).filter(|_| strict.reject()).count(), 1);
        assert_eq!(strict.state(), State::Denied);
    }
}
