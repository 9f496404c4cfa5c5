//! The supervisor: sees to it that a child does not outlive us.
//!
//! Nothing can be done by a process that is killed, so a second, small one watches the first:
//!
//! ```text
//! tidegate ──starts──► tidegate supervise PID server args… ──starts──► server ──► what it starts
//!     └──────────── the same three pipes, nothing in between ────────────┘
//! ```
//!
//! * **It copies nothing.** The server has our pipes; the supervisor only waits.
//! * **It waits for three things**: that we are gone, that the server is, or that it is told to
//!   end. Each time it ends the server's whole process group, and then itself.
//! * **What left the group is ended, too.** Whatever the server started and lost becomes a child of the
//!   supervisor, so a browser with a session of its own is found.
//! * **No gap.** The parent is given by number and compared with the real one after watching it
//!   has begun, so a parent that died in between is noticed.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, getppid, kill_process,
    kill_process_group, pidfd_open, set_child_subreaper, test_kill_process, waitid, waitpid,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{SignalKind, signal};

/// Time between asking a server to end and ending it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the parent is looked for where processes cannot be watched.
const LOOK: Duration = Duration::from_millis(200);
/// How often children of children are looked for, which are ours once their parents are gone.
const MOST_GENERATIONS: usize = 100;
/// Finds out who has ended without taking notice of it.
const LOOKING: WaitIdOptions =
    WaitIdOptions::EXITED.union(WaitIdOptions::NOWAIT).union(WaitIdOptions::NOHANG);
/// What shells say when there is no such program.
const NOT_STARTED: u8 = 127;

/// Runs `[parent's pid, command, arguments…]` until it ends or the parent does.
///
/// The exit code is the command's own; 127 when it could not be started, which standard error
/// then explains.
#[must_use]
pub fn supervise(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let parent =
        arguments.next().and_then(|pid| pid.to_str()?.parse().ok()).and_then(Pid::from_raw);
    let (Some(parent), Some(command)) = (parent, arguments.next()) else {
        return failed("supervise needs the pid of its parent and a command");
    };
    let mut child = Command::new(&command);
    child.args(arguments).process_group(0);
    match run(parent, child) {
        Ok(code) => code,
        Err(problem) => {
            failed(&format!("could not start {}: {problem}", command.to_string_lossy()))
        }
    }
}

fn failed(text: &str) -> ExitCode {
    // Nobody is left to tell when this fails.
    let _ = io::Write::write_all(&mut io::stderr(), format!("{text}\n").as_bytes());
    ExitCode::from(NOT_STARTED)
}

fn run(parent: Pid, mut command: Command) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let parent = Watched::new(parent)?;
        let mut told = [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ];
        if parent.is_gone_already() {
            return Ok(ExitCode::SUCCESS);
        }
        // Where that is not possible, what leaves the group is not ended.
        let _ = set_child_subreaper(Some(getpid()));
        let mut ended_children = signal(SignalKind::child())?;
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        let exit = Watched::new(pid)?;
        release_streams()?;

        let [terminate, interrupt, hangup] = &mut told;
        let ended_itself = loop {
            tokio::select! {
                () = exit.gone() => break true,
                () = parent.gone() => break false,
                _ = terminate.recv() => break false,
                _ = interrupt.recv() => break false,
                _ = hangup.recv() => break false,
                _ = ended_children.recv() => bury(pid),
            }
        };
        if !ended_itself {
            let _ = kill_process_group(pid, Signal::TERM);
            let _ = tokio::time::timeout(PATIENCE, exit.gone()).await;
        }
        finish(pid, child).map(code_of)
    })
}

/// Ends what is left of the group, before its leader's number can be given to somebody else.
fn finish(pid: Pid, mut child: Child) -> io::Result<ExitStatus> {
    let _ = kill_process_group(pid, Signal::KILL);
    let status = child.wait();
    end_orphans();
    status
}

/// Ends what the server started and left: children of ours by now, and theirs in turn.
fn end_orphans() {
    for _ in 0..MOST_GENERATIONS {
        for orphan in children() {
            // Its number is its own until we have waited for it.
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::empty());
        }
        if let Err(Errno::CHILD) = waitid(WaitId::All, LOOKING) {
            return;
        }
    }
}

/// Our children. The files of processes are read, since not every kernel lists children.
fn children() -> Vec<Pid> {
    let ours = getpid().as_raw_nonzero().get();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |number: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // The name before it, in brackets, may hold anything.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.nth(1).and_then(|parent| parent.parse().ok()) == Some(ours)
    };
    numbers.filter(is_child).filter_map(Pid::from_raw).collect()
}

/// Waits for those that have ended, except the server itself, whose end is told by somebody else.
fn bury(server: Pid) {
    for child in children().into_iter().filter(|child| *child != server) {
        let _ = waitpid(Some(child), WaitOptions::NOHANG);
    }
}

/// Our copies of the child's streams would keep the other side from seeing their end.
fn release_streams() -> io::Result<()> {
    let nowhere = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(())
}

fn code_of(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// A process whose end can be waited for.
pub(super) struct Watched {
    pid: Pid,
    descriptor: Option<AsyncFd<OwnedFd>>,
}

impl Watched {
    pub(super) fn new(pid: Pid) -> io::Result<Self> {
        // Fails where the process is gone already and on kernels that cannot watch processes.
        let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else {
            return Ok(Self { pid, descriptor: None });
        };
        #[expect(
            deprecated,
            reason = "sound for a descriptor that is owned; what replaces it is `unsafe`"
        )]
        let descriptor = AsyncFd::with_interest(descriptor, Interest::READABLE)?;
        Ok(Self { pid, descriptor: Some(descriptor) })
    }

    /// Whether this, our parent, ended before it was being watched.
    fn is_gone_already(&self) -> bool {
        getppid() != Some(self.pid)
    }

    pub(super) async fn gone(&self) {
        if let Some(descriptor) = &self.descriptor
            && descriptor.readable().await.is_ok()
        {
            return;
        }
        while self.is_alive() {
            tokio::time::sleep(LOOK).await;
        }
    }

    fn is_alive(&self) -> bool {
        match waitid(WaitId::Pid(self.pid), LOOKING) {
            Ok(ended) => ended.is_none(),
            // Not a child of ours.
            Err(_) => test_kill_process(self.pid).is_ok(),
        }
    }
}
