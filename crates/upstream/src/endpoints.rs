//! Endpoints: services that have neither MCP nor `OpenAPI`, one tool per address.
//!
//! A call is a POST of the arguments as one JSON object; the body of the answer is the result,
//! read by the same rules as that of an `OpenAPI` service.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use catalog::{Listing, ServerName, Tool, ToolName};
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use serde_json::{Map, Value};
use url::Url;

use crate::connection::Connection;
use crate::error::{CallFailure, ConnectError};
use crate::openapi::{self, Caller};
use crate::result::{Prompt, Resource, ToolResult};
use crate::settings::{Endpoint, Endpoints};

/// A list of POST endpoints.
pub(crate) struct EndpointsConnection {
    listing: Listing,
    addresses: HashMap<ToolName, Url>,
    headers: HeaderMap,
    answer_bytes: usize,
    http: reqwest::Client,
    is_open: AtomicBool,
}

impl EndpointsConnection {
    /// Checks the settings; nothing is sent. `http` must follow redirects by
    /// [`openapi::redirects`] only.
    pub(crate) fn new(
        name: &ServerName,
        settings: &Endpoints,
        answer_bytes: usize,
        http: reqwest::Client,
    ) -> Result<Self, ConnectError> {
        let mut addresses = HashMap::new();
        for Endpoint { name: tool, url, .. } in &settings.tools {
            let unusable = |reason: String| ConnectError::Unusable {
                server: name.clone(),
                place: "its settings".to_owned(),
                reason,
            };
            if !matches!(url.scheme(), "http" | "https") {
                return Err(unusable(format!(
                    "the `url` of tool {:?} is not an http or https address",
                    tool.0
                )));
            }
            if addresses.insert(tool.clone(), url.clone()).is_some() {
                return Err(unusable(format!("two of its tools are called {:?}", tool.0)));
            }
        }
        let tools = settings.tools.iter().map(tool).collect();
        let listing =
            Listing { server: name.clone(), title: None, version: None, description: None, tools };
        // The configured headers win, so they come last.
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, */*;q=0.5"));
        headers.extend(openapi::headers(name, &settings.headers)?);
        Ok(Self { listing, addresses, headers, answer_bytes, http, is_open: AtomicBool::new(true) })
    }
}

fn tool(endpoint: &Endpoint) -> Tool {
    Tool {
        name: endpoint.name.clone(),
        title: None,
        description: endpoint.description.clone(),
        input_schema: endpoint.input_schema.clone(),
        output_schema: endpoint.output_schema.clone(),
        annotations: endpoint.annotations.clone(),
    }
}

#[async_trait]
impl Connection for EndpointsConnection {
    async fn listing(&self) -> Result<Listing, ConnectError> {
        Ok(self.listing.clone())
    }

    async fn call(
        &self,
        tool: &ToolName,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, CallFailure> {
        let known = self.listing.tools.iter().find(|known| known.name == *tool);
        let only_reads = known.is_some_and(|tool| tool.annotations.read_only_hint == Some(true));
        let (server, allowed) = (&self.listing.server, self.answer_bytes);
        let caller = Caller { server, tool, allowed, only_reads };
        let url = self
            .addresses
            .get(tool)
            .ok_or_else(|| caller.refused("there is no such tool".to_owned()))?;
        let body = Value::Object(arguments).to_string();
        caller.send(self.http.post(url.clone()).headers(self.headers.clone()).body(body)).await
    }

    async fn resources(&self) -> Result<Vec<Value>, CallFailure> {
        Ok(Vec::new())
    }

    async fn resource(&self, uri: &str) -> Result<Vec<Resource>, CallFailure> {
        Err(openapi::without_resources(&self.listing.server, uri))
    }

    async fn prompts(&self) -> Result<Vec<Value>, CallFailure> {
        Ok(Vec::new())
    }

    async fn prompt(
        &self,
        name: &str,
        _arguments: Map<String, Value>,
    ) -> Result<Prompt, CallFailure> {
        Err(openapi::without_prompts(&self.listing.server, name))
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    async fn close(&self) {
        self.is_open.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use axum::Router;
    use axum::http::StatusCode;
    use axum::routing::post;
    use catalog::Annotations;
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;
    use crate::openapi::tests::service::{call, client, echo, serve};
    use crate::result::Part;
    use crate::secret::Secret;

    #[tokio::test]
    async fn arguments_are_posted_and_the_answer_is_the_result() {
        let service = serve(echo()).await;
        let connection = connected(&[("add", service.url.join("/sum?v=1").unwrap())]).unwrap();
        let arrived =
            call(&connection, "add", json!({"a": 1, "b": [2]})).await.unwrap().structured.unwrap();
        assert_eq!(
            (&arrived["method"], &arrived["path"], &arrived["query"]),
            (&json!("POST"), &json!("/sum"), &json!("v=1"))
        );
        assert_eq!(arrived["body"], r#"{"a":1,"b":[2]}"#);
        assert_eq!(arrived["headers"]["content-type"], "application/json");
        assert_eq!(arrived["headers"]["x-key"], "k");
    }

    #[tokio::test]
    async fn failures_and_large_answers_are_told() {
        let router = Router::new()
            .route("/fail", post(|| async { (StatusCode::BAD_REQUEST, "a is missing") }))
            .route("/much", post(|| async { "x".repeat(2000) }));
        let service = serve(router).await;
        let tools = ["fail", "much"].map(|path| (path, service.url.join(path).unwrap()));
        let connection = connected(&tools).unwrap();
        let failed = call(&connection, "fail", json!({})).await.unwrap();
        assert!(failed.is_error);
        assert_eq!(
            failed.content,
            [Part::Text { text: "HTTP 400 Bad Request: a is missing".to_owned() }]
        );
        let much = call(&connection, "much", json!({})).await;
        assert!(matches!(much, Err(CallFailure::TooLarge { allowed: 1000, .. })));
        assert!(matches!(
            call(&connection, "other", json!({})).await,
            Err(CallFailure::Refused { .. })
        ));
    }

    #[tokio::test]
    async fn a_write_that_a_proxy_gave_up_on_may_have_been_carried_out() {
        let late = || async { (StatusCode::GATEWAY_TIMEOUT, "too slow") };
        let service = serve(Router::new().route("/late", post(late))).await;
        let url = service.url.join("late").unwrap();
        let reads = connected(&[("late", url.clone())]).unwrap();
        assert!(call(&reads, "late", json!({})).await.unwrap().is_error);
        let writes = with_annotations(&[("late", url)], &Annotations::default()).unwrap();
        let failure = call(&writes, "late", json!({})).await.unwrap_err();
        assert!(failure.is_ambiguous(), "{failure}");
        assert!(failure.to_string().contains("504 Gateway Timeout: too slow"), "{failure}");
    }

    #[tokio::test]
    async fn the_listing_is_what_the_settings_say() {
        let connection = connected(&[("a", Url::parse("https://a.example").unwrap())]).unwrap();
        let listing = connection.listing().await.unwrap();
        assert_snapshot!(serde_json::to_string(&listing).unwrap(), @r#"{"server":"posts","tools":[{"name":"a","description":"Does it.","inputSchema":{"type":"object"},"outputSchema":true,"annotations":{"readOnlyHint":true}}]}"#);
        assert!(
            connection.resources().await.unwrap().is_empty()
                && connection.prompts().await.unwrap().is_empty()
        );
        assert!(
            connection.resource("a://b").await.is_err()
                && connection.prompt("p", Map::new()).await.is_err()
        );
        connection.close().await;
        assert!(!connection.is_open());
    }

    #[test]
    fn settings_that_cannot_work_are_refused() {
        let url = |text| Url::parse(text).unwrap();
        let reason = |tools: &[(&str, Url)]| {
            let problem = connected(tools).err().unwrap().to_string();
            problem.split_once(" cannot be used: ").unwrap().1.to_owned()
        };
        assert_snapshot!(reason(&[("a", url("file:///etc/passwd"))]), @r#"the `url` of tool "a" is not an http or https address"#);
        assert_snapshot!(reason(&[("a", url("http://x.example")), ("a", url("http://y.example"))]), @r#"two of its tools are called "a""#);
    }

    fn connected(tools: &[(&str, Url)]) -> Result<EndpointsConnection, ConnectError> {
        let reads = Annotations { read_only_hint: Some(true), ..Annotations::default() };
        with_annotations(tools, &reads)
    }

    fn with_annotations(
        tools: &[(&str, Url)],
        annotations: &Annotations,
    ) -> Result<EndpointsConnection, ConnectError> {
        let tools = tools.iter().map(|(name, url)| Endpoint {
            name: ToolName((*name).to_owned()),
            url: url.clone(),
            description: Some("Does it.".to_owned()),
            input_schema: json!({"type": "object"}),
            output_schema: Some(json!(true)),
            annotations: annotations.clone(),
        });
        let headers = BTreeMap::from([("X-Key".to_owned(), Secret::new("k".to_owned()))]);
        let settings = Endpoints { tools: tools.collect(), headers };
        EndpointsConnection::new(&ServerName("posts".to_owned()), &settings, 1000, client())
    }
}
