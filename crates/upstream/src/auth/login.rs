//! Logging in, once, with a person and a browser.

use std::time::Duration;

use catalog::ServerName;
use rmcp::transport::auth::{AuthError, OAuthClientConfig};
use url::Url;

use super::callback::{Arrival, Callback, Outcome};
use super::discovery::{
    Authority, AuthorityError, discover, keepable, missing_scopes, probe, received, silent,
};
use super::line::{chain, one_line, place};
use super::store::{LoginKey, StoreError, StoredLogin, TokenStore};
use crate::secret::Secret;
use crate::settings::{Auth, Http, OAuth};

/// How a log-in is done.
pub struct LoginOptions {
    /// Gets the address to open in a browser.
    pub on_url: Box<dyn FnOnce(&Url) + Send>,
    /// How long the person may take.
    pub timeout: Duration,
    /// The port the browser returns to, where the authorization server insists on one.
    pub port: Option<u16>,
    /// Scopes to ask for besides those the server wants.
    pub scopes: Vec<String>,
}

impl LoginOptions {
    /// The usual: five minutes, any free port, the scopes the server wants.
    pub fn new(on_url: impl FnOnce(&Url) + Send + 'static) -> Self {
        Self {
            on_url: Box::new(on_url),
            timeout: Duration::from_secs(300),
            port: None,
            scopes: Vec::new(),
        }
    }
}

/// A log-in that worked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginDone {
    /// The authorization server.
    pub issuer: Option<String>,
    /// What was granted.
    pub scopes: Vec<String>,
    /// Whether it renews itself; otherwise it ends with its first token.
    pub is_renewable: bool,
}

/// Why a log-in did not work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The configuration says how to get in without a person.
    #[error("server \"{server}\" needs no log-in: it is configured with {instead}")]
    Configured {
        /// Which server.
        server: ServerName,
        /// What it has instead.
        instead: &'static str,
    },
    /// There is nothing to log in to.
    #[error("server \"{server}\" at {place} asks for no log-in")]
    NotOffered {
        /// Which server.
        server: ServerName,
        /// Its address.
        place: String,
    },
    /// It wants something that no log-in can give.
    #[error(
        "server \"{server}\" at {place} refuses us and does not say where to log in ({reason}); \
         if it wants a key, set it in `headers` of server \"{server}\""
    )]
    Unpublished {
        /// Which server.
        server: ServerName,
        /// Its address.
        place: String,
        /// What happened at the addresses that such servers had before they could say.
        reason: String,
    },
    /// The server or its authorization server could not be asked.
    #[error("server \"{server}\": where to log in cannot be found out: {reason}")]
    Undiscovered {
        /// Which server.
        server: ServerName,
        /// What went wrong.
        reason: String,
    },
    /// Whoever intercepts the way back from the browser could take the log-in over.
    #[error(
        "server \"{server}\": its authorization server {issuer} {says} (`code_challenge_methods_supported` in its metadata), \
         and without it MCP clients must refuse to log in; whoever runs it has to switch on PKCE with S256 and publish it, \
         or a token from elsewhere can be set in `headers` of server \"{server}\""
    )]
    Unprotected {
        /// Which server.
        server: ServerName,
        /// The authorization server.
        issuer: String,
        /// What it says about PKCE.
        says: String,
    },
    /// The authorization server does not know us.
    #[error(
        "server \"{server}\": its authorization server did not register us as a client ({reason}); \
         register one there with the redirect address {redirect} and set `client-id` (and `client-secret`) of server \"{server}\""
    )]
    Unregistered {
        /// Which server.
        server: ServerName,
        /// What went wrong.
        reason: String,
        /// The address the browser returns to.
        redirect: String,
    },
    /// The browser has nowhere to return to.
    #[error("no port of this machine can be listened on{}: {reason}", .port.map(|port| format!(" ({port})")).unwrap_or_default())]
    Listen {
        /// The port that was asked for.
        port: Option<u16>,
        /// What the system said.
        reason: String,
    },
    /// The person or the authorization server said no.
    #[error("server \"{server}\": the log-in was refused ({error}){description}")]
    Refused {
        /// Which server.
        server: ServerName,
        /// The protocol's word for it.
        error: String,
        /// The authorization server's own words, after a colon, or nothing.
        description: String,
    },
    /// Nobody came back from the browser.
    #[error("server \"{server}\": nobody logged in within {} s; run `tidegate login {server}` again", .allowed.as_secs())]
    Late {
        /// Which server.
        server: ServerName,
        /// How long there was.
        allowed: Duration,
    },
    /// The authorization server gave no tokens in the end.
    #[error("server \"{server}\": the log-in brought no token: {reason}")]
    Fruitless {
        /// Which server.
        server: ServerName,
        /// What went wrong.
        reason: String,
    },
    /// It worked and could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Logs in to a server: finds its authorization server, has a person agree there, and keeps the
/// tokens. Dropping it at any point leaves what was stored before.
pub async fn login(
    server: &ServerName,
    http: &Http,
    store: &dyn TokenStore,
    options: LoginOptions,
) -> Result<LoginDone, LoginError> {
    let settings = settings(server, http)?;
    let key = LoginKey::new(server, http);
    let before = store.load(&key).await?;
    let (mut authority, challenge) = authority(&key, http, before.as_ref()).await?;
    let scopes = scopes(&authority, settings, before.as_ref(), &key, &options.scopes).await;

    let callback = Callback::bind(options.port)
        .await
        .map_err(|error| LoginError::Listen { port: options.port, reason: error.to_string() })?;
    let (client, auth_method) = match registered(&mut authority, settings, &scopes, &callback).await
    {
        Ok(client) => client,
        Err(reason) => return Err(unregistered(&key, &authority, &callback, reason)),
    };
    let (url, state) =
        address(&authority, &scopes).await.map_err(|reason| fruitless(server, reason))?;
    (options.on_url)(&url);

    let arrival = tokio::time::timeout(options.timeout, callback.wait(&state))
        .await
        .map_err(|_| LoginError::Late { server: server.clone(), allowed: options.timeout })?
        .map_err(|error| LoginError::Listen { port: options.port, reason: error.to_string() })?;

    let result = match finished(&authority, &arrival.outcome, &state, server).await {
        Ok((tokens, granted)) => {
            let login = StoredLogin {
                client_id: client.client_id,
                client_secret: client.client_secret.map(Secret::new),
                auth_method,
                issuer: authority.metadata.issuer.clone(),
                scopes: granted.unwrap_or(scopes),
                challenge,
                tokens: Some(tokens),
            };
            kept(store, &key, login).await
        }
        Err(error) => Err(error),
    };
    tell(arrival, server, &result).await;
    result
}

/// What the configuration says about logging in, if it is to be done at all.
fn settings<'a>(server: &ServerName, http: &'a Http) -> Result<&'a OAuth, LoginError> {
    let instead = match &http.auth {
        Auth::OAuth(settings) => return Ok(settings),
        Auth::ClientCredentials(_) => "client credentials",
        Auth::None => "headers only",
    };
    Err(LoginError::Configured { server: server.clone(), instead })
}

/// Finds where to log in, and the challenge that led there.
async fn authority(
    key: &LoginKey,
    http: &Http,
    before: Option<&StoredLogin>,
) -> Result<(Authority, Option<String>), LoginError> {
    let undiscovered =
        |reason: String| LoginError::Undiscovered { server: key.server.clone(), reason };
    let asked =
        probe(&key.url, &http.headers).await.map_err(|error| undiscovered(chain(&error)))?;
    let challenge = asked
        .challenge
        .or_else(|| before.and_then(|login| login.challenge.clone()))
        .and_then(|text| keepable(&text));
    let authority = discover(&key.url, challenge.as_deref())
        .await
        .map_err(|error| undiscovered(chain(&error)))?;
    if !asked.is_refused && !authority.is_published {
        return Err(LoginError::NotOffered { server: key.server.clone(), place: place(&key.url) });
    }
    // The only address of the authorization server that goes to the browser and not through us.
    let page = Url::parse(&authority.metadata.authorization_endpoint)
        .map_err(|error| undiscovered(format!("its authorization address is not one: {error}")))?;
    authority.line.check(&page).map_err(|error| undiscovered(chain(&error)))?;
    // One that publishes nothing comes from before there was anything to publish.
    match without_pkce(&authority) {
        Some(says) if authority.is_published => {
            let issuer =
                authority.metadata.issuer.as_deref().map_or_else(|| place(&page), one_line);
            Err(LoginError::Unprotected { server: key.server.clone(), issuer, says })
        }
        _ => Ok((authority, challenge)),
    }
}

/// What an authorization server says in place of offering PKCE with S256.
fn without_pkce(authority: &Authority) -> Option<String> {
    match &authority.metadata.code_challenge_methods_supported {
        None => Some("does not say that it supports PKCE".to_owned()),
        Some(methods) if methods.iter().any(|method| method == "S256") => None,
        Some(methods) => {
            let methods = one_line(&methods.join(", "));
            Some(format!("does not support PKCE with S256 (only \"{methods}\")"))
        }
    }
}

/// What to ask for. After a call that wanted more, that and everything granted before.
async fn scopes(
    authority: &Authority,
    settings: &OAuth,
    before: Option<&StoredLogin>,
    key: &LoginKey,
    extra: &[String],
) -> Vec<String> {
    let missing = before
        .and_then(|login| login.challenge.as_deref())
        .and_then(|challenge| missing_scopes(challenge, &key.url))
        .unwrap_or_default();
    let granted =
        if missing.is_empty() { &[] } else { before.map_or(&[][..], |login| &login.scopes) };

    let mut scopes = if settings.scopes.is_empty() && missing.is_empty() {
        authority.manager.select_initial_scopes(&[]).await
    } else {
        settings.scopes.clone()
    };
    for scope in granted.iter().chain(&missing).chain(extra) {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    // It asks for a refresh token, where that needs asking.
    let offline = "offline_access".to_owned();
    let is_offered = authority
        .metadata
        .scopes_supported
        .as_ref()
        .is_some_and(|offered| offered.contains(&offline));
    if is_offered && !scopes.is_empty() && !scopes.contains(&offline) {
        scopes.push(offline);
    }
    scopes
}

/// The client to log in as, and how it says who it is if that was agreed.
type Client = (OAuthClientConfig, Option<String>);

/// The client to log in as: configured, published by us, or registered now.
async fn registered(
    authority: &mut Authority,
    settings: &OAuth,
    scopes: &[String],
    callback: &Callback,
) -> Result<Client, String> {
    let redirect = callback.address();
    let is_known_by_document = authority
        .says("client_id_metadata_document_supported")
        .and_then(serde_json::Value::as_bool)
        == Some(true);
    let config = if let Some(id) = &settings.client_id {
        let mut config = OAuthClientConfig::new(id, redirect);
        config.client_secret =
            settings.client_secret.as_ref().map(|secret| secret.reveal().clone());
        config
    } else if let Some(document) =
        settings.client_metadata_url.as_ref().filter(|_| is_known_by_document)
    {
        OAuthClientConfig::new(document.as_str(), redirect)
    } else {
        return register(authority, redirect, scopes).await.map_err(|error| chain(&error));
    };
    authority.manager.configure_client(config.clone()).map_err(|error| chain(&error))?;
    Ok((config, None))
}

fn unregistered(
    key: &LoginKey,
    authority: &Authority,
    callback: &Callback,
    reason: String,
) -> LoginError {
    let server = key.server.clone();
    if authority.is_published {
        LoginError::Unregistered { server, reason, redirect: callback.address().to_owned() }
    } else {
        LoginError::Unpublished { server, place: place(&key.url), reason }
    }
}

/// Registers a client. Some authorization servers take a scope of the server they protect for a
/// mistake here, though they grant it later; without scopes they have nothing to object to.
async fn register(
    authority: &mut Authority,
    redirect: &str,
    scopes: &[String],
) -> Result<Client, AuthError> {
    let names = scopes.iter().map(String::as_str).collect::<Vec<_>>();
    let manager = &mut authority.manager;
    let config = match silent(manager.register_client("Tidegate", redirect, &names)).await {
        Err(AuthError::RegistrationFailed(reason))
            if reason.starts_with("HTTP 400") && !names.is_empty() =>
        {
            silent(manager.register_client("Tidegate", redirect, &[])).await
        }
        result => result,
    }?;
    let method = authority.line.method();
    Ok((authority.be(config, method.as_deref())?, method))
}

/// The address for the browser, and the state it must come back with.
async fn address(authority: &Authority, scopes: &[String]) -> Result<(Url, String), String> {
    let names = scopes.iter().map(String::as_str).collect::<Vec<_>>();
    let url = silent(authority.manager.get_authorization_url(&names))
        .await
        .map_err(|error| chain(&error))?;
    let mut url = Url::parse(&url).map_err(|error| error.to_string())?;
    // OpenID Connect ignores a wish for offline access unless the person is asked about it.
    if names.contains(&"offline_access") {
        url.query_pairs_mut().append_pair("prompt", "consent");
    }
    let state =
        url.query_pairs().find(|(name, _)| name == "state").map(|(_, value)| value.into_owned());
    Ok((url, state.ok_or("the authorization address has no state")?))
}

type Granted = (super::store::StoredTokens, Option<Vec<String>>);

/// Exchanges what the browser brought for tokens.
async fn finished(
    authority: &Authority,
    outcome: &Outcome,
    state: &str,
    server: &ServerName,
) -> Result<Granted, LoginError> {
    let (code, issuer) = match outcome {
        Outcome::Code { code, issuer } => (code, issuer.as_deref()),
        Outcome::Refused { error, description } => {
            let description = one_line(description);
            return Err(LoginError::Refused {
                server: server.clone(),
                error: one_line(error),
                description: if description.is_empty() {
                    description
                } else {
                    format!(": {description}")
                },
            });
        }
    };
    let answer = silent(authority.manager.exchange_code_for_token_with_issuer(code, state, issuer))
        .await
        .map_err(|error| fruitless(server, reason(&error)))?;
    received(&answer).map_err(|error: AuthorityError| fruitless(server, error.to_string()))
}

/// rmcp's words, where they would not tell the person what happened.
fn reason(error: &AuthError) -> String {
    match error {
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => format!(
            "the answer came from {}, not from the authorization server {}",
            one_line(received_issuer),
            one_line(expected_issuer)
        ),
        error => chain(error),
    }
}

fn fruitless(server: &ServerName, reason: String) -> LoginError {
    LoginError::Fruitless { server: server.clone(), reason }
}

async fn kept(
    store: &dyn TokenStore,
    key: &LoginKey,
    login: StoredLogin,
) -> Result<LoginDone, LoginError> {
    // Not while another process renews the log-in that this one replaces: it would win.
    let _lock = store.lock(key).await?;
    store.save(key, &login).await?;
    Ok(LoginDone {
        issuer: login.issuer,
        scopes: login.scopes,
        is_renewable: login.tokens.is_some_and(|tokens| tokens.refresh.is_some()),
    })
}

async fn tell(arrival: Arrival, server: &ServerName, result: &Result<LoginDone, LoginError>) {
    match result {
        Ok(_) => {
            let text = format!("Tidegate may now use {server} for you. You can close this page.");
            arrival.show("You are logged in", &text).await;
        }
        Err(error) => arrival.show("The log-in did not work", &format!("{error}.")).await,
    }
}
