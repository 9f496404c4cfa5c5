//! The configured servers' tools, ready for programs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::ToolName;
use gateway::minds::Mind;
use gateway::{Memory, Pii, ServerPolicy, Skillset, Tools, Veil};
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
    let web = config.web()?;
    // Where no host may be reached, nothing comes from one.
    let web_pii = if web.hosts.is_empty() { Pii::Off } else { config.privacy()?.pii };
    let web = upstream::Web::new(web);
    let tools =
        Tools::new(upstreams, policies, memory).with_veil(veil(config)?).with_web(web, web_pii);
    let tools = match config.data() {
        Ok(data) => tools.with_skills(Skillset::at(data.join("skills"), config.skill_sources()?)),
        // Without a place nothing is kept.
        Err(_) => tools,
    };
    tools.judge().follow(config.policy()?);
    let asked = config.clone();
    tools.minds().are_provided_by(Arc::new(move || provider(&asked)));
    let wanted = !none && config.general()?.embeddings;
    let meaning = if wanted { sentences::ready(config).await? } else { None };
    let tools = match meaning {
        Some(meaning) => tools.with_meaning(meaning),
        None => tools,
    };
    crate::log::hides(&tools);
    Ok(tools)
}

/// The model that programs ask, if one is configured. This may wait for the user to unlock a keyring.
fn provider(config: &Config) -> Result<Option<Arc<dyn Mind>>, String> {
    let settings = config.ask(Vec::new()).map_err(|error| format!("{error:#}"))?;
    settings.map(agent::Provider::of).transpose().map_err(|error| error.to_string())
}

/// Who replaces personal data and secrets.
pub(crate) fn veil(config: &Config) -> anyhow::Result<Arc<Veil>> {
    let folder = config.data().ok().map(|data| data.join("privacy"));
    Ok(Veil::new(folder, config.privacy()?.settings)?)
}

/// What the operator decided about a server.
pub(crate) fn policy(config: &Config, server: &Server) -> ServerPolicy {
    let learn = config.general().is_ok_and(|general| general.learn);
    // Settings that cannot be read hide everything.
    let pii = config.privacy().map_or(Pii::Tokenize, |privacy| privacy.pii);
    let tools = server.section.tool_pii.iter();
    ServerPolicy {
        pin: server.section.pin.unwrap_or(false),
        learn: server.section.learn.unwrap_or(learn),
        trusted: server.section.is_trusted(),
        effects: server.section.effects(),
        pii: server.section.pii.unwrap_or(pii),
        tool_pii: tools.map(|(tool, pii)| (ToolName(tool.clone()), *pii)).collect(),
        identity: identity(server),
        place: place(server),
    }
}

/// Says how a server is reached; hashed before it is written anywhere. Whether it is learned
/// from, what its tools do, and who sees what it answers, makes no other server of it.
pub(crate) fn identity(server: &Server) -> String {
    let tool_pii = BTreeMap::new();
    let (read_only, idempotent, writes) = (Vec::new(), Vec::new(), Vec::new());
    let effects = ServerSection { read_only, idempotent, writes, ..server.section.clone() };
    let section = ServerSection { learn: None, pii: None, tool_pii, ..effects };
    format!("{section:?}")
}

/// Says which server it is; hashed before it is written anywhere. However it is reached, and whatever is
/// decided about it, a server stays the one that was accepted.
pub(crate) fn place(server: &Server) -> String {
    let section = &server.section;
    let endpoints: Vec<&str> = section.tools.iter().map(|tool| tool.url.as_str()).collect();
    let (url, openapi) = (&section.url, &section.openapi);
    format!("{:?}", (&section.command, &section.args, &section.cwd, url, openapi, endpoints))
}

/// Says everything that is decided about a server, so that a change of it is noticed.
pub(crate) fn decided(server: &Server) -> String {
    format!("{:?}", server.section)
}
