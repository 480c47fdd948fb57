
/**
 * How a caller recovers: from a failure on any surface to the next step, by one table of decisions.
 *
 * `Recovery` is told what came back and says what to do; it sends nothing and reads no clock. What a server says is input from outside: it is
 * followed only within `Allowed` and `Budget`, and a call that is neither safe nor idempotent is repeated only where the envelope says so.
 */

/** Rule, action, and why: the first rule that applies decides. */
export const TABLE = [
__TABLE__
] as const;

export type Rule = (typeof TABLE)[number][0];
export type Effect = "safe" | "idempotent" | "unsafe";

type Json = unknown;
type Bag = { [name: string]: Json };

/** An operation the caller knows, from a list of tools, an OpenAPI document or an agent card. */
export interface Operation {
  readonly name: string;
  readonly effect?: Effect;
  readonly schema?: Json;
  readonly path?: string;
}

export interface Call {
  readonly operation: string;
  readonly arguments: Bag;
}

/** What the caller allows a server to make it do. */
export interface Allowed {
  readonly hosts?: readonly string[];
  readonly operations?: readonly string[];
  readonly scopes?: readonly string[];
  readonly users?: boolean;
  /** The top-level arguments that may be changed; absent allows each that a problem names. */
  readonly fields?: readonly string[];
  readonly effects?: Effect;
}

/** How much may be spent after the call that failed. */
export interface Budget {
  readonly calls?: number;
  readonly millis?: number;
}

export type Step =
  | { readonly send: Call }
  | { readonly choose: { readonly field: string; readonly values: readonly Json[] } }
  | { readonly wait: { readonly millis: number } }
  | { readonly elevate: { readonly scope: string } }
  | "switch_user"
  | { readonly call: Call }
  | { readonly fetch: { readonly url: string } }
  | { readonly give_up: { readonly refused: boolean } };

/** What to do, and why. */
export interface Decision {
  readonly rule: Rule;
  readonly step: Step;
  readonly because: string;
}

const effects: { readonly [name in Effect]: number } = { safe: 0, idempotent: 1, unsafe: 2 };

/** A failure as the caller sees it: the envelope where there is one, else what the protocol alone tells. */
export class Seen {
  problem: Bag | undefined;
  envelope = false;
  ownStatus: number | undefined;
  ownDelay: number | undefined;
  challenge: string | undefined;
  text: string | undefined;
  corrected: Json;
  lost: "not_sent" | "not_answered" | undefined;

  /** No answer. */
  static lost(lost: "not_sent" | "not_answered"): Seen {
    const seen = new Seen();
    seen.lost = lost;
    return seen;
  }

  /** A response with an error status; the names of headers in lower case. */
  static rest(status: number, headers: { readonly [name: string]: string }, body: string): Seen {
    const seen = new Seen();
    seen.ownStatus = status;
    seen.readHeaders(headers);
    const value = parse(body);
    if (isBag(value) && saysSomething(value)) seen.setProblem(value);
    else seen.text = textIn(value, body);
    return seen;
  }

  /** An MCP response or tool result; undefined when it is not a failure. */
  static mcp(wire: Json): Seen | undefined {
    if (!isBag(wire)) return undefined;
    const seen = new Seen();
    const error = wire["error"];
    if (isBag(error)) {
      seen.ownStatus = statusOf(error["code"]);
      seen.text = str(error["message"]);
      if (isBag(error["data"])) seen.setProblem(error["data"]);
      return seen;
    }
    const result = wire["result"] ?? wire;
    if (!isBag(result) || result["isError"] !== true) return undefined;
    const texts: string[] = [];
    for (const block of Array.isArray(result["content"]) ? result["content"] : []) {
      if (isBag(block) && typeof block["text"] === "string") texts.push(block["text"]);
    }
    seen.text = texts[0];
    let found = get(result, "structuredContent", "error") ?? get(result, "_meta", "space.possibility/error");
    for (const text of texts) {
      const value = parse(text);
      if (found !== undefined || !isBag(value)) continue;
      found = isBag(value["error"]) ? value["error"] : saysSomething(value) ? value : undefined;
    }
    if (isBag(found)) seen.setProblem(found);
    return seen;
  }

  /** A JSON-RPC response of an agent; undefined when it is not a failure. */
  static a2a(status: number, headers: { readonly [name: string]: string }, body: Json): Seen | undefined {
    const error = get(body, "error");
    if (!isBag(error) && status < 400) return undefined;
    const seen = new Seen();
    seen.ownStatus = status >= 400 ? status : undefined;
    seen.readHeaders(headers);
    if (!isBag(error)) return seen;
    seen.text = str(error["message"]);
    const data = error["data"];
    const entries = (Array.isArray(data) ? data : [data]).filter(isBag);
    const ours = entries.find(isRich) ?? entries.find((entry) => !("@type" in entry));
    if (ours !== undefined) seen.setProblem(ours);
    else if (seen.ownStatus === undefined) seen.ownStatus = error["code"] === -32001 ? 404 : statusOf(error["code"]);
    return seen;
  }

  private setProblem(value: Bag): void {
    this.envelope = isRich(value);
    this.corrected = value["corrected_args"] ?? value["corrected_params"] ?? value["corrected"];
    this.problem = value;
    if (typeof value["detail"] === "string") this.text = value["detail"];
  }

  private readHeaders(headers: { readonly [name: string]: string }): void {
    const delay = (headers["retry-after"] ?? "").trim();
    if (/^\d+$/.test(delay)) this.ownDelay = Number(delay) * 1000;
    this.challenge = headers["www-authenticate"];
  }

  get status(): number | undefined {
    const told = this.member("status");
    return typeof told === "number" && told >= 400 && told <= 599 ? told : this.ownStatus;
  }

  member(name: string): Json {
    return this.problem !== undefined && Object.hasOwn(this.problem, name) ? this.problem[name] : undefined;
  }

  /** The words of the server: the detail or text, and the message of the remediation. */
  words(): string {
    return [this.text, str(get(this.problem, "remediation", "message"))].filter((words) => words !== undefined).join("\n");
  }

  get remediation(): string | undefined {
    return str(get(this.problem, "remediation", "type"));
  }

  nextAction(part: string): string | undefined {
    return str(get(this.problem, "remediation", "next_action", part));
  }

  get values(): [string, Json[]][] {
    const values = this.member("valid_values");
    if (!isBag(values)) return [];
    return Object.entries(values).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]));
  }

  named(): string[] {
    const out: string[] = [];
    const errors = this.member("errors");
    for (const error of Array.isArray(errors) ? errors : []) {
      const place = str(get(error, "pointer"))?.replace(/^#/, "");
      if (place !== undefined && !out.includes(place)) out.push(place);
    }
    return out.length > 0 ? out : this.values.map(([field]) => pointer(field));
  }

  refused(): boolean {
    if (this.lost !== undefined) return this.lost === "not_sent";
    const status = this.status;
    return status !== undefined && status >= 400 && status < 500 && status !== 408;
  }

  ownRetry(): number | undefined {
    const told = this.member("retry_after");
    return typeof told === "number" && told >= 0 ? Math.ceil(Math.min(told, 86_400)) * 1000 : undefined;
  }

  delay(): number | undefined {
    return this.ownRetry() ?? this.ownDelay;
  }

  saysRepeat(): boolean {
    if (!this.envelope) return false;
    if (this.remediation === "wait_for_provisioning") return true;
    if (this.status === 425 || this.status === 429) return true;
    return (this.refused() || this.status === 503) && this.ownRetry() !== undefined;
  }

  mayRepeat(effect: Effect): boolean {
    return effect !== "unsafe" || this.saysRepeat() || this.lost === "not_sent";
  }

  passing(): boolean {
    return this.lost !== undefined || [408, 425, 429, 500, 502, 503, 504].includes(this.status ?? 0);
  }

  fingerprint(): string {
    if (this.lost !== undefined) return this.lost;
    if (!this.envelope) return `${this.status} ${this.text}`;
    const kind = this.member("code") ?? this.member("type") ?? this.status;
    const values = this.values.flatMap(([field, all]) => all.map((value) => `${field} ${JSON.stringify(plain(value))}`));
    return JSON.stringify([kind, this.named().sort(), values.sort()]);
  }
}

interface Fault {
  readonly place: string;
  readonly what: "missing" | "unknown" | "not_one_of" | "wrong";
  readonly choices?: readonly Json[];
  readonly known?: readonly string[];
  readonly expected?: string;
}

type Pending =
  | { readonly kind: "nothing" | "done" }
  | { readonly kind: "value"; readonly field: string; readonly choices: readonly Json[] }
  | { readonly kind: "list"; readonly fields: readonly string[] };

/** One call on its way to a result. Tell it what happened, do what it decides. */
export class Recovery {
  private leftCalls: number;
  private leftMillis: number;
  private last = new Seen();
  private looping = false;
  private waits = 0;
  private hasWaited = false;
  private readonly spent = new Set<string>();
  private pending: Pending = { kind: "nothing" };
  private picked: [string, Json][] = [];
  private readonly sent: string[];
  private readonly answers: string[] = [];
  private rule: Rule = "nothing";

  constructor(
    private call: Call,
    private readonly known: readonly Operation[],
    private readonly allowed: Allowed = {},
    budget: Budget = {},
  ) {
    this.leftCalls = budget.calls ?? 6;
    this.leftMillis = budget.millis ?? 60_000;
    this.sent = [key(call)];
  }

  /** The call failed, so many milliseconds after the last step was taken. */
  failed(seen: Seen, millis: number): Decision {
    this.leftMillis = Math.max(0, this.leftMillis - millis);
    const answer = `${seen.fingerprint()} ${key(this.call)}`;
    const before = this.answers.filter((known) => known === answer).length;
    this.looping = before > 0 && (!this.hasWaited || before >= 3);
    this.answers.push(answer);
    this.last = seen;
    this.hasWaited = false;
    return this.decide();
  }

  /** The wait is over. */
  waited(): Decision {
    this.hasWaited = true;
    return this.again();
  }

  /** Whether the scope, or the other user, was granted. */
  granted(granted: boolean): Decision {
    return granted ? this.again() : this.decide();
  }

  /** The value that was chosen; undefined when none of them will do. */
  chosen(value: Json): Decision {
    const pending = this.pending;
    this.pending = { kind: "nothing" };
    if (pending.kind === "value" && value !== undefined && value !== null) {
      // Where no values were told, any will do.
      const offered = pending.choices.length === 0 || pending.choices.some((choice) => same(plain(choice), value));
      if (!offered) return this.decide();
      this.picked.push([pending.field, value]);
      // All that is open is asked before the call is sent.
      const open = this.open();
      if (open !== undefined && !open.clear) return this.choose("values", open.place, open.choices);
      const fix = this.with(this.picked);
      if (fix !== undefined) return this.sendFixed(this.rule, fix);
    }
    return this.decide();
  }

  /** What the call for help, or the place that was read, gave; undefined when it failed. */
  helped(result: Json): Decision {
    const pending = this.pending;
    this.pending = { kind: "nothing" };
    if (result !== undefined && result !== null) {
      if (pending.kind === "done") {
        const made = this.made(result);
        return made === undefined ? this.again() : this.sendFixed(this.rule, made);
      }
      for (const field of pending.kind === "list" ? pending.fields : []) {
        const decision = this.learned(field, result);
        if (decision !== undefined) return decision;
      }
    }
    return this.decide();
  }

  private decide(): Decision {
    this.pending = { kind: "nothing" };
    for (const [rule] of TABLE) {
      const decision = this.rules[rule]();
      if (decision !== undefined) return decision;
    }
    return this.giveUp("nothing");
  }

  private readonly rules: { readonly [rule in Rule]: () => Decision | undefined } = {
    budget: () => (this.leftCalls === 0 || this.leftMillis === 0 ? this.giveUp("budget") : undefined),
    loop: () => (this.looping ? this.giveUp("loop") : undefined),
    none: () => (this.last.remediation === "none" && this.last.delay() === undefined ? this.giveUp("none") : undefined),
    corrected: () => {
      const fix = this.isUnknownOperation() ? undefined : this.fix();
      if (fix === undefined) return undefined;
      // Where the values of another field are in a list, one call has both.
      return this.listBeside(fix) ?? this.sendFixed("corrected", fix);
    },
    name: () => this.otherName(),
    delay: () => {
      const told = this.last.delay();
      if (!this.last.saysRepeat() && !(this.effect() !== "unsafe" && told !== undefined)) return undefined;
      // What nobody says how long it takes is done by the operation that is named for it.
      const provisioning = this.last.remediation === "wait_for_provisioning" && told === undefined;
      const acts = this.suggested().every((known) => known.effect !== "safe");
      return (provisioning && acts ? this.tool() : undefined) ?? this.wait("delay", told ?? this.backoff());
    },
    scope: () => {
      const scope = this.missingScope();
      if (scope === undefined || this.spent.has(`scope ${scope}`)) return undefined;
      const words = scope.split(/\s+/).filter((word) => word !== "");
      if (!words.every((word) => this.allowed.scopes?.includes(word))) return undefined;
      this.spent.add(`scope ${scope}`);
      return this.decision("scope", { elevate: { scope } }, `ask for the scope ${scope}`);
    },
    sign_in: () => (this.last.status === 401 ? this.switchUser("sign_in") : undefined),
    values: () => {
      const open = this.isUnknownOperation() ? undefined : this.open();
      return open === undefined ? undefined : this.choose("values", open.place, open.choices);
    },
    choices: () => this.choicesEndpoint(),
    tool: () => this.tool(),
    next_action: () => {
      const url = this.last.refused() ? this.last.nextAction("endpoint_url") : undefined;
      if (url === undefined || this.atPath(url) !== undefined) return undefined;
      const filled = fill(url, this.call.arguments);
      return filled === undefined ? undefined : this.fetch("next_action", filled, this.fields());
    },
    other_user: () => (this.last.remediation === "switch_user" ? this.switchUser("other_user") : undefined),
    ask: () => {
      const free = this.isUnknownOperation() ? [] : this.free();
      const field = free.find((place) => !this.spent.has(`values ${place}`));
      return field === undefined ? undefined : this.choose("ask", field, []);
    },
    unknown: () => (this.effect() === "unsafe" && !this.last.refused() ? this.giveUp("unknown") : undefined),
    passing: () => {
      if (!this.last.mayRepeat(this.effect()) || !this.last.passing()) return undefined;
      return this.wait("passing", this.last.delay() ?? this.backoff());
    },
    nothing: () => this.giveUp("nothing"),
  };

  private otherName(): Decision | undefined {
    if (!this.isUnknownOperation() || this.last.lost !== undefined) return undefined;
    const own = nearest(this.call.operation, this.known.map((known) => known.name)) ?? this.synonym() ?? this.permitted();
    const word = str(this.last.member("suggestion"));
    const found = word === undefined ? undefined : (this.byName(word) ?? this.atPath(word));
    const taken = found !== undefined && (found.name === own || this.mayCall(found)) ? found : undefined;
    const meant = taken ?? (own === undefined ? undefined : this.byName(own));
    if (meant === undefined || meant.name === this.call.operation || this.spent.has(`name ${meant.name}`)) return undefined;
    this.spent.add(`name ${meant.name}`);
    this.call = { operation: meant.name, arguments: this.call.arguments };
    const fix = this.fix();
    if (fix !== undefined) this.call = { operation: meant.name, arguments: fix };
    return this.send("name", `send ${meant.name}`);
  }

  private synonym(): string | undefined {
    const names = this.known.map((known) => known.name);
    const given = withoutNamespace(this.call.operation);
    const bare = given === this.call.operation ? undefined : nearest(given, names);
    const name = bare ?? sameOperation(this.call.operation, names) ?? sameOperation(given, names);
    return name !== undefined && this.takes(this.byName(name), true) ? name : undefined;
  }

  /** The one operation that does the same and was allowed by its name, or reads the same, if it takes these arguments. */
  private permitted(): string | undefined {
    const known = this.known.filter((one) => this.takes(one, false));
    const named = known.filter((one) => (this.allowed.operations ?? []).includes(one.name));
    const reads = known.filter((one) => one.effect === "safe");
    const name = (one: Operation): string => one.name;
    return allowedOperation(this.call.operation, named.map(name)) ?? reading(this.call.operation, reads.map(name));
  }

  /** Whether an operation takes the arguments that were given; where its schema is not known, `otherwise`. */
  private takes(known: Operation | undefined, otherwise: boolean): boolean {
    const properties = get(known?.schema, "properties");
    if (!isBag(properties)) return otherwise;
    const names = Object.keys(this.call.arguments).every((given) => Object.hasOwn(properties, given));
    return names && check(this.call.arguments, known?.schema, "").length === 0;
  }

  /** The list of values that the problem tells for a field which it names and the fix does not change. */
  private listBeside(fix: Bag): Decision | undefined {
    const told = this.last.member("choices_endpoint");
    const listed = this.last.named().filter((field) => get(told, tokens(field).at(-1) ?? "") !== undefined);
    return this.listOf(listed.filter((field) => same(at(fix, field), at(this.call.arguments, field))));
  }

  private choicesEndpoint(): Decision | undefined {
    return this.listOf(this.fields());
  }

  private listOf(fields: readonly string[]): Decision | undefined {
    if (!this.last.refused()) return undefined;
    const told = this.last.member("choices_endpoint");
    for (const field of fields) {
      const name = tokens(field).at(-1) ?? "";
      const url = typeof told === "string" ? told : (str(get(told, name)) ?? endpointIn(this.operation(), name));
      if (url === undefined) continue;
      const place = url.replace(/^GET /, "");
      const list = this.byName(place);
      if (list !== undefined) {
        const given = this.argumentsFor(list, false);
        if (list.effect !== "safe" || given === undefined || this.spent.has(`choices ${place}`)) return undefined;
        this.spent.add(`choices ${place}`);
        return this.first("choices", { operation: place, arguments: given }, { kind: "list", fields: [field] });
      }
      const filled = fill(place, this.call.arguments);
      return filled === undefined ? undefined : this.fetch("choices", filled, [field]);
    }
    return undefined;
  }

  private tool(): Decision | undefined {
    const effect = this.effect();
    if (!this.last.refused() && !this.last.mayRepeat(effect)) return undefined;
    const target = this.suggested().find(
      (known) => known.name !== this.call.operation && this.mayCall(known) && !this.spent.has(`tool ${known.name}`),
    );
    if (target === undefined) return undefined;
    const helps = target.effect === "safe";
    // What is gone is the operation, or the thing that a field names.
    const status = this.last.status ?? 0;
    const gone = [405, 501].includes(status) || (status === 410 && this.last.named().length === 0);
    const replaced = gone && !(helps && effect !== "safe");
    // What is there already is changed, and not made once more.
    const exists = status === 409 && changes(this.call.operation, target.name) && this.takes(target, false);
    const instead = replaced || exists || (helps && this.readsTheSame(target));
    const given = this.argumentsFor(target, instead);
    if (given === undefined) return undefined;
    this.spent.add(`tool ${target.name}`);
    const call = { operation: target.name, arguments: given };
    if (instead) {
      this.call = call;
      return this.send("tool", `send ${target.name} instead`);
    }
    return this.first("tool", call, helps ? { kind: "list", fields: this.fields() } : { kind: "done" });
  }

  /** Another call before the one that failed. */
  private first(rule: Rule, call: Call, pending: Pending): Decision {
    this.leftCalls = Math.max(0, this.leftCalls - 1);
    const decision = this.decision(rule, { call }, `call ${call.operation} first`);
    this.pending = pending;
    return decision;
  }

  /** Whether a safe operation takes the very arguments of a safe call of which no field is said to be wrong. */
  private readsTheSame(target: Operation): boolean {
    const aboutFields = this.last.named().length > 0 || this.last.member("choices_endpoint") !== undefined;
    const given = Object.keys(this.call.arguments).length > 0;
    return this.effect() === "safe" && !aboutFields && given && this.takes(target, false);
  }

  private decision(rule: Rule, step: Step, words: string): Decision {
    this.rule = rule;
    const because = TABLE.find(([name]) => name === rule)?.[2] ?? "";
    return { rule, step, because: `${words}: ${because}` };
  }

  private giveUp(rule: Rule): Decision {
    return this.decision(rule, { give_up: { refused: this.last.refused() } }, "give up");
  }

  private send(rule: Rule, words: string): Decision {
    this.leftCalls = Math.max(0, this.leftCalls - 1);
    this.sent.push(key(this.call));
    this.picked = [];
    return this.decision(rule, { send: { operation: this.call.operation, arguments: this.call.arguments } }, words);
  }

  private sendFixed(rule: Rule, fixed: Bag): Decision {
    this.call = { operation: this.call.operation, arguments: fixed };
    return this.send(rule, `send ${this.call.operation} with changed arguments`);
  }

  private again(): Decision {
    this.pending = { kind: "nothing" };
    return this.send(this.rule, `send ${this.call.operation} again`);
  }

  private wait(rule: Rule, millis: number): Decision {
    if (millis > this.leftMillis) return this.giveUp("budget");
    this.waits += 1;
    this.leftMillis -= millis;
    return this.decision(rule, { wait: { millis } }, `wait ${millis} ms`);
  }

  private backoff(): number {
    return Math.min(500 * 2 ** this.waits, 8000);
  }

  private switchUser(rule: Rule): Decision | undefined {
    if (this.allowed.users !== true || !this.last.refused() || this.spent.has("other_user")) return undefined;
    this.spent.add("other_user");
    return this.decision(rule, "switch_user", "switch the user");
  }

  private choose(rule: Rule, field: string, choices: readonly Json[]): Decision {
    this.spent.add(`values ${field}`);
    const words = `choose one of ${choices.length} values for ${field}`;
    const decision = this.decision(rule, { choose: { field, values: choices } }, words);
    this.pending = { kind: "value", field, choices };
    return decision;
  }

  private fetch(rule: Rule, url: string, fields: readonly string[]): Decision | undefined {
    if (!this.mayRead(url) || this.spent.has(`${rule} ${url}`)) return undefined;
    this.spent.add(`${rule} ${url}`);
    this.leftCalls = Math.max(0, this.leftCalls - 1);
    const decision = this.decision(rule, { fetch: { url } }, `read ${url}`);
    this.pending = { kind: "list", fields };
    return decision;
  }

  private learned(field: string, result: Json): Decision | undefined {
    const choices: Json[] = [];
    const name = tokens(field).at(-1) ?? "";
    gather(result, name, 0, choices);
    const own = choices.length === 0 ? single(result, name, 0) : undefined;
    if (own !== undefined) gather([own], name, 0, choices);
    const given = at(this.call.arguments, field);
    if (choices.every((choice) => same(plain(choice), given))) return undefined;
    const alone = own !== undefined;
    let meant = meantBy(given, choices);
    if (meant === undefined && typeof given === "string" && given.trim() !== "") {
      meant = byMember(result, name, given.trim());
    }
    const only = choices.length === 1 ? plain(choices[0]) : undefined;
    if (meant === undefined && only !== undefined && this.mayTake(field, only, alone)) meant = { value: only };
    if (this.isGuarded(field)) meant = undefined;
    const fix = meant === undefined ? undefined : this.with([...this.picked, [field, meant.value]]);
    return fix === undefined ? this.choose("values", field, choices) : this.sendFixed(this.rule, fix);
  }

  /** The call with what another operation made for it: the fields that the problem names, or that are required and missing. */
  private made(result: Json): Bag | undefined {
    const required = get(this.operation()?.schema, "required");
    const missing = (Array.isArray(required) ? required : [])
      .filter((name): name is string => typeof name === "string" && !Object.hasOwn(this.call.arguments, name))
      .map(pointer);
    const made: [string, Json][] = [];
    for (const place of [...this.last.named(), ...missing]) {
      const found = single(result, tokens(place).at(-1) ?? "", 0);
      const fits = typeof found === "string" || typeof found === "number";
      if (fits && !same(at(this.call.arguments, place), found)) made.push([place, found]);
    }
    return made.length === 0 ? undefined : this.with(made);
  }

  private byName(name: string): Operation | undefined {
    return this.known.find((known) => known.name === name);
  }

  private operation(): Operation | undefined {
    return this.byName(this.call.operation);
  }

  private effect(): Effect {
    return this.operation()?.effect ?? "unsafe";
  }

  private mayCall(known: Operation): boolean {
    const most = effects[this.allowed.effects ?? "safe"];
    return effects[known.effect ?? "unsafe"] <= most || (this.allowed.operations ?? []).includes(known.name);
  }

  private mayChange(place: string): boolean {
    return this.allowed.fields === undefined || this.allowed.fields.includes(tokens(place)[0] ?? "");
  }

  private mayRead(url: string): boolean {
    const split = url.indexOf("://");
    if (split < 0) return url.startsWith("/") && !url.startsWith("//") && !url.includes("\\");
    const authority = url.slice(split + 3).split(/[/?#\\]/)[0] ?? "";
    const hosts = (this.allowed.hosts ?? []).map((host) => host.toLowerCase());
    return ["http", "https"].includes(url.slice(0, split)) && !authority.includes("@") && hosts.includes(authority.toLowerCase());
  }

  private isUnknownOperation(): boolean {
    return this.last.member("code") === "unknown_operation" || this.operation() === undefined;
  }

  private atPath(url: string): Operation | undefined {
    if (!this.mayRead(url)) return undefined;
    const split = url.indexOf("://");
    const from = split < 0 ? 0 : url.indexOf("/", split + 3);
    if (from < 0) return undefined;
    const path = url.slice(from).split(/[?#]/)[0] ?? "";
    let found = this.known.filter((known) => known.path !== undefined && samePath(known.path, path));
    // A list of tools or skills has no paths.
    if (found.length === 0 && this.known.every((known) => known.path === undefined)) {
      const spoken = namesAtPath(path, this.known.map((known) => known.name));
      found = this.known.filter((known) => spoken.includes(known.name));
    }
    if (found.length === 1) return found[0];
    // Of several at one path the caller may have allowed one.
    const named = found.filter((known) => (this.allowed.operations ?? []).includes(known.name));
    return named.length === 1 ? named[0] : undefined;
  }

  private missingScope(): string | undefined {
    if (this.last.status !== 401 && this.last.status !== 403) return undefined;
    const named = ["required_scope", "required_scopes", "scope", "scopes"].map((name) => this.last.member(name));
    const listed = named.map((scope) => (Array.isArray(scope) && scope.every((one) => typeof one === "string") ? scope.join(" ") : str(scope)));
    const told =
      this.last.nextAction("required_scope") ??
      listed.find((scope) => scope !== undefined) ??
      /scope="([^"]*)/.exec(this.last.challenge ?? "")?.[1] ??
      (this.allowed.scopes ?? []).filter((scope) => mentions(this.last.words(), scope)).join(" ");
    return told === undefined || told.trim() === "" ? undefined : told;
  }

  private suggested(): Operation[] {
    const names = [str(this.last.member("mcp_tool")), str(this.last.member("a2a_skill"))];
    const found = names.map((name) => (name === undefined ? undefined : this.byName(name)));
    const url = this.last.nextAction("endpoint_url");
    found.push(url === undefined ? undefined : this.atPath(url));
    const named = found.filter((known): known is Operation => known !== undefined);
    if (named.length > 0) return named;
    // A name of several words is not a word of a sentence.
    const words = this.last.words();
    return this.known.filter((known) => /[_\-.]/.test(known.name) && mentions(words, known.name));
  }

  private argumentsFor(target: Operation, instead: boolean): Bag | undefined {
    const properties = get(target.schema, "properties");
    const required = get(target.schema, "required");
    const out: Bag = {};
    const guessed = isBag(properties) && required === undefined;
    if (instead || (guessed && target.effect !== "safe")) {
      for (const [name, value] of Object.entries(this.call.arguments)) {
        if (!isBag(properties) || Object.hasOwn(properties, name)) out[name] = value;
      }
    }
    if (guessed && target.effect !== "safe") {
      for (const name of Object.keys(properties)) {
        const told = this.last.member(name);
        if (told !== undefined && !Object.hasOwn(out, name) && !standard.includes(name)) out[name] = told;
      }
    }
    const open = (Array.isArray(required) ? required : []).filter(
      (name): name is string => typeof name === "string" && !Object.hasOwn(out, name),
    );
    for (const name of open) {
      const alike = Object.keys(this.call.arguments).filter((own) => sameName(own, name));
      const own = alike.length === 1 ? this.call.arguments[alike[0] ?? ""] : undefined;
      const fits = own !== undefined && check(own, get(properties, name), "").length === 0;
      const told = this.call.arguments[name] ?? (fits ? own : undefined) ?? this.last.member(name) ?? get(properties, name, "default");
      const sought = target.effect === "safe" && open.length === 1 ? this.sought() : undefined;
      const asked = sought !== undefined && check(sought, get(properties, name), "").length === 0 ? sought : undefined;
      const value = told ?? asked;
      if (value === undefined || value === null) return undefined;
      out[name] = value;
    }
    return out;
  }

  /** The text in the one field the failure is about: what another operation is asked to look for. */
  private sought(): string | undefined {
    const [only, ...others] = this.fields();
    return only === undefined || others.length > 0 ? undefined : str(at(this.call.arguments, only));
  }

  private fields(): string[] {
    const named = this.last.named();
    if (named.length > 0) return named;
    const names = Object.keys(this.call.arguments);
    const told = names.filter((name) => this.last.member(name) !== undefined);
    if (told.length > 0) return told.map(pointer);
    const text = this.last.text ?? "";
    const repeated = names.filter((name) => {
      const value = this.call.arguments[name];
      return typeof value === "string" && value.length > 2 && text.includes(value);
    });
    if (repeated.length > 0) return repeated.map(pointer);
    // The thing that the code, the list or the operation speaks of.
    const parts = ["code", "choices_endpoint", "mcp_tool", "a2a_skill"].map((part) => str(this.last.member(part)) ?? "");
    const spoken = fold(parts.join(" "));
    const about = names.filter((name) => {
      const thing = fold(name).replace(/id$/, "");
      return thing.length > 3 && spoken.includes(thing);
    });
    if (about.length === 1) return about.map(pointer);
    const ids = names.filter((name) => name === "id" || /(?:_id|-id|Id)$/.test(name));
    if (ids.length === 1) return ids.map(pointer);
    return names.length === 1 ? names.map(pointer) : [];
  }

  private mayChangeCall(): boolean {
    if (this.last.lost !== undefined) return false;
    return this.last.refused() || this.effect() !== "unsafe" || this.complainsOfArguments();
  }

  private complainsOfArguments(): boolean {
    if (this.last.status !== undefined || this.last.text === undefined) return false;
    const faults = this.ownFaults();
    const words = new Set(this.last.text.split(/[^\p{L}\p{N}_]+/u));
    const mentioned = faults.every((fault) => words.has(tokens(fault.place).at(-1) ?? "\n"));
    return this.toldFaults().length > 0 || (faults.length > 0 && mentioned);
  }

  /** The arguments that were meant, where that is clear. */
  private fix(): Bag | undefined {
    if (!this.mayChangeCall()) return undefined;
    const names = [...this.last.named(), ...this.last.values.map(([field]) => field)];
    const ways: (() => Bag | undefined)[] = [
      () => this.admit(clone(this.last.corrected), names),
      () => this.admit(this.byValues(), names),
      () => this.mended(this.toldFaults()),
      () => this.mended(this.ownFaults()),
      () => this.only(),
      () => this.unwrapped(),
    ];
    for (const way of ways) {
      const fix = way();
      const changed: string[] = [];
      compare(this.call.arguments, fix ?? this.call.arguments, "", changed);
      const refused = changed.some((place) => this.isGuarded(place) || this.isAnother(place, at(fix ?? {}, place)));
      if (fix !== undefined && !refused) return fix;
    }
    return undefined;
  }

  /** Whether a call that does something would do it with the number of another account, card or record. */
  private isAnother(place: string, now: Json): boolean {
    const old = at(this.call.arguments, place);
    return this.effect() !== "safe" && typeof old === "string" && typeof now === "string" && areOther(old, now);
  }

  /** Whether a field says which version the call is based on, after a conflict: only the owner changes it. */
  private isGuarded(place: string): boolean {
    const conflict = [409, 412, 428].includes(this.last.status ?? 0) && this.effect() !== "safe";
    return conflict && isVersion(tokens(place).at(-1) ?? "");
  }

  /** The call with the values that are clear, and with the only ones there are, where they may be taken unasked. */
  private only(): Bag | undefined {
    const choices = this.choices();
    const unclear = choices.filter((open) => !open.clear);
    const only = unclear.map((open): [string, Json] => [open.place, plain(open.choices[0])]);
    const may = unclear.every((open, index) => open.choices.length === 1 && this.mayTake(open.place, only[index]?.[1], true));
    return may && choices.length > 0 ? this.with(only) : undefined;
  }

  /** Whether the only value there is may be taken: nobody gives a consent unasked. */
  private mayTake(place: string, only: Json, alone: boolean): boolean {
    const missing = at(this.call.arguments, place) === undefined && !this.isGuarded(place);
    const consent = isConsent(place) || (typeof only === "string" && isConsent(only));
    return this.effect() === "safe" || (missing && alone && typeof only === "string" && !consent);
  }

  /** The fields of which nobody told the values: those that are missing or wrong, and those that the problem names. */
  private free(): string[] {
    const about = ![401, 403, 429].includes(this.last.status ?? 0);
    const refused = this.last.refused() || this.complainsOfArguments();
    if (this.last.lost !== undefined || !about || !refused) return [];
    const told = this.toldFaults();
    const faults = told.length > 0 ? told : this.ownFaults();
    // Where a name is not known, no value helps.
    const strange = faults.filter((fault) => fault.what === "unknown");
    if (!this.mend(clone(this.call.arguments), strange, [])) return [];
    const values = faults.filter((fault) => fault.what !== "unknown").map((fault) => fault.place);
    const others = this.last.named().filter((place) => faults.every((fault) => fault.place !== place));
    const open = this.choices();
    const free = [...values, ...others].filter(
      (place) => this.mayChange(place) && this.isArgument(place) && open.every((known) => known.place !== place),
    );
    return [...new Set(free)];
  }

  /** The values that are suggested for the one field that is named. */
  private suggestedValue(): [string, readonly Json[]][] {
    const names = [...this.toldFaults(), ...this.ownFaults()].some((fault) => fault.what === "unknown");
    const [only, ...others] = this.last.named();
    const told = this.last.member("suggestion") ?? this.last.member("did_you_mean");
    // An address is a place to go to, and not a value.
    const several: readonly Json[] = Array.isArray(told) ? told : [told];
    const values = several.filter((value) => !(typeof value === "string" && value.startsWith("/")));
    const areValues = values.length > 0 && values.every((value) => typeof value === "string" || Number.isInteger(value));
    return only === undefined || others.length > 0 || names || !areValues ? [] : [[only, values]];
  }

  /** The arguments that stand inside the only one, which the operation does not know. */
  private unwrapped(): Bag | undefined {
    const schema = this.operation()?.schema;
    const properties = get(schema, "properties");
    const [[name, wrapped] = [undefined, undefined], ...others] = Object.entries(this.call.arguments);
    if (!isBag(properties) || name === undefined || others.length > 0 || Object.hasOwn(properties, name)) return undefined;
    if (this.ownFaults().length === 0) return undefined;
    const inner = typeof wrapped === "string" ? parse(wrapped) : clone(wrapped);
    if (!isBag(inner)) return undefined;
    const sure = this.effect() === "safe" || (wrappers.includes(name) && check(inner, schema, "").length === 0);
    return sure ? this.admit(inner, [...Object.keys(inner), name].map(pointer)) : undefined;
  }

  private byValues(): Bag | undefined {
    const given = clone(this.call.arguments);
    const named = Array.isArray(this.last.member("errors")) ? this.last.named() : [];
    const replaced: string[] = [];
    for (const [field, choices] of this.last.values) {
      for (const place of placesOf(field, named, given)) {
        const value = at(given, place);
        if (value === undefined) return undefined;
        const items: [string, Json][] = Array.isArray(value)
          ? value.map((item, index) => [`${place}/${index}`, item])
          : [[place, value]];
        for (const [where, item] of items) {
          if (choices.some((choice) => same(plain(choice), item))) continue;
          const meant = meantBy(item, choices);
          if (meant === undefined) return undefined;
          put(given, where, meant.value);
          replaced.push(place);
        }
      }
    }
    const [only] = named;
    if (this.last.values.length === 0 && named.length === 1 && only !== undefined) {
      const number = numberIn(at(given, only), str(this.last.member("expected")) ?? "", tokens(only).at(-1) ?? "");
      if (number !== undefined) {
        put(given, only, number);
        replaced.push(only);
      }
    }
    const told = named.every((name) => name === "" || replaced.some((place) => covers(place, name)));
    return replaced.length > 0 && told ? given : undefined;
  }

  /** The fields that wait for a choice: first those of which nothing clear was given. */
  private choices(): Open[] {
    if (!this.mayChangeCall()) return [];
    const named = this.last.named();
    const told = this.last.values.map(([field, choices]): [string, readonly Json[]] => {
      const own = pointer(field);
      return [named.find((place) => place.endsWith(own)) ?? own, choices];
    });
    const faults = [...this.toldFaults(), ...this.ownFaults()];
    const all = [
      ...told,
      ...faults.map((fault): [string, readonly Json[]] => {
        const limit = limitOf(at(this.call.arguments, fault.place), fault);
        return [fault.place, limit === undefined ? (fault.choices ?? []) : [limit]];
      }),
      ...this.suggestedValue(),
    ];
    const out: Open[] = [];
    for (const [place, choices] of all) {
      const given = at(this.call.arguments, place);
      const fits = choices.some((choice) => same(plain(choice), given));
      if (choices.length === 0 || fits || !this.mayChange(place) || !this.isArgument(place)) continue;
      if (out.some((known) => known.place === place)) continue;
      out.push({ place, choices, clear: !this.isGuarded(place) && meantAt(given, choices) !== undefined });
    }
    return [...out.filter((open) => !open.clear), ...out.filter((open) => open.clear)];
  }

  /** A field that waits for a choice and was not asked for yet. */
  private open(): Open | undefined {
    return this.choices().find((open) => !this.spent.has(`values ${open.place}`));
  }

  private isArgument(place: string): boolean {
    const first = tokens(place)[0] ?? "";
    if (Object.hasOwn(this.call.arguments, first)) return true;
    const properties = get(this.operation()?.schema, "properties");
    if (isBag(properties)) return Object.hasOwn(properties, first);
    return !["", "field", "method", "route", "tool", "skill", "content-type"].includes(first);
  }

  /** The call with the values that were chosen, and what else is clear. */
  private with(chosen: readonly (readonly [string, Json])[]): Bag | undefined {
    const given = clone(this.call.arguments);
    const named: string[] = [];
    for (const [place, value] of chosen) {
      if (!put(given, place, value)) return undefined;
      named.push(place);
    }
    for (const open of this.choices()) {
      const meant = named.includes(open.place) || !open.clear ? undefined : meantAt(at(given, open.place), open.choices);
      if (meant === undefined) continue;
      put(given, open.place, meant.value);
      named.push(open.place);
    }
    return this.admit(given, named);
  }

  private toldFaults(): Fault[] {
    const errors = this.last.member("errors");
    const told = Array.isArray(errors) ? errors.map((error) => readFault(this.last, error)) : [];
    const read = told.filter((fault): fault is Fault => fault !== undefined);
    if (read.length > 0 && read.length === told.length) return read;
    const fault = ofSerde(this.last.text ?? "", this.call.arguments);
    return fault === undefined ? [] : [fault];
  }

  private ownFaults(): Fault[] {
    const operation = this.operation();
    if (operation === undefined || ![undefined, 400, 404, 422].includes(this.last.status)) return [];
    return check(this.call.arguments, operation.schema, "");
  }

  private mended(faults: readonly Fault[]): Bag | undefined {
    if (faults.length === 0) return undefined;
    const given = clone(this.call.arguments);
    const named: string[] = [];
    return this.mend(given, faults, named) ? this.admit(given, named) : undefined;
  }

  private mend(given: Bag, faults: readonly Fault[], named: string[]): boolean {
    // A field that is missing may be there under a name that is not known.
    const unknown = faults.filter((fault) => fault.what === "unknown");
    const others = faults.filter((fault) => fault.what !== "unknown");
    return [...unknown, ...others].every((fault) => {
      named.push(fault.place);
      return this.mendOne(given, fault, named);
    });
  }

  private mendOne(given: Bag, fault: Fault, named: string[]): boolean {
    const cut = fault.place.lastIndexOf("/");
    const parent = fault.place.slice(0, Math.max(0, cut));
    const name = unescape(fault.place.slice(cut + 1));
    const holder = at(given, parent);
    const move = (from: string, to: string): void => {
      if (!isBag(holder)) return;
      holder[to] = holder[from];
      delete holder[from];
    };
    const schema = schemaAt(this.operation()?.schema, parent);
    const needed = get(schema, "required");
    const required = (Array.isArray(needed) ? needed : []).filter((known): known is string => typeof known === "string");
    if (isBag(holder) && holder[name] === null && get(schema, "properties", name) !== undefined && !required.includes(name)) {
      // It stands for nothing, and may be left out.
      delete holder[name];
      return true;
    }
    if (fault.what === "unknown") {
      if (!isBag(holder)) return false;
      if (!Object.hasOwn(holder, name)) return true;
      const free = (fault.known ?? []).filter((known) => !Object.hasOwn(holder, known));
      const lacking = required.filter((known) => !Object.hasOwn(holder, known));
      const reads = this.effect() === "safe";
      const known = get(schema, "properties");
      const rivals = isBag(known) ? Object.keys(holder).filter((own) => !Object.hasOwn(known, own)).length : 0;
      const remaining = reads && rivals === 1 && lacking.length === 1 ? lacking[0] : undefined;
      const meant = sameField(name, free) ?? meantWord(name, free) ?? (reads ? shortened(name, lacking) : undefined) ?? remaining;
      if (meant === undefined && reads && lacking.length === 0) {
        delete holder[name];
        return true;
      }
      if (meant === undefined) return false;
      move(name, meant);
      named.push(parent + pointer(meant));
      return true;
    }
    if (fault.what === "missing") {
      if (!isBag(holder)) return false;
      if (Object.hasOwn(holder, name)) return true;
      const properties = get(schemaAt(this.operation()?.schema, parent), "properties");
      if (isBag(properties)) {
        const strangers = Object.keys(holder).filter((known) => !Object.hasOwn(properties, known));
        const stranger = sameField(name, strangers) ?? meantWord(name, strangers);
        if (stranger !== undefined) {
          move(stranger, name);
          named.push(parent + pointer(stranger));
          return true;
        }
      }
      const fallback = get(properties, name, "default");
      const choices = fault.choices ?? [];
      if (fallback !== undefined) holder[name] = fallback;
      else if (choices.length === 1) {
        // The only value may be a consent that nobody gave: then the caller is asked.
        const only = plain(choices[0]);
        const consent = typeof only === "string" ? isConsent(only) || isConsent(fault.place) : this.effect() !== "safe";
        if (consent) return false;
        holder[name] = only;
      } else return false;
      return true;
    }
    const value = at(given, fault.place);
    const meant = (fault.choices ?? []).length > 0 ? meantBy(value, fault.choices ?? []) : undefined;
    if (meant !== undefined) return put(given, fault.place, meant.value);
    if (fault.what !== "wrong") return false;
    const other = otherType(value, fault.expected ?? "", this.effect() === "safe", name);
    return other !== undefined && put(given, fault.place, other);
  }

  private admit(changed: Json, names: readonly string[]): Bag | undefined {
    if (!isBag(changed)) return undefined;
    const named = [...names];
    const operation = this.operation();
    if (operation !== undefined) {
      const faults = check(changed, operation.schema, "");
      if (faults.length > 0) {
        if (!this.mend(changed, faults, named) || check(changed, operation.schema, "").length > 0) return undefined;
      }
    }
    const changes: string[] = [];
    compare(this.call.arguments, changed, "", changes);
    const covered = changes.every(
      (place) => named.some((name) => covers(name, place)) && this.mayChange(place) && this.isArgument(place),
    );
    const isNew = !this.sent.includes(key({ operation: this.call.operation, arguments: changed }));
    return changes.length > 0 && covered && isNew ? changed : undefined;
  }
}

function readFault(seen: Seen, error: Json): Fault | undefined {
  const place = str(get(error, "pointer"))?.replace(/^#/, "");
  if (place === undefined) return undefined;
  const detail = str(get(error, "detail")) ?? "";
  const last = tokens(place).at(-1) ?? "";
  const values = new Map(seen.values);
  const choices = values.get(place) ?? values.get(last) ?? [];
  if (detail.includes(" is missing")) return { place, what: "missing", choices };
  const known = detail.split(" is not a known field; known fields: ")[1];
  if (known !== undefined) return { place, what: "unknown", known: quoted(known, '"') };
  if (choices.length > 0) return { place, what: "not_one_of", choices };
  const split = detail.indexOf(" must be ");
  if (split < 0) return undefined;
  const expected = detail.slice(split + 9).replace(/\.$/, "");
  if (expected.startsWith('"')) return { place, what: "not_one_of", choices: quoted(expected, '"') };
  return { place, what: "wrong", expected: expected.split(", not ")[0] ?? "" };
}

function quoted(text: string, mark: string): string[] {
  return text.split(mark).filter((_, index) => index % 2 === 1);
}

/** What serde says about the arguments, in whatever text it stands. */
function ofSerde(text: string, given: Bag): Fault | undefined {
  const found = /(unknown variant|unknown field|missing field) `([^`]*)`(.*)/s.exec(text);
  if (found === null) return undefined;
  const [, kind, word = "", rest = ""] = found;
  const listed = quoted(rest, "`");
  if (kind === "missing field") return { place: pointer(word), what: "missing" };
  if (kind === "unknown field") return { place: pointer(word), what: "unknown", known: listed };
  const places = Object.keys(given).filter((name) => given[name] === word);
  const [place] = places;
  return places.length === 1 && place !== undefined ? { place: pointer(place), what: "not_one_of", choices: listed } : undefined;
}

const expectedOf: { readonly [kind: string]: string } = {
  integer: "a whole number",
  number: "a number",
  string: "a string",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
};

/** Everything that is wrong with the arguments, as far as types, sets and names tell. */
function check(value: Json, schema: Json, place: string): Fault[] {
  if (!isBag(schema)) return [];
  const allowed = schema["enum"] ?? ("const" in schema ? [schema["const"]] : undefined);
  if (Array.isArray(allowed)) {
    return allowed.some((one) => same(one, value)) ? [] : [{ place, what: "not_one_of", choices: allowed }];
  }
  const kind = schema["type"];
  const kinds = (Array.isArray(kind) ? kind : [kind]).filter((one): one is string => typeof one === "string");
  const [first] = kinds;
  if (first !== undefined && !kinds.some((one) => isKind(value, one))) {
    const choices = kinds.length === 1 && first === "boolean" ? [true, false] : [];
    return [{ place, what: "wrong", choices, expected: expectedOf[first] ?? first }];
  }
  if (typeof value === "number") {
    const least = schema["minimum"];
    const most = schema["maximum"];
    if (typeof least === "number" && value < least) return [{ place, what: "wrong", expected: `at least ${least}` }];
    if (typeof most === "number" && value > most) return [{ place, what: "wrong", expected: `at most ${most}` }];
  }
  const out: Fault[] = [];
  if (isBag(value)) {
    const properties = isBag(schema["properties"]) ? schema["properties"] : {};
    for (const name of Array.isArray(schema["required"]) ? schema["required"] : []) {
      if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
      const choices = get(properties, name, "enum");
      out.push({ place: place + pointer(name), what: "missing", choices: Array.isArray(choices) ? choices : [] });
    }
    for (const [name, inner] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) out.push(...check(inner, properties[name], place + pointer(name)));
      else if (schema["additionalProperties"] === false) {
        out.push({ place: place + pointer(name), what: "unknown", known: Object.keys(properties) });
      }
    }
  }
  if (Array.isArray(value)) value.forEach((item, index) => out.push(...check(item, schema["items"], `${place}/${index}`)));
  return out;
}

function isKind(value: Json, kind: string): boolean {
  switch (kind) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isBag(value);
    case "boolean":
    case "number":
    case "string":
      return typeof value === kind;
    default:
      return true;
  }
}

/** Units of measure, and how they are written in short. */
const units = [
  ["milliseconds", "millis", "ms"], ["seconds", "second", "secs", "sec", "s"], ["minutes", "minute", "mins", "min"],
  ["hours", "hour", "hrs", "hr", "h"], ["days", "day", "d"], ["percent", "percentage", "pct", "%"], ["kilograms", "kilogram", "kg"],
  ["grams", "gram", "g"], ["kilometers", "kilometres", "km"], ["meters", "metres", "m"], ["centimeters", "centimetres", "cm"],
  ["millimeters", "millimetres", "mm"], ["pixels", "pixel", "px"], ["celsius", "°c"],
];

function numberIn(given: Json, expected: string, field: string): number | undefined {
  if (typeof given !== "string") return undefined;
  const wanted = expected.replace(/ or null$/, "");
  const whole = /^-?\d+$/.test(given.trim());
  if (wanted.startsWith("a whole number") && whole) return Number(given);
  if (wanted.startsWith("a whole number") && /^\d{1,3}(?:[,_' ]\d{3})+$/.test(given.trim())) return Number(given.replace(/\D/g, ""));
  const [, number = "", unit = ""] = /^\s*(-?\d+(?:\.\d+)?)\s*([^\d\s]+)\s*$/.exec(given) ?? [];
  const names = units.find((known) => known.includes(unit.toLowerCase()));
  const measured = names !== undefined && field.toLowerCase().split(/[^\p{L}\p{N}]+/u).some((word) => names.includes(word));
  if (measured && (wanted === "a number" || /^-?\d+$/.test(number))) return Number(number);
  return wanted === "a number" && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : undefined;
}

function otherType(given: Json, expected: string, harmless: boolean, field: string): Json {
  const number = numberIn(given, expected, field);
  if (number !== undefined) return number;
  const wanted = expected.replace(/ or null$/, "");
  if (wanted === "a string" && (typeof given === "number" || typeof given === "boolean")) return String(given);
  if (typeof given === "string" && (wanted === "an array" || wanted === "an object")) {
    const inner = parse(given);
    // A text with separators may be several items, or one.
    if (wanted === "an array") return Array.isArray(inner) ? inner : /[,;|\n]/.test(given) ? undefined : [given];
    return isBag(inner) ? inner : undefined;
  }
  if (wanted === "an array" && given !== undefined && given !== null) return [given];
  if (wanted === "a string" && Array.isArray(given) && given.length === 1 && typeof given[0] === "string") return given[0];
  const limit = /^at (?:most|least) (-?[\d.]+)$/.exec(wanted)?.[1];
  return harmless && typeof given === "number" && limit !== undefined ? Number(limit) : undefined;
}

/** A field that takes one of some values, and whether the one that was meant is clear. */
interface Open {
  readonly place: string;
  readonly choices: readonly Json[];
  readonly clear: boolean;
}

/** The limit that a number passed, to be chosen instead: another number is another call. */
function limitOf(given: Json, fault: Fault): number | undefined {
  if (fault.what !== "wrong" || typeof given !== "number") return undefined;
  const at = /^at (?:most|least) (-?\d+(?:\.\d+)?)$/.exec(fault.expected ?? "")?.[1];
  if (at !== undefined) return Number(at);
  const beyond = /^(more|less) than (-?\d+)$/.exec(fault.expected ?? "");
  if (beyond === null || !Number.isInteger(given)) return undefined;
  return Number(beyond[2]) + (beyond[1] === "more" ? 1 : -1);
}

/** The value, or the items, that are clearly meant. */
function meantAt(given: Json, choices: readonly Json[]): { readonly value: Json } | undefined {
  if (!Array.isArray(given)) return meantBy(given, choices);
  const items: Json[] = [];
  for (const item of given) {
    const fits = choices.some((choice) => same(plain(choice), item));
    const meant = fits ? { value: item } : meantBy(item, choices);
    if (meant === undefined) return undefined;
    items.push(meant.value);
  }
  return same(items, given) ? undefined : { value: items };
}

/** The one choice that is meant. */
function meantBy(given: Json, choices: readonly Json[]): { readonly value: Json } | undefined {
  const values = choices.map(plain);
  if (typeof given === "string") {
    const word = meantWord(given, values.filter((value): value is string => typeof value === "string"));
    const trimmed = given.trim().toLowerCase();
    const both = values.includes(true) && values.includes(false);
    const truth = !both ? undefined : ["yes", "on"].includes(trimmed) ? true : ["no", "off"].includes(trimmed) ? false : undefined;
    const others = values.filter((value) => typeof value !== "string" && (JSON.stringify(value) === trimmed || value === truth));
    if (word !== undefined) return others.length === 0 ? { value: word } : undefined;
    if (others.length > 0) return { value: others[0] };
    const labelOf = (choice: Json): string | undefined => str(get(choice, "label"))?.trim().toLowerCase();
    const labels = choices.map((choice) => str(get(choice, "label"))).filter((label): label is string => label !== undefined);
    const label = meantWord(trimmed, labels)?.trim().toLowerCase();
    const labelled = choices.filter((choice) => label !== undefined && labelOf(choice) === label);
    return labelled.length === 1 ? { value: plain(labelled[0]) } : undefined;
  }
  if (typeof given !== "number" && typeof given !== "boolean") return undefined;
  const spelled = values.find((value) => value === String(given));
  return spelled === undefined ? undefined : { value: spelled };
}

const short = [
  ["acct", "account"], ["addr", "address"], ["admin", "administrator"], ["amt", "amount"], ["app", "application"], ["apr", "april"],
  ["asc", "ascending"], ["aug", "august"], ["auth", "authentication"], ["auto", "automatic"], ["config", "configuration"],
  ["crit", "critical"], ["dec", "december"], ["dept", "department"], ["desc", "descending"], ["desc", "description"],
  ["dest", "destination"], ["dev", "development"], ["doc", "document"], ["env", "environment"], ["feb", "february"],
  ["freq", "frequency"], ["fri", "friday"], ["img", "image"], ["info", "information"], ["intl", "international"], ["jan", "january"],
  ["jul", "july"], ["jun", "june"], ["lang", "language"], ["loc", "location"], ["mar", "march"], ["max", "maximum"], ["med", "medium"],
  ["mgr", "manager"], ["min", "minimum"], ["mon", "monday"], ["msg", "message"], ["nov", "november"], ["num", "number"],
  ["oct", "october"], ["org", "organization"], ["pct", "percent"], ["pic", "picture"], ["pkg", "package"], ["prio", "priority"],
  ["prod", "production"], ["qty", "quantity"], ["ref", "reference"], ["repo", "repository"], ["sat", "saturday"], ["sep", "september"],
  ["src", "source"], ["stage", "staging"], ["std", "standard"], ["sun", "sunday"], ["tel", "telephone"], ["thu", "thursday"],
  ["tue", "tuesday"], ["ver", "version"], ["wed", "wednesday"],
] as const;
const kindWords = ["id", "ids", "time", "date", "datetime", "at", "on", "address", "number", "value", "text", "string"];
const verbs: readonly (readonly string[])[] = [
  ["add", "create", "new", "make", "insert", "register"],
  ["get", "fetch", "read", "show", "retrieve", "lookup", "view", "describe"],
  ["list", "all", "index", "browse"],
  ["search", "find", "query"],
  ["update", "edit", "modify", "change"],
];
const acts: readonly (readonly string[])[] = [
  ["send", "post"],
  ["delete", "remove", "erase", "destroy", "drop"],
  ["start", "run", "launch", "execute", "trigger"],
  ["stop", "halt", "terminate", "end"],
  ["cancel", "abort"],
];
/** What agents wrap arguments in. Inside another name they may mean something else. */
const wrappers = ["params", "parameters", "arguments", "args", "kwargs", "input", "data", "body", "payload", "request"];
const consents = [
  "accept", "acknowledg", "agree", "approv", "authori", "confirm", "consent", "forc", "permission", "permit", "promis", "sign", "sure",
  "terms", "understood", "waive",
];

/** `nearest`, and where nothing is near in letters the one candidate that is another form of the same words. */
export function meantWord(given: string, candidates: readonly string[]): string | undefined {
  const { word: meant, rival } = near(given, candidates);
  if (meant !== undefined) return meant;
  const found = candidates.filter(
    (word) => sameForm(given, word) && !numbersDiffer(given, word) && !areOpposite(folded(given)[0], folded(word)[0]),
  );
  const [first] = new Set(found);
  const alone = new Set(found).size === 1 && first !== undefined;
  return alone && rival > Math.min(far(given, first), 64) ? first : undefined;
}

/** The one field that has this name but for the words that tell its kind. */
export function sameField(given: string, known: readonly string[]): string | undefined {
  const bare = (name: string): string => nameWords(name).filter((word) => !kindWords.includes(word)).join(" ");
  const wanted = bare(given);
  const found = known.filter((name) => wanted !== "" && bare(name) === wanted);
  return found.length === 1 ? found[0] : undefined;
}

/** The one operation that does the same to the same thing. */
export function sameOperation(given: string, known: readonly string[]): string | undefined {
  const wanted = meaning(given);
  return one(known, (name) => wanted.length > 1 && same(meaning(name), wanted));
}

/** The one operation that does the same, where the caller allowed those of `known` by their names. */
export function allowedOperation(given: string, known: readonly string[]): string | undefined {
  const act = (word: string): string => {
    const found = acts.find((all) => all.includes(word))?.[0];
    return found === undefined ? word : ` ${found}`;
  };
  const wanted = meaning(given).map(act).sort();
  return one(known, (name) => wanted.length > 1 && same(meaning(name).map(act).sort(), wanted));
}

/** The one operation of `known`, which only read, that reads what `given` would. */
export function reading(given: string, known: readonly string[]): string | undefined {
  const [asked, wanted] = halves(given);
  const reads = verbs.slice(1, 4).map((group) => ` ${group[0]}`);
  if (wanted.length === 0 || !asked.every((verb) => reads.includes(verb))) return undefined;
  const near = known.flatMap((name) => {
    const things = halves(name)[1];
    const shared = things.filter((thing) => wanted.includes(thing)).length;
    const more = things.length - shared;
    const told = shared === wanted.length || (asked.length > 0 && more === 0);
    return told && shared > 0 ? [{ name, rank: more - shared * 1000 }] : [];
  });
  const [first, second] = near.sort((a, b) => a.rank - b.rank);
  return first === undefined || first.rank === second?.rank ? undefined : first.name;
}

/** The operations of `known` that a path speaks of. */
export function namesAtPath(path: string, known: readonly string[]): string[] {
  const segments = path.split("/").filter((segment) => !segment.startsWith("{"));
  const kept = [segments.join("/"), segments.filter((segment) => !/^v[0-9]+$/.test(segment)).join("/")];
  const equal = kept.map((bare) => known.filter((name) => meaning(bare).length > 0 && same(meaning(name), meaning(bare))));
  const things = kept.map((bare) => {
    const [asked, wanted] = halves(bare);
    return known.filter((name) => asked.length === 0 && wanted.length > 0 && same(halves(name)[1], wanted));
  });
  return [...equal, ...things].find((found) => found.length > 0) ?? [];
}

/** A name without the name of the server that some clients put in front. */
export function withoutNamespace(name: string): string {
  return name.split(/[./:]/).at(-1)?.split("__").at(-1) ?? name;
}

/** The one field for which `given` is short, or which is short for `given`. */
export function shortened(given: string, known: readonly string[]): string | undefined {
  const own = nameWords(given);
  return one(known, (name) => {
    const other = nameWords(name);
    const [long = "", short = ""] = [...own, ...other].sort((a, b) => b.length - a.length);
    return own.length === 1 && other.length === 1 && short.length > 2 && long.startsWith(short);
  });
}

function one(known: readonly string[], fits: (name: string) => boolean): string | undefined {
  const found = known.filter(fits);
  return found.length === 1 ? found[0] : undefined;
}

/** The words of an operation in order: its verb by the first of those that do the same, nouns in the singular. */
function meaning(name: string): string[] {
  const words = nameWords(name).map((word) => {
    const verb = verbs.find((group) => group.includes(word))?.[0];
    if (verb !== undefined) return ` ${verb}`;
    return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
  });
  return words.sort();
}

/** The verbs of an operation that are known, and its other words. */
function halves(name: string): [string[], string[]] {
  const words = meaning(name);
  return [words.filter((word) => word.startsWith(" ")), words.filter((word) => !word.startsWith(" "))];
}

/** Whether an operation changes what another one would make: `update_lead` and `create_lead`. */
function changes(given: string, target: string): boolean {
  const [verbs, things] = halves(given);
  const words = meaning(target);
  const others = words.filter((word) => ![" update", "patch", "replace", "upsert"].includes(word));
  return verbs.join() === " add" && words.length - others.length === 1 && others.join() === things.join();
}

/** Whether words name something, not as a part of another word or name: `pages:write` does not name `pages`. */
function mentions(words: string, name: string): boolean {
  const bare = name.replace(/[^\p{L}\p{N}_]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
  const part = "[\\p{L}\\p{N}_\\-]";
  const joint = "[:./]";
  return name !== "" && new RegExp(`(?<!${part})(?<!${part}${joint})${bare}(?!${part})(?!${joint}${part})`, "u").test(words);
}

/** Whether a field or a value speaks of a promise or a permission. */
export function isConsent(text: string): boolean {
  return nameWords(text).some((word) => consents.some((start) => word.startsWith(start)));
}

/** Whether a field says on which version of a thing a call is based. */
export function isVersion(field: string): boolean {
  const versions = ["etag", "version", "revision", "rev", "sha", "hash", "checksum", "digest", "generation", "match"];
  return nameWords(field).some((word) => versions.includes(word));
}

function nameWords(text: string): string[] {
  return (text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase());
}

function sameForm(given: string, candidate: string): boolean {
  const [a, b] = [nameWords(given), nameWords(candidate)];
  if (a.length === 0 || a.length !== b.length) return false;
  const anchored = a.length > 1 && a.some((word, index) => word === b[index]);
  return a.every((one, index) => {
    const other = b[index] ?? "";
    return (
      one === other ||
      inflected(one, other) ||
      inflected(other, one) ||
      short.some(([x, y]) => (x === one && y === other) || (y === one && x === other)) ||
      (anchored && one.length >= 3 && other.startsWith(one))
    );
  });
}

function inflected(base: string, other: string): boolean {
  if (base.length < 3 || !/^[\x00-\x7f]*$/.test(base + other)) return false;
  const forms = [`${base}ing`, `${base}ed`, `${base}es`];
  if (base.length > 3 && base.endsWith("e")) forms.push(`${base.slice(0, -1)}ing`, `${base.slice(0, -1)}ed`);
  if (base.length > 3 && base.endsWith("y")) forms.push(`${base.slice(0, -1)}ied`, `${base.slice(0, -1)}ies`);
  const last = base.slice(-1);
  if (!"aeiouwxy".includes(last)) forms.push(`${base}${last}ing`, `${base}${last}ed`);
  return forms.includes(other);
}

const prefixes = ["a", "anti", "de", "dis", "il", "im", "in", "ir", "mis", "no", "non", "not", "re", "semi", "sub", "un"];
const pairs = [
  ["a", "de"], ["en", "dis"], ["im", "ex"], ["in", "de"], ["in", "ex"], ["in", "out"], ["inter", "intra"], ["min", "max"],
  ["on", "off"], ["over", "under"], ["pre", "post"], ["pro", "anti"], ["sub", "super"], ["up", "down"],
] as const;

/** Whether both are long numbers, of an account or a record, and none is the other in another form. Days are not of that kind. */
function areOther(given: string, other: string): boolean {
  const [one, two] = [given, other].map((text) => text.replace(/[^0-9]/g, "").replace(/^0+/, "")) as [string, string];
  const long = Math.min(one.length, two.length) >= 8 && !isDay(given) && !isDay(other);
  return long && !one.includes(two) && !two.includes(one);
}

function isDay(text: string): boolean {
  return /^\D*(?:(?:19|20)\d\d\D+\d{1,2}\D+\d{1,2}|\d{1,2}\D+\d{1,2}\D+(?:19|20)\d\d|(?:19|20)\d{6})(?!\d)/.test(text);
}

/**
 * The candidate that is unambiguously meant, if there is one. Another number, another letter at the end that stands alone, and the opposite are
 * never meant.
 */
export function nearest(given: string, candidates: readonly string[]): string | undefined {
  return near(given, candidates).word;
}

/** What is near in letters, and how far the nearest is that is never meant. */
function near(given: string, candidates: readonly string[]): { readonly word?: string; readonly rival: number } {
  const length = [...folded(given)[0]].length;
  let best: { readonly distance: number; readonly word: string } | undefined;
  let second = Infinity;
  let rival = Infinity;
  if (length === 0) return { rival };
  for (const word of candidates) {
    if (word === given) return { word, rival };
    // White space groups digits.
    const bare = (text: string): string => text.toLowerCase().replace(/\s/g, "");
    let distance = given.trim().toLowerCase() === word.toLowerCase() ? 0 : 1;
    if (bare(given) !== bare(word)) {
      distance = far(given, word);
      const opposite = areOpposite(folded(given)[0], folded(word)[0]);
      if (opposite || numbersDiffer(given, word) || lettersDiffer(given, word) || extendsWord(given, word)) {
        rival = Math.min(rival, distance);
        continue;
      }
    }
    if (best !== undefined && best.word === word) continue;
    if (best !== undefined && distance >= best.distance) second = Math.min(second, distance);
    else {
      if (best !== undefined) second = Math.min(second, best.distance);
      best = { distance, word };
    }
  }
  const allowance = length <= 2 ? 0 : length <= 5 ? 1 : length <= 11 ? 2 : 3;
  // What is farther away than a rival is not meant either.
  const clear = best !== undefined && best.distance <= allowance + 1 && best.distance < Math.min(second, rival);
  return clear && best !== undefined ? { word: best.word, rival } : { rival };
}

function far(given: string, word: string): number {
  const [[wanted, ending], [other, otherEnding]] = [folded(given), folded(word)];
  const distance = aligned(wanted, other);
  return 1 + (ending === otherEnding ? distance : Math.min(distance, aligned(wanted + ending, other + otherEnding)));
}

function folded(word: string): [string, string] {
  const bare = word.trim().toLowerCase().replace(/[ \-_.\t]/g, "").slice(0, 64);
  return bare.length > 3 && /[^s]s$/.test(bare) ? [bare.slice(0, -1), "s"] : [bare, ""];
}

function aligned(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > 3) return Infinity;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  a.forEach((x, i) => {
    const row = [i + 1];
    b.forEach((y, j) => {
      const far = Infinity;
      let cost = Math.min((last[j] ?? far) + (x === y ? 0 : 1), (last[j + 1] ?? far) + 1, (row[j] ?? far) + 1);
      if (i > 0 && j > 0 && x !== y && a[i - 1] === y && b[j - 1] === x) cost = Math.min(cost, (before[j - 1] ?? far) + 1);
      row.push(cost);
    });
    [before, last] = [last, row];
  });
  return last.at(-1) ?? 0;
}

function numbersDiffer(one: string, other: string): boolean {
  const [given, candidate] = [one.trim(), other.trim()];
  const runs = (word: string): string => (word.match(/\p{N}+/gu) ?? []).join(" ");
  if (runs(candidate) === "") return !given.split(/(\p{N})/u).every((_, index, all) => {
    if (index % 2 === 0) return true;
    return /\p{L}$/u.test(all[index - 1] ?? "") && /^\p{L}/u.test(all[index + 1] ?? "");
  });
  const negative = (word: string): boolean => /^-\p{N}/u.test(word);
  return runs(given) !== runs(candidate) || negative(given) !== negative(candidate);
}

/** Whether the words end in different letters that stand alone: `plan-a`, `plan-b` and `plan`. */
function lettersDiffer(given: string, candidate: string): boolean {
  const last = (word: string): string | undefined => /[ \-_.](\p{L})$/u.exec(word.trim())?.[1]?.toLowerCase();
  return last(given) !== last(candidate) && fold(given) !== fold(candidate);
}

/** Whether one of the words is the other and a further part: `web` and `web-eu`. */
function extendsWord(given: string, candidate: string): boolean {
  const [one, other] = [given.trim().toLowerCase(), candidate.trim().toLowerCase()];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(short) && /^[-_. \/]/.test(long.slice(short.length)) && /[\p{L}\p{N}]/u.test(long.slice(short.length));
}

function areOpposite(one: string, other: string): boolean {
  const prefixed = (long: string, short: string): boolean =>
    long.endsWith(short) && prefixes.includes(long.slice(0, long.length - short.length));
  if (prefixed(one, other) || prefixed(other, one)) return true;
  const swapped = (a: string, b: string): boolean => {
    for (let from = one.indexOf(a); from >= 0; from = one.indexOf(a, from + 1)) {
      if (one.slice(0, from) + b + one.slice(from + a.length) === other) return true;
    }
    return false;
  };
  return pairs.some(([a, b]) => swapped(a, b) || swapped(b, a));
}

/** What each problem has; it is never an argument. */
const standard = ["type", "title", "status", "detail", "instance", "code"];
const listNames = ["value", "id", "gid", "uid", "uuid", "guid", "key", "slug", "code", "name", "uri"];

/** The member of an item that the field is about. */
function memberName(item: Bag, field: string): string | undefined {
  const spelled = [field, ...["id", "code", "key", "slug"].map((end) => field + end)].map(fold);
  const owns = spelled.flatMap((wanted) => Object.keys(item).filter((known) => fold(known) === wanted).slice(0, 1));
  const ending = listNames.find((name) => field.endsWith(`_${name}`));
  const names = [...owns.slice(0, 1), field, ...(ending === undefined ? [] : [ending]), ...listNames];
  return names.find((known) => typeof item[known] === "string" || typeof item[known] === "number");
}

/** The values for a field in what was read. */
function gather(value: Json, field: string, depth: number, out: Json[]): void {
  if (depth > 5 || out.length >= 512) return;
  const push = (found: Json, label?: string): void => {
    if (typeof found !== "string" && !Number.isInteger(found)) return;
    if (out.some((known) => plain(known) === found)) return;
    out.push(label === undefined ? found : { value: found, label });
  };
  if (Array.isArray(value)) {
    for (const item of value) {
      if (Array.isArray(item)) gather(item, field, depth + 1, out);
      else if (isBag(item)) {
        const name = memberName(item, field);
        if (name === undefined) gather(item, field, depth + 1, out);
        else push(item[name], labelOf(item));
      } else push(item);
    }
  } else if (isBag(value) && depth > 0 && Object.values(value).every((item) => isRecord(item, field))) {
    // Records by their key.
    for (const [known, item] of Object.entries(value)) push(known, labelOf(item));
  } else if (isBag(value)) {
    for (const inner of Object.values(value)) gather(inner, field, depth + 1, out);
  } else if (typeof value === "string" && /^[[{]/.test(value)) gather(parse(value), field, depth + 1, out);
}

function labelOf(item: Json): string | undefined {
  return ["label", "title", "name"].map((known) => str(get(item, known))).find((known) => known !== undefined);
}

/** Whether an object says something about a thing, but not what it is called by. */
function isRecord(item: Json, field: string): boolean {
  if (!isBag(item) || Object.keys(item).length === 0) return false;
  const called = (name: string): boolean => name === "id" || fold(name) === fold(field) || fold(name) === `${fold(field)}id`;
  const nested = Object.values(item).some((value) => Array.isArray(value) || isBag(value));
  return !nested && !Object.keys(item).some(called);
}

/** The member of that name, where one thing was read and not a list: `hold_id` is also the `id` in `hold`. */
function single(value: Json, field: string, depth: number): Json {
  if (!isBag(value) || depth >= 2) return undefined;
  const wanted = fold(field);
  const own = Object.keys(value).find((name) => fold(name) === wanted);
  if (own !== undefined) return value[own];
  for (const [name, inner] of Object.entries(value)) {
    const outer = fold(name);
    const rest = outer !== "" && wanted.startsWith(outer) ? wanted.slice(outer.length) : "";
    const within = isBag(inner) && rest !== "" ? Object.keys(inner).find((known) => fold(known) === rest) : undefined;
    const found = isBag(inner) && within !== undefined ? inner[within] : single(inner, field, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two names are the same but for their spelling and a final `id`. */
function sameName(one: string, other: string): boolean {
  const [a, b] = [fold(one), fold(other)];
  return a === b || a === `${b}id` || b === `${a}id`;
}

function fold(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** The value of the one item that has the given text in any of its members. */
function byMember(result: Json, field: string, given: string): { readonly value: Json } | undefined {
  const found: [string, Json][] = [];
  search(result, field, 0, found);
  const equal = found.filter(([text]) => text.trim().toLowerCase() === given.trim().toLowerCase());
  const values = [...new Set(equal.map(([, value]) => value))];
  return values.length === 1 ? { value: values[0] } : undefined;
}

/** Every text in an item of a list, with the value of the item. */
function search(value: Json, field: string, depth: number, out: [string, Json][]): void {
  if (depth > 5 || out.length >= 512) return;
  if (Array.isArray(value)) for (const item of value) search(item, field, depth + 1, out);
  else if (isBag(value)) {
    const name = memberName(value, field);
    for (const text of Object.values(value)) if (name !== undefined && typeof text === "string") out.push([text, value[name]]);
    for (const inner of Object.values(value)) if (typeof inner !== "string") search(inner, field, depth + 1, out);
  } else if (typeof value === "string" && /^[[{]/.test(value)) search(parse(value), field, depth + 1, out);
}

function endpointIn(operation: Operation | undefined, name: string): string | undefined {
  const schema = get(operation?.schema, "properties", name);
  const keys = ["choices_endpoint", "x-choices-endpoint", "x-aon-choices-endpoint"];
  const told = keys.map((known) => str(get(schema, known))).find((url) => url !== undefined);
  const described = (str(get(schema, "description")) ?? "").split("Valid choices: GET ");
  const url = told ?? (described.length > 1 ? described.at(-1)?.trim().split(/\s/)[0] : undefined);
  return url?.replace(/\.+$/, "");
}

function fill(url: string, given: Bag): string | undefined {
  let known = true;
  const filled = url.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const value = given[name];
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    if (!/^[A-Za-z0-9\-_~][A-Za-z0-9\-_.~]*$/.test(text)) known = false;
    return text;
  });
  return known && !filled.includes("{") ? filled : undefined;
}

function samePath(template: string, path: string): boolean {
  const [a, b] = [template.split("/"), path.split("/")];
  return a.length === b.length && a.every((own, index) => own === b[index] || own.startsWith("{") || b[index]?.startsWith("{") === true);
}

function placesOf(field: string, named: readonly string[], given: Json): string[] {
  const exact = named.filter((place) => place.endsWith(pointer(field)));
  if (exact.length > 0) return exact;
  if (field.startsWith("/")) return at(given, field) === undefined ? [] : [field];
  const out: string[] = [];
  const walk = (value: Json, place: string): void => {
    if (Array.isArray(value)) value.forEach((item, index) => walk(item, `${place}/${index}`));
    else if (isBag(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (name === field) out.push(place + pointer(name));
        else walk(inner, place + pointer(name));
      }
    }
  };
  walk(given, "");
  return out;
}

function covers(name: string, place: string): boolean {
  if (name.startsWith("/")) return place === name || place.startsWith(`${name}/`) || name.startsWith(`${place}/`);
  return name !== "" && tokens(place).includes(name);
}

function compare(old: Json, other: Json, place: string, out: string[]): void {
  if (isBag(old) && isBag(other)) {
    for (const name of Object.keys(old)) {
      if (Object.hasOwn(other, name)) compare(old[name], other[name], place + pointer(name), out);
      else out.push(place + pointer(name));
    }
    out.push(...Object.keys(other).filter((name) => !Object.hasOwn(old, name)).map((name) => place + pointer(name)));
  } else if (Array.isArray(old) && Array.isArray(other) && old.length === other.length) {
    old.forEach((item, index) => compare(item, other[index], `${place}/${index}`, out));
  } else if (!same(old, other)) out.push(place);
}

function schemaAt(schema: Json, place: string): Json {
  return tokens(place).reduce((inner, token) => get(inner, "properties", token) ?? get(inner, "items"), schema);
}

function at(value: Json, place: string): Json {
  let found = value;
  for (const token of tokens(place)) {
    if (Array.isArray(found)) found = found[Number(token)];
    else found = isBag(found) && Object.hasOwn(found, token) ? found[token] : undefined;
  }
  return found;
}

function put(value: Json, place: string, fresh: Json): boolean {
  const path = tokens(place);
  const last = path.pop();
  if (last === undefined || path.includes("__proto__") || last === "__proto__") return false;
  let holder = value;
  for (const token of path) {
    if (isBag(holder) && !Object.hasOwn(holder, token)) holder[token] = {};
    holder = at(holder, pointer(token));
  }
  if (Array.isArray(holder)) {
    if (!(Number(last) < holder.length)) return false;
    holder[Number(last)] = fresh;
    return true;
  }
  if (!isBag(holder)) return false;
  holder[last] = fresh;
  return true;
}

function key(call: Call): string {
  const sorted = (_: string, value: Json): Json =>
    isBag(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  return `${call.operation} ${JSON.stringify(call.arguments, sorted)}`;
}

function pointer(name: string): string {
  return name.startsWith("/") ? name : `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function unescape(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

function tokens(place: string): string[] {
  return place.split("/").slice(1).map(unescape);
}

function plain(choice: Json): Json {
  return isBag(choice) && "value" in choice ? choice["value"] : choice;
}

function same(a: Json, b: Json): boolean {
  return a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
}

function get(value: Json, ...names: string[]): Json {
  return names.reduce<Json>((inner, name) => (isBag(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

function str(value: Json): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isBag(value: Json): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function clone<T extends Json>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textIn(value: Json, body: string): string | undefined {
  if (value === undefined) return body.trim() === "" ? undefined : body.trim().slice(0, 4096);
  const places = [["message"], ["error", "message"], ["error"], ["detail"], ["error_description"]];
  return places.map((path) => str(get(value, ...path))).find((text) => text !== undefined)?.slice(0, 4096);
}

function statusOf(number: Json): number {
  if (number === -32602) return 422;
  if (number === -32601) return 404;
  return number === -32700 || number === -32600 ? 400 : 500;
}

function saysSomething(value: Bag): boolean {
  return ["status", "code", "title", "detail"].some((name) => name in value);
}

function isRich(value: Bag): boolean {
  return ["schema", "valid_values", "remediation", "machine_hints", "code"].some((name) => name in value);
}
