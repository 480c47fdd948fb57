//! Words that are near in letters and far in meaning.

/// What turns a word into another one when it stands in front.
const PREFIXES: [&str; 16] = [
    "a", "anti", "de", "dis", "il", "im", "in", "ir", "mis", "no", "non", "not", "re", "semi",
    "sub", "un",
];

/// Parts of words that are each other's opposite.
const PAIRS: [(&str, &str); 14] = [
    ("a", "de"),
    ("en", "dis"),
    ("im", "ex"),
    ("in", "de"),
    ("in", "ex"),
    ("in", "out"),
    ("inter", "intra"),
    ("min", "max"),
    ("on", "off"),
    ("over", "under"),
    ("pre", "post"),
    ("pro", "anti"),
    ("sub", "super"),
    ("up", "down"),
];

/// Whether two folded words are each other's opposite, or one is the other with a prefix.
pub(super) fn are(one: &[char], other: &[char]) -> bool {
    let (one, other): (String, String) = (one.iter().collect(), other.iter().collect());
    let prefixed = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|prefix| PREFIXES.contains(&prefix))
    };
    let swapped = |a: &str, b: &str| {
        one.match_indices(a).any(|(at, _)| {
            let (before, rest) = one.split_at(at);
            other
                .strip_prefix(before)
                .and_then(|tail| tail.strip_prefix(b))
                .is_some_and(|tail| rest.strip_prefix(a) == Some(tail))
        })
    };
    prefixed(&one, &other)
        || prefixed(&other, &one)
        || PAIRS.iter().any(|(a, b)| swapped(a, b) || swapped(b, a))
}
