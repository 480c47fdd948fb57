//! Subscriptions to tasks: `subscriptions/listen` with `taskIds`, answered by `notifications/tasks`.
//!
//! rmcp's type of subscriptions does not have tasks yet, and its sink refuses their notification. So the transports of `aon` hand over
//! a subscription to tasks as a request of its own, and it is served here with rmcp's types for what is sent.

use std::sync::Arc;

use aon::door::Occurrence;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{
    ClientCapabilities, CustomNotification, CustomResult, DetailedTask, ErrorCode,
    NotificationMetaObject, SubscriptionsListenResult, TaskPayload, TaskStatus,
    TaskStatusNotification, TaskStatusNotificationParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::call::Call;
use super::elsewhere::Far;
use super::server::SessionServer;
use crate::hub::live::Live;

pub(super) const LISTEN: &str = "subscriptions/listen";
/// The most tasks of one subscription.
const MOST: usize = 256;

impl<H: ServerHandler> SessionServer<H> {
    /// Sends each task when the client subscribes, and whenever it goes on, asks or ends; over when all have ended.
    pub(super) async fn watch(
        &self,
        params: Option<&Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if !context
            .client_capabilities()
            .is_some_and(|able| able.supports_tasks())
        {
            let needed = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        let wanted = self.wanted(params, context)?;
        let mut tasks: Vec<(Arc<Call>, Arc<Live>)> = Vec::new();
        let mut elsewhere = Vec::new();
        for id in &wanted {
            match self.visible(id, context) {
                Some(task) => tasks.push(task),
                None => elsewhere.extend(self.far(id, context).await),
            }
        }
        let near = tasks
            .iter()
            .map(|(_, live)| live.origin.session.to_string());
        let accepted: Vec<String> = near.chain(elsewhere.iter().map(Far::id)).collect();
        let mut meta = NotificationMetaObject::new();
        meta.set_subscription_id(context.id.clone());
        let acknowledged = json!({"_meta": meta, "notifications": {"taskIds": accepted}});
        let acknowledged = CustomNotification::new(
            "notifications/subscriptions/acknowledged",
            Some(acknowledged),
        );
        // An error means that nobody is there any more, which the token of the request tells too.
        let _: Result<_, _> = context.peer.send_notification(acknowledged.into()).await;
        let near = tasks
            .iter()
            .map(|(call, live)| self.follow_task(call, live, &meta, context));
        let mut near: FuturesUnordered<_> = near.collect();
        let far = elsewhere
            .into_iter()
            .map(|far| self.follow_far(far, &meta, context));
        let mut far: FuturesUnordered<_> = far.collect();
        let near = async { while near.next().await.is_some() {} };
        let far = async { while far.next().await.is_some() {} };
        let all = async { tokio::join!(near, far) };
        tokio::select! {
            _ = all => {}
            () = context.ct.cancelled() => {}
        }
        let result = SubscriptionsListenResult::complete(context.id.clone());
        Ok(CustomResult(
            serde_json::to_value(result).unwrap_or_default(),
        ))
    }

    /// The tasks that a subscription names.
    fn wanted(
        &self,
        params: Option<&Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<String>, ErrorData> {
        let ids = params.and_then(|params| params.pointer("/notifications/taskIds"));
        let ids = ids
            .and_then(Value::as_array)
            .filter(|ids| ids.len() <= MOST);
        let ids = ids.and_then(|ids| {
            let texts = ids.iter().map(|id| id.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        let mut ids = ids.ok_or_else(|| {
            let why = format!("taskIds must be a list of at most {MOST} ids of tasks");
            let problem = aon::jsonrpc::invalid_params(&*why)
                .with_pointer("/notifications/taskIds", Some(&why));
            let failure = Occurrence::built_in(problem);
            self.server
                .refused(LISTEN, &failure, ErrorCode::INVALID_PARAMS, context)
        })?;
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    async fn follow_task(
        &self,
        call: &Arc<Call>,
        live: &Arc<Live>,
        meta: &NotificationMetaObject,
        context: &RequestContext<RoleServer>,
    ) {
        let mut tail = live.log.tail();
        let mut last = None;
        loop {
            tail.see();
            // Read first: whatever ends meanwhile is told the next time round.
            let ended = call.ended().is_some();
            let task = self.detailed(call, live, context).await;
            let told = tell(task, &mut last, meta, context).await;
            if !told || ended {
                return;
            }
            tokio::select! {
                changed = tail.changed() => if changed.is_err() { call.end().await; },
                _ = call.end() => {}
            }
        }
    }
}

/// Tells a subscriber of a task, if something has changed that it is told of. Whether somebody is there.
pub(super) async fn tell(
    task: DetailedTask,
    last: &mut Option<State>,
    meta: &NotificationMetaObject,
    context: &RequestContext<RoleServer>,
) -> bool {
    let state = state(&task);
    if last.as_ref() == Some(&state) {
        return true;
    }
    *last = Some(state);
    let params = TaskStatusNotificationParams::new(task).with_meta(meta.clone());
    let told = TaskStatusNotification::new(params).into();
    context.peer.send_notification(told).await.is_ok()
}

/// What has to change for a client to be told: the status, what is asked, what is said about it.
pub(super) type State = (TaskStatus, Vec<String>, Option<String>);

fn state(task: &DetailedTask) -> State {
    let mut asked = Vec::new();
    if let TaskPayload::InputRequired { input_requests } = &task.payload {
        asked.extend(input_requests.keys().cloned());
    }
    (task.status(), asked, task.task.status_message.clone())
}
