//! What a machine may conclude ([P10]): derived, never hand-written.
//!
//! [P10]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p10

use std::fmt;

use crate::json::{ObjectWriter, WriteObject};
use crate::remediation::closed_set;
use crate::{Json, ProblemDetails, RemediationType, Status};

closed_set! {
    /// What kind of failure it is.
    Category, "P10 closes the set: every surface must place each of them" {
        /// The input is wrong.
        Validation = "validation",
        /// Who you are, or what you may do.
        Auth = "auth",
        /// The task, not the request, is in the way.
        Task = "task",
        /// Too much, too fast.
        RateLimit = "rate_limit",
        /// Not available now.
        Availability = "availability",
        /// It contradicts the present state.
        Conflict = "conflict",
        /// It is not there.
        NotFound = "not_found",
        /// Our own fault.
        Internal = "internal",
    }
}

closed_set! {
    /// How bad it is.
    Severity, "P10 closes the set" {
        /// The caller corrects it and goes on.
        Low = "low",
        /// Somebody has to do something first.
        Medium = "medium",
        /// The service is not able to.
        High = "high",
        /// The service is broken.
        Critical = "critical",
    }
}

/// `machine_hints`: category, severity, retry advice, fields, and a fingerprint to notice a loop by.
///
/// # Examples
///
/// ```
/// use aon_core::{Category, Code, MachineHints, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_auth_ux"))
///     .with_valid_values("auth_ux", ["hosted", "custom"]);
/// let hints = MachineHints::of(&problem);
/// assert_eq!(hints.category, Category::Validation);
/// assert!(!hints.retryable);
/// assert_eq!(hints.field_paths, ["/auth_ux"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "P10 lists the members; a surface must place each of them"
)]
pub struct MachineHints {
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of failure it is.
    pub category: Category,
    /// JSON Pointers of the fields it is about.
    pub field_paths: Vec<String>,
    /// How long to wait, where that is known.
    pub retry_after_ms: Option<u64>,
    /// The same for the same failure: code, fields and constraint, whatever the words and the arguments.
    pub fingerprint: Fingerprint,
}

impl MachineHints {
    /// Derives the hints of a problem.
    pub fn of(problem: &ProblemDetails) -> Self {
        let category = Category::of(problem);
        let retry_after = problem.retry_after();
        let field_paths = problem.field_paths();
        Self {
            retryable: retryable(problem, category),
            severity: category.severity(),
            category,
            fingerprint: fingerprint(problem, &field_paths),
            field_paths,
            retry_after_ms: retry_after
                .map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    /// Writes the hints as members of an open object.
    pub fn write_members(&self, object: &mut impl WriteObject) {
        let Self {
            retryable,
            severity,
            category,
            field_paths,
            retry_after_ms,
            fingerprint,
        } = self;
        object.boolean("retryable", *retryable);
        object.string("severity", severity.as_str());
        object.string("category", category.as_str());
        object.array("field_paths", None, field_paths);
        if let Some(delay) = retry_after_ms {
            object.number("retry_after_ms", *delay);
        }
        object.display("fingerprint", fingerprint);
    }

    /// The hints as JSON.
    pub fn to_json(&self) -> Json {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        self.write_members(&mut object);
        object.end();
        Json::parse(&String::from_utf8_lossy(&out)).unwrap_or(Json::trusted("null"))
    }
}

impl Category {
    /// The category of a problem: by its code where that says it, else by its status.
    pub fn of(problem: &ProblemDetails) -> Self {
        if problem
            .code()
            .is_some_and(|code| code.as_str().starts_with("task_"))
        {
            return Self::Task;
        }
        problem.status().map_or(Self::Internal, Self::of_status)
    }

    /// The category of a status.
    pub const fn of_status(status: Status) -> Self {
        match status.as_u16() {
            401 | 403 | 407 | 511 => Self::Auth,
            404 | 410 => Self::NotFound,
            409 | 412 | 423 | 424 | 428 => Self::Conflict,
            429 => Self::RateLimit,
            408 | 425 | 501..=504 | 507 => Self::Availability,
            400..=499 => Self::Validation,
            _ => Self::Internal,
        }
    }

    /// How bad a failure of this kind is.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Validation | Self::NotFound => Severity::Low,
            Self::Auth | Self::Task | Self::RateLimit | Self::Conflict => Severity::Medium,
            Self::Availability => Severity::High,
            Self::Internal => Severity::Critical,
        }
    }
}

/// A delay, a wait, or a passing cause; never where the remediation says there is nothing to do.
fn retryable(problem: &ProblemDetails, category: Category) -> bool {
    match problem
        .remediation()
        .map(|remediation| remediation.kind().kind())
    {
        Some(RemediationType::None) => return problem.retry_after().is_some(),
        Some(RemediationType::WaitForProvisioning) => return true,
        Some(
            RemediationType::RequestScopeElevation
            | RemediationType::SwitchUser
            | RemediationType::RegisterCustomDomain,
        )
        | None => {}
    }
    if problem.retry_after().is_some() {
        return true;
    }
    match category {
        Category::RateLimit => true,
        Category::Availability => problem
            .status()
            .is_some_and(|status| !matches!(status.as_u16(), 501 | 507)),
        Category::Validation
        | Category::Auth
        | Category::Task
        | Category::Conflict
        | Category::NotFound
        | Category::Internal => false,
    }
}

/// The same for the same failure; sixteen hexadecimal digits on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// FNV-1a over the code, and over each field and each allowed value; these are added up, so that their order does not
/// count. Stable across releases, words and arguments.
fn fingerprint(problem: &ProblemDetails, field_paths: &[String]) -> Fingerprint {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    fn mix(hash: u64, text: &str) -> u64 {
        text.bytes().chain([0xff]).fold(hash, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
    let mut sum = match (problem.code(), problem.type_uri(), problem.status()) {
        (Some(code), _, _) => mix(START, code.as_str()),
        (None, Some(uri), _) => mix(START, uri.as_str()),
        (None, None, Some(status)) => mix(START, status.phrase()),
        (None, None, None) => mix(START, ""),
    };
    for path in field_paths {
        sum = sum.wrapping_add(mix(START, path));
    }
    for (field, choices) in problem.valid_values().iter() {
        let field = mix(START, field);
        for choice in choices {
            let value = match choice.value().as_str() {
                Some(text) => mix(field, text),
                None => mix(field, &choice.value().to_string()),
            };
            sum = sum.wrapping_add(value);
        }
    }
    Fingerprint(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, NoneReason, Remediation};

    fn problem(status: u16) -> ProblemDetails {
        ProblemDetails::new(Status::from_static(status), Code::from_static("some_code"))
    }

    #[test]
    fn every_status_has_a_category_and_every_category_a_status() {
        let mut met: Vec<Category> = (400..=599)
            .map(|n| Category::of_status(Status::from_static(n)))
            .collect();
        met.push(Category::of(&ProblemDetails::new(
            Status::from_static(404),
            Code::from_static("task_not_found"),
        )));
        for category in Category::ALL {
            assert!(met.contains(category), "{category}");
            assert_eq!(Category::from_word(category.as_str()), Some(*category));
        }
    }

    #[test]
    fn retrying_is_advised_where_it_can_help() {
        let hints = |problem: ProblemDetails| MachineHints::of(&problem).retryable;
        assert!(hints(problem(429)) && hints(problem(503)));
        assert!(!hints(problem(422)) && !hints(problem(500)) && !hints(problem(501)));
        assert!(hints(
            problem(409).with_remediation(Remediation::wait_for_provisioning())
        ));
        assert!(!hints(problem(503).with_remediation(Remediation::none(
            NoneReason::NotYetImplemented
        ))));
        assert!(hints(
            problem(409).with_retry_after(std::time::Duration::from_secs(5))
        ));
    }

    #[test]
    fn the_fingerprint_ignores_words_and_follows_the_constraint() {
        let of = |problem: &ProblemDetails| MachineHints::of(problem).fingerprint;
        let base = problem(422).with_valid_values("a", ["x", "y"]);
        assert_eq!(
            of(&base),
            of(&base.clone().with_detail("other words").with_title("t"))
        );
        assert_eq!(
            of(&base),
            of(&problem(422).with_valid_values("a", ["y", "x"]))
        );
        assert_ne!(of(&base), of(&problem(422).with_valid_values("a", ["x"])));
        assert_ne!(of(&base), of(&problem(422)));
        assert_eq!(of(&problem(422)).to_string(), "6fd2336d77b31be8");
    }
}
