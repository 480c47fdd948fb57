//! Tasks of other nodes: what they are is read from the log they share, and what is said to them goes to the node that runs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use aon::door::Occurrence;
use rmcp::model::{DetailedTask, ErrorCode, InputRequest, InputResponses, JsonObject, TaskPayload};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::attach;
use super::server::SessionServer;
use super::tasks::object;
use crate::access::Caller;
use crate::channel::heal::forward;
use crate::event::{Body, Event, InteractiveHealingRequest};
use crate::fault::Fault;
use crate::hub::inbox::{Letter, Said};
use crate::hub::live::Live;
use crate::id::{Seq, SessionId};
use crate::store::Budget;
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
    questions: BTreeMap<String, InteractiveHealingRequest>,
    said: Option<(u64, Option<String>)>,
    end: Option<Body>,
}

impl Far {
    /// Reads a log; `None` where it does not say that it is one of a task.
    async fn read(live: Arc<Live>, caller: Option<Caller>) -> Option<Self> {
        let mut far = Self {
            live,
            caller,
            tool: String::new(),
            questions: BTreeMap::new(),
            said: None,
            end: None,
        };
        let mut next = Seq::FIRST;
        while far.live.log.tail().borrow().newest >= next {
            let page = far.live.log.page(next, Budget::default()).wait().await?;
            let last = page.frames.last()?.seq();
            for frame in page.frames {
                if let Ok(event) = Event::from_slice(&frame.seen(false).json()) {
                    far.apply(event);
                }
            }
            next = last.next();
        }
        (!far.tool.is_empty()).then_some(far)
    }

    fn apply(&mut self, event: Event) {
        let mut message = self.said.take().and_then(|(_, message)| message);
        match event.body {
            Body::Other(other) if other.kind == TASK => {
                let marked = other.data().and_then(|data| Marked::deserialize(data).ok());
                self.tool = marked.map_or_else(String::new, |marked| marked.tool);
            }
            Body::InteractiveHealingRequest(request) => {
                self.questions.insert(request.request_id.clone(), *request);
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
            None => {
                let asked = far.questions.iter().filter_map(|(id, request)| {
                    let request = attach::asked(&Far::form(request))?;
                    Some((format!("{id}-0"), InputRequest::Elicitation(request)))
                });
                TaskPayload::InputRequired {
                    input_requests: asked.collect(),
                }
            }
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
            let id = key.rsplit_once('-').map_or(&**key, |(id, _)| id);
            let Some(request) = far.questions.get(id) else {
                continue;
            };
            let answer = serde_json::to_value(answer).unwrap_or_default();
            let (patch, words) = match answer["action"].as_str() {
                Some("accept") => match Far::form(request).patch(&answer["content"]) {
                    Ok(Some(patch)) => (String::from_utf8(patch).ok(), None),
                    Ok(None) => (None, Some(json!({"retry": true}))),
                    Err(_misfit) => continue,
                },
                Some("decline" | "cancel") => (None, Some(json!({"deny": true}))),
                _ => continue,
            };
            let letter = Letter::Answer(Box::new(Said {
                request_id: Some(id.to_owned()),
                patch,
                words: words.as_ref().map(Value::to_string),
                base: None,
                who: far.caller.as_ref().map(|caller| caller.subject.clone()),
                socket: false,
            }));
            // A refusal is told there, to all who follow the session.
            let _: Result<Value, _> = forward(&self.hub, &far.live, letter).await;
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
