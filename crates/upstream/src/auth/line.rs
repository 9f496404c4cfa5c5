//! The HTTP of log-ins: private lines only, no redirects, short answers.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use url::{Host, Url};

use super::{lifetimes, refusals};

/// Bytes an authorization server's answer may have; real ones have a few thousand.
const ANSWER_BYTES: usize = 256 << 10;
/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Why a request of a log-in was not made or not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    /// Somebody between could read it.
    #[error("{0} is refused: log-ins need https, except between programs on this machine")]
    Open(String),
    /// The answer has no end.
    #[error("{0} answered with more than {ANSWER_BYTES} bytes")]
    Long(String),
    /// Anything else.
    #[error("{place} cannot be reached: {reason}")]
    Failed {
        /// Where.
        place: String,
        /// What was seen.
        reason: String,
    },
}

/// Makes every request that discovery, registration and tokens need for one server.
pub(super) struct Line {
    client: reqwest::Client,
    /// Whether the server itself is on this machine, so that its authorization server may be.
    local: bool,
    /// How the client that was registered last is to say who it is. rmcp does not pass it on.
    method: Mutex<Option<String>>,
}

impl Line {
    pub(super) fn new(server: &Url) -> Result<Self, LineError> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT)
            // A person takes minutes between two requests. A connection that the other side is
            // just closing would lose the code that they brought.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("tidegate/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| LineError::Failed {
                place: server.to_string(),
                reason: chain(&error),
            })?;
        Ok(Self { client, local: is_local(server), method: Mutex::default() })
    }

    /// Refuses addresses that would carry secrets in the clear, and addresses on this machine
    /// that a server elsewhere has no business naming.
    pub(super) fn check(&self, url: &Url) -> Result<(), LineError> {
        let allowed = match url.scheme() {
            "https" => self.local || !is_local(url),
            "http" => self.local && is_local(url),
            _ => false,
        };
        if allowed { Ok(()) } else { Err(LineError::Open(place(url))) }
    }

    /// Sends a request and reads its bounded answer.
    pub(super) async fn send(
        &self,
        request: reqwest::Request,
    ) -> Result<http::Response<Vec<u8>>, LineError> {
        let place = place(request.url());
        let response = self.open(request).await?;
        let mut answer = http::Response::new(Vec::new());
        *answer.status_mut() = response.status();
        *answer.headers_mut() = response.headers().clone();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| failed(&place, error))?;
            if answer.body().len() + chunk.len() > ANSWER_BYTES {
                return Err(LineError::Long(place));
            }
            answer.body_mut().extend_from_slice(&chunk);
        }
        Ok(answer)
    }

    /// Sends a request and reads only the head of its answer, whose body may have no end.
    pub(super) async fn open(
        &self,
        request: reqwest::Request,
    ) -> Result<reqwest::Response, LineError> {
        self.check(request.url())?;
        let place = place(request.url());
        self.client.execute(request).await.map_err(|error| failed(&place, error))
    }

    /// The `token_endpoint_auth_method` of the client that was registered last.
    pub(super) fn method(&self) -> Option<String> {
        self.method.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The client underneath, to build requests with.
    pub(super) fn client(&self) -> &reqwest::Client {
        &self.client
    }
}

impl OAuthHttpClient for Line {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            let registers = is_registration(&request);
            let mut answer = self
                .send(request)
                .await
                .map_err(|error| Box::new(error) as OAuthHttpClientError)?;
            if is_object(answer.body()) {
                // Some send JSON as text, which the library does not look into.
                let kind = http::HeaderValue::from_static("application/json");
                answer.headers_mut().insert(http::header::CONTENT_TYPE, kind);
            }
            if answer.status().is_success()
                && let Some(refusal) = refusals::mended(answer.body())
            {
                *answer.status_mut() = http::StatusCode::BAD_REQUEST;
                *answer.body_mut() = refusal;
            } else if registers && answer.status().is_success() {
                let mut method = self.method.lock().unwrap_or_else(PoisonError::into_inner);
                *method = method_in(answer.body());
            } else if let Some(mended) = lifetimes::mended(answer.body()) {
                *answer.body_mut() = mended;
            }
            Ok(answer)
        })
    }
}

fn is_object(answer: &[u8]) -> bool {
    answer.trim_ascii_start().starts_with(b"{")
        && serde_json::from_slice::<IgnoredAny>(answer).is_ok()
}

/// Whether a request registers a client: what is sent for tokens is a form.
fn is_registration(request: &reqwest::Request) -> bool {
    let kind = request.headers().get(http::header::CONTENT_TYPE);
    request.method() == http::Method::POST
        && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// How a client that was just registered is to say who it is.
fn method_in(answer: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Registered {
        token_endpoint_auth_method: Option<String>,
    }
    serde_json::from_slice::<Registered>(answer).ok()?.token_endpoint_auth_method
}

/// The error's own text repeats the whole address, whose query may hold something secret.
fn failed(place: &str, error: reqwest::Error) -> LineError {
    LineError::Failed { place: place.to_owned(), reason: chain(&error.without_url()) }
}

/// Whether an address is on this machine, by what it says and not by what it resolves to.
pub(super) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// An address for people: without query and user, which may be secret.
pub(super) fn place(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // These fail only for addresses that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// An error with all its causes, bounded and on one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    one_line(&text)
}

/// Foreign words, made fit for a message.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_travel_with_tls_or_not_at_all() {
        let refuses = |server: &str, address: &str| {
            let line = Line::new(&Url::parse(server).unwrap()).unwrap();
            line.check(&Url::parse(address).unwrap()).is_err()
        };
        assert!(!refuses("https://mcp.example/", "https://login.example/token"));
        assert!(!refuses("http://127.0.0.1:1/", "http://localhost:2/token"));
        assert!(!refuses("http://[::1]:1/", "https://login.example/token"));

        assert!(refuses("https://mcp.example/", "http://login.example/token"));
        assert!(refuses("http://127.0.0.1:1/", "http://login.example/token"));
        assert!(refuses("http://127.0.0.1:1/", "http://localhost.evil.example/token"));
        // A server elsewhere must not send us to what listens on this machine.
        assert!(refuses("https://mcp.example/", "http://127.0.0.1:2/token"));
        assert!(refuses("https://mcp.example/", "https://localhost/token"));
        assert!(refuses("https://mcp.example/", "file:///etc/passwd"));
    }

    #[test]
    fn foreign_words_are_short_and_on_one_line() {
        assert_eq!(one_line(" a\r\n\tb\u{1b}[31m "), "a b [31m");
        assert_eq!(one_line(&"x".repeat(1000)).chars().count(), 401);
    }
}
