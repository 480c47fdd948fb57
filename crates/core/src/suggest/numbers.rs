//! Numbers inside words: `us-east-1` is not `us-east-2`, and `1.5` is not `15`.

/// Whether the words hold different numbers. A digit between two letters, where the candidate has none, is a slip for
/// a letter: `h0sted`.
pub(super) fn differ(given: &str, candidate: &str) -> bool {
    let (given, candidate) = (given.trim(), candidate.trim());
    if runs(candidate).next().is_none() {
        return !slips(given);
    }
    !runs(given).eq(runs(candidate)) || is_negative(given) != is_negative(candidate)
}

fn runs(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_numeric())
        .filter(|run| !run.is_empty())
}

fn is_negative(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next() == Some('-') && chars.next().is_some_and(char::is_numeric)
}

/// Whether every digit stands alone between two letters.
fn slips(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let letter = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(|c| c.is_alphabetic())
    };
    chars
        .iter()
        .enumerate()
        .filter(|(_, c)| c.is_numeric())
        .all(|(at, _)| letter(at.checked_sub(1)) && letter(Some(at + 1)))
}
