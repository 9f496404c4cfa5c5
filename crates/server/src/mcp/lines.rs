//! A client's lines, whatever it writes before it has introduced itself.
//!
//! rmcp ends a conversation that begins with anything but a request, and a client that got
//! something wrong would lose its server over it. Until somebody has begun, only requests are
//! passed on, and those are answered. So is a line that is too long to tell what it was.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta as _,
    JsonRpcMessage, ProtocolVersion,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::sync::oneshot;

use super::readable;

/// A transport on which nothing is lost by beginning wrongly.
pub(super) struct Patient<T> {
    inner: T,
    begun: bool,
    /// The call before has not taken its place in the row of its session yet.
    placing: Option<oneshot::Receiver<()>>,
}

/// Goes with a call into a session until that call has taken its place; then the next message is read.
///
/// Messages are answered side by side, and of two programs for one session the first is to run first.
#[derive(Clone)]
pub(super) struct Placing(Arc<Mutex<Option<oneshot::Sender<()>>>>);

impl Placing {
    /// The call has its place.
    pub(super) fn done(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// How long a call may take to find its place before others are read all the same.
const PLACING: Duration = Duration::from_secs(1);

impl<T> Patient<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, begun: false, placing: None }
    }

    /// Lets a call that names a session say when it has its place there.
    fn place(&mut self, request: &mut ClientRequest) {
        let ClientRequest::CallToolRequest(call) = request else { return };
        let names_session =
            call.params.arguments.as_ref().is_some_and(|given| given.contains_key("session"));
        if names_session {
            let (done, placing) = oneshot::channel();
            call.extensions.insert(Placing(Arc::new(Mutex::new(Some(done)))));
            self.placing = Some(placing);
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(placing) = &mut self.placing {
                // One that is over before it had a place has dropped its end.
                let _ = tokio::time::timeout(PLACING, placing).await;
                self.placing = None;
            }
            let mut message = self.inner.receive().await?;
            if let JsonRpcMessage::Request(request) = &mut message {
                self.begun |= begins(&request.request);
                self.place(&mut request.request);
                return Some(message);
            }
            if is_too_long(&message) {
                let error = ErrorData::invalid_request(readable::said_too_long(), None);
                let sending = self.inner.send(JsonRpcMessage::error(error, None));
                // By itself, because whoever asks for the next message may stop asking at any time.
                tokio::spawn(async move {
                    let _ = sending.await;
                });
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

/// Whether it stands for a line of which nobody can tell which request it was.
fn is_too_long(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        JsonRpcMessage::Notification(told)
            if matches!(&told.notification, ClientNotification::CustomNotification(custom) if custom.method == readable::TOO_LONG)
    )
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
