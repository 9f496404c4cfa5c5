//! What an operator says about one server, once secrets have been resolved or with a way to.
//!
//! Nothing here is read from files or the environment; `tidegate::config` does that.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catalog::{Annotations, ServerName, ToolName};
use serde_json::Value;
use url::Url;

use crate::secret::Secret;

/// One server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSettings {
    /// What it is called.
    pub name: ServerName,
    /// Where it is and what it speaks.
    pub source: Source,
    /// What it is for, in the operator's words; shown instead of the server's own.
    pub description: Option<String>,
    /// When to connect.
    pub startup: Startup,
    /// How long to wait for it.
    pub timeouts: Timeouts,
    /// Calls to it that may be under way at once.
    pub concurrency: usize,
    /// Bytes one answer of it may have.
    pub answer_bytes: usize,
}

/// When a server is connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Startup {
    /// When something first asks for it.
    #[default]
    Lazy,
    /// When we start.
    Eager,
}

/// How long a server may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// Until it is connected and has listed its tools.
    pub connect: Duration,
    /// One call, unless `tools` says otherwise. Progress does not extend it.
    pub call: Duration,
    /// Single tools that may take another time.
    pub tools: BTreeMap<ToolName, Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            call: Duration::from_secs(60),
            tools: BTreeMap::new(),
        }
    }
}

/// Where a server is and what it speaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// MCP over the standard streams of a child process.
    Stdio(Stdio),
    /// MCP over HTTP.
    Http(Http),
    /// An HTTP service described by an OpenAPI 3 document.
    OpenApi(OpenApi),
    /// Plain POST endpoints.
    Endpoints(Endpoints),
    /// One of these, found out when it is connected to.
    Later(Later),
    /// One of these, with what must not come back from it.
    Hiding(Hiding),
}

impl Source {
    /// The same without what must not come back from it.
    #[must_use]
    pub fn plain(self) -> Self {
        match self {
            Self::Hiding(Hiding { source, .. }) => source.plain(),
            other => other,
        }
    }
}

/// A server with what we say to it and nobody else may hear: wherever one of these values comes back from
/// it, `***` stands in its place. Values of fewer than eight letters are not looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Hiding {
    /// Where it is and what it speaks.
    pub source: Box<Source>,
    /// Secrets of its configuration.
    pub values: Vec<Secret<String>>,
    /// What only looks like a secret by what it is called. It is hidden in what a server writes to standard
    /// error or tells unasked, and in why it cannot be used; not in its answers, where `--sort-key customer`
    /// is no secret.
    pub perhaps: Vec<Secret<String>>,
}

/// Finds out where a server is each time it is connected to.
///
/// Secrets are then read when they are needed and no sooner: a keyring asks its user only about
/// servers that are used, and a token that was replaced counts from the next connection on.
#[derive(Clone)]
pub struct Later(Arc<dyn Fn() -> Result<Source, String> + Send + Sync>);

impl Later {
    /// `find` may wait for a person. What it fails with is shown to whoever asked for the server.
    pub fn new(find: impl Fn() -> Result<Source, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    pub(crate) async fn find(&self) -> Result<Source, String> {
        let find = Arc::clone(&self.0);
        let found = tokio::task::spawn_blocking(move || find()).await;
        found.unwrap_or_else(|_| Err("looking up its settings failed unexpectedly".to_owned()))
    }
}

impl fmt::Debug for Later {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Later")
    }
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A child process.
#[derive(Debug, Clone, PartialEq)]
pub struct Stdio {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables it gets besides the few that every program needs (PATH, HOME, LANG, …).
    pub environment: BTreeMap<String, Secret<String>>,
    /// The folder it starts in.
    pub folder: Option<PathBuf>,
    /// The command line as messages may show it, secrets left out; `None` shows the program only.
    pub shown: Option<String>,
}

/// An MCP server behind a URL.
#[derive(Debug, Clone, PartialEq)]
pub struct Http {
    /// Where it is.
    pub url: Url,
    /// Sent with every request.
    pub headers: BTreeMap<String, Secret<String>>,
    /// How we say who we are.
    pub auth: Auth,
    /// Which of the two HTTP transports.
    pub wire: Wire,
}

/// Which HTTP transport a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wire {
    /// Streamable HTTP, and HTTP+SSE when the server does not know it.
    #[default]
    Auto,
    /// Streamable HTTP only.
    Streamable,
    /// The older HTTP+SSE only.
    Sse,
}

/// How we say who we are.
#[derive(Debug, Clone, PartialEq)]
pub enum Auth {
    /// With the stored log-in if there is one; a server that wants one and has none is reported.
    OAuth(OAuth),
    /// As a machine.
    ClientCredentials(ClientCredentials),
    /// Only by the configured headers.
    None,
}

impl Default for Auth {
    fn default() -> Self {
        Self::OAuth(OAuth::default())
    }
}

/// What an operator may say about logging in. Most say nothing: the server tells the rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OAuth {
    /// The client registered by hand with the authorization server, where it registers none itself.
    pub client_id: Option<String>,
    /// Its secret, if it has one.
    pub client_secret: Option<Secret<String>>,
    /// What to ask for, instead of what the server says it needs.
    pub scopes: Vec<String>,
    /// Where our client metadata document is published, for servers that know clients by it.
    pub client_metadata_url: Option<Url>,
}

/// OAuth client credentials.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientCredentials {
    /// Who we are.
    pub client_id: String,
    /// The proof.
    pub client_secret: Secret<String>,
    /// What we ask for.
    pub scopes: Vec<String>,
}

/// A service described by an OpenAPI document.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenApi {
    /// The document: already loaded, or where to get it when connecting.
    pub document: Document,
    /// Overrides the document's own `servers`.
    pub base_url: Option<Url>,
    /// Sent with every request.
    pub headers: BTreeMap<String, Secret<String>>,
}

/// An OpenAPI document.
#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    /// JSON or YAML text.
    Text(String),
    /// Fetched when the server is connected to.
    Url(Url),
}

/// Plain POST endpoints, one tool each.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoints {
    /// The tools.
    pub tools: Vec<Endpoint>,
    /// Sent with every request.
    pub headers: BTreeMap<String, Secret<String>>,
}

/// One POST endpoint: arguments as a JSON body, the answer's body is the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// The tool's name.
    pub name: ToolName,
    /// Where it is.
    pub url: Url,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its answer.
    pub output_schema: Option<Value>,
    /// What the operator says about its effects.
    pub annotations: Annotations,
}
