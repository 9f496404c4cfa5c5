//! The client that the official conformance suite tests: [`Upstreams`] and nothing beside it.
//!
//! `scripts/conformance-client` runs it, once for each scenario, with the address of the
//! scenario's server as the last argument. It does what a user of the gateway would do there:
//! lists what the server has, logs in when asked to, and uses everything once. A log-in is
//! [`upstream::login`], with an HTTP client in the place of the browser.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use catalog::{Listing, ServerName, ToolName};
use serde_json::{Map, Value, json};
use upstream::{
    Auth, CallFailure, ClientCredentials, ConnectError, Elicitation, Http, LoginOptions,
    MemoryTokens, OAuth, Options, Secret, ServerSettings, Source, Startup, Timeouts, TokenStore,
    Upstreams, Wire,
};
use url::Url;

/// Log-ins for one scenario. A person would not do it more often for one thing either.
const LOGINS: usize = 3;
/// The address the suite publishes for clients that are known by a document.
const METADATA: &str = "https://conformance-test.local/client-metadata.json";

type Failure = Box<dyn StdError>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let url = std::env::args().next_back().ok_or("the last argument is the server's address")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Value::Null,
    };
    let mut user = User::new(url.parse()?, &scenario, context)?;
    let done = user.visit().await;
    for status in user.upstreams.status() {
        say(&format!("{:?}, revision {:?}", status.state, status.protocol));
        for note in status.notes {
            say(&format!("{:?}: {}", note.kind, note.text));
        }
    }
    user.upstreams.close().await;
    done
}

fn say(text: &str) {
    // Nobody reads it, and then it does not matter.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Somebody who uses one server through the gateway.
struct User {
    scenario: String,
    context: Value,
    server: ServerName,
    http: Http,
    tokens: Arc<MemoryTokens>,
    upstreams: Arc<Upstreams>,
    logins: usize,
}

impl User {
    fn new(url: Url, scenario: &str, context: Value) -> Result<Self, Failure> {
        let server = ServerName("conformance".to_owned());
        let auth = auth(scenario, &context)?;
        let http = Http { url, headers: BTreeMap::new(), auth, wire: Wire::Auto };
        let tokens = Arc::new(MemoryTokens::default());
        let settings = ServerSettings {
            name: server.clone(),
            source: Source::Http(http.clone()),
            description: None,
            startup: Startup::Lazy,
            timeouts: Timeouts::default(),
            concurrency: 16,
            answer_bytes: 64 << 20,
        };
        let options = Options {
            tokens: tokens.clone(),
            elicitation: if asks_people(scenario) {
                Elicitation::Decline
            } else {
                Elicitation::Refuse
            },
            ..Options::default()
        };
        let upstreams = Upstreams::new(vec![settings], options);
        let scenario = scenario.to_owned();
        Ok(Self { scenario, context, server, http, tokens, upstreams, logins: 0 })
    }

    async fn visit(&mut self) -> Result<(), Failure> {
        let listing = self.listed().await?;
        say(&format!("{} tools", listing.tools.len()));
        if self.scenario == "json-schema-ref-no-deref" {
            check_arguments(listing);
            return Ok(());
        }
        if self.scenario == "sse-retry" {
            // It takes any GET during the call for the one that resumes it. The one that opens the
            // stream for everything else is sent in the background and has to be there before.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        for (tool, arguments) in self.calls(&listing) {
            self.call(&tool, &arguments).await?;
        }
        self.read_all().await
    }

    async fn listed(&mut self) -> Result<Arc<Listing>, Failure> {
        loop {
            match self.upstreams.listing(&self.server).await {
                Err(problem @ ConnectError::LoginNeeded { .. }) => self.login(problem).await?,
                listing => return Ok(listing?),
            }
        }
    }

    async fn call(
        &mut self,
        tool: &ToolName,
        arguments: &Map<String, Value>,
    ) -> Result<(), Failure> {
        loop {
            match self.upstreams.call(&self.server, tool, arguments.clone()).await {
                Err(CallFailure::NotConnected(problem @ ConnectError::LoginNeeded { .. })) => {
                    self.login(problem).await?;
                }
                Ok(result) => {
                    say(&format!("{tool}: {:?}", result.content));
                    return Ok(());
                }
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    async fn read_all(&self) -> Result<(), Failure> {
        for resource in self.upstreams.resources(&self.server).await? {
            if let Some(uri) = resource.get("uri").and_then(Value::as_str) {
                let contents = self.upstreams.resource(&self.server, uri).await?;
                say(&format!("{uri}: {} contents", contents.len()));
            }
        }
        for prompt in self.upstreams.prompts(&self.server).await? {
            if let Some(name) = prompt.get("name").and_then(Value::as_str) {
                let prompt = self.upstreams.prompt(&self.server, name, Map::new()).await?;
                say(&format!("{name}: {} messages", prompt.messages.len()));
            }
        }
        Ok(())
    }

    /// What the scenario says to call; otherwise every tool once.
    fn calls(&self, listing: &Listing) -> Vec<(ToolName, Map<String, Value>)> {
        if let Some(Value::Array(calls)) = self.context.get("toolCalls") {
            return calls.iter().filter_map(wanted).collect();
        }
        let calls = listing.tools.iter().map(|tool| {
            let mut arguments = fitting(&tool.input_schema);
            // Wants to see what has become of the first tool's schema.
            if tool.name.0 == "json_schema_echo"
                && let Some(first) = listing.tools.first()
            {
                arguments.insert("schema".to_owned(), first.input_schema.clone());
            }
            (tool.name.clone(), arguments)
        });
        calls.collect()
    }

    /// Logs in as `tidegate login` does.
    async fn login(&mut self, problem: ConnectError) -> Result<(), Failure> {
        say(&problem.to_string());
        if self.logins == LOGINS {
            return Err(problem.into());
        }
        self.logins += 1;
        let mut options = LoginOptions::new(|url| {
            tokio::spawn(browse(url.clone()));
        });
        options.timeout = Duration::from_secs(10);
        let store: &dyn TokenStore = self.tokens.as_ref();
        let done = upstream::login(&self.server, &self.http, store, options).await?;
        say(&format!("logged in with scopes {:?}", done.scopes));
        Ok(())
    }
}

/// Whether the scenario's server asks for a person's choice, which only those may who were told
/// that it gets an answer.
fn asks_people(scenario: &str) -> bool {
    matches!(scenario, "sep-2322-client-request-state" | "elicitation-sep1034-client-defaults")
}

fn auth(scenario: &str, context: &Value) -> Result<Auth, Failure> {
    let given = |name: &str| context.get(name).and_then(Value::as_str).map(str::to_owned);
    let secret = given("client_secret").map(Secret::new);
    match (scenario, given("client_id"), secret) {
        ("auth/client-credentials-basic", Some(client_id), Some(client_secret)) => {
            let machine = ClientCredentials { client_id, client_secret, scopes: Vec::new() };
            Ok(Auth::ClientCredentials(machine))
        }
        ("auth/pre-registration", client_id, client_secret) => {
            Ok(Auth::OAuth(OAuth { client_id, client_secret, ..OAuth::default() }))
        }
        ("auth/basic-cimd", ..) => {
            let client_metadata_url = Some(METADATA.parse()?);
            Ok(Auth::OAuth(OAuth { client_metadata_url, ..OAuth::default() }))
        }
        _ => Ok(Auth::default()),
    }
}

/// What a person does with the address: opens it, and is sent on to where we wait.
async fn browse(url: Url) {
    match reqwest::get(url).await {
        Ok(page) => say(&format!("browser: {}", page.status())),
        Err(problem) => say(&format!("browser: {problem}")),
    }
}

/// What the gateway does with a schema before a call. The scenario waits for one of its references
/// to be fetched, and has nothing to call.
fn check_arguments(listing: Arc<Listing>) {
    let arguments = json!({"id": "a", "profile": {"displayName": "b"}});
    for tool in catalog::Catalog::new(vec![listing]).tools() {
        say(&format!("{}: {:?}, {:?}", tool.name(), tool.input(), tool.check(&arguments)));
    }
}

fn wanted(call: &Value) -> Option<(ToolName, Map<String, Value>)> {
    let name = call.get("name")?.as_str()?.to_owned();
    let arguments = call.get("arguments")?.as_object()?.clone();
    Some((ToolName(name), arguments))
}

/// Arguments of the types that a schema names.
fn fitting(schema: &Value) -> Map<String, Value> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Map::new() };
    let fitting = properties.iter().map(|(name, schema)| {
        let value = match schema.get("type").and_then(Value::as_str) {
            Some("number" | "integer") => json!(5),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            Some("null") => Value::Null,
            _ => json!("text"),
        };
        (name.clone(), value)
    });
    fitting.collect()
}
