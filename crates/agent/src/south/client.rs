//! The side that asks, over either wire. It keeps to the policy that `hello` answered.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, Request, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::answer::Answer;
use super::clock;
use super::fault::SouthFault;
use super::sign::{Reply, Subject, hex, unhex};
use super::wire::{Hello, Policy, VERSION, Welcome};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How much longer than the policy an answer may take.
const MARGIN: Duration = Duration::from_secs(30);
/// The largest answer that is read.
const LARGEST: usize = 32 << 20;

fn unreachable(error: impl fmt::Display) -> SouthFault {
    SouthFault::Unreachable {
        reason: error.to_string(),
    }
}

fn unreadable(reason: impl fmt::Display) -> SouthFault {
    SouthFault::AnswerUnreadable {
        reason: reason.to_string(),
    }
}

async fn connect(uri: &Uri, port: u16) -> Result<TcpStream, SouthFault> {
    let host = uri
        .host()
        .ok_or_else(|| unreachable("the address has no host"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let stream = timeout(
        CONNECT,
        TcpStream::connect((host, uri.port_u16().unwrap_or(port))),
    )
    .await;
    let stream = stream.map_err(unreachable)?.map_err(unreachable)?;
    stream.set_nodelay(true).map_err(unreachable)?;
    Ok(stream)
}

/// The text of a message, when the policy allows it.
///
/// # Errors
///
/// When it is too large, or asks for more time than there is.
pub fn within(policy: &Policy, message: &Map<String, Value>) -> Result<String, SouthFault> {
    let text = Value::Object(message.clone()).to_string();
    if text.len() as u64 > policy.max_payload {
        return Err(SouthFault::PayloadTooLarge {
            max_payload: policy.max_payload,
        });
    }
    let asked = message.get("timeout").and_then(Value::as_u64);
    if asked.is_some_and(|asked| asked > policy.timeouts.exec) {
        return Err(SouthFault::TimeoutTooLong {
            exec: policy.timeouts.exec,
        });
    }
    Ok(text)
}

/// The message of a handshake.
pub fn hello(agent: &str) -> Map<String, Value> {
    let hello = Hello {
        agent_id: agent.to_owned(),
        name: Some("aon".to_owned()),
        version: Some(VERSION.to_owned()),
        ..Hello::default()
    };
    let mut message = Map::from_iter([("method".to_owned(), "hello".into())]);
    if let Ok(Value::Object(members)) = serde_json::to_value(hello) {
        message.extend(members);
    }
    message
}

fn welcomed(answer: &Answer) -> Result<Welcome, SouthFault> {
    serde_json::from_value(Value::Object(answer.body.clone())).map_err(unreadable)
}

/// Over HTTP, with a key.
#[derive(Clone)]
pub struct HttpClient {
    uri: Uri,
    agent: String,
    key: String,
    secret: Vec<u8>,
    /// Whether an answer without a signature is taken.
    trusting: bool,
    patience: Duration,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient")
            .field("uri", &self.uri)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// A request that was signed: what a test may change before it is sent.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a request is its parts")]
pub struct SignedRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpClient {
    /// An address such as `http://127.0.0.1:8790`, and a key with its secret in hex.
    ///
    /// # Errors
    ///
    /// When one of them is not what it should be.
    pub fn new(url: &str, agent: &str, key: &str, secret: &str) -> Result<Self, SouthFault> {
        let uri: Uri = url.parse().map_err(unreachable)?;
        let secret =
            unhex(secret).ok_or_else(|| unreachable("the secret is not written in hex"))?;
        Ok(Self {
            uri,
            agent: agent.to_owned(),
            key: key.to_owned(),
            secret,
            trusting: false,
            patience: Duration::from_millis(Policy::default().timeouts.exec) + MARGIN,
        })
    }

    /// Takes answers that are not signed, from a side that does not sign them. A wrong signature is refused all the same.
    #[must_use]
    pub const fn trusting(mut self) -> Self {
        self.trusting = true;
        self
    }

    /// Waits for answers as long as actions of this policy may take, and a little longer.
    #[must_use]
    pub fn patient(mut self, policy: &Policy) -> Self {
        self.patience = Duration::from_millis(policy.timeouts.exec) + MARGIN;
        self
    }

    /// The message of a handshake of this agent.
    pub fn hello_message(&self) -> Map<String, Value> {
        hello(&self.agent)
    }

    /// Signs a request now.
    ///
    /// # Errors
    ///
    /// When the system has no random numbers, or a name cannot be a header.
    pub fn sign(&self, method: &str, path: &str, body: &[u8]) -> Result<SignedRequest, SouthFault> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(unreachable)?;
        self.sign_with(method, path, body, clock::now() / 1000, &hex(&random))
    }

    /// Signs a request with a time and a nonce of your own.
    ///
    /// # Errors
    ///
    /// When a name cannot be a header.
    pub fn sign_with(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
        timestamp: u64,
        nonce: &str,
    ) -> Result<SignedRequest, SouthFault> {
        let (plain, query) = path
            .split_once('?')
            .map_or((path, None), |(plain, query)| (plain, Some(query)));
        let subject = Subject {
            method,
            path: plain,
            query,
            body,
        };
        let signature = subject.sign(&self.secret, timestamp, nonce, &self.agent);
        let mut headers = HeaderMap::new();
        let timestamp = timestamp.to_string();
        for (name, value) in [
            ("x-agent-id", self.agent.as_str()),
            ("x-key-id", &self.key),
            ("x-timestamp", &timestamp),
            ("x-nonce", nonce),
            ("x-signature", &signature),
            ("content-type", "application/json"),
        ] {
            headers.insert(name, value.parse().map_err(unreachable)?);
        }
        Ok(SignedRequest {
            method: method.to_owned(),
            path: path.to_owned(),
            headers,
            body: body.to_vec(),
        })
    }

    /// Sends a request as it is: status, headers and body of what comes.
    ///
    /// # Errors
    ///
    /// When the other side cannot be reached, or its answer cannot be read.
    pub async fn send(
        &self,
        signed: SignedRequest,
    ) -> Result<(u16, HeaderMap, Vec<u8>), SouthFault> {
        let late = |_| SouthFault::AnswerLate {
            seconds: self.patience.as_secs(),
        };
        timeout(self.patience, self.exchange(signed))
            .await
            .map_err(late)?
    }

    async fn exchange(
        &self,
        signed: SignedRequest,
    ) -> Result<(u16, HeaderMap, Vec<u8>), SouthFault> {
        let stream = connect(&self.uri, 80).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(unreachable)?;
        let connection = tokio::spawn(connection);
        let host = self
            .uri
            .authority()
            .map_or("", http::uri::Authority::as_str);
        let mut request = Request::builder()
            .method(signed.method.as_str())
            .uri(signed.path)
            .header("host", host)
            .body(Full::new(bytes::Bytes::from(signed.body)))
            .map_err(unreachable)?;
        request.headers_mut().extend(signed.headers);
        let response = sender.send_request(request).await.map_err(unreachable)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, LARGEST)
            .collect()
            .await
            .map_err(unreadable)?;
        connection.abort();
        Ok((
            parts.status.as_u16(),
            parts.headers,
            body.to_bytes().to_vec(),
        ))
    }

    /// Asks, and reads the answer.
    ///
    /// # Errors
    ///
    /// When the other side cannot be reached, or its answer is not one or not signed.
    pub async fn call(&self, message: &str) -> Result<Answer, SouthFault> {
        let signed = self.sign("POST", "/southbound", message.as_bytes())?;
        let nonce = signed.headers.get("x-nonce").cloned();
        let (status, headers, body) = self.send(signed).await?;
        let nonce = nonce.as_ref().and_then(|nonce| nonce.to_str().ok());
        self.verify(status, &headers, &body, nonce.unwrap_or_default())?;
        Ok(Answer {
            status,
            body: serde_json::from_slice(&body).map_err(unreadable)?,
        })
    }

    /// Whether an answer is one to the request with this nonce, by somebody who has the key.
    ///
    /// # Errors
    ///
    /// When it is not, or is not signed at all.
    pub fn verify(
        &self,
        status: u16,
        headers: &HeaderMap,
        body: &[u8],
        nonce: &str,
    ) -> Result<(), SouthFault> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(signature) = text("x-signature") else {
            if self.trusting {
                return Ok(());
            }
            // What it says is a hint for a person, and nothing more.
            let words = Answer::read(status, body);
            let words = words.body.get("error").and_then(Value::as_str);
            let words = aon_core::redact::echo(words.unwrap_or_default()).to_string();
            return Err(SouthFault::AnswerNotVerified {
                reason: format!("it has status {status}, no signature, and says \"{words}\""),
            });
        };
        let timestamp = text("x-timestamp").and_then(|time| time.parse().ok());
        let reply = Reply {
            status,
            body,
            timestamp: timestamp.unwrap_or(0),
            nonce,
            agent: &self.agent,
        };
        if reply.is_signed(&self.secret, signature) {
            Ok(())
        } else {
            Err(SouthFault::AnswerNotVerified {
                reason: "its signature is not valid for this request".to_owned(),
            })
        }
    }

    /// Shakes hands: the policy.
    ///
    /// # Errors
    ///
    /// When it is refused: then the answer says why.
    pub async fn hello(&self) -> Result<Result<Welcome, Answer>, SouthFault> {
        let answer = self
            .call(&Value::Object(hello(&self.agent)).to_string())
            .await?;
        if answer.status >= 400 {
            Ok(Err(answer))
        } else {
            welcomed(&answer).map(Ok)
        }
    }
}

/// Over WebSocket, with a certificate.
pub struct WsClient {
    socket: WebSocketStream<TlsStream<TcpStream>>,
    policy: Policy,
}

impl fmt::Debug for WsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WsClient").finish_non_exhaustive()
    }
}

impl WsClient {
    /// Connects to an address such as `wss://host:8791` without shaking hands.
    ///
    /// # Errors
    ///
    /// When the other side cannot be reached, or does not take the certificate.
    pub async fn open(url: &str, tls: Arc<ClientConfig>) -> Result<Self, SouthFault> {
        let uri: Uri = url.parse().map_err(unreachable)?;
        let stream = connect(&uri, 443).await?;
        let host = uri
            .host()
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(unreachable)?;
        let stream = timeout(CONNECT, TlsConnector::from(tls).connect(name, stream)).await;
        let stream = stream.map_err(unreachable)?.map_err(unreachable)?;
        let socket = timeout(CONNECT, tokio_tungstenite::client_async(url, stream)).await;
        let (socket, _) = socket.map_err(unreachable)?.map_err(unreachable)?;
        Ok(Self {
            socket,
            policy: Policy::default(),
        })
    }

    /// Shakes hands; the policy holds from then on.
    ///
    /// # Errors
    ///
    /// When the connection breaks. A refusal is an answer.
    pub async fn hello(&mut self, agent: &str) -> Result<Result<Welcome, Answer>, SouthFault> {
        self.say(Value::Object(hello(agent)).to_string()).await?;
        let answer = self.hear(|_| {}).await?;
        if answer.status >= 400 {
            return Ok(Err(answer));
        }
        let welcome = welcomed(&answer)?;
        self.policy = welcome.policy;
        Ok(Ok(welcome))
    }

    /// Asks, tells events as they come, and gives the answer.
    ///
    /// # Errors
    ///
    /// When the policy does not allow it, or the connection breaks.
    pub async fn call(
        &mut self,
        message: &Map<String, Value>,
        event: impl FnMut(&Map<String, Value>),
    ) -> Result<Answer, SouthFault> {
        let text = within(&self.policy, message)?;
        self.say(text).await?;
        self.hear(event).await
    }

    /// Sends a text as it is.
    ///
    /// # Errors
    ///
    /// When the connection breaks.
    pub async fn say(&mut self, text: String) -> Result<(), SouthFault> {
        self.socket
            .send(Message::text(text))
            .await
            .map_err(unreachable)
    }

    /// Waits for the next answer.
    ///
    /// # Errors
    ///
    /// When the connection breaks, or nothing comes.
    pub async fn hear(
        &mut self,
        mut event: impl FnMut(&Map<String, Value>),
    ) -> Result<Answer, SouthFault> {
        let patience = Duration::from_millis(self.policy.timeouts.exec) + MARGIN;
        loop {
            let next = timeout(patience, self.socket.next())
                .await
                .map_err(unreachable)?;
            let message = next
                .ok_or_else(|| unreachable("the connection was closed"))?
                .map_err(unreachable)?;
            let text = match message {
                Message::Text(text) => text,
                Message::Close(frame) => {
                    let why = frame.map_or_else(String::new, |frame| format!(" ({})", frame.code));
                    return Err(unreachable(format!("the connection was closed{why}")));
                }
                _ => continue,
            };
            let body: Map<String, Value> = serde_json::from_str(&text).map_err(unreadable)?;
            if body.contains_key("ok") {
                let status = body
                    .get("problem")
                    .and_then(|problem| problem.get("status")?.as_u64());
                let status = status
                    .and_then(|status| u16::try_from(status).ok())
                    .unwrap_or(200);
                return Ok(Answer { status, body });
            }
            event(&body);
        }
    }
}
