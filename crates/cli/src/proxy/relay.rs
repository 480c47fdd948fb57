//! Lines in, lines out: which pass, which are answered here, and which are amended. No I/O and no clock.

use std::collections::BTreeMap;

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::surface::Surface as _;
use aon::surface::mcp::{META_KEY, Mcp, Mode};
use aon::{Json, ProblemDetails, arguments, redact};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::judge::{self, Failed};
use super::observe::Observed;
use super::tools::{Tools, next_cursor};

/// A line and where it goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Out {
    Server(Vec<u8>),
    Client(Vec<u8>),
}

/// The first version in which a result names its type.
const MODERN: &str = "2026-07-28";
/// As many calls wait for the list of tools; more go on unchecked.
const MOST_WAITING: usize = 256;

/// A call the server has not answered yet.
#[derive(Debug)]
struct Pending {
    id: Value,
    tool: String,
    arguments: Value,
    modern: bool,
    since: u64,
}

/// Whose list of tools a request asked for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Client { first: bool },
    Own { first: bool },
}

/// The proxy between one client and one server.
#[derive(Debug, Default)]
pub(super) struct Relay {
    door: Door,
    pub(super) tools: Tools,
    pub(super) observed: Observed,
    calls: BTreeMap<String, Pending>,
    lists: BTreeMap<String, Asked>,
    /// Calls that wait for the list of tools.
    waiting: Vec<Vec<u8>>,
    /// The server does not list its tools.
    unlisted: bool,
    own: u64,
    timeout: u64,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Relay {
    /// One that answers by itself after so many seconds; 0 never does.
    pub(super) fn new(timeout: u64) -> Self {
        Self {
            timeout,
            ..Self::default()
        }
    }

    /// A line of the client, at a moment in milliseconds.
    pub(super) fn client_line(&mut self, line: Vec<u8>, now: u64) -> Vec<Out> {
        let text = std::str::from_utf8(&line).unwrap_or_default();
        if !text.contains("tools/") {
            return vec![Out::Server(line)];
        }
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            return vec![Out::Server(line)];
        };
        let id = message.get("id").filter(|id| !id.is_null());
        match (message.get("method").and_then(Value::as_str), id) {
            (Some("tools/list"), Some(id)) => {
                let first = message.pointer("/params/cursor").is_none();
                self.lists.insert(id.to_string(), Asked::Client { first });
                vec![Out::Server(line)]
            }
            (Some("tools/call"), Some(_)) => {
                let listed = self.tools.is_complete() || self.unlisted;
                if listed || self.waiting.len() >= MOST_WAITING {
                    return vec![self.call(line, &message, now)];
                }
                self.waiting.push(line);
                if self
                    .lists
                    .values()
                    .any(|asked| matches!(asked, Asked::Own { .. }))
                {
                    return Vec::new();
                }
                vec![self.ask(None, message.pointer("/params/_meta"))]
            }
            _ => vec![Out::Server(line)],
        }
    }

    /// A line of the server.
    pub(super) fn server_line(&mut self, line: Vec<u8>, now: u64) -> Vec<Out> {
        let Ok(head) = serde_json::from_slice::<Head<'_>>(&line) else {
            return vec![Out::Client(line)];
        };
        if let Some(method) = head.method {
            if method.get().contains("tools/list_changed") {
                self.tools.forget();
            }
            return vec![Out::Client(line)];
        }
        let Some(id) = head.id.map(|id| id.get().to_owned()) else {
            return vec![Out::Client(line)];
        };
        let page = head.result.and_then(|result| {
            self.lists
                .contains_key(&id)
                .then(|| serde_json::from_str::<Value>(result.get()).ok())?
        });
        if let Some(asked) = self.lists.remove(&id) {
            return self.list(line, &asked, page.as_ref(), now);
        }
        let Some(call) = self.calls.remove(&id) else {
            // The answer to a call that was answered here, because it took too long, has nobody to go to.
            let own = id.starts_with("\"aon-proxy-");
            return if own {
                Vec::new()
            } else {
                vec![Out::Client(line)]
            };
        };
        if let Some(error) = head.error {
            let error = serde_json::from_str::<Value>(error.get()).unwrap_or_default();
            return vec![Out::Client(self.error(&call, error))];
        }
        let failed = head
            .result
            .is_some_and(|result| result.get().contains("\"isError\""));
        let result = head
            .result
            .filter(|_| failed)
            .and_then(|result| serde_json::from_str::<Value>(result.get()).ok());
        match result {
            Some(result) if result.get("isError") == Some(&Value::Bool(true)) => {
                vec![Out::Client(self.failed(&call, result))]
            }
            _ => {
                self.observed.succeeded(&call.tool);
                vec![Out::Client(line)]
            }
        }
    }

    /// Answers what took too long.
    pub(super) fn expired(&mut self, now: u64) -> Vec<Out> {
        if self.timeout == 0 {
            return Vec::new();
        }
        let limit = self.timeout.saturating_mul(1000);
        let late = |call: &Pending| now.saturating_sub(call.since) >= limit;
        let ids: Vec<String> = self
            .calls
            .iter()
            .filter(|(_, call)| late(call))
            .map(|(id, _)| id.clone())
            .collect();
        let calls: Vec<Pending> = ids.iter().filter_map(|id| self.calls.remove(id)).collect();
        let seconds = self.timeout;
        calls
            .iter()
            .map(|call| Out::Client(self.answer(call, judge::late(seconds))))
            .collect()
    }

    /// The server went away: whoever waits is told.
    pub(super) fn gone(&mut self) -> Vec<Out> {
        let calls = std::mem::take(&mut self.calls);
        let waiting = std::mem::take(&mut self.waiting);
        let mut out: Vec<Out> = calls
            .values()
            .map(|call| Out::Client(self.answer(call, judge::gone())))
            .collect();
        for line in waiting {
            let message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            let call = pending(&message, 0);
            out.push(Out::Client(self.answer(&call, judge::gone())));
        }
        out
    }

    /// Asks for the tools in our own name, with what the call says about its protocol.
    fn ask(&mut self, cursor: Option<&str>, meta: Option<&Value>) -> Out {
        self.own += 1;
        let id = format!("aon-proxy-{}", self.own);
        self.lists.insert(
            json!(id).to_string(),
            Asked::Own {
                first: cursor.is_none(),
            },
        );
        let mut params = json!({});
        if let Some(cursor) = cursor {
            params["cursor"] = json!(cursor);
        }
        if let Some(Value::Object(meta)) = meta {
            let kept = meta
                .iter()
                .filter(|(name, _)| name.starts_with("io.modelcontextprotocol/"));
            let kept: serde_json::Map<String, Value> = kept
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            if !kept.is_empty() {
                params["_meta"] = Value::Object(kept);
            }
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
        Out::Server(request.to_string().into_bytes())
    }

    /// A page of the list of tools.
    fn list(&mut self, line: Vec<u8>, asked: &Asked, page: Option<&Value>, now: u64) -> Vec<Out> {
        if let Some(page) = page {
            let (Asked::Client { first } | Asked::Own { first }) = asked;
            self.tools.take(page, *first);
        }
        if matches!(asked, Asked::Client { .. }) {
            return vec![Out::Client(line)];
        }
        match page {
            Some(page) if next_cursor(page).is_some() => {
                let waiting = self
                    .waiting
                    .first()
                    .and_then(|line| serde_json::from_slice::<Value>(line).ok());
                let meta = waiting
                    .as_ref()
                    .and_then(|message| message.pointer("/params/_meta"));
                let cursor = next_cursor(page).map(str::to_owned);
                return vec![self.ask(cursor.as_deref(), meta)];
            }
            Some(_) => {}
            None => self.unlisted = true,
        }
        let waiting = std::mem::take(&mut self.waiting);
        let calls = waiting.into_iter().map(|line| {
            let message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            self.call(line, &message, now)
        });
        calls.collect()
    }

    /// A call: on to the server, or refused by the schema of its tool.
    fn call(&mut self, line: Vec<u8>, message: &Value, now: u64) -> Out {
        let call = pending(message, now);
        self.observed.called(&call.tool);
        let faults = match self.tools.get(&call.tool) {
            Some(tool) => arguments::check(&call.arguments, &tool.schema),
            None => Vec::new(),
        };
        if let Some(problem) = arguments::problem(&faults) {
            return Out::Client(self.answer(&call, problem));
        }
        self.calls.insert(call.id.to_string(), call);
        Out::Server(line)
    }

    /// An answer of our own.
    fn answer(&mut self, call: &Pending, problem: ProblemDetails) -> Vec<u8> {
        let failure = self.failure(call, problem);
        let (problem, arguments) = (failure.problem(), failure.arguments());
        let mode = self.mode(&call.tool);
        let mut out = Vec::new();
        let at = aon::surface::Call {
            arguments,
            id: None,
        };
        Mcp::new(mode).project(problem, &at, &mut out);
        let mut result = serde_json::from_slice::<Value>(&out).unwrap_or_default();
        if call.modern {
            result["resultType"] = json!("complete");
        }
        json!({"jsonrpc": "2.0", "id": call.id, "result": result})
            .to_string()
            .into_bytes()
    }

    /// A result with `isError`: its own words stay, and the envelope stands beside them.
    fn failed(&mut self, call: &Pending, mut result: Value) -> Vec<u8> {
        let text = texts(&result);
        let ours = result.pointer("/structuredContent/error/code").is_some();
        if !ours {
            let problem = Failed {
                tool: &call.tool,
                arguments: &call.arguments,
                text: &text,
                tools: &self.tools,
            }
            .problem();
            let failure = self.failure(call, problem);
            let at = aon::surface::Call {
                arguments: failure.arguments(),
                id: None,
            };
            let (envelope, advice) = aon::surface::mcp::tree_parts(failure.problem(), &at);
            let has_own = result
                .get("structuredContent")
                .is_some_and(|own| !own.is_null());
            if has_own || self.mode(&call.tool) == Mode::Meta {
                result["_meta"][META_KEY] = envelope;
            } else {
                result["structuredContent"] = json!({"error": envelope});
            }
            let told = judge::is_actionable(failure.problem());
            if let Some(Value::Array(blocks)) = result.get_mut("content") {
                for block in blocks.iter_mut() {
                    if let Some(text) = block.get("text").and_then(Value::as_str) {
                        block["text"] = json!(redact::text(text));
                    }
                }
                if told || blocks.is_empty() {
                    blocks.push(json!({"type": "text", "text": advice}));
                }
            }
        }
        json!({"jsonrpc": "2.0", "id": call.id, "result": result})
            .to_string()
            .into_bytes()
    }

    /// An error of the protocol keeps its number and words, and gets the envelope as its data.
    fn error(&mut self, call: &Pending, mut error: Value) -> Vec<u8> {
        let text = error
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        if error.get("data").is_none_or(Value::is_null) {
            let problem = Failed {
                tool: &call.tool,
                arguments: &call.arguments,
                text: &text,
                tools: &self.tools,
            }
            .problem();
            let failure = self.failure(call, problem);
            let at = aon::surface::Call {
                arguments: failure.arguments(),
                id: None,
            };
            error["data"] = aon::surface::mcp::tree_parts(failure.problem(), &at).0;
        }
        error["message"] = json!(redact::text(&text));
        json!({"jsonrpc": "2.0", "id": call.id, "error": error})
            .to_string()
            .into_bytes()
    }

    /// The problem through the door: without secrets, with its ids, and counted.
    fn failure(&mut self, call: &Pending, problem: ProblemDetails) -> Occurrence {
        let scope = Scope::open(
            &self.door,
            Facts::new("mcp")
                .with_method("tools/call")
                .with_path(call.tool.clone()),
        );
        let arguments = Json::of(&call.arguments).ok();
        let passed = scope.pass(
            &Occurrence::built_in(problem).with_arguments(arguments.clone()),
            "mcp",
        );
        let problem = passed.into_problem();
        self.observed
            .failed(&call.tool, &problem, judge::is_actionable(&problem));
        Occurrence::new(problem).with_arguments(arguments)
    }

    /// Strict clients compare structured content with the schema a tool declares, errors included.
    fn mode(&self, tool: &str) -> Mode {
        match self.tools.get(tool) {
            Some(tool) if tool.has_output_schema => Mode::Meta,
            _ => Mode::Structured,
        }
    }
}

fn pending(message: &Value, now: u64) -> Pending {
    let params = message.get("params");
    let version =
        params.and_then(|params| params.pointer("/_meta/io.modelcontextprotocol~1protocolVersion"));
    let given = params
        .and_then(|params| params.get("arguments"))
        .filter(|given| !given.is_null());
    Pending {
        id: message.get("id").cloned().unwrap_or_default(),
        tool: params
            .and_then(|params| params.get("name")?.as_str())
            .unwrap_or_default()
            .to_owned(),
        arguments: given.cloned().unwrap_or_else(|| json!({})),
        modern: version
            .and_then(Value::as_str)
            .is_some_and(|version| version >= MODERN),
        since: now,
    }
}

fn texts(result: &Value) -> String {
    let blocks = result.get("content").and_then(Value::as_array);
    let texts = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| block.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
