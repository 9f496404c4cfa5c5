//! Listening: HTTP/1.1 and HTTP/2, with or without TLS, until somebody says it is over.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt as _;
use axum_server::Handle;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::debug;

/// How long requests may take to end once it is over.
const GRACE: Duration = Duration::from_secs(30);

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate, with those between it and a known one.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Why we could not listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The certificate or its key cannot be used.
    #[error("{} and {} cannot be used for TLS: {source}", tls.certificate.display(), tls.key.display())]
    Tls {
        /// The files.
        tls: Tls,
        /// Why not.
        source: std::io::Error,
    },
    /// The listener broke.
    #[error("listening failed: {0}")]
    Listen(#[from] std::io::Error),
}

/// Serves `router` until `shutdown` comes, then lets requests under way end.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    match tls {
        None => plain(listener, router, shutdown).await,
        Some(tls) => encrypted(listener, tls, router, shutdown).await,
    }
}

async fn plain(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    // An answer is small and complete; waiting for more to send with it only delays it.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            debug!(error = %error, "a connection keeps its delay");
        }
    });
    let ended = CancellationToken::new();
    let ending = ended.clone();
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move {
        shutdown.await;
        ending.cancel();
    });
    let patience = async {
        ended.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        done = serving => Ok(done?),
        () = patience => Ok(()),
    }
}

async fn encrypted(
    listener: TcpListener,
    tls: Tls,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let config = RustlsConfig::from_pem_file(&tls.certificate, &tls.key).await;
    let config = config.map_err(|source| ServeError::Tls { tls, source })?;
    let acceptor = RustlsAcceptor::new(config).acceptor(NoDelayAcceptor::new());
    let handle = Handle::new();
    let server = axum_server::from_tcp(listener.into_std()?)?.acceptor(acceptor);
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let serving = server.handle(handle.clone()).serve(service);
    tokio::pin!(serving);
    tokio::select! {
        done = &mut serving => return Ok(done?),
        () = shutdown => handle.graceful_shutdown(Some(GRACE)),
    }
    Ok(serving.await?)
}
