//! What the answers of services become.

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use catalog::ServerName;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;

use super::service::{Service, call, client, connected, echo, serve, settings};
use crate::error::CallFailure;
use crate::openapi::OpenApiConnection;
use crate::secret::Secret;
use crate::settings::Timeouts;

#[tokio::test]
async fn json_of_any_type_is_structured() {
    let bodies = ["{\"a\":1}", "[1,2]", "\"text\"", "7.5", "true", "null"];
    for body in bodies {
        let answer = answered("application/json; charset=utf-8", body).await;
        assert_eq!(answer, format!(r#"{{"structured":{body},"content":[],"is_error":false}}"#));
    }
    assert!(answered("application/problem+json", "{}").await.contains(r#""structured":{}"#));
    assert!(answered("", "[1, 2]").await.contains(r#""structured":[1,2]"#));
}

#[tokio::test]
async fn other_types_become_parts() {
    let answers = [
        answered("text/plain", "hello").await,
        answered("text/html; charset=iso-8859-1", b"caf\xe9".as_slice()).await,
        answered("application/xml", "<a/>").await,
        answered("image/png", b"\x89PNG".as_slice()).await,
        answered("image/svg+xml", "<svg/>").await,
        answered("audio/wav", "RIFF").await,
        answered("application/zip", "PK").await,
        answered("text/plain", b"\xff\xfe".as_slice()).await,
        answered("application/json", "not json").await,
        answered("", "").await,
    ];
    assert_snapshot!(answers.join("\n"), @r#"
    {"content":[{"type":"text","text":"hello"}],"is_error":false}
    {"content":[{"type":"text","text":"café"}],"is_error":false}
    {"content":[{"type":"text","text":"<a/>"}],"is_error":false}
    {"content":[{"type":"image","data":"iVBORw==","media_type":"image/png"}],"is_error":false}
    {"content":[{"type":"image","data":"PHN2Zy8+","media_type":"image/svg+xml"}],"is_error":false}
    {"content":[{"type":"audio","data":"UklGRg==","media_type":"audio/wav"}],"is_error":false}
    {"content":[{"type":"resource","uri":"http://service/a","media_type":"application/zip","blob":"UEs="}],"is_error":false}
    {"content":[{"type":"resource","uri":"http://service/a","media_type":"text/plain","blob":"//4="}],"is_error":false}
    {"content":[{"type":"text","text":"not json"}],"is_error":false}
    {"structured":null,"content":[],"is_error":false}
    "#);
}

#[tokio::test]
async fn a_failure_says_status_and_reason() {
    let router = Router::new()
        .route(
            "/json",
            get(|| async {
                (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(json!({"error": "no such field"})))
            }),
        )
        .route(
            "/busy",
            get(|| async {
                (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "30")], "slow down")
            }),
        )
        .route("/who", get(|| async { StatusCode::UNAUTHORIZED }))
        .route(
            "/picture",
            get(|| async {
                (StatusCode::BAD_GATEWAY, [(header::CONTENT_TYPE, "image/png")], "PNG")
            }),
        )
        .route("/long", get(|| async { (StatusCode::INTERNAL_SERVER_ERROR, "x".repeat(100_000)) }));
    let (_service, api) =
        with_paths(router, &["/json", "/busy", "/who", "/picture", "/long"]).await;
    let mut lines = Vec::new();
    for tool in ["get_json", "get_busy", "get_who", "get_picture"] {
        lines.push(failure(&api, tool).await);
    }
    assert_snapshot!(lines.join("\n"), @r#"
    HTTP 422 Unprocessable Entity: {"error":"no such field"}
    HTTP 429 Too Many Requests (retry after 30): slow down
    HTTP 401 Unauthorized (the service wants other credentials; setting `headers` of server "api")
    HTTP 502 Bad Gateway
    "#);
    let long = failure(&api, "get_long").await;
    assert!(long.len() < 2200 && long.ends_with("x… (shortened)"), "{}", long.len());
}

#[tokio::test]
async fn a_write_is_not_known_to_have_failed_by_what_a_proxy_says() {
    async fn status(Path(status): Path<u16>) -> StatusCode {
        StatusCode::from_u16(status).unwrap()
    }
    let service = serve(Router::new().route("/{status}", any(status))).await;
    let paths = json!({ "/{status}": {
        "get": { "operationId": "get" },
        "post": { "operationId": "post" },
        "parameters": [{ "name": "status", "in": "path", "required": true, "schema": {} }],
    }});
    let document = json!({ "openapi": "3.1.0", "paths": paths }).to_string();
    let api = connected(&settings(&document, Some(&service.url))).await;
    for (status, is_open) in
        [(400, false), (404, false), (408, true), (409, false), (429, false), (500, true)]
            .into_iter()
            .chain([(502, true), (503, true), (504, true)])
    {
        let arguments = json!({ "status": status });
        assert!(call(&api, "get", arguments.clone()).await.unwrap().is_error, "{status}");
        match call(&api, "post", arguments).await {
            Ok(answer) => assert!(answer.is_error && !is_open, "{status}"),
            Err(failure) => {
                assert!(failure.is_ambiguous() && is_open, "{status}: {failure}");
                assert!(failure.to_string().contains(&format!("HTTP {status}")), "{failure}");
            }
        }
    }
}

#[tokio::test]
async fn redirects_stay_at_their_origin() {
    let elsewhere = serve(echo()).await;
    let target = elsewhere.url.join("/stolen?secret=1").unwrap().to_string();
    let router = Router::new()
        .route("/near", get(|| async { Redirect::temporary("/here") }))
        .route(
            "/here",
            get(|headers: HeaderMap| async move {
                axum::Json(json!(headers["x-key"].to_str().unwrap()))
            }),
        )
        .route("/far", get(move || async move { Redirect::permanent(&target) }))
        .route("/round", get(|| async { Redirect::to("/round") }));
    let (_service, api) = with_paths(router, &["/near", "/far", "/round"]).await;
    assert_eq!(call(&api, "get_near", json!({})).await.unwrap().structured, Some(json!("k")));
    let far = failure(&api, "get_far").await.replace(elsewhere.url.as_str(), "http://elsewhere/");
    assert_snapshot!(far, @"HTTP 308 Permanent Redirect: redirected to http://elsewhere/stolen, which is not followed since it is another host");
    assert_snapshot!(failure(&api, "get_round").await, @"HTTP 303 See Other: too many redirects");
}

#[tokio::test]
async fn an_answer_larger_than_allowed_is_not_read() {
    let endless = || async {
        let chunks =
            futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>("x".repeat(1000)));
        Body::from_stream(chunks)
    };
    let router = Router::new()
        .route("/announced", get(|| async { "x".repeat((1 << 20) + 1) }))
        .route("/fits", get(|| async { "x".repeat(1 << 20) }))
        .route("/endless", get(endless));
    let (_service, api) = with_paths(router, &["/announced", "/fits", "/endless"]).await;
    for tool in ["get_announced", "get_endless"] {
        let failure = call(&api, tool, json!({})).await.unwrap_err();
        assert!(matches!(failure, CallFailure::TooLarge { allowed: 1_048_576, .. }), "{failure}");
    }
    assert!(call(&api, "get_fits", json!({})).await.is_ok());
}

#[tokio::test]
async fn head_has_no_body_whatever_it_announces() {
    let router = Router::new().route("/a", any(|| async { "x".repeat(2 << 20) }));
    let service = serve(router).await;
    let document = json!({"openapi": "3.1.0", "paths": {"/a": {"head": {}}}});
    let api = connected(&settings(&document.to_string(), Some(&service.url))).await;
    assert_eq!(call(&api, "head_a", json!({})).await.unwrap().structured, Some(Value::Null));
}

#[tokio::test]
async fn a_service_that_is_not_there_was_not_reached() {
    // Bound and dropped, so that nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let url = Url::parse(&format!("http://127.0.0.1:{port}/?token=hidden")).unwrap();
    let api = connected(&settings(&paths(&["/a"]), Some(&url))).await;
    let failure = call(&api, "get_a", json!({})).await.unwrap_err();
    assert!(matches!(failure, CallFailure::NotConnected(_)) && !failure.is_ambiguous());
    assert!(!failure.to_string().contains("hidden"), "{failure}");
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_the_call_unknown() {
    for answer in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let service = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        let api = connected(&settings(&paths(&["/a"]), Some(&url))).await;
        let failure = call(&api, "get_a", json!({})).await.unwrap_err();
        assert!(
            matches!(failure, CallFailure::Broken { .. }) && failure.is_ambiguous(),
            "{failure}"
        );
        service.await.unwrap();
    }
}

/// The answer of a service that always says the same, as JSON.
async fn answered(kind: &'static str, body: impl Into<axum::body::Bytes>) -> String {
    let body = body.into();
    let answer = move || {
        let mut response: Response = Body::from(body.clone()).into_response();
        response.headers_mut().remove(header::CONTENT_TYPE);
        if !kind.is_empty() {
            response.headers_mut().insert(header::CONTENT_TYPE, kind.parse().unwrap());
        }
        async { response }
    };
    let (service, api) = with_paths(Router::new().route("/a", get(answer)), &["/a"]).await;
    let result = call(&api, "get_a", json!({})).await.unwrap();
    serde_json::to_string(&result).unwrap().replace(service.url.as_str(), "http://service/")
}

async fn failure(api: &OpenApiConnection, tool: &str) -> String {
    let result = call(api, tool, json!({})).await.unwrap();
    assert!(result.is_error);
    match result.content.as_slice() {
        [crate::result::Part::Text { text }] => text.clone(),
        other => panic!("{other:?}"),
    }
}

async fn with_paths(router: Router, list: &[&str]) -> (Service, OpenApiConnection) {
    let service = serve(router).await;
    let mut settings = settings(&paths(list), Some(&service.url));
    settings.headers.insert("X-Key".to_owned(), Secret::new("k".to_owned()));
    let name = ServerName("api".to_owned());
    let api = OpenApiConnection::connect(&name, &settings, &Timeouts::default(), 1 << 20, client())
        .await
        .unwrap();
    (service, api)
}

/// A document of GET operations.
fn paths(list: &[&str]) -> String {
    let paths: Value = list.iter().map(|path| ((*path).to_owned(), json!({"get": {}}))).collect();
    json!({"openapi": "3.1.0", "paths": paths}).to_string()
}
