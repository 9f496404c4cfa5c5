//! `tidegate stats`: what the runs of a service cost, and what they saved.

use anyhow::Context as _;
use clap::Args;
use gateway::minds::ModelUse;
use gateway::service::ids::{RunId, SessionId};
use gateway::service::stats::Stats;
use gateway::service::store::Store;

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::service::Place;
use crate::{out, show, units};

/// Tools and days that are listed for people.
const MOST_ROWS: usize = 10;

/// Options of `tidegate stats`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only the runs of this owner.
    #[arg(long)]
    owner: Option<String>,
    /// Only the runs of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The receipt of this run.
    #[arg(long, value_name = "ID", conflicts_with_all = ["owner", "session"])]
    run: Option<String>,
    /// Print a JSON object, as `GET /api/v1/stats` answers.
    #[arg(long)]
    json: bool,
}

/// Runs `tidegate stats`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let session: Option<SessionId> = match &arguments.session {
        None => None,
        Some(id) => Some(id.parse().map_err(|_| {
            Misuse::error(format!("{id:?} is no session; every result names its own as s_…"))
        })?),
    };
    // Each client's `tidegate mcp` keeps its runs by itself, and all of them count.
    let mut stores = Vec::new();
    for folder in Place::known(config)? {
        stores.push(Store::open(&folder).await?);
    }
    if let Some(id) = &arguments.run {
        return print_run(&stores, id, arguments.json).await;
    }
    let mut stats = Stats::default();
    for store in &stores {
        stats = stats.and(store.stats(arguments.owner.as_deref(), session.as_ref()).await?);
    }
    if arguments.json {
        let json = serde_json::to_string(&stats).context("could not write the figures as JSON")?;
        out::line(json).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    if stats.total_executions == 0 {
        out::tell(match (&arguments.owner, &arguments.session) {
            (None, None) => {
                "nothing has run yet; `tidegate serve` and `tidegate mcp` count what they run"
            }
            _ => "no run of that owner or session is stored",
        });
        return Ok(Ending::Success);
    }
    print(&stats).context(show::LOST)?;
    Ok(Ending::Success)
}

/// What one run cost, and what it saved.
async fn print_run(stores: &[Store], id: &str, json: bool) -> anyhow::Result<Ending> {
    let run: RunId = id.parse().map_err(|_| {
        Misuse::error(format!("{id:?} is no run; every result names its own as r_…"))
    })?;
    let mut receipt = None;
    for store in stores {
        let ended = store.run(&run).await?.and_then(|record| record.ended);
        receipt = receipt.or(ended.and_then(|ended| ended.receipt));
    }
    let Some(receipt) = receipt else {
        return Err(Misuse::error(format!(
            "there is no receipt of {run}: it has not ended, never was, or was removed with others of its age"
        )));
    };
    if json {
        let json =
            serde_json::to_string(&receipt).context("could not write the figures as JSON")?;
        out::line(json).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    let rows = [
        ("our definitions", receipt.own_definitions.to_string()),
        ("tokens sent", receipt.sent.to_string()),
        ("tokens received", receipt.received.to_string()),
        ("all tools inline", receipt.inline.to_string()),
        ("with tool search", receipt.search.to_string()),
        ("tokens saved", receipt.tokens_saved.to_string()),
        ("  against tool search", receipt.tokens_saved_search.to_string()),
        ("money saved", format!("{:.6}", receipt.cost_saved)),
        ("kept in the sandbox", units::size(receipt.bytes_kept)),
        ("tools called", out::clean(&receipt.tools_called.join(", ")).to_string()),
    ];
    for (label, value) in rows {
        out::line(format_args!("{label:<22} {value}")).context(show::LOST)?;
    }
    print_models(&receipt.models).context(show::LOST)?;
    Ok(Ending::Success)
}

/// What programs asked models, where they asked any.
fn print_models(used: &ModelUse) -> std::io::Result<()> {
    if used.is_nothing() {
        return Ok(());
    }
    let rows = [
        ("questions to models", used.questions.to_string()),
        ("  tokens read", used.input_tokens.to_string()),
        ("  tokens written", used.output_tokens.to_string()),
        ("  cost", money(used.cost)),
    ];
    for (label, value) in rows {
        out::line(format_args!("{label:<22} {value}"))?;
    }
    Ok(())
}

fn print(stats: &Stats) -> std::io::Result<()> {
    let rows = [
        ("runs", stats.total_executions.to_string()),
        ("succeeded", format!("{:.1}%", stats.success_rate * 100.0)),
        ("average time", format!("{:.1} ms", stats.average_execution_time_ms)),
        ("average time in line", format!("{:.1} ms", stats.average_queue_time_ms)),
        ("tokens sent", stats.tokens_sent.to_string()),
        ("tokens received", stats.tokens_received.to_string()),
        ("tokens saved", stats.total_tokens_saved.to_string()),
        ("  against tool search", stats.total_tokens_saved_search.to_string()),
        ("money saved", money(stats.total_cost_saved)),
        ("kept in the sandbox", units::size(u64::try_from(stats.bytes_kept).unwrap_or_default())),
        ("calls of tools", stats.tool_calls.to_string()),
    ];
    for (label, value) in rows {
        out::line(format_args!("{label:<22} {value}"))?;
    }
    print_models(&stats.models)?;
    if !stats.tools_called.is_empty() {
        let mut table = show::table(["tool", "calls"]);
        for tool in stats.tools_called.iter().take(MOST_ROWS) {
            table.add_row([out::clean(&tool.tool).to_string(), tool.calls.to_string()]);
        }
        out::line(format_args!("\n{}", table.trim_fmt()))?;
    }
    let mut table = show::table(["day", "runs", "tokens saved", "money saved"]);
    for day in stats.days.iter().take(MOST_ROWS) {
        table.add_row([
            day.day.clone(),
            day.executions.to_string(),
            day.tokens_saved.to_string(),
            money(day.cost_saved),
        ]);
    }
    out::line(format_args!("\n{}", table.trim_fmt()))
}

/// An amount with as many digits as say whether it is a loss.
fn money(amount: f64) -> String {
    if amount != 0.0 && amount.abs() < 0.01 {
        format!("{amount:.6}")
    } else {
        format!("{amount:.2}")
    }
}
