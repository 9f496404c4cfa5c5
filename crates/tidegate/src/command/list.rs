//! `tidegate list`: the configured servers.

use anyhow::Context as _;
use clap::Args;
use serde_json::{Value, json};

use super::test::{self, Tried};
use crate::config::Config;
use crate::config::secrets::Template;
use crate::config::servers::Server;
use crate::config::shown;
use crate::exit::Ending;
use crate::interrupt::unless_interrupted;
use crate::{out, show, units};

/// Options of `tidegate list`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print a JSON array instead of a table.
    #[arg(long)]
    json: bool,
    /// Connect to every server that is in use, all at once, and say how that went.
    #[arg(long)]
    check: bool,
}

/// Runs `tidegate list`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let servers = config.servers()?;
    let mut tried = Vec::new();
    if arguments.check {
        let used: Vec<Server> =
            servers.iter().filter(|server| server.section.is_enabled()).cloned().collect();
        let Some(all) = unless_interrupted(test::try_all(config, &used)).await? else {
            return Ok(Ending::Interrupted);
        };
        tried = all?;
    }
    let ending = if tried.iter().all(|tried| tried.listing.is_ok()) {
        Ending::Success
    } else {
        Ending::Raised
    };
    let tried = |server: &Server| tried.iter().find(|tried| tried.name == server.name);
    if arguments.json {
        let all: Vec<Value> =
            servers.iter().map(|server| to_json(config, server, tried(server))).collect();
        out::line(Value::from(all)).context(show::LOST)?;
        return Ok(ending);
    }
    if servers.is_empty() {
        out::tell(
            "there are no servers yet; `tidegate import` takes over those of other clients, `tidegate add` makes one",
        );
        return Ok(ending);
    }
    // Which file is worth telling only where there are two.
    let one_file = servers.iter().all(|server| server.file == servers[0].file);
    let columns = ["server", "kind", "command or address", "state", "file"];
    let mut table = show::table(columns.into_iter().take(if one_file { 4 } else { 5 }));
    for server in &servers {
        let state = match tried(server) {
            _ if !server.section.is_enabled() => "off".to_owned(),
            Some(tried) => told(tried),
            None => match missing(config, server).first() {
                Some(missing) => format!("lacks {}", missing.reference),
                None => "configured".to_owned(),
            },
        };
        let place = shown::place(&server.section);
        let mut row = vec![
            server.name.0.clone(),
            server.kind.label().to_owned(),
            out::clean(&place).into_owned(),
            out::clean(&state).into_owned(),
        ];
        if !one_file {
            row.push(config.places().short(&server.file));
        }
        table.add_row(row);
    }
    out::line(table.trim_fmt()).context(show::LOST)?;
    Ok(ending)
}

/// How connecting went, in a few words.
fn told(tried: &Tried) -> String {
    match &tried.listing {
        Ok(listing) => {
            let took = units::millis(tried.took).round();
            let tools = test::tools(listing.tools.len());
            match test::left_out(tried).len() {
                0 => format!("{tools} in {took} ms"),
                count => format!(
                    "{tools} in {took} ms, {count} left out: see `tidegate test {}`",
                    tried.name
                ),
            }
        }
        // `tidegate test` tells the rest.
        Err(reason) => {
            let first = reason.lines().next().unwrap_or_default();
            first.trim_end_matches("; it wrote to standard error:").to_owned()
        }
    }
}

/// A secret that is not there.
struct Missing {
    setting: String,
    reference: String,
    reason: String,
}

fn missing(config: &Config, server: &Server) -> Vec<Missing> {
    let mut all = Vec::new();
    for (setting, text) in server.section.texts() {
        let Ok(template) = Template::parse(text) else { continue };
        for reference in template.references() {
            if let Err(problem) = config.is_there(server, reference) {
                all.push(Missing {
                    setting: setting.clone(),
                    reference: reference.to_string(),
                    reason: problem.to_string(),
                });
            }
        }
    }
    all
}

fn to_json(config: &Config, server: &Server, tried: Option<&Tried>) -> Value {
    let section = &server.section;
    let missing: Vec<Value> = missing(config, server)
        .into_iter()
        .map(|Missing { setting, reference, reason }| {
            json!({ "setting": setting, "reference": reference, "reason": reason })
        })
        .collect();
    json!({
        "name": server.name,
        "kind": server.kind.label(),
        "place": shown::place(section),
        "enabled": section.is_enabled(),
        "description": section.description,
        "startup": section.startup,
        "trusted": section.is_trusted(),
        "pin": section.pin.unwrap_or(false),
        "learn": section.learn,
        "env": section.env.keys().collect::<Vec<_>>(),
        "headers": section.headers.keys().collect::<Vec<_>>(),
        "missing": missing,
        "file": server.file,
        "check": tried.map(|tried| json!({
            "connected": tried.listing.is_ok(),
            "error": tried.listing.as_ref().err(),
            "took_ms": units::millis(tried.took),
            "tools": tried.listing.as_ref().ok().map(|listing| listing.tools.len()),
        })),
    })
}
