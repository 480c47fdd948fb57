//! What a program says with `tracing`, as lines of the log.

use std::fmt;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::{Level, Logger};

/// Writes the events of `tracing` to a [`Logger`]: problems (target `aon::problem`) and whatever else the program says.
///
/// The field `event` names the event, and the target where there is none. `session_id` and `trace_id` come from the event or from
/// the spans around it.
///
/// ```
/// use aon_observe::log::{LogLayer, Logger};
/// use tracing_subscriber::layer::SubscriberExt as _;
///
/// let subscriber = tracing_subscriber::registry().with(LogLayer::new(Logger::new(std::io::stderr())));
/// # let _ = subscriber;
/// ```
#[derive(Clone, Debug)]
pub struct LogLayer {
    log: Logger,
    spec: bool,
}

impl LogLayer {
    /// A layer for this log.
    pub fn new(log: Logger) -> Self {
        Self { log, spec: false }
    }

    /// With `timestamp` (ISO 8601) and `session_id` beside `time` and `sessionId`, as the specification of the agents names them.
    #[must_use]
    pub const fn with_spec_names(mut self) -> Self {
        self.spec = true;
        self
    }
}

/// The ids a span brought.
#[derive(Debug, Default)]
struct Ids {
    session: Option<String>,
    trace: Option<String>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for LogLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut seen = Seen::default();
        attributes.record(&mut seen);
        if (seen.session.is_some() || seen.trace.is_some())
            && let Some(span) = context.span(id)
        {
            span.extensions_mut().replace(Ids {
                session: seen.session,
                trace: seen.trace,
            });
        }
    }

    /// A span may learn its ids after it was made.
    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut seen = Seen::default();
        values.record(&mut seen);
        if (seen.session.is_some() || seen.trace.is_some())
            && let Some(span) = context.span(id)
        {
            let mut extensions = span.extensions_mut();
            let before = extensions.remove::<Ids>().unwrap_or_default();
            extensions.insert(Ids {
                session: seen.session.or(before.session),
                trace: seen.trace.or(before.trace),
            });
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let metadata = event.metadata();
        let level = match *metadata.level() {
            tracing::Level::TRACE => Level::Trace,
            tracing::Level::DEBUG => Level::Debug,
            tracing::Level::INFO => Level::Info,
            tracing::Level::WARN => Level::Warn,
            tracing::Level::ERROR => Level::Error,
        };
        if !self.log.is_on(level) {
            return;
        }
        let mut seen = Seen::default();
        event.record(&mut seen);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(ids) = span.extensions().get::<Ids>() {
                seen.session = seen.session.or_else(|| ids.session.clone());
                seen.trace = seen.trace.or_else(|| ids.trace.clone());
            }
        }
        let name = seen.event.unwrap_or_else(|| metadata.target().to_owned());
        let mut record = super::Record::new(level, name)
            .msg(seen.message)
            .with_spec_names(self.spec);
        if let Some(session) = seen.session {
            record = record.session(session);
        }
        if let Some(trace) = seen.trace {
            record = record.trace(trace);
        }
        for (field, value) in seen.fields {
            record = record.with(field, value);
        }
        self.log.write(&record);
    }
}

/// The fields of an event.
#[derive(Default)]
struct Seen {
    event: Option<String>,
    message: String,
    session: Option<String>,
    trace: Option<String>,
    fields: Vec<(&'static str, Value)>,
}

impl Seen {
    fn put(&mut self, field: &Field, value: Value) {
        let text = || {
            value
                .as_str()
                .map(str::to_owned)
                .filter(|text| !text.is_empty())
        };
        match field.name() {
            "message" => self.message = text().unwrap_or_default(),
            "event" => self.event = text(),
            "session_id" | "sessionId" => self.session = text(),
            "trace_id" | "traceId" => self.trace = text(),
            name => self.fields.push((name, value)),
        }
    }
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, Value::from(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, Value::from(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::from(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::from(value));
    }
}
