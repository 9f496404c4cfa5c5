//! Settings from outside: the only module that reads the environment.
//!
//! | variable | meaning | otherwise |
//! | --- | --- | --- |
//! | `TIDEGATE_CACHE` | folder of the runtime and images, which can be made again | `tidegate` in the user's cache folder |
//! | `TIDEGATE_DATA` | folder of sessions and history, which cannot | `tidegate` in the user's data folder |
//! | `TIDEGATE_LOG_FORMAT` | `human` or `json` | `human` |
//! | `TIDEGATE_LOG` | which events to show, see [`crate::log`] | warnings of servers, in `run` and `repl` |
//! | `TIDEGATE_CONFIG` | the only configuration file, as `--config` | see [`places`] |
//! | `TIDEGATE_NETWORK_ALLOW`, … | keys of that file, as `--set` | see [`keys`] |
//!
//! The servers: [`places`] (where the file is), [`section`] (what it may say), [`servers`] (the
//! servers in it), [`secrets`] (what stands elsewhere), [`edit`] (changing it), [`mcp_json`] (what
//! other clients have), [`shown`] (what of it all may be shown), [`origins`] (who says it), [`tables`]
//! (what only a file can say).

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod edit;
pub(crate) mod keys;
pub(crate) mod mcp_json;
pub(crate) mod name;
pub(crate) mod nearest;
mod network;
mod origins;
pub(crate) mod places;
mod privacy;
mod problem;
mod review;
pub(crate) mod secrets;
pub(crate) mod section;
pub(crate) mod servers;
pub(crate) mod shown;
mod skills;
pub(crate) mod tables;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use catalog::ServerName;
use engine_wasm::cache::Cache;
use etcetera::BaseStrategy as _;
use gateway::{Checks, Compiler, CompilerError, CompilerKind};
use upstream::{FileTokens, Http, Later, ServerSettings, Source};

use self::places::Places;
use self::secrets::{Entry, Lookup, Reference, SecretError, Template};
use self::section::Kind;
use self::servers::{General, Server, Unresolved};
use crate::exit::Misuse;
use crate::out;
use crate::store::Store;

const CACHE: &str = "TIDEGATE_CACHE";
const DATA: &str = "TIDEGATE_DATA";
const LOG: &str = "TIDEGATE_LOG";
const LOG_FORMAT: &str = "TIDEGATE_LOG_FORMAT";
const OWN: &str = "tidegate";

/// Where things are.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    cache: Option<PathBuf>,
    data: Option<PathBuf>,
    log: Option<String>,
    log_format: Option<String>,
    places: Places,
}

impl Config {
    /// Reads the environment. Nothing is created, nothing can fail yet: a command
    /// that needs no folder must work without one. `file` is what `--config` names, `flags` what
    /// `--set` says.
    pub(crate) fn from_environment(file: Option<&Path>, flags: &[(String, String)]) -> Self {
        let usual = etcetera::choose_base_strategy().ok();
        let cache = folder(CACHE).or_else(|| Some(usual.as_ref()?.cache_dir().join(OWN)));
        let data = folder(DATA).or_else(|| Some(usual.as_ref()?.data_dir().join(OWN)));
        let said = |name| env::var(name).ok().filter(|wanted: &String| !wanted.is_empty());
        let (log, log_format) = (said(LOG), said(LOG_FORMAT));
        Self { cache, data, log, log_format, places: Places::from_environment(file, flags) }
    }

    /// The same runtime with this configuration file only, and a data folder of its own.
    pub(crate) fn apart(&self, file: &Path, data: PathBuf) -> Self {
        let explicit = Some(file.to_owned());
        let places = Places { explicit, said: Vec::new(), ..self.places.clone() };
        Self { data: Some(data), places, ..self.clone() }
    }

    /// Which events to show.
    pub(crate) fn log(&self) -> Option<&str> {
        self.log.as_deref()
    }

    /// How to show them.
    pub(crate) fn log_format(&self) -> Option<&str> {
        self.log_format.as_deref()
    }

    /// The folder of the runtime.
    pub(crate) fn cache(&self) -> anyhow::Result<Cache> {
        let folder = self.cache.clone().context(
            "there is no home folder to keep the runtime in; set TIDEGATE_CACHE to a folder of your own",
        )?;
        Ok(Cache::at(folder))
    }

    /// The folders, and who says so.
    pub(crate) fn folders(&self) -> [(&'static str, Option<PathBuf>, &'static str); 2] {
        let origin = |name| if folder(name).is_some() { name } else { "default" };
        [("data", self.data.clone(), origin(DATA)), ("cache", self.cache.clone(), origin(CACHE))]
    }

    /// The folders that variables name, which whoever starts us elsewhere has to be told.
    pub(crate) fn named_folders(&self) -> Vec<(String, String)> {
        let said = self.folders().into_iter().filter(|(_, _, origin)| *origin != "default");
        said.filter_map(|(_, folder, variable)| {
            Some((variable.to_owned(), folder?.display().to_string()))
        })
        .collect()
    }

    /// The folder of what the user made.
    pub(crate) fn data(&self) -> anyhow::Result<PathBuf> {
        self.data.clone().context(
            "there is no home folder to keep sessions in; set TIDEGATE_DATA to a folder of your own",
        )
    }

    /// The sessions on disk.
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::at(self.data()?.join("sessions")))
    }

    /// The folder of stored log-ins.
    pub(crate) fn tokens(&self) -> anyhow::Result<PathBuf> {
        Ok(self.data()?.join("tokens"))
    }

    /// Where configuration files are, ours and others'.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Every configured server by name, also those that are switched off.
    pub(crate) fn servers(&self) -> anyhow::Result<Vec<Server>> {
        servers::load(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// What the files say about everything but servers.
    pub(crate) fn general(&self) -> anyhow::Result<General> {
        servers::general(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// Who looks for mistakes in programs before they run, if anybody does.
    pub(crate) fn checks(&self) -> anyhow::Result<Option<Arc<Checks>>> {
        if !self.general()?.check {
            return Ok(None);
        }
        Ok(Some(Checks::with(self.compiler()?)))
    }

    /// The user's own TypeScript compiler, where a setting names one; it has to be there then.
    pub(crate) fn compiler(&self) -> anyhow::Result<Option<Compiler>> {
        let found = self.general()?.checker.map(Self::compiler_of).transpose();
        found.map_err(|error| Misuse::error(error.to_string()))
    }

    /// The compiler of this kind that a command line would start.
    pub(crate) fn compiler_of(kind: CompilerKind) -> Result<Compiler, CompilerError> {
        Compiler::find(kind, &env::var_os("PATH").unwrap_or_default())
    }

    /// What the files say under `[serve]`, each value with its file.
    pub(crate) fn service_section(&self) -> anyhow::Result<BTreeMap<String, (String, String)>> {
        servers::service(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// What the files say under `[limits]`, each with the file that has it.
    pub(crate) fn limits_section(&self) -> anyhow::Result<BTreeMap<String, (String, String)>> {
        servers::limits(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// What a level stands for, with what the files say under `[limits]` in its place.
    pub(crate) fn limits_of(&self, level: engine::Level) -> anyhow::Result<engine::Limits> {
        let mut limits = engine::Limits::of(level);
        for (name, (value, file)) in self.limits_section()? {
            crate::limits::set(&mut limits, &name, &value)
                .map_err(|problem| Misuse::error(format!("{file}: in [limits] {problem}")))?;
        }
        Ok(limits)
    }

    /// What is done about what reviews of programs find.
    pub(crate) fn reviewing(&self) -> anyhow::Result<gateway::Reviewing> {
        review::reviewing(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// What the files say that counts from the next start on and is shown by nobody, to compare it.
    pub(crate) fn besides(&self) -> anyhow::Result<String> {
        let wholes = servers::wholes(&self.places);
        let wholes = wholes.map_err(|error| Misuse::error(error.to_string()))?;
        let besides = wholes.iter().map(|(_, said)| format!("{:?} {:?}", said.audit, said.skills));
        Ok(format!("{:?} {}", self.general()?, besides.collect::<String>()))
    }

    /// What the files say of the model, to compare it.
    pub(crate) fn asking(&self) -> anyhow::Result<String> {
        let wholes = servers::wholes(&self.places);
        let wholes = wholes.map_err(|error| Misuse::error(error.to_string()))?;
        let said: Vec<_> = wholes.iter().map(|(_, said)| format!("{:?}", said.ask)).collect();
        Ok(said.join(" "))
    }

    /// The network that programs may reach.
    pub(crate) fn web(&self) -> anyhow::Result<upstream::WebSettings> {
        network::web(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// Where packs of skills come from, and whose are installed.
    pub(crate) fn skill_sources(&self) -> anyhow::Result<gateway::skillset::Sources> {
        skills::sources(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// What is done about anomalies. This may wait for the user to unlock a keyring.
    pub(crate) fn anomalies(&self) -> anyhow::Result<audit::Anomalies> {
        let resolve = |folder: &Path, template: &Template| {
            template.resolve(&self.lookup(folder, &Entry::secret))
        };
        let said = audit::anomalies(&self.places, &resolve);
        said.map_err(|error| Misuse::error(error.to_string()))
    }

    /// Tools that MCP clients see unchanged, as the files say.
    pub(crate) fn direct_tools(&self) -> anyhow::Result<Vec<String>> {
        servers::direct_tools(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// Which calls may be made.
    pub(crate) fn policy(&self) -> anyhow::Result<policy::Policy> {
        servers::policy(&self.places).map_err(|error| Misuse::error(error.to_string()))
    }

    /// A server that somebody described to us while we run.
    pub(crate) fn server_from_json(&self, text: &str) -> Result<Server, String> {
        servers::from_json(&self.places, text)
    }

    /// The configured server of this name.
    pub(crate) fn server(&self, name: &str) -> anyhow::Result<Server> {
        let servers = self.servers()?;
        if let Some(server) = servers.iter().find(|server| server.name.0 == name) {
            return Ok(server.clone());
        }
        let near = nearest::of(name, servers.iter().map(|server| server.name.0.as_str()));
        let meant = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        Err(Misuse::error(format!(
            "there is no server `{name}`{meant}; `tidegate list` shows those there are, `tidegate add` makes one"
        )))
    }

    /// Every configured server, and those of these `mcpServers` files, which count more. Entries
    /// of the files that cannot be used are told.
    pub(crate) fn servers_with(&self, files: &[PathBuf]) -> anyhow::Result<Vec<Server>> {
        let mut servers: BTreeMap<ServerName, Server> =
            self.servers()?.into_iter().map(|server| (server.name.clone(), server)).collect();
        for file in files {
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            let found = servers::from_mcp_json(&self.places, &file)
                .map_err(|error| Misuse::error(error.to_string()))?;
            for (called, reason) in found.unusable {
                out::warn(format_args!(
                    "{}: {called:?} cannot be used: {}",
                    self.places.short(&file),
                    out::clean(&reason)
                ));
            }
            for (called, mut server) in found.servers {
                if server.name.0 != called {
                    // Only who has that very name takes the place of a server that has it.
                    if servers.contains_key(&server.name) {
                        server.name = name::marked(&called);
                    }
                    out::warn(format_args!(
                        "{}: {called:?} is called `{}` here",
                        self.places.short(&file),
                        server.name
                    ));
                }
                servers.insert(server.name.clone(), server);
            }
        }
        Ok(servers.into_values().collect())
    }

    /// A configured server that is reached over HTTP, to log in to or out of.
    pub(crate) fn http_server(&self, name: &str) -> anyhow::Result<(ServerName, Http)> {
        let server = self.server(name)?;
        if server.kind != Kind::Http {
            return Err(Misuse::error(format!(
                "`{name}` is {}; only servers with a `url` have log-ins",
                match server.kind {
                    Kind::Stdio => "started with a command, which logs in by itself if it has to",
                    _ => "an HTTP service that is authorized with `headers`",
                }
            )));
        }
        let settings = self.settings(&server).map_err(|error| Misuse::error(error.to_string()))?;
        match settings.source.plain() {
            Source::Http(http) => Ok((server.name, http)),
            _ => Err(Misuse::error(format!("`{name}` is not reached over HTTP"))),
        }
    }

    /// The file that a new server goes into: the user's, or the project's.
    pub(crate) fn file_to_write(&self, project: bool) -> anyhow::Result<PathBuf> {
        self.places.file_to_write(project).ok_or_else(|| {
            Misuse::error(
                "there is no home folder to keep tidegate.toml in; name one with --config FILE",
            )
        })
    }

    /// What connections need besides the servers themselves.
    pub(crate) fn upstream_options(&self) -> anyhow::Result<upstream::Options> {
        let own = env::current_exe().context("could not find this program itself")?;
        Ok(upstream::Options {
            environment: env::vars_os().collect(),
            supervisor: Some(vec![own.into(), "supervise".into(), "--".into()]),
            tokens: Arc::new(FileTokens::new(self.tokens()?)),
            roots: self.general()?.roots,
            elicitation: self.general()?.elicitation,
            ..upstream::Options::default()
        })
    }

    /// A server whose secrets are looked up when it is connected to.
    pub(crate) fn settings_later(&self, server: &Server) -> ServerSettings {
        let (config, own) = (self.clone(), server.clone());
        let source = Later::new(move || {
            config.settings(&own).map(|settings| settings.source).map_err(|error| error.to_string())
        });
        server.settings_with(Source::Later(source))
    }

    /// A server with its secrets, looked up now. This may wait for the user to unlock a keyring.
    pub(crate) fn settings(&self, server: &Server) -> Result<ServerSettings, Unresolved> {
        server.settings(&self.lookup(Path::new("/"), &Entry::secret))
    }

    /// The value of a reference such as `${env:DB_PASSWORD}`, looked up now.
    pub(crate) fn secret(&self, text: &str) -> anyhow::Result<String> {
        let template = Template::parse(text).map_err(|error| Misuse::error(error.to_string()))?;
        if template.plain().is_some() {
            return Err(Misuse::error(
                "a secret on the command line is seen by everybody who lists processes; write                  ${env:NAME}, ${file:PATH} or ${keyring:NAME} instead, in single quotes",
            ));
        }
        let here = env::current_dir().unwrap_or_default();
        let value = template.resolve(&self.lookup(&here, &Entry::secret));
        value.map_err(|error| Misuse::error(error.to_string()))
    }

    /// Whether what a reference of `server` stands for is there. The keyring is not asked: it might
    /// ask the user.
    pub(crate) fn is_there(
        &self,
        server: &Server,
        reference: &Reference,
    ) -> Result<(), SecretError> {
        let folder = server.file.parent().unwrap_or(Path::new("/"));
        reference.resolve(&self.lookup(folder, &|_| Ok(String::new()))).map(drop)
    }

    fn lookup<'a>(&'a self, folder: &'a Path, keyring: &'a secrets::Keyring) -> Lookup<'a> {
        Lookup {
            folder,
            home: self.places.home.as_deref(),
            environment: &|name| env::var_os(name),
            keyring,
        }
    }
}

/// The folder a variable names; an empty variable names none.
fn folder(variable: &str) -> Option<PathBuf> {
    let value = env::var_os(variable).filter(|value| !value.is_empty())?;
    std::path::absolute(value).ok()
}
