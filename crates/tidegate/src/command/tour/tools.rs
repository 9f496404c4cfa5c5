//! The step that is the main job: a program that calls a server's tools and returns little.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use catalog::ServerName;
use engine::{Engine, NoHost, Program, Session, Start};
use gateway::{Memory, ServerPolicy, Tools};
use upstream::{ServerSettings, Source, Startup, Stdio, Timeouts, Upstreams};

use super::stage::Stage;
use crate::config::Config;

const METERS: &str = r#"import asyncio, pandas as pd
from servers.data import get_devices, query_device_history

meters = (await get_devices(kind="power"))["devices"][:10]
weeks = await asyncio.gather(*(query_device_history(device_id=one["id"]) for one in meters))
points = pd.concat(pd.DataFrame(week["points"]).assign(room=one["room"]) for one, week in zip(meters, weeks))
hour = pd.to_datetime(points.time).dt.hour
{
    "points": len(points),
    "watts": points.groupby("room").value.mean().round(1).nlargest(3).to_dict(),
    "peak hour": int(points.groupby(hour).value.mean().idxmax()),
}"#;

/// What the program makes of the data, which is the same everywhere.
const FOUND: &str =
    r#"{"points":100000,"watts":{"bedroom":102.7,"hall":95.8,"bathroom":86.3},"peak hour":19}"#;

/// A hundred thousand points in, a few words out.
pub(super) async fn meters(
    config: &Config,
    engine: &Arc<dyn Engine>,
    stage: &mut Stage,
) -> anyhow::Result<()> {
    stage
        .begin("Eleven tool calls, a hundred thousand points: the model reads one line", METERS)?;
    let tools = example(config)?;
    let mut session = Session::new(Arc::clone(engine), Start::default());
    let begun = Instant::now();
    let program = Program::new(METERS);
    let outcome =
        gateway::run(&mut session, program, &tools, gateway::Behalf::default(), Arc::new(NoHost))
            .await?;
    let took = begun.elapsed();
    let kept = outcome.success && outcome.return_value.get() == FOUND && outcome.usage.calls == 11;
    stage.end(&outcome, took, kept)?;
    tools.upstreams().close().await;
    Ok(())
}

/// The server of example data, started like any other.
fn example(config: &Config) -> anyhow::Result<Arc<Tools>> {
    let options = config.upstream_options()?;
    // The one that looks after servers is this program itself.
    let own = options.supervisor.iter().flatten().next().cloned().unwrap_or_default();
    let name = ServerName("data".into());
    let settings = ServerSettings {
        name: name.clone(),
        source: Source::Stdio(Stdio {
            command: own.to_string_lossy().into_owned(),
            arguments: vec!["example-server".into(), name.0.clone()],
            environment: BTreeMap::new(),
            folder: None,
            shown: Some("tidegate example-server data".into()),
        }),
        description: None,
        startup: Startup::Lazy,
        timeouts: Timeouts::default(),
        concurrency: 10,
        answer_bytes: 16 << 20,
    };
    let upstreams = Upstreams::new(vec![settings], options);
    let policies = BTreeMap::from([(name, ServerPolicy::default())]);
    Ok(Tools::new(upstreams, policies, Memory::none()))
}
