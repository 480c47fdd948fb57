//! The page at `/`: a person sends the same bad call to each surface and compares.

use aon::surface::a2a::EXTENSION_URI;
use serde_json::{Value, json};

use super::operation::OPERATIONS;

/// The page, with the operations and the failures in it.
pub(crate) fn page() -> String {
    let operations: Vec<Value> = OPERATIONS
        .iter()
        .map(|operation| {
            json!({
                "title": operation.title,
                "method": operation.method,
                "path": operation.path,
                "tool": operation.tool,
                "skill": operation.skill,
            })
        })
        .collect();
    let ids: Vec<Value> = FAILING_IDS
        .iter()
        .map(|(id, status, code, shows)| json!({"id": id, "status": status, "code": code, "shows": shows}))
        .collect();
    let data = json!({"scenarios": scenarios(), "operations": operations, "ids": ids, "extension": EXTENSION_URI});
    // Inside a script element only `<` could end it early.
    TEMPLATE.replace("__DATA__", &data.to_string().replace('<', "\\u003c"))
}

const TEMPLATE: &str = include_str!("page.html");

/// The ids that fail, how, and what that shows.
pub(crate) const FAILING_IDS: [(&str, u16, &str, &str); 9] = [
    (
        "missing",
        404,
        "possibility_not_found",
        "The next step is an operation that exists here.",
    ),
    (
        "private",
        401,
        "sign_in_required",
        "REST sends WWW-Authenticate; A2A answers 401 with the same challenge.",
    ),
    (
        "read-only",
        403,
        "missing_scope",
        "The missing scope is named, and lowered to WWW-Authenticate.",
    ),
    (
        "provisioning",
        409,
        "still_provisioning",
        "Waiting helps: retry_after says how long.",
    ),
    (
        "no-domain",
        409,
        "custom_domain_missing",
        "Only with auth_ux custom: register a domain first.",
    ),
    (
        "busy",
        429,
        "too_many_changes",
        "The delay is known only at run time; REST sends Retry-After.",
    ),
    (
        "broken",
        503,
        "storage",
        "The cause has a password in it. Look for it: it is nowhere.",
    ),
    (
        "retired",
        410,
        "possibility_retired",
        "An honest none: there is nothing to try.",
    ),
    ("crash", 500, "internal", "A panic is a problem too."),
];

fn scenarios() -> Vec<Value> {
    let update = |name: &str, status: &str, title: &str, arguments: Value, shows: &str| {
        json!({
            "name": name, "status": status, "title": title, "arguments": arguments,
            "tool": "update_possibility_auth", "shows": shows,
        })
    };
    let call = |id: &str, auth_ux: &str| json!({"id": id, "auth_ux": auth_ux});
    let mut all = vec![
        update(
            "invalid",
            "422",
            "wrong value, clear correction",
            call("acme", "Hosted"),
            "The valid values, and the call corrected.",
        ),
        update(
            "unclear",
            "422",
            "wrong value, no correction",
            call("acme", "magic"),
            "The valid values; nothing is guessed.",
        ),
    ];
    all.extend(FAILING_IDS.iter().map(|(id, status, _, shows)| {
        let title = match *id {
            "missing" => "not found",
            "private" => "sign in first",
            "read-only" => "missing scope",
            "provisioning" => "not ready yet",
            "no-domain" => "no custom domain",
            "busy" => "too many changes",
            "broken" => "storage failed",
            "retired" => "retired",
            _ => "crash",
        };
        update(id, &status.to_string(), title, call(id, "custom"), shows)
    }));
    all.push(update(
        "absent",
        "422",
        "missing argument",
        json!({"id": "acme"}),
        "A pointer at what is missing.",
    ));
    all.push(update(
        "type",
        "422",
        "wrong type",
        json!({"id": "acme", "auth_ux": 5}),
        "A pointer, and the valid values.",
    ));
    all.push(update(
        "stray",
        "422",
        "unknown argument",
        json!({"id": "acme", "auth_ux": "custom", "auth_uxx": "x"}),
        "The nearest name.",
    ));
    all.push(update(
        "array",
        "422",
        "not an object",
        json!(["custom"]),
        "Arguments must have names.",
    ));
    let mut broken = update("json", "400", "broken JSON", Value::Null, "Not even JSON.");
    broken["raw"] = json!("{\"id\": \"acme\", \"auth_ux\": ");
    all.push(broken);
    let mut unknown = update(
        "name",
        "404",
        "misspelt name",
        call("acme", "custom"),
        "The nearest route, tool and skill.",
    );
    unknown["stray"] = json!(true);
    all.push(unknown);
    all.push(update(
        "fine",
        "200",
        "works",
        call("acme", "custom"),
        "Valid input is accepted everywhere.",
    ));
    all
}
