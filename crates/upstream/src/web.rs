//! The network that programs may reach: hosts that an operator named, and nothing of this machine's own.
//!
//! ```text
//! request ──► address (scheme, host, port) ──► names ──► every address public? ──► that very address
//!    ▲                                                                                  │
//!    └──────────────────────── redirect: from the beginning ◄───────────────────────────┘
//! ```
//!
//! Three things hold throughout and are easy to break by accident:
//!
//! * A name is resolved once for each connection, all of its addresses are checked, and the connection
//!   goes to one of them. Nobody resolves it a second time.
//! * No request of reqwest follows a redirect: each is a new request, with all checks.
//! * Nothing of ours goes along: no credentials, no cookies, no proxy of the environment.

mod addresses;
mod hosts;
mod resolving;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, LOCATION};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use reqwest::redirect::Policy;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

pub use self::addresses::is_public;
pub use self::hosts::{Hosts, PrivateAddresses, WrongHost};
use self::resolving::{Guarded, NotPublic};
use crate::http::with_causes;

/// Redirects that are followed.
const MOST_REDIRECTS: usize = 5;
/// Headers of an answer that a program gets,
const MOST_HEADERS: usize = 100;
/// and bytes of them.
const MOST_HEADER_BYTES: usize = 64 << 10;
/// The longest address.
const LONGEST_URL: usize = 8 << 10;

/// What an operator decides about the network of programs.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// The hosts that may be reached.
    pub hosts: Hosts,
    /// Addresses that may be reached though they are not public.
    pub private: PrivateAddresses,
    /// Bytes that an answer may have, unpacked.
    pub answer_bytes: usize,
    /// How long a request may take, redirects and body included.
    pub timeout: Duration,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            hosts: Hosts::default(),
            private: PrivateAddresses::default(),
            answer_bytes: 10 << 20,
            timeout: Duration::from_secs(30),
        }
    }
}

/// A request of a program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// Where to.
    pub url: String,
    /// Headers of the program's own.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What is sent.
    #[serde(default)]
    pub body: Option<WebBody>,
    /// Seconds that it may take, if less than the operator allows.
    #[serde(default)]
    pub timeout: Option<f64>,
}

/// A body, as a program sends or gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebBody {
    /// Text.
    Text(String),
    /// Bytes that are no text, as base64.
    Base64(String),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WebAnswer {
    /// The status.
    pub status: u16,
    /// Where it came from, after redirects.
    pub url: String,
    /// Its headers by lower-case name; several of one name are joined.
    pub headers: std::collections::BTreeMap<String, String>,
    /// Its body.
    pub body: WebBody,
}

/// Why a request brought no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// It is no request that could be made; nothing was sent.
    #[error("{0}")]
    Wrong(String),
    /// It may not be made; nothing was sent to where it was to go.
    #[error("{0}")]
    NotAllowed(String),
    /// It never left.
    #[error("{0}")]
    NotSent(String),
    /// It left, and no whole answer came.
    #[error("{0}")]
    NotAnswered(String),
    /// It was made and sent on to where it may not go, or cannot.
    #[error("it was sent on, and that is as far as it went: {0}")]
    SentOn(String),
}

impl WebError {
    /// What went wrong with a redirect: what came before it has been done.
    fn on_the_way(self) -> Self {
        match self {
            Self::Wrong(said) | Self::NotAllowed(said) | Self::NotSent(said) => Self::SentOn(said),
            other => other,
        }
    }
}

/// Is asked before a redirect is followed: every one is a new request.
#[async_trait]
pub trait OnTheWay: Send + Sync {
    /// Comes back when it may be followed; the words say why not. How long that takes counts against nobody's
    /// time.
    async fn goes_on(&self, next: &Redirect<'_>) -> Result<(), String>;
}

/// Where a request is sent on to.
#[derive(Debug, Clone, Copy)]
pub struct Redirect<'a> {
    /// With which method.
    pub method: &'a str,
    /// To which address.
    pub url: &'a str,
    /// Whether what was sent is sent again.
    pub has_body: bool,
}

/// Follows redirects wherever a request may go.
#[derive(Debug)]
pub struct Anywhere;

#[async_trait]
impl OnTheWay for Anywhere {
    async fn goes_on(&self, _: &Redirect<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// The network that programs may reach.
#[derive(Debug)]
pub struct Web {
    settings: WebSettings,
    /// Made when it is first needed: most programs need no network.
    client: OnceLock<Result<reqwest::Client, String>>,
}

impl Default for Web {
    fn default() -> Self {
        Self::new(WebSettings::default())
    }
}

impl Web {
    /// One in which only what `settings` name can be reached.
    #[must_use]
    pub fn new(settings: WebSettings) -> Self {
        Self { settings, client: OnceLock::new() }
    }

    /// Makes one request, and follows its redirects as far as they may be followed.
    ///
    /// # Errors
    /// When it may not be made, or brought no answer.
    pub async fn fetch(
        &self,
        request: WebRequest,
        way: &dyn OnTheWay,
    ) -> Result<WebAnswer, WebError> {
        let asked = request.timeout.map_or(Ok(self.settings.timeout), seconds)?;
        let mut clock = Clock::new(asked.min(self.settings.timeout));
        let mut hop = Hop::new(request)?;
        for redirects in 0..=MOST_REDIRECTS {
            let sent = clock.within(self.send(&hop)).await;
            let response = if redirects == 0 { sent? } else { sent.map_err(WebError::on_the_way)? };
            let Some(next) = hop.next(&response).map_err(WebError::on_the_way)? else {
                return clock.within(self.read(&hop, response)).await;
            };
            // Its connection is not held while somebody thinks about the next.
            drop(response);
            let redirect = Redirect {
                method: next.method.as_str(),
                url: next.url.as_str(),
                has_body: next.body.is_some(),
            };
            way.goes_on(&redirect).await.map_err(WebError::SentOn)?;
            hop = next;
        }
        Err(WebError::SentOn(format!("there were more than {MOST_REDIRECTS} redirects")))
    }

    /// Sends one request to where it may go.
    async fn send(&self, hop: &Hop) -> Result<reqwest::Response, WebError> {
        let client = self.admitted(&hop.url).await?;
        let mut request =
            client.request(hop.method.clone(), hop.url.clone()).headers(hop.headers.clone());
        if let Some(body) = &hop.body {
            request = request.body(body.clone());
        }
        request.send().await.map_err(|error| {
            if let Some(refused) = NotPublic::within(&error) {
                return WebError::NotAllowed(refused.to_string());
            }
            let said = with_causes(&error);
            if error.is_connect() { WebError::NotSent(said) } else { WebError::NotAnswered(said) }
        })
    }

    /// A client that reaches the host of `url` and nothing that it may not.
    async fn admitted(&self, url: &Url) -> Result<reqwest::Client, WebError> {
        let port = checked(url)?;
        let host = url.host().ok_or_else(|| WebError::Wrong("the address has no host".into()))?;
        if !self.settings.hosts.allow(&host, port) {
            return Err(WebError::NotAllowed(format!(
                "{}:{port} may not be reached from programs: it is not among `allow` under [network] in tidegate.toml ({})",
                host, self.settings.hosts
            )));
        }
        let address = match host {
            Host::Ipv4(address) => IpAddr::V4(address),
            Host::Ipv6(address) => IpAddr::V6(address),
            Host::Domain(name) => return self.for_name(name, port).await,
        };
        self.refuse_private(address, port, &address.to_string())?;
        self.client()
    }

    /// A client for a host that has a name. Its addresses are found when it is connected to, unless
    /// some that are not public may be reached: those are found now, and it connects to no others.
    async fn for_name(&self, name: &str, port: u16) -> Result<reqwest::Client, WebError> {
        if self.settings.private.is_empty() {
            return self.client();
        }
        let found = tokio::net::lookup_host((name, port)).await;
        let found: Vec<SocketAddr> = found
            .map_err(|error| WebError::NotSent(format!("{name} has no address: {error}")))?
            .collect();
        if found.iter().all(|address| is_public(address.ip())) {
            return self.client();
        }
        for address in &found {
            self.refuse_private(address.ip(), port, name)?;
        }
        let client = builder().resolve_to_addrs(name, &found).build();
        client.map_err(|error| WebError::NotSent(with_causes(&error)))
    }

    fn refuse_private(&self, address: IpAddr, port: u16, host: &str) -> Result<(), WebError> {
        if is_public(address) || self.settings.private.allow(address, port) {
            return Ok(());
        }
        Err(WebError::NotAllowed(NotPublic { host: host.to_owned(), address }.to_string()))
    }

    /// The client that connects to public addresses only.
    fn client(&self) -> Result<reqwest::Client, WebError> {
        let make = || {
            let client = builder().dns_resolver(Arc::new(Guarded)).build();
            client.map_err(|error| with_causes(&error))
        };
        self.client.get_or_init(make).clone().map_err(WebError::NotSent)
    }

    async fn read(&self, hop: &Hop, response: reqwest::Response) -> Result<WebAnswer, WebError> {
        let status = response.status().as_u16();
        let headers = headers(response.headers());
        let is_text = is_text(response.headers());
        let bytes = self.body(response).await?;
        let body = match String::from_utf8(bytes) {
            Ok(text) if is_text || !text.contains('\0') => WebBody::Text(text),
            Ok(text) => WebBody::Base64(STANDARD.encode(text)),
            Err(error) if is_text => {
                WebBody::Text(String::from_utf8_lossy(error.as_bytes()).into_owned())
            }
            Err(error) => WebBody::Base64(STANDARD.encode(error.as_bytes())),
        };
        Ok(WebAnswer { status, url: hop.url.to_string(), headers, body })
    }

    /// A whole body, counted while it is unpacked.
    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, WebError> {
        let most = self.settings.answer_bytes;
        let mut bytes = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| {
                WebError::NotAnswered(format!("the answer broke off: {}", with_causes(&error)))
            })?;
            let Some(chunk) = chunk else { return Ok(bytes) };
            if bytes.len() + chunk.len() > most {
                return Err(WebError::NotAnswered(format!(
                    "the answer has more than {most} bytes (setting `max-bytes` under [network]); ask for less"
                )));
            }
            bytes.extend_from_slice(&chunk);
        }
    }
}

/// How long a request may still take.
struct Clock {
    most: Duration,
    left: Duration,
}

impl Clock {
    fn new(most: Duration) -> Self {
        Self { most, left: most }
    }

    async fn within<T>(
        &mut self,
        work: impl Future<Output = Result<T, WebError>>,
    ) -> Result<T, WebError> {
        let begun = Instant::now();
        let done = tokio::time::timeout(self.left, work).await;
        self.left = self.left.saturating_sub(begun.elapsed());
        done.unwrap_or_else(|_| {
            let seconds = self.most.as_secs_f64();
            Err(WebError::NotAnswered(format!("no whole answer came within {seconds} s")))
        })
    }
}

/// What every client has in common.
fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(Policy::none())
        // Who goes through a proxy lets it choose the address.
        .no_proxy()
        .referer(false)
        .pool_idle_timeout(Duration::from_secs(30))
        .user_agent(concat!("tidegate/", env!("CARGO_PKG_VERSION")))
}

/// One request on its way, perhaps after redirects.
#[derive(Debug)]
struct Hop {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl Hop {
    fn new(request: WebRequest) -> Result<Self, WebError> {
        let wrong = |problem: String| Err(WebError::Wrong(problem));
        let method = Method::from_bytes(request.method.to_ascii_uppercase().as_bytes());
        let Ok(method) = method else {
            return wrong(format!("{:?} is no method of HTTP", request.method));
        };
        if matches!(method, Method::CONNECT | Method::TRACE) {
            return wrong(format!("{method} cannot be used"));
        }
        if request.url.len() > LONGEST_URL {
            return wrong(format!("the address has more than {LONGEST_URL} bytes"));
        }
        let Ok(url) = Url::parse(&request.url) else {
            return wrong(format!("{:?} is no address; write https://HOST/PATH", request.url));
        };
        checked(&url)?;
        let body = match request.body {
            None => None,
            Some(WebBody::Text(text)) => Some(text.into_bytes()),
            Some(WebBody::Base64(text)) => match STANDARD.decode(text) {
                Ok(bytes) => Some(bytes),
                Err(error) => return wrong(format!("the body is no base64: {error}")),
            },
        };
        let mut headers = HeaderMap::new();
        for (name, value) in request.headers {
            let (Ok(key), Ok(text)) =
                (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value))
            else {
                return wrong(format!("the header {name:?} is none that could be sent"));
            };
            if is_ours(&key) {
                return wrong(format!(
                    "the header {name:?} cannot be set: it follows from the request"
                ));
            }
            headers.append(key, text);
        }
        Ok(Self { method, url, headers, body })
    }

    /// Where an answer sends it on to; `None` if it is the answer.
    fn next(&self, response: &reqwest::Response) -> Result<Option<Self>, WebError> {
        let status = response.status();
        let Some(location) = response.headers().get(LOCATION).filter(|_| is_redirect(status))
        else {
            return Ok(None);
        };
        let wrong = || WebError::Wrong("the redirect names no address".to_owned());
        let location = location.to_str().map_err(|_| wrong())?;
        let url = self.url.join(location).map_err(|_| wrong())?;
        checked(&url)?;
        let (mut method, mut body) = (self.method.clone(), self.body.clone());
        let is_changed = status == StatusCode::SEE_OTHER && method != Method::HEAD
            || method == Method::POST
                && matches!(status, StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND);
        if is_changed {
            (method, body) = (Method::GET, None);
        }
        let mut headers = self.headers.clone();
        if url.origin() != self.url.origin() {
            // What was meant for one host is not told to another.
            headers.remove(AUTHORIZATION);
            headers.remove(COOKIE);
        }
        if body.is_none() {
            headers.remove(CONTENT_TYPE);
        }
        Ok(Some(Self { method, url, headers, body }))
    }
}

/// The host of an address as rules name it, however it is written: without the dot that only says that the name is
/// whole, and with its port unless that is one of the usual two, which a host without a port stands for.
#[must_use]
pub fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?.trim_end_matches('.');
    let port = url.port().filter(|port| !matches!(port, 80 | 443));
    (!host.is_empty())
        .then(|| port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// The port of an address that could be asked.
fn checked(url: &Url) -> Result<u16, WebError> {
    let wrong = |problem: &str| Err(WebError::Wrong(problem.to_owned()));
    if !matches!(url.scheme(), "http" | "https") {
        return wrong("only addresses that begin with https:// or http:// can be asked");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("the address has a name or a password before its host; leave them out");
    }
    match url.port_or_known_default() {
        Some(port) if port > 0 => Ok(port),
        _ => wrong("the address has no port that could be asked"),
    }
}

fn seconds(seconds: f64) -> Result<Duration, WebError> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| WebError::Wrong("`timeout` is a number of seconds above 0".to_owned()))
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Headers that follow from the request and the connection.
fn is_ours(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("proxy-")
        || [
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "accept-encoding",
        ]
        .contains(&name)
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    kind.starts_with("text/")
        || ["json", "xml", "javascript", "urlencoded"].iter().any(|word| kind.contains(word))
}

/// So many headers as a program needs.
fn headers(given: &HeaderMap) -> std::collections::BTreeMap<String, String> {
    let mut headers = std::collections::BTreeMap::<String, String>::new();
    let mut bytes = 0;
    for (name, value) in given.iter().take(MOST_HEADERS) {
        let value = String::from_utf8_lossy(value.as_bytes());
        bytes += name.as_str().len() + value.len();
        if bytes > MOST_HEADER_BYTES {
            break;
        }
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|before| *before = format!("{before}, {value}"))
            .or_insert_with(|| value.into_owned());
    }
    headers
}
