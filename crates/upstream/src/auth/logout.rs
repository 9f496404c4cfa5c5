//! Logging out: here, and at the authorization server where it can be told.

use catalog::ServerName;
use url::Url;

use super::discovery::{Authority, METHODS, discover};
use super::line::chain;
use super::store::{LoginKey, StoreError, StoredLogin, TokenStore};
use crate::settings::Http;

/// What a log-out did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogoutDone {
    /// Nobody was logged in.
    NotLoggedIn,
    /// The tokens are gone here and void there.
    Revoked,
    /// The tokens are gone here; the authorization server has no way to be told.
    Forgotten,
    /// The tokens are gone here; telling the authorization server failed.
    NotRevoked {
        /// What went wrong.
        reason: String,
    },
}

/// Logs out of a server. What is stored goes first, so that no failure keeps it.
pub async fn logout(
    server: &ServerName,
    http: &Http,
    store: &dyn TokenStore,
) -> Result<LogoutDone, StoreError> {
    let key = LoginKey::new(server, http);
    let login = {
        let _lock = store.lock(&key).await?;
        let login = store.load(&key).await?;
        store.remove(&key).await?;
        login
    };
    let Some(login) = login else { return Ok(LogoutDone::NotLoggedIn) };
    Ok(revoked(&key.url, &login).await.unwrap_or_else(|reason| LogoutDone::NotRevoked { reason }))
}

async fn revoked(url: &Url, login: &StoredLogin) -> Result<LogoutDone, String> {
    let Some(tokens) = &login.tokens else { return Ok(LogoutDone::Forgotten) };
    let authority =
        discover(url, login.challenge.as_deref()).await.map_err(|error| chain(&error))?;
    if !authority.is(login.issuer.as_deref()) {
        return Err("the server now uses another authorization server".into());
    }
    let Some(endpoint) = authority.says("revocation_endpoint").and_then(serde_json::Value::as_str)
    else {
        return Ok(LogoutDone::Forgotten);
    };
    let endpoint = Url::parse(endpoint).map_err(|error| error.to_string())?;
    // The refresh token first: it is the one that lasts.
    if let Some(refresh) = &tokens.refresh {
        revoke(&authority, &endpoint, login, "refresh_token", refresh.reveal()).await?;
    }
    revoke(&authority, &endpoint, login, "access_token", tokens.access.reveal()).await?;
    Ok(LogoutDone::Revoked)
}

async fn revoke(
    authority: &Authority,
    endpoint: &Url,
    login: &StoredLogin,
    kind: &str,
    token: &str,
) -> Result<(), String> {
    let mut form = vec![("token", token), ("token_type_hint", kind)];
    let mut request = authority.line.client().post(endpoint.clone());
    match &login.client_secret {
        Some(secret) if !is_secret_in_form(authority, login) => {
            // RFC 6749 §2.3.1 encodes both before they are joined.
            request = request.basic_auth(encoded(&login.client_id), Some(encoded(secret.reveal())));
        }
        Some(secret) => form
            .extend([("client_id", login.client_id.as_str()), ("client_secret", secret.reveal())]),
        None => form.push(("client_id", &login.client_id)),
    }
    let request = request.form(&form).build().map_err(|error| chain(&error.without_url()))?;
    let answer = authority.line.send(request).await.map_err(|error| chain(&error))?;
    if answer.status().is_success() {
        Ok(())
    } else {
        Err(format!("it answered HTTP {}", answer.status().as_u16()))
    }
}

/// Whether the client's secret goes in the form: it was registered so, or nothing else is taken.
fn is_secret_in_form(authority: &Authority, login: &StoredLogin) -> bool {
    if let Some(method) = authority.taken(login.auth_method.as_deref()) {
        return method == "client_secret_post";
    }
    let methods = authority
        .says("revocation_endpoint_auth_methods_supported")
        .or_else(|| authority.says(METHODS))
        .and_then(serde_json::Value::as_array);
    let has =
        |name: &str| methods.is_some_and(|methods| methods.iter().any(|method| method == name));
    has("client_secret_post") && !has("client_secret_basic")
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
