//! `tidegate approvals`: what waits for somebody's answer, and the answer.
//!
//! It works on what gateways of this machine keep, so that it needs none of them to answer a request: whoever
//! may write there is whoever runs them.

use std::path::PathBuf;

use anyhow::Context as _;
use audit::{Entry, Kind, Outcome};
use clap::{Args, Subcommand};
use gateway::service::Moment;
use gateway::service::approvals::{Answer, Approvals, Group};
use serde_json::{Value, json};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::{ask, out, show, units};

/// Columns and letters of arguments that are shown.
const MOST_COLUMNS: usize = 6;
const MOST_LETTERS: usize = 60;

/// Options of `tidegate approvals`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List what waits.
    List,
    /// Let calls of a run be made.
    Approve {
        #[command(flatten)]
        which: Which,
        /// Later calls of the session to the same tools need no approval.
        #[arg(long)]
        session: bool,
        /// The same, as long as this holds of their arguments, such as `repo == "acme/site"`.
        #[arg(long, value_name = "CONDITION")]
        when: Vec<String>,
        /// Do not ask again.
        #[arg(short, long)]
        yes: bool,
    },
    /// Let calls of a run not be made; its program is told.
    Deny {
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Debug, Args)]
struct Which {
    /// The run that waits.
    run: String,
    /// Only these calls, by the numbers or ids that `list` shows.
    #[arg(long, value_delimiter = ',')]
    items: Vec<String>,
    /// Only calls of this tool, as SERVER.TOOL.
    #[arg(long)]
    tool: Option<String>,
    /// Why, for the program and the audit log.
    #[arg(long)]
    reason: Option<String>,
}

/// Runs `tidegate approvals`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let json = arguments.json;
    match &arguments.action {
        None | Some(Action::List) => list(config, json).await,
        Some(Action::Approve { which, session, when, yes }) => {
            let pattern = (*session || !when.is_empty()).then(|| when.clone());
            answer(config, which, true, pattern, *yes || json, json).await
        }
        Some(Action::Deny { which }) => answer(config, which, false, None, true, json).await,
    }
}

/// What gateways keep questions in.
fn folders(config: &Config) -> anyhow::Result<Vec<PathBuf>> {
    let data = config.data()?;
    let entries = std::fs::read_dir(&data).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name == "service" || name == "mcp" || name.starts_with("mcp-")
        })
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    Ok(folders)
}

async fn list(config: &Config, json: bool) -> anyhow::Result<Ending> {
    let mut all = Vec::new();
    for folder in folders(config)? {
        if let Some(approvals) = Approvals::of_folder(&folder).await? {
            all.extend(approvals.waiting(None, None).await?);
        }
    }
    if json {
        let text = serde_json::to_string(&all).context("could not write what waits as JSON")?;
        out::line(text).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    if all.is_empty() {
        out::tell("nothing waits for an approval");
    }
    for group in &all {
        print(group)?;
    }
    Ok(Ending::Success)
}

async fn answer(
    config: &Config,
    which: &Which,
    approves: bool,
    pattern: Option<Vec<String>>,
    yes: bool,
    json: bool,
) -> anyhow::Result<Ending> {
    for folder in folders(config)? {
        let Some(approvals) = Approvals::of_folder(&folder).await? else { continue };
        let groups = approvals.waiting(Some(&which.run), None).await?;
        if groups.is_empty() {
            continue;
        }
        let items = chosen(&groups, which)?;
        if !yes {
            groups.iter().try_for_each(print)?;
            let question = format!("approve {} of these calls?", items.len());
            if ask::yes_or_no(&question, false)? != Some(true) {
                out::tell("nothing was answered");
                return Ok(Ending::Success);
            }
        }
        let by = "the user of this machine".to_owned();
        let (tool, reason) = (which.tool.clone(), which.reason.clone());
        let given = Answer { approves, items: Some(items), tool, pattern, reason, by };
        let answered = approvals.answer(&which.run, &given).await;
        let answered = answered.map_err(|error| Misuse::error(error.to_string()))?;
        note(config, &groups, &given);
        if json {
            let text = serde_json::to_string(&answered).context("could not write JSON")?;
            out::line(text).context(show::LOST)?;
            return Ok(Ending::Success);
        }
        let word = if approves { "approved" } else { "denied" };
        for (tool, count) in &answered.calls {
            out::tell(format_args!("{word} {count} x {}", out::clean(tool)));
        }
        if answered.left > 0 {
            out::tell(format_args!("{} calls of this run still wait", answered.left));
        }
        return Ok(Ending::Success);
    }
    Err(Misuse::error(format!(
        "no call of a run {:?} waits for an approval; `tidegate approvals` lists what does",
        which.run
    )))
}

/// Items by their numbers, counted over what is listed, or by their ids.
fn chosen(groups: &[Group], which: &Which) -> anyhow::Result<Vec<String>> {
    let of_tool = |group: &&Group| which.tool.as_ref().is_none_or(|tool| *tool == group.tool);
    let all: Vec<&String> =
        groups.iter().filter(of_tool).flat_map(|group| &group.items).map(|item| &item.id).collect();
    if all.is_empty() {
        return Err(Misuse::error("no call of that tool waits"));
    }
    if which.items.is_empty() {
        return Ok(all.into_iter().cloned().collect());
    }
    let one = |given: &String| {
        let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let found = match number {
            Some(at) => all.get(at).copied(),
            None => all.iter().copied().find(|id| *id == given),
        };
        found.cloned().ok_or_else(|| {
            let count = all.len();
            Misuse::error(format!("there is no call {given:?}; there are 1 to {count}"))
        })
    };
    which.items.iter().map(one).collect()
}

fn print(group: &Group) -> anyhow::Result<()> {
    let line = |text: String| out::line(out::clean(&text)).context(show::LOST);
    line(format!("{}  {} x {}", group.run, group.items.len(), group.tool))?;
    line(format!("  of {}: {} ({})", group.owner, group.reason, group.rule))?;
    let left = u64::try_from(group.expires_at.0 - Moment::now().0).unwrap_or_default();
    let (asked, left) = (group.asked_at.elapsed(), std::time::Duration::from_millis(left));
    line(format!(
        "  asked {} ago, can be answered for {}",
        units::duration(asked),
        units::duration(left)
    ))?;
    let mut columns: Vec<&String> = Vec::new();
    let fields = group.items.iter().filter_map(|item| item.arguments.as_object());
    for name in fields.flat_map(serde_json::Map::keys) {
        if !columns.contains(&name) && columns.len() < MOST_COLUMNS {
            columns.push(name);
        }
    }
    let head = std::iter::once("#".to_owned()).chain(columns.iter().map(|name| shown(name)));
    let mut table = show::table(head.collect::<Vec<_>>());
    for (at, item) in group.items.iter().enumerate() {
        let cells = columns.iter().map(|name| match item.arguments.get(name.as_str()) {
            None => String::new(),
            Some(Value::String(text)) => shown(text),
            Some(value) => shown(&value.to_string()),
        });
        table.add_row(std::iter::once((at + 1).to_string()).chain(cells).collect::<Vec<_>>());
    }
    out::line(format_args!("{}\n", table.trim_fmt())).context(show::LOST)
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(MOST_LETTERS).collect();
    let more = if cut.len() < text.len() { "..." } else { "" };
    out::clean(&format!("{cut}{more}")).to_string()
}

/// Writes down who answered.
fn note(config: &Config, groups: &[Group], answer: &Answer) {
    let Some(first) = groups.first() else { return };
    let outcome = if answer.approves { Outcome::Given } else { Outcome::Refused };
    crate::service::note(
        config,
        Entry {
            owner: first.owner.clone(),
            session: first.session.clone(),
            run: first.run.clone(),
            subject: answer.tool.clone().unwrap_or_else(|| first.tool.clone()),
            outcome: Some(outcome),
            details: json!({
                "by": answer.by,
                "calls": answer.items.as_ref().map(Vec::len),
                "reason": answer.reason,
                "remembered": answer.pattern,
            }),
            ..Entry::new(Kind::Approval)
        },
    );
}
