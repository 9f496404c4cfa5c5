//! `tidegate skill`: functions that programs keep, and packs of them.

mod packing;
mod shown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use gateway::skillset::{Draft, Skillset, Workshop, scope_of};
use gateway::{Behalf, Checks, Nursery, Tools};
use skills::{Kept, Key, Name, Reader, Scope};

use super::run::read_program;
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::{out, show};

/// The largest file of examples that is read.
const MOST_EXAMPLES: u64 = 4 << 20;

/// Options of `tidegate skill`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the skills there are, or find some by a few words.
    List {
        /// What they do.
        words: Vec<String>,
        /// Print one JSON array instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Show a skill with its source, tools and examples.
    Show {
        /// Its name; `NAME_v1` is its first version.
        name: String,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Save a function as a skill, once its examples have run.
    Save {
        /// What programs import.
        name: String,
        /// The source that defines a function of that name: a file, or `-` for standard input.
        file: PathBuf,
        /// What it does; the function's own words if nothing is said.
        #[arg(long)]
        description: Option<String>,
        /// A JSON array of examples: objects with `arguments`, and perhaps `expect` and `results`.
        #[arg(long, value_name = "FILE")]
        examples: Option<PathBuf>,
        #[command(flatten)]
        scope: ScopeOption,
    },
    /// Run the examples of skills again; exit code 1 if one fails.
    Test {
        /// Which; all if nothing is said.
        names: Vec<String>,
    },
    /// Take a skill away, with all its versions.
    Remove {
        /// Its name.
        name: String,
        #[command(flatten)]
        scope: ScopeOption,
    },
    /// Write skills to a folder, or to an archive that ends in .zip, as a signed pack.
    Export(packing::Export),
    /// Put skills into an index, as a signed pack that others install.
    Publish(packing::Publish),
    /// List the packs of an index.
    Packs {
        /// A folder or address; those of the configuration if nothing is said.
        source: Option<String>,
    },
    /// Install a pack from a folder, an archive or an index, after showing what it wants.
    #[command(visible_alias = "import")]
    Install(packing::Install),
    /// Print the public key that signs what is exported and published here.
    Key,
}

/// Whose skill it is.
#[derive(Debug, Args)]
struct ScopeOption {
    /// Who sees it: own, team:NAME or global.
    #[arg(long, default_value = "own")]
    scope: String,
}

impl ScopeOption {
    /// Whoever is on this machine looks after the skills of everybody.
    fn scope(&self) -> anyhow::Result<Scope> {
        scope_of(&self.scope, &reader(), true).map_err(Misuse::error)
    }
}

/// Whoever is on this machine.
fn reader() -> Reader {
    Behalf::default().reader()
}

/// The skills, and what they may call.
struct Bench {
    tools: Arc<Tools>,
    skillset: Arc<Skillset>,
}

impl Bench {
    async fn open(config: &Config) -> anyhow::Result<Self> {
        let options = config.upstream_options()?;
        let tools = crate::tools::open_all(config, &[], options).await?;
        let skillset = tools.skillset().cloned();
        let skillset = skillset.context("skills need a data folder; set TIDEGATE_DATA")?;
        Ok(Self { tools, skillset })
    }

    fn find(&self, name: &str) -> anyhow::Result<Kept> {
        let misuse = |error: &dyn std::fmt::Display| Misuse::error(error.to_string());
        let (name, version) = Name::with_version(name).map_err(|error| misuse(&error))?;
        let store = self.skillset.store();
        // Of a team's skills the name is enough here.
        let found = store.find(&self.everybody(), &name, version);
        found.map_err(|error| misuse(&error))
    }

    /// Whoever looks after this machine sees the skills of every team.
    fn everybody(&self) -> Reader {
        let teams: BTreeSet<String> = self.skillset.store().teams().into_iter().collect();
        Reader { teams: teams.into_iter().collect(), ..reader() }
    }

    /// Where skills are tried.
    async fn workshop(&self, config: &Config) -> anyhow::Result<Workshop> {
        let engine = crate::runtime::engine(config).await?;
        let checks = config.checks()?;
        let nursery = Nursery {
            engine,
            others: crate::runtime::engines(config),
            reviews: checks.clone().unwrap_or_else(Checks::new),
            checks,
            reviewing: config.reviewing()?,
            rests: None,
        };
        let level = engine::Level::default();
        let limits = config.limits_of(level)?;
        let teams = self.everybody().teams;
        let behalf = Behalf { teams, ..Behalf::local(level) };
        let workshop = Workshop::new(nursery, &self.tools, behalf, limits);
        workshop.context("skills need a data folder; set TIDEGATE_DATA")
    }

    async fn close(self) {
        self.tools.close().await;
    }
}

/// Runs `tidegate skill`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let bench = Bench::open(config).await?;
    let ended = act(config, &bench, arguments.action).await;
    bench.close().await;
    ended
}

async fn act(config: &Config, bench: &Bench, action: Action) -> anyhow::Result<Ending> {
    match action {
        Action::List { words, json } => shown::list(bench, &words.join(" "), json),
        Action::Show { name, json } => shown::one(bench, &name, json),
        Action::Save { name, file, description, examples, scope } => {
            let examples = examples.as_deref().map(read_examples).transpose()?;
            let draft = Draft {
                name,
                source: read_program(&file)?,
                description,
                examples: examples.unwrap_or_default(),
                scope: None,
            };
            save(config, bench, draft, scope.scope()?).await
        }
        Action::Test { names } => test(config, bench, &names).await,
        Action::Remove { name, scope } => {
            let name = Name::new(&name).map_err(|error| Misuse::error(error.to_string()))?;
            let removed = bench.skillset.store().remove(&scope.scope()?, &name);
            removed.map_err(|error| Misuse::error(error.to_string()))?;
            out::tell(format_args!("removed {name}"));
            Ok(Ending::Success)
        }
        Action::Export(export) => packing::export(config, bench, &export),
        Action::Publish(publish) => packing::publish(config, bench, &publish),
        Action::Packs { source } => packing::packs(config, source.as_deref()).await,
        Action::Install(install) => packing::install(config, bench, &install).await,
        Action::Key => {
            let key: Key = packing::signer(config)?.key();
            out::line(key).context(show::LOST)?;
            Ok(Ending::Success)
        }
    }
}

async fn save(
    config: &Config,
    bench: &Bench,
    draft: Draft,
    scope: Scope,
) -> anyhow::Result<Ending> {
    let workshop = bench.workshop(config).await?;
    match workshop.save(draft, scope).await {
        Ok(kept) => {
            let (name, version) = (&kept.skill.name, kept.skill.version);
            out::tell(format_args!(
                "saved {name}, version {version}; its examples passed: {}",
                kept.skill.examples.len()
            ));
            Ok(Ending::Success)
        }
        Err(error) => {
            out::problem(&anyhow::anyhow!(out::clean(&error.to_string()).to_string()));
            Ok(Ending::Raised)
        }
    }
}

async fn test(config: &Config, bench: &Bench, names: &[String]) -> anyhow::Result<Ending> {
    let chosen: Vec<Kept> = if names.is_empty() {
        bench.skillset.store().visible(&bench.everybody())
    } else {
        names.iter().map(|name| bench.find(name)).collect::<anyhow::Result<_>>()?
    };
    // What they call is compared with what it was.
    bench.tools.know_all().await;
    let mut ending = Ending::Success;
    for kept in &chosen {
        // Each has the limits of a program for itself.
        let workshop = bench.workshop(config).await?;
        let tested = workshop.test_now(kept, true).await?;
        let name = &kept.skill.name;
        let line = match (&tested.failure, &tested.stale) {
            (Some((number, problem)), why) => {
                ending = Ending::Raised;
                let told = match (number, why) {
                    (0, _) => problem.clone(),
                    (_, Some(why)) => format!("{why}: it {problem}"),
                    (number, None) => format!("example {number} {problem}"),
                };
                format!("{name}: failed: {}", out::clean(&told))
            }
            (_, Some(why)) => format!("{name}: stale: {}", out::clean(why)),
            _ => format!("{name}: passed, examples: {}", tested.examples),
        };
        out::line(line).context(show::LOST)?;
    }
    Ok(ending)
}

fn read_examples(file: &Path) -> anyhow::Result<Vec<skills::Example>> {
    use std::io::Read as _;
    let mut text = String::new();
    let read = std::fs::File::open(file)
        .and_then(|opened| opened.take(MOST_EXAMPLES).read_to_string(&mut text));
    read.with_context(|| format!("could not read {}", file.display()))?;
    let problem = |error: serde_json::Error| {
        Misuse::error(format!("{} is no array of examples: {error}", file.display()))
    };
    serde_json::from_str(&text).map_err(problem)
}
