//! One request that is told what becomes of a call: its events, its questions, its end.

use std::pin::Pin;
use std::sync::Arc;

use aon::door::Occurrence;
use aon::rmcp::ProblemServer;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{
    CallToolResponse, ElicitRequest, ElicitRequestParams, InputRequest, InputRequests,
    InputRequiredResult, JsonObject, MetaObject, NotificationMetaObject, ProgressNotificationParam,
    ServerNotification, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::call::{Call, Ended};
use crate::channel::feed::{Feed, Turn};
use crate::event::{Body, Event};
use crate::glass::OnDisconnect;
use crate::heal::{Answer, Question, Responder};
use crate::hub::Hub;
use crate::hub::live::{Live, Stop};
use crate::surface::mcp::form::Form;
use crate::surface::mcp::{Notification, Projection, SESSION_KEY};

/// How often a person is asked again after an answer that was refused.
const AGAIN: u32 = 16;

/// How questions reach the person behind a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// They do not.
    Nobody,
    /// As requests to the client, while the call goes on (2025-11-25).
    Elicitation,
    /// As the result of the call, which is then made again with the answers (2026-07-28).
    InputRequired,
}

/// What a request is attached with.
pub(super) struct Attached<'a, H> {
    pub(super) server: &'a ProblemServer<H>,
    pub(super) hub: &'a Hub,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) asks: Asks,
    pub(super) projection: Projection,
}

type Asking<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>;

impl<H: ServerHandler> Attached<'_, H> {
    /// Tells the client what happens until there is an answer for this request.
    pub(super) async fn follow(mut self, call: &Arc<Call>) -> Result<CallToolResponse, ErrorData> {
        let mut asking: Asking<'_> = FuturesUnordered::new();
        let context = self.context;
        let mut ended = Box::pin(call.end());
        let mut feed = call.take_feed();
        loop {
            tokio::select! {
                biased;
                end = &mut ended => {
                    // A call that ended at once was not followed yet.
                    let left = feed.take().or_else(|| call.session.live().map(|live| self.open(live)));
                    self.drain(left).await;
                    return self.answer(call, end).await;
                }
                () = context.ct.cancelled() => {
                    call.stop(Stop::Disconnected);
                    // Nobody waits for the answer any more; the work ends first all the same.
                    let end = (&mut ended).await;
                    return self.answer(call, end).await;
                }
                () = call.session.begun(), if feed.is_none() => {
                    feed = call.session.live().map(|live| self.open(live));
                }
                Some(()) = asking.next(), if !asking.is_empty() => {}
                turn = turn(&mut feed), if feed.is_some() => {
                    let Turn::Show(frames) = turn else {
                        if matches!(turn, Turn::Over(_)) {
                            // The end is told by the call itself.
                            let end = (&mut ended).await;
                            return self.answer(call, end).await;
                        }
                        continue;
                    };
                    let mut asked = false;
                    for frame in frames {
                        let Ok(event) = Event::from_slice(&frame.json()) else { continue };
                        asked |= matches!(event.body, Body::InteractiveHealingRequest(_));
                        self.tell(&event).await;
                        if let (Body::InteractiveHealingRequest(request), Asks::Elicitation) = (&event.body, self.asks)
                            && let Some(live) = call.session.live()
                            && let Ok(question) = live.desk.find(&request.request_id)
                        {
                            asking.push(Box::pin(elicit(context, Arc::clone(call), question)));
                        }
                    }
                    if asked && self.asks == Asks::InputRequired
                        && let Some(input) = input_required(call)
                    {
                        if let Some(feed) = feed.take() {
                            call.put_feed(feed);
                        }
                        return Ok(CallToolResponse::InputRequired(input));
                    }
                }
            }
        }
    }

    fn open(&self, live: &Arc<Live>) -> Feed {
        let feed = Feed::responder(self.hub, live, OnDisconnect::Continue);
        feed.seen_by(live.owner.as_ref())
    }

    /// Tells what is left after the end.
    async fn drain(&mut self, feed: Option<Feed>) {
        let Some(mut feed) = feed.filter(|_| self.projection.is_wanted()) else {
            return;
        };
        while let Turn::Show(frames) = feed.turn().await {
            for frame in frames {
                if let Ok(event) = Event::from_slice(&frame.json()) {
                    self.tell(&event).await;
                }
            }
        }
    }

    /// Sends the notifications of an event. A client that is gone has cancelled the call.
    async fn tell(&mut self, event: &Event) {
        for notification in self.projection.project(event) {
            if let Some(notification) = typed(&notification) {
                // An error means that nobody is there any more, which the token of the request tells too.
                let _: Result<_, _> = self.context.peer.send_notification(notification).await;
            }
        }
    }

    async fn answer(&self, call: &Arc<Call>, ended: Ended) -> Result<CallToolResponse, ErrorData> {
        let mut response = match ended {
            Ended::Response(response) => response,
            Ended::Failed(error) => return Err(error),
            Ended::Stopped(stop) => {
                let failure = Occurrence::of(&stop.fault());
                let failed = self.server.failed(call.tool(), failure, self.context).await;
                CallToolResponse::Complete(failed)
            }
        };
        if let (Some(live), CallToolResponse::Complete(result)) =
            (call.session.live(), &mut response)
        {
            let meta = result.meta.get_or_insert_with(MetaObject::default);
            meta.0
                .insert(SESSION_KEY.to_owned(), session(self.hub, live));
        }
        Ok(response)
    }
}

async fn turn(feed: &mut Option<Feed>) -> Turn {
    match feed {
        Some(feed) => feed.turn().await,
        None => std::future::pending().await,
    }
}

/// The session of a call, for whoever wants to follow it elsewhere.
pub(super) fn session(hub: &Hub, live: &Live) -> Value {
    let id = live.origin.session;
    json!({
        "session_id": id,
        "trace_id": live.origin.trace,
        "state_url": hub.address(id, ""),
        "sse_url": hub.address(id, "/events"),
    })
}

/// A notification in rmcp's types.
fn typed(notification: &Notification) -> Option<ServerNotification> {
    #![expect(
        deprecated,
        reason = "log messages belong to the older era, which still has clients"
    )]
    use rmcp::model::{
        LoggingMessageNotification, LoggingMessageNotificationParam, ProgressNotification,
    };
    let params = notification.params();
    match notification {
        Notification::Progress(progress) => {
            let token = serde_json::from_value(progress.token.clone()).ok()?;
            let mut param = ProgressNotificationParam::new(token, progress.progress);
            param.total = progress.total;
            param.message.clone_from(&progress.message);
            let meta: JsonObject = serde_json::from_value(params["_meta"].clone()).ok()?;
            param.meta = Some(NotificationMetaObject::from(MetaObject(meta)));
            Some(ProgressNotification::new(param).into())
        }
        Notification::Message(message) => {
            let level = serde_json::from_value(json!(message.level.as_str())).ok()?;
            let param = LoggingMessageNotificationParam::new(level, message.event.clone());
            let param = param.with_logger(message.logger.clone());
            Some(LoggingMessageNotification::new(param).into())
        }
    }
}

/// The questions that are open, as what the client is asked for.
pub(super) fn requests(call: &Call) -> InputRequests {
    let questions = call.questions().into_iter();
    questions
        .filter_map(|(key, question)| {
            let (_, refused) = call.refused(&question);
            let request = InputRequest::Elicitation(elicitation(&question, refused.as_deref())?);
            Some((key, request))
        })
        .collect()
}

/// The result that asks; `None` when the questions were answered meanwhile.
pub(super) fn input_required(call: &Call) -> Option<InputRequiredResult> {
    let requests = requests(call);
    let id = call.session.id()?;
    let state = format!("{STATE}{id}");
    (!requests.is_empty()).then(|| InputRequiredResult::new(Some(requests), Some(state)))
}

/// How the state of a question of ours begins. What follows is the id of the session: the state itself stays here.
pub(super) const STATE: &str = "aon-session:";

fn elicitation(question: &Question, refused: Option<&str>) -> Option<ElicitRequest> {
    let mut form = question.form();
    if let Some(why) = refused {
        form = form.again(why);
    }
    asked(&form)
}

/// A form as what the client is asked for.
pub(super) fn asked(form: &Form) -> Option<ElicitRequest> {
    let params: ElicitRequestParams = serde_json::from_value(form.params()).ok()?;
    Some(ElicitRequest::new(params))
}

/// Asks the person behind the client until an answer is taken, here or elsewhere.
async fn elicit(context: &RequestContext<RoleServer>, call: Arc<Call>, question: Question) {
    let by = responder(&call);
    while question.is_open() {
        let (given, refused) = call.refused(&question);
        let Some(request) = elicitation(&question, refused.as_deref()) else {
            return;
        };
        if given >= AGAIN {
            let _: Result<_, _> = question.offer(Answer::Deny, &by, None);
            return;
        }
        let request = ServerRequest::ElicitRequest(request);
        let options = PeerRequestOptions::no_options();
        let sent = context.peer.send_request_with_option(request, options);
        let Ok(handle) = sent.await else {
            // A client that cannot be asked leaves the question to the other channels.
            return;
        };
        let id = handle.id.clone();
        let peer = handle.peer.clone();
        tokio::select! {
            biased;
            () = question.settled() => {
                // Somebody else answered: the question is taken back.
                let params = rmcp::model::CancelledNotificationParam::new(Some(id), Some("It was answered elsewhere.".to_owned()));
                let _: Result<_, _> = peer.notify_cancelled(params).await;
                return;
            }
            answer = handle.await_response() => {
                let Ok(answer) = answer else { return };
                let answer = serde_json::to_value(answer).unwrap_or_default();
                offer(&call, &question, &answer, &by);
            }
        }
    }
}

/// Who answers over MCP.
pub(super) fn responder(call: &Call) -> Responder {
    let by = Responder::new("mcp");
    match &call.owner {
        Some(owner) => by.known(&owner.subject),
        None => by,
    }
}

/// Offers what a client answered, through the guard every answer passes.
pub(super) fn offer(call: &Call, question: &Question, answer: &Value, by: &Responder) {
    let refused = match answer["action"].as_str() {
        Some("accept") => accepted(question, &answer["content"], by).err(),
        Some("decline" | "cancel") => {
            let offered = question.offer(Answer::Deny, by, None);
            offered.err().map(|rejection| words(&rejection))
        }
        _ => Some("The answer must say accept, decline or cancel.".to_owned()),
    };
    call.answered(question, refused);
}

fn accepted(question: &Question, content: &Value, by: &Responder) -> Result<(), String> {
    let patch = question
        .form()
        .patch(content)
        .map_err(|misfit| misfit.words)?;
    let answer = match patch {
        Some(patch) => question
            .read(&patch, by)
            .map_err(|rejection| words(&rejection))?,
        None => Answer::Retry,
    };
    let offered = question.offer(answer, by, None);
    offered.map(drop).map_err(|rejection| words(&rejection))
}

fn words(rejection: &crate::heal::Rejection) -> String {
    let problem = &rejection.problem;
    problem
        .detail()
        .or_else(|| problem.title())
        .unwrap_or_default()
        .to_owned()
}
