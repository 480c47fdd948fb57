//! The calls that every client makes, and what each must come to.

use serde_json::{Value, json};

/// The id that every request over HTTP brings, so that answers can be compared whole.
pub const REQUEST_ID: &str = "0198c0de-5eed-7000-8000-00000000c11e";

/// What a call must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A result without an error.
    Success,
    /// The failure that REST gives for the same arguments, with this status.
    SameAsRest(u16),
    /// A failure that REST cannot have, with this code.
    Code(&'static str),
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: &'static str,
    pub tool: &'static str,
    pub skill: &'static str,
    pub arguments: Value,
    pub wanted: Wanted,
    /// The arguments that the answer must propose, if the correction is clear.
    pub corrected: Option<Value>,
}

const TOOL: &str = "update_possibility_auth";
const SKILL: &str = "possibility_auth_configuration";

fn call(name: &'static str, arguments: Value, wanted: Wanted) -> Call {
    Call {
        name,
        tool: TOOL,
        skill: SKILL,
        arguments,
        wanted,
        corrected: None,
    }
}

/// Calls whose arguments are an object: every client can send them, on every surface.
pub fn calls() -> Vec<Call> {
    use Wanted::{SameAsRest, Success};
    let pair = |id: &str, auth_ux: Value| json!({"id": id, "auth_ux": auth_ux});
    let hosted = Some(pair("acme", json!("hosted")));
    let custom = || json!("custom");
    let mut calls = vec![
        Call {
            corrected: hosted.clone(),
            ..call("canonical", pair("acme", json!("Hosted")), SameAsRest(422))
        },
        Call {
            corrected: hosted.clone(),
            ..call(
                "shouted and padded",
                pair("acme", json!("HOSTED ")),
                SameAsRest(422),
            )
        },
        Call {
            corrected: hosted,
            ..call("misspelt", pair("acme", json!("hosed")), SameAsRest(422))
        },
        call(
            "unclear value",
            pair("acme", json!("magic")),
            SameAsRest(422),
        ),
        call("empty value", pair("acme", json!("")), SameAsRest(422)),
        call("number for text", pair("acme", json!(5)), SameAsRest(422)),
        call(
            "boolean for text",
            pair("acme", json!(true)),
            SameAsRest(422),
        ),
        call("null for text", pair("acme", Value::Null), SameAsRest(422)),
        call(
            "array for text",
            pair("acme", json!(["hosted"])),
            SameAsRest(422),
        ),
        call(
            "object for text",
            pair("acme", json!({"value": "hosted"})),
            SameAsRest(422),
        ),
        call("missing argument", json!({"id": "acme"}), SameAsRest(422)),
        call(
            "unknown argument",
            json!({"id": "acme", "auth_ux": "custom", "auth_u": 1}),
            SameAsRest(422),
        ),
        call("success", pair("acme", custom()), Success),
        call(
            "success, the other value",
            pair("acme", json!("hosted")),
            Success,
        ),
    ];
    for (name, id, status) in FAILURES {
        calls.push(call(name, pair(id, custom()), SameAsRest(status)));
    }
    calls.push(Call {
        tool: "get_possibility_auth",
        skill: "possibility_auth_lookup",
        ..call(
            "success of another operation",
            json!({"id": "acme"}),
            Success,
        )
    });
    calls.push(Call {
        tool: "list_possibilities",
        skill: "possibility_listing",
        ..call("success without arguments", json!({}), Success)
    });
    calls.push(call(
        "no arguments",
        json!({}),
        Wanted::Code("missing_field"),
    ));
    calls
}

/// The ids that the demo makes fail, and the status of each.
const FAILURES: [(&str, &str, u16); 9] = [
    ("not found", "missing", 404),
    ("not signed in", "private", 401),
    ("scope is missing", "read-only", 403),
    ("still provisioning", "provisioning", 409),
    ("domain is missing", "no-domain", 409),
    ("too many requests", "busy", 429),
    ("storage failed", "broken", 503),
    ("gone", "retired", 410),
    ("panic", "crash", 500),
];

/// Calls that only MCP can make.
pub fn mcp_calls() -> Vec<Call> {
    let odd = |name, arguments| call(name, arguments, Wanted::Code("invalid_value"));
    let mut calls = calls();
    calls.extend([
        odd("array for arguments", json!(["acme", "custom"])),
        odd("text for arguments", json!("acme")),
        odd("number for arguments", json!(7)),
        odd("boolean for arguments", json!(false)),
        Call {
            tool: "update_posibility_auth",
            ..call(
                "misspelt tool",
                json!({}),
                Wanted::Code("unknown_operation"),
            )
        },
        Call {
            tool: "launch_rocket",
            ..call("unknown tool", json!({}), Wanted::Code("unknown_operation"))
        },
    ]);
    calls
}

/// Calls that only A2A can make.
pub fn a2a_calls() -> Vec<Call> {
    let mut calls = calls();
    calls.push(Call {
        skill: "possibility_auth_config",
        // The word that was cut short is clear: only one skill has it.
        corrected: Some(json!({"skill": SKILL})),
        ..call(
            "misspelt skill",
            json!({}),
            Wanted::Code("unknown_operation"),
        )
    });
    calls
}
