//! Each sample on each surface, in files side by side.

use std::collections::BTreeSet;
use std::fs;

use aon::Json;
use aon::surface::a2a::{A2a, Profile};
use aon::surface::mcp::Mcp;
use aon::surface::rest::Rest;
use aon::surface::stream::Stream;
use aon::surface::{Call, Surface};
use aon_tests::{golden, place, samples};

use crate::common::project;
use crate::pretty::pretty;

#[test]
fn every_sample_looks_like_its_golden_file() {
    let folder = place::root().join("tests/conformance/golden");
    let arguments =
        Json::parse(r#"{"id":"p1","auth_ux":"Hosted","billing":{"plan":"Pro","seats":"5"}}"#)
            .expect("JSON");
    let id = Json::parse("1").expect("JSON");
    let call = Call {
        arguments: Some(&arguments),
        id: Some(&id),
    };
    let surfaces: [(&str, &dyn Surface); 5] = [
        ("rest", &Rest::default()),
        ("mcp", &Mcp::default()),
        ("a2a", &A2a::default()),
        ("a2a-1.0", &A2a::new(Profile::A2A_1_0)),
        ("stream", &Stream::default()),
    ];
    let mut expected = BTreeSet::new();
    for (name, problem) in samples::all() {
        for (surface_name, surface) in surfaces {
            let file = format!("{name}.{surface_name}.json");
            let wire = String::from_utf8(project(surface, &problem, &call)).expect("UTF-8");
            golden::check(&folder.join(&file), &pretty(&wire));
            expected.insert(file);
        }
    }
    assert!(expected.len() > 50, "only {} goldens", expected.len());
    let found: BTreeSet<String> = fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert_eq!(
        found, expected,
        "a golden file nobody compares is worth nothing"
    );
}
