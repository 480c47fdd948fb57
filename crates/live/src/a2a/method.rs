//! What can be asked of an agent, by the names of both versions.

use aon::Failure;
use serde_json::Value;

use super::fault::{AgentFault, invalid};
use super::push::Verb;
use super::send::{Sent, send};
use super::stream::Source;
use super::task::Entry;
use super::{Agent, Asked, list};
use crate::fault::{Fault, TaskNotFound};
use crate::hub::inbox::Letter;
use crate::hub::live::Stop;
use crate::surface::a2a::{Dialect, Update};

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    Push(Verb),
    ExtendedCard,
}

/// Each by its names in 1.0 and in 0.3.
const METHODS: [(Method, &str, &str); 11] = [
    (Method::Send, "SendMessage", "message/send"),
    (Method::Stream, "SendStreamingMessage", "message/stream"),
    (Method::Get, "GetTask", "tasks/get"),
    (Method::List, "ListTasks", "tasks/list"),
    (Method::Cancel, "CancelTask", "tasks/cancel"),
    (Method::Subscribe, "SubscribeToTask", "tasks/resubscribe"),
    (
        Method::Push(Verb::Create),
        "CreateTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/set",
    ),
    (
        Method::Push(Verb::Get),
        "GetTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/get",
    ),
    (
        Method::Push(Verb::List),
        "ListTaskPushNotificationConfigs",
        "tasks/pushNotificationConfig/list",
    ),
    (
        Method::Push(Verb::Delete),
        "DeleteTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/delete",
    ),
    (
        Method::ExtendedCard,
        "GetExtendedAgentCard",
        "agent/getAuthenticatedExtendedCard",
    ),
];

impl Method {
    /// The method of a name. Version 1.0 has names of its own; whoever names no version may use either.
    pub(super) fn find(name: &str, official: bool) -> Result<(Self, Dialect), Failure> {
        let found = METHODS.iter().find_map(|(method, new, old)| match name {
            name if name == *new => Some((*method, Dialect::V10)),
            name if name == *old && !official => Some((*method, Dialect::V03)),
            _ => None,
        });
        found.ok_or_else(|| {
            let new = METHODS.iter().map(|(_, new, _)| *new);
            let old = METHODS.iter().map(|(_, _, old)| *old).filter(|_| !official);
            Failure::built_in(aon::jsonrpc::method_not_found(name, new.chain(old)))
        })
    }
}

/// What is answered: a document, or a stream.
pub(super) enum Answer {
    Whole(Value),
    Stream(Source),
}

impl Agent {
    /// Answers what is asked.
    pub(super) async fn ask(
        &self,
        method: Method,
        asked: &Asked,
        params: &Value,
    ) -> Result<Answer, Failure> {
        match method {
            Method::Send => {
                let (sent, wish) = send(self, asked, params, false).await?;
                let update = match sent {
                    Sent::Answered(message) => Update::Message(Box::new(message)),
                    Sent::Began(entry) | Sent::Went(entry) => {
                        let task = if wish.at_once {
                            entry.now().await.seen(asked.detail)
                        } else {
                            entry.settled(asked.detail).await
                        };
                        Update::Task(Box::new(task.with_history(wish.history)))
                    }
                };
                Ok(Answer::Whole(update.to_json(asked.dialect)))
            }
            Method::Stream => {
                let hub = &self.0.hub;
                let (sent, _) = send(self, asked, params, true).await?;
                Ok(Answer::Stream(match sent {
                    Sent::Answered(message) => Source::Message(message),
                    Sent::Began(entry) => Source::begun(hub, &entry, asked).await?,
                    Sent::Went(entry) => Source::continued(hub, &entry, asked).await?,
                }))
            }
            Method::Get => {
                let entry = self.named(asked, params).await?;
                let length = super::history(params.get("historyLength"), "/historyLength")?;
                let task = entry.now().await.seen(asked.detail);
                let task = task.with_history(length);
                Ok(Answer::Whole(task.to_json(asked.dialect)))
            }
            Method::List => list::list(self, asked, params).await.map(Answer::Whole),
            Method::Cancel => {
                let entry = self.named(asked, params).await?;
                self.cancel(&entry).await?;
                let task = entry.now().await.seen(asked.detail);
                Ok(Answer::Whole(task.to_json(asked.dialect)))
            }
            Method::Subscribe => {
                let entry = self.named(asked, params).await?;
                Source::subscribed(&self.0.hub, &entry, asked)
                    .await
                    .map(Answer::Stream)
            }
            Method::Push(verb) => self.push(verb, asked, params).await.map(Answer::Whole),
            Method::ExtendedCard => self.extended_card(asked).map(Answer::Whole),
        }
    }

    /// The task whose id stands in the parameters.
    async fn named(&self, asked: &Asked, params: &Value) -> Result<std::sync::Arc<Entry>, Failure> {
        match params.get("id") {
            Some(Value::String(id)) if !id.is_empty() => self.find(asked, id).await,
            None | Some(Value::Null | Value::String(_)) => {
                Err(invalid("/id", "the id of the task is required"))
            }
            Some(_) => Err(invalid("/id", "the id of the task must be a string")),
        }
    }

    pub(super) async fn find(
        &self,
        asked: &Asked,
        id: &str,
    ) -> Result<std::sync::Arc<Entry>, Failure> {
        let found = self
            .0
            .tasks
            .find(id, asked.caller.as_ref(), &self.0.hub)
            .await;
        found.ok_or_else(|| {
            // What cannot be looked up now may be there.
            if self.0.hub.trouble().is_some() {
                Fault::StoreUnavailable.into()
            } else {
                AgentFault::from(TaskNotFound::TASK).failure()
            }
        })
    }

    /// Asks the work to end, and waits a little for it to do so.
    async fn cancel(&self, entry: &Entry) -> Result<(), Failure> {
        let live = &entry.live;
        if live.has_ended() {
            return Err(AgentFault::TaskNotCancelable.failure());
        }
        if live.is_elsewhere() {
            let letter = Letter::Cancel;
            match self.0.hub.write_to(live.origin.session, &letter).await {
                // It is stored, so whoever runs the task gets it.
                Ok(_) | Err(Fault::NodeSilent) => {}
                Err(fault) => return Err(fault.into()),
            }
        } else {
            live.stop(Stop::Cancelled);
        }
        let patience = live.grace() + std::time::Duration::from_secs(1);
        // Whoever takes longer is told where the task is now.
        let _: Result<(), _> = tokio::time::timeout(patience, live.ended()).await;
        Ok(())
    }
}
