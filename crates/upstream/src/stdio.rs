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
    let patience = Patience { ping: Some(PING), give_up: setting.connect * 2 / 3 };
    match attempt(setting, stdio, Era::Newest, patience).await {
        // Most servers that know both eras stay with the first they hear, so another process
        // has to be asked.
        Err(Failed::OtherEra) => match attempt(setting, stdio, Era::Initialize, patience).await {
            Err(Failed::OtherEra) => {
                Err(start_problem(setting, stdio, "it knows neither way to connect".to_owned()))
            }
            Err(Failed::Finally(problem)) => Err(problem),
            Ok(connection) => Ok(connection),
        },
        Err(Failed::Finally(problem)) => Err(problem),
        Ok(connection) => Ok(connection),
    }
}

enum Failed {
    OtherEra,
    Finally(ConnectError),
}

async fn attempt(
    setting: &Setting,
    stdio: &Stdio,
    era: Era,
    patience: Patience,
) -> Result<McpConnection, Failed> {
    let failed = |reason| Failed::Finally(start_problem(setting, stdio, reason));
    let Started { child, stdin, stdout } =
        Child::start(stdio, &setting.options, &setting.feed).map_err(failed)?;
    let lines = Lines::new(stdout, stdin, setting.answer_bytes, setting.feed.clone());
    let ended = Ended::default();
    let mut pipe = Pipe { lines, child, ended: ended.clone() };
    match greet(&mut pipe, setting, era, patience).await {
        Ok(info) => Ok(McpConnection::start(setting, pipe, info, shown(stdio), ended)),
        Err(Refusal::OtherEra(_) | Refusal::Silent) if era == Era::Newest => Err(Failed::OtherEra),
        Err(Refusal::Closed) => Err(failed(ended.wait().await)),
        Err(Refusal::Transport(source)) => {
            // Writing fails when it has ended already; why it did says more.
            let reason = match pipe.child.end(AFTERLIFE).await {
                Some(how) => format!("it ended with {how}"),
                None => source.to_string(),
            };
            Err(failed(reason))
        }
        Err(refusal) => Err(failed(refusal.to_string())),
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

/// The command line without what looks like a secret.
pub(crate) fn shown(stdio: &Stdio) -> String {
    let mut line = stdio.command.clone();
    let mut hides_next = false;
    for argument in &stdio.arguments {
        let (name, value) = argument
            .split_once('=')
            .map_or((argument.as_str(), None), |(name, value)| (name, Some(value)));
        let is_secret = is_secret_name(name);
        line.push(' ');
        match value {
            _ if hides_next => line.push_str("***"),
            Some(_) if is_secret => line.extend([name, "=***"]),
            _ => line.push_str(argument),
        }
        hides_next = is_secret && value.is_none() && name.starts_with('-') && !hides_next;
    }
    line
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "token", "secret", "password", "passwd", "credential", "auth"]
        .iter()
        .any(|word| name.contains(word))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_a_command_line_are_hidden() {
        let arguments = [
            "--api-key",
            "k1",
            "--token=t1",
            "run",
            "--verbose",
            "--password",
            "--x",
            "GITHUB_TOKEN=t2",
        ];
        let stdio = Stdio {
            command: "npx".to_owned(),
            arguments: arguments.map(str::to_owned).to_vec(),
            environment: std::collections::BTreeMap::new(),
            folder: None,
        };
        assert_eq!(
            shown(&stdio),
            "npx --api-key *** --token=*** run --verbose --password *** GITHUB_TOKEN=***"
        );
    }
}
