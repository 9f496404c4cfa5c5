//! `tidegate config`: every setting, and who says so; what there is to set.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::{Map, json};

use crate::config::Config;
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
    /// Show every setting of `serve` and `mcp`, and where its value comes from.
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

/// What else decides: the folders, and what the files say under `[limits]`, `[privacy]` and `[secrets]`.
fn around(config: &Config) -> anyhow::Result<Vec<(String, String, String)>> {
    let mut all = Vec::new();
    for (name, folder, origin) in config.folders() {
        let value = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
        all.push((name.to_owned(), value, origin.to_owned()));
    }
    for (name, (value, file)) in config.limits_section()? {
        all.push((format!("limits.{name}"), value, file));
    }
    all.extend(config.privacy_shown()?);
    all.extend(config.ask_shown()?);
    Ok(all)
}

/// Runs `tidegate config`.
pub(crate) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let Action::Show { json: as_json, settings } = &arguments.action else {
        out::line(super::reference::page()).context(show::LOST)?;
        return Ok(Ending::Success);
    };
    let mut values = Values::resolve(config, settings)?;
    values.complete(config)?;
    let text = if *as_json {
        let entry = |(name, value, origin): (&str, &str, &crate::settings::Origin)| {
            (name.to_owned(), json!({ "value": value, "origin": origin.to_string() }))
        };
        let mut all: Map<_, _> = values.all().map(entry).collect();
        for (name, value, origin) in around(config)? {
            all.insert(name, json!({ "value": value, "origin": origin }));
        }
        serde_json::to_string_pretty(&all)?
    } else {
        let mut table = show::table(["setting", "value", "from"]);
        for (name, value, origin) in values.all() {
            table.add_row([name.to_owned(), out::clean(value).to_string(), origin.to_string()]);
        }
        for (name, value, origin) in around(config)? {
            table.add_row([name, out::clean(&value).to_string(), origin]);
        }
        table.trim_fmt()
    };
    out::line(&text).context(show::LOST)?;
    Ok(Ending::Success)
}
