//! Certificates on both sides: that of the client is its identity.

use std::sync::Arc;

use ring::digest;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer,
};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

use super::sign::hex;

/// Why certificates cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{what} cannot be used: {why}")]
pub struct InvalidTls {
    what: &'static str,
    why: String,
}

fn invalid<E: std::fmt::Display>(what: &'static str) -> impl Fn(E) -> InvalidTls {
    move |error| InvalidTls {
        what,
        why: error.to_string(),
    }
}

/// A certificate with its key, as PEM.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "two files")]
pub struct Own<'a> {
    /// The chain.
    pub certificate: &'a [u8],
    /// The private key.
    pub key: &'a [u8],
}

impl std::fmt::Debug for Own<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Own")
    }
}

fn chain(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, InvalidTls> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(invalid("the certificate"))?;
    if chain.is_empty() {
        return Err(invalid("the certificate")("there is none in the file"));
    }
    Ok(chain)
}

fn key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, InvalidTls> {
    PrivateKeyDer::from_pem_slice(pem).map_err(invalid("the private key"))
}

fn roots(pem: &[u8]) -> Result<Arc<RootCertStore>, InvalidTls> {
    let mut roots = RootCertStore::empty();
    for certificate in chain(pem)? {
        roots.add(certificate).map_err(invalid("the authority"))?;
    }
    Ok(Arc::new(roots))
}

/// The side that acts: nobody connects without a certificate of the authority.
///
/// # Errors
///
/// When a file is not what it should be.
pub fn server(
    own: Own<'_>,
    client_ca: &[u8],
    revoked: Option<&[u8]>,
) -> Result<Arc<ServerConfig>, InvalidTls> {
    let provider = Arc::new(default_provider());
    let lists: Result<Vec<_>, _> =
        CertificateRevocationListDer::pem_slice_iter(revoked.unwrap_or_default()).collect();
    let verifier =
        WebPkiClientVerifier::builder_with_provider(roots(client_ca)?, Arc::clone(&provider))
            .with_crls(lists.map_err(invalid("the revocation list"))?)
            .build()
            .map_err(invalid("the authority"))?;
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(invalid("TLS"))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain(own.certificate)?, key(own.key)?)
        .map_err(invalid("the certificate"))?;
    Ok(Arc::new(config))
}

/// The side that asks.
///
/// # Errors
///
/// When a file is not what it should be.
pub fn client(own: Own<'_>, server_ca: &[u8]) -> Result<Arc<ClientConfig>, InvalidTls> {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(invalid("TLS"))?
        .with_root_certificates(roots(server_ca)?)
        .with_client_auth_cert(chain(own.certificate)?, key(own.key)?)
        .map_err(invalid("the certificate"))?;
    Ok(Arc::new(config))
}

/// Who a certificate is about: the names in it, and its SHA-256 in hex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The alternative names (DNS and URI) where there are any, else the common name.
    pub names: Vec<String>,
    /// Of the certificate as it is.
    pub fingerprint: String,
}

/// Reads a certificate that was verified.
pub fn identity(certificate: &[u8]) -> Option<Identity> {
    let (_, read) = parse_x509_certificate(certificate).ok()?;
    let alternative = read.subject_alternative_name().ok()?;
    let mut names: Vec<String> = alternative
        .iter()
        .flat_map(|names| &names.value.general_names)
        .filter_map(|name| match name {
            GeneralName::DNSName(name) | GeneralName::URI(name) => Some((*name).to_owned()),
            _ => None,
        })
        .collect();
    if names.is_empty() {
        // More than one common name would be more than one identity.
        let mut common = read.subject().iter_common_name();
        let first = common.next().and_then(|name| name.as_str().ok());
        names.extend(first.filter(|_| common.next().is_none()).map(str::to_owned));
    }
    let fingerprint = hex(digest::digest(&digest::SHA256, certificate).as_ref());
    Some(Identity { names, fingerprint })
}
