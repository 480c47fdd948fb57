//! AON605.

use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A `$ref` that leads nowhere.
    ///
    /// ## Why
    ///
    /// What a broken reference was meant to say is missing for every reader: parameters, values, errors.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get:
    ///       parameters:
    ///         - $ref: "#/components/parameters/Missing"
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get:
    ///       parameters:
    ///         - $ref: "#/components/parameters/Limit"
    /// components:
    ///   parameters:
    ///     Limit: { name: limit, in: query, schema: { type: integer } }
    /// ```
    "unresolved-reference" { code: "AON605", category: Manifest, stage: Stable, check: Check::Engine }
}
