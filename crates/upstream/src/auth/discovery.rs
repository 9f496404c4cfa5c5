//! The authorization server of a server: finding it and talking to it.
//!
//! rmcp knows the many ways servers announce where to log in, and what each token request must
//! say. It keeps what it gets in memory; what lasts is decided by [`StoredLogin`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource,
    ClientCredentialsConfig, CredentialStore, InMemoryCredentialStore, OAuthClientConfig,
    OAuthTokenResponse, StoredCredentials, WWWAuthenticateParams,
};
use serde::Deserialize;
use serde_json::json;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;
use url::Url;

use super::line::{Line, LineError, chain, place};
use super::refusals::{Meaning, meaning};
use super::store::{StoredLogin, StoredTokens};
use crate::secret::Secret;
use crate::settings::ClientCredentials;

/// Bytes of a `WWW-Authenticate` header that are read and kept.
const CHALLENGE_BYTES: usize = 4096;
/// How clients may say who they are, in the metadata of an authorization server.
pub(super) const METHODS: &str = "token_endpoint_auth_methods_supported";

/// An authorization server that was found, ready for requests.
pub(super) struct Authority {
    pub(super) manager: AuthorizationManager,
    pub(super) metadata: AuthorizationMetadata,
    /// Whether the server published it; otherwise its addresses are the old convention.
    pub(super) is_published: bool,
    pub(super) line: Arc<Line>,
}

/// Why an authorization server gave no tokens.
#[derive(Debug, thiserror::Error)]
pub(super) enum AuthorityError {
    /// It looked at what we have and said no. Asking again will not help.
    #[error("{0}")]
    Refused(String),
    /// It said no in a word that may be meant for good or for now.
    #[error("{0}")]
    Unclear(String),
    /// It could not be asked, or did not answer properly.
    #[error("{0}")]
    Failed(String),
}

impl From<AuthError> for AuthorityError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired => {
                Self::Refused(chain(&error))
            }
            _ => Self::Failed(chain(&error)),
        }
    }
}

/// Runs part of rmcp's flow without its log lines, some of which name codes and tokens.
pub(super) async fn silent<F: Future>(work: F) -> F::Output {
    work.with_subscriber(NoSubscriber::default()).await
}

/// Finds the authorization server of the server at `url`, starting from what it last asked for.
pub(super) async fn discover(
    url: &Url,
    challenge: Option<&str>,
) -> Result<Authority, AuthorityError> {
    let line = Arc::new(Line::new(url).map_err(|error| AuthorityError::Failed(chain(&error)))?);
    line.check(url).map_err(|error| AuthorityError::Failed(chain(&error)))?;
    silent(async {
        let mut manager = AuthorizationManager::new_with_oauth_http_client(
            url.clone(),
            Arc::clone(&line) as Arc<_>,
        )
        .await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await?;
        manager.set_metadata(found.metadata.clone());
        Ok(Authority {
            manager,
            metadata: found.metadata,
            is_published: found.source != AuthorizationMetadataSource::LegacyEndpointFallback,
            line,
        })
    })
    .await
}

/// What a server says to somebody it does not know.
pub(super) struct Asked {
    pub(super) is_refused: bool,
    /// Its `WWW-Authenticate`, if it refused.
    pub(super) challenge: Option<String>,
}

/// Greets the server without a token. Many say only then where to log in, and some greet
/// everybody and say it only to those who want something.
pub(super) async fn probe(
    url: &Url,
    headers: &BTreeMap<String, Secret<String>>,
) -> Result<Asked, LineError> {
    let line = Line::new(url)?;
    let greeting = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tidegate", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    let greeted = asked(&line, url, headers, &greeting).await?;
    if greeted.is_refused {
        return Ok(greeted);
    }
    let wish = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    Ok(asked(&line, url, headers, &wish).await.unwrap_or(greeted))
}

async fn asked(
    line: &Line,
    url: &Url,
    headers: &BTreeMap<String, Secret<String>>,
    message: &serde_json::Value,
) -> Result<Asked, LineError> {
    let mut request = line
        .client()
        .post(url.clone())
        .header("accept", "application/json, text/event-stream")
        .json(message);
    for (name, value) in headers {
        request = request.header(name, value.reveal());
    }
    let request = request.build().map_err(|error| LineError::Failed {
        place: place(url),
        reason: chain(&error.without_url()),
    })?;
    let answer = line.open(request).await?;
    let mut challenges = answer
        .headers()
        .get_all("www-authenticate")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .map(str::to_owned)
        .collect::<Vec<_>>();
    // The one that names the metadata says most; it need not come first.
    challenges.sort_by_key(|text| !text.to_ascii_lowercase().contains("resource_metadata"));
    let is_refused = matches!(answer.status().as_u16(), 401 | 403);
    Ok(Asked { is_refused, challenge: challenges.into_iter().next().filter(|_| is_refused) })
}

impl Authority {
    /// Whether tokens of `issuer` may be shown to this authorization server.
    pub(super) fn is(&self, issuer: Option<&str>) -> bool {
        issuer == self.metadata.issuer.as_deref()
    }

    /// Something its metadata says beyond what rmcp reads.
    pub(super) fn says(&self, field: &str) -> Option<&serde_json::Value> {
        self.metadata.additional_fields.get(field)
    }

    /// Goes on as this client, which says who it is in the way it was registered for.
    pub(super) fn be(
        &mut self,
        mut config: OAuthClientConfig,
        method: Option<&str>,
    ) -> Result<OAuthClientConfig, AuthError> {
        if let Some(method) = self.taken(method) {
            if method == "none" {
                config.client_secret = None;
            }
            // rmcp goes by what the authorization server offers.
            let mut metadata = self.metadata.clone();
            metadata.additional_fields.insert(METHODS.to_owned(), json!([method]));
            self.manager.set_metadata(metadata);
        }
        self.manager.configure_client(config.clone())?;
        Ok(config)
    }

    /// The method a client was registered with, if it is one of ours and still taken.
    pub(super) fn taken<'a>(&self, method: Option<&'a str>) -> Option<&'a str> {
        let offered = self.says(METHODS).and_then(serde_json::Value::as_array);
        method.filter(|method| {
            ["client_secret_basic", "client_secret_post", "none"].contains(method)
                && offered.is_none_or(|offered| offered.iter().any(|offer| offer == method))
        })
    }

    /// Gets the next tokens of a log-in.
    pub(super) async fn renew(
        &mut self,
        login: &StoredLogin,
    ) -> Result<StoredLogin, AuthorityError> {
        if !self.is(login.issuer.as_deref()) {
            return Err(AuthorityError::Refused(
                "the server now uses another authorization server".into(),
            ));
        }
        let kept = InMemoryCredentialStore::new();
        kept.save(for_rmcp(login)?).await?;
        self.manager.set_credential_store(kept);
        // The redirect address is not part of renewing, and rmcp wants one.
        let mut config = OAuthClientConfig::new(&login.client_id, "http://127.0.0.1/callback");
        config.client_secret = login.client_secret.as_ref().map(|secret| secret.reveal().clone());
        self.be(config, login.auth_method.as_deref())?;
        let answer = silent(self.manager.refresh_token()).await.map_err(refused_renewal)?;
        let (tokens, scopes) = received(&answer)?;
        Ok(StoredLogin {
            tokens: Some(tokens),
            scopes: scopes.unwrap_or_else(|| login.scopes.clone()),
            ..login.clone()
        })
    }

    /// Gets a token for a machine.
    pub(super) async fn admit(
        &mut self,
        machine: &ClientCredentials,
        resource: &Url,
    ) -> Result<StoredTokens, AuthorityError> {
        let mut scopes = machine.scopes.clone();
        if scopes.is_empty() {
            scopes = self.manager.select_initial_scopes(&[]).await;
            // It asks for a refresh token, which a machine does not need.
            scopes.retain(|scope| scope != "offline_access");
        }
        let mut config = ClientCredentialsConfig::ClientSecret {
            client_id: machine.client_id.clone(),
            client_secret: machine.client_secret.reveal().clone(),
            scopes,
            resource: None,
        };
        self.manager.validate_client_credentials_metadata(&config)?;
        self.manager.configure_client_credentials(&config)?;
        let own_name = self.resource().await.unwrap_or_else(|| resource.to_string());
        if let ClientCredentialsConfig::ClientSecret { resource, .. } = &mut config {
            *resource = Some(own_name);
        }
        let answer = silent(self.manager.exchange_client_credentials(&config))
            .await
            .map_err(refused_machine)?;
        Ok(received(&answer)?.0)
    }

    /// What the server calls itself to its authorization server. rmcp tells it only as a part of
    /// the address that a person would be sent to.
    async fn resource(&self) -> Option<String> {
        let address = silent(self.manager.get_authorization_url(&[])).await.ok()?;
        let address = Url::parse(&address).ok()?;
        address
            .query_pairs()
            .find(|(name, _)| name == "resource")
            .map(|(_, value)| value.into_owned())
    }
}

/// An authorization server that does not renew a log-in: for good, or perhaps not.
fn refused_renewal(error: AuthError) -> AuthorityError {
    match &error {
        AuthError::TokenRefreshRejected(_) => AuthorityError::Refused("revoked or expired".into()),
        AuthError::TokenRefreshFailed(words) => match meaning(words) {
            Meaning::Over(code @ ("invalid_client" | "unauthorized_client")) => {
                AuthorityError::Refused(format!("our client is not known any more: {code}"))
            }
            Meaning::Over(code) => AuthorityError::Refused(code.into()),
            Meaning::Unclear => AuthorityError::Unclear(chain(&error)),
            Meaning::Nothing => error.into(),
        },
        _ => error.into(),
    }
}

/// An authorization server that answers a machine says no for good; everything else may pass.
fn refused_machine(error: AuthError) -> AuthorityError {
    const FINAL: [&str; 4] =
        ["invalid_client", "unauthorized_client", "invalid_grant", "invalid_scope"];
    let text = chain(&error);
    if FINAL.iter().any(|word| text.contains(word)) {
        AuthorityError::Refused(text)
    } else {
        AuthorityError::from(error)
    }
}

/// A log-in as rmcp keeps it.
fn for_rmcp(login: &StoredLogin) -> Result<StoredCredentials, AuthorityError> {
    let tokens = login
        .tokens
        .as_ref()
        .and_then(|tokens| tokens.refresh.as_ref().map(|refresh| (tokens, refresh)));
    let Some((tokens, refresh)) = tokens else {
        return Err(AuthorityError::Refused("there is no refresh token".into()));
    };
    let answer = json!({
        "access_token": tokens.access.reveal(),
        "refresh_token": refresh.reveal(),
        "token_type": "bearer",
    });
    let answer = serde_json::from_value(answer)
        .map_err(|error| AuthorityError::Failed(error.to_string()))?;
    Ok(StoredCredentials::new(login.client_id.clone(), Some(answer), login.scopes.clone(), None)
        .with_issuer(login.issuer.clone()))
}

/// The parts of a token answer that we use. rmcp's type shows them only as JSON.
#[derive(Deserialize)]
struct Answer {
    access_token: String,
    token_type: String,
    refresh_token: Option<String>,
    expires_in: Option<u64>,
    scope: Option<String>,
}

/// Tokens as they were received, and the scopes if the answer named them.
pub(super) fn received(
    answer: &OAuthTokenResponse,
) -> Result<(StoredTokens, Option<Vec<String>>), AuthorityError> {
    let answer: Answer = serde_json::to_value(answer)
        .and_then(serde_json::from_value)
        .map_err(|_| AuthorityError::Failed("the token answer cannot be read".into()))?;
    if !answer.token_type.eq_ignore_ascii_case("bearer") {
        return Err(AuthorityError::Failed(
            "the token is not a bearer token, the only kind we can send".into(),
        ));
    }
    if answer.access_token.is_empty() || http::HeaderValue::from_str(&answer.access_token).is_err()
    {
        return Err(AuthorityError::Failed("the token cannot be sent in a header".into()));
    }
    let tokens = StoredTokens::received(
        Secret::new(answer.access_token),
        answer.refresh_token.map(Secret::new),
        answer.expires_in.map(Duration::from_secs),
    );
    let scopes = answer.scope.map(|scope| scope.split_whitespace().map(str::to_owned).collect());
    Ok((tokens, scopes))
}

/// A `WWW-Authenticate` header, if it is short enough to be kept.
pub(super) fn keepable(challenge: &str) -> Option<String> {
    (!challenge.is_empty() && challenge.len() <= CHALLENGE_BYTES).then(|| challenge.to_owned())
}

/// The scopes a challenge says are missing; none if it is about something else.
pub(super) fn missing_scopes(challenge: &str, url: &Url) -> Option<Vec<String>> {
    let asked = silenced_parse(challenge, url);
    asked
        .is_insufficient_scope()
        .then(|| asked.scope.unwrap_or_default().split_whitespace().map(str::to_owned).collect())
}

fn silenced_parse(challenge: &str, url: &Url) -> WWWAuthenticateParams {
    tracing::subscriber::with_default(NoSubscriber::default(), || {
        WWWAuthenticateParams::parse(challenge, url)
    })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use axum::routing::post;

    use super::*;

    #[tokio::test]
    async fn a_server_that_greets_everybody_is_asked_for_something() {
        let greets_everybody = |body: String| async move {
            if body.contains("initialize") {
                return StatusCode::OK.into_response();
            }
            let challenge = [("www-authenticate", "Bearer scope=\"a\"")];
            (StatusCode::UNAUTHORIZED, challenge).into_response()
        };
        let asked = probe(&serve(Router::new().route("/", post(greets_everybody))).await).await;
        assert_eq!(
            (asked.is_refused, asked.challenge.as_deref()),
            (true, Some("Bearer scope=\"a\""))
        );
    }

    #[tokio::test]
    async fn a_server_that_wants_nothing_is_known_as_such() {
        let open = Router::new().route("/", post(|| async { StatusCode::OK }));
        let asked = probe(&serve(open).await).await;
        assert_eq!((asked.is_refused, asked.challenge), (false, None));
    }

    async fn probe(url: &Url) -> Asked {
        super::probe(url, &BTreeMap::new()).await.unwrap()
    }

    async fn serve(router: Router) -> Url {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        url.parse().unwrap()
    }
}
