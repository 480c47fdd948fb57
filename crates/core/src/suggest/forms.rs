//! Another form of the same word: inflected, or shortened the usual way.

/// Short forms that everybody writes for the long ones. A start of a word alone says nothing: `main` is not `maintenance`.
const SHORT: &str = "\
    acct=account addr=address admin=administrator amt=amount app=application apr=april \
    asc=ascending aug=august auth=authentication auto=automatic config=configuration \
    crit=critical dec=december dept=department desc=descending desc=description dest=destination \
    dev=development doc=document env=environment feb=february freq=frequency fri=friday \
    img=image info=information intl=international jan=january jul=july jun=june lang=language \
    loc=location mar=march max=maximum med=medium mgr=manager min=minimum mon=monday msg=message \
    nov=november num=number oct=october org=organization pct=percent pic=picture pkg=package \
    prio=priority prod=production qty=quantity ref=reference repo=repository sat=saturday \
    sep=september src=source stage=staging std=standard sun=sunday tel=telephone thu=thursday \
    tue=tuesday ver=version wed=wednesday";

/// Whether two texts are the same words in another form, one by one.
pub(super) fn same(given: &str, candidate: &str) -> bool {
    let (given, candidate) = (words(given), words(candidate));
    if given.is_empty() || given.len() != candidate.len() {
        return false;
    }
    // Beside words that are equal, a shortened one is clear.
    let anchored = given.len() > 1 && given.iter().zip(&candidate).any(|(a, b)| a == b);
    given.iter().zip(&candidate).all(|(a, b)| {
        a == b
            || inflected(a, b)
            || inflected(b, a)
            || is_short(a, b)
            || is_short(b, a)
            || (anchored && a.chars().count() >= 3 && b.starts_with(a.as_str()))
    })
}

fn is_short(short: &str, long: &str) -> bool {
    SHORT
        .split(' ')
        .any(|pair| pair.split_once('=') == Some((short, long)))
}

/// The words of a name or a value, in lower case: `Main Hall`, `main-hall` and `mainHall` have the same two.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    let mut small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            (open, small) = (false, false);
            continue;
        }
        if !open || (small && letter.is_uppercase()) {
            out.push(String::new());
        }
        if let Some(word) = out.last_mut() {
            word.extend(letter.to_lowercase());
        }
        (open, small) = (true, letter.is_lowercase() || letter.is_numeric());
    }
    out
}

/// Whether a word is the base of another: `cool` of `cooling`, `archive` of `archived`, `run` of `running`.
fn inflected(base: &str, other: &str) -> bool {
    let length = base.chars().count();
    if length < 3 || !other.is_ascii() || !base.is_ascii() {
        return false;
    }
    let is = |stem: &str, endings: &[&str]| {
        other
            .strip_prefix(stem)
            .is_some_and(|ending| endings.contains(&ending))
    };
    let without = |letter: char| base.strip_suffix(letter).filter(|stem| stem.len() > 2);
    let doubled = base
        .chars()
        .last()
        .filter(|last| !"aeiouwxy".contains(*last));
    let doubled = doubled.map(|last| format!("{base}{last}"));
    is(base, &["ing", "ed", "es"])
        || without('e').is_some_and(|stem| is(stem, &["ing", "ed"]))
        || without('y').is_some_and(|stem| is(stem, &["ied", "ies"]))
        || doubled.is_some_and(|stem| is(&stem, &["ing", "ed"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_the_same_and_other_words_are_not() {
        for (given, candidate) in [
            ("cooling", "cool"),
            ("archive", "archived"),
            ("Running", "run"),
            ("applied", "apply"),
            ("production", "prod"),
            ("dev", "development"),
            ("Central Lib", "central-library"),
            ("scheduling", "schedule"),
        ] {
            assert!(same(given, candidate), "{given} {candidate}");
        }
        for (given, candidate) in [
            ("main", "maintenance"),
            ("allowed", "all"),
            ("processed", "processing"),
            ("central", "central-library"),
            ("address", "add"),
            ("delete", "delete_all"),
            ("metoprolol", "metoprolol tartrate"),
            ("", ""),
        ] {
            assert!(!same(given, candidate), "{given} {candidate}");
        }
    }
}
