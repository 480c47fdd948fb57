//! Derived types with every attribute, filled at random: the quick path, the canonical value and all surfaces agree (S9).

use std::time::Duration;

use aon::{Namespace, Problem, redact};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::run;
use crate::parity::check;

/// A closed set, for `valid_values`.
#[derive(Debug, Clone, Copy, aon::Choices)]
enum Speed {
    /// Tomorrow.
    Express,
    /// Next week, "perhaps".
    Standard,
}

/// What an occurrence is filled with.
type Filling = (String, i64, Option<Vec<String>>, Vec<String>, Option<u32>);

/// Two types for each set of attributes, one with members of every kind and one without any, and the list of them all.
macro_rules! types {
    ($($name:ident { $($attribute:tt)* })+) => {
        $(
            mod $name {
                use super::*;

                #[derive(Debug, thiserror::Error, aon::Problem)]
                #[error("{text} and {number:>5} of \"{number:?}\"")]
                #[problem($($attribute)*)]
                pub(super) struct Full {
                    #[problem(extension)]
                    pub(super) text: String,
                    #[problem(extension = "renamed_number")]
                    pub(super) number: i64,
                    #[problem(extension)]
                    pub(super) maybe: Option<Vec<String>>,
                    #[problem(valid_values = "späte felder")]
                    pub(super) offered: Vec<String>,
                    #[problem(retry_after)]
                    pub(super) wait: Option<Duration>,
                    #[source]
                    pub(super) cause: std::fmt::Error,
                    pub(super) private: String,
                }

                #[derive(Debug, thiserror::Error, aon::Problem)]
                #[error("nothing varies, \"quoted\" \\ and größer\n")]
                #[problem($($attribute)*)]
                pub(super) struct Bare;
            }
        )+

        fn all((text, number, maybe, offered, wait): &Filling) -> Vec<Box<dyn Problem>> {
            let wait = wait.map(|seconds| Duration::from_secs(seconds.into()));
            vec![$(
                Box::new($name::Full {
                    text: text.clone(),
                    number: *number,
                    maybe: maybe.clone(),
                    offered: offered.clone(),
                    wait,
                    cause: std::fmt::Error,
                    private: "prIvAte".to_owned(),
                }),
                Box::new($name::Bare),
            )+]
        }
    };
}

types! {
    plain { status = 422 }
    spaced { status = 422, pointer = "/first name" }
    foreign { status = 422, pointer("/größe", "/a~1b/0/c~0d", "/50%25 off", "/\"q\"") }
    rooted { status = 400, pointer = "" }
    chosen { status = 422, valid_values(speed = Speed), pointer = "/speed" }
    literal { status = 422, valid_values(level = [1, 2.5, true, "drei \"3\""], other = ["a"]) }
    named { status = 409, code = "other_code", title = "Another \"title\"", type = "urn:acme:x#y" }
    spaced_out { status = 404, namespace = "https://parcel.example/problems/", docs_url = "https://parcel.example/docs#a" }
    acme { status = 404, namespace = "acme", mcp_tool = "list_parcels", a2a_skill = "parcels.list" }
    waiting { status = 503, remediation(wait_for_provisioning, message = "Wait \"a bit\".") }
    scoped { status = 403, remediation(request_scope_elevation, next_action(required_scope = "a:b", endpoint_url = "/scopes/{id}")) }
    honest { status = 501, remediation(none, reason = not_yet_implemented) }
    shown { status = 422, remediation(switch_user, example_request(method = "PATCH", path = "/a/{id}", headers("Accept" = "a/b"), body = r#"{"a": [1, "ö"]}"#)) }
    fixed { status = 422, mcp_tool = "fix_it", remediation(register_custom_domain, auto_fix) }
    refused { status = 401, challenge = "Bearer realm=\"api\"" }
    methods { status = 405, methods("GET", "PUT") }
    told { status = 500, detail = "a public text, \"quoted\"" }
}

fn fast(problem: &dyn Problem, id: Option<&str>) -> String {
    let mut out = Vec::new();
    problem.write_json(id, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn random_occurrences_of_derived_types_are_the_same_everywhere() {
    let text = prop_oneof!["[a-z ]{0,12}", any::<String>()];
    let filling = (
        text.clone(),
        any::<i64>(),
        proptest::option::of(vec(text.clone(), 0..3)),
        vec(text, 0..3),
        proptest::option::of(any::<u32>()),
    );
    assert_eq!(all(&Filling::default()).len(), 34, "types are counted");
    run(&filling, |filling| {
        for problem in all(&filling) {
            let problem = &*problem;
            let urn = problem.entry().map_or("pspace", |entry| entry.urn);
            let namespace = Namespace::parse(urn).expect("a name");
            for id in [
                None,
                Some("0198c0de-0000-7000-8000-000000000001"),
                Some("a/b%"),
            ] {
                let mut long = problem.to_problem();
                if let Some(id) = id {
                    long = long.with_request_id(&namespace, id.to_owned());
                }
                prop_assert_eq!(fast(problem, id), long.to_string());
                let mut shown = Vec::new();
                redact::write(problem, redact::Policy::default(), id, &mut shown);
                let redacted = redact::problem(long, redact::Policy::default());
                prop_assert_eq!(
                    String::from_utf8(shown).expect("UTF-8"),
                    redacted.to_string()
                );
            }
            let whole = problem.to_problem();
            prop_assert!(!whole.to_string().contains("prIvAte"));
            check(&whole);
        }
        Ok(())
    });
}
