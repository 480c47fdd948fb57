//! One address for both eras: a client of the older one that shakes hands has a connection, everybody else asks and is answered.
//!
//! A connection is what questions to a person, levels of logs and `notifications/cancelled` need up to 2025-11-25. A single
//! request without a handshake is served too, because that is what people type.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower_service::Service;

/// The service of both eras.
pub(crate) struct Transport<H: ServerHandler> {
    connected: StreamableHttpService<H, LocalSessionManager>,
    single: StreamableHttpService<H, NeverSessionManager>,
}

impl<H: ServerHandler + Clone> Transport<H> {
    pub(crate) fn new(server: H, config: StreamableHttpServerConfig) -> Self {
        let other = server.clone();
        let connections = config.clone().with_legacy_session_mode(true);
        let single = config
            .with_legacy_session_mode(false)
            .with_json_response(true);
        Self {
            connected: StreamableHttpService::new(
                move || Ok(server.clone()),
                Arc::new(LocalSessionManager::default()),
                connections,
            ),
            single: StreamableHttpService::new(
                move || Ok(other.clone()),
                Arc::new(NeverSessionManager::default()),
                single,
            ),
        }
    }
}

impl<H: ServerHandler> Clone for Transport<H> {
    fn clone(&self) -> Self {
        Self {
            connected: self.connected.clone(),
            single: self.single.clone(),
        }
    }
}

type Reply = Response<BoxBody<Bytes, Infallible>>;

impl<H: ServerHandler> Service<Request<Full<Bytes>>> for Transport<H> {
    type Response = Reply;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let bytes = body.to_bytes();
            let connected = parts.headers.contains_key("mcp-session-id")
                || parts.method == Method::POST && is_handshake(&bytes);
            let request = Request::from_parts(parts, Full::new(bytes));
            Ok(if connected {
                this.connected.handle(request).await
            } else {
                this.single.handle(request).await
            })
        })
    }
}

/// Whether a message is the first one of a connection.
fn is_handshake(message: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        method: String,
    }
    serde_json::from_slice::<Head>(message).is_ok_and(|head| head.method == "initialize")
}
