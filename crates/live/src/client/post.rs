//! One call with an answer that is read whole: for answers of people, and for webhooks.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;

use super::connect::Address;

/// The most bytes of an answer.
const LARGEST: usize = 1 << 20;

/// An answer that was read whole.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Posted {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// Calls an address, and reads the answer.
///
/// # Errors
///
/// With what went wrong on the way, in words.
pub async fn call(
    method: Method,
    url: &str,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<Posted, String> {
    let address = Address::parse(url).map_err(|error| error.to_string())?;
    let stream = address.connect().await?;
    let shaken = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = shaken.map_err(|error| error.to_string())?;
    // It ends when the answer is read, or dropped.
    tokio::spawn(async move {
        let _: Result<(), hyper::Error> = connection.await;
    });
    let mut request = Request::builder()
        .method(method)
        .uri(&address.path)
        .header(header::HOST, &address.authority);
    if let Some(all) = request.headers_mut() {
        all.extend(headers);
    }
    let request = request
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| error.to_string())?;
    let sent = sender.send_request(request).await;
    let response = sent.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let whole = Limited::new(response.into_body(), LARGEST).collect().await;
    let body = whole.map_err(|error| error.to_string())?.to_bytes();
    Ok(Posted { status, body })
}

/// The address that `url` names, seen from `base`: absolute, or a path on the same host.
///
/// # Errors
///
/// When one of them is not an address.
pub fn resolve(base: &str, url: &str) -> Result<String, super::BadAddress> {
    let base = Address::parse(base)?;
    let address = base.join(url)?;
    let scheme = if address.secure { "https" } else { "http" };
    Ok(format!("{scheme}://{}{}", address.authority, address.path))
}
