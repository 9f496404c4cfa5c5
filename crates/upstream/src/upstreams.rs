//! All servers together.
//!
//! Each has a [`Slot`] of its own, and nothing that one server does or fails to do is waited for
//! by a caller of another.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use catalog::{Listing, ServerName, ToolName};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, watch};

use crate::connection::{Connection, List};
use crate::departure;
use crate::error::{CallFailure, ConnectError};
use crate::feed::Feed;
use crate::open::{Clients, Opener};
use crate::options::Options;
use crate::passing::{Abilities, Happening, PassFailure, Passing};
use crate::result::{Prompt, Resource, ToolResult};
use crate::settings::ServerSettings;
use crate::slot::Slot;
use crate::status::ServerStatus;

/// The servers we are a client of.
///
/// * **Made without waiting.** Eager servers connect in the background, the others when first
///   asked for.
/// * **Dropping a call cancels it**, and the server is told.
/// * **No call hangs.** It ends with its answer, its time, or the connection.
pub struct Upstreams {
    slots: RwLock<BTreeMap<ServerName, Arc<Slot>>>,
    options: Arc<Options>,
    clients: Arc<Clients>,
    changes: Arc<watch::Sender<u64>>,
    happenings: broadcast::Sender<Happening>,
}

/// Happenings that wait for whoever is interested; who falls further behind misses some.
const HAPPENINGS: usize = 256;

/// A resource that is watched as long as this lives.
pub struct Watch {
    connection: Arc<dyn Connection>,
    uri: String,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (connection, uri) = (self.connection.clone(), std::mem::take(&mut self.uri));
        // Ends by itself: the server is told or the connection is closed.
        runtime.spawn(async move {
            let _ = connection.unsubscribe(&uri).await;
        });
    }
}

impl Upstreams {
    /// Must be called within a tokio runtime.
    #[must_use]
    pub fn new(servers: Vec<ServerSettings>, options: Options) -> Arc<Self> {
        let upstreams = Self {
            slots: RwLock::default(),
            options: Arc::new(options),
            clients: Arc::default(),
            changes: Arc::new(watch::Sender::new(0)),
            happenings: broadcast::Sender::new(HAPPENINGS),
        };
        let slots = servers
            .into_iter()
            .map(|server| (server.name.clone(), upstreams.slot_for(server)))
            .collect();
        *upstreams.slots.write().unwrap_or_else(PoisonError::into_inner) = slots;
        Arc::new(upstreams)
    }

    /// What a server offers. Connects if need be.
    pub async fn listing(&self, server: &ServerName) -> Result<Arc<Listing>, ConnectError> {
        self.slot(server)?.listing().await
    }

    /// What a server offers, asked now: it may have changed its tools without our having heard.
    pub async fn listing_again(&self, server: &ServerName) -> Result<Arc<Listing>, ConnectError> {
        self.slot(server)?.listing_again().await
    }

    /// What a server offered when it was last asked, without asking.
    #[must_use]
    pub fn known_listing(&self, server: &ServerName) -> Option<Arc<Listing>> {
        self.slot(server).ok()?.known_listing()
    }

    /// Counts up whenever the listing of any server has changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Calls a tool by the server's own name for it.
    pub async fn call(
        &self,
        server: &ServerName,
        tool: &ToolName,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, CallFailure> {
        let slot = self.slot(server)?;
        within(&slot, tool, |connection| {
            let arguments = arguments.clone();
            async move { connection.call(tool, arguments).await }.boxed()
        })
        .await
    }

    /// Passes on a request of somebody else's client, which hears what happens meanwhile.
    pub async fn pass(&self, server: &ServerName, passing: &Passing) -> Result<Value, PassFailure> {
        let slot = self.slot(server)?;
        // A tool has its own time; so have calls by programs.
        let name = passing.params.get("name").and_then(Value::as_str);
        let what = name.filter(|_| passing.method == "tools/call").unwrap_or(passing.method);
        within(&slot, &method(what), |connection| {
            async move { connection.pass(passing).await }.boxed()
        })
        .await
    }

    /// One of a server's lists, as the protocol describes its entries.
    pub async fn list(&self, server: &ServerName, list: List) -> Result<Vec<Value>, CallFailure> {
        let slot = self.slot(server)?;
        within(&slot, &method("list"), |connection| {
            async move { connection.list(list).await }.boxed()
        })
        .await
    }

    /// Watches a resource: [`happenings`](Self::happenings) tells when it has changed.
    pub async fn watch(&self, server: &ServerName, uri: &str) -> Result<Watch, PassFailure> {
        let slot = self.slot(server)?;
        within(&slot, &method("resources/subscribe"), |connection| {
            async move {
                connection.subscribe(uri).await?;
                Ok::<_, PassFailure>(Watch { connection, uri: uri.to_owned() })
            }
            .boxed()
        })
        .await
    }

    /// What happens at all servers, from now on.
    #[must_use]
    pub fn happenings(&self) -> broadcast::Receiver<Happening> {
        self.happenings.subscribe()
    }

    /// What a server can do besides calling tools. Connects if need be.
    pub async fn abilities(&self, server: &ServerName) -> Result<Abilities, ConnectError> {
        Ok(self.slot(server)?.connection().await?.connection.abilities())
    }

    /// A server's resources and templates of resources, as the protocol describes them.
    pub async fn resources(&self, server: &ServerName) -> Result<Vec<Value>, CallFailure> {
        let slot = self.slot(server)?;
        within(&slot, &method("resources/list"), |connection| {
            async move { connection.resources().await }.boxed()
        })
        .await
    }

    /// The contents of one resource.
    pub async fn resource(
        &self,
        server: &ServerName,
        uri: &str,
    ) -> Result<Vec<Resource>, CallFailure> {
        let slot = self.slot(server)?;
        within(&slot, &method("resources/read"), |connection| {
            async move { connection.resource(uri).await }.boxed()
        })
        .await
    }

    /// A server's prompts, as the protocol describes them.
    pub async fn prompts(&self, server: &ServerName) -> Result<Vec<Value>, CallFailure> {
        let slot = self.slot(server)?;
        within(&slot, &method("prompts/list"), |connection| {
            async move { connection.prompts().await }.boxed()
        })
        .await
    }

    /// One prompt, filled in.
    pub async fn prompt(
        &self,
        server: &ServerName,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Prompt, CallFailure> {
        let slot = self.slot(server)?;
        within(&slot, &method("prompts/get"), |connection| {
            let arguments = arguments.clone();
            async move { connection.prompt(name, arguments).await }.boxed()
        })
        .await
    }

    /// The names of all servers.
    #[must_use]
    pub fn names(&self) -> Vec<ServerName> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// How each server is doing.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.all().iter().map(|slot| slot.status()).collect()
    }

    /// Adds a server, in place of one of the same name.
    pub async fn add(&self, server: ServerSettings) {
        let slot = self.slot_for(server.clone());
        let before =
            self.slots.write().unwrap_or_else(PoisonError::into_inner).insert(server.name, slot);
        self.ended(before).await;
    }

    /// Removes a server and ends its connection; false if there is none.
    pub async fn remove(&self, server: &ServerName) -> bool {
        let before = self.slots.write().unwrap_or_else(PoisonError::into_inner).remove(server);
        let was_there = before.is_some();
        self.ended(before).await;
        was_there
    }

    /// Ends all connections, all at once, and the children with them.
    pub async fn close(&self) {
        let slots = self.all();
        join_all(slots.iter().map(|slot| slot.close())).await;
    }

    async fn ended(&self, slot: Option<Arc<Slot>>) {
        let Some(slot) = slot else { return };
        if slot.known_listing().is_some() {
            self.changes.send_modify(|count| *count += 1);
        }
        slot.close().await;
    }

    fn all(&self) -> Vec<Arc<Slot>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn slot(&self, server: &ServerName) -> Result<Arc<Slot>, ConnectError> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        slots.get(server).cloned().ok_or_else(|| ConnectError::Unknown {
            name: server.0.clone(),
            configured: match slots.len() {
                0 => "none".to_owned(),
                _ => slots.keys().map(|name| name.0.as_str()).collect::<Vec<_>>().join(", "),
            },
        })
    }

    fn slot_for(&self, server: ServerSettings) -> Arc<Slot> {
        let feed = Arc::new(Feed::telling(&server.name, self.happenings.clone()));
        let opener = Opener::new(&server, self.options.clone(), feed.clone(), self.clients.clone());
        Slot::new(server, opener, feed, self.changes.clone())
    }
}

fn method(name: &str) -> ToolName {
    ToolName(name.to_owned())
}

/// Does something with a connection, in turn and in time.
async fn within<'a, T, E>(
    slot: &Arc<Slot>,
    tool: &ToolName,
    call: impl Fn(Arc<dyn Connection>) -> BoxFuture<'a, Result<T, E>>,
) -> Result<T, E>
where
    E: From<CallFailure> + Unsent,
{
    let allowed = slot.allowed(tool);
    let turn = departure::before_leaving(async {
        let live = slot.connection().await.map_err(CallFailure::from)?;
        let permit = tokio::time::timeout(allowed, slot.permits.acquire()).await;
        Ok::<_, CallFailure>((live, permit.map_err(|_| busy(slot, allowed))?))
    });
    let (live, permit) = turn.await?;
    departure::leaves().await.map_err(|error| CallFailure::from(unwritten(slot, &error)))?;
    let attempt = async {
        match call(live.connection.clone()).await {
            // It never left, because the server had gone without our noticing.
            Err(problem) if problem.is_unsent() && !live.connection.is_open() => {
                let live = slot.connection().await.map_err(CallFailure::from)?;
                call(live.connection.clone()).await
            }
            result => result,
        }
    };
    let result = tokio::time::timeout(allowed, attempt).await;
    drop(permit);
    result.unwrap_or_else(|_| {
        let (server, tool) = (slot.settings.name.clone(), tool.clone());
        let own = slot.settings.timeouts.tools.contains_key(&tool);
        let setting = if own { "tool-timeouts" } else { "timeout" };
        Err(CallFailure::Late { server, tool, allowed, setting }.into())
    })
}

/// A failure that may mean that the server has seen nothing.
trait Unsent {
    fn is_unsent(&self) -> bool;
}

impl Unsent for CallFailure {
    fn is_unsent(&self) -> bool {
        matches!(self, Self::NotConnected(ConnectError::Unusable { .. }))
    }
}

impl Unsent for PassFailure {
    fn is_unsent(&self) -> bool {
        matches!(self, Self::Failed(failure) if failure.is_unsent())
    }
}

fn unwritten(slot: &Slot, error: &std::io::Error) -> ConnectError {
    ConnectError::Unusable {
        server: slot.settings.name.clone(),
        place: "this gateway".to_owned(),
        reason: format!(
            "that the call leaves could not be written down first: {error} (in the data folder, setting `data`)"
        ),
    }
}

fn busy(slot: &Slot, waited: std::time::Duration) -> ConnectError {
    let concurrency = slot.settings.concurrency;
    ConnectError::Unusable {
        server: slot.settings.name.clone(),
        place: "this gateway".to_owned(),
        reason: format!(
            "{concurrency} other calls to it (setting `concurrency`) did not end within {} s",
            waited.as_secs_f64()
        ),
    }
}
