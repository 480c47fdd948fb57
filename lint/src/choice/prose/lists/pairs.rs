//! Lists of values with their meanings.

use super::super::tokens::{Kind, Token};
use super::{Joined, List, Shape, is_code, value};
use crate::choice::table::known;

/// `1 = small, 2 = large`, `gb: British. us: American.`, `0 for public, 1 for private`.
pub(super) fn pairs<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let mut values: Vec<&'t str> = Vec::new();
    let mut at = start;
    let mut end = start;
    let sign = pair_sign(tokens.get(start + 1)?)?;
    let marked = tokens.get(start)?.is_marked();
    while let (Some(token), Some(second)) = (tokens.get(at), tokens.get(at + 1)) {
        if pair_sign(second) != Some(sign) || token.is_marked() != marked {
            break;
        }
        let Some(value) = value(token).filter(|value| *value != "*") else {
            break;
        };
        let plain = marked
            || value.bytes().all(|b| b.is_ascii_digit())
            || value.len() <= 24 && !value.contains('/');
        if !plain {
            break;
        }
        values.push(value);
        // The meaning ends where the next pair begins.
        let mut behind = at + 2;
        let mut depth = 0;
        while let Some(token) = tokens.get(behind) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close if depth == 0 => break,
                Kind::Close => depth -= 1,
                _ => {}
            }
            let breaks = matches!(
                token.kind,
                Kind::Comma | Kind::Semicolon | Kind::Line | Kind::Stop | Kind::Pipe | Kind::Slash
            ) || token.any(known!("or and"))
                || tokens.get(behind + 1).and_then(pair_sign) == Some(sign)
                    && behind > at + 2
                    && !matches!(sign, Pair::For | Pair::To);
            if depth == 0 && breaks {
                break;
            }
            behind += 1;
            if behind > at + 30 {
                break;
            }
        }
        end = behind;
        while let Some(token) = tokens.get(behind) {
            if matches!(
                token.kind,
                Kind::Comma | Kind::Semicolon | Kind::Line | Kind::Stop | Kind::Pipe | Kind::Slash
            ) || token.any(known!("or and"))
            {
                behind += 1;
            } else {
                break;
            }
        }
        at = behind;
    }
    // The last value may go on in another way: "or `c`, which leaves it".
    let joined = tokens
        .get(at.saturating_sub(1))
        .is_some_and(|t| t.any(known!("or and")));
    if let Some(last) = tokens.get(at)
        && marked
        && joined
        && last.is_marked()
    {
        values.extend(value(last));
        end = at + 1;
    }
    // "1 to 5, 6 to 10" are ranges, and "add to a list or move to another" is a sentence.
    let starts = start == 0
        || tokens
            .get(start - 1)
            .is_some_and(|t| matches!(t.kind, Kind::Colon | Kind::Stop | Kind::Line) || t.is("be"));
    let coded = || values.iter().all(|value| is_code(value));
    // "0 = lowest, 100 = highest" tells the ends of a scale.
    let number = |value: Option<&&str>| value.and_then(|value| value.parse::<i64>().ok());
    let ends = values.len() == 2
        && number(values.first())
            .zip(number(values.get(1)))
            .is_some_and(|(least, most)| least.abs_diff(most) > 1);
    let enough = values.len() >= 2
        && !ends
        && match sign {
            Pair::Dash | Pair::Equals => true,
            Pair::Colon | Pair::For => marked || coded(),
            Pair::To => {
                marked || starts && coded() && !values.iter().all(|v| v.parse::<f64>().is_ok())
            }
        };
    enough.then_some(List {
        shape: Shape::Pairs,
        values,
        marked,
        clean: true,
        open: false,
        joined: Joined::Neither,
        start,
        end,
    })
}

/// The code in brackets behind a word: "ascending (asc) or descending (desc)", "Male (`m`)". Other brackets hold remarks.
pub(super) fn code<'t>(tokens: &[Token<'t>], at: usize) -> Option<Token<'t>> {
    let (word, code) = (tokens.get(at)?, tokens.get(at + 2)?);
    let between = tokens.get(at + 1)?.kind == Kind::Open && tokens.get(at + 3)?.kind == Kind::Close;
    let short = || {
        let start = word.text.get(..code.text.len());
        code.text.len() < word.text.len()
            && start.is_some_and(|start| start.eq_ignore_ascii_case(code.text))
    };
    (between && value(code).is_some() && (code.is_marked() || short())).then_some(*code)
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Pair {
    Dash,
    Equals,
    Colon,
    For,
    To,
}

fn pair_sign(token: &Token<'_>) -> Option<Pair> {
    match token.kind {
        Kind::Dash => Some(Pair::Dash),
        Kind::Equals => Some(Pair::Equals),
        Kind::Colon => Some(Pair::Colon),
        Kind::Word if token.class == 0 => None,
        Kind::Word if token.any(known!("for means pour")) => Some(Pair::For),
        Kind::Word if token.is("to") => Some(Pair::To),
        _ => None,
    }
}
