//! Plain POST endpoints, reached the way everything else reaches them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;

use axum::routing::post;
use axum::{Json, Router};
use catalog::{Annotations, ServerName, ToolName};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use upstream::{
    Endpoint, Endpoints, Options, ServerSettings, Source, Startup, Timeouts, Upstreams,
};
use url::Url;

#[tokio::test]
async fn endpoints_are_listed_and_called_like_any_server() {
    let add = |Json(numbers): Json<Map<String, Value>>| async move {
        Json(numbers.values().filter_map(Value::as_i64).sum::<i64>())
    };
    let url = serve(Router::new().route("/add", post(add))).await;
    let server = ServerName("sums".to_owned());
    let tool = ToolName("add".to_owned());
    let endpoint = Endpoint {
        name: tool.clone(),
        url: url.join("/add").unwrap(),
        description: Some("Adds numbers.".to_owned()),
        input_schema: json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        output_schema: Some(json!({"type": "integer"})),
        annotations: Annotations::default(),
    };
    let settings = ServerSettings {
        name: server.clone(),
        source: Source::Endpoints(Endpoints { tools: vec![endpoint], headers: BTreeMap::new() }),
        description: None,
        startup: Startup::Lazy,
        timeouts: Timeouts::default(),
        concurrency: 4,
        answer_bytes: 1 << 20,
    };
    let upstreams = Upstreams::new(vec![settings], Options::default());
    assert_eq!(upstreams.listing(&server).await.unwrap().tools[0].name, tool);
    let arguments = Map::from_iter([("a".to_owned(), json!(20)), ("b".to_owned(), json!(22))]);
    let sum = upstreams.call(&server, &tool, arguments).await.unwrap();
    assert_eq!(sum.structured, Some(json!(42)));
    upstreams.close().await;
}

async fn serve(router: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    // Ends with the test's runtime.
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}
