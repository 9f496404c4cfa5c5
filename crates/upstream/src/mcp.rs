//! One connection to one MCP server, over whatever transport.

mod convert;
mod handler;
mod handshake;
mod input;
mod pages;
mod pass;
mod relay;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use async_trait::async_trait;
use catalog::{Listing, ServerName, ToolName};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetPromptRequestParams, ProtocolVersion,
    ReadResourceRequestParams, Request, RequestMetaObject, ServerJsonRpcMessage,
    ServerNotification, ServerPeerInfo, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    Peer, PeerRequestOptions, RequestHandle, RunningService, ServiceError, TxJsonRpcMessage,
    serve_directly,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio_util::task::AbortOnDropHandle;

use handler::Handler;
pub(crate) use handshake::{Era, Patience, Refusal, greet};
use pages::Kind;
use relay::{For, Relay};

use crate::auth::Credentials;
use crate::connection::{Connection, Facts, List};
use crate::ended::Ended;
use crate::error::{CallFailure, ConnectError};
use crate::feed::{Feed, NoteKind, shortened};
use crate::http;
use crate::message::{TOO_LARGE, UNREADABLE};
use crate::options::Options;
use crate::passing::{Abilities, Happening, PassFailure, Passing};
use crate::result::{Prompt, Resource, ToolResult};
use crate::trace;

pub use convert::tool as read_tool;

/// Bytes of a server's instructions that are kept as its description.
const INSTRUCTIONS: usize = 4 << 10;
/// Bytes of a server's error message that are passed on.
const MESSAGE: usize = 4 << 10;
/// How long saying goodbye may take; children take at most three seconds to end.
const GOODBYE: Duration = Duration::from_secs(6);
/// The error that asks for a visit to a web page first (2025-11-25).
const URL_ELICITATION_REQUIRED: i32 = -32_042;
/// The error of servers that have no such resource.
const NO_RESOURCE: i64 = -32_002;
/// The error that asks for a capability we do not have (2026-07-28).
const MISSING_CAPABILITY: i32 = -32_021;

/// What every connection to one server has in common.
pub(crate) struct Setting {
    pub(crate) server: ServerName,
    pub(crate) description: Option<String>,
    pub(crate) connect: Duration,
    /// The last attempt said `server/discover` and heard nothing until its time was over.
    pub(crate) unheard: AtomicBool,
    pub(crate) answer_bytes: usize,
    pub(crate) concurrency: usize,
    pub(crate) options: Arc<Options>,
    pub(crate) feed: Arc<Feed>,
}

/// A connection after its handshake.
pub(crate) struct McpConnection {
    server: ServerName,
    description: Option<String>,
    answer_bytes: usize,
    place: String,
    info: Arc<ServerPeerInfo>,
    peer: Peer<RoleClient>,
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
    feed: Arc<Feed>,
    options: Arc<Options>,
    ended: Ended,
    relay: Arc<Relay>,
    watched: Mutex<pass::Watching>,
    /// Says why an HTTP request was refused.
    pub(crate) credentials: Option<Arc<Credentials>>,
    _listener: Option<AbortOnDropHandle<()>>,
}

impl McpConnection {
    /// Takes over a transport whose handshake is done.
    pub(crate) fn start<T>(
        setting: &Setting,
        transport: T,
        info: ServerPeerInfo,
        place: String,
        ended: Ended,
    ) -> Self
    where
        T: Transport<RoleClient> + 'static,
    {
        let relay = Arc::<Relay>::default();
        let transport =
            Watched { inner: transport, ended: ended.clone(), relay: relay.clone(), held: None };
        let handler = Handler::new(setting, relay.clone());
        let running = serve_directly(handler, transport, Some(info.clone()));
        let peer = running.peer().clone();
        let listener = listens(&info).then(|| {
            let filter = pass::changes(&info);
            AbortOnDropHandle::new(tokio::spawn(listen(peer.clone(), filter, setting.feed.clone())))
        });
        Self {
            server: setting.server.clone(),
            description: setting.description.clone(),
            answer_bytes: setting.answer_bytes,
            place,
            info: Arc::new(info),
            peer,
            running: Mutex::new(Some(running)),
            feed: setting.feed.clone(),
            options: setting.options.clone(),
            ended,
            relay,
            watched: Mutex::default(),
            credentials: None,
            _listener: listener,
        }
    }

    /// Sends a request of ours and waits for its answer. Dropping this tells the server.
    async fn ask(&self, what: &str, request: ClientRequest) -> Result<Value, CallFailure> {
        let answer = self.asked(request, self.request_options(), &For::Us).await;
        answer.map_err(|problem| self.unanswered(what, problem))
    }

    /// Sends a request for somebody and waits for its answer. Dropping this tells the server.
    async fn asked(
        &self,
        request: ClientRequest,
        options: PeerRequestOptions,
        whom: &For<'_>,
    ) -> Result<Value, Unanswered> {
        let handle = {
            let _sending = self.relay.sending.lock().await;
            let sent = self.peer.send_request_with_option(request, options);
            let handle = sent.await.map_err(Unanswered::Service)?;
            self.relay.sent(handle.id.clone(), handle.progress_token.clone(), whom);
            handle
        };
        let id = handle.id.clone();
        let mut asked = Asked { handle: Some(handle), relay: self.relay.clone() };
        let Some(handle) = &mut asked.handle else {
            return Err(Unanswered::Broken("it was not sent".to_owned()));
        };
        let answer = tokio::select! {
            biased;
            answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
            reason = self.ended.wait() => Err(ServiceError::Cancelled { reason: Some(reason) }),
        };
        asked.handle = None;
        self.relay.answered(&id);
        match answer {
            Ok(answer) => into_value(answer).map_err(Unanswered::Broken),
            Err(ServiceError::Cancelled { reason: Some(reason) }) => {
                Err(Unanswered::Broken(reason))
            }
            Err(problem) => Err(Unanswered::Service(problem)),
        }
    }

    fn unanswered(&self, what: &str, problem: Unanswered) -> CallFailure {
        match problem {
            Unanswered::Service(problem) => self.failure(what, problem),
            Unanswered::Broken(reason) => self.broken(what, &reason),
        }
    }

    fn request_options(&self) -> PeerRequestOptions {
        let options = PeerRequestOptions::no_options();
        // From this revision on, servers log only for those who ask with every request.
        let wishes = self.info.protocol_version >= ProtocolVersion::V_2026_07_28;
        let mut meta = if wishes { handler::log_wish() } else { RequestMetaObject::new() };
        if let Some(parent) = trace::current() {
            meta.insert(trace::TRACEPARENT.to_owned(), parent.to_string().into());
            if let Some(state) = &parent.state {
                meta.insert(trace::TRACESTATE.to_owned(), state.as_str().into());
            }
        }
        if meta.is_empty() { options } else { options.with_meta(meta) }
    }

    fn failure(&self, what: &str, problem: ServiceError) -> CallFailure {
        let source = match problem {
            ServiceError::McpError(error) => return self.refused(what, &error),
            ServiceError::TransportSend(problem) => problem.error,
            ServiceError::TransportClosed => {
                let reason = self.ended.reason();
                return self.broken(what, reason.as_deref().unwrap_or("the connection was closed"));
            }
            problem => return self.broken(what, &problem.to_string()),
        };
        if let Some(credentials) = &self.credentials
            && let Some(problem) = http::login_problem(source.as_ref(), credentials)
        {
            return problem.into();
        }
        let reason = http::reason(source.as_ref());
        // A line that a process did not take to its end was not read by it either.
        if source.is::<std::io::Error>() || http::never_left(source.as_ref()) {
            self.ended.set(reason.clone());
            let (server, place) = (self.server.clone(), self.place.clone());
            return ConnectError::Unusable { server, place, reason }.into();
        }
        if http::is_what_it_said(source.as_ref()) {
            let (server, tool) = (self.server.clone(), ToolName(what.to_owned()));
            return CallFailure::Unreadable { server, tool, problem: reason };
        }
        self.broken(what, &reason)
    }

    fn refused(&self, what: &str, error: &rmcp::ErrorData) -> CallFailure {
        let (server, tool) = (self.server.clone(), ToolName(what.to_owned()));
        let message = shortened(&error.message, MESSAGE);
        match error.code.0 {
            code if code == TOO_LARGE.0 => {
                CallFailure::TooLarge { server, tool, allowed: self.answer_bytes }
            }
            code if code == UNREADABLE.0 => {
                CallFailure::Unreadable { server, tool, problem: message }
            }
            URL_ELICITATION_REQUIRED => {
                let wanted = format!("a visit to a web page by the user (elicitation): {message}");
                CallFailure::WantsInput { server, tool, wanted }
            }
            MISSING_CAPABILITY => {
                CallFailure::WantsInput { server, tool, wanted: format!("a capability: {message}") }
            }
            code => CallFailure::Refused { server, tool, code: code.into(), message },
        }
    }

    fn broken(&self, what: &str, reason: &str) -> CallFailure {
        CallFailure::Broken {
            server: self.server.clone(),
            tool: ToolName(what.to_owned()),
            reason: reason.to_owned(),
        }
    }

    /// The answer, after all questions that policy answers.
    async fn answered(&self, what: &str, mut request: ClientRequest) -> Result<Value, CallFailure> {
        for _ in 0..=input::ROUNDS {
            // Most operators let nothing be answered, and then arguments need not be copied.
            let again = input::may_answer(&self.options).then(|| request.clone());
            let value = self.ask(what, request).await?;
            let Some(wanted) = convert::wanted(&value) else { return Ok(value) };
            let next = again.and_then(|again| input::repeated(again, &value, &self.options));
            let Some(next) = next else { return Err(self.wants(what, wanted)) };
            self.feed.note(NoteKind::Asked, &format!("{what} asked for {wanted}: policy answered"));
            request = next;
        }
        Err(self.wants(what, format!("an answer more than {} times", input::ROUNDS)))
    }

    fn wants(&self, what: &str, wanted: String) -> CallFailure {
        self.feed.note(NoteKind::Asked, &format!("{what} asked for {wanted} and got nothing"));
        let (server, tool) = (self.server.clone(), ToolName(what.to_owned()));
        CallFailure::WantsInput { server, tool, wanted }
    }

    fn unusable(&self, failure: CallFailure) -> ConnectError {
        match failure {
            CallFailure::NotConnected(problem) => problem,
            failure => ConnectError::Unusable {
                server: self.server.clone(),
                place: self.place.clone(),
                reason: format!("listing its tools failed: {failure}"),
            },
        }
    }
}

#[async_trait]
impl Connection for McpConnection {
    async fn listing(&self) -> Result<Listing, ConnectError> {
        let found = match (self.pages(Kind::Tools).await, &self.info.capabilities.tools) {
            (Ok(found), _) => found,
            // Some that have tools forget to say so; those that have none refuse the question.
            (Err(CallFailure::Refused { .. }), None) => Vec::new(),
            (Err(failure), _) => return Err(self.unusable(failure)),
        };
        let mut names = HashSet::new();
        let mut tools = Vec::with_capacity(found.len());
        for value in found {
            match convert::tool(value) {
                Ok(tool) if names.insert(tool.name.clone()) => tools.push(tool),
                Ok(tool) => {
                    self.feed.note(NoteKind::Noticed, &format!("it lists {:?} twice", tool.name.0));
                }
                Err(problem) => {
                    self.feed.note(NoteKind::Noticed, &format!("it lists {problem}"));
                }
            }
        }
        let me = self.info.server_info.as_ref();
        let instructions =
            || self.info.instructions.as_deref().map(|text| shortened(text, INSTRUCTIONS));
        Ok(Listing {
            server: self.server.clone(),
            title: me
                .and_then(|me| me.title.clone().or_else(|| Some(me.name.clone())))
                .filter(|title| !title.is_empty()),
            version: me.map(|me| me.version.clone()).filter(|version| !version.is_empty()),
            description: self.description.clone().or_else(instructions),
            tools,
        })
    }

    async fn call(
        &self,
        tool: &ToolName,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, CallFailure> {
        let call = CallToolRequestParams::new(tool.0.clone()).with_arguments(arguments);
        let value =
            self.answered(&tool.0, ClientRequest::CallToolRequest(Request::new(call))).await?;
        if value.get("resultType").and_then(Value::as_str) == Some("task") {
            let message =
                "it answered with a task to wait for, which it was not told we can".to_owned();
            return Err(CallFailure::Refused {
                server: self.server.clone(),
                tool: tool.clone(),
                code: 0,
                message,
            });
        }
        Ok(convert::tool_result(value))
    }

    async fn pass(&self, passing: &Passing) -> Result<Value, PassFailure> {
        self.pass_on(passing).await
    }

    async fn list(&self, list: List) -> Result<Vec<Value>, CallFailure> {
        self.listed(list).await
    }

    async fn subscribe(&self, uri: &str) -> Result<(), PassFailure> {
        self.watch(uri).await
    }

    async fn unsubscribe(&self, uri: &str) -> Result<(), PassFailure> {
        self.unwatch(uri).await
    }

    fn abilities(&self) -> Abilities {
        pass::abilities(&self.info)
    }

    async fn resources(&self) -> Result<Vec<Value>, CallFailure> {
        if self.info.capabilities.resources.is_none() {
            return Ok(Vec::new());
        }
        let mut resources = self.pages(Kind::Resources).await?;
        match self.pages(Kind::Templates).await {
            Ok(templates) => resources.extend(templates),
            // Servers without templates need not know the question.
            Err(CallFailure::Refused { .. }) => {}
            Err(failure) => return Err(failure),
        }
        Ok(resources)
    }

    async fn resource(&self, uri: &str) -> Result<Vec<Resource>, CallFailure> {
        const METHOD: &str = "resources/read";
        let request =
            ClientRequest::ReadResourceRequest(Request::new(ReadResourceRequestParams::new(uri)));
        let mut value = self.answered(METHOD, request).await?;
        let contents = match value.get_mut("contents").map(Value::take) {
            Some(Value::Array(contents)) => contents,
            Some(single @ Value::Object(_)) => vec![single],
            // Some that have no such resource say so in an answer of their own making.
            _ => {
                let said = shortened(&convert::said(&value), MESSAGE);
                let message = format!("it answered without `contents`: {said}");
                let (server, tool) = (self.server.clone(), ToolName(METHOD.to_owned()));
                return Err(CallFailure::Refused { server, tool, code: NO_RESOURCE, message });
            }
        };
        Ok(contents.into_iter().filter_map(convert::resource).collect())
    }

    async fn prompts(&self) -> Result<Vec<Value>, CallFailure> {
        match self.info.capabilities.prompts {
            Some(_) => self.pages(Kind::Prompts).await,
            None => Ok(Vec::new()),
        }
    }

    async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Prompt, CallFailure> {
        // The protocol knows only texts here.
        let arguments = arguments.into_iter().map(|(name, value)| match value {
            Value::String(_) => (name, value),
            value => (name, Value::String(value.to_string())),
        });
        let prompt = GetPromptRequestParams::new(name).with_arguments(arguments.collect());
        let request = ClientRequest::GetPromptRequest(Request::new(prompt));
        self.answered("prompts/get", request).await.map(convert::prompt)
    }

    fn is_open(&self) -> bool {
        !self.ended.is_set() && !self.peer.is_transport_closed()
    }

    async fn close(&self) {
        if let Some(mut running) = self.running.lock().await.take() {
            let _ = running.close_with_timeout(GOODBYE).await;
        }
        self.ended.set("it was closed");
    }

    async fn ended(&self) -> String {
        self.ended.wait().await
    }

    fn facts(&self) -> Facts {
        let me = self.info.server_info.as_ref().filter(|me| !me.name.is_empty());
        Facts {
            protocol: Some(self.info.protocol_version.to_string()),
            server: me.map(|me| shortened(format!("{} {}", me.name, me.version).trim(), 200)),
            left_out: Vec::new(),
        }
    }
}

/// A transport that tells of its end, and shows every message to the relay first.
struct Watched<T> {
    inner: T,
    ended: Ended,
    relay: Arc<Relay>,
    /// Received and not yet shown: waiting for the relay may be called off at any time.
    held: Option<ServerJsonRpcMessage>,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        if self.held.is_none() {
            self.held = self.inner.receive().await;
        }
        if self.held.is_none() {
            self.ended.set("the connection was closed");
        }
        // A request that is just being sent is known when that is done.
        drop(self.relay.sending.lock().await);
        if let Some(message) = &self.held {
            self.relay.seen(message);
        }
        self.held.take()
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// A request that is under way; the server hears when nobody waits any more.
struct Asked {
    handle: Option<RequestHandle<RoleClient>>,
    relay: Arc<Relay>,
}

/// Why a request has no answer.
enum Unanswered {
    Service(ServiceError),
    Broken(String),
}

impl Drop for Asked {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        self.relay.given_up(handle.id.clone());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        // Ends by itself: the notification is sent or the connection is closed.
        runtime.spawn(async move {
            let _ = handle.cancel(Some("nobody waits for the answer any more".to_owned())).await;
        });
    }
}

/// An answer as JSON. Over HTTP, rmcp has read what it knows into its own types.
fn into_value(answer: ServerResult) -> Result<Value, String> {
    match answer {
        ServerResult::CustomResult(result) => Ok(result.0),
        answer => serde_json::to_value(answer).map_err(|problem| problem.to_string()),
    }
}

/// Whether a server has to be asked before it says what changed.
fn listens(info: &ServerPeerInfo) -> bool {
    !info.protocol_version.has_initialize() && pass::changes(info) != SubscriptionFilter::default()
}

/// Waits for a server of the newest revision to say what changed.
async fn listen(peer: Peer<RoleClient>, filter: SubscriptionFilter, feed: Arc<Feed>) {
    let mut subscription = match peer.listen(filter).await {
        Ok(subscription) => subscription,
        Err(problem) => {
            feed.note(
                NoteKind::Noticed,
                &format!("it does not say when its tools change: {problem}"),
            );
            return;
        }
    };
    while let Ok(Some(notification)) = subscription.next().await {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => feed.tools_changed(),
            ServerNotification::PromptListChangedNotification(_) => {
                feed.happened(Happening::PromptsChanged);
            }
            ServerNotification::ResourceListChangedNotification(_) => {
                feed.happened(Happening::ResourcesChanged);
            }
            ServerNotification::ResourceUpdatedNotification(update) => {
                feed.happened(Happening::ResourceUpdated { uri: update.params.uri });
            }
            _ => {}
        }
    }
}
