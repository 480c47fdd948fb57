//! Letters to whoever runs a session: answers of people, and cancelling.
//!
//! A letter is kept in the engine until its reader has dealt with it, and so is the answer for a minute. What is published only
//! says that there is something to read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use redis::{Value, cmd};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::link::bytes;
use super::{PATIENCE, Shared, wire};
use crate::id::SessionId;
use crate::store::Posted;
use crate::sync::{Mutex, locked};

/// How long whoever sent a letter waits for its answer, and how often it looks.
const WAIT: Duration = Duration::from_secs(8);
const LOOK: Duration = Duration::from_millis(400);
/// How long an answer is kept.
const KEPT_MS: u64 = 60_000;
/// How many letters are remembered as dealt with.
const SEEN: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Letters {
    /// Who waits for an answer.
    waiting: Mutex<BTreeMap<u128, oneshot::Sender<Vec<u8>>>>,
    /// Letters that were taken up, so that one that is read twice is dealt with once.
    seen: Mutex<BTreeSet<(SessionId, u128)>>,
}

/// Forgets a letter that nobody waits for any more.
struct Waiting<'a>(&'a Letters, u128);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        locked(&self.0.waiting).remove(&self.1);
    }
}

impl Shared {
    /// Sends a letter and waits for the answer.
    pub(super) async fn post(self: &Arc<Self>, id: SessionId, letter: Vec<u8>) -> Posted {
        let mut random = [0; 16];
        if getrandom::fill(&mut random).is_err() {
            return Posted::Unknown;
        }
        let number = u128::from_be_bytes(random);
        let (reply, mut answer) = oneshot::channel();
        locked(&self.letters.waiting).insert(number, reply);
        let _waiting = Waiting(&self.letters, number);
        let keys = self.keys(id);
        let channel = self.rules.channel.as_bytes();
        let mut envelope = random.to_vec();
        envelope.extend(u16::try_from(channel.len()).unwrap_or(0).to_be_bytes());
        envelope.extend_from_slice(channel);
        envelope.extend(letter);
        let mut push = cmd("RPUSH");
        push.arg(&keys.letters).arg(envelope);
        let mut expire = cmd("PEXPIRE");
        expire.arg(&keys.letters).arg(self.rules.open_ms);
        let stored = async {
            let (pushed, _) = tokio::join!(self.calls.ask(push), self.calls.ask(expire));
            pushed
        };
        if !matches!(timeout(PATIENCE, stored).await, Ok(Some(Value::Int(_)))) {
            return Posted::Unknown;
        }
        let start = Instant::now();
        while start.elapsed() < WAIT {
            let hint = (wire::channel(&self.rules.prefix, id), wire::letter(id));
            let _: Result<(), _> = self.said.send(hint);
            if let Ok(Ok(answer)) = timeout(LOOK, &mut answer).await {
                return Posted::Answered(answer);
            }
            // What is published may be lost; what is stored is not.
            let mut look = cmd("GET");
            look.arg(self.key(b'a', &random));
            let found = timeout(PATIENCE, self.calls.ask(look)).await;
            if let Some(answer) = bytes(found.ok().flatten().as_ref()) {
                return Posted::Answered(answer.to_vec());
            }
        }
        Posted::Waiting
    }

    /// Somebody says that a letter waits for the owner of this session.
    pub(super) fn collect(self: &Arc<Self>, id: SessionId) {
        if !self.own(id).is_some_and(|log| log.is_ours()) {
            return;
        }
        let shared = Arc::clone(self);
        tokio::spawn(async move { shared.read_letters(id).await });
    }

    async fn read_letters(self: &Arc<Self>, id: SessionId) -> Option<()> {
        let inbox = self.inbox.get()?;
        let key = self.keys(id).letters;
        let mut read = cmd("LRANGE");
        read.arg(&key).arg(0).arg(63);
        let Some(Value::Array(letters)) = self.calls.ask(read).await else {
            return None;
        };
        for envelope in &letters {
            let envelope = bytes(Some(envelope))?;
            let (random, rest) = envelope.split_first_chunk::<16>()?;
            let (length, rest) = rest.split_first_chunk::<2>()?;
            let (channel, letter) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
            let number = u128::from_be_bytes(*random);
            {
                let mut seen = locked(&self.letters.seen);
                if seen.len() >= SEEN {
                    seen.pop_first();
                }
                if !seen.insert((id, number)) {
                    continue;
                }
            }
            let answer = inbox.letter(id, letter.to_vec()).await;
            let mut keep = cmd("SET");
            keep.arg(self.key(b'a', random)).arg(&answer);
            keep.arg("PX").arg(KEPT_MS);
            let mut done = cmd("LREM");
            done.arg(&key).arg(1).arg(envelope);
            let _kept = tokio::join!(self.calls.ask(keep), self.calls.ask(done));
            let channel = String::from_utf8_lossy(channel).into_owned();
            let _: Result<(), _> = self.said.send((channel, wire::reply(number, &answer)));
        }
        Some(())
    }

    /// An answer came.
    pub(super) fn replied(&self, to: u128, text: Vec<u8>) {
        if let Some(waiting) = locked(&self.letters.waiting).remove(&to) {
            // Whoever waited may have gone.
            let _: Result<(), _> = waiting.send(text);
        }
    }
}
