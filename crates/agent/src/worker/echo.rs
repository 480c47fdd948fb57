//! The backend that says what it was told: for trying things, and for the contract kit.

use std::time::Duration;

use futures_util::stream;
use serde_json::Value;

use super::backend::{Ask, Backend, Tokens};

/// Answers with the prompt, word by word. `params` of the session may say `repeat` (how often) and `delay_ms` (between two
/// tokens).
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "an echo has no settings")]
pub struct Echo;

/// The slowest echo.
const LONGEST_DELAY: u64 = 10_000;

impl Backend for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn generate(&self, ask: Ask) -> Tokens {
        let number = |name: &str| ask.params.get(name).and_then(Value::as_u64);
        let repeat = number("repeat").unwrap_or(1);
        let delay = number("delay_ms").unwrap_or(0).min(LONGEST_DELAY);
        let words = words(&ask.prompt);
        let start = (words, 0_usize, repeat);
        Box::pin(stream::unfold(start, move |(words, at, left)| async move {
            let (at, left) = if at < words.len() {
                (at, left)
            } else {
                (0, left.saturating_sub(1))
            };
            if left == 0 {
                return None;
            }
            let word = words.get(at)?.clone();
            if delay > 0 {
                tokio::time::sleep(Duration::from_millis(delay)).await;
            }
            Some((Ok(word), (words, at + 1, left)))
        }))
    }
}

/// Words, each with the blanks before it, so that they give the text again.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_whitespace() && word.chars().any(|known| !known.is_whitespace()) {
            words.push(std::mem::take(&mut word));
        }
        word.push(letter);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_give_the_text_again() {
        for text in [
            "",
            " ",
            "a",
            " a  b\n\nc ",
            "olá 世界",
            "\n{\"type\":\"x\"}\n",
        ] {
            assert_eq!(words(text).concat(), text);
        }
        assert_eq!(words(" a  b"), [" a", "  b"]);
    }
}
