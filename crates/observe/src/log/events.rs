//! The internal events of a teaching application, each as a line with its fields.

use super::{Level, Record};

/// `message_ingested`: a message came in.
pub fn message_ingested(participant: &str, size: usize) -> Record {
    Record::new(Level::Info, "message_ingested")
        .with("participantId", participant)
        .with("size", size)
}

/// `judge_decision`: where a question goes. `forced` says that a test decided, and not the judge.
pub fn judge_decision(route: &str, needs_rag: bool, reason: &str, forced: bool) -> Record {
    Record::new(Level::Info, "judge_decision")
        .with("route", route)
        .with("needsRAG", needs_rag)
        .with("reason", reason)
        .with("forceOverride", forced)
}

/// `chat.classify_raw`: what the heuristics look at.
pub fn classify_raw(text: &str) -> Record {
    Record::new(Level::Debug, "chat.classify_raw")
        .with("text", text)
        .with("length", text.chars().count())
}

/// `chat_now_answered`: a question was answered at once.
pub fn chat_now_answered(tokens: usize, latency_ms: u64) -> Record {
    Record::new(Level::Info, "chat_now_answered")
        .with("tokens", tokens)
        .with("latencyMs", latency_ms)
}

/// `enqueued_broadcast`: a question waits.
pub fn enqueued_broadcast(priority: u32, queue_size: usize) -> Record {
    Record::new(Level::Info, "enqueued_broadcast")
        .with("priority", priority)
        .with("queueSize", queue_size)
}

/// `broadcast_flushed`: questions were taken out of the queue.
pub fn broadcast_flushed(count: usize, latency_ms: u64) -> Record {
    Record::new(Level::Info, "broadcast_flushed")
        .with("count", count)
        .with("latencyMs", latency_ms)
}

/// `inserts_buffer_flush`: answers were sent together.
pub fn inserts_buffer_flush(size: usize) -> Record {
    Record::new(Level::Info, "inserts_buffer_flush").with("size", size)
}

/// `graph_invoke_start`: a node of the graph starts.
pub fn graph_invoke_start(node: &str, session: &str) -> Record {
    Record::new(Level::Debug, "graph_invoke_start")
        .with("node", node)
        .session(session)
}

/// `graph_invoke_success`: a node has run.
pub fn graph_invoke_success(node: &str, duration_ms: u64) -> Record {
    Record::new(Level::Debug, "graph_invoke_success")
        .with("node", node)
        .with("durationMs", duration_ms)
}

/// `graph_invoke_error`: a node has failed.
pub fn graph_invoke_error(node: &str, error: &str, duration_ms: u64) -> Record {
    Record::new(Level::Error, "graph_invoke_error")
        .with("node", node)
        .with("error", error)
        .with("durationMs", duration_ms)
}

/// `rag.retrieve`: texts were looked for.
pub fn rag_retrieve(query: &str, hits: usize) -> Record {
    Record::new(Level::Debug, "rag.retrieve")
        .with("query", query)
        .with("hits", hits)
}

/// `rag.ground`: a lesson rests on these texts.
pub fn rag_ground(refs: &[&str]) -> Record {
    Record::new(Level::Info, "rag.ground").with("refs", refs)
}
