//! What the suites share: sample problems, strategies, the golden helper, and where things are.

pub mod clients;
pub mod engine;
pub mod generated;
pub mod golden;
pub mod hidden;
pub mod outside;
pub mod place;
pub mod reference;
pub mod samples;
pub mod strategy;
pub mod wire;

/// The README and the pages of the book, whose examples are compiled and run with the tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../README.md")]
    struct Readme;

    #[doc = include_str!("../../docs/problems.md")]
    struct Problems;

    #[doc = include_str!("../../docs/derive.md")]
    struct Derive;

    #[doc = include_str!("../../docs/surfaces.md")]
    struct Surfaces;

    #[doc = include_str!("../../docs/catalog.md")]
    struct Catalog;

    #[doc = include_str!("../../docs/glass-box.md")]
    struct GlassBox;

    #[doc = include_str!("../../docs/recovery.md")]
    struct Recovery;

    #[doc = include_str!("../../docs/codegen.md")]
    struct Codegen;

    #[doc = include_str!("../../docs/healing.md")]
    struct Healing;

    #[doc = include_str!("../../docs/streams.md")]
    struct Streams;

    #[doc = include_str!("../../docs/observability.md")]
    struct Observability;

    #[doc = include_str!("../../docs/maturity.md")]
    struct Maturity;

    #[doc = include_str!("../../docs/agents.md")]
    struct Agents;

    #[doc = include_str!("../../docs/migrating.md")]
    struct Migrating;

    #[doc = include_str!("../../docs/how-to/several-surfaces.md")]
    struct SeveralSurfaces;

    #[doc = include_str!("../../docs/how-to/test-your-errors.md")]
    struct TestYourErrors;

    #[doc = include_str!("../../docs/how-to/find-a-failure-in-the-log.md")]
    struct FindAFailure;

    #[doc = include_str!("../../docs/how-to/choose-names.md")]
    struct ChooseNames;
}
