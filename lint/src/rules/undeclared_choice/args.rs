//! What the description of a tool says about its arguments: the `Args:` block that Python frameworks leave in it.

/// The words about one argument.
///
/// ```text
/// Args:
///     unit: Either celsius or fahrenheit
///     city (str): Where
/// ```
pub(super) fn of_argument<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let block = HEADS
        .iter()
        .find_map(|head| text.find(head).map(|at| at + head.len()))?;
    let block = text.get(block..)?;
    let mut start = None;
    let mut at = 0;
    let mut indent = 0;
    for line in block.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let width = line.len() - trimmed.len();
        let ends = !trimmed.trim().is_empty() && width <= indent
            || SECTIONS.iter().any(|head| trimmed.starts_with(head));
        if let Some(from) = start
            && ends
        {
            return block.get(from..at).map(str::trim);
        }
        let rest = trimmed
            .trim_start_matches(['-', '*', ' ', '`'])
            .strip_prefix(name);
        if start.is_none()
            && let Some(rest) = rest
        {
            let rest = rest.trim_start_matches(['`', ' ']);
            let typed = rest
                .strip_prefix('(')
                .and_then(|rest| rest.split_once(')'))
                .map_or(rest, |(_, rest)| rest);
            if let Some(words) = typed.strip_prefix(':') {
                start = Some(at + line.len() - words.len());
                indent = width;
            }
        }
        at += line.len();
    }
    start.and_then(|from| block.get(from..)).map(str::trim)
}

const HEADS: &[&str] = &["Args:", "Arguments:", "Parameters:", "Params:"];
const SECTIONS: &[&str] = &["Returns:", "Raises:", "Yields:", "Example", "Note"];

#[cfg(test)]
mod tests {
    use super::of_argument;

    #[test]
    fn an_argument_has_the_words_behind_its_name() {
        let text = "Tells the weather.\n\nArgs:\n    unit: Either celsius\n        or kelvin.\n    city (str): Where.\n\nReturns:\n    unit: no\n";
        assert_eq!(
            of_argument(text, "unit"),
            Some("Either celsius\n        or kelvin.")
        );
        assert_eq!(of_argument(text, "city"), Some("Where."));
        assert_eq!(of_argument(text, "uni"), None);
        assert_eq!(of_argument("No block. unit: x", "unit"), None);
    }
}
