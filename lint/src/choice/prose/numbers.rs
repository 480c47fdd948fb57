//! Numbers that a text explains one by one, without a list: "1 to include old ones, 0 to leave them out".

use super::tokens::{Kind, Token};
use super::words::GRAMMAR;
use crate::choice::table::known;

/// The numbers of a text that explains each of them: 0 and 1, or more of them without a gap, from 0 or 1 on. None where one stands
/// there unexplained, and where the text speaks of an amount.
pub(super) fn codes<'t>(tokens: &[Token<'t>]) -> Option<Vec<&'t str>> {
    let amount = |token: &Token<'t>| token.kind == Kind::Ellipsis || token.any(known!(AMOUNTS));
    if tokens.iter().any(amount) {
        return None;
    }
    let mut found: Vec<(u8, &'t str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let numeral = token.text.trim_start_matches(['-', '+']);
        if !numeral.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let number: u8 = token.text.parse().ok()?;
        let before = tokens.get(at.saturating_sub(3)..at).unwrap_or(&[]);
        if before.iter().any(|t| t.any(known!("default defaults"))) {
            continue;
        }
        if !is_explained(tokens, at) {
            return None;
        }
        if !found.iter().any(|(known, _)| *known == number) {
            found.push((number, token.text));
        }
    }
    found.sort_unstable();
    let without_gap = found.windows(2).all(|two| two[1].0 - two[0].0 == 1);
    let starts = found.first().is_some_and(|(first, _)| *first <= 1);
    (found.len() >= 2 && without_gap && starts)
        .then(|| found.into_iter().map(|(_, text)| text).collect())
}

/// Whether words or signs beside a number say what it stands for.
fn is_explained(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |by: usize| at.checked_sub(by).and_then(|at| tokens.get(at));
    let behind = |by: usize| tokens.get(at + by);
    let number = |token: Option<&Token<'_>>| token.is_some_and(|t| t.text.parse::<i64>().is_ok());
    let starts = |token: Option<&Token<'_>>| {
        token.is_none_or(|t| {
            matches!(
                t.kind,
                Kind::Comma
                    | Kind::Semicolon
                    | Kind::Colon
                    | Kind::Stop
                    | Kind::Line
                    | Kind::Bullet
                    | Kind::Open
            )
        })
    };
    let ends = |token: Option<&Token<'_>>| {
        token.is_none_or(|t| {
            matches!(
                t.kind,
                Kind::Comma | Kind::Semicolon | Kind::Stop | Kind::Line | Kind::Close
            ) || t.any(known!("or and"))
        })
    };
    let sign = |token: Option<&Token<'_>>| {
        token.is_some_and(|t| matches!(t.kind, Kind::Equals | Kind::Colon | Kind::Dash))
    };
    let word = |token: Option<&Token<'_>>, known| token.is_some_and(|t| t.any(known));
    let joined = starts(before(1)) || word(before(1), known!("or and"));
    // "1 = old", "1 to include", and not "1 to 5".
    let meant = (sign(behind(1)) || word(behind(1), known!("for means to is if when otherwise")))
        && !number(behind(2));
    // "0 unknown, 1 old"
    let named = joined && behind(1).is_some_and(|t| t.kind == Kind::Word && !t.of(GRAMMAR));
    // "old = 1", "otherwise 0", "if 1", "set to 1", "a value of 1"
    let told = sign(before(1)) && before(2).is_some_and(|t| t.kind == Kind::Word)
        || word(before(1), known!("otherwise else if when use"))
        || word(before(1), known!("to")) && word(before(2), known!("set"))
        || word(before(1), known!("of is")) && word(before(2), known!("value it"));
    // "old (1), new (2)", "(1) old, (2) new", and not "it must be (1) a book, and (2) old".
    let enclosed = before(1).is_some_and(|t| t.kind == Kind::Open)
        && behind(1).is_some_and(|t| t.kind == Kind::Close)
        && (starts(before(2)) || ends(behind(2)));
    // "The version, 1 or 2."
    let either = word(behind(1), known!("or")) && number(behind(2)) && starts(before(1))
        || word(before(1), known!("or"))
            && number(before(2))
            && ends(behind(1))
            && starts(at.checked_sub(3).and_then(|at| tokens.get(at)));
    meant || named || told || enclosed || either
}

/// Words of texts in which a number is how many, and not which.
const AMOUNTS: &str = "number many count amount maximum minimum max min least most limit from between starting starts index position \
    times retry retries items results rows pages page seconds minutes hours days bytes pixels percent degrees first last so";

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    fn read(text: &str) -> Option<Vec<&str>> {
        let mut cut = Vec::new();
        tokens::cut(text, 500, &mut cut);
        codes(&cut)
    }

    #[test]
    fn numbers_with_a_meaning_each_are_codes() {
        for text in [
            "Set to 1 to include old notes, 0 to leave them out.",
            "1 if old notes should be included, 0 otherwise.",
            "Set to 1 if old notes should be included, otherwise 0.",
            "If set to 1, old notes are included. If set to 0, they are not.",
            "Show old (1) or new (0)",
            "(0) new, (1) old",
            "The age. 0 is new, 1 is old. Default is 0.",
            "new = 0, old = 1",
            "new: 0, old: 1",
            "Age code. 0 new, 1 old",
            "- 0 new\n- 1 old",
            "A value of 1 shows old notes, a value of 0 hides them.",
            "`0` new, `1` old",
            "Boolean, 0 or 1",
        ] {
            assert_eq!(read(text), Some(vec!["0", "1"]), "{text}");
        }
        let three = "unknown (0), female (1) or male (2)";
        assert_eq!(read(three), Some(vec!["0", "1", "2"]));
    }

    #[test]
    fn amounts_places_and_ends_of_scales_are_none() {
        for text in [
            "It must be (1) a switch, and (2) part of a network.",
            "Starts with 0 or 1.",
            "0 = lowest, 100 = highest",
            "Counts from 1, 0 means none",
            "Index. 0 for the first, 1 for the second",
            "A number between 0 and 1",
            "0 means a call and no retries, and 1 means a call and one retry.",
            "Weight, 0 to 1",
            "1-5",
            "1 or more",
            "0 to turn it off, -1 for all",
            "Values of 0 and 1 are the ends of the scale",
            "User id, or 0 for everybody",
            "1 = Monday … 7 = Sunday",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
