//! Whether a sentence says what to do, instead of only what happened.

/// Whether a text has a link, or a clause that tells its reader to do something.
pub(super) fn is_advice(text: &str) -> bool {
    if text.contains("http://") || text.contains("https://") {
        return true;
    }
    // A period inside a word or a number does not end a clause, but nothing here depends on that.
    text.split([
        '.', ';', ':', '!', '?', ',', '(', ')', '\n', '–', '—', '|', '*',
    ])
    .any(is_told)
}

/// Whether a text explains a failure in words of its own, instead of repeating what its status is called.
pub(super) fn is_explained(text: &str) -> bool {
    let own = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| word.len() > 2 && !word.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|word| !EMPTY.iter().any(|empty| word.eq_ignore_ascii_case(empty)));
    own.take(OWN_WORDS).count() == OWN_WORDS
}

/// A clause tells what to do when it starts with an imperative, or when it says what must or should be.
fn is_told(clause: &str) -> bool {
    let words: Vec<String> = clause
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let skipped = words
        .iter()
        .take_while(|word| OPENERS.contains(&word.as_str()))
        .count();
    let imperative = |at: usize| {
        SURE.contains(&word(at))
            || (AMBIGUOUS.contains(&word(at)) && FOLLOWERS.contains(&word(at + 1)))
    };
    let asks = words.iter().any(|word| word == "please");
    let demands = |at: usize| match word(at) {
        "must" => !word(at + 1).is_empty(),
        "should" => !matches!(word(at + 1), "" | "never" | "not") || word(at + 2) == "be",
        "need" | "needs" | "have" | "has" => word(at + 1) == "to" && word(at + 2) != "been",
        "make" => word(at + 1) == "sure",
        "try" => matches!(word(at + 1), "again" | "later"),
        "retry" | "resubmit" => true,
        _ => false,
    };
    asks || imperative(skipped) || (0..words.len()).any(demands)
}

/// How many words of its own an explanation has at least.
const OWN_WORDS: usize = 3;

/// Words that every status has in its name, and those that hold sentences together.
const EMPTY: &[&str] = &[
    "acceptable",
    "access",
    "allowed",
    "and",
    "any",
    "api",
    "are",
    "bad",
    "because",
    "been",
    "body",
    "but",
    "called",
    "can",
    "cannot",
    "client",
    "code",
    "conflict",
    "could",
    "default",
    "denied",
    "did",
    "does",
    "entity",
    "error",
    "errors",
    "exist",
    "failed",
    "failure",
    "for",
    "forbidden",
    "found",
    "from",
    "generic",
    "given",
    "gone",
    "had",
    "has",
    "have",
    "http",
    "internal",
    "invalid",
    "its",
    "large",
    "malformed",
    "many",
    "media",
    "message",
    "method",
    "missing",
    "not",
    "object",
    "occurred",
    "operation",
    "page",
    "payload",
    "permission",
    "processed",
    "provided",
    "request",
    "requested",
    "requests",
    "resource",
    "response",
    "server",
    "service",
    "some",
    "something",
    "specified",
    "status",
    "supported",
    "that",
    "the",
    "there",
    "this",
    "timeout",
    "too",
    "type",
    "unauthenticated",
    "unauthorised",
    "unauthorized",
    "unavailable",
    "unexpected",
    "unknown",
    "unprocessable",
    "unsupported",
    "was",
    "were",
    "when",
    "with",
    "wrong",
    "you",
    "your",
];

/// What may stand before an imperative.
const OPENERS: &[&str] = &[
    "also", "and", "just", "kindly", "or", "please", "simply", "so", "then", "to", "you", "can",
    "may", "could",
];

/// Verbs that are nothing else at the start of a clause.
const SURE: &[&str] = &[
    "authenticate",
    "avoid",
    "choose",
    "confirm",
    "consider",
    "contact",
    "decrease",
    "enable",
    "ensure",
    "follow",
    "include",
    "increase",
    "obtain",
    "omit",
    "pick",
    "provide",
    "reauthenticate",
    "reduce",
    "refer",
    "refresh",
    "remove",
    "repeat",
    "resend",
    "retry",
    "shorten",
    "specify",
    "supply",
    "switch",
    "upgrade",
    "verify",
    "visit",
    "wait",
];

/// Verbs that are also nouns or adjectives: "Request failed", "Update conflict". What follows decides.
const AMBIGUOUS: &[&str] = &[
    "add", "ask", "back", "call", "change", "check", "correct", "create", "delete", "fetch", "fix",
    "log", "pass", "register", "request", "see", "send", "set", "sign", "split", "try", "update",
    "use",
];

/// What follows a verb that is one.
const FOLLOWERS: &[&str] = &[
    "a",
    "again",
    "all",
    "an",
    "and",
    "another",
    "any",
    "at",
    "different",
    "for",
    "fewer",
    "i",
    "if",
    "in",
    "it",
    "its",
    "less",
    "more",
    "new",
    "off",
    "one",
    "only",
    "or",
    "our",
    "smaller",
    "that",
    "the",
    "their",
    "this",
    "to",
    "up",
    "valid",
    "whether",
    "with",
    "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_has_words_of_its_own() {
        for text in [
            "The employee does not exist, or the earning code and start date do not fit",
            "Cancellation of the shipment is no longer possible",
        ] {
            assert!(is_explained(text), "{text}");
        }
        for text in [
            "Not Found",
            "401 response",
            "The specified resource was not found",
            "Unexpected error",
            "The order was not found",
        ] {
            assert!(!is_explained(text), "{text}");
        }
    }

    #[test]
    fn advice_is_told_from_mere_naming() {
        for text in [
            "Wait five seconds and retry.",
            "See https://a.example/docs",
            "Invalid request. Check the parameters and try again.",
            "Unauthorized, please log in",
            "The name must be unique",
            "Too many requests: retry after the time in the header",
            "You need to be an owner",
            "Make sure that the id exists",
            "Request a new token",
        ] {
            assert!(is_advice(text), "{text}");
        }
        for text in [
            "Not Found",
            "The order was not found",
            "Bad request. The request is invalid",
            "Request failed",
            "Update conflict",
            "The set of values is wrong",
            "Validation error in the call",
            "Error in request body",
            "This should never happen",
            "Check failed",
        ] {
            assert!(!is_advice(text), "{text}");
        }
    }
}
