//! Words that only an internal message has.

use aon::redact;
use serde_json::Value;

const WORDS: [&str; 30] = [
    "panicked at",
    "stack backtrace",
    "RUST_BACKTRACE",
    "called `Result::unwrap()`",
    "called `Option::unwrap()`",
    ".rs:",
    ".rb:",
    ".java:",
    ".cs:line ",
    ".php on line ",
    "Stack trace:",
    "node:internal/",
    // A frame of a stack, in JSON and as it is.
    "\\n    at ",
    "\n    at ",
    "Traceback (most recent call last)",
    "\", line ",
    "at Object.<anonymous>",
    "node_modules/",
    "at java.",
    "NullPointerException",
    "System.NullReferenceException",
    "goroutine 1 [",
    "SQLSTATE",
    "syntax error at or near",
    "ORA-0",
    "/home/",
    "/root/",
    "/usr/src/",
    "os error ",
    "DATABASE_URL",
];

/// The first such word in the text, or the sign of a secret.
pub(crate) fn find(text: &str) -> Option<String> {
    word(text).or_else(|| (redact::text(text) != text).then(secret))
}

/// The same in the lines of a stream, whose envelope (session, trace, number) is not a secret.
pub(crate) fn find_in_events(lines: &str) -> Option<String> {
    let hides = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(event) => {
            let mut shown = event.clone();
            redact::event(&mut shown);
            shown != event
        }
        Err(_not_json) => redact::text(line) != line,
    };
    word(lines).or_else(|| lines.lines().any(hides).then(secret))
}

fn word(text: &str) -> Option<String> {
    let found = WORDS.iter().find(|word| text.contains(**word));
    found.map(|word| (*word).to_owned())
}

fn secret() -> String {
    "what looks like a secret".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internals_are_seen_and_ordinary_problems_are_not() {
        for leak in [
            "thread 'main' panicked at src/main.rs:3:5",
            "File \"/app/x.py\", line 3",
            "No such file or directory (os error 2)",
            "postgres://user:hunter2@db/x",
            r#"{"error":"TypeError: x is undefined\n    at handle (/srv/app.mjs:3:5)"}"#,
            "java.lang.IllegalStateException\n\tat org.shop.Orders.find(Orders.java:7)",
        ] {
            assert!(find(leak).is_some(), "{leak}");
        }
        for fine in [
            r#"{"type":"pspace://problem/invalid_auth_ux","status":422,"detail":"auth_ux must be one of \"hosted\" or \"custom\"."}"#,
            r#"{"instance":"urn:pspace:request:018f6b8a-2c42-7f44-8c47-5dfb5c0aa111"}"#,
        ] {
            assert_eq!(find(fine), None, "{fine}");
        }
        let line = r#"{"type":"status","session_id":"1b0c5f0a9d3e4c7f8a6b5d4e3f2a1b0c","message":"working"}"#;
        assert_eq!(find_in_events(line), None);
        assert!(find_in_events(&line.replace("working", "token=abc123def")).is_some());
    }
}
