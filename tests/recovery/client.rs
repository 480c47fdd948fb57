//! The caller: one connection, the document of the surface, and a transport for the recovering client. It knows nothing of the
//! scenario but the careless call and what its owner wants.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aon::recovery::{self, Call, Decision, Effect, Lost, Operation, Seen, Transport};
use aon_live::client::{Outcome, Request as LiveRequest};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::net::TcpStream;

use super::scenario::{self, Careless};

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How calls reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    Rest,
    Mcp,
    A2a,
}

impl Surface {
    pub const ALL: [Self; 3] = [Self::Rest, Self::Mcp, Self::A2a];

    pub fn name(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Mcp => "mcp",
            Self::A2a => "a2a",
        }
    }
}

/// Method and path of an operation on REST.
#[derive(Clone, Debug)]
struct Route {
    operation: String,
    method: String,
    path: String,
}

/// A connection to a server, and what is known of it.
pub struct Client {
    surface: Surface,
    glass: bool,
    address: String,
    connection: Option<SendRequest<Full<Bytes>>>,
    routes: Vec<Route>,
    careless: Careless,
    /// `user; scopes`, as the callbacks change it.
    pub identity: Arc<std::sync::Mutex<String>>,
    clock: Arc<AtomicU64>,
    pub calls: usize,
    pub bytes: usize,
    counting: bool,
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Answer {
    fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl Client {
    pub fn new(
        surface: Surface,
        glass: bool,
        address: String,
        careless: Careless,
        clock: Arc<AtomicU64>,
    ) -> Self {
        Self {
            surface,
            glass: glass && surface == Surface::Rest,
            address,
            connection: None,
            routes: Vec::new(),
            careless,
            identity: Arc::default(),
            clock,
            calls: 0,
            bytes: 0,
            counting: false,
        }
    }

    /// Reads the tool list, the OpenAPI document or the agent card.
    pub async fn discover(&mut self) -> Vec<Operation> {
        let operations = match self.surface {
            Surface::Rest => {
                let document = self
                    .read("/openapi.json")
                    .await
                    .expect("an OpenAPI document");
                self.of_openapi(&document)
            }
            Surface::Mcp => {
                let answer = self
                    .rpc("/mcp", "tools/list", "", &json!({}))
                    .await
                    .expect("a list of tools");
                let listed: Value = serde_json::from_slice(&answer.body).expect("JSON");
                let tools = listed["result"]["tools"].as_array().expect("tools").clone();
                tools.iter().map(of_tool).collect()
            }
            Surface::A2a => {
                let card = self
                    .read("/.well-known/agent-card.json")
                    .await
                    .expect("an agent card");
                card["skills"]
                    .as_array()
                    .expect("skills")
                    .iter()
                    .map(|skill| of_skill(&card, skill))
                    .collect()
            }
        };
        self.counting = true;
        operations
    }

    fn of_openapi(&mut self, document: &Value) -> Vec<Operation> {
        let mut out = Vec::new();
        for (path, methods) in document["paths"].as_object().into_iter().flatten() {
            for (method, item) in methods.as_object().into_iter().flatten() {
                let method = method.to_uppercase();
                let name = item["operationId"].as_str().unwrap_or_default().to_owned();
                let body = &item["requestBody"]["content"]["application/json"]["schema"];
                let mut schema = if body.is_object() {
                    body.clone()
                } else {
                    json!({"type": "object", "properties": {}, "additionalProperties": false})
                };
                for parameter in item["parameters"].as_array().into_iter().flatten() {
                    let name = parameter["name"].as_str().unwrap_or_default();
                    schema["properties"][name] = parameter["schema"].clone();
                    if parameter["required"] == true {
                        match schema["required"].as_array_mut() {
                            Some(names) => names.push(json!(name)),
                            None => schema["required"] = json!([name]),
                        }
                    }
                }
                let effect = if item["x-idempotent"] == true {
                    Effect::Idempotent
                } else {
                    Effect::of_method(&method)
                };
                self.routes.push(Route {
                    operation: name.clone(),
                    method,
                    path: path.clone(),
                });
                out.push(
                    Operation::new(name, effect)
                        .with_schema(schema)
                        .with_path(path),
                );
            }
        }
        out
    }

    async fn read(&mut self, path: &str) -> Option<Value> {
        let answer = self
            .request(Method::GET, path, &[], Vec::new())
            .await
            .ok()?;
        (answer.status < 400).then(|| serde_json::from_slice(&answer.body).ok())?
    }

    async fn rpc(
        &mut self,
        path: &str,
        method: &str,
        name: &str,
        params: &Value,
    ) -> Result<Answer, Lost> {
        let mut params = params.clone();
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        if path == "/mcp" {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "recovery", "version": "1"},
            });
            headers.push(("mcp-protocol-version", "2026-07-28".to_owned()));
            headers.push(("mcp-method", method.to_owned()));
            if !name.is_empty() {
                headers.push(("mcp-name", name.to_owned()));
            }
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string().into_bytes();
        self.request(Method::POST, path, &headers, body).await
    }

    async fn request(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<Answer, Lost> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", &self.address);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let identity = self.identity.lock().unwrap().clone();
        let request = request.header("x-caller", identity);
        if self.counting {
            self.calls += 1;
            self.bytes += body.len();
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .expect("a request");
        if self.connection.as_ref().is_none_or(SendRequest::is_closed) {
            self.connection = Some(self.connect().await.ok_or(Lost::NotSent)?);
        }
        let sender = self.connection.as_mut().expect("a connection");
        if sender.ready().await.is_err() {
            self.connection = None;
            return Err(Lost::NotSent);
        }
        // A tool of rmcp that panics never answers.
        let answered = tokio::time::timeout(PATIENCE, async {
            let (parts, body) = sender.send_request(request).await.ok()?.into_parts();
            Some((parts, body.collect().await.ok()?.to_bytes()))
        });
        let Ok(Some((parts, body))) = answered.await else {
            self.connection = None;
            return Err(Lost::NotAnswered);
        };
        if self.counting {
            self.bytes += body.len();
        }
        let headers = parts.headers.iter().filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        });
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body,
        })
    }

    async fn connect(&self) -> Option<SendRequest<Full<Bytes>>> {
        let stream = TcpStream::connect(&self.address).await.ok()?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        Some(sender)
    }

    /// Method, path and body of a call on REST.
    fn on_rest(&self, call: &Call) -> (Method, String, Vec<u8>) {
        let route = self
            .routes
            .iter()
            .find(|route| route.operation == call.operation);
        let (method, mut path) = match route {
            Some(route) => (route.method.clone(), route.path.clone()),
            None => (
                self.careless
                    .method
                    .clone()
                    .unwrap_or_else(|| "POST".to_owned()),
                self.careless
                    .path
                    .clone()
                    .unwrap_or_else(|| format!("/{}", call.operation)),
            ),
        };
        let mut left: Map<String, Value> = call.arguments.as_object().cloned().unwrap_or_default();
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            let name = path[start + 1..end].to_owned();
            let value = left
                .remove(&name)
                .map_or("_".to_owned(), |value| text(&value));
            path.replace_range(start..=end, &encode(&value));
        }
        let method: Method = method.parse().expect("a method");
        if matches!(method.as_str(), "GET" | "DELETE") {
            // A list is the same name several times, and what is null is not there, as OpenAPI has it.
            let each = left.iter().flat_map(|(name, value)| {
                let items = match value {
                    Value::Array(items) => items.iter().collect(),
                    Value::Null => Vec::new(),
                    one => vec![one],
                };
                items.into_iter().map(move |item| (name, item))
            });
            let pairs =
                each.map(|(name, item)| format!("{}={}", encode(name), encode(&text(item))));
            let pairs: Vec<String> = pairs.collect();
            if !pairs.is_empty() {
                path = format!("{path}?{}", pairs.join("&"));
            }
            return (method, path, Vec::new());
        }
        (method, path, Value::Object(left).to_string().into_bytes())
    }

    async fn send_rest(&mut self, call: &Call) -> Result<Value, Seen> {
        let (method, path, body) = self.on_rest(call);
        if self.glass {
            return self.send_live(method, &path, body).await;
        }
        let headers = [("content-type", "application/json".to_owned())];
        let answer = self
            .request(method, &path, &headers, body)
            .await
            .map_err(Seen::lost)?;
        if answer.status >= 400 {
            return Err(Seen::rest(answer.status, answer.headers(), &answer.body));
        }
        Ok(serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    /// The same as a stream: an answer that was cut is read to its end.
    async fn send_live(
        &mut self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Value, Seen> {
        self.calls += 1;
        self.bytes += body.len();
        let identity = self.identity.lock().unwrap().clone();
        let url = format!("http://{}{path}", self.address);
        let request = LiveRequest::new(method, &url)
            .expect("an address")
            .json(body)
            .header(
                HeaderName::from_static("x-caller"),
                HeaderValue::from_str(&identity).expect("a header"),
            );
        match request.send().outcome().await {
            Outcome::Result(success) => {
                self.bytes += success.data().len();
                Ok(serde_json::from_str(success.data()).unwrap_or_default())
            }
            Outcome::Error(failure) => {
                let body = failure.problem().to_vec();
                self.bytes += body.len();
                let status = failure.problem().status().map_or(500, aon::Status::as_u16);
                Err(Seen::rest(status, [], &body))
            }
            Outcome::Cut(_) => Err(Seen::lost(Lost::NotAnswered)),
        }
    }

    async fn send_mcp(&mut self, call: &Call) -> Result<Value, Seen> {
        let params = json!({"name": call.operation, "arguments": call.arguments});
        let answer = self
            .rpc("/mcp", "tools/call", &call.operation, &params)
            .await
            .map_err(Seen::lost)?;
        if let Some(seen) = Seen::mcp(&answer.body) {
            return Err(seen);
        }
        if answer.status >= 400 {
            return Err(Seen::rest(answer.status, answer.headers(), &answer.body));
        }
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        Ok(body["result"]["structuredContent"].clone())
    }

    async fn send_a2a(&mut self, call: &Call) -> Result<Value, Seen> {
        let mut data = json!({"skill": call.operation});
        for (name, value) in call.arguments.as_object().into_iter().flatten() {
            data[name] = value.clone();
        }
        let message = json!({"messageId": "1", "role": "ROLE_USER", "parts": [{"data": data}]});
        let params = json!({"message": message});
        let answer = self
            .rpc("/a2a", "SendMessage", "", &params)
            .await
            .map_err(Seen::lost)?;
        if let Some(seen) = Seen::a2a(answer.status, answer.headers(), &answer.body) {
            return Err(seen);
        }
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        Ok(body
            .pointer("/result/message/parts/0/data")
            .cloned()
            .unwrap_or_default())
    }
}

impl Transport for Client {
    async fn send(&mut self, call: &Call) -> Result<Value, Seen> {
        match self.surface {
            Surface::Rest => self.send_rest(call).await,
            Surface::Mcp => self.send_mcp(call).await,
            Surface::A2a => self.send_a2a(call).await,
        }
    }

    async fn fetch(&mut self, url: &str) -> Option<Value> {
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.strip_prefix(self.address.as_str())?,
            None => url,
        };
        self.read(path).await
    }

    async fn wait(&mut self, millis: u64) {
        self.clock.fetch_add(millis, Ordering::SeqCst);
    }

    fn now(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }
}

/// The owner of the call: chooses what it wants, grants what it may.
pub struct Owner {
    pub caller: scenario::Caller,
    pub identity: Arc<std::sync::Mutex<String>>,
    pub asked: usize,
}

impl Owner {
    pub fn sign(&self) {
        let scopes = self.caller.scopes.join(" ");
        *self.identity.lock().unwrap() = format!("{}; {scopes}", self.caller.user);
    }
}

impl recovery::Caller for Owner {
    fn choose(&mut self, field: &str, values: &[Value]) -> Option<Value> {
        self.asked += 1;
        let plain = |value: &Value| value.get("value").unwrap_or(value).clone();
        let wants = self.caller.wants.get(field)?;
        if values.is_empty() {
            // Nobody told which values the field takes: the owner says the one it wants.
            return wants.first().cloned();
        }
        let offered: Vec<Value> = values.iter().map(plain).collect();
        wants
            .iter()
            .find(|wanted| offered.contains(wanted))
            .cloned()
    }

    fn elevate(&mut self, scope: &str) -> bool {
        let granted = scope.split_whitespace().all(|word| {
            self.caller
                .grants
                .iter()
                .chain(&self.caller.scopes)
                .any(|known| known == word)
        });
        if granted {
            self.caller
                .scopes
                .extend(scope.split_whitespace().map(str::to_owned));
            self.sign();
        }
        granted
    }

    fn switch_user(&mut self) -> bool {
        let Some(other) = self.caller.other_user.take() else {
            return false;
        };
        self.caller.user = other;
        self.sign();
        true
    }

    fn decided(&mut self, decision: &Decision) {
        let _ = decision;
    }
}

fn of_tool(tool: &Value) -> Operation {
    let name = tool["name"].as_str().unwrap_or_default();
    let effect = Effect::of_annotations(&tool["annotations"]);
    Operation::new(name, effect).with_schema(tool["inputSchema"].clone())
}

/// Where the card declares no schema of a skill, the names of its arguments stand in its example.
fn of_skill(card: &Value, skill: &Value) -> Operation {
    let name = skill["id"].as_str().unwrap_or_default();
    let has = |tag: &str| {
        skill["tags"]
            .as_array()
            .is_some_and(|tags| tags.iter().any(|known| known == tag))
    };
    let effect = if has("read-only") {
        Effect::Safe
    } else if has("idempotent") {
        Effect::Idempotent
    } else {
        Effect::Unsafe
    };
    if let Some(schema) = aon::surface::a2a::skill_schema(card, name) {
        return Operation::new(name, effect).with_schema(schema.clone());
    }
    let example = skill["examples"][0].as_str().unwrap_or("{}");
    let example: Value = serde_json::from_str(example).unwrap_or_default();
    let mut properties = Map::new();
    for name in example
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .filter(|name| *name != "skill")
    {
        properties.insert(name.clone(), json!({}));
    }
    Operation::new(name, effect).with_schema(json!({"type": "object", "properties": properties}))
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
