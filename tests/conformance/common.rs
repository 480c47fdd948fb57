//! The suite itself.

use aon::surface::{Call, Surface};
use aon::{Json, ProblemDetails};
use aon_tests::{samples, strategy};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

/// What a surface puts on the wire.
pub(crate) fn project(surface: &dyn Surface, problem: &ProblemDetails, call: &Call<'_>) -> Vec<u8> {
    let mut out = b"before ".to_vec();
    surface.project(problem, call, &mut out);
    assert!(out.starts_with(b"before "), "a surface only appends");
    out.split_off(7)
}

pub(crate) fn every_sample_comes_back(surface: &dyn Surface) {
    let mut seen = 0;
    for (name, problem) in samples::all() {
        let wire = project(surface, &problem, &Call::default());
        let back = surface.recover(&wire).unwrap_or_else(|error| {
            panic!(
                "{name} on {}: {error}\n{}",
                surface.name(),
                String::from_utf8_lossy(&wire)
            )
        });
        same(surface, &back, &problem);
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} samples");
}

pub(crate) fn random_problems_come_back(surface: &dyn Surface) {
    run(
        &(strategy::problem(), strategy::value()),
        |(problem, arguments)| {
            let arguments = Json::of(&arguments).ok();
            let call = Call {
                arguments: arguments.as_ref(),
                ..Call::default()
            };
            let wire = project(surface, &problem, &call);
            let back = surface.recover(&wire);
            prop_assert!(back.is_ok(), "{}", String::from_utf8_lossy(&wire));
            if let Ok(back) = back {
                same(surface, &back, &problem);
            }
            Ok(())
        },
    );
}

pub(crate) fn the_wire_is_json_without_a_key_twice(surface: &dyn Surface) {
    run(&strategy::problem(), |problem| {
        let wire = project(surface, &problem, &Call::default());
        let text = String::from_utf8(wire).expect("the wire is UTF-8");
        // `Json` drops repeated keys, so a repeated one would make it shorter.
        let json = Json::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(json.as_str(), text);
        Ok(())
    });
}

pub(crate) fn arbitrary_wires_never_panic(surface: &dyn Surface) {
    run(&prop::collection::vec(any::<u8>(), 0..128), |bytes| {
        let _ = surface.recover(&bytes);
        Ok(())
    });
    run(&strategy::value(), |value| {
        let _ = surface.recover(value.to_string().as_bytes());
        Ok(())
    });
    // Good wires with one value replaced by another.
    run(
        &(
            strategy::problem(),
            strategy::value(),
            any::<prop::sample::Index>(),
        ),
        |(problem, other, at)| {
            let wire = project(surface, &problem, &Call::default());
            let mut tree: Value = serde_json::from_slice(&wire).expect("the wire is JSON");
            let mut places = Vec::new();
            pointers(&tree, String::new(), &mut places);
            if let Some(place) = tree.pointer_mut(&places[at.index(places.len())]) {
                *place = other;
            }
            let _ = surface.recover(tree.to_string().as_bytes());
            Ok(())
        },
    );
    for deep in [
        "[",
        "{\"error\":",
        "{\"result\":",
        "{\"data\":",
        "{\"structuredContent\":",
    ] {
        let bytes = deep.repeat(50_000);
        let _ = surface.recover(bytes.as_bytes());
    }
}

/// Equal apart from what the surface says it loses.
fn same(surface: &dyn Surface, back: &ProblemDetails, problem: &ProblemDetails) {
    let members = |problem: &ProblemDetails| {
        let mut members: Value = serde_json::to_value(problem).expect("a problem is JSON");
        for loss in surface.losses() {
            if let Some(members) = members.as_object_mut() {
                members.remove(*loss);
            }
        }
        members
    };
    if surface.losses().is_empty() {
        assert_eq!(back, problem);
    }
    assert_eq!(members(back), members(problem));
}

pub(crate) fn run<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let mut runner = TestRunner::new(Config {
        cases: 96,
        failure_persistence: None,
        ..Config::default()
    });
    if let Err(error) = runner.run(strategy, test) {
        panic!("{error}");
    }
}

fn pointers(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let token = name.replace('~', "~0").replace('/', "~1");
                pointers(value, format!("{at}/{token}"), places);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, format!("{at}/{index}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    places.push(at);
}
