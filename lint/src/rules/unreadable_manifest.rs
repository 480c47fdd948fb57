//! AON601.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A file that cannot be read, or not in full.
    ///
    /// ## Why
    ///
    /// What cannot be parsed cannot be checked, so nothing else that is said about the file is complete.
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
