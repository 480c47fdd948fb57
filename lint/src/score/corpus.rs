//! Many APIs at once (contract Q3).

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::card::ApiScore;
use super::decimal::Decimal;
use super::table::{Dimension, THRESHOLD, TOP};

/// Everything a run found, as `--format json` writes it.
#[non_exhaustive]
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of this shape.
    pub version: u32,
    /// The APIs, by file and slug.
    pub apis: Vec<ApiScore>,
    /// What they have in common.
    pub corpus: Corpus,
    /// Files that could not be scored, or only in part.
    pub unread: Vec<Unread>,
}

/// The corpus as a whole.
#[non_exhaustive]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Corpus {
    /// How many APIs there are.
    pub apis: usize,
    /// How many of them pass.
    pub passed: usize,
    /// The level every applicable dimension must reach.
    pub threshold: u8,
    /// Whether all pass; false when there is none, or when a file could not be read.
    pub passes: bool,
    /// The mean of the decimals of the APIs.
    pub decimal: Decimal,
    /// The mean of the points.
    pub points: u8,
    /// How many APIs have each level (`0` to `4`, and `na`), and the `mean` of the decimals, for each dimension.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "BTreeMap<String, BTreeMap<String, Option<f64>>>")
    )]
    pub distribution: Distributions,
    /// The lowest scores, worst first.
    pub worst: Vec<Gap>,
    /// What is missing in more than one API, most frequent first.
    pub patterns: Vec<Pattern>,
}

/// How many APIs have each level of a dimension.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Distribution {
    /// By level.
    pub levels: [usize; 5],
    /// Where the dimension does not apply.
    pub not_applicable: usize,
    /// The mean of the decimals; none when it applies nowhere.
    pub mean: Option<Decimal>,
}

/// A score that is far from the threshold.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// The API.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
    /// The dimension.
    pub dimension: &'static str,
    /// The level it has.
    pub level: u8,
    /// How far it is.
    pub decimal: Decimal,
    /// What is missing first.
    pub what: String,
    /// How often it is missing.
    pub count: usize,
}

/// Something that several APIs lack.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pattern {
    /// The dimension.
    pub dimension: &'static str,
    /// The level that is not reached.
    pub level: u8,
    /// What the rubric says about it.
    pub says: String,
    /// The rule that reports it.
    pub rule: String,
    /// The name of that rule.
    pub rule_name: String,
    /// How many APIs stop here.
    pub apis: usize,
    /// How many things are missing in all of them.
    pub count: usize,
}

/// A file that could not be scored in full.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unread {
    /// The file.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// The distributions by dimension.
#[derive(Clone, Debug)]
pub struct Distributions(Vec<(Dimension, Distribution)>);

impl Report {
    /// Puts the scores of a run together. The order they come in does not matter.
    pub fn new(apis: Vec<ApiScore>, unread: Vec<Unread>) -> Report {
        Report::with_threshold(apis, unread, THRESHOLD)
    }

    /// The same with another threshold.
    pub fn with_threshold(apis: Vec<ApiScore>, mut unread: Vec<Unread>, threshold: u8) -> Report {
        let judged = apis.into_iter().map(|api| api.with_threshold(threshold));
        let mut apis: Vec<ApiScore> = judged.collect();
        apis.sort_by(|a, b| (&a.file, &a.slug).cmp(&(&b.file, &b.slug)));
        unread.sort_by(|a, b| (&a.file, &a.reason).cmp(&(&b.file, &b.reason)));
        unread.dedup();
        let passed = apis.iter().filter(|api| api.passes).count();
        let points: usize = apis.iter().map(|api| usize::from(api.points)).sum();
        let corpus = Corpus {
            apis: apis.len(),
            passed,
            threshold,
            passes: !apis.is_empty() && passed == apis.len() && unread.is_empty(),
            decimal: Decimal::mean(apis.iter().map(|api| api.decimal)).unwrap_or_default(),
            points: u8::try_from(points.checked_div(apis.len()).unwrap_or(0)).unwrap_or(100),
            distribution: distributions(&apis),
            worst: worst(&apis, threshold),
            patterns: patterns(&apis),
        };
        Report {
            version: VERSION,
            apis,
            corpus,
            unread,
        }
    }

    /// What an API is called in tables: its title, with the file when another one has the same.
    pub fn label(&self, api: &ApiScore) -> String {
        let alike = self.apis.iter().filter(|other| other.title == api.title);
        if alike.count() > 1 {
            let file = api.file.rsplit('/').next().unwrap_or(&api.file);
            return format!("{} ({file})", api.title);
        }
        api.title.clone()
    }

    /// Whether an API has an applicable dimension under a level.
    pub fn is_under(&self, level: u8) -> bool {
        let under = |api: &ApiScore| api.scores.iter().any(|(_, score)| !score.reaches(level));
        self.apis.iter().any(under)
    }
}

impl Distributions {
    /// The distribution of a dimension.
    pub fn get(&self, dimension: Dimension) -> Distribution {
        let found = self.0.iter().find(|(own, _)| *own == dimension);
        found
            .map(|(_, distribution)| *distribution)
            .unwrap_or_default()
    }
}

impl Unread {
    /// A file and the reason.
    pub fn new(file: impl Into<String>, reason: impl Into<String>) -> Unread {
        Unread {
            file: file.into(),
            reason: reason.into(),
        }
    }
}

impl Serialize for Distributions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (dimension, distribution) in &self.0 {
            map.serialize_entry(dimension.name(), distribution)?;
        }
        map.end()
    }
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.levels.len() + 2))?;
        for (level, count) in self.levels.iter().enumerate() {
            map.serialize_entry(&level.to_string(), count)?;
        }
        map.serialize_entry("na", &self.not_applicable)?;
        map.serialize_entry("mean", &self.mean)?;
        map.end()
    }
}

fn distributions(apis: &[ApiScore]) -> Distributions {
    let count = |dimension: Dimension| {
        let mut distribution = Distribution {
            mean: Decimal::mean(apis.iter().filter_map(|api| api.decimal(dimension))),
            ..Distribution::default()
        };
        for api in apis {
            let Some(level) = api.level(dimension) else {
                distribution.not_applicable += 1;
                continue;
            };
            let at = usize::from(level.min(TOP));
            if let Some(count) = distribution.levels.get_mut(at) {
                *count += 1;
            }
        }
        (dimension, distribution)
    };
    Distributions(Dimension::ALL.iter().copied().map(count).collect())
}

fn worst(apis: &[ApiScore], threshold: u8) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    for api in apis {
        for (dimension, score) in api.scores.iter() {
            let (Some(level), Some(missing)) = (score.level, &score.missing) else {
                continue;
            };
            if level < threshold {
                gaps.push(Gap {
                    slug: api.slug.clone(),
                    title: api.title.clone(),
                    file: api.file.clone(),
                    dimension: dimension.name(),
                    level,
                    decimal: score.decimal.unwrap_or_default(),
                    what: missing.what.clone(),
                    count: missing.count,
                });
            }
        }
    }
    let key = |gap: &Gap| (gap.decimal, std::cmp::Reverse(gap.count), gap.dimension);
    gaps.sort_by(|a, b| {
        let by_name = || (&a.file, &a.slug).cmp(&(&b.file, &b.slug));
        key(a).cmp(&key(b)).then_with(by_name)
    });
    gaps.truncate(WORST);
    gaps
}

fn patterns(apis: &[ApiScore]) -> Vec<Pattern> {
    let mut found: BTreeMap<(Dimension, u8, String), Pattern> = BTreeMap::new();
    for api in apis {
        for (dimension, score) in api.scores.iter() {
            let Some(missing) = &score.missing else {
                continue;
            };
            let key = (dimension, missing.level, missing.rule.clone());
            let pattern = found.entry(key).or_insert_with(|| Pattern {
                dimension: dimension.name(),
                level: missing.level,
                says: missing.says.clone(),
                rule: missing.rule.clone(),
                rule_name: missing.rule_name.clone(),
                apis: 0,
                count: 0,
            });
            pattern.apis += 1;
            pattern.count += missing.count;
        }
    }
    let mut found: Vec<Pattern> = found
        .into_values()
        .filter(|pattern| pattern.apis > 1)
        .collect();
    // The map is ordered, so equally frequent ones keep the order of the rubric.
    found.sort_by_key(|pattern| std::cmp::Reverse((pattern.apis, pattern.count)));
    found
}

/// The version of the JSON report.
const VERSION: u32 = 1;

/// How many of the lowest scores are listed.
const WORST: usize = 10;
