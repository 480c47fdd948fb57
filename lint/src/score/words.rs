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
    let words = split(name);
    let mut pairs = words.windows(2).map(<[String]>::concat);
    words.iter().any(|word| wanted.contains(&word.as_str()))
        || pairs.any(|pair| wanted.contains(&pair.as_str()))
}

/// The rest of a name that has one of these words, in the way of [`plain`]; none when little is left.
pub(super) fn without_word(name: &str, unwanted: &[&str]) -> Option<String> {
    let words = split(name);
    let rest: String = words
        .iter()
        .filter(|word| !unwanted.contains(&word.as_str()))
        .map(String::as_str)
        .collect();
    let had = words.iter().any(|word| unwanted.contains(&word.as_str()));
    (had && rest.len() > 2).then_some(rest)
}

/// The words of a name in lower case: separators and a change of case divide them.
fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let mut was_lower = false;
    for c in name.chars() {
        open = open && c.is_alphanumeric() && !(c.is_uppercase() && was_lower);
        if c.is_alphanumeric() {
            if !open {
                words.push(String::new());
            }
            open = true;
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    join_pairs(words)
}

/// Puts words together that are one, so that a check-in is not a check.
fn join_pairs(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let tail = matches!(
            word.as_str(),
            "in" | "ins" | "out" | "outs" | "list" | "lists" | "point" | "sum"
        );
        match joined.last_mut() {
            Some(last) if last == "check" && tail => last.push_str(&word),
            _ => joined.push(word),
        }
    }
    joined
}

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
        assert!(!has_word("checkout", &["check"]) && !has_word("Auto Check-In", &["check"]));
        assert!(has_word("check_order", &["check"]));
    }

    #[test]
    fn what_a_name_is_about_is_what_is_left() {
        assert_eq!(
            without_word("validateOrder", &["validate"]).as_deref(),
            Some("order")
        );
        assert_eq!(without_word("validate", &["validate"]), None);
        assert_eq!(without_word("createOrder", &["validate"]), None);
    }
}
