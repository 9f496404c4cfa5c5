//! `tidegate login`: a person logs in to a server, in a browser.

use std::io::{self, IsTerminal as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use audit::{Entry, Kind, Outcome};
use clap::Args;
use upstream::{FileTokens, LoginDone, LoginOptions};
use url::Url;

use crate::config::Config;
use crate::exit::Ending;
use crate::interrupt::unless_interrupted;
use crate::{out, show, units};

/// Options of `tidegate login`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The server.
    name: String,
    /// Print the address and open no browser.
    #[arg(long)]
    no_browser: bool,
    /// The port of this machine that the browser returns to, where the server insists on one.
    #[arg(long, value_name = "NUMBER")]
    port: Option<u16>,
    /// A permission to ask for besides those the server wants.
    #[arg(long = "scope", value_name = "NAME")]
    scopes: Vec<String>,
    /// How long to wait for the browser.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = units::parse_duration)]
    timeout: Duration,
}

/// Runs `tidegate login`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let (name, http) = config.http_server(&arguments.name)?;
    let store = FileTokens::new(config.tokens()?);
    let Arguments { no_browser, port, scopes, timeout, .. } = arguments;
    let options = LoginOptions {
        timeout,
        port,
        scopes,
        ..LoginOptions::new(move |url| visit(url, no_browser))
    };
    let login = Box::pin(upstream::login(&name, &http, &store, options));
    let Some(done) = unless_interrupted(login).await? else {
        out::tell("cancelled; a log-in from before is still there");
        return Ok(Ending::Interrupted);
    };
    let subject = format!("servers.{name}");
    let outcome = Some(if done.is_ok() { Outcome::Ok } else { Outcome::Failed });
    crate::service::note(config, Entry { subject, outcome, ..Entry::new(Kind::Login) });
    let LoginDone { issuer, scopes, is_renewable, .. } = done?;
    let by = issuer.map_or_else(String::new, |issuer| format!(" by {issuer}"));
    out::line(format_args!("logged in to `{name}`{by}")).context(show::LOST)?;
    if !scopes.is_empty() {
        out::tell(format_args!("it may: {}", out::clean(&scopes.join(", "))));
    }
    if !is_renewable {
        out::tell(
            "the server gave no way to renew it: it ends by itself, and you will have to log in again",
        );
    }
    Ok(Ending::Success)
}

/// Sends the user to the address where they log in.
fn visit(url: &Url, no_browser: bool) {
    let opened = !no_browser && io::stderr().is_terminal() && open(url);
    let lead = if opened { "a browser opens; if it does not, go to" } else { "to log in, go to" };
    out::tell(format_args!("{lead}\n  {url}"));
}

fn open(url: &Url) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url.as_str()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // It hands the address to a browser that is running already, or becomes one; either way it
    // is not ours to end.
    command.spawn().is_ok()
}
