//! The cheapest steps that raise the most levels.

use std::collections::BTreeMap;

use serde::Serialize;

use super::card::ApiScore;
use super::evidence::Missing;
use super::table::Dimension;

/// One thing to do across the corpus.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextStep {
    /// The dimension it raises.
    pub dimension: &'static str,
    /// The level whose line it fulfils.
    pub level: u8,
    /// What the rubric says.
    pub says: String,
    /// The rule that reports what is missing.
    pub rule: String,
    /// The name of that rule.
    pub rule_name: String,
    /// What to do.
    pub fix: String,
    /// How many APIs it raises.
    pub apis: usize,
    /// How many levels it raises in all of them.
    pub levels: usize,
    /// How many places have to be changed.
    pub edits: usize,
    /// The first place of each API, up to three.
    pub places: Vec<Missing>,
}

/// What to do next, the most levels for the least work first.
///
/// A step is everything one line of the rubric lacks in the APIs that stop there. What lies above may hold already, so one step
/// can raise an API by more than one level.
pub fn next_steps(apis: &[ApiScore]) -> Vec<NextStep> {
    let mut steps: BTreeMap<(Dimension, u8, String), NextStep> = BTreeMap::new();
    for api in apis {
        for (dimension, score) in api.scores.iter() {
            let (Some(level), Some(missing)) = (score.level, &score.missing) else {
                continue;
            };
            let raised = score.level_with(missing.level).saturating_sub(level);
            let key = (dimension, missing.level, missing.rule.clone());
            let step = steps.entry(key).or_insert_with(|| NextStep {
                dimension: dimension.name(),
                level: missing.level,
                says: missing.says.clone(),
                rule: missing.rule.clone(),
                rule_name: missing.rule_name.clone(),
                fix: missing.fix.clone(),
                apis: 0,
                levels: 0,
                edits: 0,
                places: Vec::new(),
            });
            step.apis += 1;
            step.levels += usize::from(raised);
            step.edits += missing.count.max(1);
            if step.places.len() < PLACES {
                step.places.push(missing.clone());
            }
        }
    }
    let mut steps: Vec<NextStep> = steps.into_values().collect();
    // Levels per edit, compared without division; then the most levels.
    steps.sort_by(|a, b| {
        let (left, right) = (a.levels * b.edits, b.levels * a.edits);
        right
            .cmp(&left)
            .then_with(|| b.levels.cmp(&a.levels))
            .then_with(|| (a.dimension, a.level, &a.rule).cmp(&(b.dimension, b.level, &b.rule)))
    });
    steps
}

const PLACES: usize = 3;
