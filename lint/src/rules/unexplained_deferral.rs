//! AON703.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A deferral without a reason.
    ///
    /// ## Why
    ///
    /// The next reader cannot know whether it may go. Reported only with `--strict`, where such a deferral has no effect.
    ///
    /// ## Bad
    ///
    /// ```yaml bad strict
    /// slug: pets
    /// version: 1.0.0
    /// self_healing_score: 4 # aon-ignore: stated-score
    /// operations: []
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// slug: pets
    /// version: 1.0.0
    /// self_healing_score: 4 # aon-ignore: stated-score read by the old dashboard until June
    /// operations: []
    /// ```
    "unexplained-deferral" { code: "AON703", category: Deferral, stage: Stable, check: Check::Engine }
}
