//! Requests of other people's clients, on one connection.

use std::collections::HashMap;

use rmcp::model::{
    ClientRequest, ProtocolVersion, RequestMetaObject, ServerPeerInfo, SubscriptionFilter,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::pages::Kind;
use super::relay::For;
use super::{McpConnection, Unanswered, handler, listen};
use crate::connection::List;
use crate::digits;
use crate::error::CallFailure;
use crate::feed::shortened;
use crate::message::{TOO_LARGE, UNREADABLE};
use crate::passing::{Abilities, PassFailure, Passing, Refused};

/// What the newest revision writes into `_meta`; the transport's business, not the client's.
const OF_THE_PROTOCOL: &str = "io.modelcontextprotocol/";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Resources that are watched on one connection.
const WATCHED: usize = 1_000;

/// The resources that are watched, how often, and the task that listens where one has to.
pub(super) type Watching = HashMap<String, (usize, Option<AbortOnDropHandle<()>>)>;

impl McpConnection {
    pub(super) async fn pass_on(&self, passing: &Passing) -> Result<Value, PassFailure> {
        let request = request(passing)?;
        let options = PeerRequestOptions::no_options().with_meta(self.meta(passing));
        let whom = For::Client { events: &passing.events, logs: passing.log_level.is_some() };
        match self.asked(request, options, &whom).await {
            Ok(mut value) => {
                digits::take(&mut value);
                Ok(value)
            }
            Err(Unanswered::Service(ServiceError::McpError(error)))
                if ![TOO_LARGE, UNREADABLE].contains(&error.code) =>
            {
                let message = shortened(&error.message, super::MESSAGE);
                Err(Refused { code: error.code.0, message, data: error.data }.into())
            }
            Err(problem) => Err(self.unanswered(passing.method, problem).into()),
        }
    }

    /// What goes along with a request: what the client said of itself, in this server's revision.
    fn meta(&self, passing: &Passing) -> RequestMetaObject {
        let mut meta: Map<String, Value> = passing.meta.clone();
        meta.retain(|key, _| !key.starts_with(OF_THE_PROTOCOL) && key != "progressToken");
        if self.info.protocol_version < ProtocolVersion::V_2026_07_28 {
            return read_meta(meta);
        }
        meta.insert(CAPABILITIES.to_owned(), passing.capabilities.clone());
        let mut meta = match &passing.log_level {
            Some(level) => {
                meta.insert(LOG_LEVEL.to_owned(), level.clone().into());
                return read_meta(meta);
            }
            None => read_meta(meta),
        };
        // For whoever looks after this server; the client hears nothing of it.
        meta.extend(handler::log_wish());
        meta
    }

    pub(super) async fn listed(&self, list: List) -> Result<Vec<Value>, CallFailure> {
        let can = abilities(&self.info);
        let (can, kind) = match list {
            List::Resources => (can.resources, Kind::Resources),
            List::Templates => (can.resources, Kind::Templates),
            List::Prompts => (can.prompts, Kind::Prompts),
        };
        if !can {
            return Ok(Vec::new());
        }
        match self.pages(kind).await {
            // Servers without templates need not know the question.
            Err(CallFailure::Refused { .. }) if kind == Kind::Templates => Ok(Vec::new()),
            listed => listed,
        }
    }

    pub(super) async fn watch(&self, uri: &str) -> Result<(), PassFailure> {
        let mut watched = self.watched.lock().await;
        if watched.len() >= WATCHED && !watched.contains_key(uri) {
            let message = format!("more than {WATCHED} resources of one server are watched");
            return Err(Refused { code: -32_603, message, data: None }.into());
        }
        let listener = if self.info.protocol_version.has_initialize() {
            // Asked for every client, so that each hears whether there is such a resource.
            self.about_resource("resources/subscribe", uri).await?;
            None
        } else if watched.contains_key(uri) {
            None
        } else {
            let filter = SubscriptionFilter::builder().resource_subscriptions([uri]).build();
            let listening = listen(self.peer.clone(), filter, self.feed.clone());
            Some(AbortOnDropHandle::new(tokio::spawn(listening)))
        };
        let entry = watched.entry(uri.to_owned()).or_insert((0, None));
        entry.0 += 1;
        entry.1 = entry.1.take().or(listener);
        Ok(())
    }

    pub(super) async fn unwatch(&self, uri: &str) -> Result<(), PassFailure> {
        let mut watched = self.watched.lock().await;
        let Some((count, _)) = watched.get_mut(uri) else { return Ok(()) };
        *count = count.saturating_sub(1);
        if *count > 0 {
            return Ok(());
        }
        watched.remove(uri);
        if self.info.protocol_version.has_initialize() {
            self.about_resource("resources/unsubscribe", uri).await?;
        }
        Ok(())
    }

    async fn about_resource(&self, method: &'static str, uri: &str) -> Result<(), PassFailure> {
        let mut params = Map::new();
        params.insert("uri".to_owned(), uri.into());
        let (passing, _) = Passing::new(method, params);
        self.pass_on(&passing).await.map(drop)
    }
}

fn request(passing: &Passing) -> Result<ClientRequest, PassFailure> {
    let request = json!({ "method": passing.method, "params": passing.params });
    serde_json::from_value(request).map_err(|problem| {
        let message = format!("{} cannot be passed on: {problem}", passing.method);
        Refused { code: -32_602, message, data: None }.into()
    })
}

fn read_meta(meta: Map<String, Value>) -> RequestMetaObject {
    serde_json::from_value(Value::Object(meta)).unwrap_or_default()
}

/// What a server says it can do.
pub(super) fn abilities(info: &ServerPeerInfo) -> Abilities {
    let can = &info.capabilities;
    Abilities {
        prompts: can.prompts.is_some(),
        resources: can.resources.is_some(),
        completions: can.completions.is_some(),
        logging: can.logging.is_some(),
    }
}

/// The changes that a server says it tells of.
pub(super) fn changes(info: &ServerPeerInfo) -> SubscriptionFilter {
    let can = &info.capabilities;
    let mut filter = SubscriptionFilter::default();
    let yes = |told: Option<bool>| told.filter(|told| *told);
    filter.tools_list_changed = yes(can.tools.as_ref().and_then(|can| can.list_changed));
    filter.prompts_list_changed = yes(can.prompts.as_ref().and_then(|can| can.list_changed));
    filter.resources_list_changed = yes(can.resources.as_ref().and_then(|can| can.list_changed));
    filter
}
