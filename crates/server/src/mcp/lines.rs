//! A client's lines, whatever it writes before it has introduced itself.
//!
//! rmcp ends a conversation that begins with anything but a request, and a client that got
//! something wrong would lose its server over it. Until somebody has begun, only requests are
//! passed on, and those are answered.

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;

/// A transport on which nothing is lost by beginning wrongly.
pub(super) struct Patient<T> {
    inner: T,
    begun: bool,
}

impl<T> Patient<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, begun: false }
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
            let message = self.inner.receive().await?;
            if self.begun {
                return Some(message);
            }
            if let JsonRpcMessage::Request(request) = &message {
                self.begun = begins(&request.request);
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
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
