//! MCP in both eras of the protocol: what it demands, and the envelope of the contract (S5).

use aon::surface::mcp::META_KEY;
use serde_json::{Value, json};

use crate::check::{Ask, Found, Probe, ToolCall, envelope, holds, output_schema, short};
use crate::http::{Answer, Call};

const SCHEMA: &str = "pspace.mcp.error.v1";
const NO_SUCH_TOOL: &str = "aon_check_no_such_tool";
const NO_SUCH_VALUE: &str = "aon-check-no-such-value";

/// The two ways to speak MCP over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    /// With `initialize`, up to 2025-11-25.
    Session,
    /// Each request for itself, from 2026-07-28.
    Stateless,
}

impl Era {
    const fn version(self) -> &'static str {
        match self {
            Self::Session => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }

    /// Where the first exchange stands.
    const fn opening(self) -> &'static str {
        match self {
            Self::Session => "MCP lifecycle",
            Self::Stateless => "MCP discovery",
        }
    }
}

/// An endpoint, spoken to in one era.
#[derive(Debug)]
struct Peer {
    path: String,
    era: Era,
    session: Option<String>,
    next: u64,
}

/// Probes the endpoint at `path`; what it finds helps the other surfaces.
pub(crate) async fn probe(probe: &mut Probe<'_>, path: &str, named: bool, found: &mut Found) {
    let mut numbers = Vec::new();
    let mut reached = false;
    let mut absent = Vec::new();
    for era in [Era::Session, Era::Stateless] {
        let mut peer = Peer {
            path: path.to_owned(),
            era,
            session: None,
            next: 1,
        };
        let what = format!("{}: the server is ready to talk", era.version());
        let ask = Ask::protocol(era.opening(), what).sent(format!("POST {path}"));
        match peer.open(probe).await {
            Ok(()) => {
                reached = true;
                probe.table.judge(ask, Ok(()));
                tools(probe, &mut peer, &mut numbers, found).await;
            }
            // Nobody has to speak both eras.
            Err(why) => absent.push((ask, why)),
        }
    }
    for (ask, why) in absent {
        if named && !reached {
            let fix = "check the path; it is named with --mcp";
            probe.table.judge(ask.fix(fix), Err(why));
        } else {
            probe
                .table
                .skip(ask, format!("{path} does not speak it: {why}"));
        }
    }
    found.mcp = reached;
    if reached {
        let foreign = numbers.iter().find(|number| !allowed(**number));
        probe.table.judge(
            Ask::contract("S5", "no JSON-RPC number of another protocol")
                .sent("the bad calls above")
                .fix("use the numbers that MCP defines; those of A2A mean something else here"),
            foreign.map_or(Ok(()), |number| Err(format!("{number} was answered"))),
        );
        probe.table.leaks();
    }
}

/// Numbers MCP defines, the standard ones, and the free range outside -32768..-32000.
fn allowed(number: i64) -> bool {
    match number {
        -32700 | -32603..=-32600 | -32002 | -32022..=-32020 | -32042 => true,
        -32768..=-32000 => false,
        _ => true,
    }
}

impl Peer {
    async fn open(&mut self, probe: &Probe<'_>) -> Result<(), String> {
        match self.era {
            Era::Session => {
                let params = json!({
                    "protocolVersion": self.era.version(),
                    "capabilities": {},
                    "clientInfo": {"name": "aon-check", "version": env!("CARGO_PKG_VERSION")},
                });
                let (answer, body) = self.send(probe, "initialize", params).await?;
                result(&body)?;
                self.session = answer.header("mcp-session-id").map(str::to_owned);
                let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                // A notification has no answer worth judging.
                let _ = probe
                    .client
                    .send(&self.call("notifications/initialized", None, &note))
                    .await;
                Ok(())
            }
            Era::Stateless => {
                let (_, body) = self.send(probe, "server/discover", json!({})).await?;
                result(&body).map(drop)
            }
        }
    }

    fn call(&self, method: &str, name: Option<&str>, body: &Value) -> Call {
        let mut call = Call::post(&self.path, body)
            .with("accept", "application/json, text/event-stream")
            .with("mcp-protocol-version", self.era.version());
        if let Some(session) = &self.session {
            call = call.with("mcp-session-id", session.clone());
        }
        if self.era == Era::Stateless {
            call = call.with("mcp-method", method);
            if let Some(name) = name {
                call = call.with("mcp-name", name);
            }
        }
        call
    }

    async fn send(
        &mut self,
        probe: &Probe<'_>,
        method: &str,
        mut params: Value,
    ) -> Result<(Answer, Value), String> {
        if self.era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.era.version(),
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "aon-check", "version": env!("CARGO_PKG_VERSION")},
            });
        }
        let id = self.next;
        self.next += 1;
        let name = params
            .get("name")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let answer = probe
            .client
            .send(&self.call(method, name.as_deref(), &body))
            .await
            .map_err(|error| error.to_string())?;
        let body = answer
            .json()
            .ok_or_else(|| format!("status {} without JSON", answer.status))?;
        holds(body.get("jsonrpc").is_some(), || {
            format!("status {} and no JSON-RPC: {}", answer.status, short(&body))
        })?;
        holds(body.get("id") == Some(&json!(id)), || {
            format!(
                "the id {id} came back as {}",
                body.get("id").map_or_else(|| "nothing".to_owned(), short)
            )
        })?;
        Ok((answer, body))
    }
}

fn result(body: &Value) -> Result<&Value, String> {
    body.get("result").ok_or_else(|| short(body))
}

async fn tools(probe: &mut Probe<'_>, peer: &mut Peer, numbers: &mut Vec<i64>, found: &mut Found) {
    let era = peer.era.version();
    let ask = Ask::protocol("MCP tools", format!("{era}: tools are listed")).sent("tools/list");
    let tools = match peer.send(probe, "tools/list", json!({})).await {
        Ok((_, body)) if number(&body) == Some(-32601) => {
            return probe.table.skip(ask, "the server has no tools");
        }
        Ok((_, body)) => result(&body).and_then(|result| {
            let tools = result.get("tools").and_then(Value::as_array);
            tools
                .cloned()
                .ok_or_else(|| format!("no array of tools: {}", short(result)))
        }),
        Err(why) => Err(why),
    };
    let tools = match tools {
        Ok(tools) => tools,
        Err(why) => return probe.table.judge(ask, Err(why)),
    };
    probe.table.judge(ask, Ok(()));
    probe.table.judge(
        Ask::practice(
            "MCP tools (names)",
            format!("{era}: every client takes the names"),
        )
        .sent("tools/list")
        .fix("use letters, digits, underscores and hyphens"),
        good_names(&tools),
    );

    let params = json!({"name": NO_SUCH_TOOL, "arguments": {}});
    refusal(
        probe,
        peer,
        numbers,
        &Bad {
            what: "an unknown tool",
            params: &params,
        },
    )
    .await;

    let Some((tool, arguments)) = tools.iter().find_map(bad_call) else {
        let what = format!("{era}: bad arguments are refused");
        let why =
            "no tool has a required or constrained argument, so none can be called without effect";
        return probe.table.skip(Ask::protocol("MCP tools", what), why);
    };
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    let params = json!({"name": name, "arguments": arguments});
    let answered = refusal(
        probe,
        peer,
        numbers,
        &Bad {
            what: "bad arguments",
            params: &params,
        },
    )
    .await;
    if let Some(body) = answered {
        let sent = format!("tools/call {params}");
        probe.table.judge(
            Ask::practice(
                "MCP tools (errors)",
                format!("{era}: bad arguments are a result that the model reads"),
            )
            .sent(&sent)
            .expects("a result with isError and a text")
            .fix("answer bad arguments with isError, so that the model can correct itself"),
            readable(&body),
        );
        if peer.era == Era::Stateless && body.get("result").is_some() {
            let kind = body.pointer("/result/resultType").and_then(Value::as_str);
            probe.table.judge(
                Ask::protocol(
                    "MCP 2026-07-28",
                    format!("{era}: results say what they are"),
                )
                .sent(&sent)
                .expects("resultType \"complete\"")
                .fix("set resultType on every result"),
                holds(kind == Some("complete"), || format!("resultType {kind:?}")),
            );
        }
        schema(probe, era, tool, &body, &sent);
        if let Ok(error) = tool_error(&body) {
            found.tool = Some(ToolCall {
                arguments: arguments.clone(),
                error,
            });
        }
    }
    let params = json!({"name": name, "arguments": [1]});
    refusal(
        probe,
        peer,
        numbers,
        &Bad {
            what: "arguments that are not an object",
            params: &params,
        },
    )
    .await;
}

/// A call that must be refused.
struct Bad<'a> {
    what: &'a str,
    params: &'a Value,
}

/// Makes a bad call: the protocol wants it refused, the contract wants the envelope. Gives what came.
async fn refusal(
    probe: &mut Probe<'_>,
    peer: &mut Peer,
    numbers: &mut Vec<i64>,
    bad: &Bad<'_>,
) -> Option<Value> {
    let (era, what) = (peer.era.version(), bad.what);
    let sent = format!("tools/call {}", bad.params);
    let ask = Ask::protocol(
        "MCP tools (errors)",
        format!("{era}: {what}: the call is refused"),
    )
    .sent(&sent)
    .expects("a JSON-RPC error, or a result with isError")
    .fix("refuse the call; success tells the model that it was right");
    let envelope_ask =
        Ask::contract("S5", format!("{era}: {what}: the envelope is there")).sent(&sent);
    match peer.send(probe, "tools/call", bad.params.clone()).await {
        Ok((answer, body)) => {
            probe.table.saw(&sent, &answer);
            numbers.extend(number(&body));
            let is_error = body.pointer("/result/isError") == Some(&Value::Bool(true));
            let refused = body.get("error").is_some() || is_error;
            probe.table.judge(ask, holds(refused, || short(&body)));
            let judged = enveloped(&body);
            probe.table.speaks_contract |= judged.is_ok();
            probe.table.judge(envelope_ask, judged);
            Some(body)
        }
        Err(why) => {
            let ask =
                ask.fix("answer with JSON-RPC when a call fails too; clients read nothing else");
            probe.table.judge(ask, Err(why));
            None
        }
    }
}

/// Whether a model can read what went wrong.
fn readable(body: &Value) -> Result<(), String> {
    let result = body
        .get("result")
        .ok_or_else(|| format!("a protocol error: {}", short(body)))?;
    holds(result.get("isError") == Some(&Value::Bool(true)), || {
        format!("isError is not true: {}", short(result))
    })?;
    let text = result.pointer("/content/0/text").and_then(Value::as_str);
    holds(text.is_some_and(|text| !text.is_empty()), || {
        "content[0] is not a text".to_owned()
    })
}

fn good_names(tools: &[Value]) -> Result<(), String> {
    for tool in tools {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        holds(aon::ToolName::parse(name.to_owned()).is_ok(), || {
            format!("{name:?}")
        })?;
    }
    Ok(())
}

fn number(body: &Value) -> Option<i64> {
    body.get("error")?.get("code")?.as_i64()
}

/// The envelope, of a result that is an error.
fn tool_error(body: &Value) -> Result<Value, String> {
    readable(body)?;
    let error = body.get("result").and_then(carried).ok_or_else(|| {
        "no structuredContent.error, and no envelope in _meta or a second text".to_owned()
    })?;
    envelope::check(&error, SCHEMA, "mcp")?;
    Ok(error)
}

/// The envelope in whichever place a server puts it.
fn carried(result: &Value) -> Option<Value> {
    if let Some(error) = result.pointer("/structuredContent/error") {
        return Some(error.clone());
    }
    if let Some(error) = result.get("_meta").and_then(|meta| meta.get(META_KEY)) {
        return Some(error.clone());
    }
    let blocks = result.get("content")?.as_array()?.iter();
    blocks
        .filter_map(|block| serde_json::from_str::<Value>(block.get("text")?.as_str()?).ok())
        .find_map(|mut mirror| mirror.get_mut("error").map(Value::take))
}

/// Either a result for the model, or the protocol error of the specification with the envelope in its data.
fn enveloped(body: &Value) -> Result<(), String> {
    let Some(error) = body.get("error") else {
        return tool_error(body).map(drop);
    };
    holds(number(body) == Some(-32602), || short(error))?;
    let data = error
        .get("data")
        .ok_or_else(|| format!("an error without data: {}", short(error)))?;
    let data = data.get("error").unwrap_or(data);
    envelope::check(data, SCHEMA, "mcp")
}

fn schema(probe: &mut Probe<'_>, era: &str, tool: &Value, body: &Value, sent: &str) {
    let ask = Ask::protocol(
        "MCP tools (output schema)",
        format!("{era}: the error fits the declared output schema"),
    )
    .sent(sent)
    .fix("let the output schema accept errors, or leave structuredContent out of them");
    let name = tool.get("name").map_or_else(String::new, short);
    match (
        tool.get("outputSchema"),
        body.pointer("/result/structuredContent"),
    ) {
        (None, _) => probe.table.skip(ask, format!("{name} declares none")),
        (Some(_), None) => probe.table.skip(ask, "the error has no structured content"),
        (Some(schema), Some(content)) => {
            probe.table.judge(ask, output_schema::fits(schema, content));
        }
    }
}

/// A call that must be refused: a value outside a closed set, or a required argument of the wrong type.
fn bad_call(tool: &Value) -> Option<(&Value, Value)> {
    let schema = tool.get("inputSchema")?;
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let closed = properties
        .iter()
        .find(|(_, property)| is_closed(schema, property));
    let wrong = closed
        .map(|(name, _)| name.as_str())
        .or_else(|| required.first().copied())?;
    let mut arguments = serde_json::Map::new();
    for name in required.iter().copied().chain([wrong]) {
        let kind = properties
            .get(name)
            .and_then(|property| property.get("type")?.as_str());
        let value = match kind {
            Some("integer" | "number") => json!(1),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!("aon-check"),
        };
        arguments.insert(name.to_owned(), value);
    }
    let bad = if closed.is_some() {
        json!(NO_SUCH_VALUE)
    } else {
        json!({"aon-check": [null]})
    };
    arguments.insert(wrong.to_owned(), bad);
    Some((tool, Value::Object(arguments)))
}

/// Whether a property allows listed values only, also behind one local reference.
fn is_closed(schema: &Value, property: &Value) -> bool {
    let target = property
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| schema.pointer(reference.strip_prefix('#')?))
        .unwrap_or(property);
    let listed = |branches: Option<&Value>| {
        branches.and_then(Value::as_array).is_some_and(|branches| {
            !branches.is_empty() && branches.iter().all(|branch| branch.get("const").is_some())
        })
    };
    target.get("enum").is_some() || listed(target.get("oneOf")) || listed(target.get("anyOf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_call_is_one_that_must_be_refused() {
        let closed = json!({"name": "t", "inputSchema": {"properties": {
            "id": {"type": "string"}, "mode": {"$ref": "#/$defs/Mode"}, "size": {"type": "integer"}},
            "required": ["id", "size"], "$defs": {"Mode": {"oneOf": [{"const": "a"}, {"const": "b"}]}}}});
        assert_eq!(
            bad_call(&closed).unwrap().1,
            json!({"id": "aon-check", "size": 1, "mode": NO_SUCH_VALUE})
        );
        let required =
            json!({"inputSchema": {"properties": {"id": {"type": "string"}}, "required": ["id"]}});
        assert_eq!(
            bad_call(&required).unwrap().1,
            json!({"id": {"aon-check": [null]}})
        );
        let harmless = json!({"inputSchema": {"properties": {"id": {"type": "string"}}}});
        assert!(bad_call(&harmless).is_none());
    }

    #[test]
    fn numbers_of_other_protocols_are_known() {
        for fine in [
            -32700, -32600, -32602, -32603, -32002, -32020, -32042, -31401, 17,
        ] {
            assert!(allowed(fine), "{fine}");
        }
        for foreign in [
            -32001, -32003, -32004, -32005, -32008, -32010, -32050, -32000,
        ] {
            assert!(!allowed(foreign), "{foreign}");
        }
    }
}
