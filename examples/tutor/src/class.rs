//! `POST /class`: holds a lesson. It is a session of the hub, so it is read on every channel and resumed exactly.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use aon_live::Session;
use aon_observe::log::events as logged;
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::chat;
use crate::events::{Done, Insert, Lesson, Log};
use crate::library::{LESSON, search};
use crate::queue::Turn;
use crate::school::{Class, School, milliseconds};

/// Takes the lesson out of the list when it ends, however it does.
struct Listed(School, String);

impl Drop for Listed {
    fn drop(&mut self) {
        self.0.leave(&self.1);
    }
}

/// Holds the lesson: pieces, pauses, answers, the end.
pub async fn teach(State(school): State<School>, session: Session) -> Json<Value> {
    session.begin();
    let class = Arc::new(Class {
        session: session.clone(),
        queue: Default::default(),
    });
    let id = class.id();
    school.enter(id.clone(), Arc::clone(&class));
    let _listed = Listed(school.clone(), id);
    session.emit(&Log {
        level: "info",
        message: "The lesson begins.".to_owned(),
    });
    let pace = school.0.settings.pace;
    let mut pieces = 0;
    for (topic, segments) in LESSON {
        let refs: Vec<&str> = search(&segments.join(" "))
            .iter()
            .map(|passage| passage.name)
            .collect();
        school.0.log(&class, logged::rag_ground(&refs));
        for (at, delta) in segments.iter().enumerate() {
            pieces += 1;
            session.emit(&Lesson {
                lesson_id: topic,
                segment: at + 1,
                delta,
            });
            sleep(pace).await;
            flush(&school, &class, Turn::Pause);
        }
        flush(&school, &class, Turn::EndTopic);
    }
    flush(&school, &class, Turn::Final);
    session.emit(&Done {
        reason: "completed",
    });
    Json(json!({"pieces": pieces}))
}

/// Answers those whose turn has come; the answers are sent together.
fn flush(school: &School, class: &Class, turn: Turn) {
    let start = Instant::now();
    let waiting = class
        .queue
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take(turn);
    if waiting.is_empty() {
        return;
    }
    let count = waiting.len();
    let mut inserts = Vec::with_capacity(count);
    for question in waiting {
        let kind = match question.turn {
            Turn::Pause => "PAUSE",
            Turn::EndTopic => "END_TOPIC",
            Turn::Final => "FINAL",
        };
        match chat::answer(school, class, &question.text, question.needs_rag) {
            Ok(answer) => inserts.push(Insert {
                kind,
                question_id: question.id,
                answer,
            }),
            Err(problem) => class.session.emit(&Log {
                level: "warn",
                message: format!("Question {} could not be answered: {problem}", question.id),
            }),
        }
    }
    school.0.log(
        class,
        logged::broadcast_flushed(count, milliseconds(start.elapsed())),
    );
    for insert in &inserts {
        class.session.emit(insert);
    }
    school
        .0
        .log(class, logged::inserts_buffer_flush(inserts.len()));
}

/// Puts a question into the queue; how many wait now.
pub(crate) fn enqueue(class: &Class, question: crate::queue::Waiting) -> Option<usize> {
    class
        .queue
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .add(question)
}
