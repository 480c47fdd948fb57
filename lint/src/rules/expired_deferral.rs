//! AON704.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A deferral whose date has passed.
    ///
    /// ## Why
    ///
    /// Somebody promised to repair it by then; what it set aside is reported again.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// slug: pets
    /// version: 1.0.0
    /// self_healing_score: 4 # aon-ignore: stated-score until 2025-01-31
    /// operations: []
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// slug: pets
    /// version: 1.0.0
    /// self_healing_score: 4 # aon-ignore: stated-score until 2099-01-31
    /// operations: []
    /// ```
    "expired-deferral" { code: "AON704", category: Deferral, stage: Stable, check: Check::Engine }
}
