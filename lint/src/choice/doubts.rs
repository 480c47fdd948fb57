//! Signs that a list which looks complete is not: then nobody may turn it into an `enum` without a look.

use super::phrases::Phrases;

/// Whether the text around listed values says that they change, hold in one case only, or go on behind the list.
pub(super) fn are_raised(text: &str, values: &[&str]) -> bool {
    if CHANGING.any_in(text) || has_other_default(text, values) {
        return true;
    }
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return false;
    };
    let is_spelled =
        |value: &&str| offset(text, value).is_some_and(|at| is_code_behind(text, at + value.len()));
    offset(text, first).is_some_and(|at| is_conditional(text, at))
        || values.iter().any(is_spelled)
        || offset(text, last).is_some_and(|at| goes_on(text, at + last.len()))
}

/// "Defaults to `client`. Accepts `none` or `full`": there are three.
fn has_other_default(text: &str, values: &[&str]) -> bool {
    text.match_indices("efault").any(|(at, _)| {
        let rest = text.get(at + 6..).unwrap_or("");
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let said = [" to ", " is ", " value is ", ": "]
            .iter()
            .find_map(|words| rest.strip_prefix(words));
        let named = said.and_then(|rest| {
            let mark = rest.chars().next().filter(|c| "`'\"".contains(*c))?;
            rest.get(1..)?.split(mark).next()
        });
        named.is_some_and(|named| {
            let named = named.trim_end_matches('.');
            let one_word = !named.is_empty() && !named.contains(char::is_whitespace);
            one_word && !values.iter().any(|value| value.eq_ignore_ascii_case(named))
        })
    })
}

/// "Danish (`da`)": what stands in the brackets is the value.
fn is_code_behind(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or("").trim_start();
    rest.starts_with("(`") || rest.starts_with("('") || rest.starts_with("(\"")
}

/// Where a value stands that was cut out of the text.
fn offset(text: &str, value: &str) -> Option<usize> {
    let at = (value.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    text.get(at..)?.starts_with(value).then_some(at)
}

/// Whether the sentence names a case before it names the values: "When RAID is on, it must be …".
fn is_conditional(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("");
    let start = [". ", ".\n", "\n\n"]
        .iter()
        .filter_map(|end| before.rfind(end).map(|found| found + end.len()))
        .max()
        .unwrap_or(0);
    let sentence = before.get(start..).unwrap_or("").trim_start();
    let mut words = sentence.split_whitespace();
    let opens = words.next().unwrap_or("");
    let next = words.next().unwrap_or("").trim_end_matches(',');
    let case = ["when", "if", "for", "with"]
        .iter()
        .any(|word| opens.eq_ignore_ascii_case(word));
    // "When set, …" speaks about every use of it.
    let always = [
        "set",
        "specified",
        "provided",
        "present",
        "given",
        "used",
        "defined",
        "supplied",
        "example",
        "instance",
        "now",
    ];
    let always = always.iter().any(|word| next.eq_ignore_ascii_case(word));
    case && !always && sentence.contains(',')
}

/// Whether more names stand behind a full stop that was meant as a comma: `In, NotIn. Gt, and Lt.`
fn goes_on(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or("");
    let Some(rest) = rest.trim_start_matches(['`', '"', '\'']).strip_prefix('.') else {
        return false;
    };
    let sentence = rest.split(['.', '\n']).next().unwrap_or("");
    let mut names = 0;
    let mut joined = false;
    for word in sentence.split(|c: char| !c.is_alphanumeric()) {
        match word {
            "" => {}
            "and" | "or" => joined = true,
            name if name.starts_with(char::is_uppercase) => names += 1,
            _ => return false,
        }
    }
    joined && names > 0
}

static CHANGING: Phrases = Phrases::new(&[
    "may change",
    "can change",
    "change over time",
    "subject to change",
    "additional value",
    "additional values",
    "more values",
    "may be added",
    "will be added",
    "might be added",
    "in the future",
    "in future",
    "only a subset",
    "non-exhaustive",
    "not exhaustive",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_conditional_and_cut_lists_raise_doubts() {
        let doubtful = |text: &str, first: &str, last: &str| {
            let cut = |word: &str| {
                let at = text.find(word).unwrap();
                &text[at..at + word.len()]
            };
            are_raised(text, &[cut(first), cut(last)])
        };
        for (text, first, last) in [
            ("Valid operators are In, NotIn. Gt, and Lt.", "In", "NotIn"),
            (
                "A mode. When caching is on, it must be fast or safe.",
                "fast",
                "safe",
            ),
            (
                "For cards, it can be set to `visa` or `maestro`.",
                "visa",
                "maestro",
            ),
            ("One of a1, b2. More values may be added.", "a1", "b2"),
            (
                "Supported are Danish (`da`) and Dutch (`nl`).",
                "Danish",
                "Dutch",
            ),
            (
                "Defaults to `client`. Accepts either `none` or `full`.",
                "none",
                "full",
            ),
        ] {
            assert!(doubtful(text, first, last), "{text}");
        }
        for (text, first, last) in [
            ("Must be `in` or `out`. Defaults to `in`.", "in", "out"),
            ("When specified, allowed values are a1 and b2.", "a1", "b2"),
            ("Must be `in` or `out`. More and better later.", "in", "out"),
            ("Sorts. Must be asc or desc.", "asc", "desc"),
        ] {
            assert!(!doubtful(text, first, last), "{text}");
        }
    }
}
