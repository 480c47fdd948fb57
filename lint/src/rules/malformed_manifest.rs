//! AON606.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A part of a manifest with the wrong shape.
    ///
    /// ## Why
    ///
    /// A part that cannot be understood is skipped by every tool that reads the manifest.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// slug: pets
    /// version: 1.0.0
    /// operations: list_pets
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// slug: pets
    /// version: 1.0.0
    /// operations:
    ///   - id: list_pets
    /// ```
    "malformed-manifest" { code: "AON606", category: Manifest, stage: Stable, check: Check::Engine }
}
