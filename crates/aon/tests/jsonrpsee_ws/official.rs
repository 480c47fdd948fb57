//! jsonrpsee's own client.

use jsonrpsee::core::client::{ClientT, Error, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::{ArrayParams, BatchRequestBuilder};
use jsonrpsee_ws_client::WsClientBuilder;
use serde_json::{Value, json};

use crate::server::serve;

/// Parameters by position.
fn params(given: impl IntoIterator<Item = Value>) -> ArrayParams {
    let mut params = ArrayParams::new();
    for param in given {
        params.insert(param).unwrap();
    }
    params
}

#[tokio::test]
async fn calls_batches_and_subscriptions_work() {
    let server = serve(|config| config.max_request_body_size(5000)).await;
    let client = WsClientBuilder::default()
        .build(format!("ws://{}", server.address))
        .await
        .unwrap();
    let sum: u32 = client
        .request("add", params([json!(1), json!(2)]))
        .await
        .unwrap();
    assert_eq!(sum, 3);
    let mut ticks: Subscription<(usize, String)> = client
        .subscribe("ticks", params([json!(50), json!(10)]), "unticks")
        .await
        .unwrap();
    let mut batch = BatchRequestBuilder::new();
    batch.insert("add", params([json!(3), json!(4)])).unwrap();
    batch.insert("refuses", params([])).unwrap();
    let answers = client.batch_request::<u32>(batch).await.unwrap();
    assert_eq!(
        (answers.num_successful_calls(), answers.num_failed_calls()),
        (1, 1)
    );
    let Err(Error::Call(unknown)) = client.request::<Value, _>("refuses", params([])).await else {
        panic!("there is no such method");
    };
    let data: Value = serde_json::from_str(unknown.data().unwrap().get()).unwrap();
    assert_eq!(data["suggestion"], "refuse");
    for number in 0..50 {
        assert_eq!(ticks.next().await.unwrap().unwrap().0, number);
    }
    let long: String = client
        .request("fill", params([json!(1 << 20)]))
        .await
        .unwrap();
    assert_eq!(long.len(), 1 << 20);
    ticks.unsubscribe().await.unwrap();
    let echoed: Value = client
        .request("echo", params([json!({"a": 1})]))
        .await
        .unwrap();
    assert_eq!(echoed, json!([{"a": 1}]));
}
