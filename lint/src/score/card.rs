//! The result for one API.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::decimal::Decimal;
use super::evidence::{Held, LineScore, Missing, Step};
use super::table::{Dimension, THRESHOLD, TOP, WEIGHTS};

/// The score of one dimension: a level from 0 to 4, or the reason why there is nothing to measure.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// The level; `null` when the dimension does not apply.
    pub level: Option<u8>,
    /// How far it is, from 0.0 to 4.0: the shares of the four lines, added up; `null` when the dimension does not apply.
    pub decimal: Option<Decimal>,
    /// Why it does not apply, and what it would take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The four lines of the rubric, and how much of each holds.
    pub lines: Vec<LineScore>,
    /// What held, level by level; at level 0 what was counted for level 1.
    pub evidence: Vec<Held>,
    /// The first thing missing for the next level; `null` at level 4 and when the dimension does not apply.
    pub missing: Option<Missing>,
    /// Every level with what it lacks, held or not.
    #[serde(skip)]
    pub steps: Vec<Step>,
}

impl Score {
    pub(super) fn measured(
        level: u8,
        lines: Vec<LineScore>,
        evidence: Vec<Held>,
        missing: Option<Missing>,
        steps: Vec<Step>,
    ) -> Score {
        let decimal = lines
            .iter()
            .fold(Decimal::default(), |sum, line| sum + line.share);
        Score {
            level: Some(level),
            decimal: Some(decimal),
            reason: None,
            lines,
            evidence,
            missing,
            steps,
        }
    }

    pub(super) fn not_applicable(reason: String) -> Score {
        Score {
            level: None,
            decimal: None,
            reason: Some(reason),
            lines: Vec::new(),
            evidence: Vec::new(),
            missing: None,
            steps: Vec::new(),
        }
    }

    /// Whether it reaches a level. What does not apply does.
    pub fn reaches(&self, level: u8) -> bool {
        self.level.is_none_or(|own| own >= level)
    }

    /// The level as people write it: `3`, or `n/a`.
    pub fn shown(&self) -> String {
        self.level
            .map_or_else(|| "n/a".to_owned(), |level| level.to_string())
    }

    /// The decimal as people write it: `2.4`, or `n/a`.
    pub fn shown_decimal(&self) -> String {
        self.decimal
            .map_or_else(|| "n/a".to_owned(), |decimal| decimal.to_string())
    }

    /// The level it would have if what is missing for `level` were there.
    pub(super) fn level_with(&self, level: u8) -> u8 {
        let holds = |step: &&Step| step.count == 0 || step.level == level;
        let count = self.steps.iter().take_while(holds).count();
        u8::try_from(count).unwrap_or(TOP)
    }
}

/// The five scores of an API.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scores(Vec<Score>);

impl Scores {
    pub(super) fn from_list(list: Vec<Score>) -> Scores {
        Scores(list)
    }

    /// The score of a dimension.
    pub fn get(&self, dimension: Dimension) -> Option<&Score> {
        self.0.get(dimension as usize)
    }

    /// The scores in order.
    pub fn iter(&self) -> impl Iterator<Item = (Dimension, &Score)> {
        Dimension::ALL.iter().copied().zip(&self.0)
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (dimension, score) in self.iter() {
            map.serialize_entry(dimension.name(), score)?;
        }
        map.end()
    }
}

/// The scores of one API with what they were made from.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiScore {
    /// The file; the first when several describe the API.
    pub file: String,
    /// All files, in the order native, OpenAPI, tool list, card.
    pub files: Vec<String>,
    /// The name it is known by.
    pub slug: String,
    /// Its title; the slug when it has none.
    pub title: String,
    /// How many operations were looked at.
    pub operations: usize,
    /// The five scores, by the name of their dimension.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, Score>")
    )]
    pub scores: Scores,
    /// How far it is as a whole: the mean of the decimals of the dimensions that apply.
    pub decimal: Decimal,
    /// From 0 to 100: the same as a percentage.
    pub points: u8,
    /// Whether every dimension that applies reaches the threshold.
    pub passes: bool,
}

impl ApiScore {
    pub(super) fn new(
        files: Vec<String>,
        slug: String,
        title: Option<String>,
        operations: usize,
        scores: Scores,
    ) -> ApiScore {
        let passes = scores.iter().all(|(_, score)| score.reaches(THRESHOLD));
        let decimal = decimal(&scores);
        ApiScore {
            file: files.first().cloned().unwrap_or_default(),
            files,
            title: title.unwrap_or_else(|| slug.clone()),
            slug,
            operations,
            decimal,
            points: points(decimal),
            scores,
            passes,
        }
    }

    /// The same under another name, when a group in `aon.toml` gives it one.
    #[must_use]
    pub fn with_slug(mut self, slug: impl Into<String>) -> ApiScore {
        self.slug = slug.into();
        self
    }

    /// Decides `passes` by another threshold.
    #[must_use]
    pub fn with_threshold(mut self, threshold: u8) -> ApiScore {
        self.passes = self
            .scores
            .iter()
            .all(|(_, score)| score.reaches(threshold));
        self
    }

    /// The level of a dimension; none when it does not apply.
    pub fn level(&self, dimension: Dimension) -> Option<u8> {
        self.scores.get(dimension)?.level
    }

    /// How far a dimension is; none when it does not apply.
    pub fn decimal(&self, dimension: Dimension) -> Option<Decimal> {
        self.scores.get(dimension)?.decimal
    }

    /// What is missing in a dimension.
    pub fn missing(&self, dimension: Dimension) -> Option<&Missing> {
        self.scores.get(dimension)?.missing.as_ref()
    }
}

/// The mean of the decimals that apply, weighted.
fn decimal(scores: &Scores) -> Decimal {
    let measured = scores
        .iter()
        .zip(WEIGHTS)
        .filter_map(|((_, score), weight)| {
            let decimal = score.decimal?;
            Some(std::iter::repeat_n(decimal, weight))
        });
    Decimal::mean(measured.flatten()).unwrap_or_default()
}

fn points(decimal: Decimal) -> u8 {
    u8::try_from(decimal.hundredths() / u16::from(TOP)).unwrap_or(100)
}
