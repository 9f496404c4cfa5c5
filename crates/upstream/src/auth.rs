//! Log-ins: how we say who we are to a server that asks.
//!
//! A person logs in once with [`login`], in a browser; from then on [`Credentials`] keep one
//! connection supplied with tokens and renew them. Machines are configured with client
//! credentials and never log in.
//!
//! Four things hold throughout:
//!
//! * **No browser during a call.** A server that wants more than is stored is reported as
//!   [`ConnectError::LoginNeeded`](crate::ConnectError::LoginNeeded), with the command to run.
//! * **A token goes where it was issued for.** It is stored under the server's name and address,
//!   and neither another name nor another address finds it.
//! * **Renewing is exclusive.** Authorization servers accept a refresh token once, so two
//!   processes renewing at the same time would log each other out.
//! * **Only private lines.** Nothing secret travels without TLS, except within this machine.
//!
//! Connections use [`AuthorizedClient`] around the HTTP client they have, or, where there is no
//! such client, [`Credentials::token`] before a request and [`Credentials::renewed`] after a 401.

mod callback;
mod client;
mod credentials;
mod discovery;
mod files;
mod lifetimes;
mod line;
mod login;
mod logout;
mod refusals;
mod store;

use std::sync::Arc;

use catalog::ServerName;

use crate::error::ConnectError;
use crate::secret::Secret;
use crate::settings::Http;

pub(crate) use client::AuthorizedClient;
pub use credentials::Credentials;
pub use files::FileTokens;
pub use login::{LoginDone, LoginError, LoginOptions, login};
pub use logout::{LogoutDone, logout};
pub use store::{
    LoginKey, MemoryTokens, StoreError, StoreLock, StoredLogin, StoredTokens, TokenStore,
};

/// The token to send to a server now, renewed if it is about to expire; none if nobody logged in.
pub async fn bearer(
    server: &ServerName,
    http: &Http,
    store: Arc<dyn TokenStore>,
) -> Result<Option<Secret<String>>, ConnectError> {
    Credentials::new(server, http, store).token().await
}
