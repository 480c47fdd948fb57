//! For the tests of programs that emit problems.
//!
//! - [`assert_problem!`](crate::assert_problem) compares a problem, or a response that carries one, with what a test
//!   expects, and tells all differences at once.
//! - [`assert_no_leaks`] puts a mark in every private field of every variant of an error type and looks for the marks
//!   on every surface ([P9]).
//! - [`assert_unique_codes`] finds codes that stand for two problems ([D4]).
//!
//! # Examples
//!
//! ```
//! use aon::{Code, ProblemDetails, Status, assert_problem};
//!
//! let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_auth_ux"))
//!     .with_valid_values("auth_ux", ["hosted", "custom"])
//!     .with_pointer("/auth_ux", None);
//! assert_problem!(
//!     problem,
//!     status = 422,
//!     code = "invalid_auth_ux",
//!     pointer = "/auth_ux",
//!     valid_values("auth_ux") = ["hosted", "custom"],
//! );
//! ```
//!
//! [P9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p9
//! [D4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d4

mod expect;
mod leaks;
mod subject;

pub use expect::Expected;
pub use leaks::{Checked, assert_no_leaks, surfaces};
#[cfg(feature = "axum")]
#[doc(hidden)]
pub use subject::ViaResponse;
#[doc(hidden)]
pub use subject::{Subject, ViaBytes, ViaProblem};

use std::fmt::Write as _;

use aon_core::catalog::Catalog;

/// Fails unless the value is a problem, and the one that is described. Gives the problem.
///
/// The value is a `ProblemDetails`, any [`Problem`](crate::Problem), the bytes or text of a body, or (feature `axum`) an
/// `http::Response`, which is then held to [S2] as well: content type, status line, request id.
///
/// You can check `status`, `code`, `title`, `type_uri`, `detail`, `detail_contains`, `request_id`, `pointer` (again
/// and again), `remediation`, `message_contains`, `required_scope`, `retry_after`, `docs_url`, `mcp_tool`, `a2a_skill`,
/// `valid_values("field") = […]`, `extension("name") = …`, `header("name") = "…"`, `absent = "member"`.
///
/// # Examples
///
/// ```
/// use aon::assert_problem;
///
/// let body = r#"{"status":409,"code":"busy","title":"Busy","retry_after":5}"#;
/// let problem = assert_problem!(body, status = 409, code = "busy", retry_after = 5, absent = "docs_url");
/// assert_eq!(problem.title(), Some("Busy"));
/// ```
///
/// ```should_panic
/// # use aon::assert_problem;
/// assert_problem!(r#"{"status":409,"code":"busy"}"#, status = 422, code = "bad");
/// ```
///
/// [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2
#[macro_export]
macro_rules! assert_problem {
    ($value:expr $(, $key:ident $(($argument:expr))? = $expected:expr)* $(,)?) => {{
        #[allow(unused_imports, reason = "one of them fits the value")]
        use $crate::testing::*;
        let subject = $crate::testing::Subject::new($value);
        let expected = $crate::testing::Expected::new()$(.$key($($argument,)? $expected))*;
        expected.check((&&&subject).observe())
    }};
}

/// Fails when a code stands for two problems, and names the places; fails on an empty catalog too.
///
/// # Examples
///
/// ```
/// use aon::catalog::Catalog;
///
/// aon::testing::assert_unique_codes(&Catalog::of::<aon::InvalidChoice>());
/// ```
#[track_caller]
#[expect(clippy::panic, reason = "a failed assertion of a test")]
pub fn assert_unique_codes(catalog: &Catalog) {
    assert!(
        !catalog.problems.is_empty(),
        "the catalog is empty: nothing was checked"
    );
    let duplicates = catalog.duplicates();
    if duplicates.is_empty() {
        return;
    }
    let mut message = String::from("codes must be unique in a program:");
    // Writing into a String cannot fail.
    for (code, places) in duplicates {
        let _: std::fmt::Result = write!(message, "\n  {code}");
        for place in places {
            let parts = [&*place.package, &*place.type_name, &*place.variant];
            let parts = parts.into_iter().filter(|part| !part.is_empty());
            let parts = parts.collect::<Vec<_>>().join(", ");
            let _: std::fmt::Result = write!(message, "\n    in {parts}");
        }
    }
    panic!("{message}");
}

#[cfg(test)]
mod tests {
    use aon_core::Entry;

    use super::*;

    #[test]
    #[should_panic(expected = "twice\n    in a, A\n    in b, B")]
    fn a_code_that_stands_twice_is_named_with_its_places() {
        static FIRST: Entry = Entry {
            origin: aon_core::Origin {
                package: "a",
                type_name: "A",
                variant: "",
            },
            ..Entry::new("twice", 404, "x://problem/twice", "Twice")
        };
        static SECOND: Entry = Entry {
            origin: aon_core::Origin {
                package: "b",
                type_name: "B",
                variant: "",
            },
            ..Entry::new("twice", 409, "x://problem/twice", "Twice")
        };
        assert_unique_codes(&Catalog::new([&FIRST, &SECOND]));
    }

    #[test]
    #[should_panic(expected = "nothing was checked")]
    fn an_empty_catalog_proves_nothing() {
        assert_unique_codes(&Catalog::new([]));
    }
}
