//! Problems: what the errors of all operations and the catalog say, put together by code.

use std::collections::BTreeMap;

use aon_core::catalog::{Catalog, Record};
use aon_core::{Code, Namespace, ProblemDetails, SkillId, Status, ToolName, UriRef, redact};
use aon_manifest::model::{self, ErrorResponse};
use aon_manifest::{Kind, Node};

use super::extensions;
use super::issue::{LowerIssue, LowerIssueKind, place};
use super::operations::Draft;
use crate::ir::{Field, Problem};
use crate::json::Tree;
use crate::names::{self, Unique};
use crate::target::Options;

/// A problem while it is put together.
struct Entry {
    record: Record,
    place: String,
    example: Option<Tree>,
    /// Whether somebody wrote the type. What is left out means what the catalog says.
    typed: bool,
    /// Whether the code was made of the type, because the document names no code.
    derived: bool,
    extensions: Vec<Field>,
}

/// All problems, sorted by code.
pub(super) fn collect(
    apis: &[&model::Api<'_>],
    catalog: Option<&Catalog>,
    drafts: &[Draft<'_>],
    options: &Options,
    issues: &mut Vec<LowerIssue>,
    notes: &mut Vec<LowerIssue>,
) -> Vec<Problem> {
    let namespace = catalog.and_then(namespace).unwrap_or(Namespace::DEFAULT);
    let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
    for record in catalog.into_iter().flat_map(|catalog| &catalog.problems) {
        let place = format!(
            "catalog: {} {}",
            record.origin.type_name, record.origin.variant
        )
        .trim_end()
        .to_owned();
        check(record, &place, issues);
        let entry = Entry {
            record: record.clone(),
            place,
            example: None,
            typed: true,
            derived: false,
            extensions: extensions::named(&record.extensions, &record.extension_types),
        };
        add(&mut entries, entry, issues);
    }
    for api in apis {
        let mut operations: Vec<&model::Operation<'_>> = api.operations.iter().collect();
        operations.sort_by_key(|operation| operation.name());
        for operation in operations {
            let named = operation.errors.iter();
            let mut errors: Vec<(String, &ErrorResponse<'_>)> = named
                .filter_map(|error| Some((code_of(error)?, error)))
                .collect();
            errors.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (code, error) in errors {
                let default = api.remediation_default;
                if let Some(entry) = read(error, code, default, &namespace, issues) {
                    add(&mut entries, entry, issues);
                }
            }
        }
    }
    debug_assert!(
        drafts
            .iter()
            .all(|draft| draft.operation.problems.is_sorted()),
        "codes are sorted"
    );
    let wish = |code: &str| {
        let variant = options
            .name_of(code)
            .map_or_else(|| names::pascal(code), names::pascal);
        // `UnknownProblem`, `AnyProblem` and the like are what every client has.
        if FIXED.contains(&variant.as_str()) {
            variant + "Code"
        } else {
            variant
        }
    };
    let mut taken = Unique::default();
    for code in entries.keys() {
        taken.reserve(&wish(code));
    }
    let mut variants: BTreeMap<String, String> = BTreeMap::new();
    let mut problems = Vec::new();
    for (code, entry) in entries {
        let Entry {
            record,
            place,
            example,
            typed: _,
            derived: _,
            extensions,
        } = entry;
        let mut variant = wish(&code);
        if let Some(other) = variants.get(&variant) {
            let given = taken.take(variant.clone());
            notes.push(LowerIssue::new(
                LowerIssueKind::Collision,
                [other.clone(), place.clone()],
                format!(
                    "two codes would both be called `{variant}`, so `{code}` is called `{given}`"
                ),
                format!("choose another name in aon.toml: [gen.names] \"{code}\" = \"…\""),
            ));
            variant = given;
        }
        variants.insert(variant.clone(), place);
        let namespace = record.type_uri.strip_suffix(&code).map(str::to_owned);
        let example = example_of(&record, example.as_ref());
        problems.push(Problem {
            built_in: record.origin.is_built_in(),
            extensions: extensions::known(extensions, &example),
            record,
            variant,
            namespace,
            example,
            operations: Vec::new(),
            samples: Vec::new(),
        });
    }
    problems
}

/// Names that every client has for itself.
const FIXED: [&str; 4] = ["Unknown", "Any", "Parsed", "Framework"];

/// The namespace that the program of a catalog has given its own problems.
fn namespace(catalog: &Catalog) -> Option<Namespace> {
    let own = catalog
        .problems
        .iter()
        .find(|record| !record.origin.is_built_in())?;
    let prefix = own.type_uri.strip_suffix(&own.code)?;
    Namespace::parse(prefix.strip_suffix("://problem/").unwrap_or(prefix)).ok()
}

/// Adds a problem, or what it says beyond the one that is there.
fn add(entries: &mut BTreeMap<String, Entry>, new: Entry, issues: &mut Vec<LowerIssue>) {
    let Some(known) = entries.get_mut(&new.record.code) else {
        entries.insert(new.record.code.clone(), new);
        return;
    };
    // A code that we made is nobody's promise: where it does not fit, the one that somebody wrote counts.
    let fits = known.record.status == new.record.status
        && (known.record.type_uri == new.record.type_uri || !(known.typed && new.typed));
    if (known.derived || new.derived) && !fits {
        if known.derived && !new.derived {
            *known = new;
        }
        return;
    }
    known.derived &= new.derived;
    let differs = [
        (
            "status",
            known.record.status.to_string(),
            new.record.status.to_string(),
        ),
        (
            "type",
            known.record.type_uri.clone(),
            new.record.type_uri.clone(),
        ),
    ];
    for (member, a, b) in differs {
        let is_left_out = member == "type" && !(known.typed && new.typed);
        if a != b && !is_left_out {
            issues.push(LowerIssue::new(
                LowerIssueKind::Collision,
                [known.place.clone(), new.place.clone()],
                format!(
                    "`{}` has the {member} {a} here and {b} there",
                    new.record.code
                ),
                "one code means one problem: make them equal, or use two codes",
            ));
        }
    }
    let (record, other) = (&mut known.record, new.record);
    if new.typed && !known.typed {
        record.type_uri = other.type_uri;
        known.typed = true;
    }
    for extension in new.extensions {
        if !known
            .extensions
            .iter()
            .any(|own| own.wire == extension.wire)
        {
            known.extensions.push(extension);
        }
    }
    if record.summary.is_empty() {
        record.summary = other.summary;
    }
    if record.detail.is_empty() {
        record.detail = other.detail;
    }
    record.docs_url = record.docs_url.take().or(other.docs_url);
    record.mcp_tool = record.mcp_tool.take().or(other.mcp_tool);
    record.a2a_skill = record.a2a_skill.take().or(other.a2a_skill);
    record.remediation = record.remediation.take().or(other.remediation);
    for (field, values) in other.valid_values {
        match record.valid_values.get_mut(&field) {
            // Where two operations list different values, only the occurrence knows.
            Some(known) if *known != values => *known = None,
            Some(_) => {}
            None => {
                record.valid_values.insert(field, values);
            }
        }
    }
    known.example = known.example.take().or(new.example);
}

/// The code of an error. Without one it is the last word of the type, such as `out_of_credit` of
/// `https://example.com/problems/out-of-credit`. A type that only repeats the status says nothing, and neither does one from an
/// example that was copied to a response with another status.
pub(super) fn code_of(error: &ErrorResponse<'_>) -> Option<String> {
    if let Some(code) = error.code {
        return Some(code.as_str().to_owned());
    }
    let status = error.status.and_then(model::Status::code);
    let status = status.filter(|status| Status::new(*status).is_ok())?;
    let uri = error.type_uri?.as_str().trim_end_matches('/');
    let is_uri = uri.contains("://") || uri.starts_with("urn:") || uri.starts_with("tag:");
    let shown = error.examples.first().map(|example| example.value);
    let copied = shown
        .and_then(|example| example.get("status"))
        .is_some_and(|shown| shown.text() != status.to_string());
    if !is_uri || copied {
        return None;
    }
    let last = uri.rsplit(['/', '#', ':']).next()?;
    let of_a_status = last == "blank" || last.starts_with("section-") || last.starts_with("rfc");
    let code = names::snake(last);
    let is_name = !of_a_status && last.contains(char::is_alphabetic) && !last.contains(['.', '{']);
    (is_name && Code::parse(code.clone()).is_ok()).then_some(code)
}

fn read(
    error: &ErrorResponse<'_>,
    code: String,
    default: Option<model::Remediation<'_>>,
    namespace: &Namespace,
    issues: &mut Vec<LowerIssue>,
) -> Option<Entry> {
    let written = error.code.or(error.type_uri)?;
    let here = place(written.node());
    let mut bad = |at: String, message: String, help: &str| {
        issues.push(LowerIssue::new(
            LowerIssueKind::BadProblem,
            [at],
            message,
            help,
        ));
    };
    if Code::parse(code.clone()).is_err() {
        bad(
            here,
            format!("`{code}` is not a valid code"),
            "use lower case letters, digits and underscores, a letter first",
        );
        return None;
    }
    let status = error.status.and_then(model::Status::code);
    let Some(status) = status.filter(|status| Status::new(*status).is_ok()) else {
        let at = place(error.anchor());
        bad(
            at,
            format!("the problem `{code}` has no single status"),
            "name one status from 400 to 599",
        );
        return None;
    };
    let text = |text: Option<model::Text<'_>>| text.map(|text| text.as_str().trim().to_owned());
    let example = error
        .examples
        .first()
        .map(|example| Tree::of_node(example.value));
    let example_text = |member: &str| example.as_ref()?.get(member)?.as_str().map(str::to_owned);
    let mut record = Record {
        status,
        type_uri: text(error.type_uri).unwrap_or_else(|| namespace.type_of(&code)),
        title: text(error.title).unwrap_or_else(|| sentence(&code)),
        detail: example_text("detail").unwrap_or_default(),
        summary: text(error.description).unwrap_or_default(),
        code,
        docs_url: text(error.docs_url),
        mcp_tool: text(error.mcp_tool),
        a2a_skill: text(error.a2a_skill),
        ..Record::default()
    };
    if let Some(values) = error.valid_values {
        if values.is_object() {
            for member in values.members() {
                record
                    .valid_values
                    .insert(member.name().to_owned(), listed(member.value));
            }
        } else {
            bad(
                place(values),
                "`valid_values` is not an object".to_owned(),
                "map each field to the list of its values",
            );
        }
    }
    let remediation = error.remediation_or(default);
    record.remediation = remediation.map(|remediation| remediation_json(&remediation).to_value());
    check(&record, &here, issues);
    Some(Entry {
        record,
        place: here,
        example,
        typed: error.type_uri.is_some(),
        derived: error.code.is_none(),
        extensions: extensions::of_schema(error),
    })
}

/// The values of a field; none when they are only known at run time.
fn listed(node: Node<'_>) -> Option<Vec<serde_json::Value>> {
    match node.kind() {
        Kind::Array => Some(
            node.items()
                .map(|item| Tree::of_node(item).to_value())
                .collect(),
        ),
        Kind::Null | Kind::Object => None,
        Kind::Bool | Kind::Number | Kind::String => Some(vec![Tree::of_node(node).to_value()]),
    }
}

/// The remediation as it stands on the wire, also where the manifest uses a short form.
fn remediation_json(remediation: &model::Remediation<'_>) -> Tree {
    let mut json = Tree::Object(Vec::new());
    let text = |text: Option<model::Text<'_>>| text.map(|text| text.as_str().to_owned());
    json.set_some("type", text(remediation.kind));
    json.set_some("reason", text(remediation.reason));
    json.set_some("message", text(remediation.message));
    if let Some(action) = &remediation.next_action {
        let mut next = Tree::Object(Vec::new());
        next.set_some("endpoint_xri", text(action.endpoint_xri));
        next.set_some("endpoint_url", text(action.endpoint_url));
        next.set_some("required_scope", text(action.required_scope));
        next.set_some("guide_xri", text(action.guide_xri));
        json.set("next_action", next);
    }
    if let Some(example) = &remediation.example_request {
        let mut request = Tree::Object(Vec::new());
        request.set_some("method", text(example.method));
        request.set_some("path", text(example.path));
        request.set_some("headers", example.headers.map(Tree::of_node));
        request.set_some("body", example.body.map(Tree::of_node));
        json.set("example_request", request);
    }
    json.set(
        "auto_fix_available",
        remediation.auto_fix_available.unwrap_or(false),
    );
    json
}

/// Reads the problem as a client would; what the reader has to leave out breaks the contract.
fn check(record: &Record, place: &str, issues: &mut Vec<LowerIssue>) {
    let mut bad = |message: String| {
        let help = "see contract P1 to P8: `aon lint` explains each rule";
        issues.push(LowerIssue::new(
            LowerIssueKind::BadProblem,
            [place.to_owned()],
            message,
            help,
        ));
    };
    let json = example_of(record, None).to_compact();
    match ProblemDetails::read(json.as_bytes()) {
        Ok(reading) => {
            for ignored in reading.ignored {
                bad(format!("the problem `{}`: {ignored}", record.code));
            }
        }
        Err(error) => bad(format!(
            "the problem `{}` cannot be read: {error}",
            record.code
        )),
    }
    if let Some(docs) = &record.docs_url
        && !UriRef::parse(docs.clone()).is_ok_and(|docs| docs.is_web_url())
    {
        bad(format!(
            "the problem `{}`: {docs:?} is not an absolute http or https URL",
            record.code
        ));
    }
    if let Some(example) = record
        .remediation
        .as_ref()
        .and_then(|remediation| remediation.get("example_request"))
        && has_secret(&Tree::of_value(example))
    {
        bad(format!(
            "the example request of `{}` carries what looks like a secret; write a placeholder such as <token>",
            record.code
        ));
    }
    if let Some(tool) = &record.mcp_tool
        && let Err(error) = ToolName::parse(tool.clone())
    {
        bad(error.to_string());
    }
    if let Some(skill) = &record.a2a_skill
        && let Err(error) = SkillId::parse(skill.clone())
    {
        bad(error.to_string());
    }
}

/// Whether the redactor would take something out of an example request (P7).
fn has_secret(example: &Tree) -> bool {
    let path = example.get("path").and_then(Tree::as_str).unwrap_or("");
    let headers = example.get("headers").map_or(&[][..], Tree::members);
    let body = example
        .get("body")
        .map(Tree::to_compact)
        .unwrap_or_default();
    redact::text(path) != path
        || redact::json_text(&body) != body
        || headers.iter().any(|(name, value)| {
            let value = value.as_str().unwrap_or("");
            redact::header(name, value) != value
        })
}

/// A body as it may look on the wire: what is constant, and what an example adds.
fn example_of(record: &Record, example: Option<&Tree>) -> Tree {
    let written = |member: &str| example.and_then(|example| example.get(member)).cloned();
    let mut json = Tree::Object(Vec::new());
    json.set("type", &record.type_uri);
    json.set("title", &record.title);
    json.set("status", record.status);
    let detail = written("detail")
        .or_else(|| (!record.detail.is_empty()).then(|| Tree::from(&record.detail)));
    json.set_some("detail", detail);
    json.set_some("instance", written("instance"));
    json.set("code", &record.code);
    json.set_some("request_id", written("request_id"));
    let values: Vec<(String, Tree)> = record
        .valid_values
        .iter()
        .filter_map(|(field, values)| {
            Some((
                field.clone(),
                Tree::array(values.as_ref()?.iter().map(Tree::of_value)),
            ))
        })
        .collect();
    if !values.is_empty() {
        json.set("valid_values", Tree::Object(values));
    }
    json.set_some(
        "remediation",
        record.remediation.as_ref().map(ordered_remediation),
    );
    json.set_some("docs_url", record.docs_url.as_ref());
    json.set_some("mcp_tool", record.mcp_tool.as_ref());
    json.set_some("a2a_skill", record.a2a_skill.as_ref());
    if let Some(Some(seconds)) = record.retry_after {
        json.set("retry_after", seconds);
    }
    for (member, value) in example.map_or(&[][..], Tree::members) {
        if json.get(member).is_none() {
            json.set(member, value.clone());
        }
    }
    json
}

/// The members of a remediation in the order of the wire.
fn ordered_remediation(value: &serde_json::Value) -> Tree {
    let json = Tree::of_value(value);
    let order = [
        "type",
        "reason",
        "message",
        "next_action",
        "example_request",
        "auto_fix_available",
    ];
    let known = order
        .iter()
        .filter_map(|member| Some(((*member).to_owned(), json.get(member)?.clone())));
    let others = json
        .members()
        .iter()
        .filter(|(member, _)| !order.contains(&member.as_str()))
        .cloned();
    Tree::Object(known.chain(others).collect())
}

/// `invalid_auth_ux` as a title.
fn sentence(code: &str) -> String {
    let text = code.replace('_', " ");
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
