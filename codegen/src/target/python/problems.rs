//! The problems of an API: a class for each, their union, and the parser.

use super::{docstring, text};
use crate::ir::{Api, Problem};
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
    out.line(IMPORTS);
    for problem in &api.problems {
        declare(problem, &mut out);
    }
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
        for problem in &api.problems {
            out.line(format!("{}Problem,", problem.variant));
        }
        out.line("UnknownProblem,");
        out.close("]");
        out.blank();
        out.open("_BY_CODE: dict[str, type[AnyProblem]] = {");
        for problem in &api.problems {
            out.line(format!(
                "{}: {}Problem,",
                text(&problem.record.code),
                problem.variant
            ));
        }
        out.close("}");
    }
    out.line(PARSER);
    out.finish()
}

fn declare(problem: &Problem, out: &mut Writer) {
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
    out.close("");
}

const IMPORTS: &str = "
from __future__ import annotations

import typing

from .runtime import Bag, MachineHints, Surface, open_envelope
from .runtime import ProblemDetails as ProblemDetails";

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
    What is no error gives None.
    """
    parsed = parse_envelope(value)
    return None if parsed is None else parsed.problem"#;
