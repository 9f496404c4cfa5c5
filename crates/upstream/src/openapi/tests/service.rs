//! Local HTTP services for tests.

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use catalog::{ServerName, ToolName};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;

use super::object;
use crate::connection::Connection;
use crate::error::CallFailure;
use crate::openapi::{OpenApiConnection, redirects};
use crate::result::ToolResult;
use crate::settings::{Document, OpenApi, Timeouts};

/// A service that ends with its test.
pub(crate) struct Service {
    pub(crate) url: Url,
    task: JoinHandle<()>,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a service on a free port.
pub(crate) async fn serve(router: Router) -> Service {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Service { url, task }
}

/// A service that answers every request with what arrived.
pub(crate) fn echo() -> Router {
    Router::new().fallback(arrived)
}

async fn arrived(request: Request) -> axum::Json<Value> {
    let (head, body) = request.into_parts();
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(String::from_utf8_lossy(value.as_bytes()))));
    let headers: Value = headers.collect();
    let body: Bytes = to_bytes(body, 1 << 20).await.unwrap();
    axum::Json(json!({
        "method": head.method.as_str(),
        "path": head.uri.path(),
        "query": head.uri.query().unwrap_or_default(),
        "headers": headers,
        "body": String::from_utf8_lossy(&body),
    }))
}

/// The client that connections are given.
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().redirect(redirects()).no_proxy().build().unwrap()
}

/// Settings for a document in hand.
pub(crate) fn settings(document: &str, base_url: Option<&Url>) -> OpenApi {
    OpenApi {
        document: Document::Text(document.to_owned()),
        base_url: base_url.cloned(),
        headers: std::collections::BTreeMap::new(),
    }
}

/// A connection with room for answers of a megabyte.
pub(crate) async fn connected(settings: &OpenApi) -> OpenApiConnection {
    let name = ServerName("api".to_owned());
    OpenApiConnection::connect(&name, settings, &Timeouts::default(), 1 << 20, client())
        .await
        .unwrap()
}

/// Calls a tool.
pub(crate) async fn call(
    connection: &dyn Connection,
    tool: &str,
    arguments: Value,
) -> Result<ToolResult, CallFailure> {
    connection.call(&ToolName(tool.to_owned()), object(arguments)).await
}
