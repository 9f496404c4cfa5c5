//! One child process: started, listened to, ended.
//!
//! A child runs in a process group of its own, so that what it starts ends with it. With a
//! supervisor in between it also ends when we are killed and cannot do anything about it; see
//! [`supervise`](super::supervise).

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::process::Stdio as Pipe;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::environment::environment;
use super::supervise::Watched;
use crate::feed::Feed;
use crate::options::Options;
use crate::settings::Stdio;

/// How long a child may take to end by itself after its input was closed.
const GOODBYE: Duration = Duration::from_millis(500);
/// How long it may take after being asked to. A supervisor needs two seconds for its own child.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// A running child, and the tasks that belong to it.
pub(crate) struct Child {
    pid: Option<Pid>,
    supervised: bool,
    /// The supervisor by descriptor, so that no other process of its number is meant.
    supervisor: Option<OwnedFd>,
    ended: watch::Receiver<Option<String>>,
    heard: watch::Receiver<bool>,
    _tasks: [AbortOnDropHandle<()>; 2],
}

/// A child and the two streams to speak with it.
pub(crate) struct Started {
    pub(crate) child: Child,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
}

impl Child {
    /// Starts the program. What it writes to standard error goes to `feed`.
    pub(crate) fn start(
        settings: &Stdio,
        options: &Options,
        feed: &Arc<Feed>,
    ) -> Result<Started, String> {
        if let Some(folder) = settings.folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(format!("its folder {} does not exist", folder.display()));
        }
        feed.clear_stderr();
        let mut child =
            command(settings, options).spawn().map_err(|problem| problem.to_string())?;
        let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        let supervised = options.supervisor.is_some();
        let supervisor =
            pid.filter(|_| supervised).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("it was started without its streams".to_owned());
        };

        let (says_heard, heard) = watch::channel(false);
        let listener =
            AbortOnDropHandle::new(tokio::spawn(listen(stderr, feed.clone(), says_heard)));
        let (says_ended, ended) = watch::channel(None);
        let reaper = AbortOnDropHandle::new(tokio::spawn(async move {
            if let Some(pid) = pid.filter(|_| !supervised) {
                // Before its number is free again: whatever it started and left behind.
                if let Ok(watched) = Watched::new(pid) {
                    watched.gone().await;
                }
                let _ = kill_process_group(pid, Signal::KILL);
            }
            let how = match child.wait().await {
                Ok(status) => status.to_string(),
                Err(problem) => problem.to_string(),
            };
            says_ended.send_replace(Some(how));
        }));
        let child = Self { pid, supervised, supervisor, ended, heard, _tasks: [listener, reaper] };
        Ok(Started { child, stdin, stdout })
    }

    /// How it ended ("exit status: 3"), if that is known within `wait`, and all it had to say read.
    pub(crate) async fn end(&self, wait: Duration) -> Option<String> {
        let mut ended = self.ended.clone();
        let mut heard = self.heard.clone();
        let how = tokio::time::timeout(wait, async {
            let how = ended.wait_for(Option::is_some).await.ok().and_then(|how| how.clone());
            let _ = heard.wait_for(|heard| *heard).await;
            how
        });
        match how.await {
            Ok(how) => how,
            // Somebody it started may still hold standard error.
            Err(_) => self.ended.borrow().clone(),
        }
    }

    /// Ends it: waits a little for it to go by itself, then asks, then insists.
    pub(crate) async fn stop(&self) {
        let mut ended = self.ended.clone();
        let mut gone = async |within| {
            tokio::time::timeout(within, ended.wait_for(Option::is_some)).await.is_ok()
        };
        if gone(GOODBYE).await {
            return;
        }
        self.signal(Signal::TERM);
        if !gone(PATIENCE).await {
            self.signal(Signal::KILL);
        }
    }

    fn signal(&self, signal: Signal) {
        if self.ended.borrow().is_some() {
            return;
        }
        // A supervisor passes on that it should end, and must not be killed before it has.
        let sent = match (&self.supervisor, self.pid) {
            (Some(supervisor), _) => pidfd_send_signal(supervisor, Signal::TERM),
            (None, Some(pid)) if self.supervised => kill_process(pid, Signal::TERM),
            (None, Some(pid)) => kill_process_group(pid, signal),
            (None, None) => Ok(()),
        };
        if let Err(problem) = sent {
            tracing::debug!(%problem, "child was gone before it was asked to go");
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn command(settings: &Stdio, options: &Options) -> Command {
    let mut line: Vec<OsString> = options.supervisor.clone().unwrap_or_default();
    if !line.is_empty() {
        line.push(std::process::id().to_string().into());
    }
    line.push(settings.command.clone().into());
    line.extend(settings.arguments.iter().map(OsString::from));

    let mut command = Command::new(&line[0]);
    command
        .args(&line[1..])
        .env_clear()
        .envs(environment(&options.environment, &settings.environment))
        .stdin(Pipe::piped())
        .stdout(Pipe::piped())
        .stderr(Pipe::piped())
        .process_group(0);
    if let Some(folder) = &settings.folder {
        command.current_dir(folder);
    }
    command
}

/// Standard error is read to its end, always: a child whose pipe is full stands still.
async fn listen(mut stderr: ChildStderr, feed: Arc<Feed>, heard: watch::Sender<bool>) {
    let mut buffer = vec![0; 8 << 10];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        feed.stderr(&buffer[..read]);
    }
    heard.send_replace(true);
}
