//! The problems of an API: a schema for each, their union, a match that is exhaustive or has a default, and the parser.

use super::{comment, key, text, types};
use crate::ir::{Api, Problem};
use crate::json::Tree;
use crate::writer::Writer;

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "  ");
    out.blank();
    out.line("import * as z from \"zod\";");
    let used = if api.problems.is_empty() {
        "ProblemDetails, isResponse"
    } else {
        "ProblemDetails, isResponse, members"
    };
    out.line(format!(
        "import {{ {used}, open, openResponse }} from \"./runtime.js\";"
    ));
    out.line("import type { MachineHints, ResponseLike, Surface } from \"./runtime.js\";");
    out.line("export type { ExampleRequest, MachineHints, NextAction, Remediation, ResponseLike, Surface, ValidValue } from \"./runtime.js\";");
    out.line("export { ProblemDetails } from \"./runtime.js\";");
    for problem in api.own_problems() {
        declare(api, problem, &mut out);
    }
    framework(api, &mut out);
    union(api, &mut out);
    matching(api, &mut out);
    catalog(api, &mut out);
    types_of(api, &mut out);
    out.line(PARSER);
    out.line(if api.codes_by_type().is_empty() {
        READ
    } else {
        READ_BY_TYPE
    });
    out.finish()
}

fn declare(api: &Api, problem: &Problem, out: &mut Writer) {
    let record = &problem.record;
    out.blank();
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
    comment(out, &[&status, &record.summary, &docs], false);
    let name = format!("{}Problem", problem.variant);
    let start = format!(
        "export const {name} = z.looseObject({{ ...members, code: z.literal({})",
        text(&record.code)
    );
    if problem.extensions.is_empty() {
        out.line(format!("{start} }});"));
    } else {
        out.open(format!("export const {name} = z.looseObject({{"));
        out.line("...members,");
        out.line(format!("code: z.literal({}),", text(&record.code)));
        for extension in &problem.extensions {
            comment(out, &[&extension.description], false);
            let line = out.begin();
            line.push_str(&key(&extension.wire));
            line.push_str(": ");
            types::schema(api, &extension.shape, "types.", line);
            line.push_str(".optional().catch(undefined),");
            out.end();
        }
        out.close("});");
    }
    out.line(format!("export type {name} = z.infer<typeof {name}>;"));
}

/// The problems of the framework are one type: callers of the API rarely care which of them it is.
fn framework(api: &Api, out: &mut Writer) {
    let mut codes = api.framework_problems().map(|problem| &problem.record.code);
    let Some(first) = codes.next() else {
        return;
    };
    out.blank();
    out.line("/** A problem of the framework that the server is built with, such as an unknown route or a body that is too large. */");
    out.open("export const FrameworkProblem = z.looseObject({");
    out.line("...members,");
    out.open("code: z.enum([");
    for code in std::iter::once(first).chain(codes) {
        out.line(format!("{},", text(code)));
    }
    out.close("]),");
    out.close("});");
    out.line("export type FrameworkProblem = z.infer<typeof FrameworkProblem>;");
}

fn has_framework(api: &Api) -> bool {
    api.framework_problems().next().is_some()
}

fn union(api: &Api, out: &mut Writer) {
    out.blank();
    out.line("/** A problem this API declares, told apart by `code`. */");
    let names: Vec<String> = api
        .own_problems()
        .map(|problem| problem.variant.as_str())
        .chain(has_framework(api).then_some("Framework"))
        .map(|name| format!("{name}Problem"))
        .collect();
    match names.as_slice() {
        [] => out.line("export const Problem = z.never();"),
        names => {
            out.open("export const Problem = z.discriminatedUnion(\"code\", [");
            for name in names {
                out.line(format!("{name},"));
            }
            out.close("]);");
        }
    }
    out.line("export type Problem = z.infer<typeof Problem>;");
    out.blank();
    out.line("/** A problem with a code that was not known when this file was written, or without one. All members are kept. */");
    out.line("export type UnknownProblem = ProblemDetails & { readonly [UNKNOWN]: true };");
    out.line("const UNKNOWN: unique symbol = Symbol(\"unknown problem\");");
    out.blank();
    out.line("export type AnyProblem = Problem | UnknownProblem;");
    out.blank();
    out.line("/** Whether this file knows the code. */");
    out.open("export function isKnown(problem: AnyProblem): problem is Problem {");
    out.line("return !(UNKNOWN in problem);");
    out.close("}");
}

fn matching(api: &Api, out: &mut Writer) {
    out.blank();
    out.line("/** One function for each code, and one for what is not known. Leaving one out does not compile. */");
    out.open("export interface Handlers<R> {");
    for problem in api.own_problems() {
        out.line(format!(
            "readonly {}: (problem: {}Problem) => R;",
            problem.record.code, problem.variant
        ));
    }
    if has_framework(api) {
        out.line("readonly Framework: (problem: FrameworkProblem) => R;");
    }
    out.line("readonly Unknown: (problem: UnknownProblem) => R;");
    out.close("}");
    out.line(MATCH);
    if has_framework(api) {
        out.open("function nameOf(problem: AnyProblem): string {");
        out.line("if (!isKnown(problem)) return \"Unknown\";");
        out.line("const own: readonly string[] = FrameworkProblem.shape.code.options;");
        out.line("return own.includes(problem.code) ? \"Framework\" : problem.code;");
    } else if api.problems.is_empty() {
        out.open("function nameOf(_problem: AnyProblem): string {");
        out.line("return \"Unknown\";");
    } else {
        out.open("function nameOf(problem: AnyProblem): string {");
        out.line("return isKnown(problem) ? problem.code : \"Unknown\";");
    }
    out.close("}");
}

const MATCH: &str = r#"
/** Functions for some codes, and one for all others. */
export type SomeHandlers<R> = Partial<Handlers<R>> & { readonly Default: (problem: AnyProblem) => R };

/** Calls the function for the code of a problem, or `Default`. Without `Default` there must be a function for each code. */
export function match<R>(problem: AnyProblem, handlers: Handlers<R> | SomeHandlers<R>): R {
  const all = handlers as { readonly [name: string]: ((problem: AnyProblem) => R) | undefined };
  const chosen = all[nameOf(problem)] ?? all["Default"];
  if (chosen === undefined) throw new TypeError(`no function for ${JSON.stringify(problem.code)}`);
  return chosen(problem);
}
"#;

fn catalog(api: &Api, out: &mut Writer) {
    out.blank();
    out.line("/** What is known about each problem before it occurs. */");
    out.open("export const catalog = {");
    for problem in api.own_problems() {
        let record = &problem.record;
        let mut json = Tree::object([("status", Tree::from(record.status))]);
        json.set("type", &record.type_uri);
        json.set("title", &record.title);
        for member in [
            "valid_values",
            "remediation",
            "docs_url",
            "mcp_tool",
            "a2a_skill",
        ] {
            json.set_some(member, problem.example.get(member).cloned());
        }
        out.line(format!("{}: {},", record.code, json.to_compact()));
    }
    out.close("} as const;");
}

/// The codes of problems that come without one.
fn types_of(api: &Api, out: &mut Writer) {
    let codes = api.codes_by_type();
    if codes.is_empty() {
        return;
    }
    out.blank();
    out.line("/** The code of a problem that comes without one, by its `type`. */");
    out.open("const codes: ReadonlyMap<unknown, string> = new Map([");
    for (uri, code) in codes {
        out.line(format!("[{}, {}],", text(uri), text(code)));
    }
    out.close("]);");
}

/// The parser is the same for every API; it is here because its result is not.
const PARSER: &str = r"
/** A problem, and what its surface says beyond it. */
export interface ParsedProblem {
  readonly surface: Surface;
  readonly problem: AnyProblem;
  /** The tools (MCP) or skills (A2A) that help. */
  readonly suggested: readonly string[];
  /** The arguments of the failed call with the wrong field corrected. */
  readonly corrected?: { readonly [name: string]: unknown } | undefined;
  readonly hints?: MachineHints | undefined;
}

/**
 * Reads the problem out of what a surface sent: a fetch response or problem document (REST), a CallToolResult (MCP), a JSON-RPC
 * error or response (A2A). A response is read asynchronously. What is not an error gives undefined.
 */
export function parseProblem(response: ResponseLike): Promise<AnyProblem | undefined>;
export function parseProblem(value: unknown): AnyProblem | undefined;
export function parseProblem(value: unknown): AnyProblem | undefined | Promise<AnyProblem | undefined> {
  if (isResponse(value)) return parseEnvelope(value).then((parsed) => parsed?.problem);
  return parseEnvelope(value)?.problem;
}

/** Like `parseProblem`, with what the surface says beyond the problem. */
export function parseEnvelope(response: ResponseLike): Promise<ParsedProblem | undefined>;
export function parseEnvelope(value: unknown): ParsedProblem | undefined;
export function parseEnvelope(value: unknown): ParsedProblem | undefined | Promise<ParsedProblem | undefined> {
  if (isResponse(value)) return openResponse(value).then((opened) => (opened === undefined ? undefined : read(opened)));
  const opened = open(value);
  return opened === undefined ? undefined : read(opened);
}";

const READ: &str = r"
function read(opened: NonNullable<ReturnType<typeof open>>): ParsedProblem {
  const { members: found, ...rest } = opened;
  const known = Problem.safeParse(found);
  if (known.success) return { ...rest, problem: known.data };
  return { ...rest, problem: { ...ProblemDetails.parse(found), [UNKNOWN]: true } };
}";

const READ_BY_TYPE: &str = r#"
function read(opened: NonNullable<ReturnType<typeof open>>): ParsedProblem {
  const { members: sent, ...rest } = opened;
  const code = codes.get(sent["type"]);
  const found = sent["code"] === undefined && code !== undefined ? { ...sent, code } : sent;
  const known = Problem.safeParse(found);
  if (known.success) return { ...rest, problem: known.data };
  return { ...rest, problem: { ...ProblemDetails.parse(found), [UNKNOWN]: true } };
}"#;
