//! The tasks extension of 2026-07-28: a task is a session, and its id is that of the session.

use std::sync::Arc;

use aon::door::Occurrence;
use rmcp::model::{
    CallToolResponse, CreateTaskResult, CustomRequest, DetailedTask, ErrorCode, GetTaskResult,
    InputResponses, JsonObject, MetaObject, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Serialize;
use serde_json::Value;

use super::attach;
use super::call::{Call, Ended};
use super::fault::TaskFault;
use super::server::{SessionServer, is_modern};
use super::watch::LISTEN;
use crate::access::Caller;
use crate::clock::milliseconds;
use crate::event::{Body, Event};
use crate::fault::{Fault, TaskNotFound};
use crate::hub::live::{Live, Stop};
use crate::id::{Seq, SessionId};
use crate::store::Budget;
use crate::surface::mcp::SESSION_KEY;
use crate::time::utc;

/// What is asked about tasks.
const METHODS: [&str; 4] = ["tasks/get", "tasks/update", "tasks/cancel", LISTEN];
/// How often a client should ask, in milliseconds.
const POLL: u64 = 500;
/// How many of the last events are looked at for what is going on.
const LAST: u64 = 16;

impl<H: ServerHandler> SessionServer<H> {
    /// The answer to a call that became a task.
    pub(super) fn created(&self, call: &Arc<Call>) -> CreateTaskResult {
        let Some(live) = call.session.live() else {
            return CreateTaskResult::new(Task::default());
        };
        let mut result = CreateTaskResult::new(self.base(live, None));
        let mut meta = JsonObject::new();
        meta.insert(SESSION_KEY.to_owned(), attach::session(&self.hub, live));
        result.meta = Some(MetaObject(meta));
        result
    }

    pub(super) async fn task(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let Some((call, live)) = self.visible(id, context) else {
            let far = self.far(id, context).await;
            let far = far.ok_or_else(|| self.not_found("tasks/get", context))?;
            return Ok(GetTaskResult::new(self.detailed_far(&far, context).await));
        };
        Ok(GetTaskResult::new(
            self.detailed(&call, &live, context).await,
        ))
    }

    /// A task as it is now, with what it asks for or how it ended.
    pub(super) async fn detailed(
        &self,
        call: &Arc<Call>,
        live: &Live,
        context: &RequestContext<RoleServer>,
    ) -> DetailedTask {
        let payload = match call.ended() {
            None => {
                let owner = call.owner.as_ref();
                let mut requests = attach::requests(call);
                requests.retain(|_, _| Caller::may_heal(owner, owner));
                if requests.is_empty() {
                    TaskPayload::Working
                } else {
                    TaskPayload::InputRequired {
                        input_requests: requests,
                    }
                }
            }
            Some(Ended::Response(CallToolResponse::Complete(result))) => TaskPayload::Completed {
                result: object(&result),
            },
            Some(Ended::Response(_)) => TaskPayload::Failed {
                error: object(&ErrorData::internal_error(
                    "The tool asked for input after it had become a task.",
                    None,
                )),
            },
            Some(Ended::Failed(error)) => TaskPayload::Failed {
                error: object(&error),
            },
            Some(Ended::Stopped(Stop::Cancelled)) => TaskPayload::Cancelled,
            Some(Ended::Stopped(stop)) => {
                let failure = Occurrence::of(&stop.fault());
                let failed = self.server.failed(call.tool(), failure, context).await;
                TaskPayload::Completed {
                    result: object(&failed),
                }
            }
        };
        let task = self.base(live, said(live).await);
        DetailedTask::new(task, payload)
    }

    /// Takes answers; what is not asked, or not any more, is passed over.
    pub(super) async fn update(
        &self,
        id: &str,
        answers: &InputResponses,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some((call, _)) = self.visible(id, context) else {
            let far = self.far(id, context).await;
            let far = far.ok_or_else(|| self.not_found("tasks/update", context))?;
            self.update_far(&far, answers).await;
            return Ok(());
        };
        let by = attach::responder(&call);
        let owner = call.owner.as_ref();
        for (key, question) in call.questions() {
            if let Some(answer) = answers.get(&key)
                && Caller::may_heal(owner, owner)
            {
                attach::offer(&call, &question, answer, &by);
            }
        }
        Ok(())
    }

    pub(super) async fn cancel(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some((call, _)) = self.visible(id, context) else {
            let far = self.far(id, context).await;
            let far = far.ok_or_else(|| self.not_found("tasks/cancel", context))?;
            return self.cancel_far(&far, context).await;
        };
        if call.ended().is_none() {
            call.stop(Stop::Cancelled);
        }
        Ok(())
    }

    /// Whether it is a method of tasks, which comes as an unknown one because its parameters are not those of that method.
    pub(super) fn is_misread(
        &self,
        request: &CustomRequest,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        self.has_tasks() && is_modern(context) && METHODS.contains(&&*request.method)
    }

    /// Says which parameter is wrong.
    pub(super) fn misread(
        &self,
        request: &CustomRequest,
        context: &RequestContext<RoleServer>,
    ) -> ErrorData {
        let params = request.params.as_ref();
        let has_id = params.is_some_and(|params| params["taskId"].is_string());
        let (place, why) = match &*request.method {
            LISTEN => (
                "/notifications",
                "notifications must be an object that names what to listen to, such as taskIds",
            ),
            _ if !has_id => ("/taskId", "taskId must be the id of a task"),
            _ => (
                "/inputResponses",
                "inputResponses must be an object with answers under the keys of their questions",
            ),
        };
        let problem = aon::jsonrpc::invalid_params(why).with_pointer(place, Some(why));
        let failure = Occurrence::built_in(problem);
        let code = ErrorCode::INVALID_PARAMS;
        self.server
            .refused(&request.method, &failure, code, context)
    }

    fn not_found(&self, method: &str, context: &RequestContext<RoleServer>) -> ErrorData {
        // What cannot be looked up now may be there.
        let (failure, code) = if self.hub.trouble().is_some() {
            let failure = Occurrence::of(&Fault::StoreUnavailable);
            (failure, ErrorCode::INTERNAL_ERROR)
        } else {
            let failure = Occurrence::of(&TaskFault::from(TaskNotFound::TASK));
            (failure, ErrorCode::INVALID_PARAMS)
        };
        self.server.refused(method, &failure, code, context)
    }

    /// A task of this node, if it is there and its caller may see it. What is not there and what is not the caller's look the same.
    pub(super) fn visible(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Option<(Arc<Call>, Arc<Live>)> {
        let caller = self.caller(context).ok();
        let call = SessionId::parse(id).and_then(|id| self.calls.find(&self.hub, id));
        let call = call.filter(|call| {
            let sees =
                |caller: &Option<Caller>| Caller::may_see(caller.as_ref(), call.owner.as_ref());
            call.is_task() && caller.as_ref().is_some_and(sees)
        });
        let live = call.as_ref().and_then(|call| call.session.live().cloned());
        call.zip(live)
    }

    pub(super) fn base(&self, live: &Live, said: Option<(u64, Option<String>)>) -> Task {
        let created = live.created.wall.get();
        let (updated, message) = said.unwrap_or((created, None));
        let mut task = Task::new(
            live.origin.session.to_string(),
            TaskStatus::Working,
            utc(created),
            utc(updated),
        );
        // It is kept for that long after its end.
        let kept = milliseconds(self.hub.0.settings.retention);
        let open = live.end().map_or_else(
            || self.hub.0.clock.tick().since(live.created.tick),
            |end| end.at.tick.since(live.created.tick),
        );
        task.ttl_ms = Some(kept.saturating_add(open));
        task.poll_interval_ms = Some(POLL);
        task.status_message = message;
        task
    }
}

/// When something was said last, and what is going on.
async fn said(live: &Live) -> Option<(u64, Option<String>)> {
    let newest = live.log.tail().get().newest;
    let from = Seq::new(newest.get().saturating_sub(LAST).max(1));
    let page = live.log.page(from, Budget::default()).wait().await?;
    let mut at = None;
    let mut message = None;
    for frame in page.frames {
        let Ok(event) = Event::from_slice(&frame.seen(false).json()) else {
            continue;
        };
        at = Some(event.envelope.ts_ms);
        if let Body::Status(status) = event.body {
            message = Some(status.message);
        } else if let Body::Error(error) = event.body {
            message = Some(error.message);
        }
    }
    at.map(|at| (at, message))
}

pub(super) fn object<T: Serialize>(value: &T) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) => JsonObject::new(),
    }
}
