
import { ProblemDetails } from "./runtime.js";

/** One event of a session. What this file does not know is kept. */
export interface StreamEvent {
  readonly type: string;
  /** The id to resume from, `<epoch>-<seq>`; the notes of a channel have none. */
  readonly id?: string | undefined;
  readonly seq?: number | undefined;
  /** All members. */
  readonly members: { readonly [name: string]: unknown };
  /** The JSON as it came. */
  readonly json: string;
}

/** How a stream ended. Whatever is neither a result nor an error was cut: whether the work was done is not known. */
export type Outcome =
  | { readonly outcome: "result"; readonly data: unknown; readonly event?: StreamEvent | undefined }
  | { readonly outcome: "error"; readonly problem: ProblemDetails; readonly event?: StreamEvent | undefined }
  | { readonly outcome: "cut"; readonly reason: CutReason; readonly message: string; readonly cursor?: string | undefined };

/**
 * `unreachable`: no answer came; fetch does not say whether anything was sent. `no_way_back`: cut before the session said where it goes on. `over`: 204, `gone`: 404 or 410,
 * `refused`: another status. `gave_up`: too many attempts brought nothing. `closed`: the reader left.
 */
export type CutReason = "unreachable" | "no_way_back" | "over" | "gone" | "refused" | "gave_up" | "closed";

/** What a reader should know beyond the events. */
export type Notice =
  | { readonly notice: "gap"; readonly requested?: string | undefined; readonly oldest?: number | undefined; readonly reason: string }
  | { readonly notice: "hole"; readonly from: number; readonly to: number }
  | { readonly notice: "epoch"; readonly from: string; readonly to: string }
  | { readonly notice: "waiting"; readonly attempt: number; readonly waitMs: number; readonly why: string }
  | { readonly notice: "resumed" }
  | { readonly notice: "live" }
  | { readonly notice: "bad"; readonly why: string };

export type Channel = "ndjson" | "sse" | "websocket";

export interface StreamOptions {
  readonly method?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly body?: string | undefined;
  /** The channel on which a broken stream continues. Default: `sse`. */
  readonly channel?: Channel | undefined;
  /** Read a session from after this event; the address is then that of its events. */
  readonly since?: string | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** How many attempts in a row may bring nothing. Default: 10. */
  readonly attempts?: number | undefined;
  /** How often the server gives a sign of life, unless it says so itself. Default: 15 000. */
  readonly intervalMs?: number | undefined;
  /**
   * Events that may come again with another number, by type, and the member that says so: a repeated one is not shown. Default:
   * `{ insert: "questionId" }`, so that an answer is shown once.
   */
  readonly once?: { readonly [type: string]: string } | undefined;
  /** The longest event that is kept, in characters. Default: 16 Mi. */
  readonly limit?: number | undefined;
  readonly fetch?: FetchLike | undefined;
  readonly WebSocket?: (new (url: string) => SocketLike) | undefined;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5_000;
const LIMIT = 16 * 1024 * 1024;
const ONCE: { readonly [type: string]: string } = { insert: "questionId" };
/** How many such events are remembered. */
const MOST_ONCE = 10_000;

/** How long to wait before an attempt, counted from 1. `jitter` is between 0 and 1. */
export function reconnectWait(attempt: number, jitter: number, first: number = FIRST_WAIT): number {
  const full = Math.min(first * 2 ** Math.min(attempt - 1, 16), LONGEST_WAIT);
  return full * (0.5 + 0.5 * Math.min(Math.max(jitter, 0), 1));
}

export type WireItem =
  | { readonly json: string; readonly id?: string | undefined; readonly name?: string | undefined }
  | { readonly alive: true }
  | { readonly retryMs: number }
  | { readonly bad: string };

/** Splits text at line ends, wherever the pieces were cut. `\r` alone ends a line only where `returns` says so. */
class Lines {
  private rest = "";
  private afterReturn = false;
  private skipping = false;

  constructor(
    private readonly returns: boolean,
    private readonly limit: number,
  ) {}

  /** The complete lines; `undefined` stands for one that was too long. */
  feed(text: string): (string | undefined)[] {
    const lines: (string | undefined)[] = [];
    if (this.afterReturn && text !== "") {
      this.afterReturn = false;
      if (text.startsWith("\n")) text = text.slice(1);
    }
    const ends = this.returns ? /\r\n|\n|\r/g : /\n/g;
    let from = 0;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const line = this.rest + text.slice(from, end.index);
      from = end.index + end[0].length;
      this.rest = "";
      if (this.skipping) this.skipping = false;
      else lines.push(line.length > this.limit ? undefined : line);
      if (end[0] === "\r" && from === text.length) this.afterReturn = true;
    }
    if (!this.skipping) this.rest += text.slice(from);
    if (this.rest.length > this.limit) {
      this.rest = "";
      this.skipping = true;
      lines.push(undefined);
    }
    return lines;
  }

  end(): string {
    const rest = this.rest;
    this.rest = "";
    return rest;
  }
}

const TOO_LONG: WireItem = { bad: "an event is too long and was left out" };

/** Reads lines of JSON from pieces of any size. */
export class NdjsonReader {
  private readonly lines: Lines;
  private readonly decoder = decoder();

  constructor(limit: number = LIMIT) {
    this.lines = new Lines(false, limit);
  }

  feed(piece: Uint8Array): WireItem[] {
    return this.lines.feed(this.decoder.decode(piece, { stream: true })).map((line): WireItem => {
      if (line === undefined) return TOO_LONG;
      const json = line.trim();
      return json === "" ? { alive: true } : { json };
    });
  }

  /** The body ended: what is left counts if it is a whole object. */
  finish(): WireItem[] {
    const json = this.lines.end().trim();
    return parse(json) === undefined ? [] : [{ json }];
  }
}

/** Reads server-sent events from pieces of any size, as the HTML standard says. */
export class SseReader {
  private readonly lines: Lines;
  private readonly decoder = decoder();
  private data: string[] = [];
  private size = 0;
  private name = "";
  private id: string | undefined;

  constructor(private readonly limit: number = LIMIT) {
    this.lines = new Lines(true, limit + 64);
  }

  feed(piece: Uint8Array): WireItem[] {
    const items: WireItem[] = [];
    for (const line of this.lines.feed(this.decoder.decode(piece, { stream: true }))) {
      if (line === undefined) {
        this.size = Infinity;
        items.push(TOO_LONG);
      } else if (line === "") {
        if (this.data.length > 0 && this.size <= this.limit) {
          items.push({ json: this.data.join("\n"), id: this.id, name: this.name === "" ? undefined : this.name });
        }
        this.data = [];
        this.size = 0;
        this.name = "";
        this.id = undefined;
      } else if (line.startsWith(":")) {
        items.push({ alive: true });
      } else {
        this.field(line, items);
      }
    }
    return items;
  }

  private field(line: string, items: WireItem[]): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") {
      const fitted = this.size <= this.limit;
      this.size += value.length;
      if (this.size <= this.limit) this.data.push(value);
      else if (fitted) items.push(TOO_LONG);
    } else if (field === "event") this.name = value;
    else if (field === "id" && !value.includes("\0")) this.id = value === "" ? undefined : value;
    else if (field === "retry" && /^\d+$/.test(value)) items.push({ retryMs: Number(value) });
  }
}

/** An event from its JSON and what its channel says beside it; undefined if it is not one. */
export function readEvent(json: string, id?: string, name?: string): StreamEvent | undefined {
  const members = parse(json);
  if (members === undefined) return undefined;
  const type = name ?? members["type"];
  if (typeof type !== "string") return undefined;
  const own = typeof members["id"] === "string" && splitId(members["id"]) !== undefined ? members["id"] : id;
  const seq = typeof members["seq"] === "number" ? members["seq"] : splitId(own)?.seq;
  return { type, id: own, seq, members, json };
}

function splitId(id: string | undefined): { epoch: string; seq: number } | undefined {
  const found = id === undefined ? null : /^(.+)-(\d+)$/.exec(id);
  return found === null ? undefined : { epoch: found[1] ?? "", seq: Number(found[2]) };
}

export function isTerminal(event: StreamEvent): boolean {
  if (event.type === "result" || event.type === "error") return true;
  // `done` ends a stream that is not one of ours; in a session it is an event like any other.
  return event.type === "done" && event.seq === undefined && event.members["session_id"] === undefined;
}

/** Whether an event is a sign of life and nothing else. */
export function isHeartbeat(event: StreamEvent): boolean {
  if (event.seq !== undefined) return false;
  return event.type === "heartbeat" || (event.type === "status" && event.members["message"] === "heartbeat");
}

type Step =
  | { readonly event: StreamEvent }
  | { readonly alive: true }
  | { readonly retryMs: number }
  | { readonly bad: string }
  | { readonly opened: true }
  | { readonly answered: number; readonly body: string }
  | { readonly lost: string; readonly sent: boolean };

/**
 * A stream that comes back by itself until it has an outcome. The request itself is never sent twice.
 *
 * ```ts
 * const stream = follow("/users", { method: "POST", body: JSON.stringify(user) });
 * for await (const event of stream) show(event);
 * const outcome = await stream.outcome;
 * ```
 */
export class EventStream implements AsyncIterable<StreamEvent> {
  /** How it ended. It is settled by reading the events to their end. */
  readonly outcome: Promise<Outcome>;
  private settle!: (outcome: Outcome) => void;
  private ended: Outcome | undefined;
  private wayBack: { channel: Channel; url: string } | undefined;
  private fallback: { channel: Channel; url: string } | undefined;
  private epoch: string | undefined;
  private seq: number | undefined;
  private jump = false;
  private attempts = 0;
  private firstWait = FIRST_WAIT;
  private intervalMs: number;
  private connection: Connection | undefined;
  private readonly shown = new Set<string>();

  constructor(
    private readonly url: string,
    private readonly options: StreamOptions = {},
  ) {
    this.outcome = new Promise((settle) => (this.settle = settle));
    this.intervalMs = options.intervalMs ?? 15_000;
    const method = options.method ?? (options.body === undefined ? "GET" : "POST");
    const start = splitId(options.since);
    this.epoch = start?.epoch;
    this.seq = start?.seq;
    const channel = options.channel ?? "sse";
    const socket = /^wss?:/.test(url);
    if (socket || options.since !== undefined) {
      this.wayBack = { channel: socket ? "websocket" : channel, url };
    } else {
      if (method === "GET") this.fallback = { channel: channel === "websocket" ? "sse" : channel, url };
      const accept = { accept: "application/x-ndjson, text/event-stream;q=0.9" };
      const typed: { [name: string]: string } = options.body === undefined ? {} : { "content-type": "application/json" };
      const headers = { ...accept, ...typed, ...lowered(options.headers) };
      this.connection = new FetchConnection(this.fetcher(), url, { method, headers, body: options.body }, options.limit);
    }
  }

  /** The id of the last event that was seen: where a reader goes on. */
  get cursor(): string | undefined {
    if (this.epoch !== undefined && this.seq !== undefined) return `${this.epoch}-${this.seq}`;
    return this.options.since;
  }

  /** Leaves. The work goes on without this reader. */
  close(): void {
    this.finish({ outcome: "cut", reason: "closed", message: "the reader left", cursor: this.cursor });
  }

  /** Cuts the connection, as a network would. The reader comes back by itself. */
  cut(): void {
    this.connection?.cut("it was cut on this side");
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, void> {
    try {
      while (this.ended === undefined) {
        if (this.connection === undefined) this.connection = this.reopen();
        const window = this.connection.open ? this.intervalMs * 2.5 : undefined;
        const step = await this.connection.next(window);
        const shown = this.take(step);
        if (shown !== undefined) yield shown;
        if (this.ended === undefined && this.connection === undefined) {
          const wait = reconnectWait(this.attempts, Math.random(), this.firstWait);
          const why = "lost" in step ? step.lost : "answered" in step ? `the server answered ${step.answered}` : "";
          this.tell({ notice: "waiting", attempt: this.attempts, waitMs: wait, why });
          await pause(wait);
        }
      }
    } finally {
      if (this.ended === undefined) this.close();
    }
  }

  private take(step: Step): StreamEvent | undefined {
    if ("event" in step) return this.event(step.event);
    if ("retryMs" in step) this.firstWait = Math.min(step.retryMs, LONGEST_WAIT);
    else if ("bad" in step) this.tell({ notice: "bad", why: step.bad });
    else if ("opened" in step && this.attempts > 0) this.tell({ notice: "resumed" });
    else if ("answered" in step) this.answered(step.answered, step.body);
    else if ("lost" in step) this.lost(step.lost, step.sent);
    return undefined;
  }

  private event(event: StreamEvent): StreamEvent | undefined {
    if (event.type !== "session" && this.wayBack === undefined) this.wayBack = this.fallback;
    this.fallback = undefined;
    const { members } = event;
    if (event.type === "ticket") {
      // A ticket is good once; the one for the way back is a secret between the server and this reader.
      if (this.wayBack !== undefined && typeof members["ticket"] === "string") {
        this.wayBack = { ...this.wayBack, url: withTicket(this.wayBack.url, members["ticket"]) };
      }
      return undefined;
    }
    if (event.type === "session") {
      const channel = this.options.channel ?? "sse";
      const url = channel === "websocket" ? members["ws_url"] : members["sse_url"];
      // Whoever started with the address of a session keeps it: it may carry what lets the reader in.
      if (this.wayBack === undefined && typeof url === "string") this.wayBack = { channel, url };
      if (typeof members["heartbeat_ms"] === "number" && members["heartbeat_ms"] > 0) this.intervalMs = members["heartbeat_ms"];
    } else if (event.type === "gap") {
      this.jump = true;
      const { requested, oldest, reason } = members as { requested?: string; oldest?: number; reason?: string };
      this.tell({ notice: "gap", requested, oldest, reason: String(reason) });
    } else if (event.type === "replay_complete") {
      this.attempts = 0;
      this.tell({ notice: "live" });
    }
    const isNew = this.isNew(event);
    if (isTerminal(event)) this.finish(outcomeOf(event));
    return isNew && !this.wasShown(event) ? event : undefined;
  }

  /** Whether an event that is meant to be shown once comes again. */
  private wasShown(event: StreamEvent): boolean {
    const member = (this.options.once ?? ONCE)[event.type];
    if (member === undefined) return false;
    const { data } = event.members;
    const value = (isBag(data) ? data : event.members)[member];
    if (typeof value !== "string" && typeof value !== "number") return false;
    const key = `${event.type} ${value}`;
    if (this.shown.has(key)) return true;
    if (this.shown.size >= MOST_ONCE) this.shown.clear();
    this.shown.add(key);
    return false;
  }

  /** Whether the event was not shown yet. Tells what is missing before it. */
  private isNew(event: StreamEvent): boolean {
    const epoch = splitId(event.id)?.epoch;
    if (epoch !== undefined && epoch !== this.epoch) {
      if (this.epoch !== undefined) {
        this.tell({ notice: "epoch", from: this.epoch, to: epoch });
        this.seq = undefined;
      }
      this.epoch = epoch;
    }
    if (event.seq === undefined) return true;
    if (this.seq !== undefined) {
      if (event.seq <= this.seq) return false;
      if (event.seq > this.seq + 1 && !this.jump) this.tell({ notice: "hole", from: this.seq + 1, to: event.seq - 1 });
    }
    this.jump = false;
    this.seq = event.seq;
    this.attempts = 0;
    return true;
  }

  private answered(status: number, body: string): void {
    if (this.wayBack === undefined) return this.finish(answer(status, body));
    if (status === 429 || status >= 500) return this.lost(`the server answered ${status}`, true);
    const reason: CutReason = status === 204 ? "over" : status === 404 || status === 410 ? "gone" : "refused";
    this.finish({ outcome: "cut", reason, message: `the server answered ${status}`, cursor: this.cursor });
  }

  private lost(why: string, sent: boolean): void {
    this.connection?.cut(why);
    this.connection = undefined;
    if (this.wayBack === undefined) {
      const reason: CutReason = sent ? "no_way_back" : "unreachable";
      return this.finish({ outcome: "cut", reason, message: why, cursor: this.cursor });
    }
    this.attempts += 1;
    if (this.attempts > (this.options.attempts ?? 10)) {
      this.finish({ outcome: "cut", reason: "gave_up", message: `${this.attempts - 1} attempts brought nothing: ${why}`, cursor: this.cursor });
    }
  }

  private reopen(): Connection {
    const way = this.wayBack;
    if (way === undefined) throw new Error("there is no way back");
    const url = absolute(way.url, this.url);
    const since = this.cursor;
    if (way.channel === "websocket") {
      const socket = url.replace(/^http/, "ws") + (since === undefined ? "" : `${url.includes("?") ? "&" : "?"}since=${encodeURIComponent(since)}`);
      const Socket = this.options.WebSocket ?? globals.WebSocket;
      if (Socket === undefined) throw new Error("there is no WebSocket here; give one in the options");
      return new SocketConnection(new Socket(socket));
    }
    const own = lowered(this.options.headers);
    delete own["content-type"];
    const headers: { [name: string]: string } = {
      // Credentials are for the server they were meant for.
      ...(sameServer(url, this.url) ? own : {}),
      accept: way.channel === "ndjson" ? "application/x-ndjson" : "text/event-stream",
    };
    if (since !== undefined) headers["last-event-id"] = since;
    return new FetchConnection(this.fetcher(), url, { method: "GET", headers, body: undefined }, this.options.limit);
  }

  private fetcher(): FetchLike {
    const fetch = this.options.fetch ?? globals.fetch;
    if (fetch === undefined) throw new Error("there is no fetch here; give one in the options");
    return this.options.fetch === undefined ? (url, init) => fetch.call(globalThis, url, init) : fetch;
  }

  private tell(notice: Notice): void {
    this.options.onNotice?.(notice);
  }

  private finish(outcome: Outcome): void {
    if (this.ended !== undefined) return;
    this.ended = outcome;
    this.connection?.cut("the stream has ended");
    this.connection = undefined;
    this.settle(outcome);
  }
}

/** Sends a request and follows its events, or follows a session by the address of its events. */
export function follow(url: string, options: StreamOptions = {}): EventStream {
  return new EventStream(url, options);
}

/** Reads to the end and gives the outcome; the events are dropped. */
export async function outcomeOfStream(stream: EventStream): Promise<Outcome> {
  for await (const _event of stream);
  return stream.outcome;
}

function outcomeOf(event: StreamEvent): Outcome {
  // A falsy result is a result: 0, false, "" and null arrive as they are.
  if (event.type !== "error") return { outcome: "result", data: event.members["data"], event };
  const { code, message, status, problem } = event.members;
  return { outcome: "error", problem: ProblemDetails.parse(isBag(problem) ? problem : { code, detail: message, status }), event };
}

function answer(status: number, body: string): Outcome {
  let data: unknown;
  try {
    data = body === "" ? null : JSON.parse(body);
  } catch {
    data = body;
  }
  if (status < 400) return { outcome: "result", data };
  const told = isBag(data) && (typeof data["status"] === "number" || typeof data["code"] === "string");
  return { outcome: "error", problem: ProblemDetails.parse(told ? data : { status }) };
}

abstract class Connection {
  open = false;
  private readonly ready: Step[] = [];
  private waiting: ((step: Step) => void) | undefined;

  protected push(step: Step): void {
    if ("opened" in step) this.open = true;
    const waiting = this.waiting;
    this.waiting = undefined;
    if (waiting === undefined) this.ready.push(step);
    else waiting(step);
  }

  /** What comes next; silence for longer than the window is a loss. */
  next(windowMs: number | undefined): Promise<Step> {
    const step = this.ready.shift();
    if (step !== undefined) return Promise.resolve(step);
    return new Promise((settle) => {
      const late = (): void => this.cut(`no sign of life for ${windowMs} ms`);
      const timer = windowMs === undefined ? undefined : globals.setTimeout(late, windowMs);
      this.waiting = (step) => {
        globals.clearTimeout(timer);
        settle(step);
      };
    });
  }

  protected item(item: WireItem): void {
    if (!("json" in item)) return this.push(item);
    const event = readEvent(item.json, item.id, item.name);
    this.push(event === undefined ? { bad: "a line is not an event and was left out" } : { event });
  }

  abstract cut(why: string): void;
}

class FetchConnection extends Connection {
  private readonly abort = new globals.AbortController();
  private over = false;

  constructor(fetch: FetchLike, url: string, request: { method: string; headers: { [name: string]: string }; body: string | undefined }, limit?: number) {
    super();
    void this.run(fetch, url, request, limit);
  }

  private async run(fetch: FetchLike, url: string, request: { method: string; headers: { [name: string]: string }; body: string | undefined }, limit?: number): Promise<void> {
    let sent = false;
    try {
      const { method, headers } = request;
      const body = request.body === undefined ? {} : { body: request.body };
      const response = await fetch(url, { method, headers, ...body, signal: this.abort.signal, cache: "no-store" });
      sent = true;
      const media = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
      const lines = ["application/x-ndjson", "application/ndjson", "application/jsonl"].includes(media);
      if (response.status !== 200 || !(lines || media === "text/event-stream") || response.body === null) {
        return this.push({ answered: response.status, body: await response.text() });
      }
      this.push({ opened: true });
      const reader = lines ? new NdjsonReader(limit) : new SseReader(limit);
      const source = response.body.getReader();
      for (;;) {
        const { done, value } = await source.read();
        if (done) break;
        for (const item of reader.feed(value)) this.item(item);
      }
      if (reader instanceof NdjsonReader) for (const item of reader.finish()) this.item(item);
      this.cut("the stream ended without a result or an error");
    } catch (error) {
      if (!this.over) {
        this.over = true;
        this.push({ lost: String(error), sent });
      }
    }
  }

  cut(why: string): void {
    if (this.over) return;
    this.over = true;
    this.push({ lost: why, sent: true });
    this.abort.abort();
  }
}

class SocketConnection extends Connection {
  private over = false;

  constructor(private readonly socket: SocketLike) {
    super();
    socket.addEventListener("open", () => this.push({ opened: true }));
    socket.addEventListener("message", (message) => {
      if (typeof message.data === "string") this.item({ json: message.data });
      else this.push({ bad: "a message is not text and was left out" });
    });
    socket.addEventListener("close", () => this.cut("the socket was closed"));
    socket.addEventListener("error", () => this.cut("the socket broke"));
  }

  cut(why: string): void {
    if (this.over) return;
    this.over = true;
    this.push({ lost: why, sent: true });
    this.socket.close();
  }
}

/** As much of a WebSocket as is needed; those of browsers and of node fit. */
export interface SocketLike {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

/** As much of `fetch` as is needed. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: { [name: string]: string }; body?: string; signal: unknown; cache: "no-store" },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): { read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: Uint8Array | undefined }> } } | null;
  text(): Promise<string>;
}>;

interface Decoder {
  decode(bytes: Uint8Array, options: { stream: boolean }): string;
}

/** What browsers and node have in common. */
const globals = globalThis as unknown as {
  readonly fetch?: FetchLike;
  readonly WebSocket?: new (url: string) => SocketLike;
  readonly location?: { readonly href: string };
  readonly TextDecoder: new (encoding: string) => Decoder;
  readonly URL: new (url: string, base?: string) => { readonly href: string; readonly host: string };
  readonly AbortController: new () => { readonly signal: unknown; abort(): void };
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
};

function decoder(): Decoder {
  return new globals.TextDecoder("utf-8");
}

function withTicket(url: string, ticket: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const others = query.split("&").filter((part) => part !== "" && !part.startsWith("ticket="));
  return `${path}?${[...others, `ticket=${encodeURIComponent(ticket)}`].join("&")}`;
}

function absolute(url: string, base: string): string {
  const root = /^[a-z]+:/i.test(base) ? base : new globals.URL(base, globals.location?.href).href;
  return new globals.URL(url, root.replace(/^ws/, "http")).href;
}

function sameServer(one: string, other: string): boolean {
  const host = (url: string): string => new globals.URL(absolute(url, other)).host;
  return host(one) === host(other);
}

function lowered(headers: { readonly [name: string]: string } | undefined): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

function pause(ms: number): Promise<void> {
  return new Promise((settle) => void globals.setTimeout(settle, ms));
}

type Bag = { [name: string]: unknown };

function isBag(value: unknown): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(json: string): Bag | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isBag(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
