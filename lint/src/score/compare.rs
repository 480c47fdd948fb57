//! What moved since an earlier report.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::card::ApiScore;
use super::decimal::Decimal;
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
    title: String,
    levels: Vec<Option<u8>>,
    /// Reports of versions that knew no decimals have none.
    decimals: Vec<Option<Decimal>>,
}

impl Earlier {
    /// Reads what `--format json` wrote.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or not a report of a version this program knows.
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
            let decimal = |dimension: &Dimension| {
                let number = scores.get(dimension.name())?.get("decimal")?.as_f64()?;
                Decimal::from_number(number)
            };
            Some(EarlierApi {
                file: member("file")?,
                slug: member("slug")?,
                title: member("title").or_else(|| member("slug"))?,
                decimals: Dimension::ALL.iter().map(decimal).collect(),
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

/// A text that is not a report.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidReport(String);

impl fmt::Display for InvalidReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is not a score report: {}", self.0)
    }
}

impl std::error::Error for InvalidReport {}

/// What moved.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Scores whose level or decimal is not what it was.
    pub moved: Vec<Movement>,
    /// The titles of APIs that are new.
    pub added: Vec<String>,
    /// The titles of APIs that are gone.
    pub removed: Vec<String>,
    /// How many levels are lower than before.
    pub regressions: usize,
}

/// One score that moved. A level of `null` means that the dimension did not apply.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Movement {
    /// The API.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
    /// The dimension.
    pub dimension: &'static str,
    /// The level before.
    pub before: Option<u8>,
    /// The level now.
    pub after: Option<u8>,
    /// The decimal before; `null` when the dimension did not apply, or the earlier report had none.
    pub decimal_before: Option<Decimal>,
    /// The decimal now.
    pub decimal_after: Option<Decimal>,
    /// Whether the level is worse now.
    pub regression: bool,
}

impl Movement {
    /// Whether it moved upwards; none when neither level nor decimal can be compared.
    pub fn is_better(&self) -> Option<bool> {
        if self.regression {
            return Some(false);
        }
        if self.before != self.after {
            return Some(true);
        }
        let (before, after) = (self.decimal_before?, self.decimal_after?);
        Some(after > before)
    }

    /// Before and after, as people write it: `1.20 → 1.64`, with the levels where those moved.
    pub fn shown(&self) -> String {
        let level =
            |level: Option<u8>| level.map_or_else(|| "n/a".to_owned(), |level| level.to_string());
        let (before, after) = (self.decimal_before, self.decimal_after);
        let numbers = before
            .map(Decimal::precise)
            .zip(after.map(Decimal::precise));
        let levels = (level(self.before), level(self.after));
        match numbers {
            Some((before, after)) if self.before == self.after => format!("{before} → {after}"),
            Some((before, after)) => {
                format!("level {} → {} ({before} → {after})", levels.0, levels.1)
            }
            None => format!("level {} → {}", levels.0, levels.1),
        }
    }
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
            comparison.added.push(new.title.clone());
            continue;
        };
        let earlier = old.levels.iter().zip(&old.decimals);
        for ((dimension, score), (level, decimal)) in new.scores.iter().zip(earlier) {
            let known = decimal.is_some() || level.is_none();
            if score.level == *level && (!known || score.decimal == *decimal) {
                continue;
            }
            let regression = is_regression(*level, score.level);
            comparison.regressions += usize::from(regression);
            comparison.moved.push(Movement {
                slug: new.slug.clone(),
                title: new.title.clone(),
                file: new.file.clone(),
                dimension: dimension.name(),
                before: *level,
                after: score.level,
                decimal_before: *decimal,
                decimal_after: score.decimal,
                regression,
            });
        }
    }
    let gone = before.apis.iter().zip(&used).filter(|(_, used)| !**used);
    comparison.removed = gone.map(|(old, _)| old.title.clone()).collect();
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
