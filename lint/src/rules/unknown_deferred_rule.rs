//! AON702.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A deferral of a rule that does not exist.
    ///
    /// ## Why
    ///
    /// It sets nothing aside, although it looks as if it did.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// slug: pets
    /// version: 1.0.0
    /// operations: [] # aon-ignore: undeclared-choise not settled
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_auth
    ///     parameters:
    ///       - { name: auth_ux, in: body, type: string } # aon-ignore: undeclared-choice not settled
    /// ```
    "unknown-deferred-rule" { code: "AON702", category: Deferral, stage: Stable, check: Check::Engine }
}
