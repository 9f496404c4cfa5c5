//! An HTTP client that says who we are.
//!
//! Wraps the client of a Streamable HTTP connection: every request carries the current token,
//! and one that is refused is sent once more with a new one.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream_rmcp::Sse;
use url::Url;

use super::credentials::Credentials;
use crate::error::ConnectError;
use crate::http::HttpProblem;
use crate::secret::Secret;

/// A client with credentials. After a failure, [`Credentials::problem`] says what to report.
#[derive(Clone)]
pub(crate) struct AuthorizedClient<C> {
    inner: C,
    credentials: Arc<Credentials>,
}

type Failure<C> = StreamableHttpError<<C as StreamableHttpClient>::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// What a server thinks of a token.
enum Verdict {
    Refused(Option<String>),
    TooNarrow(String),
    Other,
}

impl<C: StreamableHttpClient + Sync> AuthorizedClient<C> {
    /// Wraps a client.
    pub(crate) fn new(inner: C, credentials: Arc<Credentials>) -> Self {
        Self { inner, credentials }
    }

    /// Sends a request with the current token, and once more if the server refuses it.
    async fn sent<T, F, Fut>(&self, uri: &str, request: F) -> Result<T, Failure<C>>
    where
        F: Fn(Option<String>) -> Fut + Send,
        Fut: Future<Output = Result<T, Failure<C>>> + Send,
        T: Send,
    {
        if !self.is_own(uri) {
            return request(None).await;
        }
        let token = self.credentials.token().await.map_err(failure::<C>)?;
        let answer = request(token.as_ref().map(|token| token.reveal().clone())).await;
        let Err(error) = &answer else { return answer };
        let next = match verdict::<C>(error) {
            Verdict::Refused(challenge) => {
                self.credentials.renewed(token.as_ref(), challenge.as_deref()).await
            }
            Verdict::TooNarrow(challenge) => {
                self.credentials.widened(token.as_ref(), &challenge).await
            }
            Verdict::Other => return answer,
        };
        self.sent_again(next.map_err(failure::<C>)?, request).await
    }

    async fn sent_again<T, F, Fut>(
        &self,
        token: Secret<String>,
        request: F,
    ) -> Result<T, Failure<C>>
    where
        F: Fn(Option<String>) -> Fut + Send,
        Fut: Future<Output = Result<T, Failure<C>>> + Send,
    {
        let answer = request(Some(token.reveal().clone())).await;
        let Err(error) = &answer else { return answer };
        match verdict::<C>(error) {
            Verdict::Refused(_) => Err(failure::<C>(self.credentials.refused_again())),
            Verdict::TooNarrow(challenge) => {
                match self.credentials.widened(Some(&token), &challenge).await {
                    // Somebody logs in faster than we ask; the next call will use it.
                    Ok(_) => answer,
                    Err(problem) => Err(failure::<C>(problem)),
                }
            }
            Verdict::Other => answer,
        }
    }

    /// Whether a request goes to the address the tokens are for.
    fn is_own(&self, uri: &str) -> bool {
        let own = &self.credentials.key().url;
        uri == own.as_str()
            || Url::parse(uri).is_ok_and(|mut url| {
                url.set_fragment(None);
                url == *own
            })
    }
}

fn verdict<C: StreamableHttpClient>(error: &Failure<C>) -> Verdict {
    match error {
        StreamableHttpError::AuthRequired(error) => {
            Verdict::Refused(Some(error.www_authenticate_header.clone()))
        }
        StreamableHttpError::InsufficientScope(error) => {
            // rmcp says this of every 403 with a challenge; only some are about scopes.
            if error.www_authenticate_header.contains("insufficient_scope") {
                Verdict::TooNarrow(error.www_authenticate_header.clone())
            } else {
                Verdict::Other
            }
        }
        // A 401 that does not say what it wants has no name of its own.
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
            Verdict::Refused(None)
        }
        StreamableHttpError::Client(error) if is_unauthorized(error) => Verdict::Refused(None),
        _ => Verdict::Other,
    }
}

fn is_unauthorized(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(HttpProblem::Status { status, .. }) if *status == StatusCode::UNAUTHORIZED)
}

/// A problem in rmcp's terms. It tries a stream again unless log-in is what is missing.
fn failure<C: StreamableHttpClient>(problem: ConnectError) -> Failure<C> {
    match problem {
        ConnectError::LoginNeeded { .. } => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(problem.to_string()))
        }
        problem => StreamableHttpError::Io(std::io::Error::other(problem)),
    }
}

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for AuthorizedClient<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure<C>> {
        self.sent(&uri, |token| {
            self.inner.post_message(
                Arc::clone(&uri),
                message.clone(),
                session_id.clone(),
                token,
                headers.clone(),
            )
        })
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, Failure<C>> {
        self.sent(&uri, |token| {
            self.inner.post_message_with_max_sse_event_size(
                Arc::clone(&uri),
                message.clone(),
                session_id.clone(),
                token,
                headers.clone(),
                most,
            )
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure<C>> {
        self.sent(&uri, |token| {
            self.inner.delete_session(
                Arc::clone(&uri),
                Arc::clone(&session_id),
                token,
                headers.clone(),
            )
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure<C>> {
        self.sent(&uri, |token| {
            self.inner.get_stream(
                Arc::clone(&uri),
                session_id.clone(),
                last_event_id.clone(),
                token,
                headers.clone(),
            )
        })
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Events, Failure<C>> {
        self.sent(&uri, |token| {
            self.inner.get_stream_with_max_sse_event_size(
                Arc::clone(&uri),
                session_id.clone(),
                last_event_id.clone(),
                token,
                headers.clone(),
                most,
            )
        })
        .await
    }
}
