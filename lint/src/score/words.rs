//! Names and sentences, as far as a score has to understand them.

/// A name without case and separators, so that `updateAuth`, `update_auth` and `update-auth` are one.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether two names are the same apart from case and separators.
pub(super) fn same(a: &str, b: &str) -> bool {
    let letters = |name: &str| {
        name.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<Vec<_>>()
    };
    let a = letters(a);
    !a.is_empty() && a == letters(b)
}

/// A path whose parameters have no names.
pub(super) fn shape_of_path(path: &str) -> String {
    let parts = path.trim_matches('/').split('/').map(|part| {
        let parameter = part.starts_with(':') || part.starts_with('<') || part.contains('{');
        if parameter { "{}" } else { part }
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Whether a name has one of these words, each starting at a word of the name: `dry_run` is found in `orders/dry-run`.
pub(super) fn has_word(name: &str, wanted: &[&str]) -> bool {
    // All words in one text, and where each starts; so two neighbours are one piece of it.
    let mut letters = String::with_capacity(name.len());
    let mut starts = vec![0];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            starts.push(letters.len());
        }
        if c.is_alphanumeric() {
            letters.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    starts.push(letters.len());
    starts.dedup();
    let piece = |from: usize, to: usize| {
        let (from, to) = (*starts.get(from)?, *starts.get(to)?);
        letters.get(from..to).filter(|piece| !piece.is_empty())
    };
    let is_wanted = |piece: Option<&str>| piece.is_some_and(|piece| wanted.contains(&piece));
    (0..starts.len()).any(|at| is_wanted(piece(at, at + 1)) || is_wanted(piece(at, at + 2)))
}

/// Whether a sentence says what to do, instead of only what happened: it has a link, or a word of advice.
pub(super) fn is_advice(text: &str) -> bool {
    if text.contains("http://") || text.contains("https://") {
        return true;
    }
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty());
    let mut count = 0;
    let mut found = false;
    for word in words {
        count += 1;
        found = found
            || ADVICE
                .iter()
                .any(|advice| word.eq_ignore_ascii_case(advice));
    }
    found && count >= 3
}

const ADVICE: &[&str] = &[
    "add",
    "ask",
    "authenticate",
    "call",
    "change",
    "check",
    "choose",
    "confirm",
    "contact",
    "correct",
    "create",
    "enable",
    "ensure",
    "fetch",
    "fix",
    "follow",
    "include",
    "lower",
    "must",
    "obtain",
    "pass",
    "pick",
    "please",
    "provide",
    "reduce",
    "refresh",
    "register",
    "remove",
    "renew",
    "repeat",
    "request",
    "resend",
    "resubmit",
    "retry",
    "see",
    "send",
    "set",
    "should",
    "shorten",
    "specify",
    "split",
    "supply",
    "switch",
    "try",
    "update",
    "upgrade",
    "use",
    "verify",
    "visit",
    "wait",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_their_style() {
        assert!(same("updateAuth", "update_auth") && same("Update-Auth", "update.auth"));
        assert!(!same("", "") && !same("update", "updates"));
        assert_eq!(shape_of_path("/pets/{id}/x"), shape_of_path("pets/:pet/x/"));
    }

    #[test]
    fn words_are_found_whole() {
        assert!(has_word("diagnoseOrder", &["diagnose"]));
        assert!(has_word("/orders/dry-run", &["dryrun"]));
        assert!(!has_word("checkout", &["check"]));
    }

    #[test]
    fn advice_is_told_from_mere_naming() {
        assert!(is_advice("Wait five seconds and retry."));
        assert!(is_advice("See https://a.example/docs"));
        assert!(!is_advice("Not Found"));
        assert!(!is_advice("The order was not found"));
    }
}
