//! Canaries: secrets of many kinds, in every member of a problem, do not pass the door on any surface (L9).

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::surface::Surface;
use aon::surface::a2a::{A2a, Profile};
use aon::surface::human::{Page, Text};
use aon::surface::mcp::{Mcp, Mode};
use aon::surface::rest::Rest;
use aon::surface::stream::Stream;
use aon::{
    Choice, Code, ExampleRequest, ExtensionName, Json, Namespace, NextAction, ProblemDetails,
    Remediation, SkillId, Status, ToolName, UriRef,
};
use serde_json::json;

/// `{L24}` stands for 24 letters and digits drawn at random, `{U…}` for capitals, `{H…}` for hexadecimal digits, `{D…}` for
/// digits. So no complete secret stands in this repository.
const KINDS: &str = include_str!("secrets.txt");

/// Letters that look drawn at random and are the same on every run.
fn drawn(kind: char, length: usize, salt: usize) -> String {
    let alphabet: &[u8] = match kind {
        'L' => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'H' => b"0123456789abcdef",
        _ => b"123456789",
    };
    let mut state = 0x2545_f491_u64 + (salt * 97 + length) as u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % alphabet.len()
    };
    (0..length).map(|_| char::from(alphabet[next()])).collect()
}

/// What stands before the secret, the secret, and what stands after it: the parts of a line are divided by `¦`.
fn kinds() -> Vec<[String; 3]> {
    let lines = KINDS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .enumerate()
        .map(|(salt, line)| {
            let mut filled = String::new();
            let mut rest = line;
            while let Some((before, after)) = rest.split_once('{') {
                let (hole, after) = after.split_once('}').expect("a closed hole");
                let kind = hole.chars().next().expect("a kind");
                let length = hole[1..].parse().expect("a length");
                filled.push_str(before);
                filled.push_str(&drawn(kind, length, salt));
                rest = after;
            }
            filled.push_str(rest);
            let filled = filled.replace("\\n", "\n").replace("\\r", "\r");
            let mut parts = filled.split('¦').map(str::to_owned);
            let first = parts.next().unwrap_or_default();
            match (parts.next(), parts.next()) {
                (Some(secret), after) => [first, secret, after.unwrap_or_default()],
                (None, _) => [String::new(), first, String::new()],
            }
        })
        .collect()
}

/// A problem with the text in every member that can hold it.
fn with_canaries(text: &str) -> ProblemDetails {
    let text = || text.to_owned();
    let remediation = Remediation::switch_user()
        .with_message(text())
        .with_next_action(NextAction::endpoint_url(text()).with_required_scope(text()))
        .with_example_request(
            ExampleRequest::new(text(), text())
                .with_header("X-Note", text())
                .with_header(text(), "x")
                .with_body(
                    Json::of(&json!({"note": text(), "list": [text()], "inner": {"a": text()}}))
                        .expect("JSON"),
                ),
        );
    let code = Code::parse(text()).unwrap_or(Code::from_static("canary"));
    let mut problem = ProblemDetails::new(Status::from_static(422), code)
        .with_title(text())
        .with_detail(text())
        .with_valid_values("speed", [text()])
        .with_valid_values("worded", [Choice::new("a").with_label(text()).with_description(text())])
        .with_valid_values(text(), ["b"])
        .with_pointer("/note", Some(&text()))
        .with_remediation(remediation)
        .with_extension(ExtensionName::from_static("note"), &text())
        .and_then(|problem| {
            problem.with_extension(ExtensionName::from_static("tree"), &json!({"a": [1, {"b": text()}], text(): 1, "inside": json!({"c": text()}).to_string()}))
        })
        .expect("JSON")
        .with_challenge(&text());
    if let Ok(uri) = UriRef::parse(text()) {
        problem = problem
            .with_docs_url(uri.clone())
            .with_type(uri.clone())
            .with_instance(uri);
    }
    problem = problem.with_request_id(&Namespace::DEFAULT, text());
    if let Ok(tool) = ToolName::parse(text()) {
        problem = problem.with_mcp_tool(tool);
    }
    if let Ok(skill) = SkillId::parse(text()) {
        problem = problem.with_a2a_skill(skill);
    }
    problem
}

#[test]
fn no_kind_of_secret_survives_in_any_member_on_any_surface() {
    let surfaces: Vec<Box<dyn Surface>> = vec![
        Box::new(Rest::default()),
        Box::new(Mcp::default()),
        Box::new(Mcp::new(Mode::TextOnly)),
        Box::new(A2a::default()),
        Box::new(A2a::new(Profile::A2A_1_0)),
        Box::new(A2a::new(Profile::A2A_0_3)),
        Box::new(Stream::default()),
        Box::new(Page::default()),
    ];
    let door = Door::new();
    let kinds = kinds();
    let mut survived = Vec::new();
    for [before, secret, after] in &kinds {
        let text = format!("{before}{secret}{after}");
        let problem = with_canaries(&text);
        let arguments = Json::of(&json!({"note": text, "speed": "x"})).ok();
        let failure = Occurrence::new(problem).with_arguments(arguments);
        for surface in &surfaces {
            let scope = Scope::open(&door, Facts::new("test").with_request_id("req-1"));
            let wire = scope.answer(failure.clone(), &**surface, None);
            let wire = String::from_utf8_lossy(&wire);
            let escaped = json!(secret).to_string();
            let told = scope.pass(failure.clone(), "human");
            let shown = Text::new().with_width(0).render(told.problem());
            if shown.contains(secret.as_str()) {
                survived.push(format!("{} on a terminal", secret.escape_debug()));
            }
            if wire.contains(secret.as_str()) || wire.contains(escaped.trim_matches('"')) {
                survived.push(format!("{} on {}", text.escape_debug(), surface.name()));
            }
        }
    }
    assert!(kinds.len() >= 160, "only {} kinds", kinds.len());
    assert!(
        survived.is_empty(),
        "{} of {} survived:\n{}",
        survived.len(),
        kinds.len() * surfaces.len(),
        survived.join("\n")
    );
}
