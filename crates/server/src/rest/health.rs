//! How the gateway is doing: for probes, for Prometheus, and for whoever opens the address.

use std::fmt::Write as _;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use gateway::service::{Caller, Readiness, Scope, figures};
use http::{StatusCode, header};
use metrics::{counter, gauge};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::Reader;
use super::given::Parameters;
use super::problem::{ErrorBody, Problem};
use super::servers::{self, ServerShown};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How the gateway is doing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok` while it answers at all; of its readiness `ready`, `degraded` or `not_ready`.
    status: HealthStatus,
    /// Its version.
    version: &'static str,
    /// Whether programs can run; only when readiness was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    runtime: Option<Runtime>,
    /// What is wrong with the data folder, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    storage: Option<&'static str>,
    /// How the servers are doing; only for those who may look.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    servers: Option<Vec<ServerShown>>,
}

/// How the gateway is doing, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HealthStatus {
    /// It answers.
    Ok,
    /// Programs can run.
    Ready,
    /// Programs can run, and a server does not answer.
    Degraded,
    /// Programs cannot run yet, or what they did cannot be stored: `storage` says.
    NotReady,
}

/// Whether programs can run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(crate) enum Runtime {
    /// They can.
    Ready,
    /// The runtime is being made.
    Installing {
        /// How far it is.
        percent: u8,
        /// What is being done.
        stage: String,
    },
    /// It could not be made; the log says why.
    Failed,
}

/// Whether the gateway answers, which it does, or with `ready` whether programs can run.
#[utoipa::path(
    get, path = "/health", tag = "health",
    params(("ready" = Option<bool>, Query, description = "Ask for readiness too.")),
    responses(
        (status = 200, description = "It answers; with `ready`, programs can run.", body = Health),
        (status = 503, description = "Programs cannot run yet.", body = Health),
    )
)]
pub(crate) async fn health(
    State(door): State<Door>,
    caller: Option<axum::Extension<Caller>>,
    mut query: Parameters,
) -> Result<Response, Problem> {
    let ready = query.take("ready")?.unwrap_or(false);
    query.end()?;
    if ready {
        return Ok(readiness(&door, caller.map(|caller| caller.0).as_ref()));
    }
    let status = HealthStatus::Ok;
    let (runtime, storage, servers) = (None, None, None);
    Ok(Json(Health { status, version: VERSION, runtime, storage, servers }).into_response())
}

/// Whether programs can run, and how the servers are doing.
#[utoipa::path(
    get, path = "/health/ready", tag = "health",
    responses(
        (status = 200, description = "Programs can run.", body = Health),
        (status = 503, description = "Programs cannot run yet.", body = Health),
    )
)]
pub(crate) async fn ready(
    State(door): State<Door>,
    caller: Option<axum::Extension<Caller>>,
) -> Response {
    readiness(&door, caller.map(|caller| caller.0).as_ref())
}

fn readiness(door: &Door, caller: Option<&Caller>) -> Response {
    let runtime = match door.shared.service.readiness() {
        Readiness::Ready(_) => Runtime::Ready,
        Readiness::Installing { percent, stage } => Runtime::Installing { percent, stage },
        Readiness::Failed(_) => Runtime::Failed,
    };
    let servers = servers::all(door);
    let is_stored = door.shared.service.store().is_writable();
    let status = match runtime {
        Runtime::Ready if !is_stored => HealthStatus::NotReady,
        Runtime::Ready if servers.iter().any(ServerShown::is_down) => HealthStatus::Degraded,
        Runtime::Ready => HealthStatus::Ready,
        _ => HealthStatus::NotReady,
    };
    let servers = Some(servers).filter(|_| caller.is_some_and(|caller| caller.may(Scope::Read)));
    let storage = (!is_stored).then_some("what runs did cannot be written; see the log");
    let body = Json(Health { status, version: VERSION, runtime: Some(runtime), storage, servers });
    if status == HealthStatus::NotReady {
        let later = [(header::RETRY_AFTER, "5")];
        return (StatusCode::SERVICE_UNAVAILABLE, later, body).into_response();
    }
    body.into_response()
}

/// What Prometheus reads.
#[utoipa::path(
    get, path = "/metrics", tag = "health",
    responses(
        (status = 200, description = "Figures in Prometheus' text format.", body = String, content_type = "text/plain"),
        (status = 404, description = "Figures are not kept.", body = ErrorBody),
    )
)]
pub(crate) async fn metrics(State(door): State<Door>, _: Reader) -> Result<Response, Problem> {
    let Some(handle) = &door.options.metrics else {
        let message = "this gateway keeps no figures";
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", message));
    };
    measure(&door);
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    let figures = handle.render() + &upstreams(&servers::all(&door));
    Ok((kind, figures).into_response())
}

/// Keeps figures from now on, in this process. Histograms have buckets, so that they can be added
/// up over several gateways.
pub fn keep_figures() -> Result<PrometheusHandle, BuildError> {
    let seconds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0,
        120.0,
    ];
    let bytes: Vec<f64> = (0..12).map(|power| f64::from(64 << (2 * power))).collect();
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &seconds)?
        .set_buckets_for_metric(Matcher::Suffix("_bytes".to_owned()), &bytes)?
        .install_recorder()?;
    figures::describe();
    Ok(handle)
}

/// Sets what is a state and not an event.
fn measure(door: &Door) {
    let service = &door.shared.service;
    let counts = service.counts();
    gauge!("tidegate_build_info", "version" => VERSION).set(1.0);
    gauge!("tidegate_ready").set(match service.readiness() {
        Readiness::Ready(engine) => {
            if let Some(standby) = engine.standby() {
                counter!("tidegate_standby_total", "outcome" => "hit").absolute(standby.hits);
                counter!("tidegate_standby_total", "outcome" => "miss").absolute(standby.misses);
                gauge!("tidegate_standby_ready").set(number(standby.ready));
            }
            1.0
        }
        _ => 0.0,
    });
    gauge!("tidegate_open_runs").set(number(counts.open));
    gauge!("tidegate_running").set(number(counts.running));
    gauge!("tidegate_queued").set(number(counts.queued));
    gauge!("tidegate_sessions", "state" => "alive").set(number(counts.alive));
    let resting = counts.sessions.saturating_sub(counts.alive);
    gauge!("tidegate_sessions", "state" => "resting").set(number(resting));
    let servers = servers::all(door);
    let up = servers.iter().filter(|server| server.is_up()).count();
    gauge!("tidegate_upstreams").set(number(servers.len()));
    gauge!("tidegate_upstreams_up").set(number(up));
    gauge!("tidegate_tools").set(number(service.tools().catalog().tools().count()));
}

/// Which servers are up. Written here, because a server that was removed would stay in the figures
/// that are kept.
fn upstreams(servers: &[ServerShown]) -> String {
    let mut text = String::from(
        "# HELP tidegate_upstream_up 0 while a server that is needed does not answer.\n# TYPE tidegate_upstream_up gauge\n",
    );
    for server in servers {
        // One that nobody has needed yet is not down.
        let up = u8::from(!server.is_down());
        // Escaped as Prometheus wants it, which is what Rust does with quotes and backslashes.
        let _ = writeln!(text, "tidegate_upstream_up{{server={:?}}} {up}", server.name());
    }
    text
}

fn number(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// Whoever opens the bare address wants to know what this is.
pub(crate) async fn root() -> Redirect {
    Redirect::to("/docs")
}
