//! `tidegate config`: every setting, and who says so; what there is to set.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use engine::Level;
use gateway::service::store::Store;
use serde_json::{Map, json};

use super::explain::rows;
use crate::config::Config;
use crate::config::keys::strangers;
use crate::exit::Ending;
use crate::settings::{Given, Values};
use crate::{out, show};

/// Options of `tidegate config`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show every setting, server, rule and token, and where each comes from.
    Show {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: Given,
    },
    /// Print what there is to set, with what holds otherwise, as Markdown.
    Reference,
}

/// What else decides: the folders, the other keys of the files, servers, rules and tokens.
async fn around(config: &Config, level: Level) -> anyhow::Result<Vec<(String, String, String)>> {
    let mut all = Vec::new();
    for (name, folder, origin) in config.folders() {
        let value = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
        all.push((name.to_owned(), value, origin.to_owned()));
    }
    // Whoever reads them says what is wrong with them.
    config.general()?;
    config.web()?;
    config.reviewing()?;
    config.policy()?;
    config.skill_sources()?;
    let limits = rows(&config.limits_of(level)?);
    let limits: Vec<_> = limits.into_iter().map(|(_, value, name)| (name, value)).collect();
    all.extend(config.keys_shown(&limits)?);
    all.extend(config.privacy_shown()?);
    all.extend(config.tables_shown()?);
    all.extend(tokens(config).await?);
    Ok(all)
}

/// The tokens of `serve`, by their ids.
async fn tokens(config: &Config) -> anyhow::Result<Vec<(String, String, String)>> {
    let Ok(folder) = config.data().map(|data| data.join("service")) else { return Ok(Vec::new()) };
    let file = folder.join("tidegate.db");
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let file = config.places().short(&file);
    let tokens = Store::open(&folder).await?.tokens().await?.into_iter().map(|token| {
        let scopes: Vec<_> = token.scopes.iter().map(|scope| scope.name()).collect();
        let value = format!("{}: {}", token.owner, scopes.join(", "));
        (format!("tokens.{}", token.id), value, file.clone())
    });
    Ok(tokens.collect())
}

/// The level whose limits are shown. One that does not exist is told of by who needs it.
fn level(values: &Values) -> Level {
    let named = values.text("level").unwrap_or_default();
    let levels = [Level::Development, Level::Production, Level::Hardened];
    levels.into_iter().find(|level| level.name() == named).unwrap_or_default()
}

/// Runs `tidegate config`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let Action::Show { json: as_json, settings } = &arguments.action else {
        out::line(super::reference::page()).context(show::LOST)?;
        return Ok(Ending::Success);
    };
    let mut values = Values::resolve(config, settings)?;
    values.complete(config)?;
    let around = around(config, level(&values)).await?;
    for (name, meant) in strangers() {
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        out::warn(format_args!("the variable {} means nothing{meant}", out::clean(&name)));
    }
    let text = if *as_json {
        let entry = |(name, value, origin): (&str, &str, &crate::settings::Origin)| {
            (name.to_owned(), json!({ "value": value, "origin": origin.to_string() }))
        };
        let mut all: Map<_, _> = values.all().map(entry).collect();
        for (name, value, origin) in around {
            all.insert(name, json!({ "value": value, "origin": origin }));
        }
        serde_json::to_string_pretty(&all)?
    } else {
        let mut table = show::table(["setting", "value", "from"]);
        for (name, value, origin) in values.all() {
            table.add_row([name.to_owned(), out::clean(value).to_string(), origin.to_string()]);
        }
        for (name, value, origin) in around {
            let [name, value] = [name, value].map(|text| out::clean(&text).to_string());
            table.add_row([name, value, origin]);
        }
        table.trim_fmt()
    };
    out::line(&text).context(show::LOST)?;
    Ok(Ending::Success)
}
