//! The shell: a clock, chance and a connection around the rules.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use tokio::time::Instant;

use super::connect::{Address, BadAddress};
use super::event::Received;
use super::open::{Call, Open, value};
use super::outcome::Outcome;
use super::resume::{Channel, Follow, Input, Notice, Opening, Output, Rules};
use super::wire::LINE_LIMIT;

/// A request whose answer is read as a stream, or the address of a session.
///
/// # Examples
///
/// ```
/// use aon_live::client::{Outcome, Request};
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// # let hub = aon_live::Hub::new();
/// # let app: axum::Router = axum::Router::new().route("/users", axum::routing::post(async || axum::Json(serde_json::json!({"id": 1})))).layer(aon_live::GlassBox::new(&hub));
/// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// # let url = format!("http://{}/users", listener.local_addr()?);
/// # tokio::spawn(async move { axum::serve(listener, app).await });
/// let mut tail = Request::post(&url)?.json(r#"{"name":"Ada"}"#).send();
/// match tail.outcome().await {
///     Outcome::Result(success) => assert_eq!(success.data(), r#"{"id":1}"#),
///     Outcome::Error(failure) => panic!("it failed: {}", failure.problem()),
///     Outcome::Cut(cut) => panic!("nobody knows: {cut}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    address: Address,
    url: String,
    headers: HeaderMap,
    body: Bytes,
    rules: Rules,
    since: Option<String>,
    limit: usize,
}

impl Request {
    /// A request of any method.
    ///
    /// # Errors
    ///
    /// When the address cannot be used.
    pub fn new(method: Method, url: &str) -> Result<Self, BadAddress> {
        Ok(Self {
            method,
            address: Address::parse(url)?,
            url: url.to_owned(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            rules: Rules::default(),
            since: None,
            limit: LINE_LIMIT,
        })
    }

    /// A GET. An address that starts with `ws` is that of a session's WebSocket.
    ///
    /// # Errors
    ///
    /// When the address cannot be used.
    pub fn get(url: &str) -> Result<Self, BadAddress> {
        Self::new(Method::GET, url)
    }

    /// A POST.
    ///
    /// # Errors
    ///
    /// When the address cannot be used.
    pub fn post(url: &str) -> Result<Self, BadAddress> {
        Self::new(Method::POST, url)
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        let json = HeaderValue::from_static("application/json");
        self.headers.entry(header::CONTENT_TYPE).or_insert(json);
        self
    }

    /// With one more header. Those that say who calls are sent again when the reader comes back, to the same server only.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// With rules of its own.
    #[must_use]
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Reads a session from after this event.
    #[must_use]
    pub fn since(mut self, id: impl Into<String>) -> Self {
        self.since = Some(id.into());
        self
    }

    /// Leaves out events longer than this many bytes.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Sends it, once.
    pub fn send(self) -> Tail {
        let socket = self.url.starts_with("ws:") || self.url.starts_with("wss:");
        let start = Instant::now();
        let is_session = socket || self.since.is_some();
        let (follow, wire) = if is_session {
            let channel = if socket {
                Channel::WebSocket
            } else {
                self.rules.channel
            };
            let follow = Follow::session(
                self.rules,
                channel,
                self.url.clone(),
                self.since.clone(),
                Duration::ZERO,
            );
            (follow, Connection::Idle)
        } else {
            let mut follow = Follow::call(self.rules, Duration::ZERO);
            if self.method == Method::GET {
                follow = follow.with_fallback(self.rules.channel, self.url.clone());
            }
            let mut headers = self.headers.clone();
            let glass = HeaderValue::from_static("application/x-ndjson, text/event-stream;q=0.9");
            headers.entry(header::ACCEPT).or_insert(glass);
            let call = Call {
                method: self.method.clone(),
                address: self.address.clone(),
                headers,
                body: self.body.clone(),
            };
            (
                follow,
                Connection::opening(call, Channel::Ndjson, self.limit),
            )
        };
        Tail {
            request: self,
            follow,
            connection: wire,
            start,
            ended: None,
        }
    }
}

/// What a reader gets.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever reads must decide about all three"
)]
pub enum Step {
    /// An event that was not shown before.
    Event(Received),
    /// Something about the connection.
    Notice(Notice),
    /// The end. It is returned again if you ask again.
    End(Outcome),
}

/// A stream that comes back by itself until it has an outcome.
#[derive(Debug)]
pub struct Tail {
    request: Request,
    follow: Follow,
    connection: Connection,
    start: Instant,
    ended: Option<Outcome>,
}

enum Connection {
    Idle,
    Opening(Pin<Box<dyn Future<Output = Open> + Send>>),
    Open(Open),
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "Idle",
            Self::Opening(_) => "Opening",
            Self::Open(_) => "Open",
        })
    }
}

impl Connection {
    fn opening(call: Call, channel: Channel, limit: usize) -> Self {
        Self::Opening(Box::pin(Open::make(call, channel, limit)))
    }

    /// What comes next. Dropping the future loses nothing.
    async fn next(&mut self) -> Input {
        loop {
            match self {
                Self::Idle => return std::future::pending().await,
                Self::Opening(opening) => *self = Self::Open(opening.await),
                Self::Open(open) => return open.next().await,
            }
        }
    }
}

impl Tail {
    /// The id of the last event that was seen.
    pub fn cursor(&self) -> Option<String> {
        self.follow.cursor()
    }

    /// What comes next. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Step {
        if let Some(outcome) = &self.ended {
            return Step::End(outcome.clone());
        }
        loop {
            while let Some(output) = self.follow.poll() {
                match output {
                    Output::Show(event) => return Step::Event(event),
                    Output::Tell(notice) => return Step::Notice(notice),
                    Output::Open(opening) => self.open(&opening),
                    Output::Close => self.close(),
                    Output::End(outcome) => {
                        self.ended = Some(outcome.clone());
                        return Step::End(outcome);
                    }
                }
            }
            let deadline = self.follow.deadline().map(|at| self.start + at);
            let input = tokio::select! {
                input = self.connection.next() => input,
                () = until(deadline) => Input::Tick,
            };
            self.follow.handle(self.start.elapsed(), chance(), input);
        }
    }

    /// Reads to the end and gives the outcome; the events are dropped.
    pub async fn outcome(&mut self) -> Outcome {
        loop {
            if let Step::End(outcome) = self.next().await {
                return outcome;
            }
        }
    }

    /// Cuts the connection, as a network would. The reader comes back by itself.
    pub fn cut(&mut self) {
        self.connection = Connection::Idle;
        let why = Input::Lost("it was cut on this side".to_owned());
        self.follow.handle(self.start.elapsed(), chance(), why);
    }

    fn open(&mut self, opening: &Opening) {
        let joined = self.request.address.join(&opening.url);
        let address = match joined {
            Ok(address) => address,
            Err(error) => {
                let why = Input::Lost(error.to_string());
                return self.follow.handle(self.start.elapsed(), chance(), why);
            }
        };
        let mut headers = HeaderMap::new();
        if self.request.address.is_same_server(&address) {
            let about_the_body = [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::ACCEPT];
            for (name, value) in &self.request.headers {
                if !about_the_body.contains(name) {
                    headers.append(name, value.clone());
                }
            }
        }
        let accept = match opening.channel {
            Channel::Ndjson => "application/x-ndjson",
            Channel::Sse | Channel::WebSocket => "text/event-stream",
        };
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        let address = match (&opening.since, opening.channel) {
            (Some(since), Channel::WebSocket) => address.with_query("since", since),
            (Some(since), _) => {
                if let Some(since) = value(since) {
                    headers.insert("last-event-id", since);
                }
                address
            }
            (None, _) => address,
        };
        let call = Call {
            method: Method::GET,
            address,
            headers,
            body: Bytes::new(),
        };
        self.connection = Connection::opening(call, opening.channel, self.request.limit);
    }

    fn close(&mut self) {
        if let Connection::Open(open) = std::mem::replace(&mut self.connection, Connection::Idle) {
            tokio::spawn(open.close());
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// A number between 0 and 1. It only spreads readers; nobody needs to be unable to guess it.
#[expect(clippy::cast_precision_loss, reason = "it is chance")]
fn chance() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    (random >> 11) as f64 / (1_u64 << 53) as f64
}
