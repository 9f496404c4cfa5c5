//! Services with an `OpenAPI` document, reached the way everything else reaches them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Path;
use axum::routing::get;
use axum::{Json, Router};
use catalog::{ServerName, ToolName};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use upstream::{
    CallFailure, Document, OpenApi, Options, Secret, ServerSettings, Source, Startup, Timeouts,
    Upstreams,
};
use url::Url;

#[tokio::test]
async fn a_service_is_listed_and_called_like_any_server() {
    let url = serve(Router::new().merge(documented()).route(
        "/api/v2/dogs/{id}",
        get(|Path(id): Path<String>| async move { Json(json!({"id": id, "name": "Rex"})) }),
    ))
    .await;
    let upstreams = upstreams(&url, "/openapi.yaml");
    let listing = upstreams.listing(&kennel()).await.unwrap();
    assert_eq!((listing.title.as_deref(), listing.tools.len()), (Some("Kennel"), 14));
    let dog = call(&upstreams, "get_dogs_by_dog_id", json!({"dogId": "a/b"})).await.unwrap();
    assert_eq!(dog.structured, Some(json!({"id": "a/b", "name": "Rex"})));
    let resources = upstreams.resources(&kennel()).await.unwrap();
    assert!(resources.is_empty());
    upstreams.close().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let never = get(std::future::pending::<()>);
    let url = serve(Router::new().merge(documented()).route("/api/v2/dogs/{id}", never)).await;
    let upstreams = upstreams(&url, "/openapi.yaml");
    let late = call(&upstreams, "get_dogs_by_dog_id", json!({"dogId": "1"})).await;
    assert!(matches!(late, Err(CallFailure::Late { .. })), "{late:?}");
}

#[tokio::test]
async fn a_document_that_is_not_there_breaks_only_its_server() {
    let url = serve(documented()).await;
    let broken = upstreams(&url, "/nothing");
    let problem = broken.listing(&kennel()).await.unwrap_err().to_string();
    assert!(problem.contains("the document could not be fetched: HTTP 404 Not Found"), "{problem}");
    assert!(upstreams(&url, "/openapi.yaml").listing(&kennel()).await.is_ok());
}

/// Serves the document with this service's own address in it.
fn documented() -> Router {
    let document = include_str!("fixtures/openapi/kennel.yaml");
    let document = document.replace("http://{host}:{port}/{stage}", "/{stage}");
    Router::new().route("/openapi.yaml", get(move || async move { document }))
}

async fn serve(router: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    // Ends with the test's runtime.
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

fn upstreams(url: &Url, document: &str) -> Arc<Upstreams> {
    let source = OpenApi {
        document: Document::Url(url.join(document).unwrap()),
        base_url: None,
        headers: BTreeMap::from([("X-Key".to_owned(), Secret::new("k".to_owned()))]),
    };
    let settings = ServerSettings {
        name: kennel(),
        source: Source::OpenApi(source),
        description: None,
        startup: Startup::Lazy,
        timeouts: Timeouts { call: Duration::from_millis(300), ..Timeouts::default() },
        concurrency: 4,
        answer_bytes: 1 << 20,
    };
    Upstreams::new(vec![settings], Options::default())
}

fn kennel() -> ServerName {
    ServerName("kennel".to_owned())
}

async fn call(
    upstreams: &Upstreams,
    tool: &str,
    arguments: Value,
) -> Result<upstream::ToolResult, CallFailure> {
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    upstreams.call(&kennel(), &ToolName(tool.to_owned()), arguments).await
}
