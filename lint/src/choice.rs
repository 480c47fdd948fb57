//! Decides whether a value comes from a closed set that nobody declares (contract R1).
//!
//! Three witnesses are heard: the name (`names`), the prose (`prose`) and the schema (`schema`). `weigh` adds up what they say. A set
//! is *certain* where the prose lists it completely and the schema agrees; *likely* where two witnesses speak for it, or the name is nearly
//! always closed; a name alone below that is a hint.

mod names;
mod pattern;
mod prose;
mod schema;
mod table;
#[cfg(test)]
mod tests;
pub mod training;
mod weigh;

use std::collections::BTreeSet;

use aon_manifest::model::Types;

use self::prose::{Cue, Reading};
use self::schema::ValueKind;
use crate::finding::Confidence;

pub use self::names::Count;

/// A place that takes input and has no carrier, with everything that helps to judge it.
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it, and a new sign must be filled in by all of them"
)]
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it is sent.
    pub location: Location,
    /// Its types; those of the items for an array.
    pub types: Types,
    /// Whether it is an array.
    pub array: bool,
    /// `format`.
    pub format: Option<&'a str>,
    /// `pattern`.
    pub pattern: Option<&'a str>,
    /// `minLength`.
    pub min_length: Option<usize>,
    /// `maxLength`.
    pub max_length: Option<usize>,
    /// `minimum`.
    pub minimum: Option<f64>,
    /// `maximum`.
    pub maximum: Option<f64>,
    /// Its description.
    pub description: Option<&'a str>,
    /// A second description: that of the items of an array, or the title.
    pub more: Option<&'a str>,
    /// The default, as text.
    pub default: Option<&'a str>,
    /// The examples, as text.
    pub examples: &'a [&'a str],
    /// The path of the operation that takes it.
    pub path: &'a str,
    /// Visits the names of its neighbours: other parameters, other properties.
    pub neighbours: &'a Neighbours<'a>,
    /// Whether it stands in a native manifest, where a missing type means a string and the names of the contract are choices.
    pub untyped_is_string: bool,
}

/// Where a value is sent, as far as it tells sets from other values.
#[expect(clippy::exhaustive_enums, reason = "each has a weight of its own")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header or cookie.
    Header,
    /// In the body.
    Body,
}

impl<'a> Candidate<'a> {
    /// The default and the examples.
    fn samples(&self) -> impl Iterator<Item = &'a str> {
        self.default
            .into_iter()
            .chain(self.examples.iter().copied())
    }

    fn is_number(&self) -> bool {
        self.types.is_only("integer") || self.types.is_only("number")
    }
}

impl std::fmt::Debug for Candidate<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidate")
            .field("name", &self.name)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// Calls back with every name beside a candidate.
pub type Neighbours<'a> = dyn Fn(&mut dyn FnMut(&str)) + 'a;

/// What was found out.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a sign of its own, and any of them may be there"
)]
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How sure it is.
    pub confidence: Confidence,
    /// What it was judged by first.
    pub evidence: Evidence,
    /// The values the text lists, in order; empty when it lists none.
    pub values: Vec<String>,
    /// Whether the text says that the values are all, and the schema agrees, so that they can be declared.
    pub complete: bool,
    /// Whether the text goes on in a way that was not understood, so that values may be missing.
    pub partial: bool,
    /// Whether one text holds several of the values ("comma-separated list of").
    pub several: bool,
    /// How often inputs of that name are closed sets in public APIs, where that speaks for a set.
    pub count: Option<Count>,
    /// Whether an example or a default looks like a member of a set.
    pub sampled: bool,
    /// What the witnesses add up to, from 0 to 1.
    pub probability: f32,
}

impl Verdict {
    pub(crate) fn of(confidence: Confidence, evidence: Evidence, values: Vec<String>) -> Verdict {
        Verdict {
            confidence,
            evidence,
            values,
            complete: false,
            partial: false,
            several: false,
            count: None,
            sampled: false,
            probability: 1.0,
        }
    }
}

/// What a verdict was made from.
#[expect(clippy::exhaustive_enums, reason = "each needs its own message")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Evidence {
    /// The description lists the values.
    Listed,
    /// The description says that there is a set, elsewhere.
    Announced,
    /// The pattern is a list of literals.
    Pattern,
    /// The name, and the words about it.
    Name,
    /// A vendor extension such as `x-enum` or `x-ms-enum`.
    Extension,
}

/// Judges places, with the words that `aon.toml` lists.
#[derive(Debug, Default)]
pub struct Classifier {
    names: Vec<String>,
    open_names: Vec<String>,
}

impl Classifier {
    /// A classifier that also takes these words for names of choices (or never does), as `aon.toml` lists them.
    pub fn new(names: Vec<String>, open_names: Vec<String>) -> Classifier {
        Classifier { names, open_names }
    }

    /// Judges one place. None when it is open.
    ///
    /// ```
    /// use aon_lint::{Classifier, Confidence};
    /// use aon_manifest::Document;
    ///
    /// # let text = "operations:\n  - id: a\n    parameters:\n      - { name: width, type: string, description: 'Must be one of narrow, wide or full.' }\n";
    /// let document = Document::from_text("a.aon.yaml", text);
    /// let api = &document.apis()[0];
    /// let inputs = api.inputs();
    /// let verdict = aon_lint::classify_input(&mut Classifier::default(), api, &inputs[0]).unwrap();
    /// assert_eq!(verdict.confidence, Confidence::Certain);
    /// assert_eq!(verdict.values, ["narrow", "wide", "full"]);
    /// ```
    pub fn classify(&self, candidate: &Candidate<'_>) -> Option<Verdict> {
        let kind = ValueKind::of(candidate)?;
        let is = |known: &String| names::same_name(known, candidate.name);
        if self.open_names.iter().any(is) {
            return None;
        }
        if let Some(values) = candidate.pattern.and_then(pattern::literals) {
            let mut verdict = Verdict::of(Confidence::Certain, Evidence::Pattern, values.0);
            verdict.complete = values.1;
            return Some(verdict);
        }
        let mut reading = best_reading(candidate);
        if let Some(found) = &mut reading
            && !found.values.is_empty()
            && schema::refuses(candidate, &found.values, found.several)
        {
            // A set that its own schema refuses is not one.
            found.values.clear();
            found.shape = None;
            found.cue = Cue::Against;
        }
        let weak = |listed: &Verdict| listed.confidence == Confidence::Possible;
        let mut listed = listed_in(candidate, kind, reading.as_ref());
        if kind == ValueKind::Number && listed.as_ref().is_none_or(weak) {
            let codes = candidate.description.and_then(prose::codes);
            let codes = codes.filter(|codes| !schema::refuses(candidate, &codes.values, false));
            listed = listed_in(candidate, kind, codes.as_ref()).or(listed);
        }
        if kind == ValueKind::Text {
            listed = listed.or_else(|| self.by_name(candidate, reading.as_ref()));
        }
        let sure = |verdict: &Verdict| verdict.confidence == Confidence::Certain;
        listed.filter(|verdict| sure(verdict) || !schema::is_foreign(candidate))
    }

    /// What the name and the words about it say when no values are listed.
    fn by_name(&self, candidate: &Candidate<'_>, reading: Option<&Reading<'_>>) -> Option<Verdict> {
        let is = |pattern: &String| names::matches(pattern, candidate.name);
        let chosen = self.names.iter().any(is);
        let samples = || {
            candidate
                .samples()
                .filter(|sample| !schema::is_placeholder(sample))
        };
        let count = names::count(candidate.name);
        let weight = weigh::weigh(candidate, reading);
        let probability = weight.probability();
        let announced = reading.is_some_and(|reading| reading.announced && !reading.open);
        let sampled = samples().any(schema::is_word);
        // In native manifests the names of the contract are choices whatever the counts say.
        let known = count.is_some_and(|count| count.share() >= WORTH_SAYING);
        let contract = names::is_contract(candidate.name) && (candidate.untyped_is_string || known);
        let held = names::ends_in(candidate.name, "auth", "ux")
            || candidate.untyped_is_string && contract && weight.words > VISIBLY_OPEN;
        // Words about it, or a sample, are the second witness. A name alone has to be nearly always closed.
        let described = candidate.description.or(candidate.more);
        let alone = described.is_none_or(|text| text.trim().is_empty()) && !sampled;
        // Few APIs with a name say little, so the words have to say more.
        let rare = !contract && count.is_none_or(|count| count.apis < FEW);
        let enough = match (alone, rare, sampled) {
            (false, false, _) if contract => LIKELY,
            (_, false, _) => ALONE,
            (_, true, true) => RARE_SAMPLED,
            (_, true, false) => RARE,
        };
        let speaks = contract || sampled || weight.name >= SPEAKS;
        let weighs = probability >= enough && speaks;
        let often = count.is_some_and(|count| count.apis >= MANY && count.share() >= NEARLY_ALWAYS);
        let named = often && probability >= LIKELY;
        let told = announced && probability >= ANNOUNCED && !names::is_free(candidate.name);
        let against = || {
            samples()
                .any(|sample| schema::is_open(sample) && !sample.trim_start().starts_with("{{"))
                || candidate.pattern.is_some()
                || names::is_visibly_open(candidate.name)
                || names::is_registry(candidate.name)
                || reading.is_some_and(|reading| reading.open)
        };
        let confidence = if chosen || (held || named || weighs || told) && !against() {
            Confidence::Likely
        } else if probability >= POSSIBLE || contract && !against() {
            Confidence::Possible
        } else {
            return None;
        };
        let evidence = if announced {
            Evidence::Announced
        } else {
            Evidence::Name
        };
        Some(Verdict {
            count: count.filter(|count| count.share() >= WORTH_SAYING),
            sampled,
            probability,
            ..Verdict::of(confidence, evidence, Vec::new())
        })
    }
}

/// What a list of values in the prose says, once the schema does not refuse it.
fn listed_in(
    candidate: &Candidate<'_>,
    kind: ValueKind,
    reading: Option<&Reading<'_>>,
) -> Option<Verdict> {
    let reading = reading.filter(|reading| !reading.values.is_empty())?;
    let weight = weigh::weigh(candidate, Some(reading));
    let probability = weight.probability();
    let numbers = kind == ValueKind::Number;
    let named = names::is_contract(candidate.name) || weight.name > 0.0;
    // `true` and `false` are a boolean in a text: worth a hint, not an `enum`.
    let boolean = |value: &&str| table::among(value, "true false yes no 0 1");
    if reading.values.len() == 2 && reading.values.iter().all(boolean) && !numbers {
        return Some(Verdict {
            probability,
            ..Verdict::of(Confidence::Possible, Evidence::Listed, Vec::new())
        });
    }
    let stacked = reading.shape == Some(prose::Shape::Lines);
    let enough = if numbers || !stacked && reading.cue < Cue::Told {
        UNANNOUNCED
    } else {
        LISTED
    };
    let told = reading.cue == Cue::All && !reading.open && !reading.several;
    let spelled = reading.marked || reading.complete || named;
    let confidence = match probability {
        CERTAIN.. if told && spelled => Confidence::Certain,
        sure if !reading.open && sure >= enough => Confidence::Likely,
        POSSIBLE.. => Confidence::Possible,
        _ => return None,
    };
    let values: Vec<String> = reading.values.iter().map(|value| decoded(value)).collect();
    let written = |value: &String| {
        !value.is_empty()
            // A text like this may mean that no value is set.
            && !table::among(value, "null nil undefined")
            && !value.contains(['{', '<', '\n', '`', '"', '=', '*', ','])
            && value.len() <= 60
            && (reading.marked || !value.contains(' '))
            // In a text a number may be a quantity; in a number it is one of the set.
            && (numbers || !value.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
            && (!candidate.types.is_only("integer") || value.parse::<i64>().is_ok())
    };
    let holds = |sample: &str| values.iter().any(|value| value == sample);
    let agreed = candidate.samples().any(holds);
    let folded: BTreeSet<String> = values
        .iter()
        .map(|value| value.to_ascii_lowercase())
        .collect();
    let complete = confidence == Confidence::Certain
        && reading.complete
        && reading.exact
        && (agreed || reading.law)
        && values.len() >= 2
        && values.iter().all(written)
        && folded.len() == values.len()
        && candidate.pattern.is_none()
        && candidate
            .samples()
            .all(|sample| sample.is_empty() || holds(sample));
    let count = names::count(candidate.name).filter(|count| count.share() >= WORTH_SAYING);
    Some(Verdict {
        complete,
        partial: !reading.clean,
        several: reading.several,
        count,
        sampled: candidate.samples().any(schema::is_word),
        probability,
        ..Verdict::of(confidence, Evidence::Listed, values)
    })
}

/// The reading of the description, or of the second one where that lists more.
fn best_reading<'a>(candidate: &Candidate<'a>) -> Option<Reading<'a>> {
    let texts = [candidate.more, candidate.description]
        .into_iter()
        .flatten();
    let readings = texts.filter_map(|text| prose::read(text, candidate.name));
    readings.max_by_key(|reading| reading.values.len())
}

/// A value without the entities of HTML, and without the escapes of Markdown.
fn decoded(value: &str) -> String {
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("\\_", "_")];
    let decode = |text: String, (written, sign): &(&str, &str)| text.replace(written, sign);
    signs.iter().fold(value.to_owned(), decode)
}

/// A list that something announces counts from here on; one of numbers, or one that nothing announces, needs more.
const LISTED: f32 = 0.4;
const UNANNOUNCED: f32 = 0.6;
const CERTAIN: f32 = 0.6;
/// A name with words or a sample that speak for it; half of the authors who have a set declare it, so these are not low.
const LIKELY: f32 = 0.25;
/// A name alone.
const ALONE: f32 = 0.4;
const RARE_SAMPLED: f32 = 0.45;
const RARE: f32 = 0.65;
/// The log-odds from which on a name speaks for a set by itself.
const SPEAKS: f32 = 0.5;
const ANNOUNCED: f32 = 0.08;
/// The log-odds of words that visibly speak of something else: ids, names, texts.
const VISIBLY_OPEN: f32 = -1.2;
const POSSIBLE: f32 = 0.08;
const WORTH_SAYING: f64 = 0.2;
/// Fewer APIs than these say little about a name.
const FEW: u16 = 4;
/// And as many as these are enough where most of them declare the values: others leave their sets undeclared.
const MANY: u16 = 8;
const NEARLY_ALWAYS: f64 = 0.5;
