//! One-line JSON logs, read by pino's tools; pretty on a terminal; debug lines sampled.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::wall_ms;
use crate::sample::{Budget, Sampler};
use crate::telemetry::Telemetry;

pub mod events;
mod layer;
mod record;

pub use layer::LogLayer;
pub use record::{Level, Record};

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// One line of JSON, for collectors and for pino's tools.
    Json,
    /// For people at a terminal.
    Pretty,
    /// For people at a terminal that shows colours.
    Colour,
}

/// Writes lines. Clones are the same log.
///
/// ```
/// use aon_observe::log::{Logger, events};
///
/// let log = Logger::new(std::io::sink());
/// log.write(&events::judge_decision("CHAT_NOW", false, "short question", false).session("s-1"));
/// ```
#[derive(Clone)]
pub struct Logger(Arc<Inner>);

struct Inner {
    least: Level,
    form: Form,
    telemetry: Option<Telemetry>,
    state: Mutex<State>,
}

struct State {
    sink: Box<dyn Write + Send>,
    sampler: Sampler<(Level, String)>,
}

/// How a [`Logger`] is made.
#[derive(Debug)]
pub struct LoggerBuilder {
    least: Level,
    form: Form,
    budget: Budget,
    telemetry: Option<Telemetry>,
}

impl LoggerBuilder {
    /// The least serious level that is written: debug.
    #[must_use]
    pub const fn least(mut self, least: Level) -> Self {
        self.least = least;
        self
    }

    /// How a line looks: JSON.
    #[must_use]
    pub const fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// How many debug lines there may be.
    #[must_use]
    pub const fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Counts lines, and those that were left out.
    #[must_use]
    pub fn telemetry(mut self, telemetry: &Telemetry) -> Self {
        self.telemetry = Some(telemetry.clone());
        self
    }

    /// The log, written to `sink`.
    pub fn to(self, sink: impl Write + Send + 'static) -> Logger {
        Logger(Arc::new(Inner {
            least: self.least,
            form: self.form,
            telemetry: self.telemetry,
            state: Mutex::new(State {
                sink: Box::new(sink),
                sampler: Sampler::new(self.budget),
            }),
        }))
    }
}

impl Logger {
    /// JSON, from debug on, with the usual budget.
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        Self::builder().to(sink)
    }

    /// A log with settings of your own.
    pub fn builder() -> LoggerBuilder {
        LoggerBuilder {
            least: Level::Debug,
            form: Form::Json,
            budget: Budget::default(),
            telemetry: None,
        }
    }

    /// Whether a line of this level may be written.
    pub fn is_on(&self, level: Level) -> bool {
        level >= self.0.least
    }

    /// Writes a line, now.
    pub fn write(&self, record: &Record) {
        self.write_at(record, wall_ms());
    }

    /// Writes a line of that time, in Unix milliseconds.
    pub fn write_at(&self, record: &Record, now: u64) {
        if !self.is_on(record.level()) {
            return;
        }
        let line = (record.level(), self.line(record, now));
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { sink, sampler } = &mut *state;
        let mut put = |(level, text): (Level, String)| self.put(sink, level, text);
        let weight = record.level().weight();
        sampler.offer(
            now,
            weight,
            record.event(),
            record.trace_id(),
            line,
            &mut put,
        );
        if let Some(losses) = sampler.losses(now) {
            self.say(sink, losses, now);
        }
    }

    /// Says what was left out and not said yet, and empties the writer.
    pub fn flush(&self) {
        let now = wall_ms();
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { sink, sampler } = &mut *state;
        let losses = sampler.close();
        if !losses.is_empty() {
            self.say(sink, losses, now);
        }
        // A log that cannot be written has nowhere to say so.
        let _: std::io::Result<()> = sink.flush();
    }

    fn line(&self, record: &Record, now: u64) -> String {
        match self.0.form {
            Form::Json => record.to_json(now),
            Form::Pretty => record.to_pretty(now, false),
            Form::Colour => record.to_pretty(now, true),
        }
    }

    fn say(
        &self,
        sink: &mut Box<dyn Write + Send>,
        losses: std::collections::BTreeMap<String, u64>,
        now: u64,
    ) {
        let all: u64 = losses.values().sum();
        if let Some(telemetry) = &self.0.telemetry {
            telemetry.lines_dropped(&losses);
        }
        let record = Record::new(Level::Info, "log_dropped")
            .msg(format!("{all} debug lines were left out"))
            .with("dropped", losses);
        self.put(sink, Level::Info, self.line(&record, now));
    }

    fn put(&self, sink: &mut Box<dyn Write + Send>, level: Level, mut text: String) {
        text.push('\n');
        if let Some(telemetry) = &self.0.telemetry {
            telemetry.line_written(level);
        }
        let _: std::io::Result<()> = sink.write_all(text.as_bytes());
    }
}

impl fmt::Debug for Logger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logger")
    }
}

impl Telemetry {
    fn line_written(&self, level: Level) {
        self.0
            .metrics
            .log_lines
            .at(&[("level", level.as_str().into())])
            .inc();
    }

    fn lines_dropped(&self, losses: &std::collections::BTreeMap<String, u64>) {
        for (event, lines) in losses {
            self.0
                .metrics
                .log_dropped
                .at(&[("event", crate::bounded::word(event))])
                .inc_by(*lines);
        }
    }
}
