//! What readers of a lesson see, beside the heartbeat and the end.

use aon_live::ApplicationEvent;
use serde::Serialize;

/// `log`: something worth telling.
#[derive(Clone, Debug, Serialize)]
pub struct Log {
    /// `info`, `warn`.
    pub level: &'static str,
    /// What.
    pub message: String,
}

/// `lesson`: one more piece of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Lesson {
    /// The topic.
    pub lesson_id: &'static str,
    /// Which piece, from 1.
    pub segment: usize,
    /// What it says.
    pub delta: &'static str,
}

/// `insert`: a short answer, in a pause or at the end of a topic.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Insert {
    /// `PAUSE`, `END_TOPIC`, or what else it waited for.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The question. The same one may come again; readers show it once.
    pub question_id: String,
    /// The answer.
    pub answer: String,
}

/// `judge_decision`: where a question goes, and whether a test forced it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeDecision {
    /// The question.
    pub question_id: String,
    /// Where it goes.
    pub route: &'static str,
    /// Whether an answer rests on the texts.
    #[serde(rename = "needsRAG")]
    pub needs_rag: bool,
    /// Why.
    pub reason: &'static str,
    /// Whether a test decided.
    pub force_override: bool,
}

/// `done`: the lesson is over. The end of the session follows.
#[derive(Clone, Debug, Serialize)]
pub struct Done {
    /// Why.
    pub reason: &'static str,
}

impl ApplicationEvent for Log {
    const TYPE: &'static str = "log";
}
impl ApplicationEvent for Lesson {
    const TYPE: &'static str = "lesson";
}
impl ApplicationEvent for Insert {
    const TYPE: &'static str = "insert";
}
impl ApplicationEvent for JudgeDecision {
    const TYPE: &'static str = "judge_decision";
}
impl ApplicationEvent for Done {
    const TYPE: &'static str = "done";
}
