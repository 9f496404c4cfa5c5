//! A client's lines, whatever it writes before it has introduced itself.
//!
//! rmcp ends a conversation that begins with anything but a request, and a client that got
//! something wrong would lose its server over it. Until somebody has begun, only requests are
//! passed on, and those are answered. So is a line of which nobody can tell what it was: one that is too
//! long, or no JSON, or several messages at once.
//!
//! A client that has gone has not taken back what it asked for: rmcp would end at once, so it is told
//! of the end only by whoever stops us, once everything is under way and had time to end.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions as _,
    GetMeta as _, JsonRpcMessage, ProtocolVersion, RequestId,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::unanswered::Unanswered;
use super::{batch, readable};

/// Requests that are neither answered nor on their way.
type Open = watch::Sender<HashSet<RequestId>>;

/// A transport on which nothing is lost by beginning wrongly.
pub(super) struct Patient<T> {
    inner: T,
    begun: bool,
    /// The call before has not taken its place in the row of its session yet.
    placing: Option<oneshot::Receiver<()>>,
    open: Open,
    unanswered: Unanswered,
    /// Since when the client says nothing more.
    silent: Option<Instant>,
    /// Told once it says nothing more, and what it asked for is answered or under way.
    gone: CancellationToken,
}

/// Goes with a call until that has taken its place; then the next message for its session is read.
///
/// Messages are answered side by side, and of two programs for one session the first is to run first.
#[derive(Clone)]
pub(super) struct Placing {
    id: RequestId,
    open: Open,
    row: Arc<Mutex<Option<oneshot::Sender<()>>>>,
}

impl Placing {
    /// The call has its place.
    pub(super) fn done(&self) {
        self.row.lock().unwrap_or_else(PoisonError::into_inner).take();
        settle(&self.open, &self.id);
    }
}

/// How long a call may take to find its place before others are read all the same.
const PLACING: Duration = Duration::from_secs(1);

/// How long what a client asked for last may take to be under way.
const LAST: Duration = Duration::from_secs(5);

impl<T> Patient<T> {
    pub(super) fn new(inner: T, gone: CancellationToken) -> Self {
        let open = watch::Sender::new(HashSet::new());
        let unanswered = Unanswered::default();
        Self { inner, begun: false, placing: None, open, unanswered, silent: None, gone }
    }

    /// Lets a call say when it has its place: in its session, if it names one, and in the process.
    fn place(&mut self, id: &RequestId, request: &mut ClientRequest) {
        if matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
            // It is answered when everything ends.
            return;
        }
        self.open.send_modify(|open| {
            open.insert(id.clone());
        });
        let ClientRequest::CallToolRequest(call) = request else { return };
        let names_session = call.params.arguments.as_ref().is_some_and(|given| {
            given.contains_key("session") || given.contains_key("workspace_of")
        });
        let (done, placing) = oneshot::channel();
        let row = Arc::new(Mutex::new(Some(done)));
        call.extensions.insert(Placing { id: id.clone(), open: self.open.clone(), row });
        if names_session {
            self.placing = Some(placing);
        }
    }
}

impl<T: Transport<RoleServer>> Patient<T> {
    /// Says something to the client by itself: whoever asks for the next message may stop asking at any time.
    fn say(&mut self, message: TxJsonRpcMessage<RoleServer>) {
        let sending = self.inner.send(message);
        tokio::spawn(async move {
            let _ = sending.await;
        });
    }
}

/// Waits for the last requests to be under way, and then for whoever ends everything.
async fn part(
    mut open: watch::Receiver<HashSet<RequestId>>,
    gone: CancellationToken,
    since: Instant,
) -> Option<ClientJsonRpcMessage> {
    let _ = tokio::time::timeout_at(since + LAST, open.wait_for(HashSet::is_empty)).await;
    gone.cancel();
    std::future::pending().await
}

/// A request is answered, under way, or wanted no longer.
fn settle(open: &Open, id: &RequestId) {
    open.send_if_modified(|open| open.remove(id));
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            settle(&self.open, id);
            self.unanswered.end(id);
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(since) = self.silent {
                return part(self.open.subscribe(), self.gone.clone(), since).await;
            }
            if let Some(placing) = &mut self.placing {
                // One that is over before it had a place has dropped its end.
                let _ = tokio::time::timeout(PLACING, placing).await;
                self.placing = None;
            }
            let Some(mut message) = self.inner.receive().await else {
                if !self.begun {
                    return None;
                }
                self.silent = Some(Instant::now());
                continue;
            };
            if let JsonRpcMessage::Request(request) = &mut message {
                match self.unanswered.begin(&request.id) {
                    Ok(working) => drop(request.request.extensions_mut().insert(working)),
                    Err(in_use) => {
                        self.say(*in_use);
                        continue;
                    }
                }
                self.begun |= begins(&request.request);
                self.place(&request.id, &mut request.request);
                return Some(message);
            }
            if let Some(id) = cancelled(&message) {
                settle(&self.open, id);
            }
            if let Some(error) = nobodys(&message) {
                self.say(JsonRpcMessage::error(error, None));
                continue;
            }
            if self.begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// What is said of a line of which nobody can tell which request it was.
fn nobodys(message: &ClientJsonRpcMessage) -> Option<ErrorData> {
    let JsonRpcMessage::Notification(told) = message else { return None };
    let ClientNotification::CustomNotification(custom) = &told.notification else { return None };
    match custom.method.as_str() {
        readable::TOO_LONG => Some(ErrorData::invalid_request(readable::said_too_long(), None)),
        readable::BATCH => Some(ErrorData::invalid_request(batch::REFUSED, None)),
        readable::NO_JSON => Some(ErrorData::parse_error(readable::NOT_JSON, None)),
        _ => None,
    }
}

/// The request that the client takes back.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let JsonRpcMessage::Notification(told) = message else { return None };
    match &told.notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

/// Whether a request says who is there: by its name, or by what comes with it since 2026-07-28.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ServerResult;
    use rmcp::transport::async_rw::AsyncRwTransport;
    use serde_json::Value;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    use super::super::unanswered::ON_ITS_WAY;
    use super::*;

    #[tokio::test]
    async fn a_request_with_the_id_of_one_that_is_being_answered_is_refused() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reading, writing) = tokio::io::split(ours);
        let transport = AsyncRwTransport::new(reading, writing);
        let mut patient = Patient::new(transport, CancellationToken::new());
        let (heard, mut write) = tokio::io::split(theirs);
        let mut heard = BufReader::new(heard).lines();
        let mut ask = async |id: &str| {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
            write.write_all(line.as_bytes()).await.unwrap();
        };
        for id in ["1", "1", "\"1\""] {
            ask(id).await;
        }
        let first = id_of(patient.receive().await);
        // A text is another id than the number it reads like.
        assert_ne!(id_of(patient.receive().await), first);
        let said: Value = serde_json::from_str(&heard.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!((said["id"].as_i64(), said["error"]["code"].as_i64()), (Some(1), Some(-32600)));
        assert!(said["error"]["message"].as_str().unwrap().contains("in use"), "{said}");
        let answer = ServerResult::empty(());
        patient.send(JsonRpcMessage::response(answer, first.clone())).await.unwrap();
        ask("1").await;
        assert_eq!(id_of(patient.receive().await), first);
    }

    #[tokio::test]
    async fn the_id_of_a_request_that_was_taken_back_is_in_use_until_its_work_has_ended() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reading, writing) = tokio::io::split(ours);
        let transport = AsyncRwTransport::new(reading, writing);
        let mut patient = Patient::new(transport, CancellationToken::new());
        patient.begun = true;
        let (heard, mut write) = tokio::io::split(theirs);
        let mut heard = BufReader::new(heard).lines();
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        write.write_all(ping).await.unwrap();
        let worked_on = patient.receive().await;
        let back = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        write.write_all(back).await.unwrap();
        assert!(matches!(patient.receive().await, Some(JsonRpcMessage::Notification(_))));
        write.write_all(ping).await.unwrap();
        tokio::select! {
            message = patient.receive() => panic!("{message:?}"),
            said = heard.next_line() => assert!(said.unwrap().unwrap().contains("in use")),
        }
        drop(worked_on);
        // Its answer may still be on its way.
        let again = async {
            loop {
                write.write_all(ping).await.unwrap();
                tokio::select! {
                    message = patient.receive() => return id_of(message),
                    _ = heard.next_line() => tokio::time::sleep(ON_ITS_WAY / 4).await,
                }
            }
        };
        let again = tokio::time::timeout(LAST, again).await.unwrap();
        assert_eq!(again, RequestId::Number(1));
    }

    fn id_of(message: Option<ClientJsonRpcMessage>) -> RequestId {
        match message {
            Some(JsonRpcMessage::Request(request)) => request.id,
            other => panic!("{other:?}"),
        }
    }
}
