//! What a caller sent, in the few characters of it that an answer repeats.

use std::borrow::Cow;

use super::text;

/// The most characters of what is sent back.
pub const MAX_ECHO: usize = 80;

/// How much of a text is looked at: a secret that begins in the part that is shown is seen whole enough to be known.
const WINDOW: usize = 1024;

/// A text as it may be sent back: without its secrets, and cut to [`MAX_ECHO`] characters with an ellipsis.
///
/// For whatever the caller chose and an answer names: unknown keys, methods, header values, values of fields.
///
/// ```
/// use aon_core::redact::echo;
///
/// assert_eq!(echo("auth_ux"), "auth_ux");
/// assert_eq!(echo("token=abc123"), "token=[redacted]");
/// assert_eq!(echo(&"k".repeat(500_000)).chars().count(), 80);
/// assert!(echo(&"k".repeat(500_000)).ends_with('…'));
/// ```
pub fn echo(sent: &str) -> Cow<'_, str> {
    let window = sent.char_indices().nth(WINDOW).map(|(end, _)| end);
    let Some(end) = window else {
        let mut hidden = text(sent);
        shorten(&mut hidden, MAX_ECHO);
        return hidden;
    };
    // What is cut off says that it is.
    let mut hidden = Cow::Owned(format!("{}…", text(sent.get(..end).unwrap_or_default())));
    shorten(&mut hidden, MAX_ECHO);
    hidden
}

/// Cuts a text to so many characters; the last is an ellipsis then.
pub(super) fn shorten(text: &mut Cow<'_, str>, most: usize) {
    if text.len() <= most || text.char_indices().nth(most).is_none() {
        return;
    }
    let cut = text.char_indices().nth(most - 1).map_or(0, |(cut, _)| cut);
    let text = text.to_mut();
    text.truncate(cut);
    text.push('…');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_back_is_short() {
        let mut covered = 0;
        for letter in ["a", "ö", "🎉", "\n"] {
            for length in [0, 1, 79, 80, 81, 1023, 1024, 1025, 100_000] {
                let sent = letter.repeat(length);
                let shown = echo(&sent);
                assert_eq!(shown.chars().count(), length.min(MAX_ECHO), "{length}");
                assert_eq!(shown.ends_with('…'), length > MAX_ECHO, "{length}");
                covered += 1;
            }
        }
        assert_eq!(covered, 36);
    }

    #[test]
    fn a_secret_across_the_cut_goes_whole() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        for before in 0..MAX_ECHO {
            let shown = echo(&format!(
                "{} {token} {}",
                "x".repeat(before),
                "y".repeat(2000)
            ))
            .into_owned();
            assert!(!shown.contains("ghp_"), "{shown}");
            assert!(shown.chars().count() <= MAX_ECHO);
        }
        let password = format!("password={}", "hunter2".repeat(1000));
        assert_eq!(echo(&password), "password=[redacted]…");
    }
}
