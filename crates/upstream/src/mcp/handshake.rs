//! Getting to know a server: which revision of the protocol it speaks and what it has.
//!
//! The newest revision begins with `server/discover`, all others with `initialize`. Discovering
//! comes first, because a server that does not know it says so and can then be initialized on
//! the same connection, while most that know both refuse the second after the first. Where that
//! does not lead anywhere the answer is [`Refusal::OtherEra`]: connect anew, initialize at once.
//! A program that says nothing at all is most likely still starting, and is not started again for
//! it: after a while it is asked to initialize as well, and whichever it answers counts.
//!
//! rmcp has this too but gives up on discovering after ten seconds, which is less than a program
//! may take that is being installed while it starts.

use std::error::Error as StdError;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    ClientResult, DiscoverRequest, DiscoverRequestParams, ErrorCode, ErrorData, Implementation,
    InitializeRequest, InitializeResult, InitializedNotification, JsonRpcMessage, PingRequest,
    ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage, ServerNotification,
    ServerPeerInfo, ServerRequest, ServerResult,
};
use rmcp::transport::Transport;
use tokio::time::{Instant, timeout_at};

use super::Setting;
use super::handler::log_text;
use crate::feed::{NoteKind, shortened};
use crate::message::UNREADABLE;
use crate::options::{Elicitation, Roots};

/// Our requests are counted from 0 once the handshake is over, and a number is used only once.
const FIRST_NUMBER: i64 = 900_000_000;
/// After an answer to a ping, how long the answer to what was asked before may still take.
const GRACE: Duration = Duration::from_secs(1);
/// Bytes of an answer that cannot be read which are shown.
const SAID: usize = 300;

/// With which of the two ways to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `server/discover`, then `initialize`.
    Newest,
    /// Only `initialize`.
    Initialize,
}

/// How long an answer to `server/discover` is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// When to ask whether the server is there at all. One that answers this but not what was
    /// asked before will never answer that; one that answers neither is still starting.
    pub(crate) ping: Option<Duration>,
    /// When to ask a server that has answered neither to initialize, too.
    pub(crate) hurry: Duration,
    /// When to stop waiting.
    pub(crate) give_up: Duration,
}

impl Patience {
    /// Waits for an answer until then, and asks nothing else.
    pub(crate) fn until(give_up: Duration) -> Self {
        Self { ping: None, hurry: give_up, give_up }
    }
}

/// Why a server and we did not get to know each other.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the connection broke: {0}")]
    Transport(Box<dyn StdError + Send + Sync>),
    #[error("the connection was closed while connecting")]
    Closed,
    #[error("{}", refused(.0))]
    Answered(ErrorData),
    /// It may still be initialized on a connection on which nothing else was asked.
    #[error("it does not speak the newest revision: {0}")]
    OtherEra(String),
    /// Nothing was heard of it in all the time there was.
    #[error("it does not answer")]
    Silent,
}

fn refused(error: &ErrorData) -> String {
    if error.code == UNREADABLE {
        return format!(
            "it does not answer as MCP servers do: {}",
            shortened(&error.message, SAID)
        );
    }
    format!("it refused to connect: {} (code {})", error.message, error.code.0)
}

/// What we tell servers about ourselves. No capability is claimed that is not there: the tools
/// a server shows depend on it.
pub(super) fn identity(setting: &Setting) -> ClientConfig {
    let mut capabilities = ClientCapabilities::default();
    if let Roots::Listed(_) = setting.options.roots {
        capabilities.roots = Some(rmcp::model::RootsCapabilities::default());
    }
    if setting.options.elicitation == Elicitation::Decline {
        capabilities.elicitation = Some(rmcp::model::ElicitationCapability::default());
    }
    if setting.options.asks_clients {
        let elicitation = rmcp::model::ElicitationCapability::default()
            .with_form(rmcp::model::FormElicitationCapability::default())
            .with_url(rmcp::model::UrlElicitationCapability::default());
        capabilities.elicitation = Some(elicitation);
        capabilities.roots = Some(rmcp::model::RootsCapabilities::default());
        capabilities.sampling = Some(rmcp::model::SamplingCapability::default());
    }
    let me = Implementation::new(setting.options.client.clone(), setting.options.version.clone());
    ClientConfig::new(capabilities, me)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
}

/// Does the handshake and says what the server is.
pub(crate) async fn greet<T>(
    transport: &mut T,
    setting: &Setting,
    era: Era,
    patience: Patience,
) -> Result<ServerPeerInfo, Refusal>
where
    T: Transport<RoleClient>,
{
    let mut greeting = Greeting { transport, setting, me: identity(setting), number: FIRST_NUMBER };
    if era == Era::Initialize {
        return greeting.initialize().await;
    }
    match greeting.discover(patience).await? {
        Discovered::Modern(info) => Ok(*info),
        Discovered::Initialized(info) => greeting.initialized(*info).await,
        Discovered::Unknown => greeting.initialize().await.map_err(|refusal| match refusal {
            Refusal::Answered(error) => Refusal::OtherEra(error.message.into_owned()),
            refusal => refusal,
        }),
    }
}

enum Discovered {
    Modern(Box<ServerPeerInfo>),
    /// The server did not answer before it was asked to initialize, which it did.
    Initialized(Box<InitializeResult>),
    /// The server does not know the request, and has said so.
    Unknown,
}

/// Which of two requests was answered, and how.
enum Heard {
    First(Result<ServerResult, Refusal>),
    Second(Result<ServerResult, Refusal>),
}

struct Greeting<'a, T> {
    transport: &'a mut T,
    setting: &'a Setting,
    me: ClientConfig,
    number: i64,
}

impl<T: Transport<RoleClient>> Greeting<'_, T> {
    async fn discover(&mut self, patience: Patience) -> Result<Discovered, Refusal> {
        let answer = match self.discovered(patience).await {
            // After this refusal, the protocol says, ask again with a revision that it names.
            Err(Refusal::Answered(error)) if names_the_newest(&error) => {
                self.discovered(patience).await
            }
            answer => answer,
        };
        match answer {
            Ok(ServerResult::DiscoverResult(found)) => {
                if !found.supported_versions.contains(&ProtocolVersion::LATEST) {
                    return Err(Refusal::OtherEra(format!("only {:?}", found.supported_versions)));
                }
                let info = ServerPeerInfo::from_discover_result(ProtocolVersion::LATEST, found);
                Ok(Discovered::Modern(Box::new(info)))
            }
            Ok(ServerResult::InitializeResult(found)) => {
                Ok(Discovered::Initialized(Box::new(found)))
            }
            Ok(_) => {
                Err(Refusal::OtherEra("its answer to server/discover is something else".to_owned()))
            }
            // These two can only come from a server that knows the newest revision.
            Err(Refusal::Answered(error))
                if [ErrorCode::HEADER_MISMATCH, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY]
                    .contains(&error.code) =>
            {
                Err(Refusal::Answered(error))
            }
            Err(Refusal::Answered(_)) => Ok(Discovered::Unknown),
            Err(refusal) => Err(refusal),
        }
    }

    async fn discovered(&mut self, patience: Patience) -> Result<ServerResult, Refusal> {
        let mut request = DiscoverRequest::new(DiscoverRequestParams {});
        request.extensions.insert(RequestMetaObject::with_client_context(
            ProtocolVersion::LATEST,
            self.me.client_info.clone(),
            self.me.capabilities.clone(),
        ));
        let id = self.request(ClientRequest::DiscoverRequest(request)).await?;
        self.patiently(&id, patience).await
    }

    async fn initialize(&mut self) -> Result<ServerPeerInfo, Refusal> {
        let id = self.request_initialize().await?;
        let ServerResult::InitializeResult(found) = self.answer(&id).await? else {
            let error =
                ErrorData::invalid_request("its answer to initialize is something else", None);
            return Err(Refusal::Answered(error));
        };
        self.initialized(found).await
    }

    async fn request_initialize(&mut self) -> Result<RequestId, Refusal> {
        let request = InitializeRequest::new(self.me.clone());
        self.request(ClientRequest::InitializeRequest(request)).await
    }

    async fn initialized(&mut self, found: InitializeResult) -> Result<ServerPeerInfo, Refusal> {
        let done = ClientNotification::InitializedNotification(InitializedNotification::default());
        self.send(ClientJsonRpcMessage::notification(done)).await?;
        Ok(found.into())
    }

    /// Waits for an answer as long as there is hope for one.
    async fn patiently(
        &mut self,
        id: &RequestId,
        patience: Patience,
    ) -> Result<ServerResult, Refusal> {
        let start = Instant::now();
        let give_up = start + patience.give_up;
        if let Some(delay) = patience.ping {
            if let Ok(answer) = timeout_at(give_up.min(start + delay), self.answer(id)).await {
                return answer;
            }
            let ping = self.request(ClientRequest::PingRequest(PingRequest::default())).await?;
            match timeout_at(give_up.min(start + patience.hurry), self.either(id, &ping)).await {
                Err(_) => return self.hurried(id, give_up).await,
                Ok(Heard::First(answer)) => return answer,
                Ok(Heard::Second(_)) => {}
            }
            return timeout_at(Instant::now() + GRACE, self.answer(id)).await.unwrap_or_else(
                |_| Err(Refusal::OtherEra("it answers, but not to server/discover".to_owned())),
            );
        }
        timeout_at(give_up, self.answer(id)).await.unwrap_or(Err(Refusal::Silent))
    }

    /// Asks a server that has said nothing at all to initialize as well. It reads what it was asked in
    /// order when it is there: an answer to the first is the better one, and if it refuses that, or
    /// never answers it, the second counts.
    async fn hurried(&mut self, id: &RequestId, give_up: Instant) -> Result<ServerResult, Refusal> {
        let second = self.request_initialize().await?;
        let heard = timeout_at(give_up, async {
            match self.either(id, &second).await {
                Heard::First(Err(Refusal::Answered(_))) => self.answer(&second).await,
                Heard::First(answer) | Heard::Second(answer) => answer,
            }
        });
        heard.await.unwrap_or(Err(Refusal::Silent))
    }

    /// The answer to whichever of two requests is answered first.
    async fn either(&mut self, first: &RequestId, second: &RequestId) -> Heard {
        loop {
            let message = match self.next().await {
                Ok(message) => message,
                Err(refusal) => return Heard::First(Err(refusal)),
            };
            if number(&message).is_some_and(|number| is_answer_to(second, number)) {
                if let Some(answer) = answer_to(second, message) {
                    return Heard::Second(answer);
                }
            } else if let Some(answer) = answer_to(first, message) {
                return Heard::First(answer);
            }
        }
    }

    async fn answer(&mut self, id: &RequestId) -> Result<ServerResult, Refusal> {
        loop {
            let message = self.next().await?;
            if let Some(answer) = answer_to(id, message) {
                return answer;
            }
        }
    }

    /// The next response; everything else is dealt with here.
    async fn next(&mut self) -> Result<ServerJsonRpcMessage, Refusal> {
        loop {
            match self.transport.receive().await.ok_or(Refusal::Closed)? {
                JsonRpcMessage::Request(request) => {
                    let answer = if let ServerRequest::PingRequest(_) = request.request {
                        ClientJsonRpcMessage::response(ClientResult::empty(()), request.id)
                    } else {
                        let error =
                            ErrorData::invalid_request("the connection is not ready yet", None);
                        ClientJsonRpcMessage::error(error, Some(request.id))
                    };
                    self.send(answer).await?;
                }
                JsonRpcMessage::Notification(notification) => {
                    if let ServerNotification::LoggingMessageNotification(log) =
                        notification.notification
                    {
                        self.setting.feed.note(NoteKind::Log, &log_text(&log.params));
                    }
                }
                message => return Ok(message),
            }
        }
    }

    async fn request(&mut self, request: ClientRequest) -> Result<RequestId, Refusal> {
        self.number += 1;
        let id = RequestId::Number(self.number);
        self.send(ClientJsonRpcMessage::request(request, id.clone())).await?;
        Ok(id)
    }

    async fn send(&mut self, message: ClientJsonRpcMessage) -> Result<(), Refusal> {
        self.transport.send(message).await.map_err(|problem| Refusal::Transport(Box::new(problem)))
    }
}

/// Whether a refusal of our revision lists it among those that are supported.
fn names_the_newest(error: &ErrorData) -> bool {
    let supported = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        && supported
            .into_iter()
            .flatten()
            .any(|version| version == ProtocolVersion::LATEST.as_str())
}

fn number(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// Servers sometimes make a text of a number.
fn is_answer_to(asked: &RequestId, answered: &RequestId) -> bool {
    asked == answered || matches!(answered, RequestId::String(text) if **text == *asked.to_string())
}

fn answer_to(
    id: &RequestId,
    message: ServerJsonRpcMessage,
) -> Option<Result<ServerResult, Refusal>> {
    match message {
        JsonRpcMessage::Response(response) if is_answer_to(id, &response.id) => {
            Some(Ok(response.result))
        }
        JsonRpcMessage::Error(error)
            if error.id.as_ref().is_none_or(|number| is_answer_to(id, number)) =>
        {
            Some(Err(Refusal::Answered(error.error)))
        }
        _ => None,
    }
}
