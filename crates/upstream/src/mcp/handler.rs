//! What servers say and ask without being asked, and what they get.
#![expect(deprecated, reason = "what the newest revision deprecates is what all others use")]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::RoleClient;
use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomRequest, CustomResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, ErrorData, ListRootsResult,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, RequestMetaObject,
    ResourceUpdatedNotificationParam, Root,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::oneshot;

use super::Setting;
use super::handshake::identity;
use super::relay::Relay;
use crate::feed::{Feed, NoteKind};
use crate::options::{Elicitation, Options, Roots};
use crate::passing::{Event, Happening};

/// Answers one server: by the client whose request made it ask, where there is one, otherwise by
/// policy, at once and always.
pub(super) struct Handler {
    identity: ClientConfig,
    options: Arc<Options>,
    feed: Arc<Feed>,
    relay: Arc<Relay>,
}

impl Handler {
    pub(super) fn new(setting: &Setting, relay: Arc<Relay>) -> Self {
        Self {
            identity: identity(setting),
            options: setting.options.clone(),
            feed: setting.feed.clone(),
            relay,
        }
    }

    /// The answer of the client whose request made the server ask; none if there is no such
    /// client for certain.
    async fn relayed<P: Serialize, A: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &P,
        context: &RequestContext<RoleClient>,
    ) -> Option<Result<A, ErrorData>> {
        drop(self.relay.sending.lock().await);
        let client = self.relay.asked(context.extensions.get::<InboundStreamOrigin>())?;
        let params = serde_json::to_value(params).ok()?;
        let (answer, answered) = oneshot::channel();
        client.send(Event::Asked { method, params, answer }).await.ok()?;
        let answered = tokio::select! {
            answered = answered => answered.ok()?,
            () = context.ct.cancelled() => return None,
        };
        self.feed.note(NoteKind::Asked, &format!("{method} was passed on to a client"));
        Some(match answered {
            Ok(value) => serde_json::from_value(value).map_err(|problem| {
                let text = format!("the client's answer to {method} is not readable: {problem}");
                ErrorData::internal_error(text, None)
            }),
            Err(no) => Err(ErrorData::new(ErrorCode(no.code), no.message, no.data)),
        })
    }

    fn refuse(&self, what: &str) -> ErrorData {
        self.feed.note(NoteKind::Asked, &format!("asked for {what} and was refused"));
        let text =
            format!("{} does not give {what} to servers; do without it", self.options.client);
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
    }
}

impl ClientHandler for Handler {
    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if let Some(answer) = self.relayed("sampling/createMessage", &request, &context).await {
            return answer;
        }
        Err(self.refuse("answers of a model (sampling)"))
    }

    async fn list_roots(
        &self,
        context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let nothing = serde_json::Map::<String, Value>::new();
        if let Some(answer) = self.relayed("roots/list", &nothing, &context).await {
            return answer;
        }
        match &self.options.roots {
            Roots::Refuse => Err(self.refuse("the roots of a workspace (roots)")),
            Roots::Listed(uris) => Ok(ListRootsResult::new(uris.iter().map(Root::new).collect())),
        }
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let Some(answer) = self.relayed("elicitation/create", &request, &context).await {
            return answer;
        }
        match self.options.elicitation {
            Elicitation::Refuse => Err(self.refuse("a choice of the user (elicitation)")),
            Elicitation::Decline => {
                self.feed
                    .note(NoteKind::Asked, "asked for a choice of the user, which was declined");
                Ok(ElicitResult::new(ElicitationAction::Decline))
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        Err(self.refuse(&crate::feed::shortened(&request.method, 100)))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let text = progress.message.map(|message| format!(": {message}")).unwrap_or_default();
        self.feed.note(NoteKind::Progress, &format!("{}{total}{text}", progress.progress));
    }

    async fn on_logging_message(
        &self,
        log: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.feed.note(NoteKind::Log, &log_text(&log));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.feed.tools_changed();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.feed.happened(Happening::PromptsChanged);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.feed.happened(Happening::ResourcesChanged);
    }

    async fn on_resource_updated(
        &self,
        update: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.feed.happened(Happening::ResourceUpdated { uri: update.uri });
    }

    fn get_info(&self) -> ClientConfig {
        self.identity.clone()
    }
}

/// Asks for what a server logs while it deals with a request.
pub(super) fn log_wish() -> RequestMetaObject {
    let mut meta = RequestMetaObject::new();
    meta.set_log_level(LoggingLevel::Info);
    meta
}

/// A log message on one line.
pub(super) fn log_text(log: &LoggingMessageNotificationParam) -> String {
    let level = format!("{:?}", log.level).to_lowercase();
    let logger = log.logger.as_ref().map(|logger| format!(" {logger}")).unwrap_or_default();
    let data = match &log.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    format!("{level}{logger}: {data}")
}
