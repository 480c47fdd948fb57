//! The one word that is unambiguously meant ([P11]), for values, routes, tools, codes and attributes.
//!
//! [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11

mod forms;
mod names;
mod numbers;
mod opposite;

pub use numbers::are_other;

pub use names::{
    allowed_operation, at_path, changes, field, is_consent, is_version, operation, reading,
    shortened, without_namespace,
};

/// The candidate that `given` unambiguously means, if there is one.
///
/// Case, separators, surrounding white space and a plural `s` do not count; then the nearest by edit
/// distance wins, if it is near enough and clearly ahead of the second. No clear winner: `None`. Another number, another
/// letter at the end that stands alone, a further part, and the opposite are near in letters only: they are never meant.
///
/// # Examples
///
/// ```
/// use aon_core::suggest::nearest;
///
/// assert_eq!(nearest("HOSTED ", ["hosted", "custom"]), Some("hosted"));
/// assert_eq!(nearest("custm", ["hosted", "custom"]), Some("custom"));
/// assert_eq!(nearest("cat", ["bat", "rat"]), None);
/// assert_eq!(nearest("us-east-2", ["us-east-1"]), None);
/// assert_eq!(nearest("plan-a", ["plan-b"]), None);
/// assert_eq!(nearest("inactive", ["active", "deleted"]), None);
/// ```
pub fn nearest<'a, I>(given: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    Near::of(given, candidates).winner
}

/// [`nearest`], and where nothing is near in letters the one candidate that is another form of the same words.
///
/// # Examples
///
/// ```
/// use aon_core::suggest::meant;
///
/// assert_eq!(meant("cooling", &["heat", "cool"]), Some("cool"));
/// assert_eq!(meant("Central Lib", &["central-library", "east-side"]), Some("central-library"));
/// assert_eq!(meant("main", &["maintenance"]), None);
/// ```
pub fn meant<'a>(given: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let near = Near::of(given, candidates.iter().copied());
    near.winner.or_else(|| {
        let wanted = Folded::of(given);
        let mut found = candidates.iter().filter(|candidate| {
            forms::same(given, candidate)
                && !numbers::differ(given, candidate)
                && !opposite::are(&wanted.0, &Folded::of(candidate).0)
        });
        let first = found.next()?;
        let far = wanted.distance(&Folded::of(first)).saturating_add(1);
        let ahead = near.rival > far.min(LONGEST);
        (ahead && found.all(|other| other == first)).then_some(*first)
    })
}

/// What is near in letters.
struct Near<'a> {
    winner: Option<&'a str>,
    /// How far the nearest is that is never meant.
    rival: usize,
}

impl<'a> Near<'a> {
    fn of(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        let wanted = Folded::of(given);
        let mut best: Option<(usize, &'a str)> = None;
        let (mut second, mut rival) = (usize::MAX, usize::MAX);
        if wanted.0.is_empty() {
            return Self {
                winner: None,
                rival,
            };
        }
        for candidate in candidates {
            if candidate == given {
                return Self {
                    winner: Some(candidate),
                    rival,
                };
            }
            let folded = Folded::of(candidate);
            let distance = if given.trim().to_lowercase() == candidate.to_lowercase() {
                0
            } else if numbers::grouped(given, candidate) {
                1
            } else {
                let distance = wanted.distance(&folded).saturating_add(1);
                if is_another(given, candidate, &wanted, &folded) {
                    rival = rival.min(distance);
                    continue;
                }
                distance
            };
            match best {
                Some((_, kept)) if kept == candidate => {}
                Some((ahead, _)) if distance >= ahead => second = second.min(distance),
                _ => {
                    second = best.map_or(second, |(ahead, _)| second.min(ahead));
                    best = Some((distance, candidate));
                }
            }
        }
        let winner = best.filter(|(distance, _)| {
            let near_enough = *distance <= allowance(wanted.0.len()) + 1;
            // What is farther away than a rival is not meant either.
            near_enough && *distance < second.min(rival)
        });
        Self {
            winner: winner.map(|(_, candidate)| candidate),
            rival,
        }
    }
}

/// Whether two words are near in letters only: another number, another part at the end, the opposite.
fn is_another(given: &str, candidate: &str, wanted: &Folded, folded: &Folded) -> bool {
    numbers::differ(given, candidate)
        || numbers::letters_differ(given, candidate)
        || numbers::extends(given, candidate)
        || opposite::are(&wanted.0, &folded.0)
}

/// How many edits a word of that length forgives.
const fn allowance(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=5 => 1,
        6..=11 => 2,
        _ => 3,
    }
}

/// A word without what does not count: case, separators, white space at the ends, and the `s` of a plural, which is told apart.
struct Folded(Vec<char>, Option<char>);

/// Longer words are compared by their start only: nobody mistypes a page.
const LONGEST: usize = 64;

impl Folded {
    fn of(word: &str) -> Self {
        let mut folded: Vec<char> = word
            .trim()
            .chars()
            .filter(|c| !matches!(c, ' ' | '-' | '_' | '.' | '\t'))
            .flat_map(char::to_lowercase)
            .take(LONGEST)
            .collect();
        let plural = folded.len() > 3
            && folded.last() == Some(&'s')
            && folded.iter().rev().nth(1) != Some(&'s');
        let ending = if plural { folded.pop() } else { None };
        Self(folded, ending)
    }

    /// With its ending, which may belong to the word: `expres` is nearer to `express` than `expre` is.
    fn whole(&self) -> Vec<char> {
        self.0.iter().copied().chain(self.1).collect()
    }

    fn distance(&self, other: &Self) -> usize {
        let singular = Self::aligned(&self.0, &other.0);
        if self.1.is_some() == other.1.is_some() {
            return singular;
        }
        singular.min(Self::aligned(&self.whole(), &other.whole()))
    }

    /// Optimal string alignment: insert, delete, replace, or swap two neighbours.
    fn aligned(a: &[char], b: &[char]) -> usize {
        if a.len().abs_diff(b.len()) > 3 {
            return usize::MAX / 2;
        }
        let mut before: Vec<usize> = Vec::new();
        let mut last: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut row = Vec::with_capacity(b.len() + 1);
            row.push(i + 1);
            for (j, y) in b.iter().enumerate() {
                let replace = at(&last, j) + usize::from(x != y);
                let mut cost = replace.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
                let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
                if swapped && x != y {
                    cost = cost.min(at(&before, j - 1) + 1);
                }
                row.push(cost);
            }
            before = std::mem::replace(&mut last, row);
        }
        last.last().copied().unwrap_or(0)
    }
}

fn at(row: &[usize], index: usize) -> usize {
    row.get(index).copied().unwrap_or(usize::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_cases() {
        let ux = ["hosted", "custom"];
        let cases: &[(&str, &[&str], Option<&str>)] = &[
            ("Hosted", &ux, Some("hosted")),
            ("HOSTED ", &ux, Some("hosted")),
            ("hosed", &ux, Some("hosted")),
            ("custm", &ux, Some("custom")),
            ("cutsom", &ux, Some("custom")),
            ("hosteds", &ux, Some("hosted")),
            ("branded", &ux, None),
            ("", &ux, None),
            ("x", &ux, None),
            ("cat", &["bat", "rat"], None),
            ("bat", &["bat", "rat"], Some("bat")),
            (
                "wait-for-provisioning",
                &["wait_for_provisioning"],
                Some("wait_for_provisioning"),
            ),
            (
                "waitForProvisioning",
                &["wait_for_provisioning"],
                Some("wait_for_provisioning"),
            ),
            ("us_east_1", &["us-east-1", "us-east-2"], Some("us-east-1")),
            ("us-east-3", &["us-east-1", "us-east-2"], None),
            ("clusters", &["cluster"], Some("cluster")),
            // The last letter of a word is not always a plural.
            ("expres", &["standard", "express"], Some("express")),
            ("addres", &["name", "address"], Some("address")),
            ("acces", &["access", "process"], Some("access")),
            ("proces", &["access", "process"], Some("process")),
            ("statu", &["status", "state"], Some("status")),
            ("bas", &["bass", "base"], None),
            ("glas", &["glass", "gloss"], Some("glass")),
            ("pas", &["pass", "past"], None),
            // The same letters in another case are ahead of a plural.
            ("ITEM", &["item", "items"], Some("item")),
            ("ITEM", &["item", "Item"], None),
            // Another number is another thing, and so is a missing or an additional one.
            ("us-east-2", &["us-east-1", "eu-west-1"], None),
            // And what is farther away than that is not meant either.
            ("us-east-2", &["us-east-1", "us-west-2"], None),
            // A further part is another thing.
            ("acme-web", &["acme-web-eu"], None),
            ("acme-web-eu", &["acme-web"], None),
            ("acme-web-", &["acme-web"], Some("acme-web")),
            ("alpine 25 mg", &["alpine 10 mg", "aspirin 25 mg"], None),
            ("us-east", &["us-east-1", "eu-west-1"], None),
            ("gpt-5", &["gpt-4"], None),
            ("1.5", &["15", "20"], None),
            ("1.10", &["11.0"], None),
            ("-5", &["5"], None),
            ("hosted2", &ux, None),
            ("h0sted", &ux, Some("hosted")),
            ("H.264", &["h264", "h265"], Some("h264")),
            ("useast1", &["us-east-1", "us-east-2"], Some("us-east-1")),
            // White space groups digits and does not divide them.
            (
                "DE89 3704 0044",
                &["DE8937040044", "DE8937040045"],
                Some("DE8937040044"),
            ),
            ("1 500", &["1500", "15000"], Some("1500")),
            ("1 501", &["1500"], None),
            // Another letter that stands alone at the end is another thing, too.
            ("TEE", &["TEE-S", "TEE-M"], None),
            ("tees", &["TEE-S", "TEE-M"], Some("TEE-S")),
            ("hepatitis_a", &["hepatitis-b"], None),
            ("hepatitis_b", &["hepatitis-b"], Some("hepatitis-b")),
            ("planb", &["plan-a", "plan-b"], Some("plan-b")),
            ("emial", &["e-mail", "phone"], Some("e-mail")),
            // The opposite is never meant.
            ("inactive", &["active", "deleted"], None),
            ("active", &["inactive"], None),
            ("unsafe", &["safe"], None),
            ("import", &["export"], None),
            ("exclude", &["include", "all"], None),
            ("internal", &["external"], None),
            ("increase", &["decrease"], None),
            ("ascending", &["descending"], None),
            ("offline", &["online"], None),
            ("maximum", &["minimum"], None),
            ("price_max", &["price_min"], None),
            ("async", &["sync"], None),
            ("restart", &["start", "stop"], None),
            ("inactve", &["active", "inactive"], Some("inactive")),
            ("Inactive", &["active", "inactive"], Some("inactive")),
            ("exprot", &["import", "export"], Some("export")),
        ];
        for (given, candidates, expected) in cases {
            assert_eq!(
                nearest(given, candidates.iter().copied()),
                *expected,
                "{given}"
            );
        }
    }

    #[test]
    fn another_form_is_not_meant_where_another_thing_is_nearer() {
        assert_eq!(meant("acme-web", &["acme-webapp"]), Some("acme-webapp"));
        assert_eq!(meant("acme-web", &["acme-web-1", "acme-webapp"]), None);
    }

    #[test]
    fn a_candidate_listed_twice_is_no_rival_of_itself() {
        assert_eq!(nearest("hosed", ["hosted", "hosted"]), Some("hosted"));
    }
}
