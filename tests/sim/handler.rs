//! The handlers of sessions: they publish, ask people, run steps, and end.

use aon_live::Frame;
use aon_live::id::{Epoch, Seq, Term};
use aon_live::machine::request::{Answer, Next, Request, State, Verdict};
use aon_live::machine::ring::Ring;
use aon_live::machine::session::{Admission, Caps, Session, Weight};
use aon_live::machine::writer::{self, WhenGone, Writer, WriterRules};

use crate::engine::{Letter, Sid, Word};
use crate::node::{Item, Own, Question, limits};
use crate::options::Plant;
use crate::world::{Event, World};

/// How long a question is open.
const ASK: u64 = 2500;

impl World {
    /// Opens a session on a node.
    pub fn open(&mut self, node: usize, sid: Sid, events: u64, ask: bool) {
        let epoch = self.epoch();
        let ring = Ring::new(epoch, limits(&self.options));
        let ask_at = if ask {
            self.rng.range(1, events)
        } else {
            u64::MAX
        };
        let rules = WriterRules {
            patience: 300,
            gone: 2000,
            when_gone: WhenGone::Wait,
            pending: 64,
            batch: 6,
        };
        let own = Own {
            epoch,
            rules: Session::new(Caps {
                events: 1000,
                per_second: 1000,
            }),
            writer: Writer::new(rules, Term::FIRST),
            term: Term::FIRST,
            left: events,
            ask_at,
            question: None,
            letters: 0,
            newest: Seq::ZERO,
            ended: false,
        };
        // Somebody may have asked for it before it was there.
        self.nodes[node].mirrors.remove(&sid);
        self.nodes[node].rings.insert(sid, (epoch, ring));
        self.nodes[node].owned.insert(sid, own);
    }

    /// The handler goes on: one more event, a question, or the end.
    pub fn act(&mut self, node: usize, sid: Sid) {
        let Some(own) = self.nodes[node].owned.get_mut(&sid) else {
            return;
        };
        if own.ended || own.question.is_some() || own.rules.has_ended() {
            return;
        }
        let to = self.nodes[node].owner();
        let own = self.nodes[node].owned.get_mut(&sid);
        let Some(own) = own else { return };
        if own.left == own.ask_at {
            own.ask_at = u64::MAX;
            self.ask(node, sid, 1);
            return;
        }
        if own.left == 0 {
            return self.finish(node, sid, "result", "");
        }
        own.left -= 1;
        let first = own.newest == Seq::ZERO;
        let (kind, more) = if first {
            (
                "session",
                format!(
                    r#","sse_url":"/{sid}","heartbeat_ms":{}"#,
                    crate::node::BEAT
                ),
            )
        } else {
            ("status", format!(r#","message":"{} to go""#, own.left))
        };
        self.emit(node, sid, kind, &more);
        // Sometimes several at once, sometimes after a while.
        let wait = if self.rng.chance(300) {
            0
        } else {
            self.rng.range(5, 400)
        };
        self.soon(wait, Event::Act { to, sid });
    }

    pub fn emit(&mut self, node: usize, sid: Sid, kind: &str, more: &str) -> Option<Seq> {
        let now = self.nodes[node].local(self.now);
        let own = self.nodes[node].owned.get_mut(&sid)?;
        let Admission::Take(seq) = own.rules.admit(Weight::Kept, now) else {
            return None;
        };
        self.publish_frame(node, sid, seq, kind, more);
        Some(seq)
    }

    pub fn finish(&mut self, node: usize, sid: Sid, kind: &str, more: &str) {
        let own = self.nodes[node].owned.get_mut(&sid);
        if let Some(seq) = own.and_then(|own| own.rules.finish()) {
            self.publish_frame(node, sid, seq, kind, more);
        }
    }

    fn publish_frame(&mut self, node: usize, sid: Sid, seq: Seq, kind: &str, more: &str) {
        let now = self.nodes[node].local(self.now);
        let Some(own) = self.nodes[node].owned.get_mut(&sid) else {
            return;
        };
        own.newest = seq;
        let (epoch, term) = (own.epoch, own.term);
        let made = frame(sid, epoch, seq, term, node, kind, more);
        own.writer.handle(now, writer::Input::Publish(made.clone()));
        if self.planted(Plant::ShowBeforeStore) {
            self.keep(node, sid, made.clone());
            self.say(node, Word::Event(sid, epoch, made));
        }
    }

    fn ask(&mut self, node: usize, sid: Sid, round: u32) {
        let until = self.nodes[node].local(self.now).plus(ASK);
        let Some(own) = self.nodes[node].owned.get_mut(&sid) else {
            return;
        };
        match &mut own.question {
            Some(question) => {
                question.round = round;
                question.until = until;
                question.accepted = None;
                question.run = false;
            }
            None => {
                own.question = Some(Question {
                    request: Request::open(until, format!("base{round}"), 3, 0),
                    round,
                    until,
                    accepted: None,
                    run: false,
                });
            }
        }
        self.emit(
            node,
            sid,
            "interactive_healing_request",
            &format!(r#","round":{round}"#),
        );
    }

    /// Letters that wait for the owner, in their order.
    pub fn letters(&mut self, node: usize, sid: Sid, from: usize, letters: Vec<Letter>) {
        for (at, letter) in letters.into_iter().enumerate() {
            let now = self.nodes[node].local(self.now);
            let Some(own) = self.nodes[node].owned.get_mut(&sid) else {
                return;
            };
            if from + at != own.letters || own.rules.has_ended() {
                continue;
            }
            own.letters += 1;
            if letter.cancel {
                self.finish(node, sid, "error", ",\"code\":\"cancelled\"");
                continue;
            }
            let Some(question) = &mut own.question else {
                continue;
            };
            let answer = if letter.deny {
                Answer::Deny
            } else {
                Answer::Retry
            };
            let base = format!("base{}", letter.round);
            if question.request.judge(now, &answer, Some(&base)) != Verdict::First {
                continue;
            }
            question.request.accept(answer);
            let round = question.round;
            let seq = self.emit(
                node,
                sid,
                "interactive_healing_resolved",
                &format!(r#","accepted":{round},"letter":{}"#, letter.id),
            );
            let early = self.planted(Plant::ActBeforeStore);
            let own = self.nodes[node].owned.get_mut(&sid);
            if let Some(question) = own.and_then(|own| own.question.as_mut()) {
                question.accepted = seq;
                question.run = early;
            }
            self.checker.accepted(sid, round, letter.id);
        }
    }

    /// Questions whose time is over, and steps that may run again.
    pub fn questions(&mut self, node: usize) {
        let now = self.nodes[node].local(self.now);
        let to = self.nodes[node].owner();
        for sid in self.nodes[node].owned.keys().copied().collect::<Vec<_>>() {
            let it = &mut self.nodes[node];
            // Nothing is done to the world without the lease.
            let may_act = it.lease.may_act(now).is_some();
            let Some(own) = it.owned.get_mut(&sid) else {
                continue;
            };
            let Some(question) = &mut own.question else {
                continue;
            };
            if question.run && question.request.state() == State::Denied {
                own.question = None;
                self.finish(node, sid, "error", ",\"code\":\"healing_denied\"");
            } else if question.run && question.request.state() == State::Accepted && may_act {
                question.run = false;
                let round = question.round;
                let db = std::mem::take(&mut self.servers[self.sentinel].db);
                self.checker.effect(sid, round, &db);
                self.servers[self.sentinel].db = db;
                self.stepped(node, sid, round);
                self.soon(1, Event::Act { to, sid });
            } else if question.accepted.is_none()
                && now >= question.until
                && question.request.expire()
            {
                own.question = None;
                self.finish(node, sid, "error", ",\"code\":\"healing_timeout\"");
            }
        }
    }

    fn stepped(&mut self, node: usize, sid: Sid, round: u32) {
        let works = self.rng.chance(600);
        let until = self.nodes[node].local(self.now).plus(ASK);
        let own = self.nodes[node].owned.get_mut(&sid);
        let Some(question) = own.and_then(|own| own.question.as_mut()) else {
            return;
        };
        if works {
            question.request.commit();
            if let Some(own) = self.nodes[node].owned.get_mut(&sid) {
                own.question = None;
            }
            self.emit(node, sid, "healing", &format!(r#","consumed":{round}"#));
        } else if question
            .request
            .fail_again(until, format!("base{}", round + 1))
            == Next::OfferAgain
        {
            self.ask(node, sid, round + 1);
        } else {
            if let Some(own) = self.nodes[node].owned.get_mut(&sid) {
                own.question = None;
            }
            self.finish(node, sid, "error", ",\"code\":\"healing_failed\"");
        }
    }

    /// A person answers, on whatever node the balancer picks; without a word back again.
    pub fn person(&mut self, letter: Letter, tries: u32) {
        if tries == 0 || self.checker.posted.contains_key(&letter.id) {
            return;
        }
        let node = self.rng.pick(self.nodes.len());
        let it = &self.nodes[node];
        if it.alive && it.paused_until <= self.now {
            self.group(node, Item::Post(letter.clone()));
            self.settle(node);
        }
        self.soon(
            600,
            Event::Person {
                letter,
                tries: tries - 1,
            },
        );
    }
}

/// An event as it is stored.
pub fn frame(
    sid: Sid,
    epoch: Epoch,
    seq: Seq,
    term: Term,
    node: usize,
    kind: &str,
    more: &str,
) -> Frame {
    let json = format!(
        r#"{{"type":"{kind}","id":"{epoch}-{seq}","seq":{seq},"session_id":"{sid}","term":{},"node":{node}{more}}}"#,
        term.get()
    );
    Frame::restore(epoch, seq, kind, json.as_bytes())
}
