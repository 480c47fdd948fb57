
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
  if (found !== undefined) return found;
  // A server that does not speak RFC 9457 still said something: the status.
  return envelope("rest", { status: response.status, ...(text === "" ? {} : { detail: text }) });
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

/** Whether all items differ, by value. */
export function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item, sorted))).size === items.length;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
