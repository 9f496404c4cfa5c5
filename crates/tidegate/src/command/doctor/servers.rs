//! The servers: whether what is said of their tools is said of tools that there are.

use gateway::Memory;

use super::Finding;
use crate::command::test::{idle, idle_pii};
use crate::config::Config;

/// Looks at what the servers said when they were last asked. Asks nobody.
pub(super) fn look(config: &Config) -> Vec<Finding> {
    // What cannot be read is an error of every other command.
    let (Ok(servers), Ok(data)) = (config.servers(), config.data()) else { return Vec::new() };
    let memory = Memory::at(data.join("servers"));
    let mut findings = Vec::new();
    for server in servers.iter().filter(|server| server.section.is_enabled()) {
        let (effects, tool_pii) = (server.section.effects(), &server.section.tool_pii);
        if effects.is_empty() && tool_pii.is_empty() {
            continue;
        }
        let about = if effects.is_empty() { "privacy" } else { "effects" };
        let name = &server.name;
        let Some(listing) = memory.listing(name, &crate::tools::identity(server)) else {
            let detail = format!("nobody has asked `{name}` yet which tools it has");
            findings.push(Finding::warning(about, detail, format!("tidegate test {name}")));
            continue;
        };
        let fix = format!("compare it with `tidegate tools list {name}`");
        let idle = idle(&effects, &listing).into_iter();
        findings.extend(idle.map(|detail| Finding::warning("effects", detail, fix.clone())));
        let idle = idle_pii(tool_pii, &listing).into_iter();
        findings.extend(idle.map(|detail| Finding::warning("privacy", detail, fix.clone())));
    }
    findings
}
