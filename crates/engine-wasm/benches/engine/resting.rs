//! A session with a large table, frozen to bytes and thawed again.

use std::time::Instant;

use engine::{Engine, Image, Start};
use engine_wasm::WasmEngine;
use engine_wasm::install::BoxError;

use crate::ours::{expect, value};
use crate::samples::Samples;

const BUILD: &str = "import numpy as np, pandas as pd
n = 100_000
chance = np.random.default_rng(1)
df = pd.DataFrame({'a': np.arange(n), 'b': np.arange(n) % 7, 'c': chance.integers(0, 50, n)})
len(df)";
const USE: &str = "int(df.a.sum())";

/// What rest costs.
#[derive(Debug, Default)]
pub(crate) struct Resting {
    /// Seconds to freeze.
    pub(crate) freeze: Samples,
    /// Seconds to thaw.
    pub(crate) thaw: Samples,
    /// Seconds to thaw and sum a column, which is when its pages are touched.
    pub(crate) thaw_and_use: Samples,
    /// Bytes of the image.
    pub(crate) image_bytes: Samples,
}

impl Resting {
    /// Freezes `count` sessions for the first time, and thaws each once.
    pub(crate) async fn measure(
        &mut self,
        engine: &WasmEngine,
        count: usize,
    ) -> Result<(), BoxError> {
        for _ in 0..count {
            let mut guest = engine.start(Start::default(), None).await?;
            expect(&value(&mut *guest, BUILD).await?, "100000")?;

            let started = Instant::now();
            let image = guest.freeze().await?;
            let stored = image.as_bytes().to_vec();
            self.freeze.push(started.elapsed().as_secs_f64());
            self.image_bytes.push(f64::from(u32::try_from(stored.len())?));

            let started = Instant::now();
            let image = Image::decode(stored)?;
            let mut thawed = engine.thaw(&image, Start::default()).await?;
            self.thaw.push(started.elapsed().as_secs_f64());
            let sum = value(&mut *thawed, USE).await?;
            self.thaw_and_use.push(started.elapsed().as_secs_f64());
            expect(&sum, "4999950000")?;
        }
        Ok(())
    }
}
