//! What a worker says, read leniently: an object of a known type is an event, `ok` makes an answer, and any other line is
//! text.

use serde_json::{Map, Value};

use crate::fault::Fault;

/// One thing that a stream says before its end.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "text, or something else")]
pub enum Item {
    /// A piece of text.
    Token(String),
    /// An event that is for the reader of the model and not for people: `action`, `plan`, `ask` and so on.
    Other(Map<String, Value>),
}

/// What a line of a stream is.
#[derive(Debug)]
pub(super) enum Read {
    Item(Item),
    Stop,
    Failed(Box<Fault>),
    /// An empty line, or an acknowledgement.
    Nothing,
}

/// Types that a worker may put into its stream beside its own three: those of the daemon's events.
const OTHERS: [&str; 11] = [
    "action",
    "plan",
    "ask",
    "exec_log",
    "research_result",
    "observe",
    "done",
    "shell",
    "use_tool",
    "research",
    "tool_spec",
];

/// Reads a line of a stream. Only the newline was removed from it.
pub(super) fn line(line: &[u8]) -> Read {
    if line.is_empty() {
        return Read::Nothing;
    }
    let text = || Read::Item(Item::Token(String::from_utf8_lossy(line).into_owned()));
    // Text is what most lines of a model are, and few begin like an object.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return text();
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else {
        return text();
    };
    let kind = object.get("type").and_then(Value::as_str);
    match kind {
        Some("token") => match object.get("text") {
            Some(Value::String(text)) => Read::Item(Item::Token(text.clone())),
            _ => text(),
        },
        Some("stop") => Read::Stop,
        Some("error") => Read::Failed(Box::new(refused(&object))),
        Some(other) if OTHERS.contains(&other) => Read::Item(Item::Other(object)),
        _ => match object.get("ok") {
            Some(Value::Bool(true)) => Read::Nothing,
            Some(Value::Bool(false)) => Read::Failed(Box::new(refused(&object))),
            _ => text(),
        },
    }
}

/// Reads an answer that is not a stream.
pub(super) fn answer(line: &[u8]) -> Result<Map<String, Value>, Fault> {
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else {
        return Err(Fault::InvalidWorkerAnswer {
            reason: "it is not a JSON object".to_owned(),
        });
    };
    match object.get("ok") {
        Some(Value::Bool(true)) => Ok(object),
        Some(Value::Bool(false)) => Err(refused(&object)),
        // Some workers only say what went wrong.
        _ if object.contains_key("error") => Err(refused(&object)),
        _ => Err(Fault::InvalidWorkerAnswer {
            reason: "it has no `ok`".to_owned(),
        }),
    }
}

/// What a worker said when it refused: its problem, where it has one, or its words.
fn refused(object: &Map<String, Value>) -> Fault {
    if let Some(problem) = object.get("problem").filter(|problem| problem.is_object())
        && let Ok(problem) = aon_core::ProblemDetails::from_slice(problem.to_string().as_bytes())
    {
        return Fault::Foreign(problem);
    }
    let words = ["message", "error"]
        .into_iter()
        .filter_map(|name| object.get(name)?.as_str())
        .find(|words| !words.is_empty());
    Fault::WorkerRefused {
        words: words.unwrap_or("it did not say why").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> String {
        match line(text.as_bytes()) {
            Read::Item(Item::Token(text)) => text,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn text_is_kept_as_it_is() {
        for text in [
            " olá ",
            "\tx\r",
            "{",
            "{}",
            "{\"a\":1}",
            "[1]",
            "5",
            "null",
            "{\"type\":\"x\"}",
        ] {
            assert_eq!(token(text), text);
        }
        assert_eq!(token(r#"{"type":"token","text":" é\n"}"#), " é\n");
    }

    #[test]
    fn ends_and_failures_are_told_apart() {
        assert!(matches!(
            line(br#"{"type":"stop","reason":"aborted"}"#),
            Read::Stop
        ));
        assert!(matches!(line(br#"{"ok":true}"#), Read::Nothing));
        let told = |wire: &str| match line(wire.as_bytes()) {
            Read::Failed(fault) => fault.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            told(r#"{"type":"error","message":"full"}"#),
            "The worker refused: full"
        );
        assert_eq!(
            told(r#"{"ok":false,"error":"full"}"#),
            "The worker refused: full"
        );
        let problem =
            r#"{"type":"error","message":"m","problem":{"status":404,"code":"gone","detail":"d"}}"#;
        assert_eq!(told(problem), "d");
        assert!(matches!(
            line(br#"{"type":"action","action":"shell"}"#),
            Read::Item(Item::Other(_))
        ));
    }

    #[test]
    fn an_answer_says_ok() {
        assert!(answer(br#"{"ok":true,"session_id":"x"}"#).is_ok());
        for wire in [
            "x",
            "[]",
            "{}",
            r#"{"ok":"yes"}"#,
            r#"{"ok":false}"#,
            r#"{"error":"x"}"#,
        ] {
            assert!(answer(wire.as_bytes()).is_err(), "{wire}");
        }
    }
}
