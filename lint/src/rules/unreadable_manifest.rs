//! AON601.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A file that cannot be read, or not in full.
    ///
    /// ## Why
    ///
    /// A file that cannot be parsed cannot be checked, so the other findings about it are incomplete.
    ///
    /// ## Bad
    ///
    /// ```json bad
    /// { "tools": [ { "name": "list_pets" } ]
    /// ```
    ///
    /// ## Good
    ///
    /// ```json good
    /// { "tools": [ { "name": "list_pets" } ] }
    /// ```
    "unreadable-manifest" { code: "AON601", category: Manifest, stage: Stable, check: Check::Engine }
}
