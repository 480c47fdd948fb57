use super::*;
use crate::surface::a2a::{Profiles, is_activated};

fn problem(status: u16, code: &'static str) -> ProblemDetails {
    ProblemDetails::new(Status::from_static(status), Code::from_static(code))
}

/// A problem the rule is about.
fn example(rule: &Rule) -> ProblemDetails {
    match &rule.on {
        On::Code(code) => ProblemDetails::new(
            Status::from_static(418),
            Code::parse(code.clone()).expect("codes in tables are codes"),
        ),
        On::TaskStatus(status) => problem(*status, "task_finished"),
        On::Status(status) => problem(*status, "some_code"),
        On::Class(class) => problem(class * 100 + 90, "some_code"),
    }
}

#[test]
fn every_line_of_every_table_there_and_back() {
    let mut walked = 0;
    for profile in Profile::BUILT_IN {
        for rule in profile.rules() {
            let found = profile.rule(&example(rule));
            assert_eq!(found, rule, "{} {:?}", profile.name(), &rule.on);
            let kind = profile.kind_of_number(rule.number()).expect("listed");
            let shared = profile
                .rules()
                .any(|other| other.number() == rule.number() && other.kind() == kind);
            assert!(shared, "{} {}", profile.name(), rule.number());
            walked += 1;
        }
    }
    assert!(walked > 40, "{walked}");
}

#[test]
fn the_contract_numbers() {
    let table = [
        (422, "x", -32_602),
        (401, "x", -32_001),
        (403, "x", -32_004),
        (409, "x", -32_005),
        (415, "x", -32_007),
        (429, "x", -32_008),
        (501, "x", -32_009),
        (503, "x", -32_010),
        (404, "task_not_found", -32_003),
        (422, "task_not_found", -32_003),
        (400, "x", -32_600),
        (404, "x", -32_600),
        (418, "x", -32_600),
        (499, "x", -32_600),
        (500, "x", -32_603),
        (502, "x", -32_603),
        (504, "x", -32_603),
        (599, "x", -32_603),
    ];
    for (status, code, number) in table {
        let rule = Profile::PSPACE.rule(&problem(status, code)).number();
        assert_eq!(rule, number, "{status} {code}");
    }
    let none = ProblemDetails::from_slice(b"{}").unwrap();
    assert_eq!(Profile::PSPACE.rule(&none).number(), -32_603);
}

#[test]
fn the_official_numbers_with_their_reasons() {
    // A2A 1.0, section 5.4.
    let official = [
        (-32_001, "TASK_NOT_FOUND"),
        (-32_002, "TASK_NOT_CANCELABLE"),
        (-32_003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (-32_004, "UNSUPPORTED_OPERATION"),
        (-32_005, "CONTENT_TYPE_NOT_SUPPORTED"),
        (-32_006, "INVALID_AGENT_RESPONSE"),
        (-32_007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
        (-32_008, "EXTENSION_SUPPORT_REQUIRED"),
        (-32_009, "VERSION_NOT_SUPPORTED"),
    ];
    for (number, reason) in official {
        let rules: Vec<_> = Profile::A2A_1_0
            .rules()
            .filter(|rule| rule.number() == number)
            .map(|rule| {
                (
                    rule.reason().unwrap_or_default().to_owned(),
                    rule.is_official(),
                )
            })
            .collect();
        assert!(!rules.is_empty(), "{number}");
        for rule in rules {
            assert_eq!(rule, (reason.to_owned(), true), "{number}");
        }
    }
    for profile in [Profile::A2A_1_0, Profile::A2A_0_3] {
        for rule in profile.rules().filter(|rule| rule.is_official()) {
            assert!((-32_009..=-32_001).contains(&rule.number()));
        }
    }
    let numbers: Vec<i32> = Profile::A2A_0_3.rules().map(Rule::number).collect();
    assert!(!numbers.contains(&-32_008) && !numbers.contains(&-32_009));
}

#[test]
fn a_request_picks_its_profile() {
    let cases = [
        (None, None, Some("a2a-0.3")),
        (Some(""), None, Some("a2a-0.3")),
        (Some("1.0"), None, Some("a2a-1.0")),
        (Some(" 1.0.1 "), None, Some("a2a-1.0")),
        (Some("0.3"), None, Some("a2a-0.3")),
        (Some("1.0"), Some(EXTENSION_URI), Some("pspace")),
        (Some("1.0"), Some("https://other/x"), Some("a2a-1.0")),
        (None, Some(EXTENSION_URI), Some("pspace")),
        (None, Some("https://other/x"), Some("a2a-0.3")),
        (Some("2.0"), None, None),
        (Some("1"), None, None),
        (Some("one"), None, None),
    ];
    for (version, extensions, expected) in cases {
        let profiles = Profiles::new();
        let found = profiles.pick(version, extensions);
        let name = found.as_ref().ok().map(|profile| profile.name().to_owned());
        assert_eq!(name.as_deref(), expected, "{version:?} {extensions:?}");
        if let Err(problem) = found {
            assert_eq!(profiles.newest().rule(&problem).number(), -32_009);
        }
    }
    let several = format!("https://other/x, {EXTENSION_URI} ");
    assert!(is_activated(Some(&several)));
}

#[test]
fn one_line_overrides_a_rule() {
    let profile = Profile::A2A_1_0.with_rule(Rule::status(429, -31_429, Kind::RateLimitExceeded));
    assert_eq!(profile.rule(&problem(429, "x")).number(), -31_429);
    assert_eq!(profile.rule(&problem(503, "x")).number(), -32_603);
    let own =
        Profile::named("acme").with_rule(Rule::code("quota", -31_000, Kind::RateLimitExceeded));
    assert_eq!(own.rule(&problem(400, "quota")).number(), -31_000);
    assert_eq!(own.rule(&problem(401, "x")).number(), -32_600);
}

#[test]
fn http_says_200_unless_told_otherwise() {
    let profile = Profile::PSPACE.with_http(HttpPolicy::AuthenticationOnly);
    for (status, http) in [(422, 200), (401, 401), (403, 403), (429, 200), (500, 200)] {
        assert_eq!(profile.http_status(&problem(status, "x")), http);
    }
    let always = profile.clone().with_http(HttpPolicy::Always200);
    assert_eq!(always.http_status(&problem(401, "x")), 200);
    let same = profile.with_http(HttpPolicy::AsProblem);
    assert_eq!(same.http_status(&problem(503, "x")), 503);
    let headers = same.http_headers(&problem(401, "x"));
    assert_eq!(headers, [("www-authenticate", "Bearer".to_owned())]);
}

#[test]
fn the_domain_is_that_of_the_namespace() {
    for (namespace, domain) in [
        ("pspace", "possibility.space"),
        ("acme", "acme"),
        ("https://parcel.example/problems/", "parcel.example"),
    ] {
        let namespace = aon_core::Namespace::parse(namespace).unwrap();
        let status = Status::from_static(422);
        let problem = ProblemDetails::in_namespace(&namespace, status, Code::from_static("x"));
        assert_eq!(domain_of(&problem), domain);
    }
}
