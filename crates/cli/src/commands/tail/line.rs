//! An event as one line: what it says, in words. Pure, so that it is tested without a terminal.

use std::time::Duration;

use aon::redact;
use aon_live::client::{Notice, Received};
use serde_json::Value;

/// How a line is meant, and with it its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Quiet,
    Plain,
    Thought,
    Healing,
    Good,
    Bad,
}

impl Tone {
    /// The words that turn the colour on.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Quiet => "\x1b[2m",
            Self::Plain => "\x1b[36m",
            Self::Thought => "\x1b[35m",
            Self::Healing => "\x1b[33m",
            Self::Good => "\x1b[32m",
            Self::Bad => "\x1b[31m",
        }
    }
}

/// One line without its time: a word for the kind, and what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tone: Tone,
    pub(super) word: String,
    pub(super) text: String,
}

impl Line {
    fn new(tone: Tone, word: impl Into<String>, text: impl AsRef<str>) -> Self {
        Self {
            tone,
            word: word.into(),
            text: visible(text.as_ref()),
        }
    }

    /// What an event says.
    pub(super) fn of(event: &Received) -> Self {
        let text = |name: &str| said(event, name);
        match event.kind() {
            "session" => {
                let held = text("durability");
                let id = text("session_id");
                Self::new(Tone::Quiet, "session", format!("{id} ({held})"))
            }
            "status" if event.is_heartbeat() => Self::new(Tone::Quiet, "alive", ""),
            "heartbeat" => Self::new(Tone::Quiet, "alive", ""),
            "status" => Self::new(Tone::Plain, "status", status(event)),
            "intent_analysis" => {
                let issue = after(": ", &text("detected_issue"));
                let decision = after(" → ", &text("decision"));
                let intent = text("original_intent");
                Self::new(
                    Tone::Thought,
                    "intent",
                    format!("{intent}{issue}{decision}"),
                )
            }
            "healing" => Self::new(Tone::Healing, "healing", healing(event)),
            "interactive_healing_request" => {
                let paths = redact::json_text(event.raw("allowedPatchPaths").unwrap_or("[]"));
                Self::new(
                    Tone::Healing,
                    "question",
                    format!("a person may change {paths}"),
                )
            }
            "interactive_healing_result" => Self::new(Tone::Healing, "answer", text("outcome")),
            "result" => Self::new(Tone::Good, "result", ""),
            "error" => {
                let message = after(": ", &text("message"));
                Self::new(Tone::Bad, "error", format!("{}{message}", text("code")))
            }
            other => Self::new(Tone::Plain, visible(&redact::text(other)), own(event)),
        }
    }

    /// What a notice says; none if it is not worth a line.
    pub(super) fn note(notice: &Notice) -> Option<Self> {
        Some(match notice {
            Notice::Gap {
                requested,
                oldest,
                reason,
            } => {
                let requested = requested.as_deref().unwrap_or("the start");
                let oldest = oldest.map_or_else(|| "?".to_owned(), |oldest| oldest.to_string());
                let text = format!(
                    "lost ({reason}): after {requested} the next one kept is number {oldest}"
                );
                Self::new(Tone::Bad, "gap", text)
            }
            Notice::Hole { from, to } => Self::new(
                Tone::Bad,
                "hole",
                format!("numbers {from} to {to} never came, and the server did not say so"),
            ),
            Notice::Epoch { from, to } => Self::new(
                Tone::Bad,
                "epoch",
                format!("the numbering began again ({from}, now {to})"),
            ),
            Notice::Waiting { attempt, wait, why } => {
                let wait = seconds(*wait);
                Self::new(
                    Tone::Quiet,
                    "cut",
                    format!("{why}; back in {wait}, attempt {attempt}"),
                )
            }
            Notice::Resumed => Self::new(Tone::Quiet, "resumed", ""),
            Notice::Bad(fault) => Self::new(Tone::Bad, "garbage", fault.to_string()),
            _ => return None,
        })
    }
}

/// A member that is text, without secrets: not every server takes them out, and what is on a screen is soon in a ticket.
fn said(event: &Received, name: &str) -> String {
    let text = event.member::<String>(name).unwrap_or_default();
    redact::text(&text).into_owned()
}

fn status(event: &Received) -> String {
    let message = said(event, "message");
    let delay = event.member::<u64>("estimated_delay_ms");
    let delay = delay.map_or_else(String::new, |ms| {
        format!(" (about {})", seconds(Duration::from_millis(ms)))
    });
    let progress = event
        .member::<f64>("progress")
        .map_or_else(String::new, bar);
    format!("{progress}{message}{delay}")
}

/// Ten cells and a percentage.
fn bar(progress: f64) -> String {
    const CELLS: usize = 10;
    let share = progress.clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 100"
    )]
    let percent = (share * 100.0).round() as usize;
    let full = percent * CELLS / 100;
    format!(
        "{}{} {percent:>3} % ",
        "█".repeat(full),
        "░".repeat(CELLS - full)
    )
}

fn healing(event: &Received) -> String {
    let text = |name: &str| said(event, name);
    let (action, severity) = (text("action"), text("severity"));
    let metadata = event.member::<Value>("metadata").unwrap_or_default();
    let attempt = metadata.get("attempt").and_then(Value::as_u64);
    let attempt = attempt.map_or_else(String::new, |attempt| format!(", attempt {attempt}"));
    let description = after(": ", &text("description"));
    format!("{action} ({severity}{attempt}){description}")
}

/// An event of the program's own: its data, in short.
fn own(event: &Received) -> String {
    const MOST: usize = 200;
    let text = event.member::<String>("message");
    let text = text.or_else(|| {
        let data = event.member::<Value>("data")?;
        let message = data
            .get("message")
            .and_then(Value::as_str)
            .map(str::to_owned);
        message.or_else(|| Some(data.to_string()))
    });
    // Before it is cut: half a secret is not known as one.
    let text = redact::json_text(&text.unwrap_or_default()).into_owned();
    if text.chars().count() <= MOST {
        return text;
    }
    text.chars().take(MOST).chain(['…']).collect()
}

fn after(joint: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{joint}{text}")
    }
}

/// A time as a person says it.
pub(super) fn seconds(time: Duration) -> String {
    let ms = time.as_millis();
    if ms < 1000 {
        return format!("{ms} ms");
    }
    if ms < 60_000 {
        return format!("{:.1} s", time.as_secs_f64());
    }
    format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
}

/// What a server sends may not move the cursor of a terminal or hide text.
pub(super) fn visible(text: &str) -> String {
    let hides = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || hides(c) => '·',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> String {
        let line = Line::of(&Received::read(json, None, None).unwrap());
        format!("{} {}", line.word, line.text)
    }

    #[test]
    fn each_type_says_what_it_is_about() {
        let cases = [
            (
                r#"{"type":"status","seq":2,"message":"Waiting","estimated_delay_ms":200}"#,
                "status Waiting (about 200 ms)",
            ),
            (
                r#"{"type":"status","seq":2,"message":"half","progress":0.5}"#,
                "status █████░░░░░  50 % half",
            ),
            (
                r#"{"type":"intent_analysis","original_intent":"create_user","detected_issue":"invalid_schema","decision":"map"}"#,
                "intent create_user: invalid_schema → map",
            ),
            (
                r#"{"type":"healing","severity":"medium","action":"refresh_token","description":"expired","metadata":{"attempt":2}}"#,
                "healing refresh_token (medium, attempt 2): expired",
            ),
            (
                r#"{"type":"lesson","data":{"lessonId":"l1"}}"#,
                "lesson {\"lessonId\":\"l1\"}",
            ),
            (
                r#"{"type":"log","data":{"level":"info","message":"hello"}}"#,
                "log hello",
            ),
            (
                r#"{"type":"error","code":"db_unreachable","message":"gone"}"#,
                "error db_unreachable: gone",
            ),
        ];
        for (json, expected) in cases {
            assert_eq!(line(json), expected, "{json}");
        }
    }

    #[test]
    fn a_server_cannot_draw_on_the_terminal() {
        let shown =
            line("{\"type\":\"status\",\"seq\":1,\"message\":\"a\\u001b[2Jb\\rc\\u202ed\"}");
        assert_eq!(shown, "status a·[2Jb c·d");
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let said = |ms| seconds(Duration::from_millis(ms));
        assert_eq!(
            [said(5), said(1500), said(125_000)],
            ["5 ms", "1.5 s", "2 min 05 s"]
        );
    }
}
