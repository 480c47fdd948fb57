//! Patterns of JSON Schema, which are JavaScript's, as the `re` of Python reads them.

/// The same pattern in Python: `$` only at the very end, groups with names as Python spells them.
///
/// What Python has no word for stays as it is. The package finds out when it is loaded, and then lets every text pass.
pub(super) fn to_python(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 2);
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                match chars.next() {
                    Some('/') => {
                        out.pop();
                        out.push('/');
                    }
                    Some('k') if chars.peek() == Some(&'<') => {
                        out.pop();
                        chars.next();
                        let name: String = chars.by_ref().take_while(|c| *c != '>').collect();
                        out.push_str("(?P=");
                        out.push_str(&name);
                        out.push(')');
                    }
                    Some(next) => out.push(next),
                    None => {}
                }
            }
            '[' if !in_class => {
                in_class = true;
                out.push(c);
            }
            // Python warns about a bracket inside of a class.
            '[' => out.push_str("\\["),
            ']' => {
                in_class = false;
                out.push(c);
            }
            '$' if !in_class => out.push_str("\\Z"),
            '(' if !in_class && chars.peek() == Some(&'?') => {
                chars.next();
                out.push_str("(?");
                if chars.peek() == Some(&'<') {
                    chars.next();
                    let looks = matches!(chars.peek(), Some('=' | '!'));
                    out.push_str(if looks { "<" } else { "P<" });
                }
            }
            '&' | '~' | '|' | '-' if in_class && chars.peek() == Some(&c) => {
                // Doubled they are reserved.
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::to_python;

    #[test]
    fn what_differs_is_rewritten() {
        for (pattern, python) in [
            ("^[a-z]+$", "^[a-z]+\\Z"),
            ("\\$[$]$", "\\$[$]\\Z"),
            ("(?<year>\\d{4})-\\k<year>", "(?P<year>\\d{4})-(?P=year)"),
            ("(?<=a)(?<!b)(?:c)", "(?<=a)(?<!b)(?:c)"),
            ("^https:\\/\\/", "^https://"),
            ("[[a&&b]", "[\\[a\\&&b]"),
        ] {
            assert_eq!(to_python(pattern), python);
        }
    }
}
