//! AON701.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A deferral that sets nothing aside any more.
    ///
    /// ## Why
    ///
    /// It hides the next finding in its place, and nobody knows that the first one is gone.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_auth
    ///     parameters:
    ///       # aon-ignore: undeclared-choice the set is not settled
    ///       - { name: auth_ux, in: body, type: string, enum: [hosted, custom] }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_auth
    ///     parameters:
    ///       # aon-ignore: undeclared-choice the set is not settled
    ///       - { name: auth_ux, in: body, type: string }
    /// ```
    "stale-deferral" { code: "AON701", category: Deferral, stage: Stable, check: Check::Engine }
}
