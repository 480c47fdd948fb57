//! Who writes the answer to a message: a transport of ours as bytes, or the server into rmcp's types.

use std::sync::{Arc, OnceLock};

use ::rmcp::RoleServer;
use ::rmcp::model::RequestId;
use ::rmcp::service::RequestContext;
use serde_json::Value;

use super::result::TICKET;

use crate::door::{Door, Facts, Occurrence, Scope};
use crate::surface::mcp::{self, Mode};

/// What a transport of ours puts beside a message. The server opens the scope, because its door is that of the tools;
/// what the server never sees is answered through the transport's own.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    facts: Facts,
    scope: Arc<OnceLock<Scope>>,
    /// Whether the transport writes failures itself.
    writes: bool,
}

impl Edge {
    pub(super) fn new(facts: Facts, writes: bool) -> Self {
        Self {
            facts,
            scope: Arc::default(),
            writes,
        }
    }

    /// The scope, opened now if nobody did.
    pub(super) fn scope(&self, door: &Door) -> &Scope {
        self.scope
            .get_or_init(|| Scope::open(door, self.facts.clone()))
    }

    /// Whether the transport writes failures itself.
    pub(super) fn writes(&self) -> bool {
        self.writes
    }

    /// Whether nobody but the transport knows of it any more, and nothing is kept for it to write: an answer that is on its way is
    /// known to nobody else either.
    pub(super) fn is_given_up(&self) -> bool {
        Arc::strong_count(&self.scope) == 1 && !self.scope.get().is_some_and(Scope::holds_any)
    }
}

/// The scope of a message inside the server, and whether the transport writes its failures.
pub(super) fn open(
    context: &RequestContext<RoleServer>,
    door: &Door,
    method: &str,
    name: &str,
) -> (Scope, bool) {
    let parts = context.extensions.get::<http::request::Parts>();
    let edge = context.extensions.get::<Edge>();
    let edge = edge.or_else(|| parts?.extensions.get::<Edge>());
    let facts = || {
        let facts = match (edge, parts) {
            (Some(edge), _) => edge.facts.clone(),
            (None, Some(parts)) => Facts::of_http("mcp", &parts.method, &parts.uri, &parts.headers),
            (None, None) => Facts::new("mcp"),
        };
        let facts = facts.with_method(method).with_path(name);
        let header = parts.is_some_and(|parts| parts.headers.contains_key("traceparent"));
        match context.meta.get_traceparent() {
            Some(trace) if !header => facts.with_trace_parent(trace),
            Some(_) | None => facts,
        }
    };
    match edge {
        Some(edge) => {
            let scope = edge.scope.get_or_init(|| Scope::open(door, facts()));
            (scope.clone(), edge.writes)
        }
        None => (Scope::open(door, facts()), false),
    }
}

/// The whole response of a tool that failed. `id` is JSON; `meta` is what a server around put beside the placeholder.
pub(super) fn response(
    scope: &Scope,
    failure: Occurrence,
    id: &str,
    (mode, modern): (Mode, bool),
    meta: Option<&Value>,
) -> Vec<u8> {
    let passed = scope.pass(failure, "mcp");
    let mut envelope = Vec::with_capacity(1536);
    let text = mcp::write_parts(passed.problem(), &passed.call(None), &mut envelope);
    let mut out = Vec::with_capacity(envelope.len() + text.len() + 256);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
    mcp::write_result(mode, modern, &text, &envelope, &mut out);
    if let (Some(meta), true) = (meta.and_then(beside), mode != Mode::Meta) {
        // Reopened, for one more member.
        out.pop();
        out.extend_from_slice(b",\"_meta\":");
        out.extend_from_slice(meta.to_string().as_bytes());
        out.push(b'}');
    }
    out.push(b'}');
    out
}

/// What stands in `_meta` beside the ticket.
fn beside(meta: &Value) -> Option<Value> {
    let mut others = meta.as_object()?.clone();
    others.remove(TICKET);
    (!others.is_empty()).then_some(Value::Object(others))
}

/// An id as JSON.
pub(super) fn id_json(id: &RequestId) -> String {
    serde_json::to_string(id).unwrap_or_default()
}
