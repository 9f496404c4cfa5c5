//! `OpenAPI`: a service with an `OpenAPI` 3 document, one tool per operation.
//!
//! The document is read once, when the connection is made; after that a call is one HTTP request.
//! What a document says is not trusted:
//!
//! * Requests go to one origin, that of `base-url` or of the document's first server, and
//!   redirects are followed within it only.
//! * Arguments cannot change the structure of an address.
//! * References out of the document are not followed.
//!
//! Credentials are the configured `headers`, whatever the document's security schemes say. A
//! scheme that wants a key in the query is not supported, since addresses end up in logs.

mod answer;
mod base;
mod body;
mod document;
mod fields;
mod input;
mod multipart;
mod names;
mod parameter;
mod path;
mod plan;
mod request;
mod schema;
mod style;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use catalog::{Listing, ServerName, ToolName};
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

pub(crate) use self::answer::{Caller, redirects};
use self::base::Place;
use self::plan::Plan;
use self::request::Operation;
use crate::connection::{Connection, Facts};
use crate::error::{CallFailure, ConnectError};
use crate::result::{Prompt, Resource, ToolResult};
use crate::secret::Secret;
use crate::settings::{Document, OpenApi, Timeouts};

/// A service described by an `OpenAPI` document.
pub(crate) struct OpenApiConnection {
    server: ServerName,
    listing: Listing,
    operations: HashMap<ToolName, Operation>,
    left_out: Vec<String>,
    headers: HeaderMap,
    answer_bytes: usize,
    http: reqwest::Client,
    is_open: AtomicBool,
}

impl OpenApiConnection {
    /// Gets the document and reads it. `http` must follow redirects by [`redirects`] only.
    pub(crate) async fn connect(
        name: &ServerName,
        settings: &OpenApi,
        timeouts: &Timeouts,
        answer_bytes: usize,
        http: reqwest::Client,
    ) -> Result<Self, ConnectError> {
        let headers = headers(name, &settings.headers)?;
        let document_url = match &settings.document {
            Document::Url(url) => Some(url.clone()),
            Document::Text(_) => None,
        };
        let place =
            document_url.as_ref().map_or_else(|| "its OpenAPI document".to_owned(), base::shown);
        let unusable = |reason: String| ConnectError::Unusable {
            server: name.clone(),
            place: place.clone(),
            reason,
        };
        let text = match &settings.document {
            Document::Text(text) => text.clone(),
            Document::Url(url) => {
                // The headers are for the service; another host only serves its description.
                let is_service =
                    settings.base_url.as_ref().is_none_or(|base| base.origin() == url.origin());
                let sent = if is_service { headers.clone() } else { HeaderMap::new() };
                document::fetch(&http, url, sent, timeouts.connect)
                    .await
                    .map_err(|problem| unusable(problem.to_string()))?
            }
        };
        let planned = read(
            name.clone(),
            text,
            settings.base_url.clone(),
            document_url.clone(),
            headers.clone(),
        );
        let Plan { listing, operations, left_out } = planned.await.map_err(unusable)?;
        Ok(Self {
            server: name.clone(),
            listing,
            operations,
            left_out,
            headers,
            answer_bytes,
            http,
            is_open: AtomicBool::new(true),
        })
    }
}

/// Reads a document on a thread that may take its time.
async fn read(
    server: ServerName,
    text: String,
    base_url: Option<url::Url>,
    document_url: Option<url::Url>,
    headers: HeaderMap,
) -> Result<Plan, String> {
    let read = move || {
        let place = Place {
            base_url: base_url.as_ref(),
            document_url: document_url.as_ref(),
            has_headers: !headers.is_empty(),
        };
        plan::plan(&server, &text, place, &headers).map_err(|problem| problem.to_string())
    };
    let done = tokio::task::spawn_blocking(read).await;
    done.unwrap_or_else(|_| Err("reading the document was interrupted".to_owned()))
}

/// The configured headers, ready to be sent and hidden from logs.
pub(crate) fn headers(
    server: &ServerName,
    configured: &BTreeMap<String, Secret<String>>,
) -> Result<HeaderMap, ConnectError> {
    let mut headers = HeaderMap::new();
    for (name, value) in configured {
        let unusable = |what: &str| ConnectError::Unusable {
            server: server.clone(),
            place: "its settings".to_owned(),
            reason: format!("{what} (setting `headers`, header {name:?})"),
        };
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| unusable("this is not the name of a header"))?;
        let mut value = HeaderValue::from_bytes(value.reveal().as_bytes())
            .map_err(|_| unusable("the value contains characters that a header cannot carry"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

#[async_trait]
impl Connection for OpenApiConnection {
    async fn listing(&self) -> Result<Listing, ConnectError> {
        Ok(self.listing.clone())
    }

    async fn call(
        &self,
        tool: &ToolName,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, CallFailure> {
        let allowed = self.answer_bytes;
        let caller = Caller { server: &self.server, tool, allowed, only_reads: false };
        let operation = self
            .operations
            .get(tool)
            .ok_or_else(|| caller.refused("there is no such tool".to_owned()))?;
        let outgoing =
            operation.request(arguments).map_err(|invalid| caller.refused(invalid.to_string()))?;
        let caller = Caller { only_reads: outgoing.method.is_safe(), ..caller };
        let mut request =
            self.http.request(outgoing.method, outgoing.url).headers(outgoing.headers);
        if let Some(body) = outgoing.body {
            request = request.body(body);
        }
        // The configured headers come last, so that they win.
        caller.send(request.headers(self.headers.clone())).await
    }

    async fn resources(&self) -> Result<Vec<Value>, CallFailure> {
        Ok(Vec::new())
    }

    async fn resource(&self, uri: &str) -> Result<Vec<Resource>, CallFailure> {
        Err(without_resources(&self.server, uri))
    }

    async fn prompts(&self) -> Result<Vec<Value>, CallFailure> {
        Ok(Vec::new())
    }

    async fn prompt(
        &self,
        name: &str,
        _arguments: Map<String, Value>,
    ) -> Result<Prompt, CallFailure> {
        Err(without_prompts(&self.server, name))
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    async fn close(&self) {
        self.is_open.store(false, Ordering::Relaxed);
    }

    fn facts(&self) -> Facts {
        let words = [self.listing.title.as_deref(), self.listing.version.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        Facts {
            protocol: None,
            server: (!words.is_empty()).then(|| words.join(" ")),
            left_out: self.left_out.clone(),
        }
    }
}

/// The answer of a plain HTTP service to whoever asks for a resource.
pub(crate) fn without_resources(server: &ServerName, uri: &str) -> CallFailure {
    let tool = ToolName("resources/read".to_owned());
    let message = format!("it is an HTTP service and has no resources, so not {uri:?} either");
    Caller { server, tool: &tool, allowed: 0, only_reads: true }.refused(message)
}

/// The answer of a plain HTTP service to whoever asks for a prompt.
pub(crate) fn without_prompts(server: &ServerName, name: &str) -> CallFailure {
    let tool = ToolName("prompts/get".to_owned());
    let message = format!("it is an HTTP service and has no prompts, so not {name:?} either");
    Caller { server, tool: &tool, allowed: 0, only_reads: true }.refused(message)
}

#[cfg(test)]
pub(crate) mod tests;
