//! Weighs the witnesses: a logistic model whose weights stand in `weights.tsv`, learned from the inputs of public APIs.
//!
//! Each feature is a word of a kind: `f` the whole name, `l` its last word, `n` another word of it, `d` one of the first words of the
//! description, `s` what the schema says. The weights of all features are added up; unknown ones count
//! nothing. `docs/lint.md` says how the weights are learned.

use std::sync::OnceLock;

use super::Candidate;
use super::names::Words;
use super::prose::{Cue, Reading, Shape};
use super::schema;
use super::table::{Hash, Table, among, rows};

/// What the witnesses add up to, in log-odds, each by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    pub(super) name: f32,
    pub(super) words: f32,
    pub(super) prose: f32,
    pub(super) schema: f32,
}

impl Weight {
    /// How likely an author declares a set here, from 0 to 1.
    pub(super) fn probability(self) -> f32 {
        let sum = self.name + self.words + self.prose + self.schema;
        1.0 / (1.0 + (-sum).exp())
    }
}

pub(super) fn weigh(candidate: &Candidate<'_>, reading: Option<&Reading<'_>>) -> Weight {
    let table = TABLE.get_or_init(load);
    let mut weight = Weight {
        prose: prose(reading),
        ..Weight::default()
    };
    features(candidate, &mut |kind, hash, _| {
        let Some(found) = table.get(hash) else { return };
        match kind {
            b'd' => weight.words += found,
            b's' => weight.schema += found,
            _ => weight.name += found,
        }
    });
    weight
}

/// Visits the features of a candidate: the kind, the hash, and the words for whoever learns weights.
pub(super) fn features(candidate: &Candidate<'_>, visit: &mut dyn FnMut(u8, Hash, &[&str])) {
    let mut one = |kind: u8, word: &str| visit(kind, Hash::new(kind).word(word), &[word]);
    one(b's', "bias");
    let mut whole: [&str; 6] = [""; 6];
    let mut count = 0;
    for word in Words::of(candidate.name).take(whole.len()) {
        one(if count == 0 { b'l' } else { b'n' }, word);
        if let Some(slot) = whole.get_mut(count) {
            *slot = word;
        }
        count += 1;
    }
    let text = candidate.description.or(candidate.more).unwrap_or("");
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut said = 0;
    let (mut samples, mut links) = (false, false);
    let mut before = "";
    for word in words.take(HEARD_WORDS) {
        said += 1;
        if said <= FIRST_WORDS && word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit())
        {
            one(b'd', word);
        }
        match word.as_bytes() {
            b"g" | b"as" => samples |= among(before, "e such"),
            [b'e' | b'E', ..] => samples |= among(word, "eg ex example examples"),
            [b'h' | b'H', ..] => links |= among(word, "http https href"),
            _ => {}
        }
        before = word;
    }
    if samples {
        one(b's', "samples");
    }
    if links {
        one(b's', "link");
    }
    one(
        b's',
        match said {
            0..4 => "words-0",
            4..8 => "words-4",
            8..16 => "words-8",
            _ => "words-16",
        },
    );
    if super::names::is_contract(candidate.name) && !super::names::is_visibly_open(candidate.name) {
        one(b's', "contract");
    }
    if said == 0 {
        one(b's', "undescribed");
    }
    schema::facts(candidate, &mut |word| one(b's', word));
    let whole = whole.get(..count).unwrap_or(&[]);
    let hash = whole
        .iter()
        .fold(Hash::new(b'f'), |hash, word| hash.word(word));
    visit(b'f', hash, whole);
}

/// What the prose adds, in log-odds. It is not learned from what authors declare: who lists the values in prose is the less likely to
/// declare them, so the counts would speak against lists.
fn prose(reading: Option<&Reading<'_>>) -> f32 {
    let Some(reading) = reading else { return 0.0 };
    let list = match (reading.shape, reading.cue) {
        (_, Cue::Against) => -0.5,
        (Some(Shape::Sequence), Cue::Told) => 3.5,
        (Some(Shape::Sequence), Cue::None) => 1.5,
        (Some(Shape::Sequence), Cue::All)
        | (Some(Shape::Lines | Shape::Table), Cue::All | Cue::Told) => 5.0,
        (Some(Shape::Lines), Cue::None) => 3.0,
        (Some(Shape::Table), Cue::None) => 2.0,
        (Some(Shape::Pairs), Cue::All | Cue::Told) => 4.0,
        (Some(Shape::Pairs), Cue::None) => 2.5,
        (Some(Shape::Mentions), _) => 0.7,
        (None, _) => 0.0,
    };
    let signs = [
        (reading.marked, 1.0),
        (reading.marked && reading.values.len() >= 3, 1.0),
        (reading.announced, 1.5),
        (reading.alone && reading.shape.is_some(), 1.0),
        (reading.open, -3.0),
    ];
    let spoken = signs.iter().filter(|(is, _)| *is);
    list + spoken.map(|(_, weight)| weight).sum::<f32>()
}

static TABLE: OnceLock<Table<f32>> = OnceLock::new();

/// Lines of `kind:word weight`, in thousandths.
fn load() -> Table<f32> {
    let entry = |[feature, weight, _]: [&str; 3]| {
        let (kind, words) = (*feature.as_bytes().first()?, feature.get(2..)?);
        let hash = words.split(' ').fold(Hash::new(kind), Hash::word);
        Some((hash, f32::from(weight.parse::<i16>().ok()?) / 1000.0))
    };
    let rows = rows(include_str!("weights.tsv"));
    Table::fill(rows.filter_map(entry).collect())
}

/// What a description is about stands in its first words.
const FIRST_WORDS: usize = 14;
/// Samples and links may come a little later.
const HEARD_WORDS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_witnesses_add_up() {
        let even = Weight::default();
        assert!((even.probability() - 0.5).abs() < 1e-6);
        let sure = Weight {
            name: 3.0,
            prose: 2.0,
            ..even
        };
        let refused = Weight {
            schema: -6.0,
            ..sure
        };
        assert!(sure.probability() > 0.99 && refused.probability() < 0.3);
    }

    #[test]
    fn the_weights_are_there() {
        assert!(include_str!("weights.tsv").lines().count() > 100);
        assert!(
            TABLE
                .get_or_init(load)
                .get(Hash::new(b's').word("bias"))
                .is_some()
        );
    }
}
