//! The client: a method for each operation, which gives a value or a problem.

use super::{comment, text};
use crate::ir::{Api, Operation, Shape};
use crate::writer::Writer;

/// Whether there is an operation to call over HTTP.
pub(super) fn has_calls(api: &Api) -> bool {
    calls(api).next().is_some()
}

fn calls(api: &Api) -> impl Iterator<Item = &Operation> {
    let is_call = |operation: &&Operation| operation.method.is_some() && operation.path.is_some();
    api.operations.iter().filter(is_call)
}

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "  ");
    out.blank();
    out.line("import type * as z from \"zod\";");
    out.line("import * as operations from \"./operations.js\";");
    out.line("import { parseEnvelope } from \"./problems.js\";");
    out.line("import type { ParsedProblem } from \"./problems.js\";");
    out.line("import { prepare, readBody } from \"./runtime.js\";");
    out.line("import type { CallOptions, ClientOptions, Described, Parts, ResponseLike } from \"./runtime.js\";");
    if calls(api).any(|operation| operation.parts.is_some()) {
        out.line("import type * as types from \"./types.js\";");
    }
    out.line("export { AnswerError } from \"./runtime.js\";");
    out.line("export type { CallOptions, ClientOptions, Fetch } from \"./runtime.js\";");
    out.line(RESULT);
    comment(
        &mut out,
        &[&format!("Calls {} over HTTP.", api.title), &api.description],
        false,
    );
    out.open("export class Client {");
    out.line("readonly #baseUrl: string;");
    out.line("readonly #options: ClientOptions;");
    out.blank();
    let default = api
        .servers
        .first()
        .map(|server| format!(" = {}", text(server)))
        .unwrap_or_default();
    out.open(format!(
        "constructor(baseUrl: string{default}, options: ClientOptions = {{}}) {{"
    ));
    out.line("this.#baseUrl = baseUrl;");
    out.line("this.#options = options;");
    out.close("}");
    for operation in calls(api) {
        method(api, operation, &mut out);
    }
    out.blank();
    out.line(CALL);
    out.close("}");
    out.finish()
}

fn method(api: &Api, operation: &Operation, out: &mut Writer) {
    out.blank();
    comment(
        out,
        &[operation.title(), &operation.description],
        operation.deprecated,
    );
    let own = &operation.camel;
    let line = out.begin();
    line.push_str(own);
    // A class has a constructor already, and `await` takes an object with a `then` for a promise.
    if matches!(own.as_str(), "constructor" | "then") {
        line.push('_');
    }
    line.push('(');
    let definition = operation.parts.and_then(|id| api.definition(id));
    if let Some(definition) = definition {
        let needed = match &definition.shape {
            Shape::Object(object) => object.fields.iter().any(|field| field.required),
            Shape::Choice(_) | Shape::Union(_) | Shape::All(_) | Shape::Alias(_) => true,
        };
        line.push_str("request: types.");
        line.push_str(&definition.name);
        line.push_str(if needed { ", " } else { " = {}, " });
    }
    line.push_str("options?: CallOptions): Promise<Result<Value<typeof operations.");
    line.push_str(own);
    line.push_str(">>> {");
    out.end_open();
    let line = out.begin();
    line.push_str("return this.#call(operations.");
    line.push_str(own);
    line.push_str(if definition.is_some() {
        ", request"
    } else {
        ", {}"
    });
    line.push_str(", options);");
    out.end();
    out.close("}");
}

const RESULT: &str = r"
/** What a call came to: a value, or a problem. `ok` tells them apart. */
export type Result<T> = Success<T> | Failure;

export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly response: ResponseLike;
}

/** The problem, with what the server says beyond it. `match` takes `problem` apart. */
export interface Failure extends ParsedProblem {
  readonly ok: false;
  readonly response: ResponseLike;
}

/** What an operation answers with; `unknown` where the API does not say. */
export type Value<O> = O extends { readonly response: infer S extends z.ZodType } ? z.output<S> : unknown;
";

const CALL: &str = r"async #call<O extends Described>(operation: O, request: Parts, options?: CallOptions): Promise<Result<Value<O>>> {
  const { url, fetch, init } = await prepare(this.#baseUrl, this.#options, operation, request, options);
  const response = await fetch(url, init);
  const parsed = await parseEnvelope(response);
  if (parsed !== undefined) return { ok: false, response, ...parsed };
  const value = (await readBody(operation, response)) as Value<O>;
  return { ok: true, value, response };
}";
