//! Servers that come and go while we run: by request, and when the configuration changes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use catalog::ServerName;
use gateway::Tools;
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::config::Config;
use crate::config::servers::Server;
use crate::out;

/// How often the files are looked at.
const OFTEN: Duration = Duration::from_secs(2);

/// The servers of a service.
pub(super) struct LiveServers {
    config: Config,
    tools: Arc<Tools>,
    mcp_config: Vec<PathBuf>,
    /// What is in use, by how it is reached.
    known: Mutex<BTreeMap<ServerName, String>>,
    watching: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl LiveServers {
    /// Knows the servers that were configured, and watches the files.
    pub(super) fn begin(config: Config, tools: Arc<Tools>, mcp_config: Vec<PathBuf>) -> Arc<Self> {
        let configured = config.servers_with(&mcp_config).unwrap_or_default();
        let used = configured.iter().filter(|server| server.section.is_enabled());
        let known = used.map(|server| (server.name.clone(), crate::tools::identity(server)));
        let servers = Arc::new(Self {
            config,
            tools,
            mcp_config,
            known: Mutex::new(known.collect()),
            watching: Mutex::new(None),
        });
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
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for name in known.keys().filter(|name| !wanted.contains_key(*name)) {
            self.tools.remove(name).await;
            self.forget(name);
        }
        for (name, server) in wanted {
            if known.get(&name) != Some(&crate::tools::identity(&server)) {
                self.use_server(server).await;
            }
        }
    }

    async fn use_server(&self, server: Server) {
        let identity = crate::tools::identity(&server);
        let policy = crate::tools::policy(&self.config, &server);
        let settings = self.config.settings_later(&server);
        self.tools.add(settings, policy).await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(server.name, identity);
    }

    fn forget(&self, name: &ServerName) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

#[async_trait]
impl server::Servers for LiveServers {
    async fn add(&self, name: &str, entry: Value) -> Result<(), String> {
        let text = json!({ "mcpServers": { name: entry } }).to_string();
        let server = self.config.server_from_json(&text)?;
        self.use_server(server).await;
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<bool, String> {
        let name = ServerName(name.to_owned());
        self.forget(&name);
        Ok(self.tools.remove(&name).await)
    }
}
