//! Where the ledger is kept: a file that has what was begun before it is done (redb).
//!
//! Writes are collected while the disk is busy and committed together, each waiting until it is on the disk. The file serves one
//! machine and is locked by it; several machines share an engine (`RedisBook`, feature `redis`).

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{Database, Durability, ReadableDatabase as _, ReadableTable as _, TableDefinition};
use tokio::sync::oneshot;

use super::ledger::{ActionKey, Ledger, Limits, Line, RequestHash, State, Verdict};
use super::nonce::REMEMBERED;

const ACTIONS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("actions");
/// By the time until which they are remembered: what is new is at the end, so that one commit touches few pages, and what is old is at
/// the beginning.
const NONCES: TableDefinition<'_, &[u8], ()> = TableDefinition::new("nonces_by_time");

/// The longest queue of writes, and so the largest group.
const GROUP: usize = 1024;

/// After how many groups old nonces are looked for.
const PRUNE: u64 = 1024;

/// How many old lines are forgotten with one write.
const FORGET: usize = 64;

/// An answer as it was given: its status and its JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stored {
    /// The HTTP status.
    pub status: u16,
    /// The JSON object.
    pub body: String,
}

impl Stored {
    /// An answer.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            body: body.into(),
        }
    }
}

/// The store failed; why is for the log.
#[derive(Debug, thiserror::Error)]
#[error("the ledger cannot be used: {0}")]
pub struct KeepError(String);

impl KeepError {
    pub(crate) fn new(source: &(impl fmt::Display + ?Sized)) -> Self {
        Self(source.to_string())
    }
}

/// What a store does later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, KeepError>> + Send + 'a>>;

/// A used nonce, to be stored with the action it signed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "three facts")]
pub struct UsedNonce {
    /// Whose it is.
    pub agent: String,
    /// The nonce.
    pub nonce: String,
    /// Unix seconds until which it is remembered.
    pub until: u64,
}

/// The ledger of a machine or of a fleet. What `begin` and `end` promised is on the disk when they return.
pub trait Book: Send + Sync + fmt::Debug + 'static {
    /// Decides about a request, and has stored that it begins when the verdict is [`Verdict::Run`].
    fn begin<'a>(
        &'a self,
        key: &'a ActionKey,
        hash: &'a RequestHash,
        nonce: Option<UsedNonce>,
        now: u64,
    ) -> Later<'a, Verdict>;

    /// Stores the answer of a running action, or that there is none.
    fn end<'a>(&'a self, key: &'a ActionKey, answer: Option<Stored>) -> Later<'a, ()>;

    /// Where an action is, and its answer.
    fn look<'a>(&'a self, key: &'a ActionKey) -> Later<'a, Option<(Line, Option<Stored>)>>;

    /// Nonces that must not be used again, as far as they were stored.
    fn nonces(&self) -> Vec<UsedNonce>;

    /// Uses a nonce up for every machine that shares this ledger, and says whether it was new. A ledger of one machine leaves that to
    /// the memory of the machine.
    fn take<'a>(&'a self, used: &'a UsedNonce) -> Later<'a, bool> {
        let _: &UsedNonce = used;
        Box::pin(std::future::ready(Ok(true)))
    }
}

/// A ledger in a file of this machine.
pub struct FileBook {
    ledger: Mutex<Ledger>,
    database: Arc<Database>,
    writes: SyncSender<Write>,
    nonces: Vec<UsedNonce>,
}

impl fmt::Debug for FileBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileBook").finish_non_exhaustive()
    }
}

/// What is written, and who waits for it.
struct Write {
    key: Vec<u8>,
    line: Vec<u8>,
    nonce: Option<UsedNonce>,
    forget: Vec<ActionKey>,
    done: oneshot::Sender<Result<(), KeepError>>,
}

impl FileBook {
    /// Opens the file, or makes it. What was running when it was left is unknown from now on.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, another program has it open, or it is not a ledger.
    pub fn open(path: &Path, limits: Limits, now: u64) -> Result<Self, KeepError> {
        let database = Database::create(path).map_err(|error| KeepError::new(&error))?;
        let (lines, nonces) = read(&database, now).map_err(|error| KeepError::new(&*error))?;
        let mut ledger = Ledger::new(limits);
        let lost = ledger.restore(lines);
        recover(&database, &ledger, &lost, now).map_err(|error| KeepError::new(&*error))?;
        let database = Arc::new(database);
        let (writes, queue) = sync_channel(GROUP);
        let writer = Arc::clone(&database);
        std::thread::Builder::new()
            .name("aon-ledger".to_owned())
            .spawn(move || write_groups(&writer, &queue))
            .map_err(|error| KeepError::new(&error))?;
        Ok(Self {
            ledger: Mutex::new(ledger),
            database,
            writes,
            nonces,
        })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(
        &self,
        key: &ActionKey,
        line: Vec<u8>,
        nonce: Option<UsedNonce>,
        forget: Vec<ActionKey>,
    ) -> Result<(), KeepError> {
        let (done, stored) = oneshot::channel();
        let mut write = Write {
            key: stored_key(key),
            line,
            nonce,
            forget,
            done,
        };
        loop {
            match self.writes.try_send(write) {
                Ok(()) => break,
                Err(std::sync::mpsc::TrySendError::Full(back)) => {
                    write = back;
                    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                }
                Err(std::sync::mpsc::TrySendError::Disconnected(_)) => {
                    return Err(KeepError("its writer is gone".to_owned()));
                }
            }
        }
        stored
            .await
            .unwrap_or_else(|_| Err(KeepError("its writer is gone".to_owned())))
    }
}

impl Book for FileBook {
    fn begin<'a>(
        &'a self,
        key: &'a ActionKey,
        hash: &'a RequestHash,
        nonce: Option<UsedNonce>,
        now: u64,
    ) -> Later<'a, Verdict> {
        Box::pin(async move {
            let (verdict, forget) = {
                let mut ledger = self.ledger();
                let forget = ledger.expire(now, FORGET);
                (ledger.begin(key, hash, now), forget)
            };
            if verdict == Verdict::Run {
                let line = stored_line(&Line::new(*hash, State::Running, now, 0), None);
                if let Err(error) = self.write(key, line, nonce, forget).await {
                    self.ledger().withdraw(key);
                    return Err(error);
                }
            }
            Ok(verdict)
        })
    }

    fn end<'a>(&'a self, key: &'a ActionKey, answer: Option<Stored>) -> Later<'a, ()> {
        Box::pin(async move {
            let Some(mut line) = self.ledger().line(key) else {
                return Ok(());
            };
            let bytes = answer.as_ref().map(|answer| answer.body.len() as u64);
            line.state = if answer.is_some() {
                State::Done
            } else {
                State::Unknown
            };
            line.bytes = bytes.unwrap_or(0);
            let written = self
                .write(key, stored_line(&line, answer.as_ref()), None, Vec::new())
                .await;
            // What could not be stored cannot be told a second time.
            self.ledger().end(key, bytes.filter(|_| written.is_ok()));
            written
        })
    }

    fn look<'a>(&'a self, key: &'a ActionKey) -> Later<'a, Option<(Line, Option<Stored>)>> {
        Box::pin(async move {
            let Some(line) = self.ledger().line(key) else {
                return Ok(None);
            };
            let answer = match line.state {
                State::Done => {
                    answer(&self.database, key).map_err(|error| KeepError::new(&*error))?
                }
                State::Running | State::Unknown => None,
            };
            Ok(Some((line, answer)))
        })
    }

    fn nonces(&self) -> Vec<UsedNonce> {
        self.nonces.clone()
    }
}

type Boxed = Box<dyn std::error::Error + Send + Sync>;

/// Everything that was stored.
#[expect(
    clippy::type_complexity,
    reason = "two lists, named where they are used"
)]
fn read(database: &Database, now: u64) -> Result<(Vec<(ActionKey, Line)>, Vec<UsedNonce>), Boxed> {
    // Tables that do not exist cannot be read.
    let write = database.begin_write()?;
    write.open_table(ACTIONS)?;
    write.open_table(NONCES)?;
    write.commit()?;
    let read = database.begin_read()?;
    let mut lines = Vec::new();
    for row in read.open_table(ACTIONS)?.iter()? {
        let (key, value) = row?;
        let pair = read_key(key.value()).zip(read_line(value.value()));
        let ((agent, action), (line, _)) = pair.ok_or("a line of the ledger is damaged")?;
        lines.push((ActionKey::new(agent, action), line));
    }
    let mut nonces = Vec::new();
    for row in read.open_table(NONCES)?.iter()? {
        let (key, _) = row?;
        let used = read_nonce(key.value()).ok_or("a nonce of the ledger is damaged")?;
        if used.until >= now / 1000 {
            nonces.push(used);
        }
    }
    Ok((lines, nonces))
}

/// Stores what became unknown, and forgets old nonces.
fn recover(
    database: &Database,
    ledger: &Ledger,
    lost: &[ActionKey],
    now: u64,
) -> Result<(), Boxed> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    {
        let mut actions = write.open_table(ACTIONS)?;
        for key in lost {
            if let Some(line) = ledger.line(key) {
                actions.insert(
                    stored_key(key).as_slice(),
                    stored_line(&line, None).as_slice(),
                )?;
            }
        }
        let before = (now / 1000).to_be_bytes();
        write
            .open_table(NONCES)?
            .retain_in(..before.as_slice(), |_, ()| false)?;
    }
    write.commit()?;
    Ok(())
}

fn answer(database: &Database, key: &ActionKey) -> Result<Option<Stored>, Boxed> {
    let read = database.begin_read()?;
    let found = read.open_table(ACTIONS)?.get(stored_key(key).as_slice())?;
    Ok(found.and_then(|found| read_line(found.value())?.1))
}

/// The writer: whatever came while the last group was written is the next group.
fn write_groups(database: &Database, queue: &Receiver<Write>) {
    let (mut commits, mut latest) = (0_u64, 0);
    while let Ok(first) = queue.recv() {
        let mut group = vec![first];
        group.extend(queue.try_iter().take(GROUP - 1));
        let used = group
            .iter()
            .filter_map(|write| Some(write.nonce.as_ref()?.until));
        latest = used.fold(latest, u64::max);
        commits += 1;
        // The latest nonce tells the time.
        let old = commits
            .is_multiple_of(PRUNE)
            .then(|| latest.saturating_sub(REMEMBERED));
        let result = commit(database, &group, old);
        if let Err(error) = &result {
            tracing::error!(%error, "the ledger cannot be written");
        }
        for write in group {
            let told = match &result {
                Ok(()) => Ok(()),
                Err(error) => Err(KeepError::new(&**error)),
            };
            // Somebody who no longer waits does not need to know.
            let _gone = write.done.send(told);
        }
    }
}

fn commit(database: &Database, group: &[Write], old: Option<u64>) -> Result<(), Boxed> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
    {
        let mut actions = transaction.open_table(ACTIONS)?;
        let mut nonces = transaction.open_table(NONCES)?;
        for write in group {
            for old in &write.forget {
                actions.remove(stored_key(old).as_slice())?;
            }
            actions.insert(write.key.as_slice(), write.line.as_slice())?;
            if let Some(used) = &write.nonce {
                nonces.insert(stored_nonce(used).as_slice(), ())?;
            }
        }
        if let Some(now) = old {
            nonces.retain_in(..now.to_be_bytes().as_slice(), |_, ()| false)?;
        }
    }
    transaction.commit()?;
    Ok(())
}

fn stored_key(key: &ActionKey) -> Vec<u8> {
    pair(&key.agent, &key.action)
}

/// Two texts: neither has a zero in it, because the readers of the wire refuse control characters.
fn pair(first: &str, second: &str) -> Vec<u8> {
    [first.as_bytes(), second.as_bytes()].join(&0)
}

fn stored_nonce(used: &UsedNonce) -> Vec<u8> {
    let mut key = used.until.to_be_bytes().to_vec();
    key.extend(pair(&used.agent, &used.nonce));
    key
}

fn read_nonce(bytes: &[u8]) -> Option<UsedNonce> {
    let (until, rest) = bytes.split_first_chunk::<8>()?;
    let (agent, nonce) = read_key(rest)?;
    Some(UsedNonce {
        agent,
        nonce,
        until: u64::from_be_bytes(*until),
    })
}

fn read_key(bytes: &[u8]) -> Option<(String, String)> {
    let (first, second) = std::str::from_utf8(bytes).ok()?.split_once('\0')?;
    Some((first.to_owned(), second.to_owned()))
}

/// State, time, hash, and for an answer its status and text.
fn stored_line(line: &Line, answer: Option<&Stored>) -> Vec<u8> {
    let state = match line.state {
        State::Running => 0,
        State::Done => 1,
        State::Unknown => 2,
    };
    let mut bytes = vec![state];
    bytes.extend(line.since.to_le_bytes());
    bytes.extend(line.hash);
    if let Some(answer) = answer {
        bytes.extend(answer.status.to_le_bytes());
        bytes.extend(answer.body.as_bytes());
    }
    bytes
}

fn read_line(bytes: &[u8]) -> Option<(Line, Option<Stored>)> {
    let (state, rest) = bytes.split_first()?;
    let (since, rest) = rest.split_first_chunk::<8>()?;
    let (hash, rest) = rest.split_first_chunk::<32>()?;
    let state = match state {
        0 => State::Running,
        1 => State::Done,
        2 => State::Unknown,
        _ => return None,
    };
    let answer = match rest.split_first_chunk::<2>() {
        Some((status, body)) => Some(Stored {
            status: u16::from_le_bytes(*status),
            body: String::from_utf8(body.to_vec()).ok()?,
        }),
        None => None,
    };
    let bytes = answer.as_ref().map_or(0, |answer| answer.body.len() as u64);
    Some((
        Line::new(*hash, state, u64::from_le_bytes(*since), bytes),
        answer,
    ))
}
