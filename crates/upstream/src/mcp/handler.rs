//! What servers say and ask without being asked, and what they get.
#![expect(deprecated, reason = "what the newest revision deprecates is what all others use")]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::RoleClient;
use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomRequest, CustomResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, ErrorData, ListRootsResult,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, RequestMetaObject,
    Root,
};
use rmcp::service::{NotificationContext, RequestContext};
use serde_json::Value;

use super::Setting;
use super::handshake::identity;
use crate::feed::{Feed, NoteKind};
use crate::options::{Elicitation, Options, Roots};

/// Answers one server by policy, at once and always.
pub(super) struct Handler {
    identity: ClientConfig,
    options: Arc<Options>,
    feed: Arc<Feed>,
}

impl Handler {
    pub(super) fn new(setting: &Setting) -> Self {
        Self {
            identity: identity(setting),
            options: setting.options.clone(),
            feed: setting.feed.clone(),
        }
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
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(self.refuse("answers of a model (sampling)"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        match &self.options.roots {
            Roots::Refuse => Err(self.refuse("the roots of a workspace (roots)")),
            Roots::Listed(uris) => Ok(ListRootsResult::new(uris.iter().map(Root::new).collect())),
        }
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
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
