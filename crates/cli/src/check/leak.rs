//! Words that only an internal message has.

use aon::redact;

const WORDS: [&str; 22] = [
    "panicked at",
    "stack backtrace",
    "RUST_BACKTRACE",
    "called `Result::unwrap()`",
    "called `Option::unwrap()`",
    ".rs:",
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
    if let Some(word) = WORDS.iter().find(|word| text.contains(**word)) {
        return Some((*word).to_owned());
    }
    let clean = redact::text(text);
    (clean != text).then(|| "what looks like a secret".to_owned())
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
        ] {
            assert!(find(leak).is_some(), "{leak}");
        }
        for fine in [
            r#"{"type":"pspace://problem/invalid_auth_ux","status":422,"detail":"auth_ux must be one of \"hosted\" or \"custom\"."}"#,
            r#"{"instance":"urn:pspace:request:018f6b8a-2c42-7f44-8c47-5dfb5c0aa111"}"#,
        ] {
            assert_eq!(find(fine), None, "{fine}");
        }
    }
}
