//! Structs, tuples, generics, nesting, hand-written errors, other crate paths.

use std::fmt;

use aon::{Problem, ProblemDetails};
use serde::Serialize;
use serde_json::json;

/// The balance does not cover the order.
///
/// Add credit, then order again.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("the balance of {balance} does not cover it")]
#[problem(
    namespace = "https://api.example.com/problems/",
    status = 402,
    docs_url = "https://example.com/credit"
)]
struct OutOfCredit {
    #[problem(extension = "current_balance")]
    balance: i64,
    #[problem(extension)]
    note: Option<String>,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("gone")]
#[problem(status = 410)]
struct Unit;

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("{0} is taken by {1}")]
#[problem(status = 409, type = "urn:acme:taken#it", detail = "{0} is taken")]
struct Taken(#[problem(extension = "name")] String, String);

/// No thiserror anywhere.
#[derive(Debug, aon::Problem)]
#[problem(
    status = 400,
    title = "Bad line",
    pointer = "/line",
    pointer("/column", "/a~1b")
)]
struct BadLine {
    number: u32,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} cannot be read", self.number)
    }
}

impl std::error::Error for BadLine {}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Generic<'a, T: fmt::Debug + fmt::Display, const N: usize>
where
    T: Clone,
{
    #[error("value {value} of {name} in {secret:?}")]
    #[problem(status = 422, detail = "value {value} of {name}")]
    BadValue {
        #[problem(extension)]
        value: T,
        #[problem(public)]
        name: &'a str,
        secret: [T; N],
    },
    #[error(transparent)]
    #[problem(transparent)]
    Line(BadLine),
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Wrapper<E: std::error::Error + Problem + 'static> {
    #[error(transparent)]
    #[problem(transparent)]
    Inner(E),
    #[error("the wrapper tore")]
    #[problem(status = 500)]
    Torn,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Nested {
    #[error(transparent)]
    #[problem(transparent)]
    Boxed(Box<Wrapper<Unit>>),
    #[error(transparent)]
    #[problem(transparent)]
    Received { problem: ProblemDetails },
    #[error(transparent)]
    #[problem(transparent)]
    Choice(#[from] aon::InvalidChoice),
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Never {}

mod elsewhere {
    pub mod renamed {
        pub use aon::*;
    }

    #[derive(Debug, thiserror::Error, aon::Problem)]
    #[error("nothing")]
    #[problem(crate = self::renamed, status = 404)]
    pub struct Nothing;

    #[derive(Debug, aon::Choices)]
    #[choice(crate = self::renamed)]
    pub enum Way {
        Up,
        Down,
    }
}

macro_rules! declared_by_a_macro {
    ($name:ident, $status:literal, $code:literal) => {
        #[derive(Debug, thiserror::Error, aon::Problem)]
        #[error("made by a macro")]
        #[problem(status = $status, code = $code)]
        struct $name;
    };
}

declared_by_a_macro!(Made, 418, "short_and_stout");

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Rich {
    #[error("no")]
    #[problem(
        status = 403,
        mcp_tool = "grant",
        valid_values(level = [1, 2, 3], mode = ["a \"b\"", "c"], strict = [true], ratio = [0.5, "half", -1]),
        remediation(
            request_scope_elevation,
            message = "say \"please\"\n",
            next_action(endpoint_xri = "x:1", endpoint_url = "/grant", required_scope = "a b", guide_xri = "g:1"),
            example_request(
                method = "POST",
                path = "/grant",
                headers("Content-Type" = "application/json", "Authorization" = "Bearer <token>"),
                body = r#" { "scope" : "a b", "n": [1.0, 1e3] } "#,
            ),
            auto_fix,
        ),
    )]
    Forbidden,
    #[error("not this way")]
    #[problem(status = 405, methods("GET", "HEAD"))]
    WrongMethod,
    #[error("who are you")]
    #[problem(status = 401, challenge = "Bearer realm=\"api\"")]
    Unknown,
    #[error("{type} is odd")]
    #[problem(status = 400)]
    RawNames {
        #[problem(extension = "kind")]
        r#type: &'static str,
    },
}

pub(crate) fn samples() -> Vec<Box<dyn Problem>> {
    let credit = |note: Option<&str>| {
        Box::new(OutOfCredit {
            balance: -3,
            note: note.map(str::to_owned),
        })
    };
    let received =
        ProblemDetails::from_slice(br#"{"title":"Away","status":404,"odd":[1]}"#).unwrap();
    vec![
        credit(None),
        credit(Some("x:null")),
        Box::new(Unit),
        Box::new(Taken("a".to_owned(), "b".to_owned())),
        Box::new(BadLine { number: 7 }),
        Box::new(bad_value()),
        Box::new(Generic::<'_, String, 1>::Line(BadLine { number: 8 })),
        Box::new(Nested::Boxed(Box::new(Wrapper::Inner(Unit)))),
        Box::new(Nested::Boxed(Box::new(Wrapper::Torn))),
        Box::new(Nested::Received { problem: received }),
        Box::new(Nested::Choice(
            "sideways".parse::<elsewhere::Way>().unwrap_err(),
        )),
        Box::new(elsewhere::Nothing),
        Box::new(Made),
        Box::new(Rich::Forbidden),
        Box::new(Rich::WrongMethod),
        Box::new(Rich::Unknown),
        Box::new(Rich::RawNames { r#type: "t" }),
    ]
}

fn bad_value() -> Generic<'static, String, 2> {
    Generic::BadValue {
        value: "v".to_owned(),
        name: "n",
        secret: ["s1".to_owned(), "s2".to_owned()],
    }
}

fn tree(problem: &impl Problem) -> serde_json::Value {
    serde_json::from_slice(&problem.to_problem().to_vec()).unwrap()
}

#[test]
fn a_struct_is_one_problem() {
    let problem = OutOfCredit {
        balance: -3,
        note: None,
    };
    assert_eq!(
        tree(&problem),
        json!({
            "type": "https://api.example.com/problems/out_of_credit", "title": "Out of credit", "status": 402,
            "detail": "the balance of -3 does not cover it", "code": "out_of_credit",
            "docs_url": "https://example.com/credit", "current_balance": -3,
        })
    );
    let entry = problem.entry().unwrap();
    assert_eq!(entry.urn, "api-example-com");
    assert!(
        entry
            .summary
            .starts_with("The balance does not cover the order.\n\nAdd credit")
    );
    assert_eq!(entry.detail, "the balance of {balance} does not cover it");
}

#[test]
fn a_type_can_be_set_and_tuple_fields_marked() {
    let problem = Taken("acme".to_owned(), "mallory".to_owned());
    assert_eq!(
        tree(&problem),
        json!({
            "type": "urn:acme:taken#it", "title": "Taken", "status": 409, "detail": "acme is taken",
            "code": "taken", "name": "acme",
        })
    );
}

#[test]
fn pointers_become_errors() {
    let body = tree(&BadLine { number: 7 });
    assert_eq!(
        body["errors"],
        json!([
            {"pointer": "#/line", "detail": "line 7 cannot be read"},
            {"pointer": "#/column", "detail": "line 7 cannot be read"},
            {"pointer": "#/a~1b", "detail": "line 7 cannot be read"},
        ])
    );
    assert_eq!(
        BadLine { number: 7 }.to_problem().field_paths(),
        ["/line", "/column", "/a~1b"]
    );
}

#[test]
fn generics_keep_their_bounds() {
    assert_eq!(
        tree(&bad_value()),
        json!({
            "type": "pspace://problem/bad_value", "title": "Bad value", "status": 422,
            "detail": "value v of n", "code": "bad_value", "value": "v",
        })
    );
    fn only_what_is_needed<T: fmt::Debug + fmt::Display + Clone + Serialize>(
        value: T,
    ) -> ProblemDetails {
        let problem: Generic<'_, T, 0> = Generic::BadValue {
            value,
            name: "n",
            secret: [],
        };
        problem.to_problem()
    }
    assert_eq!(
        only_what_is_needed(5)
            .status()
            .map(|status| status.as_u16()),
        Some(422)
    );
}

#[test]
fn forwarding_reaches_through_every_layer() {
    let nested = Nested::Boxed(Box::new(Wrapper::Inner(Unit)));
    assert_eq!(tree(&nested), tree(&Unit));
    let received =
        ProblemDetails::from_slice(br#"{"title":"Away","status":404,"odd":[1]}"#).unwrap();
    let relayed = Nested::Received {
        problem: received.clone(),
    };
    assert_eq!(relayed.to_problem(), received);
    let mut out = Vec::new();
    relayed.write_json(None, &mut out);
    assert_eq!(out, received.to_vec());
    let mut codes = Vec::new();
    Nested::entries(&mut |entry| codes.push(entry.code));
    assert_eq!(codes, ["unit", "torn", "invalid_choice"]);
    let mut none = 0;
    Never::entries(&mut |_| none += 1);
    assert_eq!(none, 0);
}

#[test]
fn every_part_of_a_remediation_arrives() {
    assert_eq!(
        tree(&Rich::Forbidden),
        json!({
            "type": "pspace://problem/forbidden", "title": "Forbidden", "status": 403, "detail": "no",
            "code": "forbidden",
            "valid_values": {
                "level": [1, 2, 3], "mode": ["a \"b\"", "c"], "strict": [true], "ratio": [0.5, "half", -1],
            },
            "remediation": {
                "type": "request_scope_elevation", "message": "say \"please\"\n",
                "next_action": {
                    "endpoint_xri": "x:1", "endpoint_url": "/grant", "required_scope": "a b", "guide_xri": "g:1",
                },
                "example_request": {
                    "method": "POST", "path": "/grant",
                    "headers": {"Content-Type": "application/json", "Authorization": "Bearer <token>"},
                    "body": {"scope": "a b", "n": [1.0, 1e3]},
                },
                "auto_fix_available": true,
            },
            "mcp_tool": "grant",
        })
    );
    // What was escaped while compiling equals what core writes from the parts.
    let problem = Rich::Forbidden.to_problem();
    let remediation = problem.remediation().unwrap();
    let example = remediation.example_request().unwrap();
    assert_eq!(example.headers().count(), 2);
    let rebuilt = aon::Remediation::new(remediation.kind())
        .with_message(remediation.message().unwrap().to_owned())
        .with_next_action(remediation.next_action().unwrap().clone())
        .with_example_request(example.clone())
        .to_json();
    assert_eq!(
        rebuilt.as_str().replace(
            "\"auto_fix_available\":false",
            "\"auto_fix_available\":true"
        ),
        remediation.to_json().as_str()
    );
}

#[test]
fn a_401_has_its_challenge_and_a_405_its_methods() {
    assert_eq!(
        Rich::Unknown.to_problem().challenge().as_deref(),
        Some("Bearer realm=\"api\"")
    );
    let headers = aon::surface::rest::headers(&Rich::WrongMethod.to_problem());
    assert_eq!(headers, [("allow", "GET, HEAD".to_owned())]);
}

#[test]
fn names_may_be_raw_and_made_by_macros() {
    assert_eq!(tree(&Rich::RawNames { r#type: "t" })["kind"], "t");
    assert_eq!(tree(&Rich::RawNames { r#type: "t" })["detail"], "t is odd");
    assert_eq!(tree(&Made)["code"], "short_and_stout");
    assert_eq!(tree(&elsewhere::Nothing)["code"], "nothing");
}
