//! Patterns: JSON Schema takes those of JavaScript, and documents hold others.

/// Whether a pattern is put together as JavaScript demands: groups and classes end, quantifiers have something to repeat.
///
/// A schema with a pattern that is none keeps validators from starting, so such a pattern is only told to people.
pub(super) fn is_sound(pattern: &str) -> bool {
    let mut rest = pattern.chars().peekable();
    let mut depth = 0_usize;
    // Whether there is something that a quantifier could repeat.
    let mut repeatable = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                match rest.next() {
                    None => return false,
                    // `\p{L}` and `\u{1f600}` have braces of their own.
                    Some('p' | 'P' | 'u') if rest.next_if_eq(&'{').is_some() => {
                        if !rest.by_ref().any(|c| c == '}') {
                            return false;
                        }
                    }
                    Some(_) => {}
                }
                repeatable = true;
            }
            '[' => {
                loop {
                    match rest.next() {
                        None => return false,
                        Some(']') => break,
                        Some('\\') => {
                            rest.next();
                        }
                        Some(_) => {}
                    }
                }
                repeatable = true;
            }
            '(' => {
                depth += 1;
                repeatable = false;
                if rest.next_if_eq(&'?').is_some() && !is_group(&mut rest) {
                    return false;
                }
            }
            ')' => {
                let Some(outer) = depth.checked_sub(1) else {
                    return false;
                };
                depth = outer;
                repeatable = true;
            }
            '|' | '^' => repeatable = false,
            '*' | '+' | '?' => {
                if !repeatable {
                    return false;
                }
                rest.next_if_eq(&'?');
                repeatable = false;
            }
            '{' => {
                let counts: String =
                    std::iter::from_fn(|| rest.next_if(|c| c.is_ascii_digit() || *c == ','))
                        .collect();
                if !repeatable || counts.is_empty() || rest.next() != Some('}') {
                    return false;
                }
                rest.next_if_eq(&'?');
                repeatable = false;
            }
            '}' | ']' => return false,
            _ => repeatable = true,
        }
    }
    depth == 0
}

/// What may follow `(?`. Flags such as `(?i)` belong to other languages.
fn is_group(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    match rest.next() {
        Some(':' | '=' | '!') => true,
        Some('<') => {
            if rest.next_if(|c| matches!(c, '=' | '!')).is_some() {
                return true;
            }
            let name: String = std::iter::from_fn(|| rest.next_if(|c| *c != '>')).collect();
            rest.next() == Some('>')
                && name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_sound;

    #[test]
    fn patterns_of_javascript_are_told_from_others() {
        for good in [
            "",
            "^a$",
            "[a-z]{2,}?",
            "(?<n>a)\\k<n>",
            "(?:a|b)*",
            "(?<=a)b(?!c)",
            "[[]",
            "[\\]]+",
            "^\\p{L}+$",
            "a{2}|^",
        ] {
            assert!(is_sound(good), "{good}");
        }
        for bad in [
            "[a", "(a", "a)", "*a", "a**", "(?i)a", "(?P<n>a)", "a\\", "(?<1>a)", "a{x}", "{2}",
            "(*)", "a|*", "a]",
        ] {
            assert!(!is_sound(bad), "{bad}");
        }
    }
}
