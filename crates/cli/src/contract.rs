//! The clauses of the contract, as `docs/contract.md` has them.

/// The whole text.
pub const TEXT: &str = include_str!("../contract.md");

/// The text of a clause such as `S5`, without its heading.
pub(crate) fn clause(number: &str) -> Option<&'static str> {
    clauses()
        .find(|(own, _)| own.eq_ignore_ascii_case(number))
        .map(|(_, text)| text)
}

/// All clauses in order: number and text.
pub(crate) fn clauses() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.split("\n### ").skip(1).filter_map(|part| {
        let (number, text) = part.split_once('\n')?;
        let text = text.split("\n## ").next().unwrap_or(text);
        Some((number.trim(), text.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_has_a_number_and_a_text_and_none_stands_twice() {
        let all: Vec<_> = clauses().collect();
        assert!(all.len() > 60, "{} clauses", all.len());
        for (at, (number, text)) in all.iter().enumerate() {
            let (letter, digits) = number.split_at(1);
            assert!("PSDMRQGLVWO".contains(letter), "{number}");
            assert!(digits.parse::<u8>().is_ok(), "{number}");
            assert!(
                text.ends_with('.') && !text.lines().any(|line| line.starts_with('#')),
                "{number}: {text}"
            );
            assert!(
                all.iter().skip(at + 1).all(|(other, _)| other != number),
                "{number}"
            );
        }
        assert_eq!(clause("s5"), clause("S5"));
        assert!(clause("S99").is_none());
    }
}
