//! One question to a person, as everybody who answers it sees it: the door through which every answer goes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aon_core::{Code, ProblemDetails, redact};
use serde_json::Value;
use tokio::sync::watch;

use super::ask::{Ask, Asker, Asking, Check, Reply};
use super::audit::{AuditRecord, AuditSink};
use super::digest;
use super::fault::HealFault;
use super::key::IdempotencyKey;
use crate::clock::{Clock, milliseconds};
use crate::event::{Body, InteractiveHealingRequest, InteractiveHealingResult, Status};
use crate::frame::Draft;
use crate::hub::live::Live;
use crate::id::Seq;
use crate::machine::patch::{Patch, PatchRules, Refused, get};
use crate::machine::request::{Answer, Next, Request, State, Verdict};
use crate::machine::session::Weight;
#[cfg(feature = "rmcp")]
use crate::surface::mcp::form::{Form, Wanted};
use crate::sync::{Mutex, locked};
use crate::time::Now;

mod desk;
mod reject;

pub(crate) use desk::Desk;
pub use reject::{Receipt, Rejection};

/// Who answers, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Responder {
    /// Who, where that is known.
    pub who: Option<String>,
    /// How the answer comes.
    pub channel: &'static str,
}

impl Responder {
    /// Somebody, over this channel.
    pub const fn new(channel: &'static str) -> Self {
        Self { who: None, channel }
    }

    /// This one.
    #[must_use]
    pub fn known(mut self, who: impl Into<String>) -> Self {
        self.who = Some(who.into());
        self
    }
}

/// A question to a person. Clones are the same question.
#[derive(Clone)]
pub struct Question(Arc<Inner>);

struct Inner {
    id: String,
    step: String,
    rules: PatchRules,
    within: Duration,
    /// Whether the payload is one of the step's type.
    fits: fn(&Value) -> Result<(), ProblemDetails>,
    check: Option<Check>,
    clock: Clock,
    live: Option<Arc<Live>>,
    patch_url: Option<String>,
    sink: Option<Arc<dyn AuditSink>>,
    open: Mutex<Open>,
    settled: watch::Sender<State>,
}

/// What changes while it is open.
struct Open {
    request: Request,
    payload: Value,
    /// The payload an answer made, until the step takes it.
    patched: Option<Value>,
    shown: InteractiveHealingRequest,
    /// The number of the event that shows it.
    told: Option<Seq>,
    answered_at: Option<u64>,
    answer: Option<Reply>,
}

/// What a question is made of.
pub(super) struct Asked<'a> {
    pub(super) step: &'a str,
    pub(super) attempt: u32,
    pub(super) ask: &'a Ask,
    pub(super) fits: fn(&Value) -> Result<(), ProblemDetails>,
    pub(super) payload: &'a Value,
    pub(super) problem: &'a ProblemDetails,
    pub(super) live: Option<Arc<Live>>,
    pub(super) address: Option<&'a dyn Fn(&str) -> String>,
    pub(super) clock: Clock,
    pub(super) sink: Option<Arc<dyn AuditSink>>,
}

/// How many refusals are told to everybody.
const TOLD: u32 = 5;

impl Question {
    pub(super) fn open(asked: Asked<'_>) -> Self {
        let id = IdempotencyKey::fresh().to_string();
        let patch_url = asked.address.map(|address| address(&id));
        let now = asked.clock.now();
        let base = digest::of(asked.payload);
        let until = now.tick.plus(milliseconds(asked.ask.within));
        let (rounds, rejections) = (asked.ask.rounds, asked.ask.rejections);
        let request = Request::open(until, base, rounds, rejections);
        let inner = Inner {
            id,
            step: asked.step.to_owned(),
            rules: asked.ask.rules.clone(),
            within: asked.ask.within,
            fits: asked.fits,
            check: asked.ask.check.clone(),
            clock: asked.clock,
            live: asked.live,
            patch_url,
            sink: asked.sink,
            settled: watch::Sender::new(State::Offered),
            open: Mutex::new(Open {
                request,
                payload: asked.payload.clone(),
                patched: None,
                shown: InteractiveHealingRequest::default(),
                told: None,
                answered_at: None,
                answer: None,
            }),
        };
        let this = Self(Arc::new(inner));
        let mut open = locked(&this.0.open);
        open.shown = this.0.show(&open, asked.attempt, asked.problem, now);
        drop(open);
        this
    }

    /// The name of the question.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The question as it is shown: without secrets, and with the time that is left.
    pub fn request(&self) -> InteractiveHealingRequest {
        let open = locked(&self.0.open);
        let left = open.request.until().since(self.0.clock.now().tick);
        InteractiveHealingRequest {
            expires_in_ms: Some(left),
            ..open.shown.clone()
        }
    }

    /// Takes note of the number of the event that shows it, or of a later one.
    pub(super) fn told_by(&self, seq: Seq) {
        locked(&self.0.open).told = Some(seq);
    }

    /// Whether it is open, and the event that shows it came before this one.
    pub(crate) fn is_open_since_before(&self, oldest: Seq) -> bool {
        let open = locked(&self.0.open);
        open.request.state() == State::Offered && open.told.is_some_and(|told| told < oldest)
    }

    /// The question as a form of MCP.
    #[cfg(feature = "rmcp")]
    pub(crate) fn form(&self) -> Form {
        let open = locked(&self.0.open);
        let wanted = |pointer: &str| Wanted::new(self.0.refused_at(&open.payload, pointer));
        Form::of(&open.shown, &wanted)
    }

    /// How long to wait for an answer.
    pub fn within(&self) -> Duration {
        self.0.within
    }

    /// Reads a patch by the rules of this question.
    ///
    /// # Errors
    ///
    /// When it is not a patch; the refusal is in the audit.
    pub fn read(&self, json: &[u8], by: &Responder) -> Result<Answer, Rejection> {
        let read = Patch::read(json, &self.0.rules);
        read.map(Answer::Patch).map_err(|refused| {
            let mut open = locked(&self.0.open);
            self.0
                .reject(&mut open, by, Err(json), Rejection::of(&refused))
        })
    }

    /// Whether an answer would be taken now; nothing is changed.
    ///
    /// # Errors
    ///
    /// With what [`Question::offer`] would say.
    pub fn check(&self, answer: &Answer) -> Result<(), Rejection> {
        let open = locked(&self.0.open);
        let now = self.0.clock.now();
        match open.request.judge(now.tick, answer, None) {
            Verdict::First => self.0.try_on(&open, answer).map(drop),
            Verdict::Repeat => Ok(()),
            verdict @ (Verdict::Second | Verdict::Late | Verdict::OtherBase) => {
                Err(open.refusal(verdict))
            }
        }
    }

    /// Offers an answer. The first good one is taken, and the same again is the same; everything else is refused to its
    /// sender and changes nothing. `base` is what the answer says it is based on.
    ///
    /// # Errors
    ///
    /// With the problem its sender is told.
    pub fn offer(
        &self,
        answer: Answer,
        by: &Responder,
        base: Option<&str>,
    ) -> Result<Receipt, Rejection> {
        let inner = &*self.0;
        let mut open = locked(&inner.open);
        let now = inner.clock.now();
        let verdict = open.request.judge(now.tick, &answer, base);
        let patched = match verdict {
            Verdict::First => inner.try_on(&open, &answer),
            Verdict::Repeat => {
                inner.audit(&open, by, Ok(&answer), "repeated", None, now);
                return Ok(Receipt::of(&answer, &inner.id, open.request.base()));
            }
            verdict @ (Verdict::Second | Verdict::Late | Verdict::OtherBase) => {
                Err(open.refusal(verdict))
            }
        };
        let patched = match patched {
            Ok(patched) => patched,
            Err(rejection) => {
                return Err(inner.reject(&mut open, by, Ok(&answer), rejection));
            }
        };
        let outcome = if answer == Answer::Deny {
            "denied"
        } else {
            "accepted"
        };
        let after = patched.as_ref().map(digest::of);
        inner.audit(&open, by, Ok(&answer), outcome, after, now);
        let receipt = Receipt::of(&answer, &inner.id, open.request.base());
        inner.publish_result(outcome, &receipt.paths);
        open.patched = patched;
        open.answered_at = Some(now.wall.seconds_after(0));
        open.answer = Some(Reply::new(answer.clone(), by.clone()));
        open.request.accept(answer);
        let state = open.request.state();
        drop(open);
        inner.settled.send_replace(state);
        Ok(receipt)
    }

    /// Waits until it is answered, or nobody asks any more.
    pub async fn settled(&self) {
        let mut settled = self.0.settled.subscribe();
        // An error means that the question is gone, and so is whoever asked.
        let _: Result<_, _> = settled.wait_for(|state| *state != State::Offered).await;
    }

    /// The answer that was taken.
    pub fn answer(&self) -> Option<Reply> {
        locked(&self.0.open).answer.clone()
    }

    pub(super) fn state(&self) -> State {
        locked(&self.0.open).request.state()
    }

    /// Whether an answer can still be taken.
    pub(crate) fn is_open(&self) -> bool {
        self.state() == State::Offered
    }

    /// The payload with the answer in it.
    pub(super) fn take_payload(&self) -> Option<Value> {
        locked(&self.0.open).patched.take()
    }

    /// The time is over; whether nobody had answered.
    pub(super) fn expire(&self) -> bool {
        let expired = locked(&self.0.open).request.expire();
        if expired {
            self.0.publish_result("expired", &[]);
            self.0.settled.send_replace(State::Expired);
        }
        expired
    }

    /// The step has committed: the answer is used up.
    pub(super) fn commit(&self) {
        let mut open = locked(&self.0.open);
        if open.request.state() == State::Accepted {
            open.request.commit();
            let paths = match &open.answer {
                Some(reply) => Receipt::of(&reply.answer, &self.0.id, "").paths,
                None => Vec::new(),
            };
            self.0.publish_result("consumed", &paths);
        }
    }

    /// The step has failed again: the question is offered again, with the new problem.
    pub(super) fn again(&self, attempt: u32, payload: &Value, problem: &ProblemDetails) -> bool {
        let mut open = locked(&self.0.open);
        let now = self.0.clock.now();
        let until = now.tick.plus(milliseconds(self.0.within));
        if open.request.fail_again(until, digest::of(payload)) == Next::GiveUp {
            return false;
        }
        open.payload = payload.clone();
        open.patched = None;
        open.told = None;
        open.shown = self.0.show(&open, attempt, problem, now);
        self.0.settled.send_replace(State::Offered);
        true
    }

    /// Nobody waits for an answer any more.
    pub(super) fn close(&self) {
        let mut open = locked(&self.0.open);
        open.request.close();
        let state = open.request.state();
        drop(open);
        self.0.settled.send_replace(state);
    }
}

impl Open {
    fn refusal(&self, verdict: Verdict) -> Rejection {
        Rejection::fault(&match verdict {
            Verdict::Late => HealFault::Expired,
            Verdict::OtherBase => HealFault::OtherBase {
                base_hash: self.request.base().to_owned(),
            },
            Verdict::Second | Verdict::First | Verdict::Repeat => HealFault::Answered {
                answered_at: self.answered_at,
            },
        })
    }
}

impl Inner {
    /// The payload an answer would make: applied to a copy, and found to be what the step takes.
    fn try_on(&self, open: &Open, answer: &Answer) -> Result<Option<Value>, Rejection> {
        let Answer::Patch(patch) = answer else {
            return Ok(None);
        };
        let refused = |refused: Refused| Rejection::of(&refused);
        // A value that is not shown may not be found out by testing for it, nor by carrying it to where it is shown.
        let shows = |payload: &Value| self.shown_part(payload);
        let patched = patch.apply_seeing(&open.payload, &self.rules, &shows);
        let patched = patched.map_err(refused)?;
        (self.fits)(&patched).map_err(|problem| Rejection::invalid(&problem, patch))?;
        if let Some(check) = &self.check {
            check(&patched).map_err(|problem| Rejection::invalid(&problem, patch))?;
        }
        Ok(Some(patched))
    }

    fn reject(
        &self,
        open: &mut Open,
        by: &Responder,
        answer: Result<&Answer, &[u8]>,
        rejection: Rejection,
    ) -> Rejection {
        self.audit(open, by, answer, &rejection.reason, None, self.clock.now());
        let was_open = open.request.state() == State::Offered;
        if !was_open {
            return rejection;
        }
        let last = open.request.reject();
        if last {
            self.publish_result("denied", &[]);
            self.settled.send_replace(open.request.state());
        } else if open.request.rejected() <= TOLD
            && let Some(live) = &self.live
        {
            let status = Status {
                message: "An answer was refused.".to_owned(),
                phase: Some("healing_rejected".to_owned()),
                ..Status::default()
            };
            live.publish(&Draft::of(&Body::Status(status)), Weight::Status);
        }
        rejection
    }

    /// What the type of the step says about a value at that place which nothing takes.
    #[cfg(feature = "rmcp")]
    fn refused_at(&self, payload: &Value, pointer: &str) -> Option<ProblemDetails> {
        let nothing = serde_json::json!([[["?"]]]);
        let probe = serde_json::json!([{"op": "add", "path": pointer, "value": nothing}]);
        let everything = PatchRules::everything();
        let patch = Patch::read(probe.to_string().as_bytes(), &everything).ok()?;
        let probed = patch.apply(payload, &everything).ok()?;
        let problem = (self.fits)(&probed).err()?;
        let here = |named: &String| named == pointer || named.starts_with(&format!("{pointer}/"));
        problem.field_paths().iter().any(here).then_some(problem)
    }

    /// What is shown of a payload: the places that may be changed or read, without secrets.
    fn shown_part(&self, payload: &Value) -> Value {
        let mut part = Value::Object(serde_json::Map::new());
        self.rules.allow.part_of(payload, &mut part);
        self.rules.readable.part_of(payload, &mut part);
        self.rules.removable.part_of(payload, &mut part);
        redact::json(&mut part);
        part
    }

    fn show(
        &self,
        open: &Open,
        attempt: u32,
        problem: &ProblemDetails,
        now: Now,
    ) -> InteractiveHealingRequest {
        let snapshot = self.shown_part(&open.payload);
        let mut current = serde_json::Map::new();
        for (path, steps) in self.rules.allow.exact() {
            if let Some(value) = get(&snapshot, steps) {
                current.insert(path.to_owned(), value.clone());
            }
        }
        let problem = redact::problem(problem.clone(), redact::Policy::default());
        let code = problem.code().map_or("internal", Code::as_str);
        let message = problem.detail().or_else(|| problem.title());
        let list = |list: &crate::machine::patch::AllowList| {
            list.entries().map(str::to_owned).collect::<Vec<_>>()
        };
        let within = milliseconds(self.within);
        let expires = now.wall.get().saturating_add(within);
        InteractiveHealingRequest {
            request_id: self.id.clone(),
            step: Some(self.step.clone()),
            attempt: Some(attempt),
            round: Some(open.request.round()),
            error: serde_json::json!({"code": code, "message": message.unwrap_or_default()}),
            problem: serde_json::from_str(&problem.to_string()).ok(),
            allowed_patch_paths: list(&self.rules.allow),
            removable_paths: list(&self.rules.removable),
            snapshot: Some(snapshot),
            current: Some(Value::Object(current)),
            expires_at: Some(expires.div_ceil(1000)),
            expires_in_ms: Some(within),
            patch_url: self.patch_url.clone(),
            base_hash: Some(open.request.base().to_owned()),
            max_operations: Some(self.rules.limits.operations),
            answers: ["patch", "retry", "deny"].map(str::to_owned).to_vec(),
        }
    }

    fn publish_result(&self, outcome: &str, paths: &[String]) {
        if let Some(live) = &self.live {
            live.publish_kept(&Body::InteractiveHealingResult(InteractiveHealingResult {
                request_id: self.id.clone(),
                outcome: outcome.to_owned(),
                paths: paths.to_vec(),
            }));
        }
    }

    fn audit(
        &self,
        open: &Open,
        by: &Responder,
        answer: Result<&Answer, &[u8]>,
        outcome: &str,
        after: Option<String>,
        now: Now,
    ) {
        let (word, paths, hash) = match answer {
            Ok(Answer::Patch(patch)) => {
                let hash = digest::bytes(format!("{patch:?}").as_bytes());
                ("patch", patch.paths(), hash)
            }
            Ok(Answer::Retry) => ("retry", Vec::new(), digest::bytes(b"retry")),
            Ok(Answer::Deny) => ("deny", Vec::new(), digest::bytes(b"deny")),
            Err(bytes) => ("unread", Vec::new(), digest::bytes(bytes)),
        };
        let origin = self.live.as_ref().map(|live| &live.origin);
        let record = AuditRecord {
            ts_ms: now.wall.get(),
            request_id: self.id.clone(),
            step: self.step.clone(),
            session_id: origin.map(|origin| origin.session.to_string()),
            trace_id: origin.map(|origin| origin.trace.to_string()),
            who: by.who.clone(),
            channel: by.channel.to_owned(),
            answer: word,
            outcome: outcome.to_owned(),
            paths,
            patch_hash: hash,
            before_hash: open.request.base().to_owned(),
            after_hash: after,
        }
        .clean();
        record.log();
        if let Some(sink) = &self.sink {
            sink.record(&record);
        }
    }
}

/// Asks over the channels of a session: the question waits where POST and WebSocket find it.
pub(super) struct Channels(pub(super) Arc<Live>);

impl Asker for Channels {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        self.0.desk.put(question);
        Box::pin(async move {
            question.settled().await;
            match question.answer() {
                Some(reply) => reply,
                // Closed without an answer: whoever asked is gone, and so will be this.
                None => std::future::pending().await,
            }
        })
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("id", &self.0.id)
            .field("step", &self.0.step)
            .finish_non_exhaustive()
    }
}
