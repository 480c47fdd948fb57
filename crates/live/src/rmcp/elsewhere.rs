//! Tasks of other nodes: what they are is read from the log they share, and what is said to them goes to the node that runs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use aon::door::Occurrence;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, DetailedTask, ErrorCode, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, JsonObject, MetaObject,
    NotificationMetaObject, TaskPayload,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::attach::{self, STATE};
use super::server::SessionServer;
use super::tasks::object;
use super::watch::tell;
use crate::access::Caller;
use crate::channel::heal::forward;
use crate::event::{Body, Event, InteractiveHealingRequest};
use crate::fault::Fault;
use crate::hub::inbox::{Letter, Said};
use crate::hub::live::Live;
use crate::id::{Seq, SessionId};
use crate::store::Budget;
use crate::surface::mcp::SESSION_KEY;
use crate::surface::mcp::form::{Form, Wanted};

/// The event that says that a session is a task of MCP.
pub(super) const TASK: &str = "mcp_task";

/// What it says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Marked {
    pub(super) tool: String,
}

/// A task that another node runs, as far as its log tells.
pub(super) struct Far {
    live: Arc<Live>,
    caller: Option<Caller>,
    tool: String,
    /// Where its log is read on.
    next: Seq,
    questions: BTreeMap<String, InteractiveHealingRequest>,
    /// How often each question was asked.
    rounds: BTreeMap<String, u32>,
    said: Option<(u64, Option<String>)>,
    end: Option<Body>,
}

impl Far {
    /// Reads a log; `None` where it does not say that it is one of a task.
    async fn read(live: Arc<Live>, caller: Option<Caller>) -> Option<Self> {
        let far = Self::of(live, caller).await?;
        far.is_task().then_some(far)
    }

    /// Reads a log, of whatever it is.
    async fn of(live: Arc<Live>, caller: Option<Caller>) -> Option<Self> {
        let mut far = Self {
            live,
            caller,
            tool: String::new(),
            next: Seq::FIRST,
            questions: BTreeMap::new(),
            rounds: BTreeMap::new(),
            said: None,
            end: None,
        };
        far.catch_up().await?;
        Some(far)
    }

    /// Reads what has come meanwhile.
    async fn catch_up(&mut self) -> Option<()> {
        while self.live.log.tail().get().newest >= self.next {
            let page = self.live.log.page(self.next, Budget::default());
            let page = page.wait().await?;
            let last = page.frames.last()?.seq();
            for frame in page.frames {
                if let Ok(event) = Event::from_slice(&frame.seen(false).json()) {
                    self.apply(event);
                }
            }
            self.next = last.next();
        }
        Some(())
    }

    const fn is_task(&self) -> bool {
        !self.tool.is_empty()
    }

    pub(super) fn id(&self) -> String {
        self.live.origin.session.to_string()
    }

    /// What is asked, but for the questions that were answered in the round they are in.
    fn requests(&self, answered: &BTreeMap<String, u32>) -> InputRequests {
        let open = self.questions.iter().filter(|(id, _)| {
            let round = self.rounds.get(*id);
            round.is_none() || answered.get(*id) != round
        });
        let asked = open.filter_map(|(id, request)| {
            let request = attach::asked(&Self::form(request))?;
            Some((format!("{id}-0"), InputRequest::Elicitation(request)))
        });
        asked.collect()
    }

    fn apply(&mut self, event: Event) {
        let mut message = self.said.take().and_then(|(_, message)| message);
        match event.body {
            Body::Other(other) if other.kind == TASK => {
                let marked = other.data().and_then(|data| Marked::deserialize(data).ok());
                self.tool = marked.map_or_else(String::new, |marked| marked.tool);
            }
            Body::InteractiveHealingRequest(request) => {
                let id = request.request_id.clone();
                *self.rounds.entry(id.clone()).or_default() += 1;
                self.questions.insert(id, *request);
            }
            Body::InteractiveHealingResult(result) => {
                self.questions.remove(&result.request_id);
            }
            Body::Status(status) => message = Some(status.message),
            Body::Error(error) => {
                message = Some(error.message.clone());
                self.end = Some(Body::Error(error));
            }
            end @ Body::Result(_) => self.end = Some(end),
            Body::Session(_)
            | Body::IntentAnalysis(_)
            | Body::Healing(_)
            | Body::Gap(_)
            | Body::ReplayComplete(_)
            | Body::Heartbeat(_)
            | Body::Other(_) => {}
        }
        self.said = Some((event.envelope.ts_ms, message));
    }

    fn form(request: &InteractiveHealingRequest) -> Form {
        Form::of(request, &|_: &str| Wanted::default())
    }

    fn may_heal(&self) -> bool {
        Caller::may_heal(self.caller.as_ref(), self.live.owner.as_ref())
    }
}

impl<H: ServerHandler> SessionServer<H> {
    /// The task of another node, if it is one and its caller may see it.
    pub(super) async fn far(&self, id: &str, context: &RequestContext<RoleServer>) -> Option<Far> {
        let caller = self.caller(context).ok()?;
        let live = self.hub.find(SessionId::parse(id)?).await?;
        if !live.is_elsewhere() || !Caller::may_see(caller.as_ref(), live.owner.as_ref()) {
            return None;
        }
        Far::read(live, caller).await
    }

    pub(super) async fn detailed_far(
        &self,
        far: &Far,
        context: &RequestContext<RoleServer>,
    ) -> DetailedTask {
        let payload = match &far.end {
            None if far.questions.is_empty() || !far.may_heal() => TaskPayload::Working,
            None => TaskPayload::InputRequired {
                input_requests: far.requests(&BTreeMap::new()),
            },
            Some(Body::Error(error)) if error.code == "cancelled" => TaskPayload::Cancelled,
            Some(Body::Error(error)) => {
                let failure = Occurrence::built_in(error.problem.clone());
                let failed = self.server.failed(&far.tool, failure, context).await;
                TaskPayload::Completed {
                    result: object(&failed),
                }
            }
            Some(Body::Result(result)) => TaskPayload::Completed {
                result: serde_json::from_str(result.data.get())
                    .unwrap_or_else(|_other| JsonObject::new()),
            },
            Some(_) => TaskPayload::Working,
        };
        DetailedTask::new(self.base(&far.live, far.said.clone()), payload)
    }

    /// Passes answers on; what is not asked, or refused there, is passed over.
    pub(super) async fn update_far(&self, far: &Far, answers: &InputResponses) {
        if !far.may_heal() || far.end.is_some() {
            return;
        }
        for (key, answer) in answers {
            self.answer_far(far, key, answer).await;
        }
    }

    /// Passes an answer on. The question that it was taken for; a refusal is told there, to all who follow the session.
    async fn answer_far<A: Serialize>(&self, far: &Far, key: &str, answer: &A) -> Option<String> {
        let id = key.rsplit_once('-').map_or(key, |(id, _)| id);
        let request = far.questions.get(id)?;
        let answer = serde_json::to_value(answer).unwrap_or_default();
        let (patch, words) = match answer["action"].as_str()? {
            "accept" => match Far::form(request).patch(&answer["content"]).ok()? {
                Some(patch) => (String::from_utf8(patch).ok(), None),
                None => (None, Some(json!({"retry": true}))),
            },
            "decline" | "cancel" => (None, Some(json!({"deny": true}))),
            _ => return None,
        };
        let letter = Letter::Answer(Box::new(Said {
            request_id: Some(id.to_owned()),
            patch,
            words: words.as_ref().map(Value::to_string),
            base: None,
            who: far.caller.as_ref().map(|caller| caller.subject.clone()),
            socket: false,
        }));
        let taken: Result<Value, _> = forward(&self.hub, &far.live, letter).await;
        taken.is_ok().then(|| id.to_owned())
    }

    /// The same call again at a node that does not run it: answers go to the node that does, and the log says what became of them.
    /// `None` where there is no such call for this caller.
    pub(super) async fn resume_far(
        &self,
        id: &str,
        request: &CallToolRequestParams,
        caller: Option<&Caller>,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let live = self.hub.find(SessionId::parse(id)?).await?;
        if !live.is_elsewhere() || !Caller::may_see(caller, live.owner.as_ref()) {
            return None;
        }
        let mut tail = live.log.tail();
        let mut far = Far::of(live, caller.cloned()).await?;
        if far.is_task() || far.rounds.is_empty() || !far.may_heal() {
            return None;
        }
        let mut answered = BTreeMap::new();
        for (key, answer) in request.input_responses.iter().flatten() {
            if let Some(id) = self.answer_far(&far, key, answer).await
                && let Some(round) = far.rounds.get(&id)
            {
                answered.insert(id, *round);
            }
        }
        loop {
            tail.see();
            far.catch_up().await?;
            if far.end.is_some() {
                return self.response_far(&far, &request.name, context).await;
            }
            let requests = far.requests(&answered);
            if !requests.is_empty() {
                let state = format!("{STATE}{id}");
                let asked = InputRequiredResult::new(Some(requests), Some(state));
                return Some(CallToolResponse::InputRequired(asked));
            }
            tokio::select! {
                changed = tail.changed() => changed.ok()?,
                () = context.ct.cancelled() => {
                    // Nobody waits for the answer any more, so the work ends, as it does where it runs.
                    let session = far.live.origin.session;
                    let _: Result<_, _> = self.hub.write_to(session, &Letter::Cancel).await;
                    return None;
                }
            }
        }
    }

    /// The end of a call that another node ran; `None` where the session was not a call.
    async fn response_far(
        &self,
        far: &Far,
        tool: &str,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let mut result: CallToolResult = match &far.end {
            Some(Body::Error(error)) => {
                let failure = Occurrence::built_in(error.problem.clone());
                self.server.failed(tool, failure, context).await
            }
            Some(Body::Result(result)) => serde_json::from_str(result.data.get()).ok()?,
            Some(_) | None => return None,
        };
        let meta = result.meta.get_or_insert_with(MetaObject::default);
        let session = attach::session(&self.hub, &far.live);
        meta.0.insert(SESSION_KEY.to_owned(), session);
        Some(CallToolResponse::Complete(result))
    }

    /// Tells a subscriber of a task of another node.
    pub(super) async fn follow_far(
        &self,
        mut far: Far,
        meta: &NotificationMetaObject,
        context: &RequestContext<RoleServer>,
    ) {
        let mut tail = far.live.log.tail();
        let mut last = None;
        loop {
            tail.see();
            if far.catch_up().await.is_none() {
                return;
            }
            let task = self.detailed_far(&far, context).await;
            let told = tell(task, &mut last, meta, context).await;
            if !told || far.end.is_some() || tail.changed().await.is_err() {
                return;
            }
        }
    }

    pub(super) async fn cancel_far(
        &self,
        far: &Far,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if far.end.is_some() {
            return Ok(());
        }
        let session = far.live.origin.session;
        match self.hub.write_to(session, &Letter::Cancel).await {
            // It is stored, so whoever runs the task gets it.
            Ok(_) | Err(Fault::NodeSilent) => Ok(()),
            Err(fault) => {
                let failure = Occurrence::of(&fault);
                let code = ErrorCode::INTERNAL_ERROR;
                Err(self.server.refused("tasks/cancel", &failure, code, context))
            }
        }
    }
}
