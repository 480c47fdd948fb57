//! Names in other spellings.

/// The words of an identifier: `HTTPTimeout` is `HTTP`, `Timeout`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, &c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|i| letters.get(i));
        let after = letters.get(at + 1);
        let starts = c.is_uppercase()
            && before.is_some_and(|b| !b.is_uppercase() || after.is_some_and(|a| a.is_lowercase()));
        if (starts || c == '_') && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c != '_' {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// `InvalidAuthUx` → `invalid_auth_ux`.
pub(crate) fn snake(name: &str) -> String {
    words(name).join("_").to_lowercase()
}

/// `StillProvisioning` → `Still provisioning`; an abbreviation keeps its capitals.
pub(crate) fn sentence(name: &str) -> String {
    let mut out = String::new();
    for (at, word) in words(name).into_iter().enumerate() {
        let shout = word.chars().count() > 1 && !word.chars().any(char::is_lowercase);
        if at > 0 {
            out.push(' ');
        }
        if shout || at == 0 {
            out.push_str(&word);
        } else {
            out.push_str(&word.to_lowercase());
        }
    }
    let mut letters = out.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => out,
    }
}

/// A variant's name under a rule of serde's `rename_all`, letter for letter as serde does it; `None` for no rule.
///
/// serde starts a word at every capital.
pub(crate) fn serde_rename(rule: &str, variant: &str) -> Option<String> {
    let snake = || {
        let mut out = String::new();
        for (at, c) in variant.char_indices() {
            if at > 0 && c.is_uppercase() {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    };
    Some(match rule {
        "PascalCase" => variant.to_owned(),
        "lowercase" => variant.to_ascii_lowercase(),
        "UPPERCASE" => variant.to_ascii_uppercase(),
        "camelCase" => {
            let mut letters = variant.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
        "snake_case" => snake(),
        "SCREAMING_SNAKE_CASE" => snake().to_ascii_uppercase(),
        "kebab-case" => snake().replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => snake().to_ascii_uppercase().replace('_', "-"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_codes_and_titles() {
        let cases = [
            ("InvalidAuthUx", "invalid_auth_ux", "Invalid auth ux"),
            (
                "StillProvisioning",
                "still_provisioning",
                "Still provisioning",
            ),
            ("HTTPTimeout", "http_timeout", "HTTP timeout"),
            ("Oauth2Failed", "oauth2_failed", "Oauth2 failed"),
            ("IO", "io", "IO"),
            ("A", "a", "A"),
            ("already_snake", "already_snake", "Already snake"),
            ("NotAURL", "not_aurl", "Not AURL"),
        ];
        for (name, code, title) in cases {
            assert_eq!(snake(name), code);
            assert_eq!(sentence(name), title);
        }
    }

    #[test]
    fn renames_follow_serde() {
        let cases = [
            ("lowercase", "veryhttp"),
            ("UPPERCASE", "VERYHTTP"),
            ("PascalCase", "VeryHTTP"),
            ("camelCase", "veryHTTP"),
            ("snake_case", "very_h_t_t_p"),
            ("SCREAMING_SNAKE_CASE", "VERY_H_T_T_P"),
            ("kebab-case", "very-h-t-t-p"),
            ("SCREAMING-KEBAB-CASE", "VERY-H-T-T-P"),
        ];
        for (rule, name) in cases {
            assert_eq!(serde_rename(rule, "VeryHTTP").as_deref(), Some(name));
        }
        assert_eq!(serde_rename("Title Case", "X"), None);
    }
}
