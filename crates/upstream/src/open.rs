//! Opening a connection: from what an operator wrote to a server that has listed its tools.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use catalog::Listing;

use crate::connection::Connection;
use crate::endpoints::EndpointsConnection;
use crate::error::ConnectError;
use crate::feed::Feed;
use crate::masked::Masked;
use crate::mcp::Setting;
use crate::openapi::{self, OpenApiConnection};
use crate::options::Options;
use crate::settings::{Hiding, ServerSettings, Source};
use crate::{http, stdio};

/// The HTTP clients that all servers share, made when first needed: loading certificates takes
/// longer than starting the rest of us.
#[derive(Default)]
pub(crate) struct Clients {
    mcp: OnceLock<reqwest::Client>,
    plain: OnceLock<reqwest::Client>,
}

impl Clients {
    fn mcp(&self) -> reqwest::Client {
        self.mcp.get_or_init(|| http::client(http::redirects())).clone()
    }

    fn plain(&self) -> reqwest::Client {
        self.plain.get_or_init(|| http::client(openapi::redirects())).clone()
    }
}

/// Opens connections to one server.
#[derive(Clone)]
pub(crate) struct Opener {
    settings: Arc<ServerSettings>,
    setting: Arc<Setting>,
    clients: Arc<Clients>,
}

impl Opener {
    pub(crate) fn new(
        settings: &ServerSettings,
        options: Arc<Options>,
        feed: Arc<Feed>,
        clients: Arc<Clients>,
    ) -> Self {
        let setting = Setting {
            server: settings.name.clone(),
            description: settings.description.clone(),
            connect: settings.timeouts.connect,
            unheard: AtomicBool::new(false),
            answer_bytes: settings.answer_bytes,
            concurrency: settings.concurrency,
            options,
            feed,
        };
        Self { settings: Arc::new(settings.clone()), setting: Arc::new(setting), clients }
    }

    /// Connects and lists, within the time that both together may take.
    pub(crate) async fn open(&self) -> Result<(Arc<dyn Connection>, Listing), ConnectError> {
        let allowed = self.settings.timeouts.connect;
        // Not within that time: a person may have to unlock a keyring.
        let source = self.hidden(self.source().await?);
        let opened = tokio::time::timeout(allowed, self.open_patiently(&source)).await;
        opened
            .unwrap_or_else(|_| {
                Err(ConnectError::Late { server: self.settings.name.clone(), allowed })
            })
            .map_err(|problem| self.with_stderr(&source, problem))
            .map_err(|problem| self.setting.feed.mask().unconnected(problem))
    }

    /// Where a server is, after what must not come back from it was told to whoever hears it.
    fn hidden(&self, source: Source) -> Source {
        let mask = self.setting.feed.mask();
        let Source::Hiding(Hiding { source, values, perhaps }) = source else {
            mask.configured(std::iter::empty(), std::iter::empty());
            return source;
        };
        mask.configured(
            values.iter().map(|value| value.reveal().clone()),
            perhaps.iter().map(|value| value.reveal().clone()),
        );
        *source
    }

    async fn source(&self) -> Result<Source, ConnectError> {
        let found = match &self.settings.source {
            Source::Later(later) => later.find().await,
            source => Ok(source.clone()),
        };
        found.map_err(|problem| ConnectError::Misconfigured {
            server: self.settings.name.clone(),
            problem,
        })
    }

    async fn open_patiently(
        &self,
        source: &Source,
    ) -> Result<(Arc<dyn Connection>, Listing), ConnectError> {
        let connection: Arc<dyn Connection> = match source {
            Source::Later(_) | Source::Hiding(_) => {
                return Err(ConnectError::Misconfigured {
                    server: self.settings.name.clone(),
                    problem: "its settings lead to other settings".to_owned(),
                });
            }
            Source::Stdio(stdio) => Arc::new(stdio::open(&self.setting, stdio).await?),
            Source::Http(http) => {
                Arc::new(http::open(&self.setting, http, &self.clients.mcp()).await?)
            }
            Source::OpenApi(api) => {
                let (server, timeouts) = (&self.settings.name, &self.settings.timeouts);
                let (bytes, client) = (self.settings.answer_bytes, self.clients.plain());
                Arc::new(OpenApiConnection::connect(server, api, timeouts, bytes, client).await?)
            }
            Source::Endpoints(endpoints) => {
                let (bytes, client) = (self.settings.answer_bytes, self.clients.plain());
                Arc::new(EndpointsConnection::new(&self.settings.name, endpoints, bytes, client)?)
            }
        };
        let connection: Arc<dyn Connection> =
            Arc::new(Masked::new(connection, Arc::clone(&self.setting.feed)));
        let changed = self.setting.feed.tools().borrow().changed;
        let mut listing = connection.listing().await?;
        if let Some(description) = &self.settings.description {
            listing.description = Some(description.clone());
        }
        self.setting.feed.tools_seen(changed);
        Ok((connection, listing))
    }

    /// What a program wrote before it failed is mostly the reason why.
    fn with_stderr(&self, source: &Source, problem: ConnectError) -> ConnectError {
        let Source::Stdio(stdio) = source else { return problem };
        let stderr = self.setting.feed.stderr_shown();
        let reason = match problem {
            ConnectError::Late { allowed, .. } if !stderr.is_empty() => {
                format!(
                    "it was not ready within {} s (setting `connect-timeout`)",
                    allowed.as_secs_f64()
                )
            }
            ConnectError::Unusable { reason, .. } => reason,
            problem => return problem,
        };
        ConnectError::Start {
            server: self.settings.name.clone(),
            command: stdio::shown(stdio),
            reason,
            stderr,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use catalog::ServerName;

    use super::*;
    use crate::{Later, Startup, Timeouts, Upstreams};

    #[tokio::test]
    async fn where_a_server_is_is_looked_up_when_it_is_asked_for_and_no_sooner() {
        let looked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&looked);
        let name = ServerName("github".into());
        let settings = ServerSettings {
            name: name.clone(),
            source: Source::Later(Later::new(move || {
                counter.fetch_add(1, Ordering::Relaxed);
                Err("setting `env.TOKEN`: there is no variable TOKEN".into())
            })),
            description: None,
            startup: Startup::Lazy,
            timeouts: Timeouts::default(),
            concurrency: 1,
            answer_bytes: 1 << 20,
        };
        let upstreams = Upstreams::new(vec![settings], Options::default());
        assert_eq!(looked.load(Ordering::Relaxed), 0);
        let problem = upstreams.listing(&name).await.unwrap_err();
        assert_eq!(problem.to_string(), "setting `env.TOKEN`: there is no variable TOKEN");
        assert_eq!(looked.load(Ordering::Relaxed), 1);
    }
}
