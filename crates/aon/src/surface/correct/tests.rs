use aon_core::{Choice, Code, Status};

use super::*;

fn problem() -> ProblemDetails {
    ProblemDetails::new(Status::from_static(422), Code::from_static("bad_value"))
}

fn corrected(problem: &ProblemDetails, arguments: &str) -> Option<String> {
    let arguments = Json::parse(arguments).unwrap();
    Correction::of(problem, &arguments).map(|correction| correction.arguments().as_str().to_owned())
}

#[test]
fn the_table_of_cases() {
    let ux = problem().with_valid_values("auth_ux", ["hosted", "custom"]);
    let cat = problem().with_valid_values("pet", ["bat", "rat"]);
    let seats = problem().with_valid_values("seats", [1, 5, 10]);
    let annual = problem().with_valid_values("annual", [true]);
    let mixed = problem().with_valid_values("size", [Choice::new(10), Choice::new("10")]);
    let version = problem().with_valid_values("version", ["1", "2"]);
    let flag = problem().with_valid_values("flag", ["true", "false"]);
    let plan = problem().with_valid_values(
        "plan",
        [
            Choice::new("free").with_label("No charge"),
            Choice::new("pro").with_label("Professional"),
        ],
    );
    let region = problem().with_valid_values("region", ["us-east-1", "us-east-2"]);
    let cases: &[(&ProblemDetails, &str, Option<&str>)] = &[
        (
            &ux,
            r#"{"auth_ux":"Hosted"}"#,
            Some(r#"{"auth_ux":"hosted"}"#),
        ),
        (
            &ux,
            r#"{"auth_ux":"HOSTED "}"#,
            Some(r#"{"auth_ux":"hosted"}"#),
        ),
        (
            &ux,
            r#"{"auth_ux":"hosed"}"#,
            Some(r#"{"auth_ux":"hosted"}"#),
        ),
        (
            &ux,
            r#"{"auth_ux":"custm"}"#,
            Some(r#"{"auth_ux":"custom"}"#),
        ),
        (
            &ux,
            r#"{"auth_ux":"customs"}"#,
            Some(r#"{"auth_ux":"custom"}"#),
        ),
        (&ux, r#"{"auth_ux":"branded"}"#, None),
        (&ux, r#"{"auth_ux":""}"#, None),
        (&ux, r#"{"auth_ux":"hosted"}"#, None),
        (&ux, r#"{"auth_ux":null}"#, None),
        (&ux, r#"{"auth_ux":5}"#, None),
        (&ux, r#"{"auth_ux":{"a":1}}"#, None),
        (&ux, r#"{"other":"hosed"}"#, None),
        (&ux, "[]", None),
        (&ux, r#""hosed""#, None),
        (&ux, "null", None),
        (
            &ux,
            r#"{"z":1.50,"auth_ux":"hosed","a":[12345678901234567890]}"#,
            Some(r#"{"z":1.50,"auth_ux":"hosted","a":[12345678901234567890]}"#),
        ),
        (&cat, r#"{"pet":"cat"}"#, None),
        (&seats, r#"{"seats":"5"}"#, Some(r#"{"seats":5}"#)),
        (&seats, r#"{"seats":" 10 "}"#, Some(r#"{"seats":10}"#)),
        (&seats, r#"{"seats":5.0}"#, Some(r#"{"seats":5}"#)),
        (&seats, r#"{"seats":6}"#, None),
        (&seats, r#"{"seats":"6"}"#, None),
        (&seats, r#"{"seats":"five"}"#, None),
        (&annual, r#"{"annual":"TRUE"}"#, Some(r#"{"annual":true}"#)),
        (&annual, r#"{"annual":"yes"}"#, None),
        (&annual, r#"{"annual":false}"#, None),
        (&annual, r#"{"annual":1}"#, None),
        (&mixed, r#"{"size":" 10"}"#, None),
        (&version, r#"{"version":2}"#, Some(r#"{"version":"2"}"#)),
        (&version, r#"{"version":3}"#, None),
        (&flag, r#"{"flag":true}"#, Some(r#"{"flag":"true"}"#)),
        (
            &plan,
            r#"{"plan":"professional"}"#,
            Some(r#"{"plan":"pro"}"#),
        ),
        (
            &region,
            r#"{"region":"us_east_2"}"#,
            Some(r#"{"region":"us-east-2"}"#),
        ),
        (&region, r#"{"region":"us-east-3"}"#, None),
    ];
    for (problem, given, expected) in cases {
        assert_eq!(corrected(problem, given).as_deref(), *expected, "{given}");
    }
}

#[test]
fn nested_places_are_found_by_pointer_and_by_dotted_name() {
    let given = r#"{"billing":{"plan":"Pro","x":[{"plan":"fre"}]}}"#;
    let by_pointer = problem().with_valid_values("/billing/plan", ["free", "pro"]);
    let by_dots = problem().with_valid_values("billing.plan", ["free", "pro"]);
    let by_errors = problem()
        .with_valid_values("plan", ["free", "pro"])
        .with_pointer("/billing/plan", None);
    for problem in [by_pointer, by_dots, by_errors] {
        assert_eq!(
            corrected(&problem, given).as_deref(),
            Some(r#"{"billing":{"plan":"pro","x":[{"plan":"fre"}]}}"#)
        );
    }
    let in_array = problem()
        .with_valid_values("plan", ["free", "pro"])
        .with_pointer("/billing/x/0/plan", None);
    assert_eq!(
        corrected(&in_array, given).as_deref(),
        Some(r#"{"billing":{"plan":"Pro","x":[{"plan":"free"}]}}"#)
    );
    let escaped = problem().with_valid_values("/a~1b/c~0d", ["x1y", "z2"]);
    assert_eq!(
        corrected(&escaped, r#"{"a/b":{"c~d":"X1Y"}}"#).as_deref(),
        Some(r#"{"a/b":{"c~d":"x1y"}}"#)
    );
}

#[test]
fn arrays_of_choices_are_corrected_item_by_item() {
    let scopes = problem().with_valid_values("scopes", ["read", "write"]);
    assert_eq!(
        corrected(&scopes, r#"{"scopes":["Read","write","writ"]}"#).as_deref(),
        Some(r#"{"scopes":["read","write","write"]}"#)
    );
    assert_eq!(corrected(&scopes, r#"{"scopes":["Read","fly"]}"#), None);
    assert_eq!(corrected(&scopes, r#"{"scopes":["read"]}"#), None);
    assert_eq!(corrected(&scopes, r#"{"scopes":[]}"#), None);
    let one = scopes.with_pointer("/scopes/1", None);
    assert_eq!(
        corrected(&one, r#"{"scopes":["read","Write"]}"#).as_deref(),
        Some(r#"{"scopes":["read","write"]}"#)
    );
}

#[test]
fn several_wrong_fields_are_corrected_together_or_not_at_all() {
    let both = problem()
        .with_valid_values("plan", ["free", "pro"])
        .with_valid_values("seats", [1, 5]);
    assert_eq!(
        corrected(&both, r#"{"plan":"Pro","seats":"5"}"#).as_deref(),
        Some(r#"{"plan":"pro","seats":5}"#)
    );
    assert_eq!(corrected(&both, r#"{"plan":"Pro","seats":7}"#), None);
    assert_eq!(
        corrected(&both, r#"{"plan":"Pro","seats":5}"#).as_deref(),
        Some(r#"{"plan":"pro","seats":5}"#)
    );
    let another = both.with_pointer("/plan", None).with_pointer("/age", None);
    assert_eq!(corrected(&another, r#"{"plan":"Pro","age":-1}"#), None);
}

#[test]
fn a_field_the_problem_names_elsewhere_counts_by_its_name() {
    let wrapped = problem()
        .with_valid_values("auth_ux", ["hosted", "custom"])
        .with_pointer("/body/auth_ux", None);
    assert_eq!(
        corrected(&wrapped, r#"{"auth_ux":"Custom"}"#).as_deref(),
        Some(r#"{"auth_ux":"custom"}"#)
    );
}

#[test]
fn large_arguments_are_not_sent_back() {
    let ux = problem().with_valid_values("auth_ux", ["hosted", "custom"]);
    let given = format!(r#"{{"auth_ux":"hosed","x":"{}"}}"#, "a".repeat(1 << 20));
    assert_eq!(corrected(&ux, &given), None);
    let given = format!(r#"{{"auth_ux":"{}"}}"#, "hosted".repeat(9000));
    assert_eq!(corrected(&ux, &given), None);
}

#[test]
fn what_was_replaced_is_told() {
    let ux = problem().with_valid_values("auth_ux", ["hosted", "custom"]);
    let given = Json::parse(r#"{"auth_ux":"hosed"}"#).unwrap();
    let correction = Correction::of(&ux, &given).unwrap();
    let replaced: Vec<_> = correction.replaced().collect();
    assert_eq!(replaced.len(), 1);
    assert_eq!(replaced[0].0, "/auth_ux");
    assert_eq!(replaced[0].1.as_str(), Some("hosted"));
}

#[test]
fn a_pointer_in_its_uri_form_is_decoded() {
    let size = problem().with_valid_values("größe", ["klein", "groß"]);
    let given = r#"{"maße":{"größe":"Klein"}}"#;
    let wanted = Some(r#"{"maße":{"größe":"klein"}}"#.to_owned());
    let ours = size.clone().with_pointer("/maße/größe", None);
    assert_eq!(ours.field_paths(), ["/maße/größe"]);
    assert_eq!(corrected(&ours, given), wanted);
    for spelled in ["#/ma%C3%9Fe/gr%C3%B6%c3%9fe", "#/maße/größe", "/maße/größe"] {
        let name = aon_core::ExtensionName::from_static("errors");
        let errors = serde_json::json!([{"pointer": spelled}]);
        let problem = size.clone().with_extension(name, &errors).unwrap();
        assert_eq!(corrected(&problem, given), wanted, "{spelled}");
    }
}
