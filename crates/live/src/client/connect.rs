//! One connection: an address, a stream of bytes with or without TLS.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::Uri;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// A stream of bytes to a server.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// An address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) secure: bool,
    host: String,
    port: u16,
    /// Host and port, as they stand in the `Host` header.
    pub(super) authority: String,
    pub(super) path: String,
}

/// An address that cannot be used, and why.
#[derive(Debug)]
pub struct BadAddress(String);

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for BadAddress {}

impl Address {
    /// Reads `http`, `https`, `ws` and `wss` addresses.
    pub(super) fn parse(text: &str) -> Result<Self, BadAddress> {
        let bad = |why: &dyn fmt::Display| BadAddress(format!("{text}: {why}"));
        let uri: Uri = text.parse().map_err(|error| bad(&error))?;
        let secure = match uri.scheme_str() {
            Some("http" | "ws") => false,
            Some("https" | "wss") => true,
            Some(other) => {
                return Err(bad(&format!(
                    "only http, https, ws and wss are supported, not {other}"
                )));
            }
            None => return Err(bad(&"it starts with neither http:// nor https://")),
        };
        let authority = uri
            .authority()
            .filter(|authority| !authority.host().is_empty());
        let authority = authority.ok_or_else(|| bad(&"it has no host"))?;
        let port = authority
            .port_u16()
            .unwrap_or(if secure { 443 } else { 80 });
        let named = authority.as_str();
        Ok(Self {
            secure,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port,
            // Credentials in an address do not belong into the header.
            authority: named
                .rsplit_once('@')
                .map_or(named, |(_, host)| host)
                .to_owned(),
            path: uri
                .path_and_query()
                .map_or("/", |path| path.as_str())
                .to_owned(),
        })
    }

    /// The address that `url` names, seen from this one: absolute, or a path on the same host.
    pub(super) fn join(&self, url: &str) -> Result<Self, BadAddress> {
        if url.starts_with('/') && !url.starts_with("//") {
            return Ok(Self {
                path: url.to_owned(),
                ..self.clone()
            });
        }
        Self::parse(url)
    }

    /// The same, with one more parameter in the query.
    pub(super) fn with_query(mut self, name: &str, value: &str) -> Self {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        // Ids are hexadecimal digits and a dash; whatever else comes is made harmless.
        let value: String = value
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                    char::from(byte).to_string()
                }
                _ => format!("%{byte:02X}"),
            })
            .collect();
        self.path = format!("{}{joint}{name}={value}", self.path);
        self
    }

    /// Whether credentials meant for this server may be sent to the other one.
    pub(super) fn is_same_server(&self, other: &Self) -> bool {
        self.secure == other.secure
            && self.host.eq_ignore_ascii_case(&other.host)
            && self.port == other.port
    }

    /// Opens a connection.
    pub(super) async fn connect(&self) -> Result<Box<dyn Wire>, String> {
        let opened = timeout(CONNECT, self.open()).await;
        opened.map_err(|_elapsed| format!("no connection within {} s", CONNECT.as_secs()))?
    }

    async fn open(&self) -> Result<Box<dyn Wire>, String> {
        let stream = TcpStream::connect((self.host.as_str(), self.port))
            .await
            .map_err(|error| format!("{}: {error}", self.authority))?;
        // Small messages go out at once.
        let _: std::io::Result<()> = stream.set_nodelay(true);
        if !self.secure {
            return Ok(Box::new(stream));
        }
        let config = trusted()?;
        let name = ServerName::try_from(self.host.clone())
            .map_err(|error| format!("{}: {error}", self.host))?;
        let secured = TlsConnector::from(config).connect(name, stream).await;
        Ok(Box::new(secured.map_err(|error| format!("TLS: {error}"))?))
    }
}

/// TLS with the certificates this machine trusts; they are read once.
fn trusted() -> Result<Arc<ClientConfig>, String> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        let native = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (taken, _) = roots.add_parsable_certificates(native.certs);
        if taken == 0 {
            return Err(
                "TLS: this machine has no trusted certificates; set SSL_CERT_FILE to a file that has some"
                    .to_owned(),
            );
        }
        let mut config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    });
    config.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart_and_joined() {
        let base = Address::parse("https://user:pw@api.example.com/users?x=1").unwrap();
        assert_eq!(
            (base.secure, base.port, base.authority.as_str()),
            (true, 443, "api.example.com")
        );
        let path = base.join("/aon/sessions/a/events").unwrap();
        assert_eq!(path.path, "/aon/sessions/a/events");
        assert!(base.is_same_server(&path));
        assert_eq!(
            path.with_query("since", "ab-1&x").path,
            "/aon/sessions/a/events?since=ab-1%26x"
        );
        let socket = base.join("wss://api.example.com:443/ws?t=1").unwrap();
        assert!(base.is_same_server(&socket));
        assert_eq!(socket.with_query("since", "1").path, "/ws?t=1&since=1");
        assert!(!base.is_same_server(&base.join("http://api.example.com/").unwrap()));
        for bad in ["", "x", "ftp://x/", "//other/x", "http://"] {
            assert!(base.join(bad).is_err(), "{bad}");
        }
    }
}
