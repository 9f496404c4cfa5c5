//! Getting the document, and what is sent to whom.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Redirect;
use axum::routing::get;
use catalog::ServerName;
use insta::assert_snapshot;
use serde_json::json;
use tokio::net::TcpListener;
use url::Url;

use super::service::{call, client, connected, echo, serve, settings};
use crate::connection::Connection as _;
use crate::openapi::OpenApiConnection;
use crate::secret::Secret;
use crate::settings::{Document, OpenApi, Timeouts};

const DOCUMENT: &str =
    "openapi: 3.1.0\nservers: [{url: /base}]\npaths:\n  /a:\n    get: {operationId: a}\n";

#[tokio::test]
async fn a_document_is_fetched_and_its_server_found_next_to_it() {
    let router = echo().route("/spec/openapi.yaml", get(|| async { DOCUMENT }));
    let service = serve(router).await;
    let api = connected(&at(&service.url, "/spec/openapi.yaml")).await;
    assert_eq!(api.listing().await.unwrap().tools.len(), 1);
    assert_eq!(call(&api, "a", json!({})).await.unwrap().structured.unwrap()["path"], "/base/a");
    assert!(api.is_open());
    api.close().await;
    assert!(!api.is_open());
}

#[tokio::test]
async fn documents_that_cannot_be_used_are_refused_with_the_reason() {
    let huge = || async {
        let chunks =
            futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b' '; 1 << 20]));
        Body::from_stream(chunks)
    };
    let elsewhere = serve(Router::new().route("/doc", get(|| async { DOCUMENT }))).await;
    let target = elsewhere.url.join("/doc").unwrap().to_string();
    let router = Router::new()
        .route("/html", get(|| async { axum::response::Html("<!doctype html>") }))
        .route("/swagger", get(|| async { "{\"swagger\": \"2.0\"}" }))
        .route("/bytes", get(|| async { vec![0xff_u8, 0xfe] }))
        .route("/moved", get(move || async move { Redirect::temporary(&target) }))
        .route("/huge", get(huge));
    let service = serve(router).await;
    let mut lines = Vec::new();
    for path in ["/html", "/swagger", "/bytes", "/moved", "/huge", "/none"] {
        lines.push(format!("{path}: {}", refused(&at(&service.url, path)).await));
    }
    assert_snapshot!(lines.join("\n"), @"
    /html: this is a page of HTML, not an OpenAPI document; give the address of the JSON or YAML itself
    /swagger: this is a Swagger 2.0 document; only OpenAPI 3 is read, so convert it first (many tools do)
    /bytes: the document is not UTF-8 text
    /moved: the document could not be fetched: HTTP 307 Temporary Redirect
    /huge: the document is larger than 32 MB
    /none: the document could not be fetched: HTTP 404 Not Found
    ");
}

#[tokio::test]
async fn a_document_that_does_not_come_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let timeouts = Timeouts { connect: Duration::from_millis(50), ..Timeouts::default() };
    let name = ServerName("api".to_owned());
    let late =
        OpenApiConnection::connect(&name, &at(&url, "/doc"), &timeouts, 1 << 20, client()).await;
    assert!(
        late.err().unwrap().to_string().contains("longer than 0.05 s (setting `connect-timeout`)")
    );
}

#[tokio::test]
async fn configured_headers_reach_the_service_and_nobody_else() {
    let document = |headers: HeaderMap| async move {
        assert_eq!(headers.get("x-key"), None);
        "openapi: 3.1.0\npaths:\n  /a:\n    post:\n      operationId: a\n      parameters:\n        - {name: X-Key, in: header, required: true, schema: {type: string}}\n"
    };
    let documents = serve(Router::new().route("/doc", get(document))).await;
    let service = serve(echo()).await;
    let base_url = Some(service.url.join("/v1").unwrap());
    let api = connected(&OpenApi { base_url, ..with_key(at(&documents.url, "/doc")) }).await;

    // What the settings give is not asked for again.
    let tool = &api.listing().await.unwrap().tools[0];
    assert_eq!(
        tool.input_schema,
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    let arrived = call(&api, "a", json!({})).await.unwrap().structured.unwrap();
    assert_eq!(
        (&arrived["headers"]["x-key"], &arrived["path"]),
        (&json!("s3cret"), &json!("/v1/a"))
    );
}

#[tokio::test]
async fn a_document_cannot_lead_configured_headers_elsewhere() {
    let document = "openapi: 3.1.0\nservers: [{url: 'https://evil.example/'}]\n";
    let service = serve(Router::new().route("/doc", get(move || async move { document }))).await;
    let problem = refused(&with_key(at(&service.url, "/doc"))).await;
    assert_snapshot!(problem.replace(service.url.as_str(), "http://service/"), @"the document comes from http://service/doc and names https://evil.example/ as the service; since `headers` would be sent there, confirm it by setting `base-url`");
    assert!(connected(&at(&service.url, "/doc")).await.is_open());
}

#[tokio::test]
async fn headers_that_cannot_be_sent_are_refused_without_showing_them() {
    let base = Url::parse("http://127.0.0.1:1").unwrap();
    let mut bad = settings(DOCUMENT, Some(&base));
    bad.headers.insert("X-Key".to_owned(), Secret::new("s3cret\n".to_owned()));
    assert_snapshot!(refused(&bad).await, @r#"the value contains characters that a header cannot carry (setting `headers`, header "X-Key")"#);
    let mut bad = settings(DOCUMENT, Some(&base));
    bad.headers.insert("X Key".to_owned(), Secret::new("v".to_owned()));
    assert_snapshot!(refused(&bad).await, @r#"this is not the name of a header (setting `headers`, header "X Key")"#);
}

#[tokio::test]
async fn there_are_no_resources_and_no_prompts() {
    let api =
        connected(&settings(DOCUMENT, Some(&Url::parse("http://127.0.0.1:1").unwrap()))).await;
    assert!(api.resources().await.unwrap().is_empty() && api.prompts().await.unwrap().is_empty());
    assert_snapshot!(api.resource("a://b").await.unwrap_err(), @r#"api.resources/read: the server refused the call: it is an HTTP service and has no resources, so not "a://b" either (code -32602)"#);
    assert_snapshot!(api.prompt("p", serde_json::Map::new()).await.unwrap_err(), @r#"api.prompts/get: the server refused the call: it is an HTTP service and has no prompts, so not "p" either (code -32602)"#);
    assert_snapshot!(call(&api, "nothing", json!({})).await.unwrap_err(), @"api.nothing: the server refused the call: there is no such tool (code -32602)");
}

fn at(url: &Url, path: &str) -> OpenApi {
    OpenApi { document: Document::Url(url.join(path).unwrap()), ..settings("", None) }
}

fn with_key(mut settings: OpenApi) -> OpenApi {
    settings.headers.insert("X-Key".to_owned(), Secret::new("s3cret".to_owned()));
    settings
}

async fn refused(settings: &OpenApi) -> String {
    let name = ServerName("api".to_owned());
    let refused =
        OpenApiConnection::connect(&name, settings, &Timeouts::default(), 1 << 20, client()).await;
    let problem = refused.err().unwrap().to_string();
    let (_, reason) = problem.split_once(" cannot be used: ").unwrap();
    reason.to_owned()
}
