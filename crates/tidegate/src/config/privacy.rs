//! What the files say about personal data and secrets, checked.

use std::collections::BTreeMap;

use gateway::{Pii, VeilSettings};
use privacy::{Detector, SettingsError};

use super::Config;
use super::section::{PrivacySection, SecretsSection};
use super::servers;
use crate::exit::Misuse;

/// What holds of personal data and secrets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Privacy {
    /// Who does not see personal data, where a server does not say it.
    pub(crate) pii: Pii,
    /// Everything else.
    pub(crate) settings: VeilSettings,
    /// Which file says what, by key.
    pub(crate) origins: BTreeMap<String, String>,
}

impl Config {
    /// What the files say under `[privacy]` and `[secrets]`; of several the one whose servers count
    /// most decides, key by key.
    pub(crate) fn privacy(&self) -> anyhow::Result<Privacy> {
        let files = servers::privacy(self.places());
        let mut all = Privacy::default();
        for (file, privacy, secrets) in files.map_err(|error| Misuse::error(error.to_string()))? {
            let wrong = |problem: String| Misuse::error(format!("{file}: {problem}"));
            all.take(&file, privacy, secrets).map_err(wrong)?;
        }
        let personal = &all.settings.personal;
        if personal.kinds.is_empty() && personal.patterns.is_empty() {
            let file = all.origins.get("privacy.kinds").map_or("", String::as_str);
            return Err(Misuse::error(format!(
                "{file}: `privacy.kinds` is [], and there are no `privacy.patterns`, so that nothing would be hidden; \
                 leave `kinds` out to look for all of them, or say `pii = \"off\"`"
            )));
        }
        Ok(all)
    }

    /// Each of these settings with its value and where it comes from.
    pub(crate) fn privacy_shown(&self) -> anyhow::Result<Vec<(String, String, String)>> {
        let Privacy { pii, settings, origins } = self.privacy()?;
        let personal = &settings.personal;
        let patterns: Vec<&str> = personal.patterns.iter().map(|one| one.name.as_str()).collect();
        let mut shown = vec![
            ("privacy.pii".to_owned(), pii.name().to_owned()),
            ("privacy.kinds".to_owned(), personal.kinds.join(",")),
            ("privacy.patterns".to_owned(), patterns.join(",")),
            ("privacy.name-fields".to_owned(), personal.name_fields.join(",")),
            ("privacy.keep".to_owned(), format!("{}h", settings.keep.as_secs() / 3600)),
            ("privacy.max-values".to_owned(), settings.most.to_string()),
        ];
        for (secret, tools) in &settings.allow {
            let tools: Vec<&str> = tools.iter().map(policy::Glob::as_str).collect();
            shown.push((format!("secrets.allow.{secret}"), tools.join(",")));
        }
        let with_origin = |(name, value): (String, String)| {
            let origin = origins.get(&name).map_or("default", String::as_str).to_owned();
            (name, value, origin)
        };
        let mut shown: Vec<_> = shown.into_iter().map(with_origin).collect();
        for server in self.servers()? {
            let file = self.places().short(&server.file);
            let own = server.section.pii.map(|pii| (format!("servers.{}.pii", server.name), pii));
            let tools = server.section.tool_pii.iter();
            let tools =
                tools.map(|(tool, pii)| (format!("servers.{}.tool-pii.{tool}", server.name), *pii));
            let all = own.into_iter().chain(tools);
            shown.extend(all.map(|(name, pii)| (name, pii.name().to_owned(), file.clone())));
        }
        Ok(shown)
    }
}

impl Privacy {
    fn take(
        &mut self,
        file: &str,
        privacy: PrivacySection,
        secrets: SecretsSection,
    ) -> Result<(), String> {
        let mut says = |key: &str| {
            self.origins.insert(key.to_owned(), file.to_owned());
        };
        let personal = &mut self.settings.personal;
        if let Some(pii) = privacy.pii {
            says("privacy.pii");
            self.pii = pii;
        }
        if let Some(kinds) = privacy.kinds {
            says("privacy.kinds");
            personal.kinds = kinds;
        }
        if let Some(patterns) = privacy.patterns {
            says("privacy.patterns");
            personal.patterns = patterns;
        }
        if let Some(fields) = privacy.name_fields {
            says("privacy.name-fields");
            personal.name_fields = fields;
        }
        if let Some(keep) = privacy.keep {
            says("privacy.keep");
            self.settings.keep = keep.0;
        }
        if let Some(most) = privacy.max_values {
            says("privacy.max-values");
            if most == 0 {
                return Err(
                    "`privacy.max-values` is 0, so that nothing could be put back; use 1 or more"
                        .to_owned(),
                );
            }
            self.settings.most = most;
        }
        for (secret, tools) in secrets.allow {
            if let Some(wrong) = tools.iter().find(|tool| !tool.as_str().contains('.')) {
                return Err(format!(
                    "`secrets.allow.{secret}`: {:?} names no tool; write SERVER.TOOL, such as postgres.*",
                    wrong.as_str()
                ));
            }
            says(&format!("secrets.allow.{secret}"));
            self.settings.allow.insert(secret, tools);
        }
        Detector::new(&self.settings.personal).map(drop).map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            format!("`{}`: {error}{}", key_of(&error), cause.unwrap_or_default())
        })
    }
}

/// The key that a mistake is in.
fn key_of(error: &SettingsError) -> &'static str {
    match error {
        SettingsError::UnknownKind { .. } => "privacy.kinds",
        SettingsError::NameField { .. } => "privacy.name-fields",
        _ => "privacy.patterns",
    }
}
