//! How many sessions of the protocol are kept, of one owner and in all.
//!
//! Revisions before the newest begin one with each `initialize`, and a client need not say goodbye. When
//! one too many begins, the one that was quiet for longest ends, of the owner who has too many; its client
//! begins anew when it hears that there is no such session. One whose client listens is not quiet. Where
//! there is no quiet one, the new one is refused.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use rmcp::model::{
    ClientJsonRpcMessage, GetExtensions as _, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};

use super::batch;
use super::unanswered::Unanswered;

/// How long a client's session over HTTP is kept in which nothing is said.
const SESSION_LASTS: Duration = Duration::from_secs(3600);

/// How many there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) all: usize,
    pub(super) of_one: usize,
}

/// Who asks, and what they are told when there is no room for their session.
#[derive(Debug, Clone, Default)]
pub(super) struct Asking {
    pub(super) owner: String,
    pub(super) refused: Arc<OnceLock<String>>,
}

tokio::task_local! {
    /// Whoever a request is from, for as long as it is answered.
    pub(super) static ASKING: Asking;
}

#[derive(Debug, thiserror::Error)]
pub(super) enum KeptError {
    #[error("{0}")]
    NoRoom(String),
    #[error(transparent)]
    Session(#[from] LocalSessionManagerError),
}

/// The sessions that are kept.
pub(super) struct Kept {
    sessions: Arc<LocalSessionManager>,
    bounds: Bounds,
    known: Arc<Mutex<Known>>,
}

impl Kept {
    pub(super) fn new(bounds: Bounds) -> Self {
        let mut sessions = LocalSessionManager::default();
        // So that those who never say goodbye do not fill the memory.
        sessions.session_config.keep_alive = Some(SESSION_LASTS);
        Self { sessions: Arc::new(sessions), bounds, known: Arc::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a session, also when whoever asked for that goes away meanwhile.
    async fn end(&self, id: SessionId) {
        let sessions = Arc::clone(&self.sessions);
        let ending = tokio::spawn(async move { sessions.close_session(&id).await });
        // It may have ended by itself.
        let _ = ending.await;
    }

    /// Whether a client may send several messages at once.
    pub(super) fn takes_batches(&self, id: &str) -> bool {
        self.known().sessions.get(id).is_some_and(|one| one.takes_batches)
    }

    fn using(&self, id: &SessionId) -> InUse {
        self.known().use_of(id, 1);
        InUse { id: Arc::clone(id), known: Arc::clone(&self.known) }
    }
}

impl SessionManager for Kept {
    type Error = KeptError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), KeptError> {
        let (id, transport) = self.sessions.create_session().await?;
        let asking = ASKING.try_with(Clone::clone).unwrap_or_default();
        let room = self.known().begin(&id, &asking.owner, self.bounds);
        match room {
            Ok(quiet) => {
                for quiet in quiet {
                    tracing::debug!(
                        owner = asking.owner,
                        "a quiet MCP session gave way to another"
                    );
                    self.end(quiet).await;
                }
                Ok((id, transport))
            }
            Err(words) => {
                self.end(id).await;
                let _ = asking.refused.set(words.clone());
                Err(KeptError::NoRoom(words))
            }
        }
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, KeptError> {
        let told = self.sessions.initialize_session(id, message).await?;
        if let ServerJsonRpcMessage::Response(response) = &told
            && let ServerResult::InitializeResult(result) = &response.result
            && result.protocol_version.as_str() == batch::REVISION
            && let Some(one) = self.known().sessions.get_mut(id)
        {
            one.takes_batches = true;
        }
        Ok(told)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, KeptError> {
        Ok(self.sessions.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), KeptError> {
        self.known().sessions.remove(id);
        Ok(self.sessions.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, KeptError> {
        let in_use = self.using(id);
        let unanswered = self.known().sessions.get(id).map(|one| one.unanswered.clone());
        if let (ClientJsonRpcMessage::Request(request), Some(all)) = (&mut message, &unanswered) {
            match all.begin(&request.id) {
                // Whoever goes away may come back for the answer, so that the id is in use until it is there.
                Ok(working) => drop(request.request.extensions_mut().insert(working)),
                Err(refused) => {
                    let said = ServerSseMessage::from_message(*refused);
                    return Ok(futures_util::stream::iter([said]).left_stream());
                }
            }
        }
        let stream = self.sessions.create_stream(id, message).await?;
        let stream = stream.inspect(move |told| {
            in_use.again();
            if let (Some(all), Some(answered)) = (&unanswered, answered(told)) {
                all.end(answered);
            }
        });
        Ok(stream.right_stream())
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), KeptError> {
        let _in_use = self.using(id);
        Ok(self.sessions.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, KeptError> {
        let in_use = self.using(id);
        let stream = self.sessions.create_standalone_stream(id).await?;
        Ok(stream.inspect(move |_| in_use.again()))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, KeptError> {
        let in_use = self.using(id);
        let stream = self.sessions.resume(id, last_event_id).await?;
        Ok(stream.inspect(move |_| in_use.again()))
    }
}

/// The request that a message answers.
fn answered(told: &ServerSseMessage) -> Option<&RequestId> {
    match told.message.as_deref()? {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// Held for as long as somebody listens in a session.
struct InUse {
    id: SessionId,
    known: Arc<Mutex<Known>>,
}

impl InUse {
    /// Something was said in it; a closure that says so keeps this.
    fn again(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).use_of(&self.id, 0);
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).use_of(&self.id, -1);
    }
}

/// What is known of the sessions.
#[derive(Default)]
struct Known {
    sessions: HashMap<SessionId, One>,
    /// Counts on with each use, so that it tells which was before which.
    uses: u64,
}

struct One {
    owner: String,
    used: u64,
    listening: isize,
    takes_batches: bool,
    /// What its client waits for in streams of their own.
    unanswered: Unanswered,
}

impl Known {
    /// Takes one up, and says which have to end for it; or why there is no room.
    fn begin(
        &mut self,
        id: &SessionId,
        owner: &str,
        bounds: Bounds,
    ) -> Result<Vec<SessionId>, String> {
        let of_owner = self.sessions.values().filter(|one| one.owner == owner).count();
        let mut ending = Vec::new();
        if of_owner >= bounds.of_one {
            let quiet = self
                .quietest(|one| one.owner == owner)
                .ok_or_else(|| said("you have", bounds.of_one, "max-mcp-sessions-per-owner"))?;
            ending.push(quiet);
        } else if self.sessions.len() >= bounds.all {
            let quiet = self.quietest(|_| true);
            ending.push(quiet.ok_or_else(|| said("there are", bounds.all, "max-mcp-sessions"))?);
        }
        for quiet in &ending {
            self.sessions.remove(quiet);
        }
        self.uses += 1;
        let one = One {
            owner: owner.to_owned(),
            used: self.uses,
            listening: 0,
            takes_batches: false,
            unanswered: Unanswered::default(),
        };
        self.sessions.insert(Arc::clone(id), one);
        Ok(ending)
    }

    /// The one that nobody listens in and that was not used for longest, of the owner who has most.
    fn quietest(&self, may_end: impl Fn(&One) -> bool) -> Option<SessionId> {
        let mut of_owner: HashMap<&str, usize> = HashMap::new();
        for one in self.sessions.values() {
            *of_owner.entry(&one.owner).or_default() += 1;
        }
        let quiet = self.sessions.iter().filter(|(_, one)| one.listening <= 0 && may_end(one));
        let has = |owner: &str| of_owner.get(owner).copied().unwrap_or_default();
        let found = quiet.max_by_key(|(_, one)| (has(&one.owner), Reverse(one.used)));
        found.map(|(id, _)| Arc::clone(id))
    }

    fn use_of(&mut self, id: &SessionId, listening: isize) {
        self.uses += 1;
        if let Some(one) = self.sessions.get_mut(id) {
            one.used = self.uses;
            one.listening += listening;
        }
    }
}

fn said(who: &str, most: usize, setting: &str) -> String {
    format!(
        "{who} {most} MCP sessions in use, which is as many as may be (setting `{setting}`); end one with DELETE, use one again, or try again later"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: Bounds = Bounds { all: 3, of_one: 2 };

    fn id(name: &str) -> SessionId {
        name.into()
    }

    #[test]
    fn the_quietest_of_whoever_has_most_gives_way() {
        let mut known = Known::default();
        for name in ["a1", "a2"] {
            assert_eq!(known.begin(&id(name), "anna", FEW), Ok(vec![]));
        }
        known.use_of(&id("a1"), 0);
        assert_eq!(known.begin(&id("a3"), "anna", FEW), Ok(vec![id("a2")]));
        assert_eq!(known.begin(&id("b1"), "bob", FEW), Ok(vec![]));
        // All are three: of those who have most, and not of whoever came last.
        assert_eq!(known.begin(&id("c1"), "carl", FEW), Ok(vec![id("a1")]));
        assert_eq!(known.sessions.len(), 3);
    }

    #[test]
    fn one_that_somebody_listens_in_is_not_quiet() {
        let mut known = Known::default();
        for name in ["a1", "a2"] {
            known.begin(&id(name), "anna", FEW).unwrap();
            known.use_of(&id(name), 1);
        }
        let refused = known.begin(&id("a3"), "anna", FEW).unwrap_err();
        assert!(refused.contains("max-mcp-sessions-per-owner"), "{refused}");
        known.use_of(&id("a2"), -1);
        assert_eq!(known.begin(&id("a3"), "anna", FEW), Ok(vec![id("a2")]));
    }
}
