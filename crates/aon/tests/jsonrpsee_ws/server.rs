//! A server as a program would build it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aon::jsonrpsee::{HttpProblemLayer, ProblemLayer};
use jsonrpsee::ConnectionId;
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{
    HttpRequest, RpcModule, ServerBuilder, ServerConfig, ServerConfigBuilder, ServerHandle,
    serve_with_graceful_shutdown, stop_channel,
};
use jsonrpsee::types::ErrorObjectOwned;
use serde_json::Value;
use serde_json::value::to_raw_value;

/// What a layer outside of ours puts on each request.
#[derive(Clone)]
struct Peer(&'static str);

/// How many notifications the server has written.
pub(crate) type Written = Arc<AtomicUsize>;

fn methods(written: Written) -> RpcModule<Written> {
    let mut module = RpcModule::new(written);
    module
        .register_method("add", |params, _, _| {
            let (a, b): (u32, u32) = params.parse()?;
            Ok::<_, ErrorObjectOwned>(a + b)
        })
        .unwrap();
    module
        .register_method("fill", |params, _, _| {
            let (count,): (usize,) = params.parse()?;
            Ok::<_, ErrorObjectOwned>("x".repeat(count))
        })
        .unwrap();
    module
        .register_method("echo", |params, _, _| params.parse::<Value>())
        .unwrap();
    module
        .register_method("refuse", |params, _, _| {
            let (number, words): (i32, String) = params.parse()?;
            Err::<(), _>(ErrorObjectOwned::owned(number, words, None::<()>))
        })
        .unwrap();
    module
        .register_method("who", |_, _, extensions| {
            let peer = extensions.get::<Peer>().map_or("nobody", |peer| peer.0);
            let numbered = extensions.get::<ConnectionId>().is_some();
            format!("{peer}, numbered: {numbered}")
        })
        .unwrap();
    module
        .register_subscription(
            "ticks",
            "tick",
            "unticks",
            |params, pending, written, _| async move {
                let (count, size): (usize, usize) = params.parse()?;
                let sink = pending.accept().await?;
                let filler = "x".repeat(size);
                for number in 0..count {
                    sink.send(to_raw_value(&(number, &filler))?).await?;
                    written.fetch_add(1, Ordering::SeqCst);
                }
                // The subscription stays until the client leaves.
                sink.closed().await;
                written.store(usize::MAX, Ordering::SeqCst);
                Ok(())
            },
        )
        .unwrap();
    module
}

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) handle: ServerHandle,
    pub(crate) written: Written,
}

/// The layers of the documentation.
pub(crate) async fn serve(configure: fn(ServerConfigBuilder) -> ServerConfigBuilder) -> Running {
    let written = Written::default();
    let module = methods(Arc::clone(&written));
    let rpc = ProblemLayer::new().with_methods(module.method_names());
    let outer = tower::util::MapRequestLayer::new(|mut request: HttpRequest<_>| {
        request.extensions_mut().insert(Peer("outer"));
        request
    });
    let server = ServerBuilder::with_config(configure(ServerConfig::builder()).build())
        .set_http_middleware(
            tower::ServiceBuilder::new()
                .layer(outer)
                .layer(HttpProblemLayer::new()),
        )
        .set_rpc_middleware(RpcServiceBuilder::new().layer(rpc))
        .build("127.0.0.1:0")
        .await
        .unwrap();
    let address = server.local_addr().unwrap();
    let handle = server.start(module);
    Running {
        address,
        handle,
        written,
    }
}

/// Only the HTTP layer: the errors of methods stay the program's.
pub(crate) async fn serve_without_rpc_layer() -> Running {
    let written = Written::default();
    let module = methods(Arc::clone(&written));
    let server = ServerBuilder::new()
        .set_http_middleware(tower::ServiceBuilder::new().layer(HttpProblemLayer::new()))
        .build("127.0.0.1:0")
        .await
        .unwrap();
    let address = server.local_addr().unwrap();
    let handle = server.start(module);
    Running {
        address,
        handle,
        written,
    }
}

/// One connection, accepted by the program itself; the other value is done when jsonrpsee says that the session is over.
pub(crate) async fn serve_one_by_hand() -> (SocketAddr, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let session = tokio::spawn(async move {
        let (stop, _handle) = stop_channel();
        let mut service = ServerBuilder::new()
            .set_http_middleware(tower::ServiceBuilder::new().layer(HttpProblemLayer::new()))
            .set_rpc_middleware(RpcServiceBuilder::new().layer(ProblemLayer::new()))
            .to_service_builder()
            .build(methods(Written::default()), stop.clone());
        let over = service.on_session_closed();
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(serve_with_graceful_shutdown(
            stream,
            service,
            stop.shutdown(),
        ));
        over.await;
    });
    (address, session)
}
