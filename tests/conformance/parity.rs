//! The same members with the same values on every surface, apart from the renames of S9.

use aon::surface::Call;
use aon::surface::a2a::status::HttpJson;
use aon::surface::a2a::{A2a, Profile};
use aon::surface::mcp::{META_KEY, Mcp, Mode};
use aon::surface::rest::Rest;
use aon::surface::stream::Stream;
use aon::{MachineHints, ProblemDetails};
use aon_tests::{samples, strategy};
use serde_json::Value;

use crate::common::{project, run};

/// The problem as each surface carries it.
fn carried(problem: &ProblemDetails) -> Vec<(&'static str, Value)> {
    let call = Call::default();
    let wire = |surface: &dyn aon::surface::Surface| -> Value {
        serde_json::from_slice(&project(surface, problem, &call)).expect("the wire is JSON")
    };
    vec![
        ("rest", wire(&Rest::default())),
        ("stream", wire(&Stream::default())["problem"].take()),
        (
            "mcp",
            wire(&Mcp::default())["structuredContent"]["error"].take(),
        ),
        (
            "mcp meta",
            wire(&Mcp::new(Mode::Meta))["_meta"][META_KEY].take(),
        ),
        ("a2a pspace", wire(&A2a::default())["error"]["data"].take()),
        (
            "a2a 1.0",
            wire(&A2a::new(Profile::A2A_1_0))["error"]["data"][1].take(),
        ),
        (
            "a2a 0.3",
            wire(&A2a::new(Profile::A2A_0_3))["error"]["data"][1].take(),
        ),
        (
            "a2a http",
            wire(&HttpJson::default())["error"]["details"][1].take(),
        ),
    ]
}

/// Takes the surface's own members off, and its renames back.
fn plain(problem: &ProblemDetails, surface: &str, mut carried: Value) -> Value {
    let members = carried.as_object_mut().expect("an object");
    let (own, suggested, corrected) = match surface.get(..3) {
        Some("mcp") => ("mcp", "suggested_tools", "corrected_args"),
        Some("a2a") => ("a2a", "suggested_skills", "corrected_params"),
        _ => return carried,
    };
    assert_eq!(members.remove("surface"), Some(own.into()));
    let schema = format!("pspace.{own}.error.v1");
    assert_eq!(members.remove("schema"), Some(schema.clone().into()));
    if own == "a2a" && surface != "a2a pspace" {
        let name = members.remove("@type").expect("a typed entry");
        assert!(
            name.as_str()
                .unwrap_or_default()
                .ends_with(&format!("/{schema}"))
        );
    }
    let suggestion = match own {
        "mcp" => problem.mcp_tool().map(ToString::to_string),
        _ => problem.a2a_skill().map(ToString::to_string),
    };
    let suggestions: Vec<String> = suggestion.into_iter().collect();
    assert_eq!(members.remove(suggested), Some(suggestions.into()));
    assert_eq!(members.remove(corrected), None, "nothing was called");
    let hints = MachineHints::of(problem).to_json().to_value();
    assert_eq!(members.remove("machine_hints"), Some(hints));
    if let Some(url) = members.remove("documentation_uri") {
        assert_eq!(members.insert("docs_url".to_owned(), url), None);
    }
    if let Some(Value::Object(nested)) = members.remove("extensions") {
        members.extend(nested);
    }
    carried
}

pub(crate) fn check(problem: &ProblemDetails) -> usize {
    let canonical = serde_json::to_value(problem).expect("a problem is JSON");
    let all = carried(problem);
    let count = all.len();
    for (surface, carried) in all {
        assert_eq!(plain(problem, surface, carried), canonical, "{surface}");
    }
    count
}

#[test]
fn every_sample_has_the_same_members_on_every_surface() {
    let mut seen = 0;
    for (_, problem) in samples::all() {
        seen += check(&problem);
    }
    assert!(seen > 100, "only {seen} envelopes");
}

#[test]
fn random_problems_have_the_same_members_on_every_surface() {
    run(&strategy::problem(), |problem| {
        check(&problem);
        Ok(())
    });
}
