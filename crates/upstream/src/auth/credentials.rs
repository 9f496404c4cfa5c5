//! The tokens of one connection.
//!
//! Held in memory, so that a call costs no look into a file. The store is asked again when the
//! server refuses what we have: another process may have renewed it, or somebody logged in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use catalog::ServerName;
use tokio::sync::Mutex;

use super::discovery::{AuthorityError, discover, keepable, missing_scopes, probe};
use super::line::{chain, place};
use super::store::{LoginKey, StoreError, StoredLogin, StoredTokens, TokenStore};
use crate::error::ConnectError;
use crate::mask::Mask;
use crate::secret::Secret;
use crate::settings::{Auth, ClientCredentials, Http};

/// What is said of a log-in that the authorization server no longer honours.
const REFUSED: &str = ": the stored log-in was refused (revoked or expired)";

/// Supplies one connection with tokens.
pub struct Credentials {
    key: LoginKey,
    auth: Auth,
    headers: BTreeMap<String, Secret<String>>,
    store: Arc<dyn TokenStore>,
    held: Mutex<Held>,
    problem: StdMutex<Option<ConnectError>>,
    /// Who sees to it that no token comes back.
    mask: Option<Arc<Mask>>,
}

/// What is known without looking.
#[derive(Default)]
struct Held {
    /// Whether the store was asked.
    is_known: bool,
    tokens: Option<StoredTokens>,
}

impl Credentials {
    /// For a connection to this server. An `Authorization` header that the operator configured
    /// takes the place of any log-in.
    #[must_use]
    pub fn new(server: &ServerName, http: &Http, store: Arc<dyn TokenStore>) -> Self {
        let has_own = http.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
        Self {
            key: LoginKey::new(server, http),
            auth: if has_own { Auth::None } else { http.auth.clone() },
            headers: http.headers.clone(),
            store,
            held: Mutex::default(),
            problem: StdMutex::default(),
            mask: None,
        }
    }

    /// The same; tokens that it supplies are hidden wherever they come back.
    pub(crate) fn hidden_by(mut self, mask: Arc<Mask>) -> Self {
        self.mask = Some(mask);
        self
    }

    /// Which server and address they are for.
    #[must_use]
    pub fn key(&self) -> &LoginKey {
        &self.key
    }

    /// The last thing that went wrong, until something goes well again.
    ///
    /// rmcp passes on only that a request failed; connection code asks here for the reason.
    #[must_use]
    pub fn problem(&self) -> Option<ConnectError> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The token to send now; none if nobody logged in, in which case the server may still answer.
    pub async fn token(&self) -> Result<Option<Secret<String>>, ConnectError> {
        let mut held = self.held.lock().await;
        if let Some(tokens) = &held.tokens
            && !tokens.is_due()
        {
            return Ok(Some(tokens.access.clone()));
        }
        let result = match &self.auth {
            Auth::None => Ok(None),
            Auth::ClientCredentials(machine) => self.admitted(&mut held, machine).await.map(Some),
            Auth::OAuth(_) if held.is_known && held.tokens.is_none() => Ok(None),
            Auth::OAuth(_) => self.looked_up(&mut held).await,
        };
        if let Ok(Some(token)) = &result {
            self.hides(token);
        }
        self.noted(result)
    }

    /// Another token after the server refused the one that was `sent` with a 401, whose
    /// `WWW-Authenticate` header is the `challenge`. Send the request again with it, once.
    pub async fn renewed(
        &self,
        sent: Option<&Secret<String>>,
        challenge: Option<&str>,
    ) -> Result<Secret<String>, ConnectError> {
        let mut held = self.held.lock().await;
        let result = match &held.tokens {
            // Another request was refused before this one and has seen to it.
            Some(tokens) if Some(&tokens.access) != sent => Ok(tokens.access.clone()),
            _ => self.replaced(&mut held, sent, challenge).await,
        };
        if let Ok(token) = &result {
            self.hides(token);
        }
        self.noted(result)
    }

    /// What to do after a 403: a token somebody logged in for since, or the problem.
    ///
    /// The missing scopes are remembered, so that the next log-in asks for them too.
    pub async fn widened(
        &self,
        sent: Option<&Secret<String>>,
        challenge: &str,
    ) -> Result<Secret<String>, ConnectError> {
        let mut held = self.held.lock().await;
        let result = self.wider(&mut held, sent, challenge).await;
        if let Ok(token) = &result {
            self.hides(token);
        }
        self.noted(result)
    }

    fn hides(&self, token: &Secret<String>) {
        if let Some(mask) = &self.mask {
            mask.token(token.reveal());
        }
    }

    /// What to report when even a fresh token was refused.
    pub(crate) fn refused_again(&self) -> ConnectError {
        let problem = match &self.auth {
            Auth::OAuth(_) => self.login_needed(": the server refused a new token as well"),
            Auth::ClientCredentials(_) => {
                self.unusable("the server refuses the token of its own client credentials")
            }
            Auth::None => self.unusable("the server refuses the configured headers (HTTP 401)"),
        };
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem.clone());
        problem
    }

    fn noted<T>(&self, result: Result<T, ConnectError>) -> Result<T, ConnectError> {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) =
            result.as_ref().err().cloned();
        result
    }

    async fn looked_up(&self, held: &mut Held) -> Result<Option<Secret<String>>, ConnectError> {
        let stored =
            self.store.load(&self.key).await.map_err(|error| self.store_problem(&error))?;
        held.is_known = true;
        held.tokens = None;
        let Some(login) = stored else { return Ok(None) };
        let Some(tokens) = &login.tokens else {
            held.is_known = false;
            return Err(self.login_needed(REFUSED));
        };
        if tokens.is_due() && tokens.refresh.is_some() {
            return match self.renew(held, &tokens.access).await {
                // The authorization server is away, and what we have still serves.
                Err(ConnectError::Unusable { .. }) if !tokens.is_over() => {
                    Ok(Some(tokens.access.clone()))
                }
                result => result.map(Some),
            };
        }
        if tokens.is_over() {
            held.is_known = false;
            return Err(self.login_needed(": the stored log-in has expired and cannot be renewed"));
        }
        let access = tokens.access.clone();
        held.tokens = login.tokens;
        Ok(Some(access))
    }

    async fn replaced(
        &self,
        held: &mut Held,
        sent: Option<&Secret<String>>,
        challenge: Option<&str>,
    ) -> Result<Secret<String>, ConnectError> {
        held.tokens = None;
        match &self.auth {
            Auth::None => {
                Err(self.unusable("the server refuses the configured headers (HTTP 401)"))
            }
            Auth::ClientCredentials(machine) => self.admitted(held, machine).await,
            Auth::OAuth(_) => {
                held.is_known = false;
                // A 401 may name missing scopes too; the next log-in should know.
                if let Some(challenge) = challenge
                    && missing_scopes(challenge, &self.key.url).is_some()
                {
                    return self.wider(held, sent, challenge).await;
                }
                match self.looked_up(held).await? {
                    None => Err(self.login_needed("")),
                    Some(token) if Some(&token) != sent => Ok(token),
                    Some(token) => self.renew(held, &token).await,
                }
            }
        }
    }

    async fn wider(
        &self,
        held: &mut Held,
        sent: Option<&Secret<String>>,
        challenge: &str,
    ) -> Result<Secret<String>, ConnectError> {
        let missing = missing_scopes(challenge, &self.key.url).unwrap_or_default().join(" ");
        if !matches!(self.auth, Auth::OAuth(_)) {
            return Err(
                self.unusable(&format!("it wants the scope {missing:?}; add it to `scopes`"))
            );
        }
        let _lock = self.store.lock(&self.key).await.map_err(|error| self.store_problem(&error))?;
        let stored =
            self.store.load(&self.key).await.map_err(|error| self.store_problem(&error))?;
        let Some(login) = stored else { return Err(self.login_needed("")) };
        if let Some(tokens) = &login.tokens
            && Some(&tokens.access) != sent
        {
            return Ok(keep(held, tokens.clone()));
        }
        let login =
            StoredLogin { challenge: keepable(challenge).or(login.challenge.clone()), ..login };
        self.store.save(&self.key, &login).await.map_err(|error| self.store_problem(&error))?;
        Err(self.login_needed(&format!(
            ": it wants the scope {missing:?}, which the stored log-in does not have"
        )))
    }

    /// Gets the next access token in place of `old`, unless another process just did.
    async fn renew(
        &self,
        held: &mut Held,
        old: &Secret<String>,
    ) -> Result<Secret<String>, ConnectError> {
        held.tokens = None;
        held.is_known = false;
        let _lock = self.store.lock(&self.key).await.map_err(|error| self.store_problem(&error))?;
        let stored =
            self.store.load(&self.key).await.map_err(|error| self.store_problem(&error))?;
        let Some(login) = stored else { return Err(self.login_needed("")) };
        let Some(tokens) = &login.tokens else { return Err(self.login_needed(REFUSED)) };
        if &tokens.access != old && !tokens.is_due() {
            return Ok(keep(held, tokens.clone()));
        }

        let renewed = async {
            discover(&self.key.url, login.challenge.as_deref()).await?.renew(&login).await
        };
        match renewed.await {
            Ok(login) => {
                self.store
                    .save(&self.key, &login)
                    .await
                    .map_err(|error| self.store_problem(&error))?;
                let tokens = login.tokens.ok_or_else(|| self.login_needed(REFUSED))?;
                Ok(keep(held, tokens))
            }
            Err(AuthorityError::Refused(reason)) => {
                let login = StoredLogin { tokens: None, ..login };
                self.store
                    .save(&self.key, &login)
                    .await
                    .map_err(|error| self.store_problem(&error))?;
                Err(self.login_needed(&format!(": the stored log-in was refused ({reason})")))
            }
            Err(AuthorityError::Unclear(reason)) => Err(self.unusable(&format!(
                "its log-in cannot be renewed: {reason}; if it stays so, run `tidegate login {}`",
                self.key.server
            ))),
            Err(AuthorityError::Failed(reason)) => {
                Err(self.unusable(&format!("its log-in cannot be renewed: {reason}")))
            }
        }
    }

    async fn admitted(
        &self,
        held: &mut Held,
        machine: &ClientCredentials,
    ) -> Result<Secret<String>, ConnectError> {
        held.tokens = None;
        let admitted = async {
            let asked = probe(&self.key.url, &self.headers)
                .await
                .map_err(|error| AuthorityError::Failed(chain(&error)))?;
            let mut authority = discover(&self.key.url, asked.challenge.as_deref()).await?;
            authority.admit(machine, &self.key.url).await
        };
        match admitted.await {
            Ok(tokens) => Ok(keep(held, tokens)),
            Err(AuthorityError::Refused(reason)) => {
                Err(self.unusable(&format!("its client credentials were refused: {reason}")))
            }
            Err(AuthorityError::Unclear(reason) | AuthorityError::Failed(reason)) => {
                Err(self.unusable(&format!("no token for its client credentials: {reason}")))
            }
        }
    }

    fn login_needed(&self, detail: &str) -> ConnectError {
        ConnectError::LoginNeeded { server: self.key.server.clone(), detail: detail.to_owned() }
    }

    fn unusable(&self, reason: &str) -> ConnectError {
        ConnectError::Unusable {
            server: self.key.server.clone(),
            place: place(&self.key.url),
            reason: reason.to_owned(),
        }
    }

    fn store_problem(&self, error: &StoreError) -> ConnectError {
        self.unusable(&error.to_string())
    }
}

fn keep(held: &mut Held, tokens: StoredTokens) -> Secret<String> {
    let access = tokens.access.clone();
    *held = Held { is_known: true, tokens: Some(tokens) };
    access
}
