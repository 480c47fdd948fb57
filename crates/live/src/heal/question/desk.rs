//! The questions of a session, open and answered.

use super::Question;
use crate::heal::fault::HealFault;
use crate::id::Seq;
use crate::sync::{Mutex, locked};

/// How many questions of a session are remembered; the oldest that are answered go first.
const MOST: usize = 64;

/// The questions of a session.
#[derive(Debug, Default)]
pub(crate) struct Desk(Mutex<Vec<Question>>);

impl Desk {
    /// Puts a question where it is found.
    pub(crate) fn put(&self, question: &Question) {
        let mut all = locked(&self.0);
        if all.iter().any(|known| known.id() == question.id()) {
            return;
        }
        if all.len() >= MOST
            && let Some(at) = all.iter().position(|known| !known.is_open())
        {
            all.remove(at);
        }
        all.push(question.clone());
    }

    /// The question of that name.
    pub(crate) fn find(&self, id: &str) -> Result<Question, HealFault> {
        let all = locked(&self.0);
        let found = all.iter().find(|question| question.id() == id);
        found.cloned().ok_or(HealFault::NotFound)
    }

    /// The one question that is open, or the last one that was.
    pub(crate) fn only(&self) -> Result<Question, HealFault> {
        let all = locked(&self.0).clone();
        let mut open = all.iter().filter(|question| question.is_open());
        match (open.next(), open.next()) {
            (Some(_), Some(_)) => Err(HealFault::Ambiguous),
            (Some(only), None) => Ok(only.clone()),
            (None, _) => all.last().cloned().ok_or(HealFault::NotFound),
        }
    }

    /// The questions that are open, and shown by an event before this one.
    pub(crate) fn open_since_before(&self, oldest: Seq) -> Vec<Question> {
        let all = locked(&self.0).clone();
        let before = |question: &Question| question.is_open_since_before(oldest);
        all.into_iter().filter(before).collect()
    }

    /// The questions that are open.
    pub(crate) fn open(&self) -> Vec<Question> {
        let all = locked(&self.0).clone();
        all.into_iter().filter(Question::is_open).collect()
    }
}
