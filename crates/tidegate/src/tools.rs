//! The configured servers' tools, ready for programs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gateway::{Memory, ServerPolicy, Tools};
use upstream::Upstreams;

use crate::config::Config;
use crate::config::section::ServerSection;
use crate::sentences;

/// Every server that is switched on, connected to nobody yet; `None` when there is none.
pub(crate) async fn open(
    config: &Config,
    mcp_config: &[PathBuf],
) -> anyhow::Result<Option<Arc<Tools>>> {
    let mut settings = Vec::new();
    let mut policies = BTreeMap::new();
    let general = config.general()?;
    for server in config.servers_with(mcp_config)? {
        if !server.section.is_enabled() {
            continue;
        }
        let policy = ServerPolicy {
            pin: server.section.pin.unwrap_or(false),
            learn: server.section.learn.unwrap_or(general.learn),
            identity: identity(&server.section),
        };
        settings.push(config.settings_later(&server));
        policies.insert(server.name, policy);
    }
    if policies.is_empty() {
        return Ok(None);
    }
    let upstreams = Upstreams::new(settings, config.upstream_options()?);
    let memory =
        config.data().map_or_else(|_| Memory::none(), |data| Memory::at(data.join("servers")));
    let tools = Tools::new(upstreams, policies, memory);
    let meaning = if general.embeddings { sentences::ready(config).await? } else { None };
    Ok(Some(match meaning {
        Some(meaning) => tools.with_meaning(meaning),
        None => tools,
    }))
}

/// Says how a server is reached; hashed before it is written anywhere. Whether it is learned
/// from makes no other server of it.
fn identity(section: &ServerSection) -> String {
    format!("{:?}", ServerSection { learn: None, ..section.clone() })
}
