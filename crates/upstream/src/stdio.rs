//! MCP over the standard streams of a child process.

mod child;
mod environment;
mod lines;
mod supervise;

use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::process::{ChildStdin, ChildStdout};

use child::{Child, Started};
use lines::Lines;
pub use supervise::supervise;

use crate::ended::Ended;
use crate::error::ConnectError;
use crate::mcp::{Era, McpConnection, Patience, Refusal, Setting, greet};
use crate::settings::Stdio;

/// When a server that says nothing is asked whether it is there at all.
const PING: Duration = Duration::from_secs(3);
/// How long the end of a process may come after the end of its output.
const AFTERLIFE: Duration = Duration::from_millis(300);

/// Starts the program and connects to it.
///
/// One that says nothing is most likely still starting and has all the time there is; it is not
/// ended and started again meanwhile. As it may also be one that hangs on `server/discover`, the
/// next attempt begins with `initialize`, and the one after that is like the first.
pub(crate) async fn open(setting: &Setting, stdio: &Stdio) -> Result<McpConnection, ConnectError> {
    let patience = Patience {
        ping: Some(PING.min(setting.connect / 6)),
        hurry: setting.connect / 4,
        give_up: setting.connect,
    };
    let unheard = setting.unheard.load(Ordering::Relaxed);
    let era = if unheard { Era::Initialize } else { Era::Newest };
    // Stays so if the time is over before anything is heard.
    setting.unheard.store(era == Era::Newest, Ordering::Relaxed);
    let first = attempt(setting, stdio, era, patience).await;
    if !matches!(first, Err(Failed::Unheard)) {
        setting.unheard.store(false, Ordering::Relaxed);
    }
    // Most servers that know both eras stay with the first they hear, and some end when they
    // hear what they do not know: another process has to be asked.
    let last = match first {
        Err(Failed::Perhaps(_)) => {
            let other = if era == Era::Newest { Era::Initialize } else { Era::Newest };
            attempt(setting, stdio, other, patience).await
        }
        first => first,
    };
    last.map_err(|failed| match failed {
        Failed::Perhaps(problem) | Failed::Finally(problem) => problem,
        Failed::Unheard => {
            ConnectError::Late { server: setting.server.clone(), allowed: setting.connect }
        }
    })
}

enum Failed {
    /// The other way to begin may work.
    Perhaps(ConnectError),
    Finally(ConnectError),
    /// The time is over.
    Unheard,
}

async fn attempt(
    setting: &Setting,
    stdio: &Stdio,
    era: Era,
    patience: Patience,
) -> Result<McpConnection, Failed> {
    let problem = |reason| start_problem(setting, stdio, reason);
    let started = Child::start(stdio, &setting.options, &setting.feed);
    let Started { child, stdin, stdout } =
        started.map_err(|reason| Failed::Finally(problem(reason)))?;
    let lines = Lines::new(stdout, stdin, setting.answer_bytes, setting.feed.clone());
    let ended = Ended::default();
    let mut pipe = Pipe { lines, child, ended: ended.clone() };
    let refusal = match greet(&mut pipe, setting, era, patience).await {
        Ok(info) => return Ok(McpConnection::start(setting, pipe, info, shown(stdio), ended)),
        Err(refusal) => refusal,
    };
    let reason = match &refusal {
        Refusal::Closed => ended.wait().await,
        // Writing fails when it has ended already; why it did says more.
        Refusal::Transport(source) => match pipe.child.end(AFTERLIFE).await {
            Some(how) => format!("the program ended with {how}"),
            None => source.to_string(),
        },
        refusal => refusal.to_string(),
    };
    // Gone before another is started: both may want the same file or port.
    let _ = pipe.close().await;
    Err(match refusal {
        Refusal::Silent => Failed::Unheard,
        Refusal::Answered(_) if era == Era::Newest => Failed::Finally(problem(reason)),
        _ => Failed::Perhaps(problem(reason)),
    })
}

fn start_problem(setting: &Setting, stdio: &Stdio, reason: String) -> ConnectError {
    ConnectError::Start {
        server: setting.server.clone(),
        command: shown(stdio),
        reason,
        stderr: setting.feed.stderr_shown(),
    }
}

/// The command line as it may be shown: what its arguments hold is not ours to judge.
pub(crate) fn shown(stdio: &Stdio) -> String {
    stdio.shown.clone().unwrap_or_else(|| stdio.command.clone())
}

/// The lines of a child, and the child.
struct Pipe {
    lines: Lines<ChildStdout, ChildStdin>,
    child: Child,
    ended: Ended,
}

impl Transport<RoleClient> for Pipe {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.lines.receive().await;
        if message.is_none() && !self.ended.is_set() {
            let how = self.child.end(AFTERLIFE).await;
            self.ended.set(how.map_or_else(
                || "it closed its output".to_owned(),
                |how| format!("the program ended with {how}"),
            ));
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.ended.set("it was closed");
        self.lines.close().await?;
        self.child.stop().await;
        Ok(())
    }
}
