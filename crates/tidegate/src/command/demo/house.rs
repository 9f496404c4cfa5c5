//! The configuration of the house: three servers, in a folder of its own.

use anyhow::Context as _;
use toml::Value;

use crate::config::Config;

/// The servers of the house.
const SERVERS: [&str; 3] = ["automation", "data", "device"];

/// A configuration with these servers and no others.
pub(super) fn config(config: &Config, seed: u64) -> anyhow::Result<Config> {
    let data = config.data()?.join("demo");
    let what = || format!("could not use {}", data.display());
    std::fs::create_dir_all(&data).with_context(what)?;
    // The one that looks after servers is this program itself.
    let own = config.upstream_options()?.supervisor.into_iter().flatten().next();
    let own = own.unwrap_or_default().to_string_lossy().into_owned();
    let store = data.join(format!("home-{seed}.db")).to_string_lossy().into_owned();
    let section = |name: &str| {
        let seed = seed.to_string();
        let arguments = ["example-server", name, "--seed", &seed, "--store", &store];
        let arguments = arguments.map(escaped).to_vec();
        let server =
            [("command".to_owned(), escaped(&own)), ("args".to_owned(), Value::Array(arguments))];
        (name.to_owned(), Value::Table(server.into_iter().collect()))
    };
    let servers = Value::Table(SERVERS.map(section).into_iter().collect());
    let whole = Value::Table([("servers".to_owned(), servers)].into_iter().collect());
    let file = data.join("tidegate.toml");
    std::fs::write(&file, toml::to_string(&whole)?).with_context(what)?;
    Ok(config.apart(&file, data))
}

/// Text that no reference is looked for in.
fn escaped(text: &str) -> Value {
    Value::String(text.replace("${", "$${"))
}
