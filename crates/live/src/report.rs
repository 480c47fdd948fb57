//! `X-AON-Report`: what a black box would have shown, in a line that never breaks a response.

use std::fmt::Write as _;

use aon_core::redact;
use http::HeaderValue;

/// The longest report.
const LONGEST: usize = 1024;
/// How many different actions are named.
const ACTIONS: usize = 16;

/// What a black box counts while nobody reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    events: u64,
    healed: u64,
    actions: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, healed_by: Option<&str>) {
        self.events += 1;
        if let Some(action) = healed_by {
            self.healed += 1;
            if self.actions.len() < ACTIONS && !self.actions.iter().any(|known| known == action) {
                self.actions.push(action.to_owned());
            }
        }
    }

    /// What was counted as a repair did not help.
    pub(crate) const fn failed(&mut self) {
        self.healed = self.healed.saturating_sub(1);
    }

    /// The report as a dictionary of RFC 8941: ASCII, at most 1 KiB. Names of actions that do not fit are left out.
    pub(crate) fn report(&self) -> Option<HeaderValue> {
        let mut text = format!("v=1, events={}, healed={}", self.events, self.healed);
        let mut actions = String::new();
        let mut left_out = false;
        for action in &self.actions {
            let item = quoted(&redact::text(action));
            if text.len() + actions.len() + item.len() > LONGEST - 64 {
                left_out = true;
                break;
            }
            let gap = if actions.is_empty() { "" } else { " " };
            // Writing into a string does not fail.
            let _: std::fmt::Result = write!(actions, "{gap}{item}");
        }
        if !actions.is_empty() {
            let _: std::fmt::Result = write!(text, ", actions=({actions})");
        }
        if left_out {
            text.push_str(", truncated=?1");
        }
        HeaderValue::from_str(&text).ok()
    }
}

/// A string of RFC 8941: what is not printable ASCII becomes a question mark.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars().take(64) {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            _ => out.push('?'),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(actions: &[&str]) -> String {
        let mut tally = Tally::default();
        tally.add(None);
        for action in actions {
            tally.add(Some(action));
        }
        let header = tally.report().unwrap();
        assert!(header.len() <= LONGEST);
        header.to_str().unwrap().to_owned()
    }

    #[test]
    fn it_counts_and_names_each_action_once() {
        assert_eq!(report(&[]), "v=1, events=1, healed=0");
        assert_eq!(
            report(&["refresh_token", "retry", "retry"]),
            r#"v=1, events=4, healed=3, actions=("refresh_token" "retry")"#
        );
    }

    #[test]
    fn it_is_ascii_and_short_whatever_the_actions_are() {
        let strange = report(&["line\r\nbreak", "é\u{0}\"\\", "password=hunter2secret"]);
        assert!(strange.is_ascii() && !strange.contains(['\r', '\n']));
        assert!(!strange.contains("hunter2secret"), "{strange}");
        let many: Vec<String> = (0..500)
            .map(|n| format!("{n}{}", "x".repeat(300)))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(report(&many).starts_with("v=1, events=501, healed=500"));
    }
}
