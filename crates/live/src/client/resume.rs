//! The rules of a reader that comes back: pure, so that every one of them is tested without a network.
//!
//! Time and chance come in as arguments. The caller hands in what happened, and drains [`Follow::poll`].

use std::collections::VecDeque;
use std::time::Duration;

use super::event::Received;
use super::outcome::{Cut, Outcome};
use super::wire::Fault;

/// The three ways to read a session. Each shows the same events in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Channel {
    /// The answer to the request itself, or the events of a session as lines.
    #[default]
    Ndjson,
    /// Server-sent events.
    Sse,
    /// A WebSocket, each message an event.
    WebSocket,
}

/// How patient a reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// The first wait before coming back; it doubles with each attempt that brings nothing.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
    /// How many attempts in a row may bring nothing.
    pub attempts: u32,
    /// How often the server gives a sign of life, unless it says so itself.
    pub interval: Duration,
    /// The channel on which a cut stream goes on.
    pub channel: Channel,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(5),
            attempts: 10,
            interval: Duration::from_secs(15),
            channel: Channel::Sse,
        }
    }
}

impl Rules {
    /// How long to wait before an attempt, counted from 1. `jitter` is between 0 and 1 and spreads readers over the upper
    /// half of the wait, so that those who were cut together do not come back together.
    pub fn wait(&self, attempt: u32, jitter: f64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(16);
        let full = self
            .first_wait
            .saturating_mul(1 << doublings)
            .min(self.longest_wait);
        full.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0))
    }

    /// How long silence is no reason to worry: two intervals, and half of one for what is late. That is 2.5 seconds for a
    /// server that gives a sign each second.
    pub fn window(&self) -> Duration {
        self.interval.mul_f64(2.5)
    }
}

/// What happened to the reader.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Input {
    /// The server answered with a stream.
    Opened,
    /// An event came.
    Event(Received),
    /// A sign of life without content came.
    Alive,
    /// The server wants readers to wait this long before they come back.
    Retry(Duration),
    /// Something came that is not an event.
    Bad(Fault),
    /// The server answered without a stream: with this status, and this body.
    Answered(u16, String),
    /// No connection could be made, so nothing was sent.
    NotSent(String),
    /// The connection ended.
    Lost(String),
    /// Time passed.
    Tick,
}

/// What the reader wants done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Show this event. It was not shown before.
    Show(Received),
    /// Tell this.
    Tell(Notice),
    /// Open a channel, after the last event that was seen.
    Open(Opening),
    /// Close the connection that is open.
    Close,
    /// Nothing comes after this.
    End(Outcome),
}

/// A connection to open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// How to read it.
    pub channel: Channel,
    /// Where, as the server wrote it: absolute, or a path on the same host.
    pub url: String,
    /// The id of the last event that was seen.
    pub since: Option<String>,
}

/// What a reader should know beyond the events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The server says that events are lost to this reader, and why.
    Gap {
        /// The id the reader asked for.
        requested: Option<String>,
        /// The oldest number that is still there.
        oldest: Option<u64>,
        /// `evicted`, `epoch` or `ahead`.
        reason: String,
    },
    /// Numbers are missing and the server did not say so.
    Hole {
        /// The first missing number.
        from: u64,
        /// The last missing number.
        to: u64,
    },
    /// The numbering began again: what was seen before belongs to another life of the session.
    Epoch {
        /// The numbering before.
        from: String,
        /// The numbering now.
        to: String,
    },
    /// The connection is gone; the reader comes back after this wait.
    Waiting {
        /// The attempt, from 1.
        attempt: u32,
        /// How long.
        wait: Duration,
        /// Why it is gone.
        why: String,
    },
    /// The reader is back.
    Resumed,
    /// What follows happens now.
    Live,
    /// Something came that is not an event.
    Bad(Fault),
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// A connection is being made, or is open.
    Open { answered: bool },
    /// None is; the next is made at this time.
    Waiting { until: Duration },
    /// Nothing comes any more.
    Ended,
}

/// A reader of one session, across all its connections.
#[derive(Debug)]
pub struct Follow {
    rules: Rules,
    state: State,
    /// Where to go on: what the reader was started with, then what the session says.
    way_back: Option<(Channel, String)>,
    /// Where to go on if the stream is not that of a session that names itself.
    fallback: Option<(Channel, String)>,
    /// How many attempts brought nothing.
    attempts: u32,
    epoch: Option<String>,
    seq: Option<u64>,
    /// The id to start after, given from outside.
    since: Option<String>,
    /// Whether the server has told that the next number may jump.
    jump: bool,
    heard: Duration,
    output: VecDeque<Output>,
}

impl Follow {
    /// A reader of the answer to a call. The call itself is never made twice.
    pub fn call(rules: Rules, now: Duration) -> Self {
        Self {
            rules,
            state: State::Open { answered: false },
            way_back: None,
            fallback: None,
            attempts: 0,
            epoch: None,
            seq: None,
            since: None,
            jump: false,
            heard: now,
            output: VecDeque::new(),
        }
    }

    /// Where to go on if the first event is not a `session`: the address that was called, when it only reads.
    #[must_use]
    pub fn with_fallback(mut self, channel: Channel, url: String) -> Self {
        self.fallback = Some((channel, url));
        self
    }

    /// A reader of a session that runs elsewhere, from its start or from after `since`.
    pub fn session(
        rules: Rules,
        channel: Channel,
        url: String,
        since: Option<String>,
        now: Duration,
    ) -> Self {
        let mut follow = Self::call(rules, now);
        follow.way_back = Some((channel, url));
        if let Some((epoch, seq)) = since.as_deref().and_then(super::event::split) {
            follow.epoch = Some(epoch.to_owned());
            follow.seq = Some(seq);
        }
        follow.since = since;
        follow.open();
        follow
    }

    /// The id of the last event that was seen: where a reader goes on.
    pub fn cursor(&self) -> Option<String> {
        match (&self.epoch, self.seq) {
            (Some(epoch), Some(seq)) => Some(format!("{epoch}-{seq}")),
            _ => self.since.clone(),
        }
    }

    /// When to hand in [`Input::Tick`], if nothing happens before.
    pub fn deadline(&self) -> Option<Duration> {
        match self.state {
            State::Open { answered: true } => Some(self.heard + self.rules.window()),
            State::Waiting { until } => Some(until),
            State::Open { answered: false } | State::Ended => None,
        }
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// Takes in what happened. `jitter` is between 0 and 1.
    pub fn handle(&mut self, now: Duration, jitter: f64, input: Input) {
        if self.state == State::Ended {
            return;
        }
        let open = matches!(self.state, State::Open { .. });
        match input {
            Input::Tick => self.tick(now, jitter),
            // What a connection says after it was given up does not count.
            _ if !open => {}
            Input::Opened => {
                self.heard = now;
                self.state = State::Open { answered: true };
                if self.attempts > 0 {
                    self.output.push_back(Output::Tell(Notice::Resumed));
                }
            }
            Input::Event(event) => {
                self.heard = now;
                self.event(event);
            }
            Input::Alive => self.heard = now,
            Input::Retry(wait) => {
                self.heard = now;
                self.rules.first_wait = wait.min(self.rules.longest_wait);
            }
            Input::Bad(fault) => {
                self.heard = now;
                self.output.push_back(Output::Tell(Notice::Bad(fault)));
            }
            Input::Answered(status, body) => self.answered(now, jitter, status, body),
            Input::NotSent(why) if self.way_back.is_none() => {
                self.end(Outcome::Cut(Cut::Unreachable(why)));
            }
            Input::NotSent(why) | Input::Lost(why) => self.lost(now, jitter, why),
        }
    }

    fn tick(&mut self, now: Duration, jitter: f64) {
        match self.state {
            State::Open { answered: true } if now >= self.heard + self.rules.window() => {
                let silence = self.rules.window().as_millis();
                self.output.push_back(Output::Close);
                self.lost(now, jitter, format!("no sign of life for {silence} ms"));
            }
            State::Waiting { until } if now >= until => self.open(),
            State::Open { .. } | State::Waiting { .. } | State::Ended => {}
        }
    }

    fn open(&mut self) {
        self.state = State::Open { answered: false };
        if let Some((channel, url)) = &self.way_back {
            let opening = Opening {
                channel: *channel,
                url: url.clone(),
                since: self.cursor(),
            };
            self.output.push_back(Output::Open(opening));
        }
    }

    fn event(&mut self, event: Received) {
        let fallback = self.fallback.take();
        if event.kind() != "session" && self.way_back.is_none() {
            self.way_back = fallback;
        }
        match event.kind() {
            "session" => self.learn(&event),
            "gap" => {
                self.jump = true;
                let text = |name| event.member::<String>(name);
                let gap = Notice::Gap {
                    requested: text("requested"),
                    oldest: event.member("oldest"),
                    reason: text("reason").unwrap_or_default(),
                };
                self.output.push_back(Output::Tell(gap));
            }
            // A ticket is good once; the one for the way back is a secret between the server and this reader.
            "ticket" => {
                if let (Some((_, url)), Some(ticket)) =
                    (&mut self.way_back, event.member::<String>("ticket"))
                {
                    *url = with_ticket(url, &ticket);
                }
                return;
            }
            "replay_complete" => {
                self.attempts = 0;
                self.output.push_back(Output::Tell(Notice::Live));
            }
            _ => {}
        }
        if self.is_new(&event) {
            self.output.push_back(Output::Show(event.clone()));
        }
        if event.is_terminal() {
            self.end(Outcome::of(event));
        }
    }

    /// Whether the event was not shown yet. Tells what is missing before it.
    fn is_new(&mut self, event: &Received) -> bool {
        if let Some(epoch) = event.epoch() {
            match &self.epoch {
                Some(known) if known != epoch => {
                    let (from, to) = (known.clone(), epoch.to_owned());
                    self.output
                        .push_back(Output::Tell(Notice::Epoch { from, to }));
                    self.seq = None;
                    self.epoch = Some(epoch.to_owned());
                }
                Some(_) => {}
                None => self.epoch = Some(epoch.to_owned()),
            }
        }
        let Some(seq) = event.seq() else {
            return true;
        };
        if let Some(last) = self.seq {
            if seq <= last {
                return false;
            }
            if seq > last + 1 && !self.jump {
                let hole = Notice::Hole {
                    from: last + 1,
                    to: seq - 1,
                };
                self.output.push_back(Output::Tell(hole));
            }
        }
        self.jump = false;
        self.seq = Some(seq);
        self.attempts = 0;
        true
    }

    /// What the session says about itself: where it goes on, and how often it gives a sign of life.
    fn learn(&mut self, event: &Received) {
        let url = |name| event.member::<String>(name);
        let way = match self.rules.channel {
            Channel::WebSocket => url("ws_url").map(|url| (Channel::WebSocket, url)),
            channel @ (Channel::Ndjson | Channel::Sse) => url("sse_url").map(|url| (channel, url)),
        };
        // Whoever started with the address of a session keeps it: it may carry what lets the reader in.
        if self.way_back.is_none() {
            self.way_back = way;
        }
        if let Some(interval) = event.member::<u64>("heartbeat_ms").filter(|ms| *ms > 0) {
            self.rules.interval = Duration::from_millis(interval);
        }
    }

    fn answered(&mut self, now: Duration, jitter: f64, status: u16, body: String) {
        let resumes = self.seq.is_some() || self.attempts > 0 || self.way_back.is_some();
        match status {
            204 if resumes => self.end(Outcome::Cut(Cut::Over)),
            404 | 410 if resumes => self.end(Outcome::Cut(Cut::Gone)),
            429 | 500.. if resumes => {
                self.lost(now, jitter, format!("the server answered {status}"));
            }
            _ if resumes => self.end(Outcome::Cut(Cut::Refused(status))),
            _ => self.end(Outcome::answered(status, body)),
        }
    }

    fn lost(&mut self, now: Duration, jitter: f64, why: String) {
        if self.way_back.is_none() {
            return self.end(Outcome::Cut(Cut::NoWayBack(why)));
        }
        self.attempts += 1;
        if self.attempts > self.rules.attempts {
            return self.end(Outcome::Cut(Cut::GaveUp(self.attempts - 1)));
        }
        let wait = self.rules.wait(self.attempts, jitter);
        self.state = State::Waiting { until: now + wait };
        let attempt = self.attempts;
        self.output
            .push_back(Output::Tell(Notice::Waiting { attempt, wait, why }));
    }

    fn end(&mut self, outcome: Outcome) {
        self.state = State::Ended;
        self.output.push_back(Output::Close);
        self.output.push_back(Output::End(outcome));
    }
}

/// The address with this ticket in its query, instead of the one that was used.
fn with_ticket(url: &str, ticket: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let others = query
        .split('&')
        .filter(|part| !part.is_empty() && !part.starts_with("ticket="));
    let mut parts: Vec<&str> = others.collect();
    let ticket = format!("ticket={ticket}");
    parts.push(&ticket);
    format!("{path}?{}", parts.join("&"))
}

#[cfg(test)]
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the output it waits for"
)]
mod tests;
