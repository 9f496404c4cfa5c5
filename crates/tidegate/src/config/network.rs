//! `[network]`: the hosts that programs may reach by themselves. None, unless they are named.

use std::path::Path;

use serde::Deserialize;
use upstream::{Hosts, PrivateAddresses, WebSettings, WrongHost};

use super::places::Places;
use super::problem::ConfigError;
use super::section::{Size, Span};

/// `[network]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct NetworkSection {
    /// Hosts: `api.example.com`, `*.github.com:443`. Without a port: 443 and 80.
    allow: Option<Vec<String>>,
    /// Addresses that may be reached though they are not public: `127.0.0.1:8080`.
    allow_private: Option<Vec<String>>,
    /// Bytes that an answer may have, unpacked.
    max_bytes: Option<Size>,
    /// How long a request may take, redirects and body included.
    timeout: Option<Span>,
}

/// What the files say; of several, the one whose servers count most decides, key by key.
pub(super) fn web(places: &Places) -> Result<WebSettings, ConfigError> {
    let mut settings = WebSettings::default();
    for (file, said) in super::servers::wholes(places)? {
        let NetworkSection { allow, allow_private, max_bytes, timeout } = said.network;
        if let Some(allow) = allow {
            let hosts = Hosts::new(allow.iter().map(String::as_str));
            settings.hosts = hosts.map_err(|wrong| refused(&file, "allow", &wrong))?;
        }
        if let Some(private) = allow_private {
            let addresses = PrivateAddresses::new(private.iter().map(String::as_str));
            settings.private =
                addresses.map_err(|wrong| refused(&file, "allow-private", &wrong))?;
        }
        if let Some(Size(bytes)) = max_bytes {
            settings.answer_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        if let Some(Span(timeout)) = timeout {
            settings.timeout = timeout;
        }
    }
    Ok(settings)
}

fn refused(file: &Path, key: &'static str, wrong: &WrongHost) -> ConfigError {
    let line = std::fs::read_to_string(file).ok().and_then(|text| {
        let at = text.lines().position(|line| line.contains(&wrong.written));
        at.map(|at| at + 1)
    });
    ConfigError::Value {
        path: file.to_owned(),
        line: line.unwrap_or(1),
        key: format!("network.{key}"),
        message: wrong.to_string(),
    }
}
