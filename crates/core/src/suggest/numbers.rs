//! Numbers inside words, and letters that stand for one: `us-east-1` is not `us-east-2`, `1.5` is not `15`, and `tee-s` is not
//! `tee`.

/// Whether the words hold different numbers. A digit between two letters, where the candidate has none, is a slip for
/// a letter: `h0sted`.
pub(super) fn differ(given: &str, candidate: &str) -> bool {
    let (given, candidate) = (given.trim(), candidate.trim());
    if runs(candidate).next().is_none() {
        return !slips(given);
    }
    !runs(given).eq(runs(candidate)) || is_negative(given) != is_negative(candidate)
}

/// Whether the words end in different letters that stand alone, such as a size, a class or a variant: `plan-a`, `plan-b` and `plan`.
/// The same letters with another separator are the same word: `e-mail`, `planb`.
pub(super) fn letters_differ(given: &str, candidate: &str) -> bool {
    let (given, candidate) = (given.trim(), candidate.trim());
    last_letter(given) != last_letter(candidate) && !letters(given).eq(letters(candidate))
}

/// Whether one of the words is the other and a further part: `web` and `web-eu`.
pub(super) fn extends(given: &str, candidate: &str) -> bool {
    let (given, candidate) = (given.trim().to_lowercase(), candidate.trim().to_lowercase());
    let further = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| {
            rest.starts_with(['-', '_', '.', ' ', '/']) && rest.contains(char::is_alphanumeric)
        })
    };
    further(&given, &candidate) || further(&candidate, &given)
}

/// Whether the words are the same but for white space, which groups digits: `DE89 3704` and `DE893704`.
pub(super) fn grouped(given: &str, candidate: &str) -> bool {
    let bare =
        |word: &str| -> String { word.split_whitespace().collect::<String>().to_lowercase() };
    bare(given) == bare(candidate)
}

/// Whether both texts are long numbers, of an account, a card, a telephone or a record, and none is the other in another form: with a
/// prefix, without spaces. Days and times are not numbers of that kind.
///
/// # Examples
///
/// ```
/// use aon_core::suggest::are_other;
///
/// assert!(are_other("DE02100100100006820101", "DE02120300000000202051"));
/// assert!(!are_other("030 1234 5678", "+49 30 12345678"));
/// assert!(!are_other("31/12/2026", "2026-12-30"));
/// ```
pub fn are_other(given: &str, other: &str) -> bool {
    let long = |text: &str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_start_matches('0').to_owned();
        (digits.len() >= 8 && !is_day(text)).then_some(digits)
    };
    match (long(given), long(other)) {
        (Some(one), Some(two)) => !one.contains(&two) && !two.contains(&one),
        _ => false,
    }
}

/// Whether a text begins with a day: `2026-12-31`, `31.12.2026`, `20261231`.
fn is_day(text: &str) -> bool {
    let is_year = |run: &str| run.len() == 4 && (run.starts_with("19") || run.starts_with("20"));
    let mut runs = runs(text.trim());
    match (runs.next(), runs.next(), runs.next()) {
        (Some(first), Some(second), Some(third)) if second.len() <= 2 => {
            (is_year(first) && third.len() <= 2) || (first.len() <= 2 && is_year(third))
        }
        (Some(only), ..) => only.len() == 8 && only.get(..4).is_some_and(is_year),
        (None, ..) => false,
    }
}

fn last_letter(word: &str) -> Option<char> {
    let mut back = word.chars().rev();
    let last = back.next().filter(|last| last.is_alphabetic())?;
    let apart = back
        .next()
        .is_some_and(|before| matches!(before, ' ' | '-' | '_' | '.'));
    apart.then(|| last.to_lowercase().next()).flatten()
}

fn letters(word: &str) -> impl Iterator<Item = char> {
    word.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

fn runs(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_numeric())
        .filter(|run| !run.is_empty())
}

fn is_negative(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next() == Some('-') && chars.next().is_some_and(char::is_numeric)
}

/// Whether every digit stands alone between two letters.
fn slips(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let letter = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(|c| c.is_alphabetic())
    };
    chars
        .iter()
        .enumerate()
        .filter(|(_, c)| c.is_numeric())
        .all(|(at, _)| letter(at.checked_sub(1)) && letter(Some(at + 1)))
}
