//! The side that acts: one core for both wires.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aon::door::Door;
use aon_live::heal::Ask;
use aon_live::{Hub, Session};
use futures_util::FutureExt as _;
use ring::digest;
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::answer::Answer;
use super::clock;
use super::config::{AgentConfig, Config, InvalidConfig, PolicyConfig};
use super::exec::{self, Command, Launcher};
use super::fault::SouthFault;
use super::files::Roots;
use super::keep::{Book, UsedNonce};
use super::ledger::{ActionKey, RequestHash, State, Verdict};
use super::wire::{Action, Apply, Diff, Envelope, Exec, Hello, Request, VERSION, Welcome, agree};

mod file;
mod session;

pub use session::ExecLog;
pub(crate) use session::{From, in_glass};

/// How often somebody who waits for an action of another machine looks again.
const LOOK: Duration = Duration::from_millis(250);

/// Hears what `telemetry.push` brings, and what became of every action.
pub trait TelemetrySink: Send + Sync + 'static {
    /// One push; secrets are taken out before.
    fn push(&self, agent: &str, ts: Option<&str>, payload: &Map<String, Value>);

    /// An action was answered: with `ok`, with an answer of before (`replayed`), or with a problem, whose code it is. The trace
    /// is that of the request, where it is known.
    fn acted(&self, method: &str, outcome: &str, took: Duration, trace: Option<&str>) {
        let _ = (method, outcome, took, trace);
    }
}

/// Writes it to the log.
impl TelemetrySink for () {
    fn push(&self, _: &str, _: Option<&str>, _: &Map<String, Value>) {}
}

/// Who asks: identified by a certificate or a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Who {
    /// The id.
    pub agent: String,
    /// What it may do.
    pub granted: Vec<String>,
    /// Whether it may see the actions of others.
    pub operator: bool,
}

/// How a request came.
#[derive(Debug, Default)]
pub(crate) struct How {
    /// Whether a running action is waited for.
    pub(crate) waits: bool,
    /// The nonce that signed it.
    pub(crate) nonce: Option<UsedNonce>,
    /// The session of the request, where it has one.
    pub(crate) session: Option<Session>,
    /// Who hears the events of the action.
    pub(crate) follower: Option<session::Follower>,
}

/// The side that acts. Clones are the same.
#[derive(Clone)]
pub struct Acting(Arc<Inner>, Door);

pub(crate) struct Inner {
    agents: BTreeMap<String, AgentConfig>,
    commands: Vec<Command>,
    roots: Roots,
    reveal: bool,
    policy: PolicyConfig,
    book: Arc<dyn Book>,
    launcher: Launcher,
    hub: Hub,
    telemetry: Arc<dyn TelemetrySink>,
    slots: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    running: Mutex<BTreeMap<ActionKey, Running>>,
    finished: Notify,
}

impl fmt::Debug for Acting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acting").finish_non_exhaustive()
    }
}

/// The places that an action takes until it has ended, whoever asked for it.
#[derive(Debug, Default)]
struct Held {
    place: Option<OwnedSemaphorePermit>,
    slot: Option<OwnedSemaphorePermit>,
}

/// An action that runs on this machine.
#[derive(Clone, Debug, Default)]
struct Running {
    cancel: Arc<Notify>,
    session: Option<String>,
}

impl Acting {
    /// As the configuration says.
    ///
    /// # Errors
    ///
    /// When a command in it cannot be allowed.
    pub fn new(
        config: &Config,
        book: Arc<dyn Book>,
        launcher: Launcher,
        hub: &Hub,
        telemetry: impl TelemetrySink,
    ) -> Result<Self, InvalidConfig> {
        let agents = config
            .agents
            .iter()
            .map(|agent| (agent.id.clone(), agent.clone()));
        let inner = Arc::new(Inner {
            agents: agents.collect(),
            commands: config.commands()?,
            roots: Roots::new(config.files.roots.clone()),
            reveal: config.files.reveal,
            policy: config.policy,
            book,
            launcher,
            hub: hub.clone(),
            telemetry: Arc::new(telemetry),
            slots: places(config.policy.parallel),
            queue: places(config.policy.parallel.saturating_add(config.policy.waiting)),
            running: Mutex::default(),
            finished: Notify::new(),
        });
        Ok(Self(inner, Door::new()))
    }

    /// The same with a door of yours: its hook hears of every problem that is answered, on both wires, with the surface
    /// `southbound`. An answer of before that is given again is not a new problem.
    #[must_use]
    pub fn with_door(mut self, door: Door) -> Self {
        self.1 = door;
        self
    }

    pub(crate) const fn door(&self) -> &Door {
        &self.1
    }

    /// The answer to what went wrong.
    pub(crate) fn failed(&self, fault: &SouthFault) -> Answer {
        Answer::failed_through(&self.1, fault)
    }

    /// The agent of that id, when it is let in.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub fn admit(&self, agent: &str, certificate: Option<&str>) -> Result<Who, SouthFault> {
        let known = self
            .0
            .agents
            .get(agent)
            .ok_or(SouthFault::AgentNotAllowed)?;
        let pinned = known.certificates.as_ref().zip(certificate);
        if pinned
            .is_some_and(|(pins, shown)| !pins.iter().any(|pin| pin.eq_ignore_ascii_case(shown)))
        {
            return Err(SouthFault::AgentNotAllowed);
        }
        Ok(Who {
            agent: agent.to_owned(),
            granted: known.granted(),
            operator: known.operator,
        })
    }

    /// The largest message.
    pub fn max_payload(&self) -> u64 {
        self.0.policy.max_payload
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.0.hub
    }

    pub(crate) fn nonces(&self) -> Vec<UsedNonce> {
        self.0.book.nonces()
    }

    /// Whether no machine of the fleet has seen this nonce.
    pub(crate) async fn take(&self, used: &UsedNonce) -> Result<bool, SouthFault> {
        let taken = self.0.book.take(used).await;
        taken.map_err(|_failed| SouthFault::LedgerUnavailable)
    }

    /// Answers `hello`; what was granted is in `who` from then on.
    ///
    /// # Errors
    ///
    /// When the id is another agent's, or the versions have nothing in common.
    pub fn hello(&self, who: &mut Who, hello: &Hello) -> Result<Answer, SouthFault> {
        if hello.agent_id != who.agent {
            return Err(SouthFault::AgentMismatch);
        }
        agree(hello.version.as_deref())?;
        if let Some(wanted) = &hello.capabilities {
            who.granted.retain(|name| wanted.contains(name));
        }
        let welcome = Welcome {
            ok: true,
            policy: self.0.policy.policy(),
            version: VERSION.to_owned(),
            capabilities: who.granted.clone(),
        };
        Ok(Answer::good(
            serde_json::to_value(welcome).unwrap_or_default(),
        ))
    }

    /// Answers a message.
    pub(crate) async fn answer(&self, who: &mut Who, request: Request, how: How) -> Answer {
        let result = match request {
            Request::Hello(hello) => self.hello(who, &hello),
            Request::Act {
                action_id,
                action,
                canonical,
            } => return self.measured(who, action_id, action, &canonical, how).await,
            Request::Cancel { action_id } => self.cancel(who, &action_id).await,
            Request::State { action_id } => self.state(who, action_id).await,
        };
        result.unwrap_or_else(|fault| self.failed(&fault))
    }

    /// Acts, and tells who listens how it ended.
    async fn measured(
        &self,
        who: &Who,
        action_id: String,
        action: Action,
        canonical: &str,
        how: How,
    ) -> Answer {
        let (method, session) = (action.method(), how.session.clone());
        let started = tokio::time::Instant::now();
        let acted = self.act(who, action_id, action, canonical, how).await;
        let answer = acted.unwrap_or_else(|fault| self.failed(&fault));
        let trace = session.and_then(|session| session.trace_id());
        self.0.telemetry.acted(
            method,
            answer.outcome(),
            started.elapsed(),
            trace.map(|trace| trace.to_string()).as_deref(),
        );
        answer
    }

    async fn act(
        &self,
        who: &Who,
        action_id: String,
        action: Action,
        canonical: &str,
        how: How,
    ) -> Result<Answer, SouthFault> {
        if !who.granted.iter().any(|name| name == action.method()) {
            let (method, granted) = (action.method().to_owned(), who.granted.clone());
            return Err(SouthFault::CapabilityNotGranted { method, granted });
        }
        let mut hash: RequestHash = [0; 32];
        hash.copy_from_slice(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
        let key = ActionKey::new(who.agent.clone(), action_id);
        let book = &self.0.book;
        // What would be refused is not written down, unless it was done before.
        let known = book
            .look(&key)
            .await
            .map_err(|_failed| SouthFault::LedgerUnavailable)?;
        let mut held = Held::default();
        if known.is_none() {
            self.check(&action)?;
            let full = |_| SouthFault::TooManyActions;
            let place = Arc::clone(&self.0.queue).try_acquire_owned();
            held.place = Some(place.map_err(full)?);
            if matches!(action, Action::Exec(_)) {
                let slot = Arc::clone(&self.0.slots).acquire_owned().await;
                held.slot = Some(slot.map_err(|_closed| SouthFault::TooManyActions)?);
            }
        }
        // From here on it goes to its end, whoever goes away meanwhile: what is written down as begun is done or said to be unknown.
        let (this, who) = (self.clone(), who.clone());
        let decided = tokio::spawn(async move {
            let _held = held;
            this.decide(who, key, hash, action, how).await
        });
        decided.await.unwrap_or(Err(SouthFault::OutcomeUnknown))
    }

    /// Does what the ledger says about a request.
    async fn decide(
        &self,
        who: Who,
        key: ActionKey,
        hash: RequestHash,
        action: Action,
        how: How,
    ) -> Result<Answer, SouthFault> {
        let book = &self.0.book;
        let unavailable = |_failed| SouthFault::LedgerUnavailable;
        loop {
            let finished = self.0.finished.notified();
            let nonce = how.nonce.clone();
            let verdict = book.begin(&key, &hash, nonce, clock::now()).await;
            return match verdict.map_err(unavailable)? {
                Verdict::Run => Ok(self.run(who, key, action, how).await),
                Verdict::Running if how.waits => {
                    tokio::select! {
                        () = finished => {}
                        () = tokio::time::sleep(LOOK) => {}
                    }
                    continue;
                }
                Verdict::Running => Err(SouthFault::ActionRunning),
                Verdict::Replay => {
                    let line = book.look(&key).await.map_err(unavailable)?;
                    let stored = line.and_then(|(_, answer)| answer);
                    let answer = stored.as_ref().and_then(Answer::replayed);
                    answer.ok_or(SouthFault::OutcomeUnknown)
                }
                Verdict::Unknown => Err(SouthFault::OutcomeUnknown),
                Verdict::Reused => Err(SouthFault::ActionIdReused),
                Verdict::Full => Err(SouthFault::LedgerFull),
            };
        }
    }

    /// Whether an action may be done at all.
    fn check(&self, action: &Action) -> Result<(), SouthFault> {
        match action {
            Action::Exec(exec) if exec.heal => Ok(()),
            Action::Exec(exec) => {
                exec::plan(&self.0.commands, self.0.policy.exec_timeout, exec).map(drop)
            }
            Action::Diff(Diff { path, .. }) | Action::Apply(Apply { path, .. }) => {
                self.0.roots.find(path).map(drop)
            }
            Action::Telemetry(_) => Ok(()),
        }
    }

    /// Does what was begun, and writes down what came of it.
    async fn run(&self, who: Who, key: ActionKey, action: Action, how: How) -> Answer {
        let running = Running::default();
        self.running().insert(key.clone(), running.clone());
        let method = action.method();
        tracing::info!(
            event = "action_begins",
            agent_id = key.agent,
            action_id = key.action,
            method,
            "action begins"
        );
        let done = AssertUnwindSafe(self.perform(&who, &key, action, running, how));
        // A panic leaves nobody knowing what was done, and the ledger says so.
        let done = done.catch_unwind().await.ok();
        let stored = self
            .0
            .book
            .end(&key, done.as_ref().map(Answer::stored))
            .await;
        let ran = self.running().remove(&key);
        self.0.finished.notify_waiters();
        let mut answer = done.unwrap_or_else(|| self.failed(&SouthFault::OutcomeUnknown));
        let ok = answer.body.get("ok") == Some(&Value::Bool(true));
        tracing::info!(
            event = "action_done",
            agent_id = key.agent,
            action_id = key.action,
            session_id = ran.and_then(|ran| ran.session),
            method,
            ok,
            status = answer.status,
            "action done"
        );
        if stored.is_err() {
            // It was done, and a repeat will be answered with `outcome_unknown`.
            answer.body.insert("stored".to_owned(), Value::Bool(false));
        }
        answer
    }

    async fn perform(
        &self,
        who: &Who,
        key: &ActionKey,
        action: Action,
        running: Running,
        how: How,
    ) -> Answer {
        match action {
            Action::Exec(exec) => self.in_session(who, key, exec, running, how).await,
            Action::Telemetry(push) => self.telemetry(key, push.ts.as_deref(), &push.payload),
            Action::Diff(diff) => {
                let largest = self.0.policy.max_payload;
                self.on_disk(move |roots, reveal| file::diff(roots, reveal, largest, &diff))
                    .await
            }
            Action::Apply(apply) => {
                self.on_disk(move |roots, _| file::apply(roots, &apply))
                    .await
            }
        }
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<ActionKey, Running>> {
        self.0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a command; its output is told to the session as it comes.
    async fn exec(&self, exec: Exec, session: &Session, running: &Running) -> Answer {
        let longest = self.0.policy.exec_timeout;
        let plan = |exec: &Exec| exec::plan(&self.0.commands, longest, exec);
        let planned = if exec.heal {
            let patience = Duration::from_millis(longest);
            let ask = Ask::about(["/args/*", "/cwd"]).within(patience);
            let step = session.step("command.exec", &exec).ask(ask);
            let healed = step.run(async |exec: Exec, _| plan(&exec)).await;
            healed.map_err(|failure| match plan(&exec) {
                Err(fault) => self.failed(&fault),
                Ok(_) => Answer::let_out(&self.1, failure),
            })
        } else {
            plan(&exec).map_err(|fault| self.failed(&fault))
        };
        let plan = match planned {
            Ok(plan) => plan,
            Err(answer) => return answer,
        };
        let cancelled = async {
            tokio::select! {
                () = session.cancelled() => {}
                () = running.cancel.notified() => {}
            }
        };
        let tell = |stream: exec::run::Stream, chunk: &str| {
            session.emit(&ExecLog {
                stream: stream.as_str(),
                chunk,
            });
        };
        let ran = exec::run::run(
            &self.0.launcher,
            &plan,
            self.0.policy.max_output,
            cancelled,
            tell,
        )
        .await;
        match ran {
            Ok(ran) => {
                let largest = self.0.policy.max_payload;
                Answer::of_exec_through(&self.1, ran, plan.timeout, largest)
            }
            Err(fault) => self.failed(&fault),
        }
    }

    fn telemetry(&self, key: &ActionKey, ts: Option<&str>, payload: &Map<String, Value>) -> Answer {
        let mut clean = Value::Object(payload.clone());
        aon_core::redact::json(&mut clean);
        tracing::info!(event = "telemetry", agent_id = key.agent, action_id = key.action, ts, payload = %clean, "telemetry");
        if let Value::Object(clean) = &clean {
            self.0.telemetry.push(&key.agent, ts, clean);
        }
        Answer::good(json!({}))
    }

    /// Files are read and written where waiting for a disk stops nobody else.
    async fn on_disk(
        &self,
        work: impl FnOnce(&Roots, bool) -> Result<Answer, SouthFault> + Send + 'static,
    ) -> Answer {
        let (roots, reveal) = (self.0.roots.clone(), self.0.reveal);
        let done = tokio::task::spawn_blocking(move || work(&roots, reveal)).await;
        let failed = || SouthFault::FileFailed {
            reason: "the work was interrupted".to_owned(),
        };
        done.unwrap_or_else(|_panicked| Err(failed()))
            .unwrap_or_else(|fault| self.failed(&fault))
    }

    fn key_of(&self, who: &Who, action_id: &str) -> ActionKey {
        let own = ActionKey::new(who.agent.clone(), action_id);
        // An operator names the actions of others by id alone.
        let other = || {
            self.running()
                .keys()
                .find(|key| who.operator && key.action == action_id)
                .cloned()
        };
        if self.running().contains_key(&own) {
            own
        } else {
            other().unwrap_or(own)
        }
    }

    async fn cancel(&self, who: &Who, action_id: &str) -> Result<Answer, SouthFault> {
        let key = self.key_of(who, action_id);
        let running = self.running().get(&key).cloned();
        let Some(running) = running else {
            let found = self.0.book.look(&key).await;
            let line = found.map_err(|_failed| SouthFault::LedgerUnavailable)?;
            return Err(match line {
                Some((line, _)) if line.state == State::Running => SouthFault::ActionElsewhere,
                _ => SouthFault::ActionNotFound,
            });
        };
        running.cancel.notify_one();
        Ok(Answer::good(json!({ "cancelled": true })))
    }

    async fn state(&self, who: &Who, action_id: String) -> Result<Answer, SouthFault> {
        let key = self.key_of(who, &action_id);
        let found = self
            .0
            .book
            .look(&key)
            .await
            .map_err(|_failed| SouthFault::LedgerUnavailable)?;
        let (line, stored) = found.ok_or(SouthFault::ActionNotFound)?;
        let state = match line.state {
            State::Running => "running",
            State::Done => "done",
            State::Unknown => "unknown",
        };
        let mut answer = Answer::good(json!({ "state": state, "since_ms": line.since }));
        if let Some(session) = self
            .running()
            .get(&key)
            .and_then(|running| running.session.clone())
        {
            answer.body.insert(
                "session_url".to_owned(),
                format!("/aon/sessions/{session}").into(),
            );
            answer.body.insert("session_id".to_owned(), session.into());
        }
        if let Some(stored) = stored {
            let value = serde_json::from_str(&stored.body).unwrap_or_default();
            answer.body.insert("answer".to_owned(), value);
        }
        Ok(answer)
    }
}

fn places(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

/// Reads a message and answers it with its ids.
pub(crate) async fn answer_message(
    acting: &Acting,
    who: &mut Who,
    bytes: &[u8],
    key: Option<&str>,
    how: How,
) -> Answer {
    let message = match super::wire::object(bytes) {
        Ok(message) => message,
        Err(fault) => return acting.failed(&fault),
    };
    let mut envelope = Envelope::of(&message);
    envelope.action_id = envelope.action_id.or_else(|| key.map(str::to_owned));
    match super::wire::read(message, key) {
        Ok(request) => acting.answer(who, request, how).await.to(&envelope),
        Err(fault) => acting.failed(&fault).to(&envelope),
    }
}
