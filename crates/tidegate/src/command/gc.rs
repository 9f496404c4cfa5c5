//! `tidegate gc`: removes what is kept of old runs and behind old tokens, as `serve` does by itself.

use anyhow::Context as _;
use clap::Args;
use gateway::service::retention::Collected;
use gateway::service::store::Store;
use serde_json::json;

use crate::config::Config;
use crate::exit::Ending;
use crate::settings::{Given, Values};
use crate::{out, show, units};

/// Options of `tidegate gc`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Given,
}

/// Runs `tidegate gc`. A gateway that runs meanwhile does not mind: what has not ended is not touched.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let values = Values::resolve(config, &arguments.settings)?;
    let settings = crate::service::settings(config, &values)?;
    let data = config.data()?;
    let mut all = Collected::default();
    let places = std::fs::read_dir(&data).into_iter().flatten().flatten();
    for folder in places.map(|entry| entry.path()).filter(|path| path.join("tidegate.db").is_file())
    {
        let store = Store::open(&folder).await?;
        let gone = store.collect(settings.keep_runs, settings.keep_runs_bytes).await?;
        all.runs += gone.runs;
        all.bytes += gone.bytes;
    }
    let values = crate::tools::veil(config)?.forget().await?;
    if arguments.json {
        let gone = json!({ "runs": all.runs, "bytes": all.bytes, "values": values });
        out::line(gone).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    let what = match all.runs {
        0 => "no run is old or large enough to be removed".to_owned(),
        1 => format!("removed 1 run ({})", units::size(all.bytes)),
        runs => format!("removed {runs} runs ({})", units::size(all.bytes)),
    };
    out::line(what).context(show::LOST)?;
    if values > 0 {
        out::line(format_args!("removed {values} values behind tokens")).context(show::LOST)?;
    }
    Ok(Ending::Success)
}
