//! The jsonrpsee adapter over a web socket, seen by jsonrpsee's own client.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

use aon::jsonrpsee::{HttpProblemLayer, ProblemLayer};
use jsonrpsee::core::client::{ClientT, Error, Subscription, SubscriptionClientT};
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::core::params::{ArrayParams, BatchRequestBuilder};
use jsonrpsee::server::{HttpRequest, RpcModule, ServerBuilder, ServerHandle};
use jsonrpsee::types::ErrorObjectOwned;
use jsonrpsee_ws_client::{HeaderMap, WsClient, WsClientBuilder};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// What a layer outside of ours puts on each request.
#[derive(Clone)]
struct Peer(&'static str);

fn methods() -> RpcModule<()> {
    let mut module = RpcModule::new(());
    module
        .register_method("add", |params, (), _| {
            let (a, b): (u32, u32) = params.parse()?;
            Ok::<_, ErrorObjectOwned>(a + b)
        })
        .unwrap();
    module
        .register_method("who", |_, (), extensions| {
            extensions.get::<Peer>().map_or("nobody", |peer| peer.0)
        })
        .unwrap();
    module
        .register_subscription(
            "ticks",
            "tick",
            "unticks",
            |params, pending, _, _| async move {
                let (count,): (usize,) = params.parse()?;
                let sink = pending.accept().await?;
                for number in 0..count {
                    sink.send(to_raw_value(&number)?).await?;
                }
                sink.closed().await;
                Ok(())
            },
        )
        .unwrap();
    module
}

/// The layers of the documentation, and one of somebody else around them.
async fn serve(headers: &[(&'static str, &'static str)]) -> (ServerHandle, WsClient) {
    let module = methods();
    let rpc = ProblemLayer::new().with_methods(module.method_names());
    let outer = tower::util::MapRequestLayer::new(|mut request: HttpRequest<_>| {
        request.extensions_mut().insert(Peer("outer"));
        request
    });
    let http = tower::ServiceBuilder::new()
        .layer(outer)
        .layer(HttpProblemLayer::new());
    let server = ServerBuilder::new()
        .set_http_middleware(http)
        .set_rpc_middleware(RpcServiceBuilder::new().layer(rpc))
        .build("127.0.0.1:0")
        .await
        .unwrap();
    let url = format!("ws://{}", server.local_addr().unwrap());
    let handle = server.start(module);
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, value.parse().unwrap());
    }
    let client = WsClientBuilder::default().set_headers(map);
    let client = client.build(url).await.unwrap();
    (handle, client)
}

fn params(given: impl IntoIterator<Item = Value>) -> ArrayParams {
    let mut params = ArrayParams::new();
    for param in given {
        params.insert(param).unwrap();
    }
    params
}

async fn refused(client: &WsClient, method: &str, given: ArrayParams) -> (i32, Value) {
    let Err(Error::Call(error)) = client.request::<Value, _>(method, given).await else {
        panic!("{method} must fail");
    };
    let data = serde_json::from_str(error.data().unwrap().get()).unwrap();
    (error.code(), data)
}

#[tokio::test]
async fn calls_batches_and_subscriptions_work_and_fail_with_problems() {
    let (_server, client) = serve(&[("a2a-extensions", aon::surface::a2a::EXTENSION_URI)]).await;
    let sum: u32 = client
        .request("add", params([json!(1), json!(2)]))
        .await
        .unwrap();
    assert_eq!(sum, 3);
    let who: String = client.request("who", params([])).await.unwrap();
    assert_eq!(who, "outer");
    let mut ticks: Subscription<usize> = client
        .subscribe("ticks", params([json!(5)]), "unticks")
        .await
        .unwrap();
    let mut batch = BatchRequestBuilder::new();
    batch.insert("add", params([json!(3), json!(4)])).unwrap();
    batch.insert("adds", params([])).unwrap();
    let answers = client.batch_request::<u32>(batch).await.unwrap();
    let counts = (answers.num_successful_calls(), answers.num_failed_calls());
    assert_eq!(counts, (1, 1));
    for number in 0..5 {
        assert_eq!(ticks.next().await.unwrap().unwrap(), number);
    }
    ticks.unsubscribe().await.unwrap();

    let (number, data) = refused(&client, "adds", params([])).await;
    assert_eq!(number, -32601);
    assert_eq!(data["suggestion"], "add");
    assert!(data["request_id"].is_string(), "{data}");
    let (number, data) = refused(&client, "add", params([json!(1), json!("x")])).await;
    assert_eq!(number, -32602);
    assert_eq!(data["code"], "invalid_value", "{data}");
}

#[tokio::test]
async fn the_profile_is_that_of_the_request_that_opened_the_socket() {
    for (headers, array) in [
        (&[("a2a-version", "1.0")][..], true),
        (&[], true),
        (
            &[("a2a-extensions", aon::surface::a2a::EXTENSION_URI)],
            false,
        ),
    ] {
        let (_server, client) = serve(headers).await;
        let (_, data) = refused(&client, "adds", params([])).await;
        assert_eq!(data.is_array(), array, "{headers:?}: {data}");
    }
}
