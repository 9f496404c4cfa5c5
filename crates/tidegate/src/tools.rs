//! The configured servers' tools, ready for programs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gateway::{Memory, ServerPolicy, Tools};
use upstream::Upstreams;

use crate::config::Config;
use crate::config::section::ServerSection;
use crate::config::servers::Server;
use crate::sentences;

/// Every server that is switched on, connected to nobody yet; `None` when there is none.
pub(crate) async fn open(
    config: &Config,
    mcp_config: &[PathBuf],
) -> anyhow::Result<Option<Arc<Tools>>> {
    let tools = open_all(config, mcp_config, config.upstream_options()?).await?;
    Ok(Some(tools).filter(|tools| !tools.names().is_empty()))
}

/// The same, also when there is none yet.
pub(crate) async fn open_all(
    config: &Config,
    mcp_config: &[PathBuf],
    options: upstream::Options,
) -> anyhow::Result<Arc<Tools>> {
    let mut settings = Vec::new();
    let mut policies = BTreeMap::new();
    for server in config.servers_with(mcp_config)? {
        if server.section.is_enabled() {
            settings.push(config.settings_later(&server));
            policies.insert(server.name.clone(), policy(config, &server));
        }
    }
    let none = policies.is_empty();
    let upstreams = Upstreams::new(settings, options);
    let memory =
        config.data().map_or_else(|_| Memory::none(), |data| Memory::at(data.join("servers")));
    let web = upstream::Web::new(config.web()?);
    let tools = Tools::new(upstreams, policies, memory).with_web(web);
    let wanted = !none && config.general()?.embeddings;
    let meaning = if wanted { sentences::ready(config).await? } else { None };
    Ok(match meaning {
        Some(meaning) => tools.with_meaning(meaning),
        None => tools,
    })
}

/// What the operator decided about a server.
pub(crate) fn policy(config: &Config, server: &Server) -> ServerPolicy {
    let learn = config.general().is_ok_and(|general| general.learn);
    ServerPolicy {
        pin: server.section.pin.unwrap_or(false),
        learn: server.section.learn.unwrap_or(learn),
        trusted: server.section.trusted.unwrap_or(false),
        identity: identity(server),
    }
}

/// Says how a server is reached; hashed before it is written anywhere. Whether it is learned
/// from makes no other server of it.
pub(crate) fn identity(server: &Server) -> String {
    format!("{:?}", ServerSection { learn: None, ..server.section.clone() })
}
