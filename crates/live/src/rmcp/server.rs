//! The server around a handler: each call is a session.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aon::door::Occurrence;
use aon::rmcp::{ProblemServer, Told};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ErrorCode, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::attach::{self, Asks, Attached, STATE};
use super::call::{Call, drive};
use super::elsewhere::{Marked, TASK};
use super::fault::TaskFault;
use super::table::Calls;
use crate::access::Caller;
use crate::fault::Fault;
use crate::hub::Hub;
use crate::id::{SessionId, TraceId};
use crate::machine::session::Weight;
use crate::session::{Session, draft};
use crate::surface::mcp::{Level, Projection};
use crate::sync::{Mutex, locked};

/// The longest progress token that is repeated; calls with a longer one get no notes of progress.
const MAX_PROGRESS_TOKEN: usize = 256;

/// Whether the calls of a tool may become tasks (`io.modelcontextprotocol/tasks`, 2026-07-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskSupport {
    /// Where the client knows tasks; any other waits for the result.
    Optional,
    /// Only clients that know tasks may call it.
    Required,
}

/// An rmcp handler whose calls are sessions of a hub.
///
/// It is a [`ServerHandler`] itself: serve it wherever the handler was served, over stdio or HTTP, in both protocol eras. A
/// clone is for another connection: it shares the tasks, but not the level of logs that a client has set.
pub struct SessionServer<H> {
    pub(super) server: Arc<ProblemServer<H>>,
    pub(super) hub: Hub,
    pub(super) calls: Arc<Calls>,
    tasks: Arc<BTreeMap<String, TaskSupport>>,
    pub(super) logs: bool,
    settle: Duration,
    level: Mutex<Option<Level>>,
}

impl<H> Clone for SessionServer<H> {
    fn clone(&self) -> Self {
        Self {
            server: Arc::clone(&self.server),
            hub: self.hub.clone(),
            calls: Arc::clone(&self.calls),
            tasks: Arc::clone(&self.tasks),
            logs: self.logs,
            settle: self.settle,
            level: Mutex::default(),
        }
    }
}

impl<H> fmt::Debug for SessionServer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionServer")
            .field("tasks", &self.tasks)
            .finish_non_exhaustive()
    }
}

impl<H: ServerHandler> SessionServer<H> {
    /// Makes the calls of a server sessions of this hub.
    pub fn new(server: ProblemServer<H>, hub: &Hub) -> Self {
        Self {
            server: Arc::new(server),
            hub: hub.clone(),
            calls: Arc::default(),
            tasks: Arc::default(),
            logs: false,
            settle: Duration::from_millis(20),
            level: Mutex::default(),
        }
    }

    /// Lets the calls of a tool become tasks.
    #[must_use]
    pub fn with_tasks(mut self, tool: impl Into<String>, support: TaskSupport) -> Self {
        Arc::make_mut(&mut self.tasks).insert(tool.into(), support);
        self
    }

    /// Declares log messages: events as `notifications/message`, from the level on that the client sets.
    #[must_use]
    pub const fn with_logs(mut self) -> Self {
        self.logs = true;
        self
    }

    /// How long a call that may become a task is waited for: one that is done by then is answered at once. 20 milliseconds.
    #[must_use]
    pub const fn with_settle(mut self, settle: Duration) -> Self {
        self.settle = settle;
        self
    }

    pub(super) fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    pub(super) fn set_log_level<L: Serialize>(&self, level: L) {
        *locked(&self.level) = level_of(level);
    }

    /// Who calls, as far as the hub knows callers.
    pub(super) fn caller(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<Caller>, Fault> {
        let settings = &self.hub.0.settings;
        match context.extensions.get::<http::request::Parts>() {
            Some(parts) if settings.knows_callers => {
                let admitted = settings.identify.admit(parts);
                admitted.map_err(|_bad| Fault::InvalidToken)
            }
            Some(_) | None => Ok(None),
        }
    }

    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let owner = match self.caller(&context) {
            Ok(owner) => owner,
            Err(fault) => return self.fail(&request, &fault, &context).await,
        };
        if let Some(state) = request.request_state.as_deref()
            && let Some(id) = state.strip_prefix(STATE)
        {
            return self.resume(id, &request, owner.as_ref(), &context).await;
        }
        let support = self.tasks.get(&*request.name).copied();
        let knows_tasks = is_modern(&context)
            && context
                .client_capabilities()
                .is_some_and(|able| able.supports_tasks());
        if support == Some(TaskSupport::Required) && !knows_tasks {
            let needed = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        let as_task = support.is_some() && knows_tasks;
        let room = self.hub.reserve(None);
        if let (true, Err(fault)) = (as_task, &room) {
            return self.fail(&request, fault, &context).await;
        }
        let trace = trace_of(&context);
        let session = match room {
            Ok(room) => Session::glass(&self.hub, room, trace, owner.clone()),
            // Nobody can follow it, and it works all the same.
            Err(_full) => Session::black(&self.hub, trace, owner.clone()),
        };
        let call = Arc::new(Call::new(session, owner, &request));
        let attached = self.attached(&call, &context);
        if attached.projection.is_wanted() && !as_task {
            call.session.begin();
        }
        if is_modern(&context) {
            self.outliving(call, request, &context, attached, as_task)
                .await
        } else {
            // A handler that asks the client itself has to do so in the task of its request.
            let told = told(&attached);
            let own = prepared(context.clone(), &call, &told);
            let work = drive(
                Arc::clone(&self.server),
                Arc::clone(&call),
                request,
                own,
                told,
            );
            let mut work = std::pin::pin!(work);
            let mut follow = std::pin::pin!(attached.follow(&call));
            let mut done = false;
            loop {
                tokio::select! {
                    biased;
                    () = &mut work, if !done => done = true,
                    response = &mut follow => return response,
                }
            }
        }
    }

    /// A call that may go on after its request: as a task, or while a person is asked.
    async fn outliving(
        &self,
        call: Arc<Call>,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        attached: Attached<'_, H>,
        as_task: bool,
    ) -> Result<CallToolResponse, ErrorData> {
        let told = if as_task {
            Told::in_full()
        } else {
            told(&attached)
        };
        // The token of the request ends with its response, and the call may not.
        let mut own = RequestContext::new(context.id.clone(), context.peer.clone());
        own.meta = context.meta.clone();
        own.extensions = context.extensions.clone();
        let own = prepared(own, &call, &told);
        let work = drive(
            Arc::clone(&self.server),
            Arc::clone(&call),
            request,
            own,
            told,
        );
        let mut work = Box::pin(work);
        if as_task {
            let quick = timeout(self.settle, &mut work).await.is_ok();
            if !quick {
                call.session.begin();
                call.mark_task();
                if let (Some(id), Some(live)) = (call.session.id(), call.session.live()) {
                    self.calls.keep(&self.hub, id, &call);
                    let tool = call.tool().to_owned();
                    live.publish(&draft(TASK, &Marked { tool }), Weight::Kept);
                    tokio::spawn(work);
                    // Whoever is told of it finds it at every node.
                    live.stored().await;
                    return Ok(CallToolResponse::Task(self.created(&call)));
                }
            }
        } else {
            let work = tokio::spawn(work);
            call.worked_by(work.abort_handle());
        }
        self.followed(&call, attached).await
    }

    async fn followed(
        &self,
        call: &Arc<Call>,
        attached: Attached<'_, H>,
    ) -> Result<CallToolResponse, ErrorData> {
        let response = attached.follow(call).await;
        if let Some(id) = call.session.id() {
            if call.ended().is_none() {
                self.calls.keep(&self.hub, id, call);
            } else if !call.is_task() {
                self.calls.forget(id);
            }
        }
        response
    }

    /// The same call again, with answers to what it asked.
    async fn resume(
        &self,
        id: &str,
        request: &CallToolRequestParams,
        caller: Option<&Caller>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = SessionId::parse(id).and_then(|id| self.calls.find(&self.hub, id));
        let call = call.filter(|call| {
            !call.is_task() && call.is(request) && Caller::may_see(caller, call.owner.as_ref())
        });
        let Some(call) = call else {
            if let Some(response) = self.resume_far(id, request, caller, context).await {
                return Ok(response);
            }
            let gone = Occurrence::of(&TaskFault::QuestionGone);
            let code = ErrorCode::INVALID_PARAMS;
            return Err(self.server.refused("tools/call", &gone, code, context));
        };
        let by = attach::responder(&call);
        for (key, question) in call.questions() {
            if let Some(answer) = request
                .input_responses
                .as_ref()
                .and_then(|all| all.get(&key))
            {
                attach::offer(&call, &question, answer, &by);
            }
        }
        // What was refused, or not answered, is asked again.
        if let Some(input) = attach::input_required(&call) {
            return Ok(CallToolResponse::InputRequired(input));
        }
        let attached = self.attached(&call, context);
        self.followed(&call, attached).await
    }

    fn attached<'a>(
        &'a self,
        call: &Call,
        context: &'a RequestContext<RoleServer>,
    ) -> Attached<'a, H> {
        let owner = call.owner.as_ref();
        let able = context.client_capabilities();
        let asks = if !has_forms(able.as_ref()) || !Caller::may_heal(owner, owner) {
            Asks::Nobody
        } else if is_modern(context) {
            Asks::InputRequired
        } else {
            Asks::Elicitation
        };
        let mut projection = Projection::new();
        if let Some(token) = context.meta.get_progress_token() {
            let token = serde_json::to_value(token).unwrap_or_default();
            // Every note repeats it.
            if token
                .as_str()
                .is_none_or(|token| token.len() <= MAX_PROGRESS_TOKEN)
            {
                projection = projection.with_token(token);
            }
        }
        let level = if is_modern(context) {
            context.meta.log_level().and_then(level_of)
        } else {
            *locked(&self.level)
        };
        if let Some(level) = level.filter(|_| self.logs) {
            projection = projection.with_level(level);
        }
        Attached {
            server: &self.server,
            hub: &self.hub,
            context,
            asks,
            projection,
        }
    }

    async fn fail(
        &self,
        request: &CallToolRequestParams,
        fault: &Fault,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let failure = Occurrence::of(fault);
        let failed = self.server.failed(&request.name, failure, context).await;
        Ok(failed.into())
    }
}

/// An answer that may follow other messages is written out here.
fn told<H>(attached: &Attached<'_, H>) -> Told {
    if attached.projection.is_wanted() || attached.asks != Asks::Nobody {
        Told::in_full()
    } else {
        Told::new()
    }
}

/// The context a tool is called with.
fn prepared(
    mut context: RequestContext<RoleServer>,
    call: &Call,
    told: &Told,
) -> RequestContext<RoleServer> {
    context.extensions.insert(call.session.clone());
    context.extensions.insert(told.clone());
    context
}

pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Whether a client shows forms: it says so, or says nothing but that it can be asked.
fn has_forms(able: Option<&ClientCapabilities>) -> bool {
    let asked = able.and_then(|able| able.elicitation.as_ref());
    asked.is_some_and(|asked| asked.form.is_some() || asked.url.is_none())
}

/// The trace of a request: in its `_meta`, or in the header around it.
fn trace_of(context: &RequestContext<RoleServer>) -> Option<TraceId> {
    let own = context.meta.get_traceparent();
    let own = own.and_then(TraceId::of_traceparent);
    own.or_else(|| {
        let parts = context.extensions.get::<http::request::Parts>()?;
        TraceId::of_traceparent(parts.headers.get("traceparent")?.to_str().ok()?)
    })
}

fn level_of<L: Serialize>(level: L) -> Option<Level> {
    match serde_json::to_value(level) {
        Ok(Value::String(word)) => Level::from_word(&word),
        Ok(_) | Err(_) => None,
    }
}
