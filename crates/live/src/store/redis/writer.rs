//! Appends, on a connection of their own: everything that waits goes together, with one `WAIT` behind it, and is shown when that
//! has returned.
//!
//! An answer that is lost says nothing: the same numbers with the same bytes are sent again, and the script compares.

use std::collections::BTreeMap;
use std::sync::Arc;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline};
use tokio::sync::{mpsc, oneshot};

use super::health::{Part, Pulse};
use super::link::{Broken, Link, number, refused, together};
use super::log::RedisLog;
use super::script::{APPEND, CREATE, Keys, REMOVE, Said, kept};
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
        let keys = Keys::of(&rules.prefix, log.id);
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

/// Writes what there is to write, until nobody can write any more.
pub(super) async fn run(
    link: Link,
    rules: Arc<Rules>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    said: mpsc::UnboundedSender<(String, Vec<u8>)>,
    pulse: Pulse,
) {
    let mut connection = None;
    let mut failures = 0;
    let mut group: Vec<Job> = Vec::new();
    loop {
        if group.is_empty() {
            match jobs.recv().await {
                Some(job) => group.push(job),
                None => return,
            }
        }
        let mut bytes: usize = group.iter().map(Job::size).sum();
        while group.len() < MOST
            && bytes < MOST_BYTES
            && let Ok(job) = jobs.try_recv()
        {
            bytes += job.size();
            group.push(job);
        }
        match write(&link, &rules, &mut connection, &group).await {
            Ok(outcomes) => {
                failures = 0;
                pulse.good(Part::Writer);
                group = settle(&rules, group, outcomes, &said);
            }
            Err(broken) => {
                failures += 1;
                connection = None;
                pulse.bad(Part::Writer, &broken);
                super::link::pause(failures).await;
            }
        }
    }
}

/// Sends a group and waits until it is stored.
async fn write(
    link: &Link,
    rules: &Rules,
    connection: &mut Option<MultiplexedConnection>,
    group: &[Job],
) -> Result<Vec<Said>, Broken> {
    let open = match connection {
        Some(open) => open,
        None => connection.insert(link.connect().await?),
    };
    let mut pipeline = Pipeline::with_capacity(group.len() + 1);
    for job in group {
        pipeline.add_command(job.command(rules));
    }
    let values = together(open, &mut pipeline, link.wants()).await?;
    if let Some(error) = values.iter().find_map(refused) {
        return Err(Broken::Refused(error));
    }
    let read = group
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
    let mut words: BTreeMap<String, Vec<u8>> = BTreeMap::new();
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
                    let out = words.entry(wire::channel(&rules.prefix, job.log.id));
                    wire::events(out.or_default(), job.log.id, frames);
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
    for (channel, word) in words {
        // A hint: the log counts.
        let _: Result<(), _> = said.send((channel, word));
    }
    again
}
