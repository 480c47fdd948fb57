//! Building, writing and reading one problem: the derive against plain serde and the peers.

use aon::{Problem, ProblemDetails};
use aon_benches::example::AuthError;
use axum::body::HttpBody;
use axum::response::IntoResponse;
use aon_benches::{Case, Counting, compare, print, promise};
use serde::{Deserialize, Serialize};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a careful person writes by hand: constants borrowed, only what varies owned.
#[derive(Serialize)]
struct Plain<'a> {
    r#type: &'a str,
    title: &'a str,
    status: u16,
    detail: String,
    instance: String,
    code: &'a str,
    request_id: &'a str,
    valid_values: Values<'a>,
    remediation: Remediation<'a>,
    docs_url: &'a str,
    mcp_tool: &'a str,
    a2a_skill: &'a str,
}

#[derive(Serialize)]
struct Values<'a> {
    auth_ux: [&'a str; 2],
}

#[derive(Serialize)]
struct Remediation<'a> {
    r#type: &'a str,
    message: &'a str,
    next_action: Action<'a>,
    example_request: Example<'a>,
    auto_fix_available: bool,
}

#[derive(Serialize)]
struct Action<'a> {
    endpoint_url: &'a str,
    guide_xri: &'a str,
}

#[derive(Serialize)]
struct Example<'a> {
    method: &'a str,
    path: &'a str,
    body: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    auth_ux: &'a str,
}

fn remediation() -> Remediation<'static> {
    Remediation {
        r#type: "request_scope_elevation",
        message: "Set auth_ux to \"hosted\" or \"custom\", then retry.",
        next_action: Action { endpoint_url: "/possibilities/{id}/auth", guide_xri: "pspace://guide:branded-oidc-login" },
        example_request: Example { method: "PATCH", path: "/possibilities/{id}/auth", body: Body { auth_ux: "custom" } },
        auto_fix_available: false,
    }
}

fn detail(id: &str) -> String {
    format!("auth_ux of possibility {id} must be one of \"hosted\" or \"custom\".")
}

fn plain(id: &str, request_id: &str) -> Vec<u8> {
    let problem = Plain {
        r#type: "pspace://problem/invalid_auth_ux",
        title: "Invalid auth_ux",
        status: 422,
        detail: detail(id),
        instance: format!("urn:pspace:request:{request_id}"),
        code: "invalid_auth_ux",
        request_id,
        valid_values: Values { auth_ux: ["hosted", "custom"] },
        remediation: remediation(),
        docs_url: DOCS,
        mcp_tool: "update_possibility_auth",
        a2a_skill: "possibility_auth_configuration",
    };
    serde_json::to_vec(&problem).unwrap()
}

/// The same members as extensions of a peer that has typed ones.
#[derive(Serialize)]
struct Extensions<'a> {
    code: &'a str,
    request_id: &'a str,
    valid_values: Values<'a>,
    remediation: Remediation<'a>,
    docs_url: &'a str,
    mcp_tool: &'a str,
    a2a_skill: &'a str,
}

/// And to read them.
#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be timed")]
struct TypedExtensions {
    code: String,
    request_id: String,
    valid_values: TypedValues,
    remediation: TypedRemediation,
    docs_url: String,
    mcp_tool: String,
    a2a_skill: String,
}

/// Strict and owned: what a client writes that knows the shape.
#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be timed")]
struct Typed {
    r#type: String,
    title: String,
    status: u16,
    detail: String,
    instance: String,
    code: String,
    request_id: String,
    valid_values: TypedValues,
    remediation: TypedRemediation,
    docs_url: String,
    mcp_tool: String,
    a2a_skill: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be timed")]
struct TypedValues {
    auth_ux: Vec<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be timed")]
struct TypedRemediation {
    r#type: String,
    message: String,
    next_action: TypedAction,
    example_request: TypedExample,
    auto_fix_available: bool,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be timed")]
struct TypedAction {
    endpoint_url: String,
    guide_xri: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be timed")]
struct TypedExample {
    method: String,
    path: String,
    body: serde_json::Value,
}

/// The bytes of the body of a response.
fn size(error: impl IntoResponse) -> usize {
    let length = error.into_response().body().size_hint().exact();
    length.and_then(|length| usize::try_from(length).ok()).unwrap_or(0)
}

const DOCS: &str = "https://possibility.space/docs/guides/branded-oidc-login#auth-ux";

fn main() {
    let id = std::hint::black_box("01KS13QXWZF99YFC5VR2ZX3M6P").to_owned();
    let request_id = std::hint::black_box("0198c0de-0000-7000-8000-000000000001").to_owned();
    let error = AuthError::InvalidAuthUx { id: id.clone() };

    let mut ours = Vec::new();
    error.write_json(Some(&request_id), &mut ours);
    assert_eq!(String::from_utf8(ours).unwrap(), String::from_utf8(plain(&id, &request_id)).unwrap(), "byte-identical");

    let values = || serde_json::json!({"auth_ux": ["hosted", "custom"]});
    let remedy = || serde_json::to_value(remediation()).unwrap();
    let instance = || format!("urn:pspace:request:{request_id}");
    let details = || {
        problem_details::ProblemDetails::new()
            .with_status(http::StatusCode::UNPROCESSABLE_ENTITY)
            .with_type(http::Uri::from_static("pspace://problem/invalid_auth_ux"))
            .with_title("Invalid auth_ux")
            .with_detail(detail(&id))
            .with_extensions(Extensions {
                code: "invalid_auth_ux",
                request_id: &request_id,
                valid_values: Values { auth_ux: ["hosted", "custom"] },
                remediation: remediation(),
                docs_url: DOCS,
                mcp_tool: "update_possibility_auth",
                a2a_skill: "possibility_auth_configuration",
            })
    };
    let api_problem = || {
        http_api_problem::HttpApiProblem::new(http_api_problem::StatusCode::UNPROCESSABLE_ENTITY)
            .type_url("pspace://problem/invalid_auth_ux")
            .title("Invalid auth_ux")
            .detail(detail(&id))
            .instance(instance())
            .value("code", &"invalid_auth_ux")
            .value("request_id", &request_id)
            .value("valid_values", &values())
            .value("remediation", &remediation())
            .value("docs_url", &DOCS)
            .value("mcp_tool", &"update_possibility_auth")
            .value("a2a_skill", &"possibility_auth_configuration")
    };
    let problem = || {
        problemdetails::new(http::StatusCode::UNPROCESSABLE_ENTITY)
            .with_type("pspace://problem/invalid_auth_ux")
            .with_title("Invalid auth_ux")
            .with_detail(detail(&id))
            .with_instance(instance())
            .with_value("code", "invalid_auth_ux")
            .with_value("request_id", request_id.clone())
            .with_value("valid_values", values())
            .with_value("remediation", remedy())
            .with_value("docs_url", DOCS)
            .with_value("mcp_tool", "update_possibility_auth")
            .with_value("a2a_skill", "possibility_auth_configuration")
    };
    let cases = [
        Case::new("plain `derive(Serialize)` struct, `to_vec`", || plain(&id, &request_id).len()),
        Case::new("derived problem → REST bytes", || {
            let mut out = Vec::new();
            error.write_json(Some(&request_id), &mut out);
            out.len()
        }),
        Case::new("derived problem → `ProblemDetails` → REST bytes", || {
            let problem = error.to_problem().with_request_id(&aon::Namespace::DEFAULT, request_id.clone());
            problem.to_vec().len()
        }),
        Case::new("problem_details 0.11, typed extensions", || serde_json::to_vec(&details()).unwrap().len()),
        Case::new("http-api-problem 0.60", || serde_json::to_vec(&api_problem()).unwrap().len()),
        Case::new("problemdetails 0.7", || serde_json::to_vec(&problem().body).unwrap().len()),
    ];
    let lines = compare(&cases, 401, 200);
    print("### Problem → REST bytes", &lines);
    promise(&lines, "derived problem → REST bytes", 0.5);
    let allocations = lines[1].allocations;
    println!("promise: at most 3 allocations: {} and {} reallocations", allocations.0, allocations.1);

    // Ours makes a request id of its own, and the headers of S2; the others get the id and set the media type.
    let cases = [
        Case::new("plain struct, `to_vec`, response by hand", || {
            let headers = [(http::header::CONTENT_TYPE, "application/problem+json")];
            size((http::StatusCode::UNPROCESSABLE_ENTITY, headers, plain(&id, &request_id)))
        }),
        Case::new("derived problem", || size(AuthError::InvalidAuthUx { id: id.clone() })),
        Case::new("problem_details 0.11, typed extensions", || {
            size(problem_details::JsonProblemDetails::from(details()))
        }),
        Case::new("http-api-problem 0.60", || size(api_problem())),
        Case::new("problemdetails 0.7", || size(problem())),
    ];
    let lines = compare(&cases, 401, 200);
    print("### Problem → axum response", &lines);
    for peer in &lines[2..] {
        let verdict = if lines[1].ratio < peer.ratio { "held" } else { "BROKEN" };
        println!("promise: ahead of {}: {:.2} against {:.2}, {verdict}", peer.name, lines[1].ratio, peer.ratio);
    }

    // problem_details refuses the URN a problem has as its instance; all get a URL here, so that it can take part.
    let wire = String::from_utf8(plain(&id, &request_id)).unwrap().replace("urn:pspace:request:", "https://example.com/requests/").into_bytes();
    let cases = [
        Case::new("strict typed parse, owned", || serde_json::from_slice::<Typed>(&wire).unwrap().detail.len()),
        Case::new("`ProblemDetails::from_slice`, lenient", || {
            ProblemDetails::from_slice(&wire).unwrap().detail().map_or(0, str::len)
        }),
        Case::new("`serde_json::Value`", || {
            serde_json::from_slice::<serde_json::Value>(&wire).unwrap()["detail"].as_str().map_or(0, str::len)
        }),
        Case::new("problem_details 0.11, typed extensions", || {
            let problem: problem_details::ProblemDetails<TypedExtensions> = serde_json::from_slice(&wire).unwrap();
            problem.detail.map_or(0, |detail| detail.len())
        }),
        Case::new("http-api-problem 0.60", || {
            let problem: http_api_problem::HttpApiProblem = serde_json::from_slice(&wire).unwrap();
            problem.detail.map_or(0, |detail| detail.len())
        }),
    ];
    let lines = compare(&cases, 401, 200);
    print("### REST bytes → problem", &lines);
    promise(&lines, "`ProblemDetails::from_slice`, lenient", 1.5);
}
