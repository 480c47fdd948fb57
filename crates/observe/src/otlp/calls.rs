//! Spans of tools and methods: a message has no layer of HTTP around it, so the adapters say when it begins and ends.

use std::borrow::Cow;
use std::sync::PoisonError;

use aon::door::{CallEnd, Calling};
use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, SpanKind, Status, TraceId};

use super::{Around, DEEPEST, MOST, Said, Spans, parent_of, trace_of};
use crate::clock::wall_ms;
use crate::names::attribute as name;

/// A call that has begun.
pub(crate) struct Begun {
    name: String,
    surface: &'static str,
    trace: TraceId,
    span: SpanId,
    parent: SpanId,
    remote: bool,
    started: u64,
    attributes: Vec<KeyValue>,
}

impl Spans {
    /// A request begins; what is served in its trace is inside of it.
    pub(crate) fn begin_request(&self, headers: &http::HeaderMap) -> Around {
        let parent = headers
            .get("traceparent")
            .and_then(|value| value.to_str().ok());
        let trace = parent.and_then(|parent| trace_of(parent.get(3..35)?));
        let span = self.new_span();
        if let Some(trace) = trace {
            self.serve(trace, span);
        }
        Around { span, trace }
    }

    /// A request has ended, or was dropped.
    pub(crate) fn forget_request(&self, around: Around) {
        if let Some(trace) = around.trace {
            self.served(trace, around.span);
        }
    }

    /// The innermost that is served in a trace.
    pub(super) fn serving(&self, trace: TraceId) -> Option<SpanId> {
        let served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.get(&trace.to_bytes())?.last().copied()
    }

    fn serve(&self, trace: TraceId, span: SpanId) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if served.len() < MOST {
            let inside = served.entry(trace.to_bytes()).or_default();
            if inside.len() < DEEPEST {
                inside.push(span);
            }
        }
    }

    fn served(&self, trace: TraceId, span: SpanId) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inside) = served.get_mut(&trace.to_bytes()) {
            inside.retain(|other| *other != span);
            if inside.is_empty() {
                served.remove(&trace.to_bytes());
            }
        }
    }

    /// A call begins. Its parent is the request around it where both are of one trace, or else what its caller named.
    pub(crate) fn call(&self, calling: &Calling<'_>) -> Begun {
        let brought = calling.trace_parent.and_then(|parent| {
            let trace = trace_of(parent.get(3..35)?)?;
            Some((trace, parent_of(parent)))
        });
        let (trace, parent, remote) = match brought {
            Some((trace, parent)) => match self.serving(trace) {
                Some(around) => (trace, around, false),
                None => (trace, parent.unwrap_or(SpanId::INVALID), true),
            },
            None => (self.new_trace(), SpanId::INVALID, false),
        };
        let span = self.new_span();
        self.serve(trace, span);
        let mcp = calling.surface == "mcp";
        let method = if mcp {
            name::MCP_METHOD
        } else {
            name::RPC_METHOD
        };
        let mut attributes = vec![
            KeyValue::new(method, calling.method.to_owned()),
            KeyValue::new(name::SURFACE, calling.surface),
        ];
        let mut title = calling.method.to_owned();
        if !calling.target.is_empty() {
            title.push(' ');
            title.push_str(calling.target);
            attributes.push(KeyValue::new(name::TOOL, calling.target.to_owned()));
            attributes.push(KeyValue::new(name::OPERATION, "execute_tool"));
        }
        Begun {
            name: title,
            surface: calling.surface,
            trace,
            span,
            parent,
            remote,
            started: wall_ms(),
            attributes,
        }
    }

    /// It ended.
    pub(crate) fn call_ended(&self, begun: Begun, end: CallEnd<'_>) {
        self.served(begun.trace, begun.span);
        let mut attributes = begun.attributes;
        let status = match end {
            CallEnd::Answered => Status::Unset,
            CallEnd::Failed(code) => {
                // What the conventions of MCP say of a tool whose result is an error.
                let kind = if begun.surface == "mcp" {
                    "tool_error"
                } else {
                    code
                };
                attributes.push(KeyValue::new(name::ERROR_TYPE, kind.to_owned()));
                attributes.push(KeyValue::new(name::PROBLEM_CODE, code.to_owned()));
                Status::error(code.to_owned())
            }
            CallEnd::Abandoned => {
                attributes.push(KeyValue::new(name::OUTCOME, "abandoned"));
                Status::Unset
            }
        };
        self.send(Said {
            name: Cow::Owned(begun.name),
            kind: SpanKind::Server,
            trace: begun.trace,
            span: begun.span,
            parent: begun.parent,
            remote: begun.remote,
            started: begun.started,
            ended: wall_ms(),
            attributes,
            status,
        });
    }
}
