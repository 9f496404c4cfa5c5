//! `tidegate session`: look after the sessions kept on disk.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use engine::Image;
use gateway::service::ids::SessionId;
use reqwest::Method;
use serde_json::{Value, json};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::remote::{self, Gateway, Where};
use crate::store::{Details, Entry, SessionName, Store};
use crate::{gatekeeper, out, show, units};

/// Options of `tidegate session`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List all sessions.
    List {
        /// Print a JSON array instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Say what is known of one session.
    Show {
        /// The session.
        name: SessionName,
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Make a second session that starts where the first is now.
    Fork {
        /// The session to start from.
        name: SessionName,
        /// What to call the new one.
        new: SessionName,
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Write a session into a file with which another machine goes on.
    Export {
        /// The session; s_… for one of a gateway.
        name: String,
        /// Where to write it; NAME.tide if nothing is said.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        place: Where,
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Make a session from a file, here or in a gateway.
    Import {
        /// What `session export` wrote.
        file: PathBuf,
        /// What to call it here; without a name it is given to the gateway.
        name: Option<SessionName>,
        #[command(flatten)]
        place: Where,
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Delete a session, its variables and its files.
    Delete {
        /// The session.
        name: SessionName,
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
}

/// Runs `tidegate session`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let store = config.store()?;
    match &arguments.action {
        Action::List { json } => list(&store, *json),
        Action::Show { name, json } => describe(&store, name, *json),
        Action::Fork { name, new, json } => {
            // Before there is anything to read in it.
            gatekeeper::inherits(config, &name.to_string(), &new.to_string())
                .map_err(Misuse::error)?;
            fork(&store, name, new, *json)
        }
        Action::Delete { name, json } => {
            delete(&store, name, *json)?;
            gatekeeper::forgets(config, &name.to_string()).map_err(Misuse::error)
        }
        Action::Export { name, output, place, json } => {
            let gateway = Gateway::new(place, *json)?;
            export(&store, &gateway, name, output.as_deref()).await
        }
        Action::Import { file, name, place, json } => {
            let gateway = Gateway::new(place, *json)?;
            import(config, &store, &gateway, file, name.as_ref()).await
        }
    }?;
    Ok(Ending::Success)
}

fn list(store: &Store, json: bool) -> anyhow::Result<()> {
    let entries = store.list()?;
    if json {
        let all: Vec<Value> = entries.iter().map(|entry| entry_json(store, entry)).collect();
        return out::line(Value::from(all)).context(show::LOST);
    }
    if entries.is_empty() {
        out::tell("there are no sessions yet; `tidegate run --session NAME -c CODE` starts one");
        return Ok(());
    }
    let mut table = show::table(["session", "size", "last run", "runs", "image", "level"]);
    for Entry { name, bytes, details } in &entries {
        let known = |show: fn(&Details) -> String| details.as_ref().map_or("?".to_owned(), show);
        table.add_row([
            name.to_string(),
            units::size(*bytes),
            known(|details| units::age(details.last_run)),
            known(|details| details.runs.to_string()),
            known(|details| details.image.clone()),
            known(|details| details.level.clone()),
        ]);
    }
    out::line(table.trim_fmt()).context(show::LOST)
}

fn describe(store: &Store, name: &SessionName, json: bool) -> anyhow::Result<()> {
    let entry = store.existing(name)?;
    let image = store.image(name)?;
    if json {
        return out::line(entry_json(store, &entry)).context(show::LOST);
    }
    let mut rows = vec![
        ("session", name.to_string()),
        ("file", store.file(name).display().to_string()),
        ("size", units::size(entry.bytes)),
    ];
    if let Some(image) = &image {
        rows.push(("unpacked", units::size(image.header().body_bytes)));
        rows.push(("base", image.header().base.to_string()));
        rows.push((
            "waiting",
            if image.header().waiting { "in an await" } else { "no" }.to_owned(),
        ));
    }
    if let Some(details) = &entry.details {
        rows.push(("image", details.image.clone()));
        rows.push(("runs", details.runs.to_string()));
        rows.push(("created", units::age(details.created)));
        rows.push(("last run", units::age(details.last_run)));
        rows.push(("level", details.level.clone()));
    }
    for (label, value) in rows {
        out::line(format_args!("{label:<9} {value}")).context(show::LOST)?;
    }
    Ok(())
}

fn fork(store: &Store, name: &SessionName, new: &SessionName, json: bool) -> anyhow::Result<()> {
    let entry = store.existing(name)?;
    let held =
        store.hold(new, || out::tell(format_args!("the session `{new}` is in use; waiting")))?;
    if store.entry(new)?.is_some() {
        return Err(Misuse::error(format!(
            "there is already a session `{new}`; choose another name, or `tidegate session delete {new}`"
        )));
    }
    let image = store.image(name)?.with_context(|| {
        format!(
            "the session `{name}` was deleted meanwhile; `tidegate session list` shows the others"
        )
    })?;
    let base = image.header().base;
    let details = entry.details.unwrap_or_else(|| Details::new("unknown".to_owned(), base));
    held.save(&image, &Details { created: units::now(), ..details })?;
    if json {
        return out::line(entry_json(store, &store.existing(new)?)).context(show::LOST);
    }
    out::line(format_args!("forked `{name}` to `{new}`")).context(show::LOST)
}

async fn export(
    store: &Store,
    gateway: &Gateway,
    name: &str,
    output: Option<&Path>,
) -> anyhow::Result<()> {
    let bytes = if name.parse::<SessionId>().is_ok() {
        gateway.bytes(Method::GET, &format!("/api/v1/sessions/{name}/export")).await?
    } else {
        let name: SessionName = name.parse().map_err(Misuse::error)?;
        store.existing(&name)?;
        let image = store.image(&name)?.context("the session was deleted meanwhile")?;
        image.as_bytes().to_vec()
    };
    let usual = PathBuf::from(format!("{name}.tide"));
    let file = output.unwrap_or(&usual);
    remote::written(file, &bytes)?;
    let told = json!({ "session": name, "file": file, "bytes": bytes.len() });
    let file = file.display();
    gateway.print(&told, |_| {
        vec![format!("wrote {file}; `tidegate session import {file} NAME` goes on with it")]
    })?;
    Ok(())
}

async fn import(
    config: &Config,
    store: &Store,
    gateway: &Gateway,
    file: &Path,
    name: Option<&SessionName>,
) -> anyhow::Result<()> {
    let bytes = remote::read(file)?;
    let Some(name) = name else {
        let answer = gateway.give("/api/v1/sessions/import", bytes).await?;
        let id = answer["id"].as_str().unwrap_or_default().to_owned();
        gateway.print(&answer, |_| vec![format!("the gateway goes on with it as {id}")])?;
        return Ok(());
    };
    let image = Image::decode(bytes).map_err(|error| {
        Misuse::error(format!(
            "{} is no session: {error}; `session export` writes one",
            file.display()
        ))
    })?;
    if image.header().waiting {
        return Err(Misuse::error(
            "a program waits in this session; only a gateway goes on with that".to_owned(),
        ));
    }
    let held =
        store.hold(name, || out::tell(format_args!("the session `{name}` is in use; waiting")))?;
    if store.entry(name)?.is_some() {
        return Err(Misuse::error(format!(
            "there is already a session `{name}`; choose another name, or `tidegate session delete {name}`"
        )));
    }
    // Before there is anything to read in it.
    gatekeeper::comes_from_anywhere(config, &name.to_string()).map_err(Misuse::error)?;
    held.save(&image, &Details::new("unknown".to_owned(), image.header().base))?;
    let entry = entry_json(store, &store.existing(name)?);
    gateway.print(&entry, |_| vec![format!("the session is here as `{name}`")])?;
    Ok(())
}

fn delete(store: &Store, name: &SessionName, json: bool) -> anyhow::Result<()> {
    // Looked for first, so that a wrong name leaves no lock file behind.
    store.existing(name)?;
    let held =
        store.hold(name, || out::tell(format_args!("the session `{name}` is in use; waiting")))?;
    let freed = held.delete()?;
    if json {
        return out::line(json!({ "deleted": name, "freed_bytes": freed })).context(show::LOST);
    }
    out::line(format_args!("deleted `{name}` ({})", units::size(freed))).context(show::LOST)
}

fn entry_json(store: &Store, entry: &Entry) -> Value {
    let Entry { name, bytes, details } = entry;
    json!({ "name": name, "file": store.file(name), "bytes": bytes, "details": details })
}
