//! Whoever follows a lesson: what to keep, what to show once, when it is over. Pure; the connection is `aon_live::client`'s, which
//! comes back after 500 milliseconds, doubling to five seconds, and takes 2.5 seconds of silence for a dead connection.

use std::collections::BTreeSet;
use std::time::Duration;

use aon_live::client::{Received, Rules};

/// The rules of a reader of lessons: heartbeats come each second.
pub fn rules() -> Rules {
    let mut rules = Rules::default();
    rules.interval = Duration::from_secs(1);
    rules
}

/// What a reader knows.
#[derive(Debug, Default)]
pub struct Notebook {
    /// What was taught.
    pub lessons: Vec<String>,
    /// Answers, each question once.
    pub answers: Vec<(String, String)>,
    /// Why it is over, once it is.
    pub done: Option<String>,
    /// The id to come back with.
    pub offset: Option<String>,
    seen: BTreeSet<String>,
}

impl Notebook {
    /// Takes an event; whether the reader should go on.
    pub fn take(&mut self, event: &Received) -> bool {
        if let Some(id) = event.member::<String>("id") {
            self.offset = Some(id);
        }
        let data = event
            .member::<serde_json::Value>("data")
            .unwrap_or_default();
        let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        match event.kind() {
            "lesson" => self.lessons.push(text("delta")),
            // The same question may come again, by another connection or by the server's own will.
            "insert" if self.seen.insert(text("questionId")) => {
                self.answers.push((text("questionId"), text("answer")));
            }
            "done" => {
                self.done = Some(text("reason"));
                return false;
            }
            _ => {}
        }
        !event.is_terminal()
    }
}
