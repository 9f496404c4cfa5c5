//! Packs of skills: written, published in an index, and installed from one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use engine::Program;
use gateway::Checks;
use gateway::skillset::{SkillView, fetch, index_of, install as keep};
use skills::{Index, Key, Name, Pack, Scope, Signer, Skill, Trust};

use super::{Bench, ScopeOption};
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::out::{self, HINT, TITLE};
use crate::{ask, show};

/// The pack that comes with this program.
const STARTER: &str = "starter";
/// The file of the key that signs.
const KEY: &str = "skills.key";

/// What a pack is called.
#[derive(Debug, Args)]
struct Naming {
    /// The skills, such as `high_spenders`.
    #[arg(required = true)]
    names: Vec<String>,
    /// What the pack is called; as its only skill if nothing is said.
    #[arg(long, value_name = "NAME")]
    pack: Option<String>,
    /// Which edition this is.
    #[arg(long, default_value = "1.0.0")]
    edition: String,
    /// What the pack is for; what its first skill does if nothing is said.
    #[arg(long)]
    description: Option<String>,
}

/// Options of `tidegate skill export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(flatten)]
    naming: Naming,
    /// A folder, or an archive that ends in .zip.
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
}

/// Options of `tidegate skill publish`.
#[derive(Debug, Args)]
pub(super) struct Publish {
    #[command(flatten)]
    naming: Naming,
    /// The folder of the index, which any web server can offer.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
}

/// Options of `tidegate skill install`.
#[derive(Debug, Args)]
pub(super) struct Install {
    /// A folder, an archive, an index (a folder or an address), or `starter`.
    source: String,
    /// The pack, or a skill in it, where an index has several.
    pack: Option<String>,
    /// A public key whose packs are installed, besides those of the configuration.
    #[arg(long, value_name = "KEY")]
    trust: Vec<Key>,
    /// Install a pack though nobody signed it whom anybody trusts.
    #[arg(long)]
    allow_unsigned: bool,
    /// Do not ask.
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeOption,
}

impl Naming {
    fn pack(&self, config: &Config, bench: &Bench) -> anyhow::Result<Pack> {
        let mut chosen = Vec::new();
        for name in &self.names {
            chosen.push(bench.find(name)?.skill);
        }
        let first = &chosen[0];
        let name = match &self.pack {
            Some(name) => Name::new(name).map_err(|error| Misuse::error(error.to_string()))?,
            None if chosen.len() == 1 => first.name.clone(),
            None => return Err(Misuse::error("say what the pack of these is called, with --pack")),
        };
        let about = self.description.clone().unwrap_or_else(|| first.description.clone());
        let signer = signer(config)?;
        let pack = Pack::new((name, &self.edition, &about), chosen, Some(&signer));
        pack.map_err(|error| Misuse::error(error.to_string()))
    }
}

pub(super) fn export(config: &Config, bench: &Bench, asked: &Export) -> anyhow::Result<Ending> {
    let pack = asked.naming.pack(config, bench)?;
    pack.write(&asked.to).with_context(|| format!("could not write {}", asked.to.display()))?;
    told(&pack, &asked.to);
    Ok(Ending::Success)
}

pub(super) fn publish(config: &Config, bench: &Bench, asked: &Publish) -> anyhow::Result<Ending> {
    let pack = asked.naming.pack(config, bench)?;
    Index::publish(&asked.to, &pack).map_err(|error| Misuse::error(error.to_string()))?;
    told(&pack, &asked.to);
    Ok(Ending::Success)
}

fn told(pack: &Pack, to: &Path) {
    let manifest = &pack.manifest;
    let key = manifest.key.as_ref().map(ToString::to_string).unwrap_or_default();
    out::tell(format_args!(
        "wrote {} {} to {}; whoever installs it trusts {key}",
        manifest.name,
        manifest.version,
        to.display()
    ));
    let examples = pack.skills.iter().flat_map(|skill| &skill.examples);
    let answers: usize = examples.map(|example| example.results.len()).sum();
    if answers > 0 {
        out::tell(format_args!(
            "its examples hold recorded answers of tools: {answers}; `tidegate skill show NAME --json` shows what is given away"
        ));
    }
}

pub(super) async fn packs(config: &Config, source: Option<&str>) -> anyhow::Result<Ending> {
    let sources = match source {
        Some(source) => vec![source.to_owned()],
        None => config.skill_sources()?.indexes,
    };
    if sources.is_empty() {
        return Err(Misuse::error("name an index, or put some under `indexes` in [skills]"));
    }
    let mut table = show::table(["pack", "version", "skills", "tools", "key"]);
    for source in &sources {
        let index = index_of(source).await.map_err(Misuse::error)?;
        let index =
            index.ok_or_else(|| Misuse::error(format!("{source} is a pack, not an index")))?;
        for listed in index.packs {
            let skills: Vec<&str> = listed.skills.iter().map(Name::as_str).collect();
            let tools: Vec<&str> = listed.tools.iter().map(String::as_str).collect();
            table.add_row([
                listed.name.to_string(),
                out::clean(&listed.version).to_string(),
                skills.join(", "),
                out::clean(&tools.join(", ")).to_string(),
                listed.key.as_ref().map_or("unsigned".to_owned(), ToString::to_string),
            ]);
        }
    }
    out::line(table.trim_fmt()).context(show::LOST)?;
    Ok(Ending::Success)
}

pub(super) async fn install(
    config: &Config,
    bench: &Bench,
    asked: &Install,
) -> anyhow::Result<Ending> {
    let scope = asked.scope.scope()?;
    let pack = if asked.source == STARTER {
        skills::starter().map_err(|error| anyhow::anyhow!("the starter skills: {error}"))?
    } else {
        let trust = trust(config, asked)?;
        let fetched = fetch(&asked.source, asked.pack.as_deref(), &trust).await;
        fetched.map_err(|problem| Misuse::error(format!("nothing was installed: {problem}")))?
    };
    show_wants(bench, &pack).await?;
    show_superseded(bench, &pack, &scope)?;
    if !asked.yes {
        match ask::yes_or_no("install these skills?", false)? {
            Some(true) => {}
            Some(false) => {
                out::tell("nothing was installed");
                return Ok(Ending::Success);
            }
            None => {
                return Err(Misuse::error("nobody is there to be asked; --yes installs it"));
            }
        }
    }
    let workshop = bench.workshop(config).await?;
    let installed = keep(&bench.skillset, &workshop, &pack, &scope).await;
    for kept in installed.map_err(|error| Misuse::error(error.to_string()))? {
        let view = SkillView::new(&bench.skillset, &bench.tools, &kept);
        let stale = view.stale.map(|why| format!("; stale: {}", out::clean(&why)));
        out::tell(format_args!(
            "installed {}, version {}{}",
            view.name,
            view.version,
            stale.unwrap_or_default()
        ));
    }
    Ok(Ending::Success)
}

/// Says what is in a pack, what it calls, and what else it could do. Nothing of it has run.
/// Says which skills of the same names another version comes before.
fn show_superseded(bench: &Bench, pack: &Pack, scope: &Scope) -> anyhow::Result<()> {
    for kept in bench.skillset.store().in_scope(scope).iter() {
        let before = &kept.skill;
        let is_other = |new: &&Skill| new.name == before.name && new.source != before.source;
        if pack.skills.iter().any(|new| is_other(&new)) {
            let (name, version) = (&before.name, before.version);
            out::line(format!(
                "{HINT}{name} is there already, as version {version} by {}: `from skills import {name}` would get that of the pack, and {name}_v{version} stays{HINT:#}",
                out::clean(&before.author)
            ))
            .context(show::LOST)?;
        }
    }
    Ok(())
}

async fn show_wants(bench: &Bench, pack: &Pack) -> anyhow::Result<()> {
    let manifest = &pack.manifest;
    let by = manifest.key.as_ref().map_or("nobody".to_owned(), ToString::to_string);
    let print = |line: String| out::line(line).context(show::LOST);
    print(format!("{TITLE}{} {}{TITLE:#}, signed by {by}", manifest.name, manifest.version))?;
    print(out::clean(&manifest.description).to_string())?;
    let checks = Checks::new();
    let limits = engine::Limits::default();
    // What a review of the source finds, whatever the pack says.
    let mut found = BTreeMap::new();
    for skill in &pack.skills {
        print(format!("  {}", out::clean(&skill.signature)))?;
        let program = Program::new(skill.source.clone());
        let (review, _) = checks.review(Some(&bench.tools), &program, &limits).await;
        let tools = review.tools.iter();
        found.extend(tools.map(|used| (format!("{}.{}", used.server, used.tool), used.risk)));
        let seen: BTreeSet<String> =
            review.violations.iter().map(|one| one.message.clone()).collect();
        for message in seen {
            print(format!("    {HINT}{}{HINT:#}", out::clean(&message)))?;
        }
    }
    let (catalog, said) = (bench.tools.catalog(), pack.tools());
    let all: BTreeSet<&str> =
        found.keys().map(String::as_str).chain(said.iter().copied()).collect();
    if all.is_empty() {
        print("it says that it calls no tools, and none was found in its source".to_owned())?;
    }
    for tool in all {
        let is_here =
            || catalog.tools().any(|one| format!("{}.{}", one.server(), one.name()) == tool);
        let about = match found.get(tool) {
            Some(risk) if said.contains(tool) => risk.name().to_owned(),
            Some(risk) => format!("{}, and it does not say so", risk.name()),
            None if is_here() => "as it says".to_owned(),
            None => "not here".to_owned(),
        };
        print(format!("it calls {} ({about})", out::clean(tool)))?;
    }
    Ok(())
}

/// Whose packs are installed: those whom the configuration trusts, this machine's own, and whom the
/// command names.
fn trust(config: &Config, asked: &Install) -> anyhow::Result<Trust> {
    let mut trust = config.skill_sources()?.trust;
    trust.keys.extend(asked.trust.iter().cloned());
    if let Some(own) = own_key(config)? {
        trust.keys.insert(own.key());
    }
    trust.unsigned = asked.allow_unsigned;
    Ok(trust)
}

fn key_file(config: &Config) -> anyhow::Result<PathBuf> {
    Ok(config.data()?.join(KEY))
}

fn own_key(config: &Config) -> anyhow::Result<Option<Signer>> {
    let file = key_file(config)?;
    match fs::read_to_string(&file) {
        Ok(text) => {
            let signer = Signer::read(&text);
            signer.map(Some).with_context(|| format!("{} cannot be used", file.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("could not read {}", file.display())),
    }
}

/// The key of this machine, which is made when it is first needed.
pub(super) fn signer(config: &Config) -> anyhow::Result<Signer> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    if let Some(signer) = own_key(config)? {
        return Ok(signer);
    }
    let file = key_file(config)?;
    let (signer, text) = Signer::generate()?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let opened = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.with_context(|| format!("could not write {}", file.display()))?;
    out::tell(format_args!("made a key that signs packs: {}", file.display()));
    Ok(signer)
}
