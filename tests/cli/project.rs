//! `aon project` and `aon recover`: there and back on every surface.

use aon_tests::samples;

use crate::run::{aon, aon_in, snapshot};

const CANONICAL: &str = r#"{"type":"pspace://problem/invalid_auth_ux","title":"Invalid auth_ux","status":422,"detail":"auth_ux must be one of \"hosted\" or \"custom\".","instance":"urn:pspace:request:018f6b8a-2c42-7f44-8c47-5dfb5c0aa111","code":"invalid_auth_ux","request_id":"018f6b8a-2c42-7f44-8c47-5dfb5c0aa111","valid_values":{"auth_ux":["hosted","custom"]},"remediation":{"type":"request_scope_elevation","message":"Set auth_ux to \"hosted\" or \"custom\", then retry.","next_action":{"endpoint_url":"/possibilities/{id}/auth","guide_xri":"pspace://guide:branded-oidc-login"},"example_request":{"method":"PATCH","path":"/possibilities/{id}/auth","body":{"auth_ux":"custom"}},"auto_fix_available":false},"docs_url":"https://possibility.space/docs/guides/branded-oidc-login#auth-ux","mcp_tool":"update_possibility_auth","a2a_skill":"possibility_auth_configuration"}"#;
const ARGS: &str = r#"{"id":"x","auth_ux":"Hosted"}"#;

#[test]
fn the_canonical_problem_on_each_surface() {
    for (name, args) in [
        ("project-rest", &["project"][..]),
        ("project-rest-head", &["project", "--head", "--pretty"]),
        (
            "project-mcp",
            &["project", "--surface", "mcp", "--args", ARGS],
        ),
        (
            "project-mcp-text",
            &["project", "--surface", "mcp", "--mode", "text-only"],
        ),
        (
            "project-mcp-meta",
            &["project", "--surface", "mcp", "--mode", "meta"],
        ),
        (
            "project-a2a",
            &["project", "--surface", "a2a", "--args", ARGS, "--id", "7"],
        ),
        (
            "project-a2a-1.0",
            &["project", "--surface", "a2a", "--profile", "a2a-1.0"],
        ),
        (
            "project-a2a-0.3",
            &["project", "--surface", "a2a", "--profile", "a2a-0.3"],
        ),
        ("project-stream", &["project", "--surface", "stream"]),
        ("project-human", &["project", "--surface", "human"]),
        ("project-all", &["project", "--surface", "all", "--pretty"]),
    ] {
        let run = snapshot(name, args, CANONICAL);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn rest_writes_what_was_read() {
    assert_eq!(aon(&["project"], CANONICAL).out, format!("{CANONICAL}\n"));
}

#[test]
fn every_sample_comes_back_from_every_surface() {
    let samples = samples::all();
    let lines: String = samples
        .iter()
        .map(|(_, problem)| format!("{problem}\n"))
        .collect();
    let mut checked = 0;
    for surface in ["rest", "mcp", "a2a", "stream"] {
        for profile in ["pspace", "a2a-1.0", "a2a-0.3"] {
            for mode in ["structured", "text-only", "meta"] {
                let there = aon(
                    &[
                        "project",
                        "--lines",
                        "--surface",
                        surface,
                        "--profile",
                        profile,
                        "--mode",
                        mode,
                    ],
                    &lines,
                );
                assert_eq!(there.code, 0, "{surface} {}", there.err);
                assert_eq!(there.out.lines().count(), samples.len());
                let back = aon(&["recover", "--lines", "--surface", surface], &there.out);
                assert_eq!((back.code, back.err.as_str()), (0, ""), "{surface}");
                let pairs: Vec<_> = lines.lines().zip(back.out.lines()).collect();
                assert_eq!(pairs.len(), samples.len());
                for (before, after) in pairs {
                    let [before, after] = [before, after]
                        .map(|text| serde_json::from_str::<serde_json::Value>(text).expect("JSON"));
                    assert_eq!(before, after, "{surface} {profile} {mode}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 36 * samples.len() && checked > 0, "{checked}");
    println!("round trips: {checked}");
}

#[test]
fn a_whole_json_rpc_response_is_recovered() {
    for surface in ["mcp", "a2a"] {
        let envelope = aon(&["project", "--surface", surface], CANONICAL).out;
        let wrapped = if surface == "mcp" {
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, envelope.trim())
        } else {
            envelope
        };
        let back = aon(&["recover", "--surface", surface], &wrapped);
        assert_eq!(back.out.trim(), CANONICAL, "{surface}");
    }
}

#[test]
fn bad_lines_are_named_and_the_others_are_done() {
    let input = "{\"title\":\"a\"}\n\nnot json\n[1]\n{\"title\":\"b\",\"status\":\"oops\"}\n";
    let run = snapshot("project-lines", &["project", "--lines"], input);
    assert_eq!(run.code, 2);
    assert_eq!(run.out, "{\"title\":\"a\"}\n{\"title\":\"b\"}\n");
    let run = snapshot(
        "recover-lines",
        &["recover", "--lines", "--surface", "mcp"],
        "{}\nnope\n",
    );
    assert_eq!((run.code, run.out.as_str()), (2, ""));
}

#[test]
fn what_is_ignored_is_named() {
    let run = snapshot(
        "project-notes",
        &["project"],
        r#"{"status":9999,"title":5,"mcp_tool":"a b","kept":null}"#,
    );
    assert_eq!((run.code, run.out.as_str()), (0, "{\"kept\":null}\n"));
}

#[test]
fn hostile_input_ends_in_a_clear_error() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let large = format!(r#"{{"x":"{}"}}"#, "a".repeat(10 << 20));
    for (name, input) in [
        ("empty", ""),
        ("blank", " \n\t\n"),
        ("array", "[]"),
        ("truncated", "{\"title\":"),
        ("two documents", "{} {}"),
        ("deep", &deep),
        ("large", &large),
    ] {
        for command in ["project", "recover"] {
            let run = aon(&[command], input);
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{command} {name}");
            assert!(
                run.err.contains("Try this"),
                "{command} {name}: {}",
                run.err
            );
            assert!(run.err.len() < 1000, "{command} {name}");
        }
    }
    let run = aon_in(&std::env::temp_dir(), &["project"], b"{\"title\":\"\xff\"}");
    assert_eq!(run.code, 2);
    let lines = format!("{large}\n{{\"title\":\"b\"}}\n");
    let run = aon(&["project", "--lines"], &lines);
    assert_eq!((run.code, run.out.as_str()), (2, "{\"title\":\"b\"}\n"));
    assert!(run.err.starts_with("error: line 1: "), "{}", run.err);
}

#[test]
fn arguments_that_are_no_json_are_a_problem() {
    let run = snapshot(
        "project-args",
        &["project", "--surface", "mcp", "--args", "{oops"],
        CANONICAL,
    );
    assert_eq!(run.code, 2);
}
