//! Somebody who wants to be told what happened: a web hook.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde_json::Value;
use url::Url;

use crate::http::with_causes;
use crate::secret::Secret;

/// How long one attempt may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where to tell it, and with which headers.
#[derive(Debug, Clone)]
pub struct Hook {
    url: Secret<Url>,
    headers: HeaderMap,
    client: reqwest::Client,
}

impl Hook {
    /// A hook at an address that an operator named. Both may hold secrets, so neither is ever shown.
    ///
    /// # Errors
    /// In words, when it is no address, or something cannot be a header.
    pub fn new<'h>(
        url: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Result<Self, String> {
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or("this is not an address that begins with https:// or http://")?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let key = HeaderName::from_bytes(name.as_bytes());
            let key = key.map_err(|_| format!("{name:?} cannot be the name of a header"))?;
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| format!("the header {name:?} has a value that cannot be sent"))?;
            value.set_sensitive(true);
            map.insert(key, value);
        }
        let client = reqwest::Client::builder()
            .redirect(Policy::none())
            .timeout(PATIENCE)
            .user_agent(concat!("tidegate/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| with_causes(&error))?;
        Ok(Self { url: Secret::new(url), headers: map, client })
    }

    /// Tells it once.
    ///
    /// # Errors
    /// In words, when nobody took it.
    pub async fn tell(&self, what: &Value) -> Result<(), String> {
        let request = self.client.post(self.url.reveal().clone());
        let sent = request.headers(self.headers.clone()).json(what).send().await;
        match sent.map_err(|error| with_causes(&error))?.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("HTTP {status}")),
        }
    }
}
