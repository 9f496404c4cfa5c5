//! MCP over the standard streams of a child process.

mod child;
mod environment;
mod lines;
mod supervise;

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
pub(crate) async fn open(setting: &Setting, stdio: &Stdio) -> Result<McpConnection, ConnectError> {
    let patience = Patience {
        ping: Some(PING.min(setting.connect / 6)),
        hurry: setting.connect / 4,
        // The rest is for another process, should this one never answer.
        give_up: setting.connect * 5 / 6,
    };
    let first = attempt(setting, stdio, Era::Newest, patience).await;
    // Most servers that know both eras stay with the first they hear, and some end when they
    // hear what they do not know: another process has to be asked.
    let last = match first {
        Err(Failed::Perhaps(_)) => attempt(setting, stdio, Era::Initialize, patience).await,
        first => first,
    };
    last.map_err(|(Failed::Perhaps(problem) | Failed::Finally(problem))| problem)
}

enum Failed {
    /// The other way to begin may work.
    Perhaps(ConnectError),
    Finally(ConnectError),
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
    match refusal {
        Refusal::Answered(_) => Err(Failed::Finally(problem(reason))),
        _ => Err(Failed::Perhaps(problem(reason))),
    }
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
