//! One line of the log, in the words of pino: numbers for levels, milliseconds for time.

use std::borrow::Cow;
use std::fmt::Write as _;

use aon_core::redact;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::sample::Weight;

/// How serious a line is, as pino counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// 10.
    Trace = 10,
    /// 20.
    Debug = 20,
    /// 30.
    Info = 30,
    /// 40.
    Warn = 40,
    /// 50.
    Error = 50,
    /// 60.
    Fatal = 60,
}

impl Level {
    /// The number on the wire.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The word in the pretty form and in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }

    pub(crate) const fn weight(self) -> Weight {
        match self {
            Self::Trace | Self::Debug => Weight::Debug,
            Self::Info | Self::Warn => Weight::Plain,
            Self::Error | Self::Fatal => Weight::Error,
        }
    }
}

/// One line of the log.
///
/// ```
/// use aon_observe::log::{Level, Record};
///
/// let record = Record::new(Level::Info, "order_placed").msg("order 7 was placed").session("s-1").with("token", "abc123secret");
/// assert_eq!(
///     record.to_json(1_715_432_000_000),
///     r#"{"level":30,"time":1715432000000,"event":"order_placed","msg":"order 7 was placed","sessionId":"s-1","token":"[redacted]"}"#
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    level: Level,
    event: Cow<'static, str>,
    msg: String,
    session: Option<String>,
    trace: Option<String>,
    fields: Map<String, Value>,
    /// Whether `timestamp` and `session_id` are there too.
    spec: bool,
}

/// The members a field may not be called.
const TAKEN: [&str; 8] = [
    "level",
    "time",
    "event",
    "msg",
    "sessionId",
    "traceId",
    "timestamp",
    "session_id",
];

impl Record {
    /// A line about an event.
    pub fn new(level: Level, event: impl Into<Cow<'static, str>>) -> Self {
        Self {
            level,
            event: event.into(),
            msg: String::new(),
            session: None,
            trace: None,
            fields: Map::new(),
            spec: false,
        }
    }

    /// With `timestamp` (ISO 8601) and `session_id` beside `time` and `sessionId`, as the specification of the agents names them.
    #[must_use]
    pub const fn with_spec_names(mut self, on: bool) -> Self {
        self.spec = on;
        self
    }

    /// The same for people; without it the name of the event stands there.
    #[must_use]
    pub fn msg(mut self, msg: impl Into<String>) -> Self {
        self.msg = msg.into();
        self
    }

    /// The session it belongs to.
    #[must_use]
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// The trace it belongs to.
    #[must_use]
    pub fn trace(mut self, id: impl Into<String>) -> Self {
        self.trace = Some(id.into());
        self
    }

    /// One more thing to know. What has no JSON form is left out; a name that is taken gets an underscore.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            let name = if TAKEN.contains(&name) {
                format!("{name}_")
            } else {
                name.to_owned()
            };
            self.fields.insert(name, value);
        }
        self
    }

    /// How serious it is.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// What it is about.
    pub fn event(&self) -> &str {
        &self.event
    }

    /// The trace it belongs to.
    pub fn trace_id(&self) -> Option<&str> {
        self.trace.as_deref()
    }

    /// What it says, without secrets.
    fn clean(&self) -> (Cow<'_, str>, Value) {
        let msg = if self.msg.is_empty() {
            &*self.event
        } else {
            &self.msg
        };
        let mut fields = Value::Object(self.fields.clone());
        redact::json(&mut fields);
        (redact::text(msg), fields)
    }

    /// The line as JSON, without its end. Secrets are taken out as they are everywhere.
    pub fn to_json(&self, time_ms: u64) -> String {
        let (msg, fields) = self.clean();
        let mut out = String::with_capacity(160);
        let _: std::fmt::Result = write!(
            out,
            r#"{{"level":{},"time":{time_ms},"event":{}"#,
            self.level.number(),
            json(&redact::text(&self.event))
        );
        let _: std::fmt::Result = write!(out, r#","msg":{}"#, json(&msg));
        if self.spec {
            let _: std::fmt::Result = write!(out, r#","timestamp":"{}""#, iso(time_ms));
        }
        let own = self.session.as_ref().filter(|_| self.spec);
        for (name, value) in [
            ("sessionId", self.session.as_ref()),
            ("session_id", own),
            ("traceId", self.trace.as_ref()),
        ] {
            if let Some(value) = value {
                let value = json(&redact::text(value));
                let _: std::fmt::Result = write!(out, r#","{name}":{value}"#);
            }
        }
        for (name, value) in fields.as_object().into_iter().flatten() {
            let _: std::fmt::Result = write!(out, ",{}:{value}", json(name));
        }
        out.push('}');
        on_one_line(out)
    }

    /// The line for a terminal: time of day, level, event, message, and the rest as `name=value`.
    pub fn to_pretty(&self, time_ms: u64, colour: bool) -> String {
        let (msg, fields) = self.clean();
        let (hours, minutes) = (time_ms / 3_600_000 % 24, time_ms / 60_000 % 60);
        let (seconds, rest) = (time_ms / 1000 % 60, time_ms % 1000);
        let (on, off) = match (colour, self.level) {
            (false, _) => ("", ""),
            (true, Level::Error | Level::Fatal) => ("\x1b[31m", "\x1b[0m"),
            (true, Level::Warn) => ("\x1b[33m", "\x1b[0m"),
            (true, Level::Info) => ("\x1b[32m", "\x1b[0m"),
            (true, Level::Trace | Level::Debug) => ("\x1b[2m", "\x1b[0m"),
        };
        let level = self.level.as_str().to_uppercase();
        let mut out = format!(
            "{hours:02}:{minutes:02}:{seconds:02}.{rest:03} {on}{level:>5}{off} {}",
            visible(&redact::text(&self.event))
        );
        if *msg != *self.event {
            out.push_str(": ");
            out.push_str(&visible(&msg));
        }
        let ids = [("session", &self.session), ("trace", &self.trace)];
        for (name, value) in ids {
            if let Some(value) = value {
                let value = redact::text(value);
                let _: std::fmt::Result = write!(out, " {name}={}", visible(&value));
            }
        }
        for (name, value) in fields.as_object().into_iter().flatten() {
            let _: std::fmt::Result = match value {
                Value::String(text) if !text.contains([' ', '"', '=']) => {
                    write!(out, " {}={}", visible(name), visible(text))
                }
                _ => write!(out, " {}={}", visible(name), on_one_line(value.to_string())),
            };
        }
        out
    }
}

/// JSON without the characters it may leave bare that some reader takes for the end of a line or for a command: the controls
/// beyond ASCII, and the separators of Unicode. They are inside of strings, so an escape is the same text.
fn on_one_line(json: String) -> String {
    let escapes = |c: char| c == '\u{7f}' || is_break(c);
    if !json.contains(escapes) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if escapes(c) {
            let _: std::fmt::Result = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// A control beyond ASCII, or a separator of lines or paragraphs.
fn is_break(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
}

fn json(text: &str) -> Value {
    Value::from(text)
}

/// A text without anything a terminal would obey.
fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(|c: char| c.is_control() || is_break(c)) {
        return Cow::Owned(text.chars().flat_map(char::escape_debug).collect());
    }
    Cow::Borrowed(text)
}

/// A time in UTC, as ISO 8601 writes it.
fn iso(time_ms: u64) -> String {
    // Days of eras of 400 years that begin in March, so that a leap day is the last of its year.
    let days = time_ms / 86_400_000 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hours, minutes) = (time_ms / 3_600_000 % 24, time_ms / 60_000 % 60);
    let (seconds, rest) = (time_ms / 1000 % 60, time_ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{rest:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_count_them() {
        for (time, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_715_432_000_007, "2024-05-11T12:53:20.007Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(time), text);
        }
    }

    #[test]
    fn the_names_of_the_specification_are_beside_the_others() {
        let record = Record::new(Level::Info, "action")
            .session("s-1")
            .with("action_id", "a-1");
        assert_eq!(
            record.with_spec_names(true).to_json(1_715_432_000_007),
            r#"{"level":30,"time":1715432000007,"event":"action","msg":"action","timestamp":"2024-05-11T12:53:20.007Z","sessionId":"s-1","session_id":"s-1","action_id":"a-1"}"#
        );
    }
}
