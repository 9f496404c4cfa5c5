//! Listening: HTTP/1.1 and HTTP/2, with or without TLS, until somebody says it is over.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::accept::Accept;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use futures_util::future::BoxFuture;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};

/// How long the headers of a request may take, and how much they may be.
const HEADERS: Duration = Duration::from_secs(30);
pub(super) const HEADER_BYTES: usize = 64 << 10;
pub(super) const HEADER_COUNT: usize = 100;
pub(super) const URI_BYTES: usize = 16 << 10;

/// What is read of headers that are too large, so that whoever sent them can be told; what is larger
/// still gets a bare status.
const READ_BYTES: usize = 2 * HEADER_BYTES;
const READ_COUNT: usize = 1_000;

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate, with those between it and a known one.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Tls {
    /// Reads both files, so that what is wrong with them is known before anything is started.
    pub async fn check(&self) -> Result<(), ServeError> {
        self.config().await.map(drop)
    }

    async fn config(&self) -> Result<RustlsConfig, ServeError> {
        let config = RustlsConfig::from_pem_file(&self.certificate, &self.key).await;
        config.map_err(|source| ServeError::Tls { tls: self.clone(), source })
    }
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

/// Serves `router` until `shutdown` comes, then lets requests under way end. Whoever does not want to wait
/// for the last of them, which may have stalled, drops this.
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
    let handle = Handle::new();
    let server = axum_server::from_tcp(listener.into_std()?)?.acceptor(Prompt);
    let mut server = server.handle(handle.clone());
    limited(server.http_builder());
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    until(server.serve(service), handle, shutdown).await
}

async fn encrypted(
    listener: TcpListener,
    tls: Tls,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let acceptor = RustlsAcceptor::new(tls.config().await?).acceptor(Prompt);
    let handle = Handle::new();
    let server = axum_server::from_tcp(listener.into_std()?)?.acceptor(acceptor);
    let mut server = server.handle(handle.clone());
    limited(server.http_builder());
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    until(server.serve(service), handle, shutdown).await
}

/// Lets those in who say something soon. An answer is small and complete, so that waiting for more to
/// send with it would only delay it.
#[derive(Clone, Copy)]
struct Prompt;

impl<S: Send + 'static> Accept<TcpStream, S> for Prompt {
    type Stream = TcpStream;
    type Service = S;
    type Future = BoxFuture<'static, std::io::Result<(TcpStream, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        Box::pin(async move {
            stream.set_nodelay(true)?;
            tokio::time::timeout(HEADERS, stream.peek(&mut [0])).await??;
            Ok((stream, service))
        })
    }
}

/// Whoever is slow to say what they want, or says too much, is not waited for.
fn limited(http: &mut Builder<TokioExecutor>) {
    let timer = TokioTimer::new();
    http.http1()
        .timer(timer.clone())
        .header_read_timeout(HEADERS)
        .max_buf_size(READ_BYTES)
        .max_headers(READ_COUNT);
    http.http2()
        .timer(timer)
        .keep_alive_interval(HEADERS)
        .keep_alive_timeout(HEADERS)
        .max_header_list_size(u32::try_from(READ_BYTES).unwrap_or(u32::MAX));
}

async fn until(
    serving: impl Future<Output = std::io::Result<()>>,
    handle: Handle<SocketAddr>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    tokio::pin!(serving);
    tokio::select! {
        done = &mut serving => return Ok(done?),
        () = shutdown => handle.graceful_shutdown(None),
    }
    Ok(serving.await?)
}
