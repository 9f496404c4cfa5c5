//! Ctrl-C and SIGTERM: the first stops what is going on, the second ends the process at once.

use std::future::Future;
use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::exit::Ending;

/// Does `work` unless Ctrl-C comes first. `None` means that it came and that
/// `work` has been dropped, which stops it.
pub(crate) async fn unless_interrupted<T>(
    work: impl Future<Output = T>,
) -> anyhow::Result<Option<T>> {
    let (_listener, interrupted) = listen()?;
    tokio::select! {
        biased;
        Ok(()) = interrupted => Ok(None),
        value = work => Ok(Some(value)),
    }
}

/// Does `work`, which cannot be stopped half-way, on a thread of its own. Ctrl-C
/// ends the process: `work` must leave nothing behind that a crash would not.
pub(crate) async fn or_exit<T: Send + 'static>(
    parting: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let Some(done) = unless_interrupted(tokio::task::spawn_blocking(work)).await? else {
        // The terminal's line holds a progress bar or the `^C` it has echoed.
        let break_line = if io::stderr().is_terminal() { "\n" } else { "" };
        crate::out::tell(format_args!("{break_line}{parting}"));
        std::process::exit(Ending::Interrupted.code().into());
    };
    done.context("the work ended unexpectedly; run the command again")
}

/// Hears Ctrl-C as long as it lives.
struct Listener(JoinHandle<()>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn listen() -> anyhow::Result<(Listener, oneshot::Receiver<()>)> {
    let mut interrupts = signal(SignalKind::interrupt()).context("could not listen for Ctrl-C")?;
    let mut terminations =
        signal(SignalKind::terminate()).context("could not listen for SIGTERM")?;
    let (tell, told) = oneshot::channel();
    // A task of its own, because what is dropped on the first Ctrl-C may take a
    // moment, and the second must be heard meanwhile.
    let task = tokio::spawn(async move {
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = terminations.recv() => {}
        }
        // Nobody listens any more when the work has just ended.
        let _ = tell.send(());
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = terminations.recv() => {}
        }
        std::process::exit(Ending::Interrupted.code().into());
    });
    Ok((Listener(task), told))
}
