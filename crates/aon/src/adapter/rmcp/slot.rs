//! Where a result lies as the bytes it is sent as, until a transport of ours takes it.
//!
//! rmcp's types hold structured content as a tree. Building that tree and writing it costs four times what writing
//! the bytes costs, and sorts the members; so where the transport is ours, the bytes go past it.

use std::sync::{Arc, Mutex, PoisonError};

use ::rmcp::RoleServer;
use ::rmcp::model::{ProtocolVersion, RequestId};
use ::rmcp::service::RequestContext;
use aon_core::json::write_string;

use crate::surface::mcp::{self, Mode};

/// A place for one response, which the transport puts beside the request.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot(Arc<Mutex<Option<Left>>>);

#[derive(Debug)]
struct Left {
    response: Vec<u8>,
    /// Where the result starts in it.
    head: usize,
}

impl Slot {
    /// The place beside this request; `None` when the transport is not ours.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<&Self> {
        let extensions = &context.extensions;
        extensions.get::<Self>().or_else(|| {
            let parts = extensions.get::<http::request::Parts>()?;
            parts.extensions.get::<Self>()
        })
    }

    /// Leaves the response of a request: a tool result with this text and envelope.
    pub(super) fn put(
        &self,
        context: &RequestContext<RoleServer>,
        mode: Mode,
        text: &str,
        envelope: &[u8],
    ) {
        let mut out = Vec::with_capacity(envelope.len() + text.len() + 256);
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        write_id(&mut out, &context.id);
        out.extend_from_slice(b",\"result\":");
        let head = out.len();
        let modern = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        mcp::write_result(mode, modern, text, envelope, &mut out);
        out.push(b'}');
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Left {
            response: out,
            head,
        });
    }

    /// Takes what was left.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        left.map(|left| left.response)
    }

    /// Takes what was left, if this is the same response.
    pub(super) fn take_for(&self, response: &[u8]) -> Option<Vec<u8>> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |left: &mut Left| {
            let head = left.response.get(..left.head);
            head.is_some_and(|head| response.starts_with(head))
        };
        left.take_if(same).map(|left| left.response)
    }

    /// Whether nobody else can leave anything any more.
    pub(super) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

pub(super) fn write_id(out: &mut Vec<u8>, id: &RequestId) {
    match id {
        RequestId::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        RequestId::String(text) => write_string(out, text),
    }
}
