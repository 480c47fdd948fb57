//! Appends, on a connection of their own: everything that waits goes together, with one `WAIT` behind it, and is shown when that
//! has returned.
//!
//! An answer that is lost says nothing: the same numbers with the same bytes are sent again, and the script compares.

use std::convert::Infallible;
use std::sync::Arc;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline};
use tokio::sync::{mpsc, oneshot};

use super::health::{Part, Pulse};
use super::link::{Broken, Link, number, refused, together};
use super::log::RedisLog;
use super::script::{APPEND, CREATE, REMOVE, Said, kept};
use super::{Rules, Work, outage, wire};
use crate::frame::Frame;
use crate::id::Seq;
use crate::store::{Appended, Log as _};

/// How much goes together.
const MOST: usize = 512;
const MOST_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Job {
    pub(super) log: Arc<RedisLog>,
    pub(super) work: Work,
    pub(super) reply: Option<oneshot::Sender<Appended>>,
}

impl Job {
    fn command(&self, rules: &Rules) -> Cmd {
        let log = &*self.log;
        let keys = &log.keys;
        let hold = log.hold.as_deref().unwrap_or_default();
        match &self.work {
            Work::Create(after) => {
                let mut call = CREATE.call(&[&keys.meta, &rules.own, &rules.owners]);
                call.arg(hold).arg(kept(log.about()));
                call.arg(rules.open_ms).arg(log.id.digits().as_str());
                call.arg(after.get()).arg(&rules.node);
                call
            }
            Work::Append(frames) => {
                let mut call = APPEND.call(&[&keys.events, &keys.meta]);
                call.arg(hold).arg(rules.open_ms).arg(rules.ended_ms);
                call.arg(rules.limits.events).arg(rules.limits.bytes);
                for frame in frames {
                    call.arg(frame.seq().get()).arg(frame.kind());
                    call.arg(&*frame.json());
                    call.arg(&*frame.reduced().map(Frame::json).unwrap_or_default());
                }
                call
            }
            Work::Remove => {
                let mut call = REMOVE.call(&[&keys.events, &keys.meta, &keys.letters, &rules.own]);
                call.arg(hold).arg(log.id.digits().as_str());
                call
            }
        }
    }

    fn size(&self) -> usize {
        match &self.work {
            Work::Append(frames) => frames.iter().map(Frame::size).sum(),
            Work::Create(_) | Work::Remove => 0,
        }
    }

    fn tell(&mut self, appended: Appended) {
        if !matches!(appended, Appended::Acked { .. }) {
            self.log.refused();
        }
        if let Some(reply) = self.reply.take() {
            // Nobody has to wait for it.
            let _: Result<(), Appended> = reply.send(appended);
        }
    }
}

/// What goes together, written down as the engine reads it.
struct Group {
    jobs: Vec<Job>,
    bytes: usize,
    pipeline: Pipeline,
}

impl Group {
    fn of(rules: &Rules, jobs: Vec<Job>) -> Self {
        let mut group = Self {
            jobs: Vec::new(),
            bytes: 0,
            pipeline: Pipeline::new(),
        };
        for job in jobs {
            group.push(rules, job);
        }
        group
    }

    fn push(&mut self, rules: &Rules, job: Job) {
        self.bytes += job.size();
        self.pipeline.add_command(job.command(rules));
        self.jobs.push(job);
    }

    /// How many more may go with it.
    fn room(&self) -> usize {
        if self.bytes < MOST_BYTES {
            MOST.saturating_sub(self.jobs.len())
        } else {
            0
        }
    }
}

/// Writes what there is to write, until nobody can write any more.
///
/// One group is under way at a time. Meanwhile the readers of the last one are told, and the next one is collected, so the engine does
/// not wait for this node between two groups.
pub(super) async fn run(
    link: Link,
    rules: Arc<Rules>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    said: mpsc::UnboundedSender<(String, Vec<u8>)>,
    pulse: Pulse,
) {
    let mut connection = None;
    let mut failures = 0;
    let mut group = Group::of(&rules, Vec::new());
    let mut next = Group::of(&rules, Vec::new());
    // What is stored, and not shown yet.
    let mut stored: Option<(Vec<Job>, Vec<Said>)> = None;
    loop {
        if group.jobs.is_empty() {
            std::mem::swap(&mut group, &mut next);
        }
        if group.jobs.is_empty() {
            if let Some((jobs, outcomes)) = stored.take() {
                settle(&rules, jobs, outcomes, &said);
            }
            match jobs.recv().await {
                Some(job) => group.push(&rules, job),
                None => return,
            }
        }
        // What was collected already goes first.
        while next.jobs.is_empty()
            && group.room() > 0
            && let Ok(job) = jobs.try_recv()
        {
            group.push(&rules, job);
        }
        let answer = {
            let meanwhile = async {
                // The task of the connection sends first.
                tokio::task::yield_now().await;
                if let Some((jobs, outcomes)) = stored.take() {
                    settle(&rules, jobs, outcomes, &said);
                }
                collect(&rules, &mut next, &mut jobs).await
            };
            tokio::select! {
                biased;
                answer = write(&link, &mut connection, &mut group) => answer,
                never = meanwhile => match never {},
            }
        };
        if let Some((jobs, outcomes)) = stored.take() {
            settle(&rules, jobs, outcomes, &said);
        }
        let sent = std::mem::take(&mut group.jobs);
        let again = match answer {
            Ok(outcomes) => {
                failures = 0;
                pulse.good(Part::Writer);
                if outcomes.iter().all(|said| matches!(said, Said::Stored(_))) {
                    stored = Some((sent, outcomes));
                    Vec::new()
                } else {
                    // What has to be sent again comes before what was collected.
                    settle(&rules, sent, outcomes, &said)
                }
            }
            Err(broken) => {
                failures += 1;
                connection = None;
                pulse.bad(Part::Writer, &broken);
                super::link::pause(failures).await;
                sent
            }
        };
        group = Group::of(&rules, again);
    }
}

/// Collects what comes. It may be dropped at any time, and loses nothing.
async fn collect(
    rules: &Rules,
    next: &mut Group,
    jobs: &mut mpsc::UnboundedReceiver<Job>,
) -> Infallible {
    let mut some = Vec::new();
    while next.room() > 0 && jobs.recv_many(&mut some, next.room()).await > 0 {
        for job in some.drain(..) {
            next.push(rules, job);
        }
    }
    std::future::pending().await
}

/// Sends a group and waits until it is stored.
async fn write(
    link: &Link,
    connection: &mut Option<MultiplexedConnection>,
    group: &mut Group,
) -> Result<Vec<Said>, Broken> {
    let open = match connection {
        Some(open) => open,
        None => connection.insert(link.connect().await?),
    };
    let values = together(open, &mut group.pipeline, link.wants()).await?;
    if let Some(error) = values.iter().find_map(refused) {
        return Err(Broken::Refused(error));
    }
    let read = group
        .jobs
        .iter()
        .zip(&values)
        .map(|(job, value)| match &job.work {
            Work::Append(_) => Said::read(value),
            Work::Create(_) | Work::Remove => number(Some(value)).map(|_| Said::Stored(Seq::ZERO)),
        });
    read.collect::<Option<_>>().ok_or(Broken::Strange)
}

/// Tells everybody what became of a group. What has to be sent again comes back.
fn settle(
    rules: &Rules,
    group: Vec<Job>,
    outcomes: Vec<Said>,
    said: &mpsc::UnboundedSender<(String, Vec<u8>)>,
) -> Vec<Job> {
    let mut again: Vec<Job> = Vec::new();
    let mut words: [Vec<u8>; wire::CHANNELS] = Default::default();
    for (mut job, outcome) in group.into_iter().zip(outcomes) {
        let waits = again.iter().any(|other| other.log.id == job.log.id);
        let Work::Append(frames) = &mut job.work else {
            job.tell(Appended::Acked { newest: Seq::ZERO });
            continue;
        };
        match outcome {
            Said::Stored(newest) => {
                job.log.acknowledged(frames);
                if !frames.is_empty() {
                    let out = &mut words[wire::number(job.log.id)];
                    wire::events(out, job.log.id, frames);
                }
                job.tell(Appended::Acked { newest });
            }
            // The engine has lost what it had acknowledged, and this node still has it.
            Said::Behind(_) | Said::Gone if waits => again.push(job),
            Said::Behind(newest) => {
                let first = frames.first().map_or(newest, Frame::seq);
                let mut kept = job.log.kept_from(newest.next());
                kept.retain(|frame| frame.seq() < first);
                if kept.is_empty() {
                    job.tell(Appended::Fenced);
                } else {
                    kept.append(frames);
                    *frames = kept;
                    again.push(job);
                }
            }
            Said::Fenced => job.tell(Appended::Fenced),
            Said::Lost => {
                // From here on it is read like that of any other node.
                if job.log.lose() {
                    job.log.nudge();
                }
                job.tell(Appended::Fenced);
            }
            Said::Closed => job.tell(Appended::Closed),
            Said::Gone => match outage::restored(job) {
                Ok(anew) => again.extend(anew),
                Err(mut job) => job.tell(Appended::Gone),
            },
        }
    }
    for (channel, word) in words.into_iter().enumerate() {
        if !word.is_empty() {
            // A hint: the log counts.
            let _: Result<(), _> = said.send((wire::named(&rules.prefix, channel), word));
        }
    }
    again
}
