//! What holds on MCP alone.

use aon::surface::mcp::{Mcp, Mode, tree_parts, write_envelope, write_parts};
use aon::surface::{Call, Surface};
use aon::{Code, Json, ProblemDetails, Status};
use aon_tests::{samples, strategy};
use serde_json::Value;

use crate::common::{project, run};

fn problems() -> Vec<ProblemDetails> {
    let mut problems: Vec<ProblemDetails> = samples::all()
        .into_iter()
        .map(|(_, problem)| problem)
        .collect();
    for status in 400..600 {
        for code in [
            "some_code",
            "task_not_found",
            "task_not_cancelable",
            "invalid_json",
            "unknown_operation",
        ] {
            problems.push(ProblemDetails::new(
                Status::from_static(status),
                Code::from_static(code),
            ));
        }
    }
    problems
}

#[test]
fn no_number_of_json_rpc_ever_appears() {
    let mut seen = 0;
    for problem in problems() {
        for mode in Mode::ALL {
            let wire = project(&Mcp::new(mode), &problem, &Call::default());
            let text = String::from_utf8_lossy(&wire);
            for (at, _) in text.match_indices("-32") {
                let digits = text.get(at + 3..at + 6).unwrap_or_default();
                assert!(!digits.bytes().all(|b| b.is_ascii_digit()), "{text}");
            }
            seen += 1;
        }
    }
    assert!(seen > 3000, "{seen}");
}

#[test]
fn the_text_is_there_and_keeps_to_its_share() {
    let check = |problem: &ProblemDetails| {
        let wire: Value =
            serde_json::from_slice(&project(&Mcp::default(), problem, &Call::default()))
                .expect("JSON");
        let text = wire["content"][0]["text"].as_str().expect("text");
        let mut envelope = Vec::new();
        write_envelope(problem, &Call::default(), &mut envelope);
        assert!(!text.trim().is_empty());
        assert!(
            text.len() * 10 <= envelope.len() * 6,
            "{} of {}: {text}",
            text.len(),
            envelope.len()
        );
        assert!(
            !text.chars().any(|c| c.is_control() && c != '\n'),
            "{text:?}"
        );
        assert_eq!(wire["isError"], true);
    };
    problems().iter().for_each(check);
    run(&strategy::problem(), |problem| {
        check(&problem);
        Ok(())
    });
}

#[test]
fn the_tree_and_its_text_are_those_of_the_bytes() {
    let check = |problem: &ProblemDetails, arguments: Option<&Json>| {
        let call = Call {
            arguments,
            ..Call::default()
        };
        let mut bytes = Vec::new();
        let text = write_parts(problem, &call, &mut bytes);
        let written: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!((written, text), tree_parts(problem, &call));
    };
    for problem in problems() {
        check(&problem, None);
        // Quotes are escaped in JSON only: the share of the text hangs on them.
        for quotes in [1, 40, 400] {
            check(&problem.clone().with_detail("\"".repeat(quotes)), None);
            check(&problem.clone().with_title("\"".repeat(quotes)), None);
        }
    }
    run(
        &(strategy::problem(), strategy::value()),
        |(problem, arguments)| {
            check(&problem, Json::of(&arguments).ok().as_ref());
            Ok(())
        },
    );
}

#[test]
fn a_surface_of_another_protocol_is_not_taken_for_ours() {
    for (_, problem) in samples::all() {
        let wire = project(
            &aon::surface::rest::Rest::default(),
            &problem,
            &Call::default(),
        );
        assert!(Mcp::default().recover(&wire).is_err());
    }
}
