//! `tidegate import`: takes over the servers of other MCP clients.
//!
//! Nothing is written before the user has seen what was found and agreed. The other clients'
//! files are only read.

mod plan;

use std::path::Path;

use anyhow::Context as _;
use clap::{Args, ValueEnum as _};

use self::plan::{Plan, Row, State};
use crate::config::Config;
use crate::config::edit::Editor;
use crate::config::mcp_json::{self, Client, Found, Origin};
use crate::config::places::Places;
use crate::config::shown;
use crate::exit::{Ending, Misuse};
use crate::out::{self, DIM, HINT};
use crate::{ask, show};

/// Options of `tidegate import`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Arguments {
    /// Only this client, or this file: claude-code, claude-desktop, cursor, vscode, windsurf, zed, codex, gemini.
    #[arg(long, value_name = "CLIENT|FILE")]
    from: Vec<String>,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Add what is new without asking.
    #[arg(long, short)]
    yes: bool,
    /// Replace servers of the same name that differ.
    #[arg(long)]
    replace: bool,
    /// Write to the project's tidegate.toml instead of your own.
    #[arg(long)]
    project: bool,
}

/// Runs `tidegate import`.
pub(crate) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let places = config.places();
    let found = gather(places, &arguments.from)?;
    let editor = Editor::open(config.file_to_write(arguments.project)?)?;
    let plan = Plan::new(found.servers, &editor.servers()?);
    print(places, &plan, &found.unusable).context(show::LOST)?;
    if plan.rows.is_empty() {
        if found.unusable.is_empty() {
            let clients = Client::ALL.map(Client::label).join(", ");
            out::tell(format_args!(
                "nothing to import was found (looked for {clients}); --from FILE names a file"
            ));
        }
        return Ok(Ending::Success);
    }
    let Some(chosen) = choose(&plan, arguments)? else {
        return Err(Misuse::error(
            "nobody answered, so nothing was changed; --yes adds what is new without asking",
        ));
    };
    if chosen.is_empty() {
        let why = if arguments.dry_run { "a dry run" } else { "nothing to add" };
        out::tell(format_args!("{why}: {} is as it was", places.short(editor.path())));
        return Ok(Ending::Success);
    }
    write(places, editor, &chosen)?;
    Ok(Ending::Success)
}

fn gather(places: &Places, from: &[String]) -> anyhow::Result<Found> {
    let mut all = Found::default();
    let named = |text: &String| Client::from_str(text, true).ok();
    let clients = if from.is_empty() {
        Client::ALL.to_vec()
    } else {
        from.iter().filter_map(named).collect()
    };
    for client in clients {
        let (found, problems) = mcp_json::find(places, client);
        all.take(found);
        for problem in problems {
            out::warn(format_args!("{}: {problem}; passed over", client.label()));
        }
    }
    for file in from.iter().filter(|text| named(text).is_none()) {
        let path = std::path::absolute(Path::new(file)).unwrap_or_else(|_| file.into());
        if !path.exists() {
            let clients: Vec<String> = Client::value_variants()
                .iter()
                .filter_map(|client| Some(client.to_possible_value()?.get_name().to_owned()))
                .collect();
            return Err(Misuse::error(format!(
                "--from {file:?} is neither a file nor one of {}",
                clients.join(", ")
            )));
        }
        let found = mcp_json::read(places, None, &path)
            .map_err(|error| Misuse::error(error.to_string()))?;
        all.take(found);
    }
    all.tell_apart();
    Ok(all)
}

/// The rows to write; none of them on a dry run. `None` when nobody answered.
fn choose<'a>(plan: &'a Plan, arguments: &Arguments) -> anyhow::Result<Option<Vec<&'a Row>>> {
    if arguments.dry_run {
        return Ok(Some(Vec::new()));
    }
    let mut chosen: Vec<&Row> = Vec::new();
    let new: Vec<&Row> = plan.of(State::New).collect();
    if !new.is_empty() {
        let agreed = if arguments.yes {
            Some(true)
        } else {
            ask::yes_or_no(&format!("add {}?", servers(new.len())), true)?
        };
        match agreed {
            Some(true) => chosen.extend(new),
            Some(false) => {}
            None => return Ok(None),
        }
    }
    let differing: Vec<&Row> = plan.of(State::Differs).collect();
    if !differing.is_empty() {
        let agreed = match (arguments.replace, arguments.yes) {
            (true, true) => Some(true),
            (false, true) => Some(false),
            _ => {
                let question =
                    format!("replace {} that differ in tidegate.toml?", servers(differing.len()));
                ask::yes_or_no(&question, arguments.replace)?
            }
        };
        match agreed {
            Some(true) => chosen.extend(differing),
            Some(false) => {}
            None => return Ok(None),
        }
    }
    Ok(Some(chosen))
}

fn write(places: &Places, mut editor: Editor, chosen: &[&Row]) -> anyhow::Result<()> {
    let backup = editor.back_up()?;
    for row in chosen {
        editor.put(&row.server.name, &row.server.section)?;
    }
    let file = places.short(editor.path());
    editor.save()?;
    out::line(format_args!("wrote {} to {file}", servers(chosen.len()))).context(show::LOST)?;
    if let Some(backup) = backup {
        out::tell(format_args!("as it was before: {}", places.short(&backup)));
    }
    for row in chosen {
        shown::warn_of_plain_secrets(&row.server.name.0, &row.server.section);
    }
    out::tell("`tidegate list` shows them, `tidegate test NAME` connects to one");
    Ok(())
}

fn print(places: &Places, plan: &Plan, unusable: &[mcp_json::Unusable]) -> std::io::Result<()> {
    if !plan.rows.is_empty() {
        let mut table = show::table(["server", "", "command or address", "from"]);
        for row in &plan.rows {
            let state = match (row.state, row.server.section.is_enabled()) {
                (State::New, false) => "new, off",
                (state, _) => state.word(),
            };
            let place = shown::place(&row.server.section);
            let from: Vec<String> = row.origins.iter().map(|origin| told(places, origin)).collect();
            table.add_row([
                row.server.name.0.clone(),
                state.to_owned(),
                out::clean(&place).into_owned(),
                from.join(", "),
            ]);
        }
        out::line(table.trim_fmt())?;
    }
    for row in &plan.rows {
        for note in &row.server.notes {
            out::tell(format_args!(
                "{HINT}note:{HINT:#} `{}`: {}",
                row.server.name,
                out::clean(note)
            ));
        }
    }
    for entry in unusable {
        let from = told(places, &entry.origin);
        let called = out::clean(&entry.called).into_owned();
        out::tell(format_args!(
            "{DIM}left out:{DIM:#} {called:?} from {from}: {}",
            out::clean(&entry.reason)
        ));
    }
    Ok(())
}

fn told(places: &Places, origin: &Origin) -> String {
    let file = places.short(&origin.file);
    match origin.client {
        Some(client) => format!("{} ({file})", client.label()),
        None => file,
    }
}

fn servers(count: usize) -> String {
    match count {
        1 => "1 server".to_owned(),
        count => format!("{count} servers"),
    }
}
