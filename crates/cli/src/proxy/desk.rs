//! One MCP server's failures: which calls its schemas refuse, and what its errors become. No I/O and no clock; standard input and HTTP share it.

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::surface::Surface as _;
use aon::surface::mcp::{META_KEY, Mcp, Mode};
use aon::{Json, ProblemDetails, arguments, redact};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::clean;
use super::judge::Failed;
use super::observe::{self, Observer};
use super::tools::Tools;

/// What an envelope of ours says of itself.
const MCP_SCHEMA: &str = "pspace.mcp.error.v1";
/// The first version in which a result names its type.
const MODERN: &str = "2026-07-28";

/// A call the server has not answered yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) id: Value,
    pub(super) tool: String,
    arguments: Value,
    modern: bool,
    pub(super) since: u64,
}

impl Pending {
    /// The call a message makes, at a moment in milliseconds.
    pub(super) fn of(message: &Value, now: u64) -> Self {
        let params = message.get("params");
        let version = params
            .and_then(|params| params.pointer("/_meta/io.modelcontextprotocol~1protocolVersion"));
        let given = params
            .and_then(|params| params.get("arguments"))
            .filter(|given| !given.is_null());
        Self {
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
}

/// The members of a message that decide what it is; the rest is not read.
#[derive(Deserialize)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// What is known of a server, and where its failures are read.
#[derive(Debug, Default)]
pub(super) struct Desk {
    door: Door,
    pub(super) tools: Tools,
    pub(super) observer: Observer,
}

impl Desk {
    pub(super) fn new(observer: Observer) -> Self {
        Self {
            observer,
            ..Self::default()
        }
    }

    /// A page of the list of tools; the first one starts it anew.
    pub(super) fn listed(&mut self, page: &Value, first: bool) {
        self.tools.take(page, first);
        if self.tools.is_complete() {
            self.observer.listed(&json!({"tools": self.tools.listed}));
        }
    }

    /// The answer to a call that the schema of its tool refuses.
    pub(super) fn refusal(&mut self, call: &Pending) -> Option<Vec<u8>> {
        self.observer.called(&call.tool);
        let tool = self.tools.get(&call.tool)?;
        let faults = arguments::check(&call.arguments, &tool.schema);
        let problem = arguments::problem(&faults)?;
        Some(self.answer(call, problem))
    }

    /// The server's answer with what it lacks and without secrets; `None` when it goes on as it is.
    pub(super) fn amended(&mut self, call: &Pending, head: &Head<'_>) -> Option<Vec<u8>> {
        if let Some(error) = head.error {
            return Some(self.error(call, error_of(error)));
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
                self.failed(call, result).or_else(|| clean::answer(head))
            }
            _ => {
                self.observer.succeeded(&call.tool, &call.arguments);
                None
            }
        }
    }

    /// An answer of our own.
    pub(super) fn answer(&mut self, call: &Pending, problem: ProblemDetails) -> Vec<u8> {
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
    fn failed(&mut self, call: &Pending, mut result: Value) -> Option<Vec<u8>> {
        let text = texts(&result);
        if result.pointer("/structuredContent/error/code").is_some() {
            // The server speaks for itself.
            return None;
        }
        let problem = Failed {
            tool: &call.tool,
            arguments: &call.arguments,
            status: None,
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
        // The server's own words, in whatever member they are.
        redact::json(&mut result);
        let has_own = result
            .get("structuredContent")
            .is_some_and(|own| !own.is_null());
        if has_own || self.mode(&call.tool) == Mode::Meta {
            if !result.get("_meta").is_some_and(Value::is_object) {
                result["_meta"] = json!({});
            }
            result["_meta"][META_KEY] = envelope;
        } else {
            result["structuredContent"] = json!({"error": envelope});
        }
        let told = observe::is_actionable(failure.problem());
        if let Some(Value::Array(blocks)) = result.get_mut("content")
            && (told || blocks.is_empty())
        {
            blocks.push(json!({"type": "text", "text": advice}));
        }
        let answer = json!({"jsonrpc": "2.0", "id": call.id, "result": result});
        Some(answer.to_string().into_bytes())
    }

    /// An error of the protocol keeps its number, its words and its data without secrets, and gets the envelope beside that data.
    fn error(&mut self, call: &Pending, mut error: Value) -> Vec<u8> {
        redact::json(&mut error);
        let data = error.get("data").cloned().unwrap_or_default();
        if data.get("schema").and_then(Value::as_str) != Some(MCP_SCHEMA) {
            let text = words(&error);
            let problem = Failed {
                tool: &call.tool,
                arguments: &call.arguments,
                status: None,
                text: &text,
                tools: &self.tools,
            }
            .problem();
            let failure = self.failure(call, problem);
            let at = aon::surface::Call {
                arguments: failure.arguments(),
                id: None,
            };
            let envelope = aon::surface::mcp::tree_parts(failure.problem(), &at).0;
            error["data"] = beside(data, envelope);
        }
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
            Occurrence::built_in(problem).with_arguments(arguments.clone()),
            "mcp",
        );
        let problem = passed.into_problem();
        self.observer.failed(
            &call.tool,
            &call.arguments,
            &problem,
            observe::is_actionable(&problem),
        );
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

/// An error; of one that nests deeper than anybody reads, the number and the words.
pub(super) fn error_of(raw: &RawValue) -> Value {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Short {
        code: i64,
        message: String,
    }
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(error @ Value::Object(_)) => error,
        // Not what the protocol says; the words are kept all the same.
        Ok(Value::String(text)) => json!({"code": -32603, "message": text}),
        Ok(other) => json!({"code": -32603, "message": other.to_string()}),
        Err(_deep) => {
            let Short { code, message } = serde_json::from_str(raw.get()).unwrap_or_default();
            json!({"code": code, "message": message})
        }
    }
}

/// The words of an error: its message, and what its data says.
pub(super) fn words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str);
    let message = message.unwrap_or_default();
    match error.get("data") {
        None | Some(Value::Null) => message.to_owned(),
        Some(Value::String(text)) if text.is_empty() => message.to_owned(),
        Some(Value::String(text)) => format!("{message}: {text}"),
        Some(other) => format!("{message}: {other}"),
    }
}

/// Data of a server with the envelope beside it: its own members stay.
pub(super) fn beside(data: Value, envelope: Value) -> Value {
    match (data, envelope) {
        (Value::Null, envelope) => envelope,
        (Value::String(text), envelope) if text.is_empty() => envelope,
        (Value::Array(mut items), envelope) => {
            items.push(envelope);
            Value::Array(items)
        }
        (Value::Object(mut own), Value::Object(envelope)) => {
            for (name, value) in envelope {
                own.entry(name).or_insert(value);
            }
            Value::Object(own)
        }
        (other, envelope) => json!([other, envelope]),
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
