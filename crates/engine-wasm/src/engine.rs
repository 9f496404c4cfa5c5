//! The engine: base images, standby guests, and the two ways to get a guest.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use engine::{Digest, Engine, Guest, Image, Program, StandbyFigures, Start, StartError};

use crate::cache::{ImageLookupError, ImageName, StoredImage};
use crate::files::GivenFolder;
use crate::guest::{Standby, WasmGuest, Works};
use crate::install::{BoxError, Installed};
use crate::kit;
use crate::language::{Language, Spoken as _};
use crate::machine::{Base, Machine, ThawError};
use crate::memory::ImageFile;
use crate::threads::{STACK, Threads, lock};

const NAME: &str = "wasm";

/// Importing one of these asks for the `science` image.
const SCIENCE: &[&str] = &["scipy", "sklearn", "matplotlib", "statsmodels", "seaborn"];

/// How much nicer refilling is than everything else.
const LEISURE: i32 = 10;

/// How long refilling holds back after a guest was taken.
const CONSIDERATION: Duration = Duration::from_millis(2);

/// How an engine uses the machine it is on.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Guests of the base image that wait, ready to run.
    pub standby: usize,
    /// Steps that may run at the same time.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { standby: 0, threads: 64 }
    }
}

/// Runs programs of one language in wasmtime.
pub struct WasmEngine {
    works: Arc<Works>,
    installed: Installed,
    bases: Mutex<HashMap<Digest, Arc<Base>>>,
    names: Mutex<HashMap<String, Digest>>,
    standby: Option<Arc<Keeper>>,
}

/// How long refilling waits where guests keep every core busy.
const BUSY: Duration = Duration::from_millis(20);

/// Refills the standby guests of one base image.
struct Keeper {
    base: Arc<Base>,
    guests: Standby,
    hits: AtomicU64,
    misses: AtomicU64,
    thread: Mutex<Option<thread::Thread>>,
}

impl WasmEngine {
    /// An engine on an installed runtime.
    ///
    /// # Errors
    /// When the code or the base image cannot be loaded.
    pub fn open(installed: Installed, options: Options) -> Result<Self, BoxError> {
        let kit = kit::open(installed.parts())?;
        // With guests in reserve, cleaning up can wait until the machine is idle; without,
        // the next guest wants the memory of the last while it is still in the caches.
        let later = if options.standby > 0 { CONSIDERATION } else { Duration::ZERO };
        let threads = Threads::new(Arc::clone(&kit.flags), options.threads, later)?;
        let works = Arc::new(Works { kit, threads });
        let mut engine = Self {
            works,
            installed,
            bases: Mutex::default(),
            names: Mutex::default(),
            standby: None,
        };
        if options.standby > 0 {
            let base = engine.base_named(&engine.language().base())?;
            engine.standby = Some(Keeper::start(base, &engine.works, options.standby)?);
        }
        Ok(engine)
    }

    /// The runtime it runs on.
    #[must_use]
    pub fn installed(&self) -> &Installed {
        &self.installed
    }

    /// How many steps run at this moment.
    #[must_use]
    pub fn running(&self) -> usize {
        self.works.threads.running()
    }

    /// How many guests of the base image wait, ready to run.
    #[must_use]
    pub fn standing_by(&self) -> usize {
        self.standby.as_ref().map_or(0, |keeper| keeper.guests.len())
    }

    fn base_named(&self, name: &ImageName) -> Result<Arc<Base>, ImageLookupError> {
        let known = lock(&self.names).get(name.as_str()).copied();
        if let Some(base) = known.and_then(|digest| lock(&self.bases).get(&digest).cloned()) {
            return Ok(base);
        }
        let base = self.load(&self.installed.image(name)?)?;
        lock(&self.names).insert(name.as_str().to_owned(), base.digest);
        Ok(base)
    }

    fn base_of(&self, digest: &Digest) -> Result<Arc<Base>, ImageLookupError> {
        if let Some(base) = lock(&self.bases).get(digest) {
            return Ok(Arc::clone(base));
        }
        self.load(&self.installed.find_image_by_digest(digest)?)
    }

    fn load(&self, stored: &StoredImage) -> Result<Arc<Base>, ImageLookupError> {
        let packages = match self.installed.cache().image_packages(&stored.record)? {
            Some(file) => std::fs::read(file.path())
                .map_err(BoxError::from)
                .and_then(|bytes| crate::packages::unpack(&bytes)),
            None => Ok(GivenFolder::default()),
        };
        let broken =
            |source: BoxError| ImageLookupError::Broken { digest: stored.record.digest, source };
        let hot = stored.record.hot_pages.clone();
        let image = stored.file.file().try_clone().and_then(|file| ImageFile::new(file, hot));
        let base = Arc::new(Base {
            digest: stored.record.digest,
            image: Arc::new(image.map_err(|error| broken(error.into()))?),
            entry: stored.record.entry,
            packages: packages.map_err(broken)?,
        });
        lock(&self.bases).insert(base.digest, Arc::clone(&base));
        Ok(base)
    }

    fn ready(&self, base: &Arc<Base>) -> Option<Machine> {
        let keeper = self.standby.as_ref().filter(|keeper| Arc::ptr_eq(&keeper.base, base))?;
        let machine = keeper.guests.take();
        let count = if machine.is_some() { &keeper.hits } else { &keeper.misses };
        count.fetch_add(1, Ordering::Relaxed);
        keeper.wake();
        machine
    }
}

#[async_trait]
impl Engine for WasmEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn language(&self) -> Language {
        self.works.kit.language
    }

    fn standby(&self) -> Option<StandbyFigures> {
        self.standby.as_ref().map(|keeper| StandbyFigures {
            hits: keeper.hits.load(Ordering::Relaxed),
            misses: keeper.misses.load(Ordering::Relaxed),
            ready: keeper.guests.len(),
        })
    }

    async fn start(
        &self,
        start: Start,
        first: Option<&Program>,
    ) -> Result<Box<dyn Guest>, StartError> {
        let name = match &start.image {
            Some(name) => {
                name.parse().map_err(|_| StartError::UnknownImage { name: name.clone() })?
            }
            None if self.language() == Language::Python
                && first.is_some_and(|program| wants_science(&program.source)) =>
            {
                ImageName::science()
            }
            None => self.language().base(),
        };
        let base = self.base_named(&name).map_err(not_found)?;
        if base.entry == 0 {
            // `first` is what images are made from; there is no runtime in it yet.
            return Err(StartError::UnknownImage { name: name.to_string() });
        }
        let works = Arc::clone(&self.works);
        Ok(Box::new(match self.ready(&base) {
            Some(machine) => WasmGuest::alive(works, Box::new(machine), start),
            None => WasmGuest::unborn(works, base, start),
        }))
    }

    async fn thaw(&self, image: &Image, start: Start) -> Result<Box<dyn Guest>, StartError> {
        if image.header().engine != NAME {
            return Err(
                engine::ImageError::Malformed("it was frozen by another kind of engine").into()
            );
        }
        let base = self.base_of(&image.header().base).map_err(not_found)?;
        let machine = Machine::thaw(&self.works.kit, &base, image, &start.limits).map_err(
            |error| match error {
                ThawError::Image(error) => StartError::Image(error),
                ThawError::Wasm(error) => StartError::Engine {
                    engine: NAME,
                    action: "thaw a guest",
                    source: error.into(),
                },
            },
        )?;
        // The image continues its own chance; a seed is for beginnings.
        let start = Start { seed: None, ..start };
        Ok(Box::new(WasmGuest::alive(Arc::clone(&self.works), Box::new(machine), start)))
    }
}

fn not_found(error: ImageLookupError) -> StartError {
    match error {
        ImageLookupError::Unknown { name } => StartError::UnknownImage { name: name.to_string() },
        ImageLookupError::UnknownDigest { digest } => StartError::UnknownBase { wanted: digest },
        error => {
            StartError::Engine { engine: NAME, action: "open a base image", source: error.into() }
        }
    }
}

/// Whether a program imports one of the heavier libraries. A guess from its
/// statements: a wrong one costs time, not correctness.
fn wants_science(source: &str) -> bool {
    // `if x: import scipy` and `x = 1; import scipy` have statements in the middle of a line.
    source.lines().flat_map(|line| line.split([';', ':'])).any(|statement| {
        let mut words = statement.split_whitespace();
        let rest = match words.next() {
            Some("import") => statement.trim_start().trim_start_matches("import"),
            Some("from") => words.next().unwrap_or_default(),
            _ => return false,
        };
        let modules = rest.split(',').filter_map(|one| one.trim().split(['.', ' ', '\t']).next());
        modules.into_iter().any(|module| SCIENCE.contains(&module))
    })
}

impl Keeper {
    fn start(base: Arc<Base>, works: &Arc<Works>, most: usize) -> Result<Arc<Self>, BoxError> {
        let keeper = Arc::new(Self {
            base,
            guests: Standby::new(most),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            thread: Mutex::new(None),
        });
        let (weak, works) = (Arc::downgrade(&keeper), Arc::clone(works));
        let thread = thread::Builder::new()
            .name("guest-standby".into())
            .stack_size(STACK)
            .spawn(move || refill(&weak, &works))?;
        *lock(&keeper.thread) = Some(thread.thread().clone());
        Ok(keeper)
    }

    fn wake(&self) {
        if let Some(thread) = lock(&self.thread).as_ref() {
            thread.unpark();
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.wake();
    }
}

/// Makes guests until none is missing, again and again while the engine lives.
fn refill(keeper: &Weak<Keeper>, works: &Works) {
    // Refused in some containers; refilling is then merely as urgent as the rest.
    let _ = rustix::process::setpriority_process(None, LEISURE);
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    while let Some(keeper) = keeper.upgrade() {
        if keeper.guests.missing() == 0 {
            drop(keeper);
            thread::park_timeout(Duration::from_secs(1));
            // Whoever took a guest is about to use it, and should have the machine to itself.
            thread::sleep(CONSIDERATION);
            continue;
        }
        if works.threads.running() >= cores {
            // With every core busy, making one ahead of time takes from others what it saves later.
            drop(keeper);
            thread::sleep(BUSY);
            continue;
        }
        // Failing to make one ahead of time is no loss: whoever needs it will
        // try again and be told why.
        let Ok(machine) = Machine::rehearsed(&works.kit, &keeper.base) else {
            drop(keeper);
            thread::park_timeout(Duration::from_secs(1));
            continue;
        };
        keeper.guests.put(machine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_import_at_the_start_of_a_line_asks_for_science() {
        assert!(wants_science("x = 1\nfrom sklearn.cluster import KMeans"));
        for source in [
            "  import scipy",
            "import os, scipy",
            "import numpy as np, matplotlib.pyplot as plt",
            "import pandas as pd; import scipy",
            "if 1: import statsmodels",
            "import\tscipy",
            "from scipy.stats import norm",
        ] {
            assert!(wants_science(source), "{source}");
        }
        assert!(!wants_science("print('import scipy')\nimport scipyx"));
    }
}
