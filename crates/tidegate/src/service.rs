//! A service on this machine: everything that `serve` and `mcp` have in common.

mod reload;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use audit::{Entry, Kind, LogError};
use catalog::Listing;
use engine::{Engine, Language, Level, Limits};
use engine_wasm::install::{self, Progress, Source, Stage};
use engine_wasm::{Builder, Options, WasmEngine};
use gateway::service::gate::Room;
use gateway::service::store::Store;
use gateway::service::{
    Engines, OnDemand, Parts, Readiness, Service, Settings, Spans, Trail, Watching,
};
use gateway::{MailboxBounds, Tools};
use server::Shared;
use server::guidance::Guidance;
use server::mcp::{McpOptions, Mode};
use tokio::sync::watch;

pub(crate) use self::reload::LiveServers;
use crate::config::audit::Anomalies;
use crate::config::{Config, nearest};
use crate::exit::Misuse;
use crate::settings::Values;
use crate::{out, spans, units};

/// How long after the start servers are asked that were never asked before: who has just connected
/// is answered first.
const LATER: std::time::Duration = std::time::Duration::from_millis(300);

const AN_HOUR: Duration = Duration::from_secs(3600);
const A_YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// The least memory that a program may be given.
const LEAST_MEMORY: u64 = 1 << 20;

/// Clients of one user that have a `tidegate mcp` at the same time.
const MOST_CLIENTS: usize = 64;

/// The folder of a service that nobody else uses as long as this lives.
pub(crate) struct Place {
    folder: PathBuf,
    _lock: File,
    /// Folders of other processes that are no more.
    left: Vec<Place>,
}

impl Place {
    /// The folder of `serve`: there is one, and two processes would not know of each other's
    /// sessions.
    pub(crate) fn of_serve(config: &Config) -> anyhow::Result<Self> {
        let folder = config.data()?.join("service");
        Self::take(&folder)?.ok_or_else(|| {
            Misuse::error(format!(
                "another `tidegate serve` uses {}; stop it, or set TIDEGATE_DATA to another folder",
                folder.display()
            ))
        })
    }

    /// Where services of this user have kept what they ran.
    pub(crate) fn known(config: &Config) -> anyhow::Result<Vec<PathBuf>> {
        let data = config.data()?;
        let all = std::iter::once(data.join("service")).chain(Self::clients(&data));
        Ok(all.filter(|folder| folder.join("tidegate.db").is_file()).collect())
    }

    /// The folders that `mcp` may have.
    fn clients(data: &Path) -> impl Iterator<Item = PathBuf> {
        let numbered = (1..MOST_CLIENTS).map(|number| data.join(format!("mcp-{number}")));
        std::iter::once(data.join("mcp")).chain(numbered)
    }

    /// The folder of `mcp`: each client starts one of its own, and the first that is free is the
    /// one it had the last time.
    pub(crate) fn of_mcp(config: &Config) -> anyhow::Result<Self> {
        let data = config.data()?;
        for (number, folder) in Self::clients(&data).enumerate() {
            if let Some(mut place) = Self::take(&folder)? {
                // What clients left that ran beside the first is found again by who is first now.
                let others = Self::clients(&data).skip(1);
                let others = others.filter(|one| number == 0 && one.is_dir());
                place.left = others.filter_map(|one| Self::take(&one).ok()?).collect();
                return Ok(place);
            }
        }
        Err(Misuse::error(format!("{MOST_CLIENTS} `tidegate mcp` are running already; end some")))
    }

    fn take(folder: &Path) -> anyhow::Result<Option<Self>> {
        let what = || format!("could not use {}", folder.display());
        std::fs::create_dir_all(folder).with_context(what)?;
        let lock = File::create(folder.join("lock")).with_context(what)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { folder: folder.to_owned(), _lock: lock, left: Vec::new() })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(what),
        }
    }
}

/// Lets this process have as many files open as it may: each client and each server needs some.
#[cfg(unix)]
fn have_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        // Where that is refused, it goes on with what it has.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

#[cfg(not(unix))]
fn have_files() {}

/// Opens the service that `values` describe. Programs can run as soon as the runtime is there,
/// which is not waited for.
pub(crate) async fn open(
    config: &Config,
    values: &Values,
    mcp_config: &[PathBuf],
    place: &Place,
) -> anyhow::Result<Shared> {
    Ok(open_live(config, values, mcp_config, place).await?.0)
}

/// The same, with who follows the files.
pub(crate) async fn open_live(
    config: &Config,
    values: &Values,
    mcp_config: &[PathBuf],
    place: &Place,
) -> anyhow::Result<(Shared, Arc<LiveServers>)> {
    let settings = settings(config, values)?;
    have_files();
    let guidance = Arc::new(guidance(values)?);
    let engines = engines(config, values, settings.room.running)?;
    // Only there is a client behind every request that a server could ask.
    let asks_clients = mcp_options(config, values)?.mode == Mode::Direct;
    let options = upstream::Options { asks_clients, ..config.upstream_options()? };
    let tools = crate::tools::open_all(config, mcp_config, options).await?;
    let McpOptions { direct, mode, .. } = mcp_options(config, values)?;
    warn_of_unknown(&direct, &tools);
    if mode == Mode::Hybrid && direct.is_empty() {
        out::warn(
            "`mode` is hybrid and `direct` names no tools, so that clients see ours only; name some, such as github.get_me",
        );
    }
    let checks = config.checks()?;
    let store = if settings.durable {
        Store::open_synced(&place.folder).await?
    } else {
        Store::open(&place.folder).await?
    };
    for left in &place.left {
        if let Err(error) = store.adopt(&left.folder).await {
            let folder = left.folder.display();
            out::warn(format_args!("what an earlier client left in {folder} is not used: {error}"));
        }
    }
    let parts = Parts {
        engines,
        tools: Arc::clone(&tools),
        checks,
        store,
        guidance: guidance.version.clone(),
        trail: trail(config, values)?,
        watching: watching(config, place)?,
        spans: spans::exported(values.text("otlp-endpoint"))?
            .map(|spans| Arc::new(spans) as Arc<dyn Spans>),
    };
    let service = Service::open(settings, parts).await?;
    // A server that nobody has asked before is unknown to searches and hints until it is.
    let unheard = Arc::clone(&tools);
    tokio::spawn(async move {
        tokio::time::sleep(LATER).await;
        unheard.hear_all().await;
        warn_of_misspelt(&direct, &unheard);
    });
    let trail = service.trail().cloned();
    let servers = LiveServers::begin(config.clone(), tools, mcp_config.to_vec(), trail);
    let live = Arc::clone(&servers);
    Ok((Shared { service, guidance, servers, address: Arc::default() }, live))
}

/// Says which tools that are to be passed through belong to no server.
fn warn_of_unknown(direct: &[String], tools: &Tools) {
    let names = tools.upstreams().names();
    for tool in direct {
        let server = tool.split_once('.').map_or(tool.as_str(), |(server, _)| server);
        // The name of a server may itself have a dot.
        let is_of = |name: &str| tool.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        if !names.iter().any(|name| is_of(&name.0)) {
            out::warn(format_args!(
                "`direct`: there is no server {server:?}, so {tool} is not passed through"
            ));
        }
    }
}

/// Says which tools that are to be passed through their servers do not offer.
fn warn_of_misspelt(direct: &[String], tools: &Tools) {
    let offered = tools.offered();
    for wanted in direct {
        // The name of a server may itself have a dot.
        let of = |listing: &&Arc<Listing>| {
            wanted.strip_prefix(listing.server.0.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        let servers: Vec<_> = offered.iter().filter(of).collect();
        let names =
            || servers.iter().flat_map(|listing| listing.tools.iter().map(|tool| &tool.name.0));
        let has = |name: &String| wanted.ends_with(&format!(".{name}"));
        if servers.is_empty() || names().any(has) {
            continue;
        }
        let last = wanted.rsplit('.').next().unwrap_or_default();
        let near = nearest::of(last, names().map(String::as_str));
        let meant = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        out::warn(format_args!(
            "`direct`: {} is no tool that its server offers{meant}, and is not passed through; `tidegate tools list` has those there are",
            out::clean(wanted)
        ));
    }
}

/// Where what happens is written down.
pub(crate) fn audit_folder(config: &Config) -> anyhow::Result<PathBuf> {
    Ok(config.data()?.join("audit"))
}

/// Writes down something that a command did.
pub(crate) fn note(config: &Config, entry: Entry) {
    let written = audit_folder(config).and_then(|folder| {
        let log = audit::Log::open(&folder, &audit::Options::default())?;
        Ok(log.append(entry).map(drop)?)
    });
    if let Err(error) = written {
        out::warn(format_args!("this could not be written to the audit log: {error:#}"));
    }
}

/// Who writes down what happens, unless nobody does.
fn trail(config: &Config, values: &Values) -> anyhow::Result<Option<Arc<Trail>>> {
    let keeps_source = values.read("audit", |text| match text {
        "text" => Ok(Some(true)),
        "hash" => Ok(Some(false)),
        "off" => Ok(None),
        _ => Err(format!("there is no {text:?}; there are text, hash and off")),
    })?;
    let Some(keeps_source) = keeps_source.flatten() else { return Ok(None) };
    let age = values.read("keep-audit", units::parse_duration)?.unwrap_or(A_YEAR);
    let bytes = values.read("keep-audit-bytes", units::parse_bytes)?.unwrap_or(1 << 30);
    let folder = audit_folder(config)?;
    let trail = Trail::open(&folder, keeps_source).map_err(|error| {
        let folder = folder.display();
        let more = match &error {
            LogError::Damaged(_) => "`tidegate audit verify` says more, and `tidegate audit set-aside` puts it away and lets a new one begin".to_owned(),
            LogError::Disk { source, .. } => format!("{source}; check the folder's permissions and free space"),
            _ => "try again".to_owned(),
        };
        Misuse::error(format!("{error} ({folder}): {more}"))
    })?;
    let trail = Arc::new(trail);
    trail.service(Kind::Started, serde_json::json!({ "version": env!("CARGO_PKG_VERSION") }));
    let kept = Arc::downgrade(&trail);
    tokio::spawn(async move {
        while let Some(trail) = kept.upgrade() {
            let retained = tokio::task::spawn_blocking(move || trail.retain(age, bytes)).await;
            if let Ok(Err(error)) = retained {
                tracing::warn!(error = %error, "what is old could not be removed from the audit log");
            }
            tokio::time::sleep(AN_HOUR).await;
        }
    });
    Ok(Some(trail))
}

/// Who knows what owners usually do, unless nobody is to.
fn watching(config: &Config, place: &Place) -> anyhow::Result<Option<Arc<Watching>>> {
    Ok(match config.anomalies()? {
        Anomalies::Off => None,
        Anomalies::On(hook) => {
            Some(Arc::new(Watching::open(place.folder.join("anomalies.json"), hook)))
        }
    })
}

/// What MCP clients see.
pub(crate) fn mcp_options(config: &Config, values: &Values) -> anyhow::Result<McpOptions> {
    let mut direct = values.list("direct");
    direct.extend(config.direct_tools()?);
    if let Some(wrong) = direct.iter().find(|name| !name.contains('.')) {
        return Err(Misuse::error(format!(
            "`direct`: {wrong:?} names no tool; write SERVER.TOOL, such as github.get_me"
        )));
    }
    let usual = if direct.is_empty() { Mode::Code } else { Mode::Hybrid };
    let mode = values.read("mode", |text| match text {
        "code" => Ok(Mode::Code),
        "hybrid" => Ok(Mode::Hybrid),
        "direct" => Ok(Mode::Direct),
        _ => Err(format!("there is no mode {text:?}; there are code, hybrid and direct")),
    })?;
    Ok(McpOptions { mode: mode.unwrap_or(usual), direct, own: own_tools(values)? })
}

/// Which of our own tools MCP clients see; `None` for the usual ones.
fn own_tools(values: &Values) -> anyhow::Result<Option<Vec<String>>> {
    let (own, languages) = (values.list("tools"), languages(values)?);
    let known = server::mcp::own_tools();
    if let Some(unknown) = own.iter().find(|name| !known.contains(name)) {
        return Err(Misuse::error(format!(
            "`tools`: there is no tool {unknown:?} of ours; there are {}",
            known.join(", ")
        )));
    }
    let lacks = |tool: &&String| {
        let needs = server::mcp::language_of(tool);
        needs.is_some_and(|language| !languages.contains(&language))
    };
    if let Some(useless) = own.iter().find(lacks) {
        let named: Vec<&str> = languages.iter().map(|language| language.name()).collect();
        return Err(Misuse::error(format!(
            "`tools` has {useless}, and programs are written in {} only (`languages`); add its language there, or leave it out",
            named.join(" and ")
        )));
    }
    if !own.is_empty() {
        return Ok(Some(own));
    }
    // Where there is no Python, nobody is offered to run it.
    let usual = || known.into_iter().filter(|tool| server::mcp::is_for_one(tool, languages[0]));
    Ok((languages[0] != Language::default()).then(|| usual().collect()))
}

/// The text for agents.
pub(crate) fn guidance(values: &Values) -> anyhow::Result<Guidance> {
    let Some(file) = values.text("guidance") else { return Ok(Guidance::default()) };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Misuse::error(format!("`guidance`: could not read {file}: {error}")))?;
    Ok(Guidance::custom(&text))
}

pub(crate) fn settings(config: &Config, values: &Values) -> anyhow::Result<Settings> {
    let usual = Settings::default();
    let level = values.read("level", level)?.unwrap_or_default();
    let allowed = config.limits_of(level)?;
    let timeout = values.read("timeout", units::parse_duration)?;
    let wish = Limits {
        wall: timeout.unwrap_or(allowed.wall),
        cpu_time: timeout.unwrap_or(allowed.cpu_time),
        memory_bytes: values.read("memory", memory)?.unwrap_or(allowed.memory_bytes),
        cpu_share: values.read("cpu", units::parse_share)?.unwrap_or(allowed.cpu_share),
        ..allowed.clone()
    };
    let bytes = |name| values.read(name, units::parse_bytes);
    let time = |name| values.read(name, units::parse_duration);
    let output_tokens = values.at_least("output-tokens", budget::LEAST_TOKENS)?;
    let source_bytes = bytes("source-bytes")?.and_then(|bytes| usize::try_from(bytes).ok());
    let live = values.at_least("max-live", 1)?;
    let running = values.at_least("max-running", 1)?;
    if running > live {
        tracing::warn!(
            max_running = running,
            max_live = live,
            "`max-running` is lowered to `max-live`: every program that runs is in memory"
        );
    }
    Ok(Settings {
        level,
        limits: allowed.tightened_by(&wish),
        room: Room {
            running: running.min(live),
            waiting: values.at_least("max-queued", 1)?,
            waiting_per_owner: values.at_least("max-queued-per-owner", 1)?,
            waiting_bytes: bytes("max-queued-bytes")?
                .and_then(|bytes| usize::try_from(bytes).ok())
                .unwrap_or(usual.room.waiting_bytes),
        },
        live,
        idle: time("idle-freeze")?.unwrap_or(usual.idle),
        lasts: time("session-lasts")?.unwrap_or(usual.lasts),
        sessions_per_owner: values.at_least("max-sessions", 1)? as u64,
        bytes_per_owner: bytes("max-session-bytes")?.unwrap_or(usual.bytes_per_owner),
        keep_runs: time("keep-runs")?.unwrap_or(usual.keep_runs),
        keep_runs_bytes: bytes("keep-runs-bytes")?.unwrap_or(usual.keep_runs_bytes),
        source_bytes: source_bytes.unwrap_or(usual.source_bytes),
        output_tokens,
        own_definitions: server::mcp::own_definitions(own_tools(values)?.as_deref()),
        receipts: values.read("receipts", crate::settings::yes)?.unwrap_or(usual.receipts),
        token_price: values.read("token-price", price)?.unwrap_or(usual.token_price),
        durable: values.read("durable", crate::settings::yes)?.unwrap_or(usual.durable),
        freeze_after: time("freeze-after")?.unwrap_or(usual.freeze_after),
        approval_lasts: time("approval-lasts")?.unwrap_or(usual.approval_lasts),
        reviewing: config.reviewing()?,
        mailboxes: MailboxBounds {
            boxes: values.at_least("max-mailboxes", 1)? as u64,
            messages: values.at_least("max-messages", 1)? as u64,
            bytes: bytes("max-message-bytes")?.unwrap_or(usual.mailboxes.bytes),
        },
    })
}

fn price(text: &str) -> Result<f64, String> {
    let price = text.parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
    price.ok_or_else(|| format!("{text:?} is no price; write a number such as 3 or 0.25"))
}

/// Memory in which a program can do anything at all.
fn memory(text: &str) -> Result<u64, String> {
    match units::parse_bytes(text)? {
        bytes if bytes < LEAST_MEMORY => {
            Err(format!("{text:?} is too small; it must be at least {LEAST_MEMORY} bytes"))
        }
        bytes => Ok(bytes),
    }
}

fn level(text: &str) -> Result<Level, String> {
    let levels = [Level::Development, Level::Production, Level::Hardened];
    levels.into_iter().find(|level| level.name() == text).ok_or_else(|| {
        format!("there is no level {text:?}; there are development, production and hardened")
    })
}

/// Begins to open the engine of a language, installing the runtime first if that is missing, on a thread of
/// its own. It ends with the process: an installation that is cut short leaves nothing trusted.
pub(crate) fn begin(
    config: &Config,
    language: Language,
    standby: usize,
    threads: usize,
) -> watch::Receiver<Readiness> {
    let stage = "starting".to_owned();
    let (tell, told) = watch::channel(Readiness::Installing { percent: 0, stage });
    let (cache, failing) = (config.cache(), tell.clone());
    let work = move || {
        let opened = crate::runtime::plan_of(language).and_then(|plan| {
            let progress = Told(tell.clone());
            let installed =
                install::install(&cache?, &Source::Registry, &plan, &Builder, &progress)
                    .with_context(|| {
                        format!("could not install the {} runtime", language.title())
                    })?;
            let options = Options { standby, threads: threads.max(4) };
            WasmEngine::open(installed, options).map_err(anyhow::Error::from_boxed)
        });
        let state = match opened {
            Ok(engine) => Readiness::Ready(Arc::new(engine) as Arc<dyn Engine>),
            Err(error) => Readiness::Failed(format!("{error:#}")),
        };
        // Nobody listens when the process is ending.
        let _ = tell.send(state);
    };
    if let Err(error) = std::thread::Builder::new().name("install".into()).spawn(work) {
        let _ = failing.send(Readiness::Failed(format!("could not start a thread: {error}")));
    }
    told
}

/// The engines of the languages that programs may be written in. The first is opened now, another one when a
/// program first asks for it.
fn engines(config: &Config, values: &Values, running: usize) -> anyhow::Result<Engines> {
    let standby = values.number("standby")?;
    // Whoever has no place for a cache is told so now, and not by the first program.
    config.cache()?;
    let languages = languages(values)?;
    let mut engines = Engines::default();
    for language in languages {
        engines = if engines.languages().next().is_none() {
            engines.with(language, begin(config, language, standby, running))
        } else {
            let config = config.clone();
            let open = move || begin(&config, language, standby, running);
            engines.with(language, OnDemand::new(open))
        };
    }
    Ok(engines)
}

/// The languages that programs may be written in, the usual one first.
pub(crate) fn languages(values: &Values) -> anyhow::Result<Vec<Language>> {
    let read = |text: &str| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let read = |part: &str| part.parse::<Language>().map_err(|error| error.to_string());
        let mut languages = parts.map(read).collect::<Result<Vec<_>, _>>()?;
        languages.sort_unstable();
        languages.dedup();
        Ok(languages)
    };
    let languages = values.read("languages", read)?.unwrap_or_default();
    if languages.is_empty() {
        return Err(Misuse::error("`languages` must name one at least: python, typescript"));
    }
    Ok(languages)
}

/// Tells whoever asks how far an installation is.
struct Told(watch::Sender<Readiness>);

impl Progress for Told {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the whole is between 0 and 1"
    )]
    fn stage(&self, stage: Stage, overall: f64) {
        let percent = (overall.clamp(0.0, 1.0) * 100.0) as u8;
        let _ = self.0.send(Readiness::Installing { percent, stage: stage.label().to_owned() });
    }

    fn waiting_for_other(&self) {
        let stage = "another process is installing it".to_owned();
        let _ = self.0.send(Readiness::Installing { percent: 0, stage });
    }
}
