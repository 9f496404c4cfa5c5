//! The warm pool: guests that stood ready, taken in bursts.
//!
//! A burst is smaller than the pool and comes after it was filled, so every guest of
//! it stood ready. The pool is full again before anybody else is measured, because
//! filling it takes a core.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine_wasm::install::BoxError;
use engine_wasm::{Options, WasmEngine};

use crate::ours::{SUM, SUM_VALUE, fresh, open};
use crate::samples::Samples;

/// Programs in a burst.
pub(crate) const BURST: usize = 6;

const STANDBY: usize = 8;
const LOOK_AGAIN: Duration = Duration::from_millis(1);
const CALM: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(30);

/// An engine with guests standing by.
pub(crate) struct Pool {
    engine: Arc<WasmEngine>,
}

impl Pool {
    /// Opens the runtime in `folder` a second time and fills the pool.
    pub(crate) async fn open(folder: &Path) -> Result<Self, BoxError> {
        let options = Options { standby: STANDBY, ..Options::default() };
        let pool = Self { engine: open(folder, options)? };
        pool.full().await?;
        Ok(pool)
    }

    /// Takes `bursts` bursts and fills the pool up after each.
    pub(crate) async fn bursts(&self, bursts: usize, into: &mut Samples) -> Result<(), BoxError> {
        for _ in 0..bursts {
            for _ in 0..BURST {
                into.push(fresh(&self.engine, SUM, SUM_VALUE).await?);
            }
            self.full().await?;
        }
        Ok(())
    }

    async fn full(&self) -> Result<(), BoxError> {
        let filled = async {
            while self.engine.standing_by() < STANDBY {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        tokio::time::timeout(PATIENCE, filled).await.map_err(|_| "the pool does not fill")?;
        calm().await;
        Ok(())
    }
}

/// Waits until whoever was measured before has cleaned up behind itself.
pub(crate) async fn calm() {
    tokio::time::sleep(CALM).await;
}
