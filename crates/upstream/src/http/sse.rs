//! The older HTTP transport (2024-11-05): one stream of events for everything the server says,
//! and a second address, named in its first event, to which we post.
//!
//! The second address must be at the same origin as the first, or a server could have our
//! credentials sent anywhere.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use super::client::HttpProblem;
use super::events::{Events, events, is_too_large};
use crate::auth::Credentials;
use crate::error::ConnectError;
use crate::feed::{Feed, NoteKind, lock};
use crate::message::{Inbox, Received, TOO_LARGE, asked};

/// Messages that may wait to be taken.
const QUEUE: usize = 64;
/// How long one post may take. Answers come by the other way, so nothing is waited for.
const POST: Duration = Duration::from_secs(30);

/// Why the transport failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SseProblem {
    /// A log-in is missing or refused.
    #[error(transparent)]
    Login(#[from] ConnectError),
    /// A request failed.
    #[error(transparent)]
    Http(#[from] HttpProblem),
    /// The server does not speak this transport, or misuses it.
    #[error("{0}")]
    Protocol(String),
    /// A message of ours could not be written.
    #[error(transparent)]
    Message(#[from] io::Error),
}

/// Sends requests with what identifies us.
pub(crate) struct Sender {
    pub(crate) http: reqwest::Client,
    pub(crate) headers: HeaderMap,
    pub(crate) credentials: Arc<Credentials>,
}

impl Sender {
    /// Sends a request, and once more if its token was refused.
    async fn send(
        &self,
        request: impl Fn() -> reqwest::RequestBuilder,
    ) -> Result<reqwest::Response, SseProblem> {
        let token = self.credentials.token().await?;
        let prepared = |token: Option<&crate::Secret<String>>| {
            let request = request().headers(self.headers.clone());
            match token {
                Some(token) => request.bearer_auth(token.reveal()),
                None => request,
            }
        };
        let mut response = prepared(token.as_ref()).send().await.map_err(HttpProblem::from)?;
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenge =
                response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
            let renewed = self.credentials.renewed(token.as_ref(), challenge).await?;
            response = prepared(Some(&renewed)).send().await.map_err(HttpProblem::from)?;
        }
        match response.status() {
            StatusCode::UNAUTHORIZED => Err(self.credentials.refused_again().into()),
            status if status.is_success() => Ok(response),
            status => Err(HttpProblem::Status { status, body: String::new() }.into()),
        }
    }
}

/// An open stream and the address to post to.
pub(crate) struct Sse {
    sender: Arc<Sender>,
    endpoint: Url,
    inbox: Arc<std::sync::Mutex<Inbox>>,
    messages: mpsc::Receiver<ServerJsonRpcMessage>,
    reader: Option<AbortOnDropHandle<()>>,
}

impl Sse {
    /// Opens the stream and waits for the address.
    pub(crate) async fn open(
        url: &Url,
        sender: Sender,
        limit: usize,
        feed: Arc<Feed>,
    ) -> Result<Self, SseProblem> {
        let response = sender
            .send(|| sender.http.get(url.clone()).header(ACCEPT, "text/event-stream"))
            .await?;
        let kind =
            response.headers().get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let text = format!(
                "it answered a GET with {:?} instead of a stream of events",
                kind.unwrap_or("nothing")
            );
            return Err(SseProblem::Protocol(text));
        }
        let mut stream = events(response, limit);
        let endpoint = endpoint(url, &mut stream).await?;
        let inbox = Arc::new(std::sync::Mutex::new(Inbox::default()));
        let (queue, messages) = mpsc::channel(QUEUE);
        let reader = tokio::spawn(read(stream, inbox.clone(), queue, limit, feed));
        let reader = Some(AbortOnDropHandle::new(reader));
        Ok(Self { sender: Arc::new(sender), endpoint, inbox, messages, reader })
    }
}

/// The address in the first event.
async fn endpoint(url: &Url, stream: &mut Events) -> Result<Url, SseProblem> {
    while let Some(event) = stream.next().await {
        let event = event.map_err(|problem| SseProblem::Protocol(problem.to_string()))?;
        let Some(data) = event.data.filter(|_| event.event.as_deref() == Some("endpoint")) else {
            continue;
        };
        let endpoint = url.join(data.trim()).map_err(|problem| {
            SseProblem::Protocol(format!("the address it wants messages at is none: {problem}"))
        })?;
        if endpoint.origin() != url.origin() {
            let text = format!(
                "it wants messages at {}, which is another origin",
                endpoint.origin().ascii_serialization()
            );
            return Err(SseProblem::Protocol(text));
        }
        return Ok(endpoint);
    }
    Err(SseProblem::Protocol("the stream ended before it said where to send messages".to_owned()))
}

async fn read(
    mut stream: Events,
    inbox: Arc<std::sync::Mutex<Inbox>>,
    queue: mpsc::Sender<ServerJsonRpcMessage>,
    limit: usize,
    feed: Arc<Feed>,
) {
    while let Some(event) = stream.next().await {
        let messages = match event {
            Ok(event) if matches!(event.event.as_deref(), None | Some("" | "message")) => {
                let data = event.data.unwrap_or_default();
                match lock(&inbox).received(data.as_bytes()) {
                    Received::Messages(messages) => messages,
                    Received::Stray if data.trim().is_empty() => continue,
                    Received::Stray => {
                        feed.note(NoteKind::Stray, &data);
                        continue;
                    }
                }
            }
            Ok(_) => continue,
            Err(problem) if is_too_large(&problem) => {
                lock(&inbox).fail_all(TOO_LARGE, &format!("the answer has more than {limit} bytes"))
            }
            Err(problem) => {
                feed.note(NoteKind::Noticed, &format!("the stream of events broke: {problem}"));
                return;
            }
        };
        for message in messages {
            if queue.send(message).await.is_err() {
                return;
            }
        }
    }
}

impl Transport<RoleClient> for Sse {
    type Error = SseProblem;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SseProblem>> + Send + 'static {
        lock(&self.inbox).sending(&item);
        let sender = self.sender.clone();
        let endpoint = self.endpoint.clone();
        async move { post(&sender, endpoint, &item).await }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), SseProblem> {
        self.reader.take();
        Ok(())
    }
}

async fn post(
    sender: &Sender,
    endpoint: Url,
    item: &ClientJsonRpcMessage,
) -> Result<(), SseProblem> {
    let body = asked::leaving(item).map_err(io::Error::from)?;
    let post = || sender.http.post(endpoint.clone()).timeout(POST);
    sender.send(|| post().header(CONTENT_TYPE, "application/json").body(body.clone())).await?;
    Ok(())
}
