//! MCP over HTTP: Streamable HTTP of any revision, and the older HTTP+SSE.
//!
//! A server is tried in the order in which it is likely to answer:
//!
//! 1. Streamable HTTP, `server/discover` first and `initialize` where that is not known.
//! 2. The same with `initialize` only, for servers that choke on what they do not know.
//! 3. HTTP+SSE, when the server answers a post with a status of 400 to 499.

mod apart;
mod aside;
mod client;
mod events;
mod fields;
mod sse;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use catalog::ServerName;
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::RoleClient;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpClientWorker, StreamableHttpError,
};
use rmcp::transport::{Transport, WorkerTransport};

pub(crate) use client::{BoundedClient, HttpProblem, with_causes};
use sse::{Sender, Sse, SseProblem};

use crate::auth::{AuthorizedClient, Credentials};
use crate::ended::Ended;
use crate::error::ConnectError;
use crate::mcp::{Era, McpConnection, Patience, Refusal, Setting, greet};
use crate::settings::{Http, Wire};

/// Set by the transport itself; an operator's value would only break it.
const RESERVED: [&str; 6] = [
    "accept",
    "content-type",
    "content-length",
    "mcp-session-id",
    "mcp-protocol-version",
    "last-event-id",
];
/// How long a new connection may take.
const CONNECT: Duration = Duration::from_secs(15);
/// How long a connection is kept for the next request. Common servers close theirs after five
/// seconds, and a request that is sent at that moment is lost.
const IDLE: Duration = Duration::from_secs(4);
/// Redirects followed for one request.
const REDIRECTS: usize = 5;

/// No redirect leaves the origin it started from, and none loses what was sent.
pub(crate) fn redirects() -> Policy {
    Policy::custom(|attempt| {
        let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
        let first = attempt.previous().first();
        let is_home = first.is_some_and(|first| first.origin() == attempt.url().origin());
        let follows = keeps_body && is_home && attempt.previous().len() <= REDIRECTS;
        if follows { attempt.follow() } else { attempt.stop() }
    })
}

/// A client that follows these redirects.
pub(crate) fn client(redirects: Policy) -> reqwest::Client {
    let client = reqwest::Client::builder()
        .redirect(redirects)
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true);
    // Fails only where no certificates can be loaded, and then so does every request.
    client.build().unwrap_or_default()
}

/// Connects to a server behind a URL.
pub(crate) async fn open(
    setting: &Setting,
    http: &Http,
    client: &reqwest::Client,
) -> Result<McpConnection, ConnectError> {
    let credentials = Credentials::new(&setting.server, http, setting.options.tokens.clone());
    let credentials = Arc::new(credentials.hidden_by(Arc::clone(setting.feed.mask())));
    let door =
        Door { setting, http, client, credentials, headers: headers(&setting.server, http)? };
    match http.wire {
        Wire::Sse => door.sse().await,
        Wire::Streamable => door.streamable().await.map_err(|refusal| door.problem(&refusal)),
        Wire::Auto => match door.streamable().await {
            Ok(connection) => Ok(connection),
            Err(refusal) if is_another_transport(&refusal) => {
                // What the newer transport said is what matters when neither works.
                door.sse().await.map_err(|problem| match problem {
                    ConnectError::LoginNeeded { .. } => problem,
                    _ => door.problem(&refusal),
                })
            }
            Err(refusal) => Err(door.problem(&refusal)),
        },
    }
}

fn headers(server: &ServerName, http: &Http) -> Result<HeaderMap, ConnectError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &http.headers {
        if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        let unusable = |what: &str| ConnectError::Unusable {
            server: server.clone(),
            place: place(http),
            reason: format!("its configured header {name:?} has an invalid {what}"),
        };
        let name: HeaderName = name.parse().map_err(|_| unusable("name"))?;
        let mut value = HeaderValue::from_str(value.reveal()).map_err(|_| unusable("value"))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The address without what may be secret in it.
fn place(http: &Http) -> String {
    let mut url = http.url.clone();
    url.set_query(None);
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.to_string()
}

/// Everything needed to knock at one server.
struct Door<'a> {
    setting: &'a Setting,
    http: &'a Http,
    client: &'a reqwest::Client,
    credentials: Arc<Credentials>,
    headers: HeaderMap,
}

impl Door<'_> {
    async fn streamable(&self) -> Result<McpConnection, Refusal> {
        // A server that is up answers at once, even if only to say no.
        let patience = Patience::until(self.setting.connect / 3);
        match self.greeted(Era::Newest, patience).await {
            Err(refusal) if deserves_initialize(&refusal) => {
                self.greeted(Era::Initialize, patience).await
            }
            result => result,
        }
    }

    async fn greeted(&self, era: Era, patience: Patience) -> Result<McpConnection, Refusal> {
        let client = BoundedClient::new(
            self.client.clone(),
            self.setting.answer_bytes,
            self.setting.feed.clone(),
        );
        let client = AuthorizedClient::new(client, self.credentials.clone());
        let headers: HashMap<_, _> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.http.url.as_str());
        config.custom_headers = headers;
        config.max_sse_event_size = self.setting.answer_bytes;
        config.max_concurrent_requests = self.setting.concurrency.max(1);
        let transport = WorkerTransport::spawn(StreamableHttpClientWorker::new(client, config));
        self.started(transport, era, patience).await
    }

    async fn started<T>(
        &self,
        mut transport: T,
        era: Era,
        patience: Patience,
    ) -> Result<McpConnection, Refusal>
    where
        T: Transport<RoleClient> + 'static,
    {
        let info = greet(&mut transport, self.setting, era, patience).await?;
        let mut connection =
            McpConnection::start(self.setting, transport, info, place(self.http), Ended::default());
        connection.credentials = Some(self.credentials.clone());
        Ok(connection)
    }

    async fn sse(&self) -> Result<McpConnection, ConnectError> {
        let sender = Sender {
            http: self.client.clone(),
            headers: self.headers.clone(),
            credentials: self.credentials.clone(),
        };
        let opened =
            Sse::open(&self.http.url, sender, self.setting.answer_bytes, self.setting.feed.clone());
        let transport = match opened.await {
            Ok(transport) => transport,
            Err(SseProblem::Login(problem)) => return Err(problem),
            Err(problem) => return Err(self.unusable(problem.to_string())),
        };
        let patience = Patience::until(self.setting.connect);
        let started = self.started(transport, Era::Initialize, patience).await;
        started.map_err(|refusal| self.problem(&refusal))
    }

    fn problem(&self, refusal: &Refusal) -> ConnectError {
        let Refusal::Transport(source) = refusal else {
            return self.unusable(refusal.to_string());
        };
        login_problem(source.as_ref(), &self.credentials)
            .unwrap_or_else(|| self.unusable(reason(source.as_ref())))
    }

    fn unusable(&self, reason: String) -> ConnectError {
        ConnectError::Unusable {
            server: self.setting.server.clone(),
            place: place(self.http),
            reason,
        }
    }
}

type Source = dyn std::error::Error + Send + Sync;

/// The failure of the Streamable HTTP transport, if it is one.
fn streamable(source: &Source) -> Option<&StreamableHttpError<HttpProblem>> {
    source.downcast_ref()
}

/// A missing or refused log-in, if that is what an error means.
pub(crate) fn login_problem(source: &Source, credentials: &Credentials) -> Option<ConnectError> {
    if let Some(SseProblem::Login(problem)) = source.downcast_ref() {
        return Some(problem.clone());
    }
    match streamable(source)? {
        StreamableHttpError::AuthRequired(_)
        | StreamableHttpError::InsufficientScope(_)
        | StreamableHttpError::Io(_)
        | StreamableHttpError::UnexpectedServerResponse(_) => credentials.problem(),
        _ => None,
    }
}

/// Whether a request certainly never arrived.
pub(crate) fn never_left(source: &Source) -> bool {
    let problem = match streamable(source) {
        Some(StreamableHttpError::Client(problem)) => Some(problem),
        _ => match source.downcast_ref() {
            Some(SseProblem::Http(problem)) => Some(problem),
            _ => None,
        },
    };
    matches!(problem, Some(HttpProblem::Request(problem)) if problem.is_connect())
}

/// Whether a server did answer, with a status that says no or with something else than an answer.
pub(crate) fn is_what_it_said(source: &Source) -> bool {
    matches!(
        streamable(source),
        Some(
            StreamableHttpError::Client(HttpProblem::Status { .. })
                | StreamableHttpError::UnexpectedServerResponse(_)
        )
    )
}

/// An error in words.
pub(crate) fn reason(source: &Source) -> String {
    match streamable(source) {
        Some(StreamableHttpError::Client(problem)) => problem.to_string(),
        _ => source.to_string(),
    }
}

fn status(refusal: &Refusal) -> Option<http::StatusCode> {
    let Refusal::Transport(source) = refusal else { return None };
    match streamable(source.as_ref())? {
        StreamableHttpError::Client(HttpProblem::Status { status, .. }) => Some(*status),
        _ => None,
    }
}

/// Whether a server that failed on `server/discover` may still know `initialize`.
fn deserves_initialize(refusal: &Refusal) -> bool {
    match refusal {
        Refusal::OtherEra(_) | Refusal::Silent | Refusal::Closed => true,
        Refusal::Transport(_) => status(refusal).is_some_and(|status| status.is_server_error()),
        Refusal::Answered(_) => false,
    }
}

/// Whether a server may speak HTTP+SSE.
fn is_another_transport(refusal: &Refusal) -> bool {
    status(refusal).is_some_and(|status| {
        status.is_client_error() && !matches!(status.as_u16(), 401 | 403 | 429)
    })
}
