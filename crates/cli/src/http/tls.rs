//! TLS, with the certificates this machine trusts.

use std::sync::{Arc, OnceLock};

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Secures a connection to a host.
pub(super) async fn over(stream: TcpStream, host: &str) -> Result<TlsStream<TcpStream>, String> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let config = CONFIG.get_or_init(config).clone()?;
    let name = ServerName::try_from(host.to_owned()).map_err(|error| format!("{host}: {error}"))?;
    let connected = TlsConnector::from(config).connect(name, stream).await;
    connected.map_err(|error| {
        format!("TLS: {error}. SSL_CERT_FILE may name a file with certificates to trust instead.")
    })
}

fn config() -> Result<Arc<ClientConfig>, String> {
    let native = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (taken, _) = roots.add_parsable_certificates(native.certs);
    if taken == 0 {
        let why = native.errors.first().map(ToString::to_string);
        return Err(format!(
            "TLS: this machine has no trusted certificates{}. Set SSL_CERT_FILE to a file that has some.",
            why.map_or(String::new(), |why| format!(": {why}"))
        ));
    }
    let mut config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
