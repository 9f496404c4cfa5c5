//! The shipped program, from process start to first result.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use engine_wasm::install::BoxError;
use serde::Deserialize;

use crate::samples::Samples;

/// What `tidegate run --json` prints, as far as it matters here.
#[derive(Deserialize)]
struct Said {
    return_value: serde_json::Value,
}

/// The `tidegate` that was built beside this benchmark, if it was.
pub(crate) fn binary() -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let binary = here.parent()?.parent()?.join("tidegate");
    binary.is_file().then_some(binary)
}

/// Starts it `count` times, on the runtime in `folder`.
pub(crate) fn measure(
    binary: &Path,
    folder: &Path,
    count: usize,
    into: &mut Samples,
) -> Result<(), BoxError> {
    for _ in 0..count {
        let mut command = Command::new(binary);
        command.args(["run", "-c", "1+1", "--json"]).env("TIDEGATE_CACHE", folder);
        let started = Instant::now();
        let output = command.output()?;
        let elapsed = started.elapsed().as_secs_f64();
        let said: Said = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("no outcome from `tidegate run`: {}", output.status))?;
        if said.return_value != 2 {
            return Err(format!("`tidegate run` says 1+1 is {}", said.return_value).into());
        }
        into.push(elapsed);
    }
    Ok(())
}
