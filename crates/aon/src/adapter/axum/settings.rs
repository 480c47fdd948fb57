//! The settings of the layer.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use aon_core::Namespace;

use super::layer::Emitted;
use super::routes::Routes;

/// Where a layer has its settings: [`Defaults`], or [`Shared`] once one was changed.
pub trait Settings: Clone {
    #[doc(hidden)]
    fn config(&self) -> &Config;

    #[doc(hidden)]
    fn needs_uri(&self) -> bool;
}

/// The settings of [`ProblemLayer::new`](super::ProblemLayer::new): they take no room, so that the layer costs next to
/// nothing.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a marker has no fields")]
pub struct Defaults;

/// Settings of your own.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Config>);

impl Shared {
    pub(super) fn new(config: Config) -> Self {
        Self(Arc::new(config))
    }
}

static DEFAULTS: Config = Config {
    namespace: Namespace::DEFAULT,
    routes: Routes::NONE,
    legacy: Vec::new(),
    foreign_detail: false,
    docs: None,
    hook: None,
};

impl Settings for Defaults {
    fn config(&self) -> &Config {
        &DEFAULTS
    }

    #[inline]
    fn needs_uri(&self) -> bool {
        false
    }
}

impl Settings for Shared {
    fn config(&self) -> &Config {
        &self.0
    }

    #[inline]
    fn needs_uri(&self) -> bool {
        !self.0.routes.is_empty() || !self.0.legacy.is_empty()
    }
}

/// What can be set.
#[derive(Clone, Debug)]
#[expect(
    unnameable_types,
    reason = "nobody but the layer reads it, and nobody else can implement `Settings`"
)]
pub struct Config {
    pub(super) namespace: Namespace,
    pub(super) routes: Routes,
    pub(super) legacy: Vec<(String, u64)>,
    pub(super) foreign_detail: bool,
    pub(super) docs: Option<String>,
    pub(super) hook: Option<Hook>,
}

impl Config {
    /// Since when the shape is deprecated, for a path of a legacy group.
    pub(super) fn legacy_since(&self, path: &str) -> Option<u64> {
        self.legacy.iter().find_map(|(prefix, since)| {
            let rest = path.strip_prefix(prefix.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/')).then_some(*since)
        })
    }
}

#[derive(Clone)]
pub(super) struct Hook(Arc<dyn Fn(&Emitted<'_>) + Send + Sync>);

impl Hook {
    pub(super) fn new(hook: Arc<dyn Fn(&Emitted<'_>) + Send + Sync>) -> Self {
        Self(hook)
    }

    pub(super) fn call(&self, emitted: &Emitted<'_>) {
        // A hook that panics must not turn the answer into a dropped connection.
        let _: Result<(), _> = catch_unwind(AssertUnwindSafe(|| (self.0)(emitted)));
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}
