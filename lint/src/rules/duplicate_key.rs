//! AON604.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// The same key twice in one object.
    ///
    /// ## Why
    ///
    /// Parsers disagree about which of the two counts, so two readers of one document see two APIs.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// slug: pets
    /// version: 1.0.0
    /// title: Pets
    /// title: Animals
    /// operations: []
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// slug: pets
    /// version: 1.0.0
    /// title: Pets
    /// operations: []
    /// ```
    "duplicate-key" { code: "AON604", category: Manifest, stage: Stable, check: Check::Engine }
}
