//! `tidegate token`: who may use a service, and for what.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context as _;
use audit::{Entry, Kind};
use clap::{Args, Subcommand};
use gateway::service::store::Store;
use gateway::service::{Caller, Scope};
use serde_json::json;

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::{out, show, units};

/// Options of `tidegate token`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token and print it; it is never shown again.
    Create {
        /// Whose sessions and runs it gives.
        owner: String,
        /// What it allows: execute, read, admin, approve.
        #[arg(long, value_delimiter = ',', default_value = "execute,read")]
        scopes: Vec<Scope>,
        /// The teams of its owner.
        #[arg(long, value_delimiter = ',')]
        teams: Vec<String>,
        /// How long it lasts, such as 24h; for ever if nothing is said.
        #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
        lasts: Option<Duration>,
    },
    /// List the tokens there are, without what makes them tokens.
    List,
    /// End a token.
    Remove {
        /// Its id, as `list` shows it.
        id: String,
    },
}

/// Writes down what became of a token.
fn noted(config: &Config, owner: &str, id: &str, what: &str) {
    crate::service::note(
        config,
        Entry {
            owner: owner.to_owned(),
            subject: format!("tokens.{id}"),
            details: json!({ "change": what }),
            ..Entry::new(Kind::ConfigChanged)
        },
    );
}

/// Runs `tidegate token`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let store = Store::open(&config.data()?.join("service")).await?;
    match arguments.action {
        Action::Create { owner, scopes, teams, lasts } => {
            if owner.trim().is_empty() {
                return Err(Misuse::error("a token needs an owner; say whose it is"));
            }
            let caller = Caller { owner, teams, scopes: BTreeSet::from_iter(scopes) };
            let (secret, info) = store.create_token(&caller, lasts).await?;
            noted(config, &info.owner, &info.id, "made");
            out::line(&secret).context(show::LOST)?;
            out::tell(format_args!(
                "token {} of {}; it is kept as a hash, so this is the only time it is shown",
                info.id,
                out::clean(&info.owner)
            ));
        }
        Action::List => {
            let mut table = show::table(["id", "owner", "teams", "scopes", "expires"]);
            for token in store.tokens().await? {
                let scopes: Vec<_> = token.scopes.iter().map(|scope| scope.name()).collect();
                let over = token.expires_at.is_some_and(|end| end.elapsed() > Duration::ZERO);
                table.add_row([
                    token.id,
                    out::clean(&token.owner).to_string(),
                    out::clean(&token.teams.join(", ")).to_string(),
                    scopes.join(", "),
                    match token.expires_at {
                        None => "never".to_owned(),
                        Some(_) if over => "over".to_owned(),
                        Some(end) => units::duration(Duration::from_millis(
                            u64::try_from(end.0 - gateway::service::Moment::now().0)
                                .unwrap_or_default(),
                        )),
                    },
                ]);
            }
            out::line(table.trim_fmt()).context(show::LOST)?;
        }
        Action::Remove { id } => {
            if !store.remove_token(&id).await? {
                return Err(Misuse::error(format!(
                    "there is no token `{id}`; `tidegate token list` shows those there are"
                )));
            }
            noted(config, "", &id, "ended");
        }
    }
    Ok(Ending::Success)
}
