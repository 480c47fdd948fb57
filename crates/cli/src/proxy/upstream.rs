//! The server behind the proxy: a pool of connections, and what of a request is about the connection alone.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response, StatusCode, Uri, Version};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tower_service::Service;

use super::wire::{Body, untouched};
use crate::http::{Stream, Target};

/// Connections that are not used for so long are closed.
const IDLE: Duration = Duration::from_secs(30);
const MOST_IDLE: usize = 128;
/// What is about one connection and not about the message (RFC 9110 section 7.6.1).
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Why no answer came.
#[derive(Debug)]
pub(super) enum Lost {
    /// There was no connection: the call never left.
    NotSent,
    /// It left, and the connection broke.
    NotAnswered,
    /// It took longer than so many seconds.
    Late(u64),
}

/// The server.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) target: Target,
    one: Client<Connector, Body>,
    two: Client<Connector, Body>,
    /// The proxy as its clients call it, such as `127.0.0.1:8788`.
    own: Vec<String>,
    /// How long an answer may take to begin, in seconds; 0 is forever.
    pub(super) timeout: u64,
}

impl Upstream {
    pub(super) fn new(target: Target, port: u16, timeout: u64) -> Self {
        let connector = Connector(target.clone());
        let build = |second: bool| {
            Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(MOST_IDLE)
                .http1_preserve_header_case(true)
                .http2_only(second)
                .set_host(false)
                .build(connector.clone())
        };
        let names = ["localhost", "127.0.0.1", "[::1]"];
        Self {
            one: build(false),
            two: build(true),
            own: names.map(|name| format!("{name}:{port}")).to_vec(),
            target,
            timeout,
        }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(
        &self,
        mut request: Request<Body>,
    ) -> Result<Response<Incoming>, Lost> {
        // A client that speaks HTTP/2 without TLS knows that its server does.
        let second = request.version() == Version::HTTP_2 && !self.target.is_secure();
        self.address(&mut request, second);
        let client = if second { &self.two } else { &self.one };
        let answer = client.request(request);
        let answer = if self.timeout == 0 {
            answer.await
        } else {
            let limit = Duration::from_secs(self.timeout);
            match tokio::time::timeout(limit, answer).await {
                Ok(answer) => answer,
                Err(_elapsed) => return Err(Lost::Late(self.timeout)),
            }
        };
        let mut response = answer.map_err(|error| {
            if error.is_connect() {
                Lost::NotSent
            } else {
                Lost::NotAnswered
            }
        })?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            strip(response.headers_mut());
        }
        Ok(response)
    }

    /// Passes a request whole, with its upgrade if it asks for one.
    pub(super) async fn pass(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<Response<Body>, Lost> {
        let wanted = request.headers().contains_key(header::UPGRADE);
        let ours = wanted.then(|| hyper::upgrade::on(&mut request));
        let mut response = self.send(request.map(untouched)).await?;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS
            && let Some(ours) = ours
        {
            let theirs = hyper::upgrade::on(&mut response);
            tokio::spawn(async move {
                let (Ok(ours), Ok(theirs)) = tokio::join!(ours, theirs) else {
                    return;
                };
                let (mut ours, mut theirs) = (TokioIo::new(ours), TokioIo::new(theirs));
                // Either side may end it at any time; there is nobody to tell.
                let _ended = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
            });
        }
        Ok(response.map(untouched))
    }

    /// Makes a request one to the server.
    fn address(&self, request: &mut Request<Body>, second: bool) {
        let path = request
            .uri()
            .path_and_query()
            .map_or("/", |path| path.as_str());
        let full = format!("{}{path}", self.target.origin());
        if let Ok(uri) = full.parse::<Uri>() {
            *request.uri_mut() = uri;
        }
        *request.version_mut() = if second {
            Version::HTTP_2
        } else {
            Version::HTTP_11
        };
        let headers = request.headers_mut();
        let upgrade = headers.get(header::UPGRADE).cloned();
        let trailers = headers
            .get(header::TE)
            .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"trailers"));
        strip(headers);
        if trailers {
            headers.insert(header::TE, HeaderValue::from_static("trailers"));
        }
        if let Some(upgrade) = upgrade.filter(|_| !second) {
            headers.insert(header::UPGRADE, upgrade);
            headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        }
        self.rename(headers, second);
    }

    /// Where the client names the proxy, the server reads its own name; any other name is the client's own affair.
    fn rename(&self, headers: &mut HeaderMap, second: bool) {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let is_own =
            host.is_none_or(|host| self.own.iter().any(|own| own.eq_ignore_ascii_case(host)));
        if second {
            headers.remove(header::HOST);
        } else if is_own && let Ok(name) = HeaderValue::from_str(self.target.authority()) {
            headers.insert(header::HOST, name);
        }
        let origin = headers
            .get(header::ORIGIN)
            .and_then(|origin| origin.to_str().ok());
        let origin = origin.and_then(|origin| origin.strip_prefix("http://"));
        if origin.is_some_and(|origin| self.own.iter().any(|own| own.eq_ignore_ascii_case(origin)))
            && let Ok(name) = HeaderValue::from_str(&self.target.origin())
        {
            headers.insert(header::ORIGIN, name);
        }
    }
}

/// Takes out what is about the connection.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Opens connections to the target, whatever an address says.
#[derive(Clone, Debug)]
struct Connector(Target);

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Stream>>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _uri: Uri) -> Self::Future {
        let target = self.0.clone();
        Box::pin(async move {
            let stream = target.connect().await.map_err(io::Error::other)?;
            Ok(TokioIo::new(stream))
        })
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}
