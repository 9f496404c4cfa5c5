//! Settings from outside: the only module that reads the environment.
//!
//! | variable | meaning | otherwise |
//! | --- | --- | --- |
//! | `TIDEGATE_CACHE` | folder of the runtime and images, which can be made again | `tidegate` in the user's cache folder |
//! | `TIDEGATE_DATA` | folder of sessions and history, which cannot | `tidegate` in the user's data folder |

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;
use engine_wasm::cache::Cache;
use etcetera::BaseStrategy as _;

use crate::store::Store;

const CACHE: &str = "TIDEGATE_CACHE";
const DATA: &str = "TIDEGATE_DATA";
const OWN: &str = "tidegate";

/// Where things are.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    cache: Option<PathBuf>,
    data: Option<PathBuf>,
}

impl Config {
    /// Reads the environment. Nothing is created, nothing can fail yet: a command
    /// that needs no folder must work without one.
    pub(crate) fn from_environment() -> Self {
        let usual = etcetera::choose_base_strategy().ok();
        let cache = folder(CACHE).or_else(|| Some(usual.as_ref()?.cache_dir().join(OWN)));
        let data = folder(DATA).or_else(|| Some(usual.as_ref()?.data_dir().join(OWN)));
        Self { cache, data }
    }

    /// The folder of the runtime.
    pub(crate) fn cache(&self) -> anyhow::Result<Cache> {
        let folder = self.cache.clone().context(
            "there is no home folder to keep the runtime in; set TIDEGATE_CACHE to a folder of your own",
        )?;
        Ok(Cache::at(folder))
    }

    /// The folder of what the user made.
    pub(crate) fn data(&self) -> anyhow::Result<PathBuf> {
        self.data.clone().context(
            "there is no home folder to keep sessions in; set TIDEGATE_DATA to a folder of your own",
        )
    }

    /// The sessions on disk.
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::at(self.data()?.join("sessions")))
    }
}

/// The folder a variable names; an empty variable names none.
fn folder(variable: &str) -> Option<PathBuf> {
    let value = env::var_os(variable).filter(|value| !value.is_empty())?;
    std::path::absolute(value).ok()
}
