//! A small HTTP client for `aon check`: one connection per request, with or without TLS, bounded in time and size.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::time::timeout;

mod capture;
mod stream;
mod tls;

pub(crate) use capture::{Capture, End};
pub(crate) use stream::Stream;

/// The most bytes of an answer that are read.
const BODY_LIMIT: usize = 4 << 20;

/// Where requests go: an authority, and the path the user gave.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    host: String,
    port: u16,
    authority: String,
    /// Whether the address starts with `https`.
    secure: bool,
    /// The path of the address that was given, without a slash at its end.
    pub(crate) path: String,
}

impl Target {
    /// Reads an address such as `http://127.0.0.1:8787`, `https://api.example.com` or `localhost:8787/api`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let full = if text.contains("://") {
            text.to_owned()
        } else {
            format!("http://{text}")
        };
        let uri: Uri = full.parse().map_err(|error| format!("{text}: {error}"))?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(other) => {
                return Err(format!(
                    "{text}: only http and https are supported, not {other}"
                ));
            }
            None => return Err(format!("{text}: no scheme")),
        };
        let authority = uri
            .authority()
            .ok_or_else(|| format!("{text}: no host in it"))?;
        let host = authority.host();
        if host.is_empty() {
            return Err(format!("{text}: no host in it"));
        }
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: authority
                .port_u16()
                .unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            secure,
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// `http://host:port`, without a path.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// Host and port, as the address names them.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether the address starts with `https`.
    pub(crate) fn is_secure(&self) -> bool {
        self.secure
    }

    /// Opens a connection, with TLS where the address asks for it.
    pub(crate) async fn connect(&self) -> Result<Stream, String> {
        Stream::open(&self.host, self.port, self.secure).await
    }

    /// Whether `url` lives on the same host and port; then its path.
    pub(crate) fn path_of(&self, url: &str) -> Option<String> {
        if url.starts_with('/') {
            return Some(url.to_owned());
        }
        let other = Self::parse(url).ok()?;
        let same = other.port == self.port
            && (other.host == self.host || (is_loopback(&other.host) && is_loopback(&self.host)));
        same.then(|| {
            if other.path.is_empty() {
                "/".to_owned()
            } else {
                other.path
            }
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host == "::1" || host.starts_with("127.")
}

/// A request to a path of the target.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
    /// Whether the headers of all calls are left away.
    anonymous: bool,
}

impl Call {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Bytes::new(),
            anonymous: false,
        }
    }

    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// A POST with a JSON body.
    pub(crate) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, path).with_json(body.to_string())
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The call without the headers of all calls: one of somebody who has no token.
    #[must_use]
    pub(crate) fn anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    #[must_use]
    pub(crate) fn with_json(self, body: impl Into<Bytes>) -> Self {
        self.with("content-type", "application/json")
            .with_body(body)
    }

    #[must_use]
    pub(crate) fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A header's value, where it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The media type without its parameters.
    pub(crate) fn media_type(&self) -> &str {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// The body as JSON; of an event stream the last message.
    pub(crate) fn json(&self) -> Option<Value> {
        if self.media_type() == "text/event-stream" {
            let text = String::from_utf8_lossy(&self.body);
            return text
                .lines()
                .filter_map(|line| line.strip_prefix("data:"))
                .filter_map(|data| serde_json::from_str(data.trim()).ok())
                .next_back();
        }
        serde_json::from_slice(&self.body).ok()
    }
}

/// Why no answer came.
#[derive(Debug)]
pub(crate) struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NoAnswer {}

/// Sends requests to one target.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) target: Target,
    pub(crate) limit: Duration,
    /// Headers of every call that has no other value for them.
    pub(crate) headers: HeaderMap,
}

impl Client {
    /// Whether calls come with a credential.
    pub(crate) fn is_known(&self) -> bool {
        self.headers.contains_key(header::AUTHORIZATION)
            || self.headers.contains_key(header::COOKIE)
    }

    /// The headers of a call: its own, and those of all calls.
    fn headers_of<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = (&'a str, &'a str)> {
        let own = |name: &str| {
            call.headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let given = self
            .headers
            .iter()
            .filter(move |(name, _)| !call.anonymous && !own(name.as_str()))
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let own = call
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        own.chain(given)
    }

    /// Sends a request and reads the answer, as far as it comes in time.
    pub(crate) async fn send(&self, call: &Call) -> Result<Answer, NoAnswer> {
        timeout(self.limit, self.exchange(call))
            .await
            .map_err(|_elapsed| NoAnswer(format!("no answer within {} s", self.limit.as_secs())))?
    }

    async fn exchange(&self, call: &Call) -> Result<Answer, NoAnswer> {
        let stream = self.target.connect().await.map_err(NoAnswer)?;
        let failed = |error: &dyn fmt::Display| NoAnswer(error.to_string());
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| failed(&error))?;
        // It ends when the sender is dropped; its errors arrive at the sender too.
        tokio::spawn(async move {
            let _: Result<(), hyper::Error> = connection.await;
        });
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&call.path)
            .header(header::HOST, &self.target.authority)
            .header(
                header::USER_AGENT,
                concat!("aon-check/", env!("CARGO_PKG_VERSION")),
            );
        for (name, value) in self.headers_of(call) {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(call.body.clone()))
            .map_err(|error| failed(&error))?;
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| failed(&error))?;
        let (parts, mut body) = response.into_parts();
        let mut bytes = Vec::new();
        // An event stream may stay open after its message: what came within the quiet time is the answer.
        let quiet = Duration::from_millis(750);
        let streamed = parts
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.starts_with("text/event-stream"));
        loop {
            let wait = if streamed && !bytes.is_empty() {
                quiet
            } else {
                self.limit
            };
            let Ok(frame) = timeout(wait, body.frame()).await else {
                break;
            };
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        bytes.extend_from_slice(&data);
                    }
                    if bytes.len() > BODY_LIMIT {
                        break;
                    }
                }
                Some(Err(error)) => return Err(failed(&error)),
                None => break,
            }
        }
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_and_without_a_scheme() {
        let target = Target::parse("localhost:8787/api/").unwrap();
        assert_eq!(target.to_string(), "http://localhost:8787/api");
        assert_eq!(
            target.path_of("http://127.0.0.1:8787/a2a").as_deref(),
            Some("/a2a")
        );
        assert_eq!(target.path_of("http://elsewhere:8787/a2a"), None);
        assert_eq!(target.path_of("/x").as_deref(), Some("/x"));
        assert_eq!(Target::parse("http://[::1]:9/").unwrap().host, "::1");
        let secure = Target::parse("https://api.example.com/v1").unwrap();
        assert_eq!(
            (secure.port, secure.to_string()),
            (443, "https://api.example.com/v1".to_owned())
        );
        assert_eq!(
            secure.path_of("https://api.example.com:443/mcp").as_deref(),
            Some("/mcp")
        );
        for bad in ["ftp://x", "http://", "http://a b", ""] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
    }
}
