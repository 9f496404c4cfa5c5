//! `[skills]`: where packs of skills come from, and whose are installed.

use gateway::skillset::Sources;
use serde::Deserialize;

use super::places::Places;
use super::problem::ConfigError;

/// `[skills]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SkillsSection {
    /// Indexes of packs, as folders or addresses, from which clients of `serve` may install.
    indexes: Option<Vec<String>>,
    /// Public keys of minisign's whose packs are installed.
    trust: Option<Vec<String>>,
}

/// What the files say; of several, the one whose servers count most decides, key by key.
pub(super) fn sources(places: &Places) -> Result<Sources, ConfigError> {
    let mut sources = Sources::default();
    for (file, said) in super::servers::wholes(places)? {
        let SkillsSection { indexes, trust } = said.skills;
        if let Some(indexes) = indexes {
            sources.indexes = indexes;
        }
        if let Some(trust) = trust {
            let keys: Result<_, _> = trust.iter().map(|key| skills::Key::new(key)).collect();
            sources.trust.keys = keys.map_err(|error| ConfigError::Value {
                path: file.clone(),
                line: 1,
                key: "skills.trust".to_owned(),
                message: error.to_string(),
            })?;
        }
    }
    Ok(sources)
}
