//! Servers that come and go while we run: by request, and when the configuration changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use agent::Answering;
use async_trait::async_trait;
use audit::{Entry, Kind};
use catalog::ServerName;
use gateway::Tools;
use gateway::service::Trail;
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::config::Config;
use crate::config::servers::Server;
use crate::out;

/// How often the files are looked at.
const OFTEN: Duration = Duration::from_secs(2);

/// The servers of a service.
pub(crate) struct LiveServers {
    config: Config,
    tools: Arc<Tools>,
    mcp_config: Vec<PathBuf>,
    /// Where changes are written down.
    trail: Option<Arc<Trail>>,
    state: Mutex<State>,
    watching: Mutex<Option<AbortOnDropHandle<()>>>,
    /// Who answers questions in words, and which tools stand beside programs there.
    answering: OnceLock<(Answering, Vec<String>)>,
}

/// What is in use, by how it is reached, and who said so.
#[derive(Default, Clone)]
struct State {
    /// Those of the configuration.
    known: BTreeMap<ServerName, String>,
    /// Those that were added by request; the configuration does not decide about them.
    added: BTreeSet<ServerName>,
    /// What `[serve]` said when it was last looked at.
    service: String,
    /// What `[ask]` said then.
    asking: String,
}

impl LiveServers {
    /// Knows the servers that were configured, and watches the files.
    pub(super) fn begin(
        config: Config,
        tools: Arc<Tools>,
        mcp_config: Vec<PathBuf>,
        trail: Option<Arc<Trail>>,
    ) -> Arc<Self> {
        let configured = config.servers_with(&mcp_config).unwrap_or_default();
        let used = configured.iter().filter(|server| server.section.is_enabled());
        let known = used.map(|server| (server.name.clone(), crate::tools::decided(server)));
        let servers = Arc::new(Self {
            config,
            tools,
            mcp_config,
            trail,
            state: Mutex::new(State { known: known.collect(), ..State::default() }),
            watching: Mutex::new(None),
            answering: OnceLock::new(),
        });
        let (service, asking) = (servers.service_section(), servers.asking());
        servers.state().service = service;
        servers.state().asking = asking;
        let watched = Arc::downgrade(&servers);
        let task = tokio::spawn(async move {
            let mut seen = watched.upgrade().map(|servers| servers.stamps());
            loop {
                tokio::time::sleep(OFTEN).await;
                let Some(servers) = watched.upgrade() else { return };
                let now = Some(servers.stamps());
                if now != seen {
                    seen = now;
                    servers.reload().await;
                }
            }
        });
        *servers.watching.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(AbortOnDropHandle::new(task));
        servers
    }

    /// Has questions in words answered by what `[ask]` says from now on.
    pub(crate) fn answer(&self, answering: Answering, direct: Vec<String>) {
        // There is one service, and one who answers for it.
        let _ = self.answering.set((answering, direct));
    }

    /// When each file was last changed.
    fn stamps(&self) -> Vec<(PathBuf, Option<SystemTime>)> {
        let files = self.config.places().watched().into_iter().chain(self.mcp_config.clone());
        files
            .map(|file| {
                let changed = std::fs::metadata(&file).and_then(|file| file.modified()).ok();
                (file, changed)
            })
            .collect()
    }

    async fn reload(&self) {
        let servers = match self.config.servers_with(&self.mcp_config) {
            Ok(servers) => servers,
            Err(error) => {
                out::warn(format_args!("the changed configuration is not used: {error:#}"));
                return;
            }
        };
        let wanted: BTreeMap<ServerName, Server> = servers
            .into_iter()
            .filter(|server| server.section.is_enabled())
            .map(|server| (server.name.clone(), server))
            .collect();
        self.look_at_service();
        self.look_at_policy();
        self.look_at_model().await;
        let State { known, added, .. } = self.state().clone();
        for name in known.keys().filter(|name| !wanted.contains_key(*name)) {
            self.note(name, "removed by the configuration");
            self.tools.remove(name).await;
            self.state().known.remove(name);
        }
        for (name, server) in wanted {
            let decided = crate::tools::decided(&server);
            // One that was removed by request comes back: the file says so again.
            if known.get(&name) != Some(&decided) && !added.contains(&name) {
                self.note(&name, "set by the configuration");
                self.use_server(&server).await;
                self.state().known.insert(name, decided);
            }
        }
    }

    /// Writes down what became of a server.
    fn note(&self, server: &ServerName, what: &str) {
        if let Some(trail) = &self.trail {
            let subject = format!("servers.{server}");
            let details = json!({ "change": what });
            trail.note(Entry { subject, details, ..Entry::new(Kind::ConfigChanged) });
        }
    }

    /// Warns that what the service itself is told counts from its next start on.
    fn look_at_service(&self) {
        let now = self.service_section();
        let before = std::mem::replace(&mut self.state().service, now.clone());
        if before != now
            && let Err(error) = self.config.limits_of(engine::Level::default())
        {
            out::warn(format_args!(
                "the changed configuration cannot be used at the next start: {error:#}"
            ));
        } else if before != now {
            out::warn(
                "the configuration's settings besides its servers (check, embeddings, roots, [serve], [limits], [tools], [privacy], [secrets], [review], [network], [audit], [skills]) have changed; they count from the next start on",
            );
        }
    }

    /// Decides by the changed rules from now on; what cannot be read changes nothing.
    fn look_at_policy(&self) {
        let now = match self.config.policy() {
            Ok(policy) => policy,
            Err(error) => {
                out::warn(format_args!("the changed rules are not used: {error:#}"));
                return;
            }
        };
        if *self.tools.judge().policy().settings() == *now.settings() {
            return;
        }
        if let Some(trail) = &self.trail {
            let details = json!({ "now": now.settings() });
            let subject = "policy".to_owned();
            trail.note(Entry { subject, details, ..Entry::new(Kind::PolicyChanged) });
        }
        self.tools.judge().follow(now);
    }

    /// Has programs and questions in words ask the model that `[ask]` names now; what cannot be used changes
    /// nothing.
    async fn look_at_model(&self) {
        let now = self.asking();
        let before = std::mem::replace(&mut self.state().asking, now.clone());
        if before == now {
            return;
        }
        let used = match self.look_at_answers().await {
            Ok(()) => self.tools.minds().look_again().await,
            Err(error) => Err(format!("{error:#}")),
        };
        if let Err(problem) = used {
            out::warn(format_args!("the changed [ask] is not used: {problem}"));
            return;
        }
        if let Some(trail) = &self.trail {
            let (subject, details) =
                ("ask".to_owned(), json!({ "change": "set by the configuration" }));
            trail.note(Entry { subject, details, ..Entry::new(Kind::ConfigChanged) });
        }
    }

    /// Answers the next question in words by what `[ask]` says now.
    async fn look_at_answers(&self) -> anyhow::Result<()> {
        let Some((answering, direct)) = self.answering.get() else { return Ok(()) };
        let (config, direct) = (self.config.clone(), direct.clone());
        // A keyring may have to be unlocked by somebody.
        let settings = tokio::task::spawn_blocking(move || config.ask(direct)).await??;
        Ok(answering.follow(settings)?)
    }

    fn asking(&self) -> String {
        self.config.asking().unwrap_or_default()
    }

    fn service_section(&self) -> String {
        let service = self.config.service_section().map(|section| format!("{section:?}"));
        let limits = self.config.limits_section().map(|section| format!("{section:?}"));
        let direct = self.config.direct_tools().map(|tools| tools.join(","));
        let privacy = self.config.privacy().map(|privacy| format!("{privacy:?}"));
        let review = self.config.reviewing().map(|review| format!("{review:?}"));
        let network = self.config.web().map(|web| format!("{web:?}"));
        let besides = self.config.besides();
        let all = [service, limits, direct, privacy, review, network, besides];
        all.map(Result::unwrap_or_default).join("\n")
    }

    async fn use_server(&self, server: &Server) {
        let policy = crate::tools::policy(&self.config, server);
        let settings = self.config.settings_later(server);
        self.tools.add(settings, policy).await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl server::Servers for LiveServers {
    async fn add(&self, name: &str, entry: Value) -> Result<(), String> {
        let text = json!({ "mcpServers": { name: entry } }).to_string();
        crate::config::name::check(name)?;
        if entry.get("command").is_some() && entry.get("url").is_some() {
            return Err(
                "it has both `command` and `url`; give the one that leads to the server".to_owned()
            );
        }
        let server = self.config.server_from_json(&text)?;
        self.note(&server.name, "added by request");
        self.use_server(&server).await;
        self.state().added.insert(server.name);
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<bool, String> {
        let name = ServerName(name.to_owned());
        self.note(&name, "removed by request");
        {
            let mut state = self.state();
            state.added.remove(&name);
            state.known.remove(&name);
        }
        Ok(self.tools.remove(&name).await)
    }
}
