//! `tidegate serve`: REST and MCP over HTTP.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent::Answering;
use anyhow::Context as _;
use clap::Args;
use server::arriving::{Bodies, BodyRules};
use server::mcp::{HttpOptions, Mcp};
use server::rest::{self, AccessRules, RestOptions, Tls};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::settings::{Given, Values, yes};
use crate::{interrupt, out, service, units};

/// How often figures are put together.
const UPKEEP: Duration = Duration::from_secs(5);

/// How long answers may take at least to reach whoever asked, once every program is over.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Options of `tidegate serve`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    #[command(flatten)]
    settings: Given,
}

/// Runs `tidegate serve`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let values = Values::resolve(config, &arguments.settings)?;
    let address = address(&values)?;
    let tls = tls(&values)?;
    if let Some(tls) = &tls {
        tls.check().await.map_err(|error| Misuse::error(error.to_string()))?;
    }
    let patience = values.read("stop-patience", units::parse_duration)?.unwrap_or_default();
    let mcp_options = service::mcp_options(config, &values)?;
    let metrics = rest::keep_figures().context("could not count")?;
    let place = service::Place::of_serve(config)?;
    let (shared, live) = service::open_live(config, &values, &arguments.mcp_config, &place).await?;
    let (running, told) = (Arc::clone(&shared.service), Arc::clone(&shared.address));
    let ending = CancellationToken::new();

    let counting = metrics.clone();
    // Otherwise what was counted would wait for somebody to look at it.
    let _upkeep = AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            counting.run_upkeep();
        }
    }));
    let asked = config.ask(mcp_options.direct.clone())?;
    let answering = Answering::new(Arc::clone(&running), asked)?;
    live.answer(answering.clone(), mcp_options.direct.clone());
    let (options, http_options) = doors(&values, answering.clone())?;
    let mcp = Mcp::new(shared.clone(), mcp_options).over_http(http_options, ending.clone());
    let mcp = rest::protect(mcp, &shared, options.access.clone());
    let options = RestOptions { metrics: Some(metrics), ..options };
    let router = rest::router(shared, options).merge(mcp);
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Misuse::error(format!(
            "could not listen on {address}: {error}; choose another with --port or --host"
        ))
    })?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let at = listener.local_addr().unwrap_or(address);
    // Set once: there is one listener.
    let _ = told.set(format!("{scheme}://{at}"));
    out::tell(format_args!(
        "listening on {scheme}://{at} (MCP at /mcp, REST at /execute, described at /docs); Ctrl-C stops"
    ));
    if !at.ip().is_loopback() && values.list("hosts").is_empty() {
        out::tell(
            "only requests that call this machine localhost are answered; name what else it is called with --hosts",
        );
    }
    let stop = ending.clone().cancelled_owned();
    let mut serving =
        AbortOnDropHandle::new(tokio::spawn(rest::serve(listener, tls, router, stop)));
    if let Some(ended) = interrupt::unless_interrupted(&mut serving).await? {
        running.close(patience).await;
        return ended?.map(|()| Ending::Success).map_err(Into::into);
    }
    out::tell(
        "stopping: programs that run may end, sessions go to disk; Ctrl-C again ends at once",
    );
    ending.cancel();
    let stopping = async {
        answering.close().await;
        running.close(patience).await;
        // A connection that has stalled holds nobody up.
        tokio::time::timeout(patience.max(LAST_WORDS), &mut serving).await
    };
    match interrupt::unless_interrupted(stopping).await? {
        Some(Ok(ended)) => ended?.map(|()| Ending::Success).map_err(Into::into),
        Some(Err(_stalled)) => Ok(Ending::Success),
        None => Ok(Ending::Interrupted),
    }
}

/// What holds at both doors: the same rules, and the same room for bodies.
fn doors(values: &Values, answering: Answering) -> anyhow::Result<(RestOptions, HttpOptions)> {
    let access = rules(values)?;
    for open in access.open_to_pages() {
        out::warn(open);
    }
    let bodies = bodies(values)?;
    let http = HttpOptions {
        bodies: bodies.clone(),
        sessions: values.at_least("max-mcp-sessions", 1)?,
        sessions_per_owner: values.at_least("max-mcp-sessions-per-owner", 1)?,
    };
    Ok((RestOptions { access, bodies, agent: Some(answering), ..RestOptions::default() }, http))
}

fn address(values: &Values) -> anyhow::Result<SocketAddr> {
    let host = values.read("host", |text| {
        let name = if text == "localhost" { "127.0.0.1" } else { text };
        name.parse::<IpAddr>()
            .map_err(|_| format!("{text:?} is no address; write one such as 127.0.0.1 or 0.0.0.0"))
    })?;
    let host = host.unwrap_or(IpAddr::from([127, 0, 0, 1]));
    Ok(SocketAddr::new(host, values.number("port")?))
}

/// What bodies of requests may have and hold.
fn bodies(values: &Values) -> anyhow::Result<Bodies> {
    let usual = BodyRules::default();
    let bytes = |name, otherwise| -> anyhow::Result<usize> {
        let bytes = values.read(name, units::parse_bytes)?;
        Ok(bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(otherwise))
    };
    let each = bytes("body-bytes", usual.each)?;
    let all = bytes("max-unfinished-bytes", usual.all)?;
    let within = values.read("body-time", units::parse_duration)?.unwrap_or(usual.within);
    if all / 2 < each {
        return Err(Misuse::error(format!(
            "`max-unfinished-bytes` is {all} bytes, less than twice `body-bytes` ({each}), so that some requests could never be read; raise it, or lower `body-bytes`"
        )));
    }
    Ok(Bodies::new(BodyRules { each, all, within }))
}

fn tls(values: &Values) -> anyhow::Result<Option<Tls>> {
    match (values.text("tls-cert"), values.text("tls-key")) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Ok(Some(Tls { certificate: certificate.into(), key: key.into() }))
        }
        _ => Err(Misuse::error("TLS needs both `tls-cert` and `tls-key`; give both or neither")),
    }
}

fn rules(values: &Values) -> anyhow::Result<AccessRules> {
    // One that is written in another way would never be met, and nobody would know why.
    if let Some(wrong) = values.list("hosts").iter().find(|name| name.contains('/')) {
        return Err(Misuse::error(format!(
            "`hosts`: {wrong:?} is no name of a host; write it without a scheme or a path, such as gate.example.com"
        )));
    }
    if let Some(wrong) = values.list("cors-origins").iter().find(|origin| !is_origin(origin)) {
        return Err(Misuse::error(format!(
            "`cors-origins`: {wrong:?} is no origin; write the scheme and the host and no path, such as https://app.example.com"
        )));
    }
    Ok(AccessRules {
        allow_anonymous: values.read("allow-anonymous", yes)?.unwrap_or(false),
        loopback_without_token: values.read("loopback-without-token", yes)?.unwrap_or(true),
        hosts: values.list("hosts"),
        cors_origins: values.list("cors-origins"),
    })
}

/// Whether a page can be at an origin that is written so.
fn is_origin(text: &str) -> bool {
    let host = text.split_once("://").map(|(_, host)| host);
    text == "*" || host.is_some_and(|host| !host.is_empty() && !host.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_and_a_host_and_no_path() {
        for origin in ["*", "https://app.example.com", "http://localhost:5173", "app://x"] {
            assert!(is_origin(origin), "{origin}");
        }
        for wrong in ["app.example.com", "https://app.example.com/", "https://", "null"] {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }
}
