//! Forcing a decision, so that a test is deterministic. Never silently: the decision says that it was forced.

use std::str::FromStr;

use aon::{Choices, InvalidChoice};

use crate::bounded::word;
use crate::telemetry::Telemetry;

/// The variable that permits it, with the value `allow`.
pub const FORCE_VARIABLE: &str = "AON_FORCE_ROUTE";

/// Whether decisions may be forced here.
///
/// ```
/// use aon_observe::{Force, Telemetry};
///
/// #[derive(Clone, Copy, Debug, PartialEq, aon::Choices)]
/// enum Route { Now, Later }
///
/// let telemetry = Telemetry::new();
/// let force = Force::by_environment(&telemetry, Some("allow"), None);
/// let decision = force.decide(Some("later"), || Route::Now)?;
/// assert_eq!((decision.route, decision.forced), (Route::Later, true));
///
/// let production = Force::by_environment(&telemetry, Some("allow"), Some("production"));
/// assert!(production.decide(Some("later"), || Route::Now).is_err());
/// assert!(!production.decide(None, || Route::Now)?.forced);
/// # Ok::<(), aon_observe::ForceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Force {
    permitted: bool,
    telemetry: Telemetry,
}

/// A decision, and who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a decision is made by the program or forced"
)]
pub struct Decision<R> {
    /// What was decided.
    pub route: R,
    /// Whether a test decided it: `forceOverride` in events and logs.
    pub forced: bool,
}

/// Why a decision was not forced.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[non_exhaustive]
pub enum ForceError {
    /// The environment does not permit it.
    #[error("A decision can be forced only where the environment permits it.")]
    #[problem(
        status = 403,
        code = "force_not_permitted",
        title = "Forcing is not permitted",
        remediation(none, reason = "auth_required_for_safety")
    )]
    NotPermitted,
    /// It is not one of the decisions.
    #[error(transparent)]
    #[problem(transparent)]
    Unknown(#[from] InvalidChoice),
}

impl Force {
    /// By the values of `AON_FORCE_ROUTE` and `AON_ENV`: `allow` permits it, `production` never does, whatever the other says.
    pub fn by_environment(
        telemetry: &Telemetry,
        force: Option<&str>,
        environment: Option<&str>,
    ) -> Self {
        let production = environment.is_some_and(|name| {
            let name = name.trim().to_ascii_lowercase();
            name.starts_with("prod") || name == "live"
        });
        Self {
            permitted: force == Some("allow") && !production,
            telemetry: telemetry.clone(),
        }
    }

    /// Whether it is permitted.
    pub const fn is_permitted(&self) -> bool {
        self.permitted
    }

    /// The decision that was asked for, or else the program's own.
    ///
    /// # Errors
    ///
    /// When one was asked for that is not permitted, or is not one of the decisions. Nothing is decided then: a test that
    /// believes to have forced something must not go on.
    pub fn decide<R>(
        &self,
        asked: Option<&str>,
        natural: impl FnOnce() -> R,
    ) -> Result<Decision<R>, ForceError>
    where
        R: Choices + FromStr<Err = InvalidChoice>,
    {
        let Some(asked) = asked else {
            return Ok(Decision {
                route: natural(),
                forced: false,
            });
        };
        if !self.permitted {
            return Err(ForceError::NotPermitted);
        }
        let route = asked
            .parse()
            .map_err(|error: InvalidChoice| error.at("forceRoute"))?;
        self.telemetry
            .0
            .metrics
            .forced
            .at(&[("route", word(asked))])
            .inc();
        Ok(Decision {
            route,
            forced: true,
        })
    }
}
