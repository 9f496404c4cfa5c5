//! `tidegate approvals`: what waits for somebody's answer, and the answer.
//!
//! It works on what gateways of this machine keep, so that it needs none of them to answer a request: whoever
//! may write there is whoever runs them.

use std::path::PathBuf;

use anyhow::Context as _;
use audit::{Entry, Kind, Outcome};
use clap::{Args, Subcommand};
use gateway::service::Moment;
use gateway::service::approvals::{Answer, Answered, Approvals, Group, Item};
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
    /// Only these calls, by the numbers that `list` shows, which stay the same, or by their ids.
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
        print(group, Cut::Short)?;
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
            // What is answered is what is shown, and nothing that came meanwhile.
            shown_whole(&groups, &items)?;
            let question = match items.len() {
                1 => "approve this call?".to_owned(),
                count => format!("approve these {count} calls?"),
            };
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
        note(config, &groups, &given, &answered);
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

/// The ids of the calls that are meant, by their numbers or ids.
fn chosen(groups: &[Group], which: &Which) -> anyhow::Result<Vec<String>> {
    let of_tool = |group: &&Group| which.tool.as_ref().is_none_or(|tool| *tool == group.tool);
    let all: Vec<&Item> = groups.iter().filter(of_tool).flat_map(|group| &group.items).collect();
    if all.is_empty() {
        return Err(Misuse::error("no call of that tool waits"));
    }
    if which.items.is_empty() {
        return Ok(all.into_iter().map(|item| item.id.clone()).collect());
    }
    let one = |given: &String| {
        let number = given.parse::<u64>().ok().filter(|number| *number > 0);
        let found = all.iter().find(|item| item.id == *given || Some(item.number) == number);
        found.map(|item| item.id.clone()).ok_or_else(|| {
            Misuse::error(format!(
                "no call {given:?} of this run waits; it may have been answered, see `tidegate approvals`"
            ))
        })
    };
    which.items.iter().map(one).collect()
}

/// Shows the calls that are about to be approved, and no others, with all of their arguments.
fn shown_whole(groups: &[Group], items: &[String]) -> anyhow::Result<()> {
    for group in groups {
        let mut group = group.clone();
        group.items.retain(|item| items.contains(&item.id));
        if !group.items.is_empty() {
            print(&group, Cut::Not)?;
        }
    }
    Ok(())
}

/// How much of the arguments is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// What fits into a line.
    Short,
    /// All of it.
    Not,
}

fn print(group: &Group, cut: Cut) -> anyhow::Result<()> {
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
    let done: Vec<String> =
        group.done.iter().map(|(tool, count)| format!("{count} x {tool}")).collect();
    let done = if done.is_empty() { "nothing".to_owned() } else { done.join(", ") };
    line(format!("  done so far: {done}"))?;
    if cut == Cut::Not {
        for item in &group.items {
            line(format!("  {} {}", number(item), item.arguments))?;
        }
        return Ok(());
    }
    let mut columns: Vec<&String> = Vec::new();
    let fields = group.items.iter().filter_map(|item| item.arguments.as_object());
    for name in fields.flat_map(serde_json::Map::keys) {
        if !columns.contains(&name) && columns.len() < MOST_COLUMNS {
            columns.push(name);
        }
    }
    let head = std::iter::once("#".to_owned()).chain(columns.iter().map(|name| shown(name)));
    let mut table = show::table(head.collect::<Vec<_>>());
    for item in &group.items {
        let cells = columns.iter().map(|name| match item.arguments.get(name.as_str()) {
            None => String::new(),
            Some(Value::String(text)) => shown(text),
            Some(value) => shown(&value.to_string()),
        });
        table.add_row(std::iter::once(number(item)).chain(cells).collect::<Vec<_>>());
    }
    out::line(format_args!("{}\n", table.trim_fmt())).context(show::LOST)
}

/// What a call is called where it is answered.
fn number(item: &Item) -> String {
    if item.number == 0 { item.id.clone() } else { item.number.to_string() }
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(MOST_LETTERS).collect();
    let more = if cut.len() < text.len() { "..." } else { "" };
    // A cell is one line: what breaks it could be taken for another call.
    let one_line = |letter: char| matches!(letter, '\n' | '\u{2028}' | '\u{2029}');
    out::clean(&format!("{cut}{more}")).replace(one_line, "\u{2424}").replace('\t', " ")
}

/// Writes down who answered. What it means for each call is written down where that goes on, or does not.
fn note(config: &Config, groups: &[Group], answer: &Answer, answered: &Answered) {
    let Some(first) = groups.first() else { return };
    for (tool, count) in &answered.calls {
        crate::service::note(
            config,
            Entry {
                owner: first.owner.clone(),
                session: first.session.clone(),
                run: first.run.clone(),
                subject: tool.clone(),
                outcome: Some(Outcome::Answered),
                details: json!({
                    "by": answer.by,
                    "approves": answer.approves,
                    "calls": count,
                    "reason": answer.reason,
                    "remembered": answer.pattern,
                }),
                ..Entry::new(Kind::Approval)
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(number: u64) -> Item {
        let arguments = json!({ "key": number });
        Item { id: format!("a_{number}"), number, arguments, asked_at: Moment(0) }
    }

    fn group(tool: &str, numbers: &[u64]) -> Group {
        Group {
            run: "r".into(),
            session: "s".into(),
            owner: "ann".into(),
            tool: tool.into(),
            rule: "rule 1".into(),
            reason: "why".into(),
            grounds: Vec::new(),
            asked_at: Moment(0),
            expires_at: Moment(0),
            items: numbers.iter().map(|number| item(*number)).collect(),
            done: std::collections::BTreeMap::new(),
        }
    }

    fn ids(groups: &[Group], items: &[&str]) -> Option<Vec<String>> {
        let items = items.iter().map(|one| (*one).to_owned()).collect();
        let which = Which { run: "r".into(), items, tool: None, reason: None };
        chosen(groups, &which).ok()
    }

    #[test]
    fn a_cell_is_one_line_whatever_a_program_writes() {
        assert_eq!(shown("x\n1 x a.b\u{2028}\tok\u{202e}"), "x\u{2424}1 x a.b\u{2424} ok\u{fffd}");
    }

    #[test]
    fn a_number_means_one_call_whatever_else_waits() {
        let before = [group("a.b", &[1, 3]), group("c.d", &[2, 4])];
        assert_eq!(ids(&before, &["2", "3"]), Some(vec!["a_2".into(), "a_3".into()]));
        // The first was answered meanwhile, and another one asked.
        let after = [group("a.b", &[3, 5]), group("c.d", &[2, 4])];
        assert_eq!(ids(&after, &["3"]), Some(vec!["a_3".into()]));
        assert_eq!(ids(&after, &["1"]), None);
        assert_eq!(ids(&after, &["a_5"]), Some(vec!["a_5".into()]));
        assert_eq!(ids(&after, &["0"]), None);
    }
}
