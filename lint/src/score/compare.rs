//! What moved since an earlier report.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::card::ApiScore;
use super::table::{Dimension, THRESHOLD};

/// An earlier report, as far as a comparison needs it.
#[derive(Clone, Debug)]
pub struct Earlier {
    apis: Vec<EarlierApi>,
}

#[derive(Clone, Debug)]
struct EarlierApi {
    file: String,
    slug: String,
    levels: Vec<Option<u8>>,
}

impl Earlier {
    /// Reads what `--format json` wrote.
    ///
    /// # Errors
    ///
    /// When it is no JSON, or no report of a version this program knows.
    pub fn parse(text: &str) -> Result<Earlier, InvalidReport> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
            apis: Vec<Value>,
        }
        let head: Head =
            serde_json::from_str(text).map_err(|error| InvalidReport(error.to_string()))?;
        if head.version != 1 {
            return Err(InvalidReport(format!(
                "it has version {}, and version 1 is read",
                head.version
            )));
        }
        let read = |value: &Value| {
            let member = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            let scores = value.get("scores")?;
            let level = |dimension: &Dimension| {
                let level = scores.get(dimension.name())?.get("level")?;
                if level.is_null() {
                    return Some(None);
                }
                level
                    .as_u64()
                    .and_then(|level| u8::try_from(level).ok())
                    .map(Some)
            };
            Some(EarlierApi {
                file: member("file")?,
                slug: member("slug")?,
                levels: Dimension::ALL.iter().map(level).collect::<Option<_>>()?,
            })
        };
        let apis = head.apis.iter().enumerate().map(|(at, value)| {
            read(value)
                .ok_or_else(|| InvalidReport(format!("apis[{at}] has no file, slug or levels")))
        });
        Ok(Earlier {
            apis: apis.collect::<Result<_, _>>()?,
        })
    }
}

/// A text that is no report.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidReport(String);

impl fmt::Display for InvalidReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is no score report: {}", self.0)
    }
}

impl std::error::Error for InvalidReport {}

/// What moved.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Scores that are not what they were.
    pub moved: Vec<Movement>,
    /// APIs that are new.
    pub added: Vec<String>,
    /// APIs that are gone.
    pub removed: Vec<String>,
    /// How many scores are lower than before.
    pub regressions: usize,
}

/// One score that moved. A level of `null` means that the dimension did not apply.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Movement {
    /// The API.
    pub slug: String,
    /// Its file.
    pub file: String,
    /// The dimension.
    pub dimension: &'static str,
    /// The level before.
    pub before: Option<u8>,
    /// The level now.
    pub after: Option<u8>,
    /// Whether it is worse now.
    pub regression: bool,
}

/// Compares a run with an earlier one. APIs are found again by file and slug, else by a slug or file that only one has.
pub fn compare(before: &Earlier, after: &[ApiScore]) -> Comparison {
    let mut comparison = Comparison::default();
    let mut used = vec![false; before.apis.len()];
    let mut pairs: Vec<Option<usize>> = vec![None; after.len()];
    let fits: [fn(&EarlierApi, &ApiScore) -> bool; 3] = [
        |old, new| old.file == new.file && old.slug == new.slug,
        |old, new| old.slug == new.slug,
        |old, new| old.file == new.file,
    ];
    for fit in fits {
        for (new, pair) in after.iter().zip(&mut pairs) {
            if pair.is_some() {
                continue;
            }
            let mut found = before
                .apis
                .iter()
                .enumerate()
                .filter(|(at, old)| used.get(*at) == Some(&false) && fit(old, new));
            if let (Some((at, _)), None) = (found.next(), found.next()) {
                *pair = Some(at);
                if let Some(used) = used.get_mut(at) {
                    *used = true;
                }
            }
        }
    }
    for (new, pair) in after.iter().zip(&pairs) {
        let Some(old) = pair.and_then(|at| before.apis.get(at)) else {
            comparison.added.push(new.slug.clone());
            continue;
        };
        for ((dimension, score), level) in new.scores.iter().zip(&old.levels) {
            if score.level == *level {
                continue;
            }
            let regression = is_regression(*level, score.level);
            comparison.regressions += usize::from(regression);
            comparison.moved.push(Movement {
                slug: new.slug.clone(),
                file: new.file.clone(),
                dimension: dimension.name(),
                before: *level,
                after: score.level,
                regression,
            });
        }
    }
    let gone = before.apis.iter().zip(&used).filter(|(_, used)| !**used);
    comparison.removed = gone.map(|(old, _)| old.slug.clone()).collect();
    comparison
}

/// A lower level is worse; something new to measure is worse only when it is under the threshold.
fn is_regression(before: Option<u8>, after: Option<u8>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => after < before,
        (None, Some(after)) => after < THRESHOLD,
        (_, None) => false,
    }
}
