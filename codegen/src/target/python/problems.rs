//! The problems of an API: a class for each, their union, and the parser.

use super::{docstring, models, text};
use crate::ir::{Api, Field, Problem, Type};
use crate::writer::Writer;

/// What every package offers.
pub(super) const FIXED: [&str; 7] = [
    "AnyProblem",
    "ParsedProblem",
    "ProblemDetails",
    "ProblemError",
    "UnknownProblem",
    "parse_envelope",
    "parse_problem",
];

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "    ");
    docstring(&mut out, &["What can go wrong."]);
    out.blank();
    out.line("from __future__ import annotations");
    out.blank();
    out.line("import typing");
    out.blank();
    let extensions = || api.own_problems().flat_map(|problem| &problem.extensions);
    let is_plain = |field: &Field| field.python() == &*field.wire && field.description.is_empty();
    if extensions().any(|field| !is_plain(field)) {
        out.line("import pydantic");
        out.blank();
    }
    out.line("from .runtime import Bag, MachineHints, Surface, open_envelope");
    out.line("from .runtime import ProblemDetails as ProblemDetails");
    for problem in api.own_problems() {
        declare(api, problem, &mut out);
    }
    framework(api, &mut out);
    out.line(UNKNOWN);
    out.line(
        "#: A problem this API declares, or one that was not known when this file was written.",
    );
    if api.problems.is_empty() {
        out.line("AnyProblem: typing.TypeAlias = UnknownProblem");
        out.blank();
        out.line("_BY_CODE: dict[str, type[AnyProblem]] = {}");
    } else {
        out.open("AnyProblem: typing.TypeAlias = typing.Union[");
        for class in classes(api) {
            out.line(format!("{class},"));
        }
        out.line("UnknownProblem,");
        out.close("]");
        out.blank();
        out.open("_BY_CODE: dict[str, type[AnyProblem]] = {");
        for problem in &api.problems {
            let class = if problem.built_in {
                "Framework"
            } else {
                &problem.variant
            };
            out.line(format!("{}: {class}Problem,", text(&problem.record.code)));
        }
        out.close("}");
    }
    let codes = api.codes_by_type();
    if codes.is_empty() {
        out.line(PARSER);
    } else {
        out.blank();
        out.line("#: The code of a problem that comes without one, by its `type`.");
        out.open("_CODES: dict[str, str] = {");
        for (uri, code) in codes {
            out.line(format!("{}: {},", text(uri), text(code)));
        }
        out.close("}");
        let by_type = PARSER.replace(
            "code = opened.members.get(\"code\")",
            "code = opened.members.get(\"code\", _CODES.get(str(opened.members.get(\"type\"))))",
        );
        out.line(by_type);
    }
    out.finish()
}

/// The names of the classes, one for each problem of the program and one for those of the framework.
pub(super) fn classes(api: &Api) -> Vec<String> {
    let framework = api.framework_problems().next().map(|_| "Framework");
    api.own_problems()
        .map(|problem| problem.variant.as_str())
        .chain(framework)
        .map(|name| format!("{name}Problem"))
        .collect()
}

/// The problems of the framework are one class: callers of the API rarely care which of them it is.
fn framework(api: &Api, out: &mut Writer) {
    let codes: Vec<String> = api
        .framework_problems()
        .map(|problem| text(&problem.record.code))
        .collect();
    if codes.is_empty() {
        return;
    }
    out.blank();
    out.blank();
    out.open("class FrameworkProblem(ProblemDetails):");
    docstring(
        out,
        &[
            "A problem of the framework that the server is built with, such as an unknown route or a body that is too large.",
        ],
    );
    out.blank();
    out.open("code: typing.Literal[");
    for code in codes {
        out.line(format!("{code},"));
    }
    out.close("]");
    out.close("");
}

fn declare(api: &Api, problem: &Problem, out: &mut Writer) {
    let record = &problem.record;
    out.blank();
    out.blank();
    out.open(format!("class {}Problem(ProblemDetails):", problem.variant));
    let status = format!(
        "{} (status {}).",
        record.title.trim_end_matches('.'),
        record.status
    );
    let docs = record
        .docs_url
        .as_deref()
        .map(|url| format!("See {url}"))
        .unwrap_or_default();
    docstring(out, &[&status, &record.summary, &docs]);
    out.blank();
    out.line(format!(
        "code: typing.Literal[{0}] = {0}",
        text(&record.code)
    ));
    for extension in &problem.extensions {
        let mut parts = vec!["default=None".to_owned()];
        if *extension.python() != *extension.wire {
            parts.push(format!("alias={}", text(&extension.wire)));
        }
        if !extension.description.is_empty() {
            parts.push(format!("description={}", text(&extension.description)));
        }
        let mut shape = models::outside(api, &extension.shape);
        if extension.shape != Type::Any {
            shape.push_str(" | None");
        }
        let value = match parts.as_slice() {
            [_] => "None".to_owned(),
            parts => format!("pydantic.Field({})", parts.join(", ")),
        };
        out.line(format!("{}: {shape} = {value}", extension.python()));
    }
    out.close("");
}

const UNKNOWN: &str = r#"

class UnknownProblem(ProblemDetails):
    """A problem with a code that was not known when this file was written, or without one. All members are kept."""

"#;

const PARSER: &str = r#"

class ParsedProblem(typing.NamedTuple):
    """A problem, and what its surface says beyond it."""

    surface: Surface
    problem: AnyProblem
    #: The tools (MCP) or skills (A2A) that help.
    suggested: list[str]
    #: The arguments of the failed call with the wrong field corrected.
    corrected: Bag | None
    hints: MachineHints | None


class ProblemError(Exception):
    """A problem to raise."""

    def __init__(self, problem: AnyProblem) -> None:
        super().__init__(problem.detail or problem.title or problem.code or "a problem without words")
        self.problem = problem


def parse_envelope(value: object) -> ParsedProblem | None:
    """Like `parse_problem`, with what the surface says beyond the problem."""
    opened = open_envelope(value)
    if opened is None:
        return None
    code = opened.members.get("code")
    found = _BY_CODE.get(code, UnknownProblem) if isinstance(code, str) else UnknownProblem
    problem = found.model_validate(opened.members)
    return ParsedProblem(opened.surface, problem, opened.suggested, opened.corrected, opened.hints)


def parse_problem(value: object) -> AnyProblem | None:
    """Reads the problem out of what a surface sent.

    That is a response of httpx or requests or a problem document (REST), a CallToolResult (MCP), a JSON-RPC error or response (A2A).
    What is not an error gives None.
    """
    parsed = parse_envelope(value)
    return None if parsed is None else parsed.problem"#;
