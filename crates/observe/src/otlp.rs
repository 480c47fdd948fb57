//! Spans over OTLP. They are made from what the hooks tell, with ids of our own, so that their trace is that of the events.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aon::door::{Emitted, Scope, Ticket};
use aon_live::observer::Signal;
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, IdGenerator as _, RandomIdGenerator, SpanData, SpanEvents, SpanLinks,
    SpanProcessor,
};

use crate::clock::{milliseconds, system, wall_ms};
use crate::names::attribute as name;
use crate::telemetry::{Asked, Telemetry};

mod calls;

/// The most sessions and problems that are kept in mind while their request goes on.
const MOST: usize = 10_000;

/// The most steps inside of each other.
const DEEPEST: usize = 16;

/// How spans travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// Protobuf over HTTP; the address ends in `/v1/traces`.
    Http,
    /// gRPC. Must be set up inside of a tokio runtime.
    Grpc,
}

impl Telemetry {
    /// Sends spans to a collector; whether this was the first call, which is the one that counts.
    ///
    /// # Errors
    ///
    /// When the address is not one, or the client cannot be made.
    pub fn trace_to(
        &self,
        transport: Transport,
        endpoint: &str,
        service: &str,
    ) -> Result<bool, ExporterBuildError> {
        let builder = SpanExporter::builder();
        let exporter = match transport {
            Transport::Http => builder
                .with_http()
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(endpoint)
                .build()?,
            Transport::Grpc => builder.with_tonic().with_endpoint(endpoint).build()?,
        };
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        let resource = Resource::builder()
            .with_service_name(service.to_owned())
            .build();
        processor.set_resource(&resource);
        Ok(self.0.spans.set(Spans::new(processor)).is_ok())
    }

    /// Sends what is waiting, and waits for it.
    pub fn flush_traces(&self) -> bool {
        let spans = self.0.spans.get();
        spans.is_none_or(|spans| spans.processor.force_flush().is_ok())
    }
}

/// A request whose head was sent.
pub(crate) struct Served<'a> {
    pub(crate) method: &'a str,
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) trace: Option<&'a str>,
    pub(crate) parent: Option<&'a str>,
    pub(crate) started: u64,
    pub(crate) took: Duration,
    pub(crate) span: SpanId,
    /// The code of its problem, where it is known.
    pub(crate) code: Option<String>,
}

/// A session that is open.
#[derive(Clone, Copy)]
struct Open {
    span: SpanId,
    parent: SpanId,
}

pub(crate) struct Spans {
    processor: BatchSpanProcessor,
    ids: RandomIdGenerator,
    scope: InstrumentationScope,
    sessions: Mutex<BTreeMap<[u8; 16], Open>>,
    /// The steps that run in a trace, the innermost last: one may begin before its session is opened.
    steps: Mutex<BTreeMap<[u8; 16], Vec<SpanId>>>,
    /// What is served in a trace, the innermost last: a request, and inside of it the call of a tool or method. A server may serve
    /// the call in a task of its own, where the thread says nothing.
    served: Mutex<BTreeMap<[u8; 16], Vec<SpanId>>>,
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spans")
    }
}

/// The span of a request, and the trace it brought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) span: SpanId,
    trace: Option<TraceId>,
}

thread_local! {
    /// The request that is being polled on this thread.
    static AROUND: Cell<Option<Around>> = const { Cell::new(None) };
    /// The code of the problem that left while it was polled.
    static LEFT: Cell<Option<String>> = const { Cell::new(None) };
}

/// Polls something inside of a request's span.
pub(crate) fn within<T>(around: Option<Around>, poll: impl FnOnce() -> T) -> T {
    struct Reset(Option<Around>);
    impl Drop for Reset {
        fn drop(&mut self) {
            AROUND.set(self.0);
        }
    }
    let _reset = Reset(AROUND.replace(around));
    // What left in another request on this thread is not ours.
    LEFT.set(None);
    poll()
}

/// The code of the problem that left in this request: one that passed the door inside of it, or one that waits for the layer
/// around it to write it.
pub(crate) fn problem_of(extensions: &mut http::Extensions) -> Option<String> {
    if let Some(code) = LEFT.take() {
        return Some(code);
    }
    let scope = Scope::current()?;
    let ticket = extensions.remove::<Ticket>()?;
    let Some(failure) = scope.redeem(ticket) else {
        extensions.insert(ticket);
        return None;
    };
    let code = failure
        .problem()
        .code()
        .map(|code| code.as_str().to_owned());
    extensions.insert(scope.hold(failure));
    code
}

/// What a span says.
struct Said {
    name: Cow<'static, str>,
    kind: SpanKind,
    trace: TraceId,
    span: SpanId,
    parent: SpanId,
    remote: bool,
    started: u64,
    ended: u64,
    attributes: Vec<KeyValue>,
    status: Status,
}

impl Spans {
    fn new(processor: BatchSpanProcessor) -> Self {
        Self {
            processor,
            ids: RandomIdGenerator::default(),
            scope: InstrumentationScope::builder("aon")
                .with_version(env!("CARGO_PKG_VERSION"))
                .build(),
            sessions: Mutex::default(),
            steps: Mutex::default(),
            served: Mutex::default(),
        }
    }

    pub(crate) fn new_span(&self) -> SpanId {
        self.ids.new_span_id()
    }

    fn new_trace(&self) -> TraceId {
        self.ids.new_trace_id()
    }

    fn send(&self, said: Said) {
        let flags = TraceFlags::SAMPLED;
        self.processor.on_end(SpanData {
            span_context: SpanContext::new(said.trace, said.span, flags, false, TraceState::NONE),
            parent_span_id: said.parent,
            parent_span_is_remote: said.remote,
            span_kind: said.kind,
            name: said.name,
            start_time: system(said.started),
            end_time: system(said.ended.max(said.started)),
            attributes: said.attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: said.status,
            instrumentation_scope: self.scope.clone(),
        });
    }

    /// A problem that passed the door: on the span of its request, or on one of its own where no request is measured.
    pub(crate) fn problem(&self, problem: &Emitted<'_>) {
        if AROUND.get().is_some() {
            LEFT.set(Some(problem.code.to_owned()));
        }
        let Some(trace) = problem.trace_id.and_then(trace_of) else {
            return;
        };
        // One that ended a call is on the span of the call.
        if matches!(problem.surface, "mcp" | "a2a") && !problem.in_call {
            let now = wall_ms();
            let failed = if problem.surface == "mcp" {
                "tool_error"
            } else {
                problem.code
            };
            self.send(Said {
                name: Cow::Borrowed(if problem.surface == "mcp" {
                    "message"
                } else {
                    "a2a"
                }),
                kind: SpanKind::Server,
                trace,
                span: self.new_span(),
                parent: AROUND.get().map_or(SpanId::INVALID, |around| around.span),
                remote: false,
                started: now,
                ended: now,
                attributes: vec![
                    KeyValue::new(name::ERROR_TYPE, failed.to_owned()),
                    KeyValue::new(name::PROBLEM_CODE, problem.code.to_owned()),
                    KeyValue::new(name::SURFACE, problem.surface),
                    KeyValue::new(name::RPC_STATUS, problem.status.to_string()),
                ],
                status: Status::error(problem.code.to_owned()),
            });
        }
    }

    /// A request, when its head was sent.
    pub(crate) fn request(&self, served: &Served<'_>) {
        let parent = served.parent.and_then(parent_of);
        let trace = served.trace.and_then(trace_of);
        let trace = trace.unwrap_or_else(|| self.new_trace());
        let mut attributes = vec![
            KeyValue::new(name::METHOD, served.method.to_owned()),
            KeyValue::new(name::ROUTE, served.route.to_owned()),
            KeyValue::new(name::STATUS, i64::from(served.status)),
        ];
        if served.status >= 400 {
            attributes.push(KeyValue::new(name::ERROR_TYPE, served.status.to_string()));
        }
        if let Some(code) = &served.code {
            attributes.push(KeyValue::new(name::PROBLEM_CODE, code.clone()));
        }
        // By the conventions a 4xx is the caller's failure and not the server's.
        let status = if served.status >= 500 {
            Status::error("")
        } else {
            Status::Unset
        };
        self.send(Said {
            name: Cow::Owned(format!("{} {}", served.method, served.route)),
            kind: SpanKind::Server,
            trace,
            span: served.span,
            parent: parent.unwrap_or(SpanId::INVALID),
            remote: parent.is_some(),
            started: served.started,
            ended: served.started.saturating_add(milliseconds(served.took)),
            attributes,
            status,
        });
    }

    /// An action of an agent that has ended.
    pub(crate) fn action(&self, method: &str, outcome: &str, took: Duration, trace: Option<&str>) {
        let trace = trace
            .and_then(trace_of)
            .unwrap_or_else(|| self.ids.new_trace_id());
        let now = wall_ms();
        let failed = outcome != "ok";
        let mut attributes = vec![KeyValue::new(name::OUTCOME, outcome.to_owned())];
        if failed {
            attributes.push(KeyValue::new(name::ERROR_TYPE, outcome.to_owned()));
        }
        self.send(Said {
            name: Cow::Owned(method.to_owned()),
            kind: SpanKind::Client,
            trace,
            span: self.new_span(),
            parent: self
                .session(trace)
                .map_or(SpanId::INVALID, |open| open.span),
            remote: false,
            started: now.saturating_sub(milliseconds(took)),
            ended: now,
            attributes,
            status: if failed {
                Status::error(outcome.to_owned())
            } else {
                Status::Unset
            },
        });
    }

    /// A wait for a person that is over.
    pub(crate) fn human(&self, asked: &Asked, at: u64, outcome: &str, trace: Option<&str>) {
        let Some(trace) = trace.and_then(trace_of) else {
            return;
        };
        let mut attributes = vec![KeyValue::new(name::OUTCOME, outcome.to_owned())];
        if let Some(step) = &asked.step {
            attributes.push(KeyValue::new(name::STEP, step.clone()));
        }
        self.send(Said {
            name: Cow::Borrowed("human wait"),
            kind: SpanKind::Internal,
            trace,
            span: self.new_span(),
            parent: self
                .session(trace)
                .map_or(SpanId::INVALID, |open| open.span),
            remote: false,
            started: asked.at,
            ended: at,
            attributes,
            status: Status::Unset,
        });
    }

    fn session(&self, trace: TraceId) -> Option<Open> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(&trace.to_bytes()).copied()
    }

    /// What runs in a trace now: its innermost step, its session, or the request around.
    fn inside(&self, trace: TraceId) -> SpanId {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let step = steps
            .get(&trace.to_bytes())
            .and_then(|running| running.last().copied());
        drop(steps);
        step.or_else(|| self.session(trace).map(|open| open.span))
            .unwrap_or_else(|| self.around(trace))
    }

    /// What serves a trace: the call of a tool or method, or else the request that is polled here.
    fn around(&self, trace: TraceId) -> SpanId {
        self.serving(trace)
            .or_else(|| AROUND.get().map(|around| around.span))
            .unwrap_or(SpanId::INVALID)
    }

    /// The innermost step of a trace has ended.
    fn leave_step(&self, trace: TraceId) -> Option<SpanId> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let running = steps.get_mut(&trace.to_bytes())?;
        let ended = running.pop();
        if running.is_empty() {
            steps.remove(&trace.to_bytes());
        }
        ended
    }

    /// A signal of the hub.
    pub(crate) fn seen(&self, signal: &Signal<'_>) {
        match *signal {
            Signal::SessionStarted { trace, .. } => {
                let Some(trace) = trace_of(trace.digits().as_str()) else {
                    return;
                };
                let open = Open {
                    span: self.new_span(),
                    parent: self.around(trace),
                };
                let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
                if sessions.len() < MOST {
                    sessions.insert(trace.to_bytes(), open);
                }
            }
            Signal::SessionEnded {
                session,
                trace,
                started,
                at,
                status,
                code,
                ..
            } => {
                let Some(trace) = trace_of(trace.digits().as_str()) else {
                    return;
                };
                let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
                let open = sessions.remove(&trace.to_bytes());
                drop(sessions);
                let mut attributes = vec![
                    KeyValue::new(name::SESSION, session.to_string()),
                    KeyValue::new(name::STATUS, i64::from(status)),
                ];
                if let Some(code) = code {
                    attributes.push(KeyValue::new(name::ERROR_TYPE, code.to_owned()));
                    attributes.push(KeyValue::new(name::PROBLEM_CODE, code.to_owned()));
                }
                self.send(Said {
                    name: Cow::Borrowed("session"),
                    kind: SpanKind::Internal,
                    trace,
                    span: open.map_or_else(|| self.new_span(), |open| open.span),
                    parent: open.map_or(SpanId::INVALID, |open| open.parent),
                    remote: false,
                    started,
                    ended: at,
                    attributes,
                    status: code.map_or(Status::Unset, |code| Status::error(code.to_owned())),
                });
            }
            Signal::Healing {
                action,
                outcome,
                attempt,
                trace,
                at,
            } => self.healing(action, outcome, attempt, trace, at),
            Signal::StepStarted { trace, .. } => {
                let trace = trace.and_then(|trace| trace_of(trace.digits().as_str()));
                let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(trace) = trace.filter(|_| steps.len() < MOST) {
                    let running = steps.entry(trace.to_bytes()).or_default();
                    if running.len() < DEEPEST {
                        running.push(self.new_span());
                    }
                }
            }
            Signal::Attempted {
                step,
                attempt,
                code,
                trace,
                started,
                at,
            } => self.part(trace, "attempt", step, (started, at), code, Some(attempt)),
            Signal::StepEnded {
                step,
                success,
                trace,
                started,
                at,
                ..
            } => {
                let failed = (!success).then_some("step_failed");
                self.part(trace, "step", step, (started, at), failed, None);
            }
            _ => {}
        }
    }

    /// A step of a session, or one attempt at it.
    fn part(
        &self,
        trace: Option<aon_live::id::TraceId>,
        what: &'static str,
        step: &str,
        (started, ended): (u64, u64),
        failed: Option<&str>,
        attempt: Option<u32>,
    ) {
        let Some(trace) = trace.and_then(|trace| trace_of(trace.digits().as_str())) else {
            return;
        };
        // A step leaves before its parent is looked for.
        let left = if attempt.is_none() {
            self.leave_step(trace)
        } else {
            None
        };
        let span = left.unwrap_or_else(|| self.new_span());
        let parent = self.inside(trace);
        let mut attributes = vec![KeyValue::new(name::STEP, step.to_owned())];
        if let Some(attempt) = attempt {
            attributes.push(KeyValue::new(name::ATTEMPT, i64::from(attempt)));
        }
        if let Some(failed) = failed {
            attributes.push(KeyValue::new(name::ERROR_TYPE, failed.to_owned()));
        }
        self.send(Said {
            name: Cow::Owned(format!("{what} {step}")),
            kind: SpanKind::Internal,
            trace,
            span,
            parent,
            remote: false,
            started,
            ended,
            attributes,
            status: failed.map_or(Status::Unset, |failed| Status::error(failed.to_owned())),
        });
    }

    /// A repair: a point in time, inside of the step it is for.
    fn healing(
        &self,
        action: &str,
        outcome: Option<&str>,
        attempt: Option<u64>,
        trace: Option<aon_live::id::TraceId>,
        at: u64,
    ) {
        let Some(trace) = trace.and_then(|trace| trace_of(trace.digits().as_str())) else {
            return;
        };
        let parent = self.inside(trace);
        let mut attributes = vec![KeyValue::new(name::ACTION, action.to_owned())];
        if let Some(attempt) = attempt {
            let attempt = i64::try_from(attempt).unwrap_or(i64::MAX);
            attributes.push(KeyValue::new(name::ATTEMPT, attempt));
        }
        if let Some(outcome) = outcome {
            attributes.push(KeyValue::new(name::OUTCOME, outcome.to_owned()));
        }
        self.send(Said {
            name: Cow::Owned(format!("healing {action}")),
            kind: SpanKind::Internal,
            trace,
            span: self.new_span(),
            parent,
            remote: false,
            started: at,
            ended: at,
            attributes,
            status: Status::Unset,
        });
    }
}

fn trace_of(text: &str) -> Option<TraceId> {
    let trace = TraceId::from_hex(text).ok()?;
    (trace != TraceId::INVALID && text.len() == 32).then_some(trace)
}

/// The span in a `traceparent`.
fn parent_of(header: &str) -> Option<SpanId> {
    let span = SpanId::from_hex(header.get(36..52)?).ok()?;
    (span != SpanId::INVALID).then_some(span)
}
