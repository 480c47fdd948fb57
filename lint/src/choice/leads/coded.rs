//! Values that are told apart by their meanings: "0 = inactive, 1 = active", "M for male, F for female".

use super::super::list::Prose;
use super::super::tokens::Kind;
use super::Hit;

/// "0 = inactive, 1 = active", "A - active, P - pending", "M for male, F for female", "end => last, auto => anywhere".
pub(super) fn coded(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let fresh = at.checked_sub(1).is_none_or(|before| {
        !matches!(prose.kind(before), Some(Kind::Comma | Kind::Semicolon))
            && !prose.is_one_of(before, &["or", "and"])
    });
    if !fresh {
        return None;
    }
    let mut values = Vec::new();
    let mut arrows = true;
    let mut place = at;
    while let Some((value, behind, arrow)) = code(prose, place) {
        values.push(value);
        arrows &= arrow;
        // The meaning may have a few words, and alternatives of its own: "1=calm/slow, 2=fast".
        let limit = prose.len().min(behind + 8);
        let spoken = prose.is_one_of(place + 1, MEANS);
        let next = (behind..limit).find(|at| {
            let last = is_between(prose, *at) && !is_between(prose, at + 1);
            last && (spoken || code(prose, at + 1).is_some())
        });
        match next {
            // "X or Y - both": two codes for one meaning.
            Some(next)
                if prose.is_one_of(next, &["or", "and"]) && is_code(prose.word(next - 1)) =>
            {
                return None;
            }
            Some(next) => place = next + 1,
            // "3=rat 4=mouse".
            None if prose.word(place).contains('=') && prose.word(behind).contains('=') => {
                place = behind;
            }
            None => break,
        }
    }
    let numbered = are_numbered(&values);
    let letters = values
        .iter()
        .all(|value| value.bytes().all(|b| b.is_ascii_uppercase()));
    (values.len() >= 2 && (numbered || letters || arrows)).then(|| Hit::told(values))
}

/// "regular seller (`1`) or whitelabel seller (`2`)": the codes stand behind their meanings.
pub(super) fn coded_behind(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let number = |at: usize| {
        let text = prose.text(at + 1);
        let told = prose.is(at, Kind::Open)
            && prose.is(at + 2, Kind::Close)
            && at > 0
            && prose.is(at - 1, Kind::Word);
        let digits = (1..=3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        (told && digits).then_some(text)
    };
    let mut values = vec![number(at)?];
    let mut place = at + 3;
    while is_between(prose, place) {
        let limit = prose.len().min(place + 8);
        let Some(next) = (place..limit).find(|at| number(*at).is_some()) else {
            break;
        };
        values.extend(number(next));
        place = next + 3;
    }
    (values.len() >= 2 && are_numbered(&values)).then(|| Hit::told(values))
}

/// Whether these are numbers in order. The two ends of a scale are no list; three or more may have gaps.
fn are_numbered(values: &[&str]) -> bool {
    let numbers: Vec<u16> = values
        .iter()
        .filter_map(|value| value.parse().ok())
        .collect();
    let step = |pair: &[u16]| {
        pair.first()
            .zip(pair.get(1))
            .is_some_and(|(a, b)| *b == a + 1 || (numbers.len() >= 3 && b > a))
    };
    numbers.len() == values.len() && numbers.windows(2).all(step)
}

/// What stands between a meaning and the next code.
fn is_between(prose: Prose<'_>, at: usize) -> bool {
    matches!(
        prose.kind(at),
        Some(
            Kind::Comma | Kind::Semicolon | Kind::Line | Kind::Paragraph | Kind::Slash | Kind::Pipe
        )
    ) || prose.is_one_of(at, &["or", "and"])
}

/// The code at a place, the place of its meaning, and whether an arrow stands between them.
fn code(prose: Prose<'_>, at: usize) -> Option<(&str, usize, bool)> {
    let word = if prose.is_literal(at) {
        prose.text(at)
    } else {
        prose.word(at)
    };
    if let Some((code, meaning)) = word.split_once('=')
        && is_code(code)
        && meaning.bytes().any(|b| b.is_ascii_alphabetic())
        && meaning.starts_with(char::is_alphanumeric)
    {
        return Some((code, at + 1, false));
    }
    // "D-daily, W-weekly".
    if let Some((code, meaning)) = word.split_once('-')
        && code.len() == 1
        && is_code(code)
        && meaning.len() > 2
        && meaning.bytes().all(|b| b.is_ascii_lowercase())
        && meaning
            .as_bytes()
            .get(..1)
            .is_some_and(|first| first.eq_ignore_ascii_case(code.as_bytes()))
    {
        return Some((code, at + 1, false));
    }
    let means = prose.is(at + 2, Kind::Word) || prose.is_literal(at + 2);
    let dashed = matches!(prose.kind(at + 1), Some(Kind::Dash | Kind::Colon));
    let spoken = prose.is_one_of(at + 1, MEANS);
    if means && (dashed || spoken) && is_code(word) {
        return Some((word, at + 3, false));
    }
    let arrow =
        prose.is(at + 1, Kind::Dash) && ["=>", "->", "→", "⇒"].contains(&prose.text(at + 1));
    let constant = (2..=24).contains(&word.len())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    (means && arrow && constant).then_some((word, at + 3, true))
}

fn is_code(text: &str) -> bool {
    (1..=3).contains(&text.len())
        && (text.bytes().all(|b| b.is_ascii_digit())
            || text.bytes().all(|b| b.is_ascii_uppercase()))
}

/// Words between a code and its meaning.
pub(super) const MEANS: &[&str] = &["for", "if", "means", "indicates", "denotes", "stands"];
