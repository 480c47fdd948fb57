//! `POST /chat/send`: a message to a lesson.

use std::time::Instant;

use aon::axum::Json;
use aon_observe::{ForceError, Routed, log::events as logged};
use axum::extract::State;
use http::StatusCode;
use serde_json::{Value, json};

use crate::class::enqueue;
use crate::events::{Insert, JudgeDecision};
use crate::judge::{Route, judge};
use crate::library::search;
use crate::queue::{Turn, Waiting};
use crate::school::{Class, School, milliseconds};

/// A message.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The lesson.
    pub session_id: String,
    /// Who speaks.
    #[serde(default)]
    pub participant_id: String,
    /// What was said.
    pub text: String,
    /// The question, for those who send it again; otherwise a new one.
    #[serde(default)]
    pub question_id: Option<String>,
    /// Where it is to go, whatever the judge would say; only where the environment permits it.
    #[serde(default)]
    pub force_route: Option<String>,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "tutor")]
pub enum ChatError {
    /// The lesson is not there.
    #[error("There is no such lesson, or it is over.")]
    #[problem(status = 404, code = "no_such_lesson", title = "No such lesson")]
    NoSuchLesson,
    /// The message is too long.
    #[error("A message has at most {most} bytes.")]
    #[problem(
        status = 413,
        code = "message_too_long",
        title = "The message is too long"
    )]
    TooLong {
        /// The most bytes.
        #[problem(extension)]
        most: usize,
    },
    /// A name that is none.
    #[error("{member} has at most {most} characters, none of them a control character.")]
    #[problem(status = 422, code = "invalid_name", title = "Not a name")]
    InvalidName {
        /// Which.
        #[problem(public)]
        member: &'static str,
        /// The most characters.
        #[problem(extension)]
        most: usize,
    },
    /// Too many wait.
    #[error("Too many questions wait already.")]
    #[problem(
        status = 429,
        code = "queue_full",
        title = "Too many questions",
        retry_after = 5
    )]
    QueueFull,
    /// Nothing to answer with.
    #[error("None of the texts says anything about this.")]
    #[problem(
        status = 422,
        code = "nothing_to_ground_on",
        title = "Nothing to rest an answer on"
    )]
    NothingFound,
    /// The model does not answer.
    #[error("The answers cannot be reached.")]
    #[problem(
        status = 503,
        code = "answers_unreachable",
        title = "Answers unreachable",
        retry_after = 2
    )]
    Unreachable,
    /// A decision was not forced.
    #[error(transparent)]
    #[problem(transparent)]
    Force(#[from] ForceError),
}

/// The longest message.
const LONGEST: usize = 4096;

/// The longest id. Ids are in every line of the log and every event.
const LONGEST_ID: usize = 128;

/// Refuses ids that nobody should have to store.
fn check(member: &'static str, id: &str) -> Result<(), ChatError> {
    if id.chars().count() > LONGEST_ID || id.contains(char::is_control) {
        let most = LONGEST_ID;
        return Err(ChatError::InvalidName { member, most });
    }
    Ok(())
}

/// Takes a message, judges it, and answers or keeps it.
pub async fn send(
    State(school): State<School>,
    Json(message): Json<Message>,
) -> Result<(StatusCode, axum::Json<Value>), ChatError> {
    let class = school
        .class(&message.session_id)
        .ok_or(ChatError::NoSuchLesson)?;
    if message.text.len() > LONGEST {
        return Err(ChatError::TooLong { most: LONGEST });
    }
    check("participantId", &message.participant_id)?;
    check(
        "questionId",
        message.question_id.as_deref().unwrap_or_default(),
    )?;
    let inner = &school.0;
    inner.log(
        &class,
        logged::message_ingested(&message.participant_id, message.text.len()),
    );
    inner.log(&class, logged::classify_raw(&message.text));
    let start = Instant::now();
    let judged = inner.node("judge", &class, || {
        Ok::<_, std::convert::Infallible>(judge(&message.text))
    });
    let judged = judged.unwrap_or_else(|never| match never {});
    let decision = inner
        .settings
        .force
        .decide(message.force_route.as_deref(), || judged.route)?;
    inner
        .questions
        .classified(start.elapsed(), class.trace().as_deref());
    let (route, forced) = (decision.route, decision.forced);
    let id = message
        .question_id
        .clone()
        .unwrap_or_else(|| new_id(&class));
    inner.log(
        &class,
        logged::judge_decision(route.as_str(), judged.needs_rag, judged.reason, forced),
    );
    class.session.emit(&JudgeDecision {
        question_id: id.clone(),
        route: route.as_str(),
        needs_rag: judged.needs_rag,
        reason: judged.reason,
        force_override: forced,
    });
    inner.questions.asked(match route {
        Route::ChatNow => Routed::ChatNow,
        Route::Pause => Routed::Pause,
        Route::EndTopic => Routed::EndTopic,
        Route::Final | Route::Note | Route::Ignore => Routed::Other,
    });
    let turn = match route {
        Route::ChatNow => {
            let (status, mut body) =
                now(&school, &class, &message.text, judged.needs_rag, id, start)?;
            body.0["forceOverride"] = forced.into();
            return Ok((status, body));
        }
        Route::Note | Route::Ignore => {
            let body = json!({"questionId": id, "route": route.as_str(), "forceOverride": forced});
            return Ok((StatusCode::OK, axum::Json(body)));
        }
        Route::Pause => Turn::Pause,
        Route::EndTopic => Turn::EndTopic,
        Route::Final => Turn::Final,
    };
    let question = Waiting {
        id: id.clone(),
        text: message.text,
        needs_rag: judged.needs_rag,
        turn,
    };
    let waiting = enqueue(&class, question).ok_or(ChatError::QueueFull)?;
    inner.log(&class, logged::enqueued_broadcast(turn as u32, waiting));
    let body = json!({"questionId": id, "route": route.as_str(), "forceOverride": forced, "queueSize": waiting});
    Ok((StatusCode::ACCEPTED, axum::Json(body)))
}

/// Answers at once, to the sender and to everybody who reads along.
fn now(
    school: &School,
    class: &Class,
    text: &str,
    needs_rag: bool,
    id: String,
    start: Instant,
) -> Result<(StatusCode, axum::Json<Value>), ChatError> {
    let answer = answer(school, class, text, needs_rag)?;
    let took = start.elapsed();
    school.0.questions.answered(took, class.trace().as_deref());
    let tokens = answer.split_whitespace().count();
    school
        .0
        .log(class, logged::chat_now_answered(tokens, milliseconds(took)));
    class.session.emit(&Insert {
        kind: "CHAT_NOW",
        question_id: id.clone(),
        answer: answer.clone(),
    });
    let body = json!({"questionId": id, "route": "CHAT_NOW", "answer": answer});
    Ok((StatusCode::OK, axum::Json(body)))
}

/// Looks for texts and answers with them; a failure counts against the question.
pub(crate) fn answer(
    school: &School,
    class: &Class,
    text: &str,
    needs_rag: bool,
) -> Result<String, ChatError> {
    let inner = &school.0;
    let made = (|| {
        let mut found = Vec::new();
        if needs_rag {
            found = inner.node("retrieve", class, || Ok::<_, ChatError>(search(text)))?;
            inner.log(class, logged::rag_retrieve(text, found.len()));
            if found.is_empty() {
                return Err(ChatError::NothingFound);
            }
        }
        // The words of the failure are for the log; whoever asked is told that it did not work.
        let answered = inner.node("answer", class, || {
            inner.settings.answers.answer(text, &found)
        });
        answered.map_err(|_words| ChatError::Unreachable)
    })();
    if made.is_err() {
        inner.questions.failed();
    }
    made
}

fn new_id(class: &Class) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = class.id();
    format!(
        "q-{}-{}",
        id.get(..6).unwrap_or(&id),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}
