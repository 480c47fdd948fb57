//! The fast way and the long way give the same bytes, and those of a plain serde struct.

use aon::{Namespace, Problem};
use serde::Serialize;

use crate::canonical::{AuthError, every_variant};
use crate::{run_time, shapes};

fn fast(problem: &dyn Problem, id: Option<&str>) -> String {
    let mut out = Vec::new();
    problem.write_json(id, &mut out);
    String::from_utf8(out).unwrap()
}

fn long(problem: &dyn Problem, id: Option<&str>) -> String {
    let mut details = problem.to_problem();
    if let Some(id) = id {
        let urn = problem.entry().map_or("pspace", |entry| entry.urn);
        details = details.with_request_id(&Namespace::parse(urn).unwrap(), id.to_owned());
    }
    String::from_utf8(details.to_vec()).unwrap()
}

#[test]
fn the_fast_way_equals_the_long_way() {
    let mut samples: Vec<Box<dyn Problem>> = Vec::new();
    for error in every_variant() {
        samples.push(Box::new(error));
    }
    samples.extend(run_time::samples());
    samples.extend(shapes::samples());
    assert!(samples.len() > 20, "{}", samples.len());
    for sample in &samples {
        for id in [None, Some("0190-7"), Some("strange id \"<é>"), Some("")] {
            assert_eq!(fast(&**sample, id), long(&**sample, id));
        }
    }
}

#[test]
fn a_plain_struct_gives_the_same_bytes() {
    #[derive(Serialize)]
    struct Plain {
        r#type: &'static str,
        title: &'static str,
        status: u16,
        detail: String,
        instance: String,
        code: &'static str,
        request_id: &'static str,
        remediation: PlainRemediation,
        retry_after: u64,
        id: String,
    }

    #[derive(Serialize)]
    struct PlainRemediation {
        r#type: &'static str,
        auto_fix_available: bool,
    }

    for id in [
        "plain",
        "quote \" slash \\ line \n tab \t bell \u{7} é \u{2028}",
    ] {
        let error = AuthError::StillProvisioning { id: id.to_owned() };
        let plain = Plain {
            r#type: "pspace://problem/still_provisioning",
            title: "Still provisioning",
            status: 409,
            detail: format!("possibility {id} is still being provisioned"),
            instance: "urn:pspace:request:r1".to_owned(),
            code: "still_provisioning",
            request_id: "r1",
            remediation: PlainRemediation {
                r#type: "wait_for_provisioning",
                auto_fix_available: false,
            },
            retry_after: 5,
            id: id.to_owned(),
        };
        assert_eq!(
            fast(&error, Some("r1")),
            serde_json::to_string(&plain).unwrap()
        );
    }
}

#[test]
fn what_is_written_is_read_back_equal() {
    for error in every_variant() {
        let problem = error.to_problem();
        assert_eq!(
            aon::ProblemDetails::from_slice(&problem.to_vec()).unwrap(),
            problem
        );
    }
}
