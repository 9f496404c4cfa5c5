//! What one client wants to hear: log messages of a level, resources it watches, lists that change.
#![expect(deprecated, reason = "what the newest revision deprecates is what all others use")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rmcp::model::{LoggingLevel, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::task::AbortOnDropHandle;
use upstream::{Happening, Upstreams, Watch};

/// Resources that one client watches.
const MOST: usize = 100;

/// One client of ours.
#[derive(Default)]
pub(super) struct Client {
    level: Mutex<Option<LoggingLevel>>,
    watched: Mutex<HashMap<String, Watch>>,
    telling: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl Client {
    /// The least level of log messages it wants; what most servers send if it never said.
    pub(super) fn level(&self) -> LoggingLevel {
        lock(&self.level).unwrap_or(LoggingLevel::Info)
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *lock(&self.level) = Some(level);
    }

    pub(super) fn watches(&self, uri: &str) -> bool {
        lock(&self.watched).contains_key(uri)
    }

    pub(super) fn watch(&self, uri: &str, watch: Watch) -> Result<(), ErrorData> {
        let mut watched = lock(&self.watched);
        if watched.len() >= MOST && !watched.contains_key(uri) {
            let message = format!("a client may watch {MOST} resources at a time");
            return Err(ErrorData::invalid_request(message, None));
        }
        watched.insert(uri.to_owned(), watch);
        Ok(())
    }

    pub(super) fn unwatch(&self, uri: &str) {
        lock(&self.watched).remove(uri);
    }

    /// Tells a client of an older revision what happens, as long as it is there.
    pub(super) fn tell(self: &Arc<Self>, upstreams: Arc<Upstreams>, peer: Peer<RoleServer>) {
        let telling = tokio::spawn(tell(Arc::downgrade(self), upstreams, peer));
        *lock(&self.telling) = Some(AbortOnDropHandle::new(telling));
    }
}

/// What can be told to a client.
enum News {
    Tools,
    At(Happening),
}

/// Waits for something to happen; none when nothing can any more.
struct Newspaper {
    tools: tokio::sync::watch::Receiver<u64>,
    happenings: tokio::sync::broadcast::Receiver<Happening>,
}

impl Newspaper {
    fn of(upstreams: &Upstreams) -> Self {
        Self { tools: upstreams.changes(), happenings: upstreams.happenings() }
    }

    async fn next(&mut self) -> Option<News> {
        loop {
            tokio::select! {
                changed = self.tools.changed() => return changed.ok().map(|()| News::Tools),
                happened = self.happenings.recv() => match happened {
                    Ok(happened) => return Some(News::At(happened)),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }
}

async fn tell(client: Weak<Client>, upstreams: Arc<Upstreams>, peer: Peer<RoleServer>) {
    let mut news = Newspaper::of(&upstreams);
    drop(upstreams);
    while let Some(news) = news.next().await {
        let Some(client) = client.upgrade() else { return };
        let told = match news {
            News::Tools => peer.notify_tool_list_changed().await,
            News::At(Happening::PromptsChanged) => peer.notify_prompt_list_changed().await,
            News::At(Happening::ResourcesChanged) => peer.notify_resource_list_changed().await,
            News::At(Happening::ResourceUpdated { uri }) if client.watches(&uri) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            }
            News::At(Happening::ResourceUpdated { .. }) => Ok(()),
        };
        if told.is_err() {
            return;
        }
    }
}

/// The same for a client of the newest revision, which says with each request what it wants.
pub(super) async fn listen(upstreams: &Upstreams, context: &SubscriptionContext) {
    let mut news = Newspaper::of(upstreams);
    let sink = context.sink();
    loop {
        let news = tokio::select! {
            news = news.next() => news,
            () = context.cancelled() => return,
        };
        let Some(news) = news else { return };
        // What it did not ask for is not sent, and one that has gone is noticed by its request.
        let _ = match news {
            News::Tools => sink.notify_tool_list_changed().await,
            News::At(Happening::PromptsChanged) => sink.notify_prompt_list_changed().await,
            News::At(Happening::ResourcesChanged) => sink.notify_resource_list_changed().await,
            News::At(Happening::ResourceUpdated { uri }) => sink.notify_resource_updated(uri).await,
        };
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
