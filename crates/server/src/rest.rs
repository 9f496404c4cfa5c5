//! The REST door: JSON over HTTP, server-sent events, and a description of both.
//!
//! ```text
//! request ──► access (Host, Origin, token) ──► route ──► gateway::service ──► JSON
//! ```
//!
//! Reading order: this file (which routes there are), [`access`] (who may come in), `given` (how
//! requests are read), `problem` (how errors are told), `execute` and `stream` (running
//! programs), `shown` (what a run looks like), then one file for each kind of thing, [`serve()`].

pub mod access;
mod analysis;
mod anomaly;
pub(crate) mod approvals;
mod ask;
mod chat;
mod conversations;
mod execute;
mod files;
pub(crate) mod given;
mod health;
mod leftover;
pub(crate) mod moment;
mod moving;
mod openapi;
mod problem;
mod review;
mod runs;
mod security;
mod serve;
mod servers;
mod sessions;
mod shown;
mod skills;
mod stats;
mod stream;
mod tighter;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{delete, get, post};
use http::{StatusCode, header};
use metrics::counter;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;

pub use self::access::{AccessRules, protect};
pub(crate) use self::execute::trace;
pub use self::health::keep_figures;
pub use self::problem::Problem;
pub use self::serve::{ServeError, Tls, serve};
pub(crate) use self::shown::paused;
use crate::Shared;
use crate::arriving::Bodies;

/// What an operator decides about the door.
#[derive(Clone)]
pub struct RestOptions {
    /// Who may come in.
    pub access: AccessRules,
    /// What bodies of requests may have and hold.
    pub bodies: Bodies,
    /// Bytes that a run or session may have which is imported.
    pub import_bytes: usize,
    /// How long a request may take that runs no program and follows none, once its body is there.
    pub request_time: Duration,
    /// Who answers questions, if anybody does.
    pub agent: Option<agent::Answering>,
    /// Where figures are kept, if they are.
    pub metrics: Option<PrometheusHandle>,
}

impl Default for RestOptions {
    fn default() -> Self {
        Self {
            access: AccessRules::default(),
            bodies: Bodies::default(),
            import_bytes: 1 << 30,
            request_time: Duration::from_secs(60),
            agent: None,
            metrics: None,
        }
    }
}

/// What every handler needs.
#[derive(Clone)]
pub(crate) struct Door {
    shared: Shared,
    options: Arc<RestOptions>,
    /// Large imports, one at a time.
    importing: Arc<Semaphore>,
}

/// The routes of the REST door, for those who may come in.
pub fn router(shared: Shared, options: RestOptions) -> Router {
    let access = options.access.clone();
    let importing = Arc::new(Semaphore::new(1));
    let door = Door { shared, options: Arc::new(options), importing };
    let router = quick()
        .layer(from_fn_with_state(door.clone(), in_time))
        .merge(lasting())
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(from_fn(counted))
        .layer(CompressionLayer::new())
        .with_state(door.clone());
    protect(router, &door.shared, access)
}

/// Routes that answer soon.
fn quick() -> Router<Door> {
    Router::new()
        .route("/", get(health::root))
        .route("/health", get(health::health))
        .route("/health/ready", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi::json))
        .route("/docs", get(openapi::docs))
        .route("/api/v1/mcp/tools/search", get(tools::search))
        .route("/api/v1/tools", get(tools::list))
        .route("/api/v1/tools/{server}/{tool}", get(tools::one))
        .route("/api/v1/servers", get(servers::list).post(servers::add))
        .route("/api/v1/servers/{name}", delete(servers::remove))
        .route("/api/v1/sessions", get(sessions::list).post(sessions::create))
        .route("/api/v1/sessions/{id}", get(sessions::one).delete(sessions::remove))
        .route("/api/v1/sessions/{id}/fork", post(sessions::fork))
        .route("/api/v1/sessions/{id}/freeze", post(sessions::freeze))
        .route("/api/v1/sessions/{id}/files", get(files::list))
        .route(
            "/api/v1/sessions/{id}/files/{*path}",
            get(files::read).put(files::write).delete(files::remove),
        )
        .route("/api/v1/runs", get(runs::list))
        .route("/api/v1/runs/{id}", get(runs::one))
        .route("/api/v1/runs/{id}/cancel", post(runs::cancel))
        .route("/api/v1/runs/{id}/resume", post(runs::resume))
        .route("/api/v1/runs/{id}/export", post(moving::export_run))
        .route("/api/v1/runs/import", post(moving::import_run))
        .route("/api/v1/sessions/{id}/export", get(moving::export_session))
        .route("/api/v1/sessions/import", post(moving::import_session))
        .route("/api/v1/approvals", get(approvals::list))
        .route("/api/v1/approvals/{run}", post(approvals::answer))
        .route("/approvals", get(approvals::page))
        .route("/approvals/{run}", get(approvals::page))
        .route("/api/v1/validate", post(review::validate))
        .route("/api/v1/skills", get(skills::list))
        .route("/api/v1/skills/{name}", get(skills::one).delete(skills::remove))
        .route("/api/v1/packs", get(skills::packs))
        .route("/api/v1/conversations", get(conversations::list))
        .route("/api/v1/conversations/{id}", get(conversations::one))
        .route("/api/v1/stats", get(stats::stats))
        .route("/api/v1/security/report", get(security::report))
        .route("/api/v1/runs/{id}/result", get(runs::result))
        .route("/api/v1/runs/{id}/artifacts/{name}", get(runs::artifact))
}

/// Routes that last as long as a program does.
fn lasting() -> Router<Door> {
    Router::new()
        .route("/execute", post(execute::execute))
        .route("/api/v1/execute", post(execute::execute))
        .route("/api/v1/analysis", post(analysis::analyze))
        .route("/api/v1/skills", post(skills::save))
        .route("/api/v1/skills/{name}/test", post(skills::test))
        .route("/api/v1/packs/{name}/install", post(skills::install))
        .route("/api/v1/runs/{id}/events", get(runs::events))
        .route("/api/v1/ask", post(ask::ask))
        .route("/ws/chat", get(chat::chat))
}

async fn in_time(State(door): State<Door>, request: Request, next: Next) -> Response {
    let most = door.options.request_time;
    // A body has a time of its own, and whoever is slow to send it is told of that.
    let in_all = most.saturating_add(door.options.bodies.rules().within);
    match tokio::time::timeout(in_all, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::new(
            StatusCode::GATEWAY_TIMEOUT,
            "timed_out",
            format!("this took longer than {} s", in_all.as_secs()),
        )
        .hint("a program may be running in the session; wait for it, or cancel it")
        .into_response(),
    }
}

/// A method's name as a label. Whatever else clients make up is one name, so that nobody adds figures
/// without end.
fn known_method(method: &http::Method) -> &'static str {
    use http::Method;
    let known = [
        (Method::GET, "GET"),
        (Method::HEAD, "HEAD"),
        (Method::POST, "POST"),
        (Method::PUT, "PUT"),
        (Method::DELETE, "DELETE"),
        (Method::OPTIONS, "OPTIONS"),
        (Method::PATCH, "PATCH"),
    ];
    known.iter().find(|(one, _)| one == method).map_or("other", |(_, name)| name)
}

/// A page of ours: it loads nothing from elsewhere, and nobody puts it into a frame, where somebody could
/// be made to press a button without seeing it.
pub(crate) fn page(text: &'static str) -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Html(text)).into_response()
}

/// Counts requests, by what they asked for.
pub(crate) async fn counted(request: Request, next: Next) -> Response {
    let method = known_method(request.method());
    let route = request.extensions().get::<MatchedPath>();
    let route = match route {
        Some(route) => route.as_str().to_owned(),
        // A service of its own, which knows no routes.
        None if request.uri().path().trim_end_matches('/') == "/mcp" => "/mcp".to_owned(),
        None => "none".to_owned(),
    };
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    counter!("tidegate_http_requests_total", "method" => method, "route" => route, "status" => status)
        .increment(1);
    response
}
