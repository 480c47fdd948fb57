//! The log of one session, as this node knows it: what is acknowledged, and nothing else.

use std::collections::VecDeque;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::sync::oneshot;

use super::script::{Keys, Run};
use super::wire::Raw;
use super::writer::Job;
use super::{Rules, Shared, Work};
use crate::frame::Frame;
use crate::id::{Seq, SessionId};
use crate::machine::follow::{Follow, FollowRules, Input, Output};
use crate::machine::ring::{Ring, RingLimits};
use crate::store::{About, Answer, Appended, Budget, Log, Page, Tail, TailReceiver, TailSender};
use crate::sync::{Mutex, locked};
use crate::time::Tick;

/// How much is read at once.
pub(super) const PAGE: usize = 1024;

#[derive(Debug)]
pub(super) struct RedisLog {
    pub(super) id: SessionId,
    pub(super) keys: Keys,
    about: About,
    /// What is shown to the engine when something is appended; nothing where another node is the owner.
    pub(super) hold: Option<String>,
    /// Whether another node has taken it over.
    lost: AtomicBool,
    /// Whether readers here are shown what comes while the engine does not answer.
    goes_on: AtomicBool,
    /// How often the engine has lost it.
    restored: AtomicU32,
    state: Mutex<State>,
    tail: TailSender,
    shared: Weak<Shared>,
}

#[derive(Debug)]
struct State {
    ring: Ring,
    gone: bool,
    /// Where it goes on without the engine: what is not acknowledged, and its size.
    pending: VecDeque<Frame>,
    waiting: usize,
    /// How another node's session is followed.
    follow: Option<Follow>,
}

/// A read that is wanted: its number, and from where on.
pub(super) type Wanted = (u64, Seq);

/// The hub says when there is a sign of life, so the machine has no clock of its own.
const FOLLOWING: FollowRules = FollowRules {
    heartbeat: 1,
    patience: 5000,
    stash: PAGE,
};

/// How often a session is given again to an engine that lost it.
const RESTORES: u32 = 16;

impl RedisLog {
    pub(super) fn new(
        id: SessionId,
        about: About,
        hold: Option<String>,
        rules: &Rules,
        shared: Weak<Shared>,
    ) -> Self {
        let ring = Ring::new(about.epoch, rules.limits);
        Self {
            id,
            keys: Keys::of(&rules.prefix, id),
            about,
            hold,
            lost: AtomicBool::new(false),
            goes_on: AtomicBool::new(false),
            restored: AtomicU32::new(0),
            state: Mutex::new(State {
                ring,
                gone: false,
                pending: VecDeque::new(),
                waiting: 0,
                follow: None,
            }),
            tail: TailSender::new(),
            shared,
        }
    }

    /// Whether this node may append.
    pub(super) fn is_ours(&self) -> bool {
        self.hold.is_some() && !self.lost.load(Ordering::Acquire)
    }

    /// Another node has taken it over; whether that is new.
    pub(super) fn lose(&self) -> bool {
        !self.lost.swap(true, Ordering::AcqRel)
    }

    pub(super) fn is_gone(&self) -> bool {
        locked(&self.state).gone
    }

    /// Whether it may be made anew in an engine that does not have it any more: while it would not have expired, and not for ever.
    pub(super) fn may_be_restored(&self) -> bool {
        let Some(shared) = self.shared.upgrade() else {
            return false;
        };
        let age = shared
            .clock
            .now()
            .wall
            .get()
            .saturating_sub(self.about.created_ms);
        self.is_ours()
            && !self.is_gone()
            && age < shared.rules.open_ms
            && self.restored.fetch_add(1, Ordering::Relaxed) < RESTORES
    }

    /// Everything that is kept here.
    pub(super) fn all_kept(&self) -> Vec<Frame> {
        let state = locked(&self.state);
        let all = Budget::new(usize::MAX, usize::MAX);
        state.ring.page(state.ring.oldest(), all).frames
    }

    /// Shows what waits to be stored to the readers here, where it goes on without the engine.
    pub(super) fn show_unstored(&self) {
        if self.goes_on.load(Ordering::Acquire) && self.is_ours() {
            self.change(State::show_unstored);
        }
    }

    /// Nothing of what waits will be stored.
    pub(super) fn refused(&self) {
        if self.goes_on.load(Ordering::Acquire) {
            self.change(|state| {
                state.pending.clear();
                state.waiting = 0;
            });
        }
    }

    /// Frames that are acknowledged, from this number on.
    pub(super) fn kept_from(&self, from: Seq) -> Vec<Frame> {
        let state = locked(&self.state);
        if state.ring.oldest() > from {
            return Vec::new();
        }
        state
            .ring
            .page(from, Budget::new(usize::MAX, usize::MAX))
            .frames
    }

    /// Changes the ring, keeps the sum of all rings right, and wakes whoever waits.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = locked(&self.state);
        let before = state.held();
        let done = change(&mut state);
        if let Some(shared) = self.shared.upgrade() {
            shared.holds(before, state.held());
        }
        let tail = Tail {
            newest: state.ring.newest(),
            ended: state.ring.terminal().is_some(),
        };
        drop(state);
        self.tail.set(tail);
        done
    }

    /// Takes frames that the engine has acknowledged.
    pub(super) fn acknowledged(&self, frames: &[Frame]) {
        self.change(|state| {
            if !state.gone {
                for frame in frames {
                    // What is known already is known already.
                    let _: Result<(), _> = state.ring.push(frame.clone());
                }
            }
            if let Some(last) = frames.last() {
                state.stored(last.seq());
            }
        });
    }

    /// Begins to follow what another node writes.
    pub(super) fn begin(&self, now: Tick) -> Vec<Wanted> {
        self.change(|state| {
            let follow = state.follow.get_or_insert_with(|| {
                // What was taken from here goes on after what was shown last.
                let newest = state.ring.newest();
                let last = state.ring.page(newest, Budget::default()).frames.pop();
                Follow::new(FOLLOWING, self.about.epoch, last, now)
            });
            drain(follow, &mut state.ring, &mut state.gone)
        })
    }

    /// Takes in what happened to a log of another node: what is to be read now.
    pub(super) fn happened(&self, now: Tick, input: Input) -> Vec<Wanted> {
        let wanted = self.change(|state| {
            let Some(follow) = state.follow.as_mut().filter(|_| !state.gone) else {
                return Vec::new();
            };
            follow.handle(now, input);
            drain(follow, &mut state.ring, &mut state.gone)
        });
        if locked(&self.state).gone {
            self.tail.nudge();
        }
        wanted
    }

    /// Events that another node says are stored.
    pub(super) fn told(&self, now: Tick, events: &[Raw<'_>]) -> Vec<Wanted> {
        if self.is_ours() {
            return Vec::new();
        }
        let epoch = self.about.epoch;
        let frames = events.iter().map(|event| event.frame(epoch));
        frames
            .flat_map(|frame| self.happened(now, Input::Wake(epoch, frame)))
            .collect()
    }

    /// Goes on after this number, which somebody else wrote.
    pub(super) fn skip_to(&self, newest: Seq) {
        self.change(|state| state.ring.restart(self.about.epoch, newest));
    }

    /// It is gone, and stays so.
    pub(super) fn vanish(&self) {
        let epoch = self.about.epoch;
        self.change(|state| {
            state.gone = true;
            state.ring = Ring::new(
                epoch,
                RingLimits {
                    events: 1,
                    bytes: 0,
                },
            );
        });
        self.tail.nudge();
    }

    pub(super) fn settle(&self, run: Option<Run>, from: Seq, budget: Budget) -> Option<Page> {
        let state = locked(&self.state);
        if state.gone {
            return None;
        }
        let here = state.ring.page(from, budget);
        match run {
            // A burst for the response itself may be kept here alone.
            Some(run) if run.oldest < here.oldest => Some(run.page()),
            Some(_) => Some(here),
            None => None,
        }
    }
}

impl Log for RedisLog {
    fn append(&self, frames: Vec<Frame>) -> Answer<Appended> {
        if locked(&self.state).gone {
            return Answer::Now(Appended::Gone);
        }
        let shared = self.shared.upgrade().filter(|_| self.is_ours());
        let Some(shared) = shared else {
            return Answer::Now(Appended::Fenced);
        };
        let Some(log) = shared.own(self.id) else {
            return Answer::Now(Appended::Gone);
        };
        if self.goes_on.load(Ordering::Acquire) {
            let stores = shared.pulse.stores();
            self.change(|state| {
                state.waiting += frames.iter().map(Frame::size).sum::<usize>();
                state.pending.extend(frames.iter().cloned());
                if !stores {
                    state.show_unstored();
                }
            });
        }
        let (reply, answer) = oneshot::channel();
        shared.write(Job {
            log,
            work: Work::Append(frames),
            reply: Some(reply),
        });
        Answer::Later(Box::pin(async move {
            answer.await.unwrap_or(Appended::Unknown)
        }))
    }

    fn page(&self, from: Seq, budget: Budget) -> Answer<Option<Page>> {
        let state = locked(&self.state);
        if state.gone {
            return Answer::Now(None);
        }
        if from >= state.ring.oldest() || state.ring.oldest() == Seq::FIRST {
            return Answer::Now(Some(state.ring.page(from, budget)));
        }
        drop(state);
        let Some(shared) = self.shared.upgrade() else {
            return Answer::Now(None);
        };
        let most = budget.frames.min(PAGE);
        let id = self.id;
        Answer::Later(Box::pin(async move {
            let run = shared.read(id, from, most).await;
            let log = shared.known(id)?;
            log.settle(run, from, budget)
        }))
    }

    fn tail(&self) -> TailReceiver {
        self.tail.subscribe()
    }

    fn nudge(&self) {
        self.tail.nudge();
        // A wake-up that was lost delays, and loses nothing.
        if !self.is_ours()
            && let Some(shared) = self.shared.upgrade()
        {
            shared.refresh(self.id);
        }
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn go_on(&self) -> bool {
        self.goes_on.store(true, Ordering::Release);
        true
    }

    fn held(&self) -> usize {
        locked(&self.state).held()
    }

    fn hold(&self, from: Option<Seq>) {
        self.change(|state| {
            if !state.gone {
                state.ring.hold(from);
            }
        });
    }

    fn shrink(&self, bytes: usize) {
        self.change(|state| {
            if !state.gone {
                state.ring.shrink(bytes);
            }
        });
    }
}

impl State {
    fn held(&self) -> usize {
        self.ring.held() + self.waiting
    }

    fn show_unstored(&mut self) {
        if !self.gone {
            for frame in &self.pending {
                // What is known already is known already.
                let _: Result<(), _> = self.ring.push(frame.clone());
            }
        }
    }

    /// What is stored does not wait any more.
    fn stored(&mut self, newest: Seq) {
        let stored = |first: &&Frame| first.seq() <= newest;
        while let Some(first) = self.pending.front().filter(stored) {
            self.waiting = self.waiting.saturating_sub(first.size());
            self.pending.pop_front();
        }
    }
}

/// Does what a follower wants, as far as that needs nobody else.
fn drain(follow: &mut Follow, ring: &mut Ring, gone: &mut bool) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    while let Some(output) = follow.poll() {
        match output {
            Output::Read(number, from) => wanted.push((number, from)),
            // What is known already is known already.
            Output::Show(frame) => {
                let _: Result<(), _> = ring.push(frame);
            }
            Output::Trimmed(_, last) if last > ring.newest() => ring.restart(follow.epoch(), last),
            // The engine has lost what readers were shown: they are let go of, and told by a gap when they come back.
            Output::Restart(_) | Output::Began(..) | Output::Gone => *gone = true,
            Output::Trimmed(..) | Output::End => {}
        }
    }
    wanted
}
