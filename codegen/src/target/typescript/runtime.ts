
import * as z from "zod";

/** One value of `valid_values`: the value itself, or the value with words for people. */
export const ValidValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.looseObject({ value: z.unknown(), label: z.string().optional(), description: z.string().optional() }),
]);
export type ValidValue = z.infer<typeof ValidValue>;

/** Where to go next. */
export const NextAction = z.looseObject({
  endpoint_xri: z.string().optional().catch(undefined),
  endpoint_url: z.string().optional().catch(undefined),
  required_scope: z.string().optional().catch(undefined),
  guide_xri: z.string().optional().catch(undefined),
});
export type NextAction = z.infer<typeof NextAction>;

/** A call that would succeed. */
export const ExampleRequest = z.looseObject({
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()).optional().catch(undefined),
  body: z.unknown().optional(),
});
export type ExampleRequest = z.infer<typeof ExampleRequest>;

/** What the caller can do about a problem. */
export const Remediation = z.looseObject({
  type: z.enum(["wait_for_provisioning", "request_scope_elevation", "switch_user", "register_custom_domain", "none"]),
  reason: z
    .enum(["no_public_equivalent_exists", "auth_required_for_safety", "not_yet_implemented"])
    .optional()
    .catch(undefined),
  message: z.string().optional().catch(undefined),
  next_action: NextAction.optional().catch(undefined),
  example_request: ExampleRequest.optional().catch(undefined),
  auto_fix_available: z.boolean().optional().catch(undefined),
});
export type Remediation = z.infer<typeof Remediation>;

/** The members of every problem but its code. A member of the wrong type counts as absent (RFC 9457, section 3.1). */
export const members = {
  type: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  status: z.number().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  instance: z.string().optional().catch(undefined),
  request_id: z.string().optional().catch(undefined),
  valid_values: z.record(z.string(), z.array(ValidValue)).optional().catch(undefined),
  remediation: Remediation.optional().catch(undefined),
  docs_url: z.string().optional().catch(undefined),
  mcp_tool: z.string().optional().catch(undefined),
  a2a_skill: z.string().optional().catch(undefined),
} as const;

/** Any problem, with all members it came with. */
export const ProblemDetails = z.looseObject({ ...members, code: z.string().optional().catch(undefined) });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

/** What is derived from a problem for programs. */
export const MachineHints = z.looseObject({
  retryable: z.boolean().optional().catch(undefined),
  severity: z.string().optional().catch(undefined),
  category: z.string().optional().catch(undefined),
  field_paths: z.array(z.string()).optional().catch(undefined),
  retry_after_ms: z.number().optional().catch(undefined),
  fingerprint: z.string().optional().catch(undefined),
});
export type MachineHints = z.infer<typeof MachineHints>;

/** The surfaces a problem can arrive on. */
export type Surface = "rest" | "mcp" | "a2a" | "stream";

/** A problem, and what its surface says beyond it. */
export interface Envelope {
  readonly surface: Surface;
  /** The members of the problem under their canonical names. */
  readonly members: { readonly [name: string]: unknown };
  /** The tools or skills that help. */
  readonly suggested: readonly string[];
  /** The arguments of the failed call with the wrong field corrected. */
  readonly corrected?: { readonly [name: string]: unknown } | undefined;
  readonly hints?: MachineHints | undefined;
}

/** As much of a fetch response as is needed; the global `Response` fits. */
export interface ResponseLike {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer?(): Promise<ArrayBuffer>;
}

export function isResponse(value: unknown): value is ResponseLike {
  return isObject(value) && typeof value["text"] === "function" && typeof value["status"] === "number";
}

/** Reads the problem out of a fetch response; its body is used up. Not an error: undefined. */
export async function openResponse(response: ResponseLike): Promise<Envelope | undefined> {
  if (response.status < 400) return undefined;
  const text = await response.text();
  const json = parseJson(text);
  const found = isObject(json) ? open(json) : undefined;
  if (found !== undefined) {
    const members: Bag = { ...found.members };
    // What the body does not say, the status line does.
    if (typeof members["status"] !== "number") members["status"] = response.status;
    const said = isObject(json) ? wordsOf(json) : undefined;
    if (members["detail"] === undefined && said !== undefined) members["detail"] = said;
    return { ...found, members };
  }
  // A server that does not speak RFC 9457 still said something: the status, and what it wrote.
  const said = isObject(json) ? (wordsOf(json) ?? text) : text;
  return envelope("rest", { ...(isObject(json) ? json : {}), status: response.status, ...(said === "" ? {} : { detail: said }) });
}

/** The sentence of an error that is not a problem, where most servers write it. */
function wordsOf(body: Bag): string | undefined {
  const said = ["message", "error_description", "error", "msg"].map((name) => body[name]);
  return said.find((words): words is string => typeof words === "string" && words !== "");
}

/**
 * Finds the problem in whatever a surface sent: a problem document, an MCP result, a JSON-RPC error or response, an error that a
 * client library threw, a stream event, or the JSON text of one of these. Nothing of the kind: undefined.
 */
export function open(value: unknown): Envelope | undefined {
  if (typeof value === "string") {
    const json = parseJson(value);
    return isObject(json) ? open(json) : undefined;
  }
  if (!isObject(value)) return undefined;
  if (isObject(value["result"]) && value["error"] === undefined && !isProblem(value)) value = value["result"];
  if (!isObject(value)) return undefined;
  if (value["type"] === "error" && isObject(value["problem"])) return envelope("stream", value["problem"]);
  if (isEnvelope(value)) return envelope(surfaceOf(value), value);
  // A problem may have members of its own that are called like those of other messages.
  if (isProblem(value)) return envelope("rest", value);
  if (isObject(value["structuredContent"]) || Array.isArray(value["content"])) return openToolResult(value);
  if (isObject(value["error"])) return openError(value["error"]);
  if (typeof value["code"] === "number") return openError(value);
  return looksLikeProblem(value) ? envelope("rest", value) : undefined;
}

function openToolResult(result: Bag): Envelope | undefined {
  const structured = result["structuredContent"];
  if (isObject(structured) && isObject(structured["error"])) return envelope("mcp", structured["error"]);
  const meta = result["_meta"];
  if (isObject(meta)) {
    for (const value of Object.values(meta)) {
      const inner = isObject(value) && isObject(value["error"]) ? value["error"] : value;
      if (isObject(inner) && isEnvelope(inner)) return envelope("mcp", inner);
    }
  }
  if (result["isError"] !== true) return undefined;
  const texts: string[] = [];
  for (const block of Array.isArray(result["content"]) ? result["content"] : []) {
    if (!isObject(block) || typeof block["text"] !== "string") continue;
    texts.push(block["text"]);
    const json = parseJson(block["text"]);
    const inner = isObject(json) && isObject(json["error"]) ? json["error"] : json;
    if (isObject(inner) && (isEnvelope(inner) || looksLikeProblem(inner))) return envelope("mcp", inner);
  }
  return envelope("mcp", texts.length === 0 ? {} : { detail: texts.join("\n") });
}

function openError(error: Bag): Envelope | undefined {
  if (isEnvelope(error)) return envelope(surfaceOf(error), error);
  const data = error["data"] ?? error["details"];
  const entries: Bag[] = (Array.isArray(data) ? data : [data]).filter(isObject);
  const ours = entries.find(isEnvelope) ?? entries.find((entry) => entry["@type"] === undefined && looksLikeProblem(entry));
  if (ours !== undefined) return envelope("a2a", ours);
  if (typeof error["code"] !== "number" && typeof error["message"] !== "string") {
    return looksLikeProblem(error) ? envelope("rest", error) : undefined;
  }
  const info = entries.find((entry) => typeof entry["@type"] === "string" && entry["@type"].endsWith("google.rpc.ErrorInfo"));
  const told = info !== undefined && isObject(info["metadata"]) ? info["metadata"] : {};
  const found: Bag = {};
  if (typeof error["message"] === "string") found["detail"] = error["message"];
  if (typeof told["code"] === "string") found["code"] = told["code"];
  if (typeof told["status"] === "string" && /^[45]\d\d$/.test(told["status"])) found["status"] = Number(told["status"]);
  if (typeof told["request_id"] === "string") found["request_id"] = told["request_id"];
  if (typeof told["docs_url"] === "string") found["docs_url"] = told["docs_url"];
  return envelope("a2a", found);
}

/** Takes the members of the surface away, and gives the others their canonical names. */
function envelope(surface: Surface, wire: Bag): Envelope {
  const members: Bag = {};
  for (const [name, value] of Object.entries(wire)) {
    if (surfaceMembers.has(name) && (surface === "mcp" || surface === "a2a")) continue;
    set(members, name === "documentation_uri" ? "docs_url" : name, value);
  }
  const suggested = wire["suggested_tools"] ?? wire["suggested_skills"];
  const corrected = wire["corrected_args"] ?? wire["corrected_params"];
  const hints = MachineHints.safeParse(wire["machine_hints"]);
  return {
    surface,
    members,
    suggested: Array.isArray(suggested) ? suggested.filter((name) => typeof name === "string") : [],
    corrected: isObject(corrected) ? corrected : undefined,
    hints: hints.success ? hints.data : undefined,
  };
}

const surfaceMembers: ReadonlySet<string> = new Set([
  "@type",
  "schema",
  "surface",
  "suggested_tools",
  "suggested_skills",
  "corrected_args",
  "corrected_params",
  "machine_hints",
]);

const problemMembers = ["type", "title", "status", "detail", "code", "valid_values", "remediation"];

type Bag = { [name: string]: unknown };

function isObject(value: unknown): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEnvelope(value: Bag): boolean {
  return typeof value["schema"] === "string" && /^pspace\.(mcp|a2a)\.error\.v\d+$/.test(value["schema"]);
}

function surfaceOf(value: Bag): Surface {
  return String(value["schema"]).startsWith("pspace.mcp.") ? "mcp" : "a2a";
}

/** Whether a message is itself a problem, and not a message that has one in it. */
function isProblem(value: Bag): boolean {
  const isMessage = "jsonrpc" in value || "structuredContent" in value || "isError" in value;
  return !isMessage && (typeof value["code"] === "string" || typeof value["status"] === "number");
}

function looksLikeProblem(value: Bag): boolean {
  return problemMembers.some((name) => name in value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Also sets a member that is called `__proto__`. */
function set(target: Bag, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A pattern of the document. One that this engine does not understand cannot be checked, so it lets everything pass instead of
 * keeping the program from starting.
 */
export function pattern(source: string): RegExp {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      continue;
    }
  }
  return /(?:)/;
}

/** A file or any bytes to send: text, bytes, or a `Blob` or `File` of the browser, whose name is sent too. */
export type Binary = string | Uint8Array | { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> };
export const Binary = z.custom<Binary>(
  (value) => typeof value === "string" || value instanceof Uint8Array || (isObject(value) && typeof value["arrayBuffer"] === "function"),
  "must be a text, a Uint8Array or a Blob",
);

/** The bytes of an answer. */
export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Whether all items differ, by value. */
export function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item, sorted))).size === items.length;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As much of `fetch` as is needed; the global one fits. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Fetch = (url: string, init: { method: string; headers: Record<string, string>; body?: any; signal?: any }) => Promise<ResponseLike>;

type HeaderBag = { readonly [name: string]: string };

export interface ClientOptions {
  /** Sent with every call, such as `authorization`. A function is asked before each call, so that a token can be renewed. */
  readonly headers?: HeaderBag | (() => HeaderBag | Promise<HeaderBag>) | undefined;
  /** Another `fetch`, for tests, proxies and retries. */
  readonly fetch?: Fetch | undefined;
}

export interface CallOptions {
  /** Sent with this call only. */
  readonly headers?: HeaderBag | undefined;
  /** Ends the call early: the signal of an `AbortController`. */
  readonly signal?: unknown;
}

type Style = "comma" | "space" | "pipe" | "tab" | "deep" | "json";

/** What must be known about an operation to call it. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly media?: string | undefined;
  readonly styles?: { readonly [name: string]: Style } | undefined;
  readonly response?: z.ZodType | undefined;
  /** The members of a form that are files. */
  readonly files?: readonly string[] | undefined;
  /** Whether an answer is bytes, and not text or JSON. */
  readonly bytes?: true | undefined;
}

/** A request, with its parts apart. */
export interface Parts {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly headers?: object | undefined;
  readonly cookies?: object | undefined;
  readonly body?: unknown;
}

/** An answer that is not an error, and not what the API promises either. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  constructor(
    message: string,
    readonly response: ResponseLike,
    readonly body: unknown,
  ) {
    super(message);
  }
}

/** The call to make. */
export async function prepare(
  baseUrl: string,
  client: ClientOptions,
  operation: Described,
  request: Parts,
  options: CallOptions | undefined,
): Promise<{ url: string; fetch: Fetch; init: Parameters<Fetch>[1] }> {
  const fetch = client.fetch ?? (globalThis as { fetch?: Fetch }).fetch;
  if (fetch === undefined) throw new TypeError("there is no fetch here; pass one as an option");
  const query = pairs(request.query, operation.styles);
  const url = baseUrl.replace(/\/+$/, "") + fill(operation.path, request.path) + (query.length > 0 ? `?${encode(query)}` : "");
  const headers: Record<string, string> = { accept: "application/json, application/problem+json;q=0.9, */*;q=0.1" };
  const common = typeof client.headers === "function" ? await client.headers() : client.headers;
  for (const source of [common, request.headers, options?.headers]) {
    for (const [name, value] of Object.entries(source ?? {})) {
      if (value !== undefined) headers[name.toLowerCase()] = plain(value);
    }
  }
  const cookies = Object.entries(request.cookies ?? {}).filter(([, value]) => value !== undefined);
  if (cookies.length > 0) headers["cookie"] = cookies.map(([name, value]) => `${name}=${encodeURIComponent(plain(value))}`).join("; ");
  const init: Parameters<Fetch>[1] = { method: operation.method, headers };
  if (options?.signal !== undefined) init.signal = options.signal;
  if (request.body !== undefined) writeBody(operation, request.body, init);
  return { url, fetch, init };
}

/** The path with its parameters in place. */
function fill(path: string, values: object | undefined): string {
  const bag = (values ?? {}) as Bag;
  const filled = path.replace(/\{([^{}]*)\}/g, (_whole, name: string) => {
    const text = plain(bag[name] ?? "");
    // An empty part, `.` and `..` would lead to another path.
    if (text === "" || text === "." || text === "..") throw new TypeError(`${name} in the path must not be ${JSON.stringify(text)}`);
    return encodeURIComponent(text);
  });
  return filled.startsWith("/") ? filled : `/${filled}`;
}

type Pair = readonly [name: string, value: string];

const gaps: { readonly [style: string]: string } = { comma: ",", space: " ", pipe: "|", tab: "\t" };

function pairs(values: object | undefined, styles: Described["styles"]): Pair[] {
  const found: Pair[] = [];
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value === undefined || value === null) continue;
    const style = styles?.[name];
    const gap = gaps[style ?? ""];
    if (style === "json") {
      found.push([name, JSON.stringify(value)]);
    } else if (!Array.isArray(value) && !isObject(value)) {
      found.push([name, plain(value)]);
    } else if (gap !== undefined) {
      const parts = Array.isArray(value) ? value : entries(value).flat();
      if (parts.length > 0) found.push([name, parts.map(plain).join(gap)]);
    } else if (Array.isArray(value)) {
      found.push(...value.map((item): Pair => [name, plain(item)]));
    } else {
      found.push(...entries(value).map(([key, inner]): Pair => [style === "deep" ? `${name}[${key}]` : key, plain(inner)]));
    }
  }
  return found;
}

/** The members of an object that are there. */
function entries(value: Bag): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, inner]) => inner !== undefined);
}

function encode(all: readonly Pair[]): string {
  return all.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function isJson(media: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(media);
}

function writeBody(operation: Described, body: unknown, init: Parameters<Fetch>[1]): void {
  const { media = "application/json", files = [] } = operation;
  if (/^multipart\//i.test(media)) {
    const { FormData: Form, Blob } = globalThis as {
      FormData?: new () => { append(name: string, value: unknown, file?: string): void };
      Blob?: new (parts: unknown[]) => object;
    };
    if (Form === undefined || Blob === undefined) throw new TypeError("there is no FormData here");
    const form = new Form();
    for (const [name, value] of Object.entries(isObject(body) ? body : {})) {
      const gap = gaps[operation.styles?.[name] ?? ""];
      const listed = Array.isArray(value) && gap !== undefined ? [value.map(plain).join(gap)] : value;
      for (const item of Array.isArray(listed) ? listed : [listed]) {
        if (item === undefined || item === null) continue;
        // A server takes a part for a file when the part has the name of one. A File has its own. The boundary is set by fetch.
        if (item instanceof Uint8Array || (typeof item === "string" && files.includes(name))) form.append(name, new Blob([item]), name);
        else if (!isObject(item) || item.constructor === Object) form.append(name, plain(item));
        else if ("name" in item) form.append(name, item);
        else form.append(name, item, name);
      }
    }
    init.body = form;
    return;
  }
  init.headers["content-type"] ??= media;
  if (isJson(media)) init.body = JSON.stringify(body);
  else if (/^application\/x-www-form-urlencoded/i.test(media)) init.body = encode(pairs(isObject(body) ? body : {}, operation.styles));
  else init.body = body;
}

/** The value of an answer, checked against what the API promises. */
export async function readBody(operation: Described, response: ResponseLike): Promise<unknown> {
  if (operation.bytes && response.arrayBuffer !== undefined) return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  let value: unknown = text === "" ? undefined : text;
  if (value !== undefined && isJson(response.headers.get("content-type") ?? "")) {
    value = parseJson(text);
    if (value === undefined) throw new AnswerError("the answer says that it is JSON, and is not", response, text);
  }
  if (operation.response === undefined) return value;
  const checked = operation.response.safeParse(value);
  if (checked.success) return checked.data;
  throw new AnswerError(`the answer is not what the API promises: ${checked.error.message}`, response, value);
}
