//! `[audit]`: who is told of what is unusual.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use upstream::Hook;

use super::places::Places;
use super::problem::ConfigError;
use super::secrets::{SecretError, Template};

/// `[audit]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AuditSection {
    /// Whether runs are watched for what is unlike anything their owner did before.
    anomalies: Option<bool>,
    /// Where anomalies are posted as JSON.
    webhook: Option<String>,
    /// Headers that go with them; secrets as references.
    headers: BTreeMap<String, String>,
}

impl AuditSection {
    /// Which headers there are.
    pub(super) fn header_names(&self) -> impl Iterator<Item = &str> {
        self.headers.keys().map(String::as_str)
    }
}

/// What is done about anomalies.
#[derive(Debug)]
pub(crate) enum Anomalies {
    /// Nobody looks for them.
    Off,
    /// They are looked for, and told to whoever wants to know.
    On(Option<Hook>),
}

/// Looks up the secrets that a text of a file in some folder refers to.
type Resolve<'r> = &'r dyn Fn(&Path, &Template) -> Result<String, SecretError>;

/// What the files say; of several, the one whose servers count most decides, key by key.
pub(super) fn anomalies(places: &Places, resolve: Resolve<'_>) -> Result<Anomalies, ConfigError> {
    let (mut on, mut hook) = (true, None);
    for (file, said) in super::servers::wholes(places)? {
        on = said.audit.anomalies.unwrap_or(on);
        let Some(url) = &said.audit.webhook else { continue };
        let wrong = |key: String, message: String| {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let line = text.lines().position(|line| line.trim() == "[audit]").unwrap_or(0) + 1;
            ConfigError::Value { path: file.clone(), line, key: format!("audit.{key}"), message }
        };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let resolved = |key: &str, text: &str| {
            let template = Template::parse(text);
            let template = template.map_err(|error| wrong(key.to_owned(), error.to_string()))?;
            resolve(folder, &template).map_err(|error| wrong(key.to_owned(), error.to_string()))
        };
        let address = resolved("webhook", url)?;
        let mut headers = Vec::new();
        for (name, value) in &said.audit.headers {
            headers.push((name.as_str(), resolved(&format!("headers.{name}"), value)?));
        }
        let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
        let made = Hook::new(&address, headers);
        hook = Some(made.map_err(|message| wrong("webhook".to_owned(), message))?);
    }
    Ok(if on { Anomalies::On(hook) } else { Anomalies::Off })
}
