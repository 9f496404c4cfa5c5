//! Who is asked about calls where there is no service: whoever sits at the terminal, or nobody.
//!
//! What rules have to remember lies in two small files beside the sessions: what each session has read, and
//! how many calls were made today.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use gateway::Tools;
use gateway::judge::{Clerk, NoClerk, Wish};
use policy::{Decision, Glob};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::{ask, out};

/// What every command that lets programs call tools takes.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ApproveOptions {
    /// Approve calls that rules want somebody asked about, as server.tool with `*`.
    #[arg(long = "approve", value_name = "TOOLS", value_delimiter = ',')]
    tools: Vec<String>,
}

impl ApproveOptions {
    /// As if this tool had been named with `--approve`.
    pub(crate) fn only(server: &str, tool: &str) -> Self {
        Self { tools: vec![format!("{server}.{tool}")] }
    }
}

/// Sees to it that somebody is asked where rules say so.
pub(crate) fn employ(
    config: &Config,
    tools: &Tools,
    options: &ApproveOptions,
    is_interactive: bool,
) {
    let folder = config.data().ok().map(|data| data.join("rules"));
    let approved = options.tools.iter().map(Glob::new).collect();
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let clerk = Terminal {
        approved,
        asks: is_interactive && terminal,
        asking: Mutex::default(),
        files: Files { folder },
    };
    tools.judge().employ(Arc::new(clerk));
}

struct Terminal {
    approved: Vec<Glob>,
    asks: bool,
    /// One question at a time.
    asking: Mutex<()>,
    files: Files,
}

#[async_trait]
impl Clerk for Terminal {
    async fn ask(&self, wish: &Wish<'_>, decision: &Decision) -> Result<(), String> {
        let name = wish.name();
        if self.approved.iter().any(|glob| glob.matches(&name)) {
            return Ok(());
        }
        if !self.asks {
            return NoClerk.ask(wish, decision).await;
        }
        let arguments = serde_json::to_string(wish.shown).unwrap_or_default();
        let question = format!(
            "the program wants to call {} with {}: {} ({}). Let it?",
            out::clean(&name),
            out::clean(&whole(&arguments)),
            out::clean(&decision.reason),
            out::clean(&decision.rule)
        );
        let _one_at_a_time = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = tokio::task::block_in_place(|| ask::yes_or_no(&question, false));
        match answer {
            Ok(Some(true)) => Ok(()),
            Ok(_) => Err("whoever sits at the terminal said no".to_owned()),
            Err(error) => Err(format!("nobody could be asked: {error:#}")),
        }
    }

    async fn labels(&self, session: &str) -> Result<BTreeSet<String>, String> {
        if session.is_empty() {
            return Ok(BTreeSet::new());
        }
        Ok(self.files.read::<Labels>(LABELS)?.remove(session).unwrap_or_default())
    }

    async fn label(&self, session: &str, tool: &str) -> Result<(), String> {
        if session.is_empty() {
            return Ok(());
        }
        let mut all: Labels = self.files.read(LABELS)?;
        all.entry(session.to_owned()).or_default().insert(tool.to_owned());
        self.files.write(LABELS, &all)
    }

    async fn counted(&self, rule: &str, owner: &str, day: u64) -> Result<u64, String> {
        let all: Vec<Counted> = self.files.read(COUNTS)?;
        let same = |one: &&Counted| one.rule == rule && one.owner == owner && one.day == day;
        Ok(all.iter().find(same).map_or(0, |one| one.count))
    }

    async fn count(&self, rule: &str, owner: &str, day: u64, count: u64) -> Result<(), String> {
        let mut all: Vec<Counted> = self.files.read(COUNTS)?;
        all.retain(|one| one.day == day && !(one.rule == rule && one.owner == owner));
        let (rule, owner) = (rule.to_owned(), owner.to_owned());
        all.push(Counted { rule, owner, day, count });
        self.files.write(COUNTS, &all)
    }

    fn decided(&self, _: &Wish<'_>, _: &Decision) {}
}

/// Letters of arguments that are shown.
const MOST_LETTERS: usize = 4_000;

/// Arguments as they are, or how much of them is not shown.
fn whole(arguments: &str) -> String {
    let count = arguments.chars().count();
    if count <= MOST_LETTERS {
        return arguments.to_owned();
    }
    let cut: String = arguments.chars().take(MOST_LETTERS).collect();
    format!("{cut}... ({} more letters)", count - MOST_LETTERS)
}

const LABELS: &str = "labels.json";
const COUNTS: &str = "counts.json";

type Labels = BTreeMap<String, BTreeSet<String>>;

#[derive(Serialize, Deserialize)]
struct Counted {
    rule: String,
    owner: String,
    day: u64,
    count: u64,
}

/// What a fork of a session has read is what the session had.
pub(crate) fn inherits(config: &Config, from: &str, to: &str) -> Result<(), String> {
    let files = Files { folder: config.data().ok().map(|data| data.join("rules")) };
    let mut all: Labels = files.read(LABELS)?;
    match all.get(from).cloned() {
        None => Ok(()),
        Some(labels) => {
            // There may be a session of that name, which then is no fork and keeps its own.
            all.entry(to.to_owned()).or_default().extend(labels);
            files.write(LABELS, &all)
        }
    }
}

/// A session was brought from elsewhere, and may have read everything.
pub(crate) fn comes_from_anywhere(config: &Config, session: &str) -> Result<(), String> {
    let files = Files { folder: config.data().ok().map(|data| data.join("rules")) };
    let mut all: Labels = files.read(LABELS)?;
    all.insert(session.to_owned(), BTreeSet::from([policy::ANYWHERE.to_owned()]));
    files.write(LABELS, &all)
}

/// A session is no more.
pub(crate) fn forgets(config: &Config, session: &str) -> Result<(), String> {
    let files = Files { folder: config.data().ok().map(|data| data.join("rules")) };
    let mut all: Labels = files.read(LABELS)?;
    if all.remove(session).is_some() { files.write(LABELS, &all) } else { Ok(()) }
}

struct Files {
    folder: Option<PathBuf>,
}

impl Files {
    fn read<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, String> {
        let Some(folder) = &self.folder else { return Ok(T::default()) };
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| problem(&path, &error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(problem(&path, &error)),
        }
    }

    fn write(&self, name: &str, what: &impl Serialize) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let path = folder.join(name);
        let aside = folder.join(format!("{name}.{}", std::process::id()));
        let bytes = serde_json::to_vec(what).map_err(|error| problem(&path, &error))?;
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&aside, bytes))
            .and_then(|()| std::fs::rename(&aside, &path));
        written.map_err(|error| problem(&path, &error))
    }
}

fn problem(path: &Path, error: &dyn std::error::Error) -> String {
    format!("{}: {error}", path.display())
}
