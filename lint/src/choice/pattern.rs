//! Patterns that are lists of literals.

/// The literals of a pattern such as `^(asc|desc)$`, `asc|desc`, `^asc$|^desc$` or `^only$`; none when it is a real pattern. With
/// them comes whether the pattern accepts these and nothing else.
pub(super) fn literals(pattern: &str) -> Option<(Vec<String>, bool)> {
    let inner = pattern.trim();
    let anchored = inner.starts_with('^') && inner.ends_with('$');
    // `^(a|b)$`, but not `^(a)|(b)$`.
    let unanchored = inner.trim_start_matches('^').trim_end_matches('$');
    let group = unanchored
        .strip_prefix("(?:")
        .or_else(|| unanchored.strip_prefix('('))
        .and_then(|group| group.strip_suffix(')'));
    let values: Vec<_> = group
        .unwrap_or(inner)
        .split('|')
        .map(|part| literal(part.trim_start_matches('^').trim_end_matches('$')))
        .collect::<Option<_>>()?;
    let each = || {
        let mut parts = inner.split('|');
        parts.all(|part| part.starts_with('^') && part.ends_with('$'))
    };
    let exact = anchored && group.is_some() || each();
    (values.len() >= 2 || anchored && values.iter().all(|value| value.len() > 1))
        .then_some((values, exact))
}

/// The text a part stands for, when it stands for one text.
fn literal(part: &str) -> Option<String> {
    let part = part
        .strip_prefix('(')
        .and_then(|part| part.strip_suffix(')'))
        .unwrap_or(part);
    let mut out = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        match c {
            // An escaped mark stands for itself, an escaped letter for a class.
            '\\' => out.push(chars.next().filter(char::is_ascii_punctuation)?),
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | ':' | '/' | ',') => {
                out.push(c);
            }
            _ => return None,
        }
    }
    (!out.trim().is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn lists_of_literals_are_read_in_every_spelling() {
        for pattern in ["^(asc|desc)$", "^(?:asc|desc)$", "asc|desc", "^asc$|^desc$"] {
            assert_eq!(
                literals(pattern).unwrap_or_default().0,
                ["asc", "desc"],
                "{pattern}"
            );
        }
        assert_eq!(
            literals(r"^(v1\.0|v2\.0)$").unwrap_or_default().0,
            ["v1.0", "v2.0"]
        );
        assert_eq!(literals("^only$").unwrap_or_default().0, ["only"]);
    }

    #[test]
    fn only_what_is_anchored_and_minds_the_case_accepts_nothing_else() {
        for (pattern, exact) in [
            ("^(asc|desc)$", true),
            ("^asc$|^desc$", true),
            ("^only$", true),
            ("asc|desc", false),
            ("^asc|desc$", false),
        ] {
            assert_eq!(
                literals(pattern).map(|found| found.1),
                Some(exact),
                "{pattern}"
            );
        }
    }

    #[test]
    fn real_patterns_are_none() {
        for pattern in [
            "^[a-z]+$",
            r"^\d+$",
            "^(a|b)+$",
            "^AC[0-9a-f]{32}$",
            "a.b|c",
            "",
            "|",
            "^$",
            "only",
            "^ssh-(rsa|dss) ",
        ] {
            assert_eq!(literals(pattern), None, "{pattern}");
        }
    }
}
